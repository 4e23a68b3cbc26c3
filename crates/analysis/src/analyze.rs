//! From a model to the report.

use crate::algebra::{Field, WORK, Work, factors};
use crate::branches::{Part, branches};
use crate::casimirs;
use crate::conclusion::Conclusion;
use crate::defects::are_small;
use crate::dirac::{Candidate, Dirac, Progress};
use crate::error::AnalysisError;
use crate::lie;
use crate::names::Names;
use crate::poisson;
use crate::report::{Analysis, Branch, Certainty, ClaimReport, Count, Outcome, PoissonReport, Symbols};
use crate::sample::Sampler;
use crate::special::{self, Asked, unless_rounded};
use crate::specialise::{OwnValues, at_own_values, specialise};
use crate::surface::KnownSurface;
use crate::transform::{Canonical, Lagrangian, scalar};
use cotangent_compile::values::Setting;
use cotangent_expr::{Array, Expr, Layout, Node, Role};
use cotangent_model::{ClaimKind, ConstraintKind, Dynamics, OrbitParameter, Sign, System};
use cotangent_scalar::Limits;
use cotangent_theory::phase::Phase;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The largest number of variables that is taken apart.
pub const MAX_VARIABLES: usize = 600;

/// The largest number of pairs with a bracket for which Jacobi's identity alone is looked at: a few seconds.
const MAX_PAIRS: u64 = 10_000;

/// What the parts of a surface that falls apart may take together, and each of them besides what it took to find them.
const PARTS: u64 = 2 * WORK;
const PART: u64 = WORK / 10;

/// Analyses a system: see the [crate].
pub fn analyze(system: &System) -> Result<Analysis, AnalysisError> {
    analyze_within(system, &Limits::default())
}

/// The same within limits: [`AnalysisError::Interrupted`] soon after somebody asks to stop.
pub fn analyze_within(system: &System, limits: &Limits) -> Result<Analysis, AnalysisError> {
    let done = described(system, limits);
    // Where nothing is left to spend something may have been given up, or called undecided.
    limits.check()?;
    done
}

/// With what is so for the parameters of the model alone, and what the bracket is like.
fn described(system: &System, limits: &Limits) -> Result<Analysis, AnalysisError> {
    let Whole { mut report, phase, is_symbolic } = whole(system, limits)?;
    let analysed = |own: &System| Ok(whole(own, limits)?.report);
    let asked = Asked { system, phase: phase.as_ref(), limits };
    special::look_again(asked, is_symbolic, &mut report, analysed)?;
    if let Some(phase) = &phase {
        describe_bracket(system, phase, &mut report, limits)?;
    }
    Ok(report)
}

/// Whether the bracket of a Poisson model is one; `None` for any other model. Where it is none for all parameters, it is
/// looked at again for those of the model, with the values that are set.
pub fn bracket(system: &System, set: &[Setting], limits: &Limits) -> Result<Option<PoissonReport>, AnalysisError> {
    let report = bracket_in_general(system, limits)?;
    if report.as_ref().is_none_or(|r| r.jacobi != Outcome::Fails) {
        return Ok(report);
    }
    let parameters: Vec<Setting> = set.iter().filter(|s| system.parameter(&s.name).is_some()).cloned().collect();
    let set = specialise(system, &parameters)?;
    let special = match at_own_values(&set)? {
        OwnValues::Unknown => return Ok(report),
        OwnValues::Outgrown => report.map(|r| PoissonReport { jacobi: Outcome::Undecided, ..r }),
        OwnValues::Known(own) => bracket_in_general(&own, limits)?,
    };
    let is_exact = are_small(&set)?;
    Ok(special.map(|r| PoissonReport { jacobi: unless_rounded(r.jacobi, is_exact), ..r }))
}

fn bracket_in_general(system: &System, limits: &Limits) -> Result<Option<PoissonReport>, AnalysisError> {
    let Dynamics::Poisson { variables, bracket, .. } = &system.dynamics else { return Ok(None) };
    // Both {zᵢ, zⱼ} and {zⱼ, zᵢ} are entries.
    let pairs = bracket.terms().iter().map(|t| t.domain.count(2 * MAX_PAIRS + 1)).sum::<u64>() / 2;
    if pairs > MAX_PAIRS {
        return Err(AnalysisError::TooManyBrackets { limit: MAX_PAIRS });
    }
    let phase = Phase::general(variables, bracket)?;
    let work = Rc::new(Work::new(WORK, limits));
    let field = Field::new(work.clone(), signs(system));
    let sampler = Sampler::new(system, &phase.layout, work);
    let mut surface = KnownSurface::new(sampler, field, phase.len());
    let report = poisson::axioms(&phase, &mut surface)?;
    limits.check()?;
    Ok(Some(report))
}

