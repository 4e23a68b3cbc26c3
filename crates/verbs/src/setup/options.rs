//! The options of a method: stages, inner method, tolerance.

use super::named::method;
use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::figures::given;
use cotangent_integrate::{Inner, MAX_STAGES, Method};

/// The method with its options.
pub(crate) fn with_options(choice: &Choice) -> Result<Method, Failure> {
    let mut chosen = method(choice.method.as_deref().unwrap_or_default())?;
    if let Some(stages) = choice.stages {
        chosen = staged(chosen, stages)?;
    }
    if let Some(inner) = &choice.inner {
        chosen = around(chosen, inner)?;
    }
    if let Some(tol) = choice.tol {
        chosen = controlled(chosen, tol)?;
    }
    Ok(chosen)
}

/// The option is one of other methods.
fn has_none(chosen: Method, what: &str, option: &str, able: impl Fn(Method) -> bool) -> Failure {
    let able = Method::ALL.into_iter().filter(|m| able(*m)).map(|m| format!("`{}`", m.name()));
    let able: Vec<String> = able.collect();
    Failure::new(Code::DoesNotApply, format!("`{}` has no {what} to choose", chosen.name()))
        .help(format!("leave out {option}, or take {}", able.join(" or ")))
}

fn staged(chosen: Method, wanted: u64) -> Result<Method, Failure> {
    if chosen.stages().is_none() {
        return Err(has_none(chosen, "stages", "--stages", |m| m.stages().is_some()));
    }
    let stages = usize::try_from(wanted).ok().filter(|s| (1..=MAX_STAGES).contains(s));
    stages.and_then(|s| chosen.with_stages(s)).ok_or_else(|| {
        let message = format!("a method has 1 to {MAX_STAGES} stages, not {wanted}");
        Failure::new(Code::Stages, message).help("choose another --stages")
    })
}

fn around(chosen: Method, name: &str) -> Result<Method, Failure> {
    let Method::Reich { .. } = chosen else {
        return Err(has_none(chosen, "inner method", "--inner", |m| matches!(m, Method::Reich { .. })));
    };
    let inner = Inner::of(method(name)?).ok_or_else(|| {
        let able = Method::ALL.into_iter().filter(|m| Inner::of(*m).is_some()).map(|m| format!("`{}`", m.name()));
        let message = format!("`{name}` cannot be the inner method of `{}`", chosen.name());
        Failure::new(Code::Inner, message).help(format!("take {}", able.collect::<Vec<_>>().join(" or ")))
    })?;
    Ok(Method::Reich { inner })
}

fn controlled(chosen: Method, tol: f64) -> Result<Method, Failure> {
    if tol < 0.0 {
        let message = format!("--tol is {}", given(tol));
        return Err(Failure::new(Code::Tol, message).help("it must be positive, or 0 for steps as they are given"));
    }
    if tol >= 1.0 {
        let message = format!("--tol is {}: an error as large as the state is none to aim at", given(tol));
        return Err(Failure::new(Code::Tol, message).help("it must be smaller than 1"));
    }
    let able = |m: Method| m.with_tolerance(None).is_some();
    let tolerance = (tol > 0.0).then_some(tol);
    chosen.with_tolerance(tolerance).ok_or_else(|| has_none(chosen, "tolerance", "--tol", able))
}
