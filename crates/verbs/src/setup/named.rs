//! Methods, formulations, compositions and projections by name.

use crate::failure::{Code, Failure};
use cotangent_integrate::{Composition, Method, StageSolver, Target};
use cotangent_model::nearest::nearest;
use cotangent_theory::Formulation;

/// The formulation with a name.
pub(crate) fn formulation(name: &str) -> Result<Formulation, Failure> {
    let known = Formulation::ALL.map(Formulation::name);
    Formulation::named(name).ok_or_else(|| {
        unknown((Code::UnknownFormulation, "formulation"), name, &known, "`cotangent formulations` lists them")
    })
}

/// The method with a name.
pub(crate) fn method(name: &str) -> Result<Method, Failure> {
    let known = Method::ALL.map(Method::name);
    Method::named(name)
        .ok_or_else(|| unknown((Code::UnknownMethod, "method"), name, &known, "`cotangent methods` lists them"))
}

/// The composition with a name.
pub(crate) fn composition(name: &str) -> Result<Composition, Failure> {
    let known = Composition::ALL.map(Composition::name);
    let list = format!("there are {}", known.join(", "));
    Composition::named(name).ok_or_else(|| unknown((Code::UnknownComposition, "composition"), name, &known, &list))
}

/// The projection with a name.
pub(crate) fn target(name: &str) -> Result<Target, Failure> {
    let known = Target::ALL.map(Target::name);
    let found = Target::ALL.into_iter().find(|t| t.name() == name);
    found.ok_or_else(|| {
        unknown((Code::UnknownProjection, "projection"), name, &known, &format!("there are {}", known.join(", ")))
    })
}

/// The solver of stages with a name.
pub(crate) fn stage_solver(name: &str) -> Result<StageSolver, Failure> {
    let known = StageSolver::ALL.map(StageSolver::name);
    StageSolver::named(name).ok_or_else(|| {
        unknown(
            (Code::UnknownStageSolver, "solver of stages"),
            name,
            &known,
            &format!("there are {}", known.join(", ")),
        )
    })
}

fn unknown((code, what): (Code, &str), name: &str, known: &[&str], list: &str) -> Failure {
    let failure = Failure::new(code, format!("there is no {what} `{name}`"));
    failure.help(match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list.to_owned(),
    })
}
