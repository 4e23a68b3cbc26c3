//! What was noticed along a run, in words and as data.

use crate::choice::Choice;
use crate::figures::{count, listed, number, short};
use crate::map::{Map, or_nan};
use cotangent_dynamics::{Advance, Measure, Plan};
use cotangent_expr::Layout;
use cotangent_lab::{Departure, NoCasimir};
use cotangent_model::ClaimKind;
use cotangent_observe::{Monitor, Passage, Run, Unobserved};
use cotangent_problem::Instance;
use cotangent_theory::Formulation;
use serde::{Deserialize, Serialize};

/// Steps near a singular configuration, where the constraints depend on each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingularPassage {
    /// The time at the end of the step that came nearest.
    pub time: f64,
    /// How badly the constraint forces were determined there.
    #[serde(deserialize_with = "or_nan")]
    pub condition: f64,
    /// The constraint that depends on the others, or whose gradient vanishes.
    pub constraint: String,
    /// Whether the motion went through it.
    pub crossed: bool,
}

/// The passages of a run whose constraints have these names.
pub(crate) fn passages(monitor: &Monitor, names: &[String]) -> Vec<SingularPassage> {
    let named = |p: &Passage| SingularPassage {
        time: p.time,
        condition: p.condition,
        constraint: names.get(p.constraint).cloned().unwrap_or_default(),
        crossed: p.crossed,
    };
    monitor.passages.iter().map(named).collect()
}

/// What a step costs whose equations depend on each other too much.
pub(crate) fn filling(plan: &Plan) -> Option<String> {
    let (equations, nanoseconds) = plan.filling()?;
    Some(format!(
        "no order of elimination keeps the {equations} equations of a step sparse: an update of Newton's method, of which \
         a step takes a few, is about {} s of work",
        short(nanoseconds * 1e-9)
    ))
}

/// Functions that a model claims to be Casimirs and are none, each with a bracket that should vanish.
pub(crate) fn no_casimirs(list: &[NoCasimir], problem: &Instance) -> Vec<String> {
    let motion = &problem.equations.motion;
    let claims = motion.system.claims.iter().filter(|c| c.kind == ClaimKind::Casimir);
    let names: Vec<String> = claims.flat_map(|c| Layout::new(vec![c.quantity.array.clone()]).entry_names()).collect();
    let one = |none: &NoCasimir| {
        let name = names.get(none.number)?;
        let bracket = match none.bracket {
            Some((k, value)) => {
                format!(": {{{}, {name}}} is {} near the start", motion.state.entry_name(k), short(value))
            }
            None => String::new(),
        };
        Some(match motion.card().exact {
            true => format!("`{name}` is claimed to be a Casimir and is none{bracket}"),
            false => format!("`{name}` is no Casimir in the formulation `{}`{bracket}", motion.formulation.name()),
        })
    };
    list.iter().filter_map(one).collect()
}

/// Where observables or the picture have no finite value.
pub(crate) fn gap(gap: &Unobserved, observables: &Layout) -> String {
    let samples = count(gap.samples, "sample", "samples");
    let time = number(gap.time);
    if let Some(reason) = &gap.reason {
        return format!(
            "no value of an observable or of the picture at {samples}, the first at time {time}: {reason}; NaN stands \
             there"
        );
    }
    let names: Vec<String> = gap.observables.iter().map(|k| observables.entry_name(*k)).collect();
    format!("{} no finite value at {samples}, the first at time {time}", have(&names))
}

/// Observables without a finite value at the end, where nobody looked before.
pub(crate) fn undefined(observables: &Map<f64>) -> Option<String> {
    let undefined = observables.iter().filter(|(_, value)| !value.is_finite());
    let names: Vec<String> = undefined.map(|(name, _)| name.to_owned()).collect();
    (!names.is_empty()).then(|| format!("{} no finite value at the end", have(&names)))
}

/// `` `a` and `b` have``
fn have(names: &[String]) -> String {
    let mut list: Vec<String> = names.iter().take(TIMES).map(|name| format!("`{name}`")).collect();
    if names.len() > TIMES {
        list.push(format!("{} more", names.len() - TIMES));
    }
    format!("{} {}", listed(&list), if names.len() == 1 { "has" } else { "have" })
}

/// What to do where a step turns into another branch.
pub(crate) const BRANCHED: &str = "the motion goes straight on there, while these equations turn by as little as the state is \
    off its constraints, or have other solutions, too: take another --step, so that no step ends so close to it, or \
    `--formulation multipliers` with a method for constraints, such as `rattle`";

/// What to do where a step goes over a gap.
pub(crate) const JUMPED: &str = "the motion turns there: take a smaller --step";

/// So many times or names are given in a sentence.
const TIMES: usize = 5;

fn times(passages: &[&SingularPassage]) -> String {
    let mut times: Vec<String> = passages.iter().take(TIMES).map(|p| number(p.time)).collect();
    if passages.len() > TIMES {
        times.push("…".to_owned());
    }
    times.join(", ")
}