/// The analysis and the phase space it is about, if there is one.
pub(crate) fn with_phase(system: &System, limits: &Limits) -> Result<(Analysis, Option<Phase>), AnalysisError> {
    let done = whole(system, limits);
    limits.check()?;
    done.map(|whole| (whole.report, whole.phase))
}

/// The analysis for generic parameters.
struct Whole {
    report: Analysis,
    phase: Option<Phase>,
    /// Whether constraints were looked at by symbols.
    is_symbolic: bool,
}

fn whole(system: &System, limits: &Limits) -> Result<Whole, AnalysisError> {
    let variables = system.state().len();
    if variables > MAX_VARIABLES {
        return Err(AnalysisError::TooLarge { variables, limit: MAX_VARIABLES });
    }
    let work = Rc::new(Work::new(WORK, limits));
    let granted = work.left();
    let (whole, phase) = part(system, &[], &work)?;
    let is_symbolic = whole.surface.as_ref().is_some_and(KnownSurface::is_symbolic);
    let mut report = whole.analysis;
    if let Some(factors) = whole.fork {
        let (parts, all) = parts(system, &factors, granted - work.left(), limits)?;
        if let (false, Some(reason)) = (all, &mut report.stopped) {
            reason.push_str(&format!("; there are more than the {} parts that were analysed", parts.len()));
        }
        report.branches = parts;
    }
    Ok(Whole { report, phase, is_symbolic })
}

/// The analyses of the parts of a surface that falls apart at a product, and whether these are all. Each part takes the way to
/// the fork again, which took so much work.
fn parts(system: &System, factors: &[Expr], way: u64, limits: &Limits) -> Result<(Vec<Branch>, bool), AnalysisError> {
    let each = way.saturating_add(PART);
    let work = Rc::new(Work::new(PARTS, limits));
    let taken_apart = |chosen: &[Expr]| Ok(work.within(each, || part(system, chosen, &work))?.0);
    branches(factors, &taken_apart)
}

/// What the bracket of a Poisson model is like, and its Casimirs; with work of its own, so that nothing else depends on it.
fn describe_bracket(
    system: &System,
    phase: &Phase,
    report: &mut Analysis,
    limits: &Limits,
) -> Result<(), AnalysisError> {
    let Some(poisson) = &mut report.poisson else { return Ok(()) };
    let work = Rc::new(Work::new(WORK, limits));
    let mut field = Field::new(work.clone(), signs(system));
    if let Some((form, algebra)) = lie::form(phase, &mut field) {
        poisson.form = Some(form);
        poisson.algebra = algebra.filter(|_| matches!(poisson.jacobi, Outcome::Holds(_)));
    }
    let Some(rank) = poisson.rank else { return Ok(()) };
    let is_one = |c: &ClaimReport| c.kind == ClaimKind::Casimir && matches!(c.outcome, Outcome::Holds(_));
    let mut claimed = vec![];
    for claim in system.claims.iter().filter(|c| c.kind == ClaimKind::Casimir) {
        let array = &claim.quantity.array;
        for (k, value) in claim.quantity.value.expand()?.entries().into_iter().enumerate() {
            let name = array.element_name(&array.multi_index(k));
            if report.claims.iter().any(|c| c.name == name && is_one(c)) {
                claimed.push(value);
            }
        }
    }
    let sampler = Sampler::new(system, &phase.layout, work);
    let mut surface = KnownSurface::new(sampler, field, phase.len());
    poisson.casimirs = Some(casimirs::search(phase, &mut surface, phase.len() - rank, &claimed)?);
    Ok(())
}

