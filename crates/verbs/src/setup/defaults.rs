//! The `run` statement of a model.

use crate::choice::Choice;
use crate::failure::{Code, Failure};
use cotangent_compile::values::evaluate;
use cotangent_expr::{Expr, Tensor};
use cotangent_model::{RunKey, RunValue, System};

/// What the `run` statement says; expressions are evaluated with the values of the parameters.
pub(crate) fn defaults(system: &System, parameters: &[f64]) -> Result<Choice, Failure> {
    let mut own = Choice::default();
    for (key, value) in &system.run {
        let number = || number(system, parameters, *key, value);
        match key {
            RunKey::Method => own.method = word(value),
            RunKey::Compose => own.compose = word(value),
            RunKey::Inner => own.inner = word(value),
            RunKey::Formulation => own.formulation = word(value),
            RunKey::Project => own.project = word(value),
            RunKey::Step => own.step = Some(number()?),
            RunKey::Until => own.until = Some(number()?),
            RunKey::Steps => own.steps = Some(whole(*key, number()?)?),
            RunKey::Stages => own.stages = Some(whole(*key, number()?)?),
            RunKey::Record => own.record = Some(whole(*key, number()?)?),
            RunKey::Epsilon => own.opt.push((key.name().to_owned(), number()?)),
            // A function of the variables, which the equations of motion have inside.
            RunKey::Lapse => {}
        }
    }
    if let (Some(_), Some(_)) = (own.until, own.steps) {
        let message = "the `run` statement of the model gives both `until` and `steps`";
        return Err(Failure::new(Code::ConflictingRunKeys, message).help("keep one of them"));
    }
    Ok(own)
}

fn word(value: &RunValue) -> Option<String> {
    match value {
        RunValue::Word(word) => Some(word.clone()),
        RunValue::Expression(_) | RunValue::Lapse(_) => None,
    }
}

fn number(system: &System, parameters: &[f64], key: RunKey, value: &RunValue) -> Result<f64, Failure> {
    let refused = |why: String| {
        let key = key.name();
        Failure::new(Code::NoValue, format!("`{key}` in the `run` statement of the model has no value: {why}"))
            .help(format!("give it as --{key}, or correct the model"))
    };
    let RunValue::Expression(expression) = value else { return Err(refused("it is a word".into())) };
    let found = match expression.as_number() {
        Some(number) => number.to_f64(),
        None => formula(system, parameters, expression).map_err(refused)?,
    };
    if found.is_finite() { Ok(found) } else { Err(refused(format!("it is {found}"))) }
}

fn formula(system: &System, parameters: &[f64], expression: &Expr) -> Result<f64, String> {
    let tensor = Tensor::scalar(expression.clone()).map_err(|e| e.to_string())?;
    let found = evaluate(&tensor, &[(&system.parameter_layout(), parameters)]).map_err(|e| e.to_string())?;
    found.first().copied().ok_or_else(|| "it is empty".into())
}

fn whole(key: RunKey, value: f64) -> Result<u64, Failure> {
    let fits = value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value);
    let message = || format!("`{}` in the `run` statement of the model is {value}", key.name());
    fits.then_some(value as u64)
        .ok_or_else(|| Failure::new(Code::NotAnInteger, message()).help("it must be a whole number of 0 or more"))
}
