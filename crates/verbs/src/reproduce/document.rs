//! What was measured, as data: what JSON shows, and what text and pages are made of.

use super::data::{self, Erratum};
use crate::ending::Ending;
use crate::reason::Reason;
use serde::{Deserialize, Serialize};

/// Experiments that were made again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// Whether all are done, or it was interrupted.
    pub status: Ending,
    /// The experiments.
    pub experiments: Vec<Reproduced>,
    /// Pages and pictures that were written.
    pub files: Vec<String>,
    /// Those that could not be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Reason>,
    /// The papers.
    #[serde(skip)]
    pub papers: Vec<data::Paper>,
}

/// An experiment that was made again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reproduced {
    /// The paper and the name of the experiment.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// What is done, and what was chosen where the paper does not say it.
    pub about: String,
    /// What is claimed, and what was measured.
    pub claims: Vec<Claim>,
    /// Curves of its figure that could not be drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undrawn: Vec<Undrawn>,
    /// Its figure.
    #[serde(skip)]
    pub panels: Vec<Panel>,
    /// The models of its runs: name and text.
    #[serde(skip)]
    pub models: Vec<(String, String)>,
}

/// What a paper claims, and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// In words.
    pub claim: String,
    /// Where it stands in the paper.
    pub r#where: String,
    /// What the paper says: a number, or in words.
    pub paper: Option<Stated>,
    /// What was measured; null if it could not be, or is not finite.
    pub measured: Option<f64>,
    /// How far from the paper's value is near enough.
    pub tolerance: Option<f64>,
    /// Whether the measurement is what the paper says.
    pub verdict: Verdict,
    /// What was found independently, and whether the measurement is that.
    pub reference: Reference,
    /// The expression that was measured.
    pub measure: String,
    /// Where the paper is wrong or leaves something open: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why there is no measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a paper says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stated {
    /// A number.
    Number(f64),
    /// Words, and the bounds that are meant by them.
    Words(String),
}

/// Whether a measurement is what the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// It is not.
    #[serde(rename = "differs")]
    Differs,
    /// The paper does not say.
    #[serde(rename = "not stated")]
    NotStated,
    /// There is no measurement.
    #[serde(rename = "not measured")]
    NotMeasured,
}

impl Verdict {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Differs => "differs",
            Verdict::NotStated => "not stated",
            Verdict::NotMeasured => "not measured",
        }
    }
}

/// What was found independently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// How far from it is near enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Or the least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// And the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Whether the measurement is that.
    pub held: bool,
}

/// A panel with its curves.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title, labels and axes.
    pub data: data::Panel,
    /// Abscissas and ordinates of each curve.
    pub curves: Vec<[Vec<f64>; 2]>,
}

/// A curve that could not be drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undrawn {
    /// The title of its panel.
    pub panel: String,
    /// Its name.
    pub curve: String,
    /// Why.
    pub reason: String,
}

impl Undrawn {
    /// Which curve it is, and why it could not be drawn.
    pub(super) fn said(&self) -> String {
        let name = [&self.panel, &self.curve].into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>();
        format!("NOT drawn: {}{}{}", name.join(", "), if name.is_empty() { "" } else { ": " }, self.reason)
    }
}

impl Panel {
    /// With the curves that can be measured, none without any; and those that cannot.
    pub(super) fn measured(
        panel: &data::Panel,
        measured: impl Fn(&str) -> Result<Vec<f64>, String>,
    ) -> (Option<Panel>, Vec<Undrawn>) {
        let points = |c: &data::Curve| match [measured(&c.x)?, measured(&c.y)?] {
            [x, y] if x.len() != y.len() => {
                Err(format!("`{}` is {} values, and `{}` is {}", c.x, x.len(), c.y, y.len()))
            }
            [x, _] if x.is_empty() => Err(format!("`{}` has no values", c.x)),
            points => Ok(points),
        };
        let (mut drawn, mut undrawn) = (Panel { data: panel.clone(), curves: vec![] }, vec![]);
        drawn.data.curve.retain(|curve| match points(curve) {
            Ok(points) => {
                drawn.curves.push(points);
                true
            }
            Err(reason) => {
                undrawn.push(Undrawn { panel: panel.title.clone(), curve: curve.name.clone(), reason });
                false
            }
        });
        (Some(drawn).filter(|panel| !panel.curves.is_empty()), undrawn)
    }
}

impl Document {
    /// All claims.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.experiments.iter().flat_map(|e| &e.claims)
    }

    /// All curves that could not be drawn.
    pub fn undrawn(&self) -> impl Iterator<Item = &Undrawn> {
        self.experiments.iter().flat_map(|e| &e.undrawn)
    }

    /// How many claims there are of each verdict, in a line.
    pub fn counted(&self) -> String {
        let count = |verdict: Verdict| self.claims().filter(|c| c.verdict == verdict).count();
        let outside = self.claims().filter(|c| !c.reference.held).count();
        format!(
            "{} in {}: {} reproduced, {} {}, {} not stated by the paper{}; {}{}",
            crate::figures::count(self.claims().count() as u64, "claim", "claims"),
            crate::figures::count(self.experiments.len() as u64, "experiment", "experiments"),
            count(Verdict::Reproduced),
            count(Verdict::Differs),
            if count(Verdict::Differs) == 1 { "differs" } else { "differ" },
            count(Verdict::NotStated),
            match count(Verdict::NotMeasured) {
                0 => String::new(),
                n => format!(", {n} not measured"),
            },
            match outside {
                0 => "every measurement is that of its independent reference".to_owned(),
                1 => "1 measurement is not that of its independent reference".to_owned(),
                n => format!("{n} measurements are not those of their independent references"),
            },
            match self.undrawn().count() {
                0 => String::new(),
                n => format!("; {} not drawn", crate::figures::count(n as u64, "curve", "curves")),
            }
        )
    }

    /// What is printed otherwise than it should be, paper by paper.
    pub fn errata(&self) -> impl Iterator<Item = (&data::Paper, &Erratum)> {
        self.papers.iter().flat_map(|paper| paper.erratum.iter().map(move |e| (paper, e)))
    }
}