/// Analyses a part of a system, where the factors chosen vanish.
fn part(system: &System, chosen: &[Expr], work: &Rc<Work>) -> Result<(Part, Option<Phase>), AnalysisError> {
    let mut report = blank(system);
    let mut field = Field::new(work.clone(), signs(system));
    let Some(canonical) = hamiltonian_form(system, &mut field, &mut report)? else {
        return Ok((Part { analysis: report, fork: None, surface: None }, None));
    };
    let Canonical { phase, hamiltonian, mut primaries, pivots, legendre } = canonical;
    let names = Names::new(system);
    let taken: Vec<String> = primaries.iter().flat_map(|p| [p.name.clone(), p.multiplier.clone()]).collect();
    for p in &mut primaries {
        let free = |wanted: &str| names.free(wanted, &taken);
        (p.name, p.multiplier) = (free(&p.name), free(&p.multiplier));
    }
    report.variables = phase.names.clone();
    let mut sampler = Sampler::new(system, &phase.layout, work.clone());
    if let Some(legendre) = legendre {
        sampler.draw_velocities(legendre)?;
    }
    let excluded = report.lagrangian.as_ref().and_then(|l| undefined(l, &mut field)).unwrap_or_default();
    let mut surface = KnownSurface::new(sampler, field, phase.len());
    surface.excluded = excluded;
    surface.chosen = chosen.to_vec();
    for p in &pivots {
        surface.assume_parameters(p);
    }
    report.hamiltonian = Some(hamiltonian.clone());
    if !phase.canonical {
        poisson::examine(&phase, &mut surface, &mut report)?;
    }
    let running = primaries.iter().find(|p| p.runs).map(|p| p.multiplier.clone());
    let primary = |name: String, expression: Expr, multiplier: String| Candidate {
        name,
        expression,
        generation: 1,
        multiplier: Some(multiplier),
    };
    let mut given: Vec<Candidate> =
        primaries.into_iter().map(|p| primary(p.name, p.expression, p.multiplier)).collect();
    for c in system.constraints.iter().filter(|c| c.kind != ConstraintKind::Vakonomic) {
        for (k, expression) in c.residual.expand()?.entries().into_iter().enumerate() {
            let at = c.array.multi_index(k);
            given.push(primary(c.array.element_name(&at), expression, c.multiplier.element_name(&at)));
        }
    }
    // An antisymmetric matrix with an odd number of rows is singular. Of a single constraint that says nothing new.
    let odd = (!phase.canonical && given.len() > 1 && given.len() % 2 == 1).then(|| {
        format!("the brackets of the {0} given constraints make a singular matrix, as {0} is odd", given.len())
    });
    let rank = report.poisson.as_ref().and_then(|p| p.rank);
    let mut dirac = Dirac::new(&phase, &mut surface, &hamiltonian, rank)?;
    dirac.running = running;
    dirac.has_orbit_parameter = system.orbit_parameter.is_some();
    let mut conclusion = Conclusion::default();
    let ended = run(&mut dirac, given, system, &mut conclusion)?;
    let fork = dirac.fork.take().filter(|_| ended == Progress::Stopped);
    conclusion.write(dirac, &mut report);
    if let Some(odd) = odd {
        report.stopped = report.stopped.take().map(|reason| format!("{reason}; {odd}"));
        report.say(odd, Outcome::Holds(Certainty::Proved));
    }
    report.consistent = match ended {
        Progress::Inconsistent => Some(false),
        Progress::Stopped => None,
        Progress::Open | Progress::Closed => Some(true),
    };
    report.assumptions.extend(std::mem::take(&mut surface.assumptions));
    let empty: BTreeSet<String> = surface.empty.iter().map(ToString::to_string).collect();
    for e in empty {
        report.say(format!("{e} = 0 has no points where the constraints hold"), Outcome::Holds(Certainty::Proved));
    }
    Ok((Part { analysis: report, fork, surface: Some(surface) }, Some(phase)))
}

/// Runs the algorithm and draws the conclusions, as far as it gets.
fn run(
    dirac: &mut Dirac<'_>,
    given: Vec<Candidate>,
    system: &System,
    out: &mut Conclusion,
) -> Result<Progress, AnalysisError> {
    let started = dirac.primaries(given)?;
    if started != Progress::Open {
        return Ok(started);
    }
    let ended = dirac.run()?;
    if ended != Progress::Closed {
        out.multipliers = dirac.multiplier_values();
        return Ok(ended);
    }
    if let Some((parts, _)) = dirac.surface.pieces()? {
        let parts: Vec<String> = parts.iter().map(|e| format!("{e} = 0")).collect();
        let parts = parts.join(" or ");
        dirac.journal.stop(format!("the surface of all constraints falls apart: {parts}; its parts were not analysed"));
        out.multipliers = dirac.multiplier_values();
        return Ok(Progress::Stopped);
    }
    let Some(mut classes) = dirac.classes()? else { return Ok(Progress::Stopped) };
    // It is about the theory: a gauge condition determines multipliers that the equations of motion leave arbitrary.
    let conjecture = dirac.conjecture(&classes)?;
    if !system.gauges.is_empty() {
        out.before_gauge = Some(classes.count);
        classes = match dirac.fix_gauge(system, &classes)? {
            Ok(classes) => classes,
            Err((progress, multipliers)) => {
                out.multipliers = multipliers;
                return Ok(progress);
            }
        };
    }
    dirac.closing_verdict();
    dirac.conclude(&classes, out);
    let Count { first, second } = classes.count;
    if first + second > 0 {
        let certainty = dirac.class_certainty(&classes)?;
        dirac.journal.say(format!("{first} first class, {second} second class"), Outcome::Holds(certainty));
    }
    out.degrees_of_freedom = dirac.degrees_of_freedom(&classes)?;
    if out.degrees_of_freedom.is_none() {
        dirac.journal.say("the number of degrees of freedom", Outcome::Undecided);
    }
    out.conjecture = conjecture;
    dirac.own_values(&classes)?;
    out.claims = dirac.claims(&system.claims)?;
    Ok(Progress::Closed)
}

