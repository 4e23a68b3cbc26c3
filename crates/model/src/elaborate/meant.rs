//! Names of other notations: what people mean who write `xdot`, `p` or `time`, and how it is written here.

use super::scope::Meaning;
use super::{Elaborator, Energy};
use crate::syntax::Keyword;
use crate::syntax::ast::Name;
use crate::system::OrbitParameter;
use cotangent_expr::Array;

/// More momenta are not listed.
const MOST: usize = 4;

impl Elaborator<'_> {
    /// How to write what an unknown name of another notation stands for, where it stands.
    pub(super) fn meant(&self, name: &Name) -> Option<String> {
        let statements = &self.parsed.file.statements;
        let place = statements.iter().rfind(|s| s.span.start <= name.span.start).map(|s| s.kind.keyword());
        let name = name.text.as_str();
        self.velocity(name, place)
            .or_else(|| self.momenta(name, place))
            .or_else(|| self.time(name))
            .or_else(|| self.complex(name))
            .or_else(|| orbit_parameter(name))
    }

    /// A complex matrix.
    fn complex(&self, name: &str) -> Option<String> {
        let part = |suffix: &str| matches!(self.names.get(&format!("{name}{suffix}")), Some(Meaning::Matrix(_)));
        let help = || format!("the matrix is complex: its parts are `{name}_re` and `{name}_im`");
        (part("_re") && part("_im")).then(help)
    }

    /// `xdot`, `x_dot`, `dotx`, `dx`, `vx`, `v_x`: the velocity of `x`.
    fn velocity(&self, name: &str, place: Option<Keyword>) -> Option<String> {
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
        if matches!(self.names.get(x), Some(Meaning::Variable(_))) {
            return Some(format!(
                "variables have no velocities: the rate of `{x}` follows from the hamiltonian, and from the bracket or form"
            ));
        }
        // Initial values may be velocities in every model with coordinates.
        if self.energy == Some(Energy::Hamiltonian) && place != Some(Keyword::Initial) {
            return Some(match self.names.get(x) {
                Some(Meaning::Coordinate { .. }) => format!(
                    "a Hamiltonian model is written in momenta: use `{}{index}`, or state the model as a `lagrangian`, where \
                     the velocity is `{x}{index}'`",
                    self.momentum_of(x)
                ),
                _ => format!(
                    "a Hamiltonian model is written in momenta; in a `lagrangian` the velocity of `{x}` is `{x}{index}'`"
                ),
            });
        }
        Some(format!("write the velocity of `{x}` with a prime: `{x}{index}'`"))
    }

    fn has_velocity_of(&self, name: &str) -> bool {
        let meaning = self.names.get(name);
        matches!(meaning, Some(Meaning::Coordinate { .. } | Meaning::Variable(_)))
            || !self.is_poisson && matches!(meaning, Some(Meaning::Let(_)))
    }

    fn is_family(&self, name: &str) -> bool {
        match self.names.get(name) {
            Some(Meaning::Coordinate { position, .. }) => !position.dims().is_empty(),
            Some(Meaning::Let(k)) => !self.lets[*k].definition.head.binders.is_empty(),
            _ => false,
        }
    }

    /// A bare `p`: momenta are called after their coordinates.
    fn momenta(&self, name: &str, place: Option<Keyword>) -> Option<String> {
        if !matches!(name, "p" | "P" | "momentum" | "mom") {
            return None;
        }
        let velocities = [Keyword::Lagrangian, Keyword::Vakonomic];
        if place.is_some_and(|place| velocities.contains(&place)) {
            let one = self.names.iter().find(|n| matches!(self.names.get(n), Some(Meaning::Coordinate { .. })))?;
            let index = if self.is_family(one) { "[i]" } else { "" };
            return Some(format!(
                "a Lagrangian is written in velocities, `{one}{index}'`; the momenta follow from it. Or state the model as a \
                 `hamiltonian`"
            ));
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
        Some(match (self.is_poisson, self.energy) {
            (true, _) => format!("models do not depend on time explicitly; {constant}"),
            (false, Some(Energy::Lagrangian)) => format!(
                "models do not depend on time explicitly: state the model as a `hamiltonian` with `coord {name}` and `p_{name}` \
                 added to it, which gives {name}' = 1; or {constant}"
            ),
            (false, _) => format!(
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
