//! Charts by the names of their coordinates.

use crate::choice::names::separated;
use crate::failure::{Code, Failure};
use cotangent_expr::Layout;
use cotangent_model::nearest::nearest;
use cotangent_problem::Instance;

/// The numbers of the coordinates of each chart.
pub(super) fn named(charts: &[String], problem: &Instance) -> Result<Vec<Vec<usize>>, Failure> {
    let coordinates = problem.equations.motion.structure().map(|s| s.coordinates.clone());
    let coordinates = coordinates.unwrap_or_else(|| Layout::new(vec![]));
    let known = coordinates.entry_names();
    let rest = if known.len() > MOST { ", …" } else { "" };
    let position = |name: &str| {
        known.iter().position(|k| k == name).ok_or_else(|| {
            let failure =
                Failure::new(Code::UnknownCoordinate, format!("--chart names `{name}`, which is no coordinate"));
            match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help(format!("there are {}{}", known[..known.len().min(MOST)].join(", "), rest)),
            }
        })
    };
    charts.iter().map(|chart| separated(chart).iter().map(|name| position(name)).collect()).collect()
}

/// More coordinates are not listed.
const MOST: usize = 8;