/// Phase space, Hamiltonian and primary constraints; `None`, with the reason in the report, if there is
/// no Legendre transform. Where a gauge condition contains the parameter τ of the orbit, (τ, p_τ) and H + p_τ: then
/// {χ, H + p_τ} = {χ, H} + ∂χ/∂τ, and τ′ = 1.
fn hamiltonian_form(
    system: &System,
    field: &mut Field,
    report: &mut Analysis,
) -> Result<Option<Canonical>, AnalysisError> {
    let Some(mut found) = own_form(system, field, report)? else { return Ok(None) };
    if let Some(OrbitParameter { position, momentum }) = &system.orbit_parameter {
        let arrays = found.phase.layout.arrays();
        let (q, p) = arrays.split_at(arrays.len() / 2);
        let with = |own: &[Array], one: &Array| Layout::new(own.iter().chain([one]).cloned().collect());
        found.phase = Phase::canonical(&with(q, position), &with(p, momentum));
        found.hamiltonian = found.hamiltonian + Expr::at(momentum, vec![]);
        report.orbit_parameter = Some(position.name().to_owned());
    }
    Ok(Some(found))
}

/// The same without the parameter of the orbit.
fn own_form(system: &System, field: &mut Field, report: &mut Analysis) -> Result<Option<Canonical>, AnalysisError> {
    if let Some(lagrangian) = Lagrangian::new(system)? {
        report.added = lagrangian.added.clone();
        report.lagrangian = Some(lagrangian.value.clone());
        let done = match lagrangian.transform(system, field) {
            Ok(done) => done,
            Err(AnalysisError::Expression(e)) => {
                report.stop(format!("the Legendre transform could not be done: {e}"));
                return Ok(None);
            }
            Err(other) => return Err(other),
        };
        report.transform = done.transform;
        if done.degenerate {
            report.say("the velocity Hessian has this rank for the parameters of the model, too", Outcome::Fails);
        }
        return match done.canonical {
            Ok(canonical) => Ok(Some(canonical)),
            Err(reason) => {
                report.stop(reason);
                Ok(None)
            }
        };
    }
    let (phase, energy) = match &system.dynamics {
        Dynamics::Poisson { variables, bracket, hamiltonian, .. } => (Phase::general(variables, bracket)?, hamiltonian),
        Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } => {
            (Phase::canonical(coordinates, momenta), hamiltonian)
        }
        other => (Phase::canonical(other.variables(), other.variables()), other.energy()),
    };
    let hamiltonian: Expr = scalar(energy)?;
    Ok(Some(Canonical { phase, hamiltonian, primaries: vec![], pivots: vec![], legendre: None }))
}

/// The factors of the denominator of a Lagrangian, those without velocities.
fn undefined(lagrangian: &Expr, field: &mut Field) -> Option<Vec<Expr>> {
    let denominator = field.normal(lagrangian)?.denominator;
    let parts = factors(&denominator, &field.work()).unwrap_or_else(|| vec![(denominator, 1)]);
    let all = parts.into_iter().map(|(p, _)| field.sum(&p)).collect::<Option<Vec<Expr>>>()?;
    let moves = |e: &Expr| e.leaves().iter().any(|l| matches!(l.node(), Node::At(a, _) if a.role() == Role::Velocity));
    Some(all.into_iter().filter(|e| !moves(e)).collect())
}

/// The parameters whose signs the model states, one by one.
pub(crate) fn signs(system: &System) -> Vec<(Expr, Sign)> {
    let stated = system.parameters.iter().filter_map(|p| Some((&p.array, p.sign?)));
    stated.flat_map(|(a, sign)| (0..a.len()).map(move |k| (a.element(&a.multi_index(k)), sign))).collect()
}

fn blank(system: &System) -> Analysis {
    Analysis {
        name: system.name.clone(),
        title: system.title.clone(),
        kind: system.dynamics.kind(),
        variables: vec![],
        added: vec![],
        orbit_parameter: None,
        lagrangian: None,
        transform: None,
        hamiltonian: None,
        symbols: Symbols::new(&Names::new(system)),
        constraints: vec![],
        conditions: vec![],
        irregular: vec![],
        multipliers: vec![],
        count: None,
        before_gauge: None,
        gauge: vec![],
        conjecture: None,
        brackets: None,
        dirac_bracket: None,
        degrees_of_freedom: None,
        consistent: None,
        assumptions: vec![],
        poisson: None,
        claims: vec![],
        verdicts: vec![],
        stopped: None,
        branches: vec![],
    }
}
