//! Names of other notations: what people mean who write `xdot`, `p` or `time`, and how it is written here.

use super::Elaborator;
use super::scope::Meaning;
use crate::system::OrbitParameter;
use cotangent_expr::Array;

/// More momenta are not listed.
const MOST: usize = 4;

impl Elaborator<'_> {
    /// How to write what an unknown name of another notation stands for.
    pub(super) fn meant(&self, name: &str) -> Option<String> {
        let mechanics = self.velocity(name).or_else(|| self.momenta(name)).or_else(|| self.time(name));
        mechanics.or_else(|| self.complex(name)).or_else(|| orbit_parameter(name))
    }

    /// A complex matrix.
    fn complex(&self, name: &str) -> Option<String> {
        let part = |suffix: &str| matches!(self.names.get(&format!("{name}{suffix}")), Some(Meaning::Matrix(_)));
        let help = || format!("the matrix is complex: its parts are `{name}_re` and `{name}_im`");
        (part("_re") && part("_im")).then(help)
    }

    /// `xdot`, `x_dot`, `dotx`, `dx`, `vx`, `v_x`: the velocity of `x`.
    fn velocity(&self, name: &str) -> Option<String> {
        let second = ["_ddot", "ddot", "_dotdot", "dotdot"].iter().find_map(|end| name.strip_suffix(end));
        if let Some(x) = second.filter(|x| self.has_velocity_of(x)) {
            return Some(format!(
                "there are no second derivatives in a model: `{x}'` is the velocity, and accelerations follow from the energy"
            ));
        }
        let ends = ["_dot", "dot", "_t", "_d"].iter().filter_map(|end| name.strip_suffix(end));
        let starts = ["dot_", "dot", "d_", "v_", "v", "d"].iter().filter_map(|start| name.strip_prefix(start));
        let x = ends.chain(starts).find(|x| self.has_velocity_of(x))?;
        let index = if self.is_family(x) { "[i]" } else { "" };
        Some(format!("write the velocity of `{x}` with a prime: `{x}{index}'`"))
    }

    fn has_velocity_of(&self, name: &str) -> bool {
        let meaning = self.names.get(name);
        !self.is_poisson && matches!(meaning, Some(Meaning::Coordinate { .. } | Meaning::Let(_)))
    }

    fn is_family(&self, name: &str) -> bool {
        match self.names.get(name) {
            Some(Meaning::Coordinate { position, .. }) => !position.dims().is_empty(),
            Some(Meaning::Let(k)) => !self.lets[*k].definition.head.binders.is_empty(),
            _ => false,
        }
    }

    /// A bare `p`: momenta are called after their coordinates.
    fn momenta(&self, name: &str) -> Option<String> {
        if !matches!(name, "p" | "P" | "momentum" | "mom") {
            return None;
        }
        let one = |n: &str| match self.names.get(n) {
            Some(Meaning::Momentum(p)) => Some(shown(p)),
            _ => None,
        };
        let all: Vec<String> = self.names.iter().filter_map(one).collect();
        let more = if all.len() > MOST { ", …" } else { "" };
        let list = all[..all.len().min(MOST)].join(", ");
        let coordinate = self.generated.values().min().map_or("q", String::as_str);
        match all.len() {
            0 => None,
            1 => {
                Some(format!("the momentum is called {list}; `coord {coordinate} momentum {name}` gives it this name"))
            }
            _ => Some(format!("the momenta are called after their coordinates: {list}{more}")),
        }
    }

    /// `t`, `time`: a coordinate of an extended phase space.
    fn time(&self, name: &str) -> Option<String> {
        if !matches!(name, "t" | "time" | "Time") {
            return None;
        }
        let constant = format!("declare `param {name} = …` if it is a constant");
        Some(match self.is_poisson {
            true => format!("models do not depend on time explicitly; {constant}"),
            false => format!(
                "models do not depend on time explicitly: make it a coordinate with `coord {name}`, and add `p_{name}` to the \
                 `hamiltonian`, which gives {name}' = 1; or {constant}"
            ),
        })
    }
}

/// `tau` outside of gauge conditions.
fn orbit_parameter(name: &str) -> Option<String> {
    (name == OrbitParameter::NAME).then(|| {
        format!("`{name}`, the parameter of the orbit, stands in `gauge` conditions only; declare it if you mean something else")
    })
}

fn shown(array: &Array) -> String {
    let index = if array.dims().is_empty() { "" } else { "[i]" };
    format!("`{}{index}`", array.name())
}
