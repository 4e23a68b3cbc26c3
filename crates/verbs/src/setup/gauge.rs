//! A `gauge` statement that would make the motion of a model unique.

use crate::loaded::Loaded;
use cotangent_analysis::{self as analysis, Analysis, MultiplierValue};
use cotangent_compile::values;
use cotangent_expr::{Array, Expr, Layout};
use cotangent_model::{Options, OrbitParameter, System};

/// No statement is looked for in larger models: each is tried, and that takes an analysis.
const MOST_VARIABLES: usize = 40;

/// So many statements are tried.
const MOST_ATTEMPTS: usize = 6;

/// A statement that keeps coordinates where they start, one for each multiplier that nothing determines. The
/// analysis was asked whether the motion is unique with it.
pub(super) fn proposed(model: &Loaded) -> Option<String> {
    let system = &model.system;
    if system.state().len() > MOST_VARIABLES {
        return None;
    }
    let report = analysis::analyze_within(system, &model.limits).ok()?;
    let starts = starts(model)?;
    let candidates: Vec<Vec<&(String, f64)>> = moved(&report, &starts)?;
    // The first of each list, and then others in one place at a time.
    let first: Vec<usize> = vec![0; candidates.len()];
    let others = candidates.iter().enumerate().flat_map(|(place, list)| {
        let first = first.clone();
        (1..list.len()).map(move |k| first.iter().enumerate().map(|(p, f)| if p == place { k } else { *f }).collect())
    });
    let kept = std::iter::once(first.clone()).chain(others).take(MOST_ATTEMPTS).map(|choice: Vec<usize>| {
        let chosen: Vec<&(String, f64)> = candidates.iter().zip(&choice).map(|(list, k)| list[*k]).collect();
        statement(&chosen)
    });
    // Where H vanishes nothing fixes the parameter of the path: with a coordinate kept where it is all would stand still,
    // and one of them is the clock instead.
    let attempts: Vec<String> = match candidates.as_slice() {
        // A condition with a `tau` of the model would be no clock.
        [_] if report.hamiltonian.as_ref().is_some_and(Expr::is_zero) && has_tau(system) => vec![],
        [moved] if report.hamiltonian.as_ref().is_some_and(Expr::is_zero) => {
            moved.iter().take(MOST_ATTEMPTS).map(|(name, start)| clock(name, *start)).collect()
        }
        _ => kept.collect(),
    };
    attempts.into_iter().find(|statement| {
        let text = format!("{}\n{statement}\n", model.input.source);
        let fixed = System::parse_with(&text, &Options { integers: system.integers.clone() });
        fixed.is_ok_and(|fixed| analysis::constraints_within(&fixed, &model.limits).is_ok())
    })
}

/// Whether a model has something of its own under the name of the parameter of the orbit.
pub(super) fn has_tau(system: &System) -> bool {
    let layouts = [Some(system.dynamics.variables()), system.dynamics.momenta()];
    let variables = layouts.into_iter().flatten().flat_map(Layout::arrays);
    let arrays = variables.chain(system.parameters.iter().map(|p| &p.array));
    let integers = system.integers.iter().map(|(name, _)| name.as_str());
    arrays.map(Array::name).chain(integers).any(|name| name == OrbitParameter::NAME)
}

/// `gauge clock: t = tau`
fn clock(name: &str, start: f64) -> String {
    let tau = OrbitParameter::NAME;
    match start {
        0.0 => format!("gauge clock: {name} = {tau}"),
        start => format!("gauge clock: {name} = {tau} + ({start:?})"),
    }
}

/// The coordinates, or variables, and where they start.
fn starts(model: &Loaded) -> Option<Vec<(String, f64)>> {
    let parameters = values::parameters(&model.system, &model.settings).ok()?;
    let initial = values::initial(&model.system, &parameters, &model.settings).ok()?;
    let names = model.system.dynamics.variables().entry_names();
    Some(names.into_iter().zip(initial.coordinates).collect())
}

/// For each multiplier that nothing determines the coordinates that its constraint moves.
fn moved<'a>(report: &Analysis, starts: &'a [(String, f64)]) -> Option<Vec<Vec<&'a (String, f64)>>> {
    let arbitrary = report.multipliers.iter().filter(|m| matches!(m.value, MultiplierValue::Arbitrary));
    let of = |constraint: &str| {
        let transformation = report.gauge.iter().find(|g| g.generator == constraint)?;
        let changes = |(name, _): &&(String, f64)| transformation.changes.iter().any(|(changed, _)| changed == name);
        Some(starts.iter().filter(changes).collect::<Vec<_>>()).filter(|list| !list.is_empty())
    };
    let lists: Vec<Vec<&(String, f64)>> = arbitrary.map(|m| of(&m.constraint)).collect::<Option<_>>()?;
    (!lists.is_empty()).then_some(lists)
}

/// `gauge fixed_e: e = 1`
fn statement(chosen: &[&(String, f64)]) -> String {
    let label = |name: &str| -> String {
        let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        format!("fixed_{}", words.join("_"))
    };
    let number = |value: f64| format!("{value:?}").trim_end_matches(".0").to_owned();
    let one = |(name, value): &&(String, f64)| format!("{}: {name} = {}", label(name), number(*value));
    format!("gauge {}", chosen.iter().map(one).collect::<Vec<_>>().join(", "))
}