/// A constraint that a run has left, and what keeps it.
pub(crate) fn departure(
    departure: &Departure,
    run: &mut cotangent_lab::Run,
    problem: &Instance,
    choice: &Choice,
) -> String {
    let (motion, names) = (&problem.equations.motion, run.diagnostics());
    let layout = if departure.hidden { &names.hidden_constraints } else { &names.constraints };
    let name = layout.entry_name(departure.member);
    let extremes = if departure.hidden { run.hidden_constraints() } else { run.constraints() };
    let name = if departure.hidden && motion.structure().is_some() { format!("d/dt {name}") } else { name };
    let largest = extremes.get(departure.member).map_or(f64::NAN, |e| e.max_abs);
    let since = match departure.time {
        Some(time) => format!("first at t = {}", number(time)),
        None => "before the run was resumed".to_owned(),
    };
    let mut ways = vec![];
    if motion.structure().is_some() {
        ways.push("--formulation multipliers with a method for constraints, such as `rattle`");
    }
    match motion.formulation {
        Formulation::Penalty { .. } => {
            ways.push("a smaller --opt epsilon, with a --step that resolves the oscillations")
        }
        _ if choice.project.as_deref() != Some("both") => ways.extend(["--project both", "a smaller --step"]),
        _ => ways.push("a smaller --step"),
    }
    format!(
        "`{name}` does not hold: its residual was more than a percent of its terms {since}, and up to {}; what follows is \
         not a motion of the model: take {}",
        short(largest),
        ways.join(", or ")
    )
}

/// A state that is so many times larger has an energy, if the energy of this one is nothing for want of digits.
const ENLARGED: f64 = 1e150;

/// The energy of a motion whose rounding is no longer relative: its error is no error of the method.
pub(crate) fn underflow<I: Advance, D: Measure>(run: &mut Run<I, D>) -> Option<String> {
    let smallest = f64::MIN_POSITIVE / f64::EPSILON;
    let energy = run.energy();
    let largest = energy.initial.abs() + energy.max_deviation;
    let state = run.state().values.clone();
    let larger: Vec<f64> = state.iter().map(|z| ENLARGED * z).collect();
    let mut size = |state: &[f64]| run.diagnostics().energy_magnitude(state).unwrap_or(f64::NAN);
    let is_nothing = largest < smallest && size(&state) < smallest && size(&larger) > smallest;
    is_nothing.then(|| {
        format!(
            "the energy is of the size {}, below what the arithmetic resolves, and so is its error: choose other units",
            short(largest)
        )
    })
}

/// What a reader of the summary should know.
pub(crate) fn notes(monitor: &Monitor, passages: &[SingularPassage]) -> Vec<String> {
    let mut notes = vec![];
    let (passed, near): (Vec<_>, Vec<_>) = passages.iter().partition(|p| p.crossed);
    if let Some(first) = passed.first() {
        notes.push(format!(
            "{} passed, at t = {}: there constraints depend on each other (at the first `{}`)",
            count(passed.len() as u64, "singular configuration", "singular configurations"),
            times(&passed),
            first.constraint
        ));
    }
    if let Some(worst) = near.iter().max_by(|a, b| a.condition.total_cmp(&b.condition)) {
        notes.push(format!(
            "the constraint forces are badly determined at t = {}: the condition of their matrix (G H_pp Gᵀ or {{g, g}}) reaches {} (`{}`)",
            times(&near),
            short(worst.condition),
            worst.constraint
        ));
    }
    if monitor.passage_count > passages.len() as u64 {
        notes.push(format!(
            "{} such passages in all, of which the first {} are listed",
            monitor.passage_count,
            passages.len()
        ));
    }
    if monitor.followed > 0 {
        let steps = count(monitor.followed, "step", "steps");
        notes.push(format!(
            "{steps} had several solutions, or none near the free motion: taken was the one that continues the motion \
             smoothly"
        ));
    }
    if monitor.parted > 0 {
        let steps = count(monitor.parted, "step", "steps");
        notes.push(format!(
            "{steps} made in parts: the gap between two branches, in which the motion turns, is narrower than a step is long"
        ));
    }
    if monitor.mended > 0 {
        let steps = count(monitor.mended, "step", "steps");
        notes.push(format!(
            "{steps} brought back onto the constraints: the rounding of their multipliers is larger than that of the \
             constraints, as it may be for a light mass or where constraints nearly depend on each other"
        ));
    }
    if monitor.settled > 0 {
        let steps = count(monitor.settled, "step", "steps");
        notes.push(format!(
            "{steps} beside singular configurations: the momenta, which the method leaves free along the gradients of the \
             constraints, were brought back onto G H_p = 0; no position changes by that"
        ));
    }
    if monitor.omitted > 0 {
        let rows = count(monitor.omitted, "row", "rows");
        notes.push(format!("{rows} of --every left out: no step of the method leads there from the one before"));
    }
    if let Some(lost) = monitor.lost {
        notes.push(format!(
            "the error of the energy has become a large part of it, {} at t = {}",
            short(lost.change),
            number(lost.time)
        ));
    }
    if let Some(unresolved) = monitor.unresolved {
        let halves = match unresolved.halves {
            Some(halves) => format!("by {} in two of half its size", short(halves)),
            None => "and two of half its size cannot be made".to_owned(),
        };
        notes.push(format!(
            "the step to t = {} does not resolve the motion: the terms of the energy grow by a factor of {}, {halves}; \
             the motion may end there, and what follows is another one: take a smaller --step",
            number(unresolved.time),
            short(unresolved.grown)
        ));
    }
    if let Some(jump) = monitor.jump {
        notes.push(format!(
            "the energy changed by {} in the step to t = {}, out of proportion: take a smaller --step, or look at what the \
             motion meets there",
            short(jump.change),
            number(jump.time)
        ));
    }
    notes
}
