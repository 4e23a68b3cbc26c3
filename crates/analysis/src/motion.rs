//! From the analysis to equations of motion: the flow of H under the Dirac bracket.
//!
//! Where every constraint χ that the analysis found is second class, C_ab = {χ_a, χ_b} is invertible, and
//!
//! $$ \dot z = \{z, H\}^* = \{z, H\} - \{z, \chi_a\}\,x_a, \qquad C x = \{\chi, H\}, $$
//!
//! has all χ and H as strong integrals, whatever the bracket: {χ, H}* = {χ, H} − C x = 0 and
//! {H, H}* = {χ, H}·x = xᵀC x = 0. C x = {χ, H} is solved where the field is evaluated; nothing is inverted
//! by symbols. A constraint that is a Casimir moves nothing and is kept by itself.
//!
//! On the surface −x_a is the multiplier of χ_a in the total Hamiltonian, for a primary constraint; those of
//! the others vanish. q̇ is what the field says: the velocities of a singular Lagrangian are not functions
//! of its momenta, but they are functions of the state.

use crate::analyze::with_phase;
use crate::error::AnalysisError;
use crate::field::Field;
use crate::phase::{Phase, Sparse};
use crate::report::{Analysis, Class, Constraint, MultiplierValue, Outcome};
use cotangent_expr::{Array, Dim, Error, Expr, Ix, Layout, Node, Place, Role, Tensor, Term, solve};
use cotangent_model::{Claim, ConstraintKind, Dynamics, Quantity, System};
use cotangent_scalar::Limits;
use cotangent_theory::{Formulation, Law, Lift, Motion, Space, Surface, VectorField};

/// Why the analysis of a model leads to no equations of motion.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MotionError {
    /// The motion is not unique.
    #[error("the motion is not determined: {} first class{}", are(constraints), arbitrary(multipliers))]
    FirstClass {
        /// The first-class constraints.
        constraints: Vec<String>,
        /// The multipliers that nothing determines.
        multipliers: Vec<String>,
    },
    /// Gauge conditions that do more than to fix a gauge.
    #[error(
        "the gauge conditions `{}` restrict the motion itself: with them there are {found} second-class constraints, and \
         {expected} would fix the gauge", conditions.join("`, `")
    )]
    Overfixed {
        /// The conditions, and what follows from them.
        conditions: Vec<String>,
        /// The number of second-class constraints.
        found: usize,
        /// Those without the conditions, and two for each first-class one.
        expected: usize,
    },
    /// A constraint whose gradient vanishes where it does.
    #[error("`{constraint}` is irregular: the gradient of {expression} vanishes where it does")]
    Irregular {
        /// Its name.
        constraint: String,
        /// What vanishes.
        expression: String,
        /// Regular constraints with the same zeros.
        instead: Vec<String>,
    },
    /// Constraints that cannot be kept.
    #[error("the model is inconsistent: {verdict} does not hold")]
    Inconsistent {
        /// What would have to hold.
        verdict: String,
    },
    /// An analysis without an answer.
    #[error("the analysis is undecided: {reason}")]
    Undecided {
        /// Why.
        reason: String,
    },
    /// No analysis at all.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<Error> for MotionError {
    fn from(error: Error) -> MotionError {
        AnalysisError::from(error).into()
    }
}

fn are(names: &[String]) -> String {
    format!("`{}` {}", names.join("`, `"), if names.len() == 1 { "is" } else { "are" })
}

fn arbitrary(multipliers: &[String]) -> String {
    match multipliers {
        [] => String::new(),
        list => format!(", and {} arbitrary", are(list)),
    }
}

/// The Hamilton–Dirac equations of a model, from its analysis. The model in the result is Hamiltonian
/// (or Poisson), with the constraints found as its own.
pub fn motion(system: &System) -> Result<Motion, MotionError> {
    motion_within(system, &Limits::default())
}

/// The same within limits.
pub fn motion_within(system: &System, limits: &Limits) -> Result<Motion, MotionError> {
    let (report, phase) = with_phase(system, limits)?;
    let (Some(phase), Some(hamiltonian)) = (phase, report.hamiltonian.clone()) else {
        return Err(refusal(&report));
    };
    let kept = second_class(&report, &phase)?;
    Flow::new(&report, &phase, kept, &hamiltonian)?.motion(system, hamiltonian, limits)
}

/// Whether each constraint takes part in the bracket; Casimirs do not. Refuses what the analysis refuses.
fn second_class(report: &Analysis, phase: &Phase) -> Result<Vec<bool>, MotionError> {
    if report.stopped.is_some() || report.consistent != Some(true) || report.count.is_none() {
        return Err(refusal(report));
    }
    if let Some((constraint, old, new)) = report.irregular.first() {
        let (constraint, expression, instead) = (constraint.clone(), old.to_string(), new.clone());
        return Err(MotionError::Irregular { constraint, expression, instead });
    }
    let (mut kept, mut first) = (vec![], vec![]);
    for c in &report.constraints {
        let second = c.class == Some(Class::Second);
        if !second && !is_casimir(&c.expression, phase)? {
            first.push(c.name.clone());
        }
        kept.push(second);
    }
    let is_arbitrary = |value: &MultiplierValue| matches!(value, MultiplierValue::Arbitrary);
    let arbitrary = report.multipliers.iter().filter(|m| is_arbitrary(&m.value));
    let multipliers: Vec<String> = arbitrary.map(|m| m.name.clone()).collect();
    // What stays first class where every multiplier is determined is an integral of a motion that is unique.
    if first.is_empty() || multipliers.is_empty() && !report.multipliers.is_empty() {
        return overfixed(report).map_or(Ok(kept), Err);
    }
    Err(MotionError::FirstClass { constraints: first, multipliers })
}

/// A gauge condition makes one first-class constraint, and itself, second class.
fn overfixed(report: &Analysis) -> Option<MotionError> {
    let (before, after) = (report.before_gauge?, report.count?);
    let expected = before.second + 2 * before.first.saturating_sub(after.first);
    let conditions = report.constraints.iter().filter(|c| c.generation == 0).map(|c| c.name.clone());
    (after.second > expected).then(|| MotionError::Overfixed {
        conditions: conditions.collect(),
        found: after.second,
        expected,
    })
}

fn is_casimir(e: &Expr, phase: &Phase) -> Result<bool, MotionError> {
    let mut field = Field::default();
    Ok(phase.flow(&phase.gradient(e)?).values().all(|rate| field.simplified(rate).is_zero()))
}

fn refusal(report: &Analysis) -> MotionError {
    if report.consistent == Some(false) {
        let failed = report.verdicts.iter().find(|v| v.outcome == Outcome::Fails);
        let verdict = failed.map_or_else(|| "a consistency condition".to_owned(), |v| v.statement.clone());
        return MotionError::Inconsistent { verdict };
    }
    let open = report.verdicts.iter().find(|v| v.outcome == Outcome::Undecided).map(|v| v.statement.clone());
    let reason = report.stopped.clone().or(open).unwrap_or_else(|| "there is no Hamiltonian form".to_owned());
    MotionError::Undecided { reason }
}

/// The flow of H under the Dirac bracket, member by member.
struct Flow<'a> {
    report: &'a Analysis,
    phase: &'a Phase,
    /// Whether a constraint takes part in the bracket.
    kept: Vec<bool>,
    /// {χ_a, χ_b}
    brackets: Tensor,
    /// x
    multipliers: Option<Array>,
    /// ż
    rates: Vec<Expr>,
}

impl<'a> Flow<'a> {
    fn new(report: &'a Analysis, phase: &'a Phase, kept: Vec<bool>, energy: &Expr) -> Result<Flow<'a>, MotionError> {
        let free = phase.flow(&phase.gradient(energy)?);
        let second = || report.constraints.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(c, _)| c);
        let gradients: Vec<Sparse> = second().map(|c| phase.gradient(&c.expression)).collect::<Result<_, _>>()?;
        let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
        let arrays: Vec<Array> = second().map(named).collect();
        let layout = Layout::new(arrays.clone());
        let (mut matrix, mut right) = (vec![], vec![]);
        for (i, (a, gradient)) in arrays.iter().zip(&gradients).enumerate() {
            for (b, flow) in arrays.iter().zip(&flows).skip(i + 1) {
                let bracket = Phase::pair(gradient, flow);
                matrix.push(Term::plain(vec![scalar(b), scalar(a)], -&bracket));
                matrix.push(Term::plain(vec![scalar(a), scalar(b)], bracket));
            }
            right.push(Term::plain(vec![scalar(a)], Phase::pair(gradient, &free)));
        }
        let brackets = Tensor::new(vec![layout.clone(), layout.clone()], matrix)?;
        let multipliers = match arrays.is_empty() {
            true => None,
            false => Some(solve("dirac_multipliers", &brackets, &Tensor::new(vec![layout], right)?)?),
        };
        // A constraint on one variable alone: its rate is zero, and not only up to rounding.
        let constant = |k: usize| gradients.iter().any(|g| g.len() == 1 && g.contains_key(&k));
        let rate = |k: usize| {
            if constant(k) {
                return Expr::zero();
            }
            let pushes = flows.iter().enumerate().filter_map(|(a, flow)| {
                Some(-(flow.get(&k)? * Expr::at(multipliers.as_ref()?, vec![Ix::constant(a as i64)])))
            });
            Expr::sum(free.get(&k).cloned().into_iter().chain(pushes))
        };
        let rates = (0..phase.len()).map(rate).collect();
        Ok(Flow { report, phase, kept, brackets, multipliers, rates })
    }

    fn motion(self, system: &System, hamiltonian: Expr, limits: &Limits) -> Result<Motion, MotionError> {
        let state = self.phase.layout.clone();
        let mut terms = vec![];
        for array in state.arrays() {
            terms.extend(self.rate_of(array));
        }
        let field = VectorField { rate: Tensor::new(vec![state.clone()], terms)?, state: state.clone() };
        let system = self.hamiltonian_form(system, hamiltonian)?;
        let space = match self.report.constraints.is_empty() {
            true => Space::Whole,
            false => Space::Surface(Box::new(self.surface()?)),
        };
        Ok(Motion {
            system,
            formulation: Formulation::HamiltonDirac,
            state,
            space,
            law: Law::Field { field, canonical: false },
            lift: Lift::default(),
            numbers: Layout::default(),
            auxiliaries: vec![],
            limits: limits.clone(),
        })
    }

    /// ż for the members of one array.
    fn rate_of(&self, array: &Array) -> Vec<Term> {
        let offset = self.phase.layout.offset(array).unwrap_or_default();
        (0..array.len()).map(|k| Term::plain(vec![member(array, k)], self.rates[offset + k].clone())).collect()
    }

    fn surface(&self) -> Result<Surface, Error> {
        let (multipliers, values) = self.multipliers()?;
        let (given, found): (Vec<_>, Vec<_>) = self.report.constraints.iter().partition(|c| c.generation <= 1);
        let generations = given.iter().chain(&found).map(|c| c.generation).collect();
        let vector = |list: &[&Constraint]| {
            let layout = Layout::new(list.iter().map(|c| named(c)).collect());
            let term = |c: &&Constraint| Term::plain(vec![scalar(&named(c))], c.expression.clone());
            Tensor::new(vec![layout], list.iter().map(term).collect())
        };
        let (constraints, hidden) = (vector(&given)?, vector(&found)?);
        let directions = self.directions(constraints.shape()[0].then(&hidden.shape()[0]))?;
        Ok(Surface {
            constraints,
            hidden,
            generations,
            brackets: self.brackets.clone(),
            directions,
            multipliers,
            values,
        })
    }

    /// {z, χ} for each constraint.
    fn directions(&self, constraints: Layout) -> Result<Tensor, Error> {
        let mut terms = vec![];
        for c in &self.report.constraints {
            let gradient = self.phase.gradient(&c.expression)?;
            let flow = self.phase.flow(&gradient);
            // The gradient of a Casimir, which moves nothing.
            let direction = if c.class == Some(Class::Second) { flow } else { gradient };
            let entries = self.phase.layout.arrays().iter().flat_map(|a| (0..a.len()).map(move |k| member(a, k)));
            for (k, entry) in entries.enumerate() {
                terms.extend(direction.get(&k).map(|v| Term::plain(vec![entry, scalar(&named(c))], v.clone())));
            }
        }
        Tensor::new(vec![self.phase.layout.clone(), constraints], terms)
    }

    /// −x for the primary constraints, and their names.
    fn multipliers(&self) -> Result<(Layout, Option<Array>), Error> {
        let second = self.report.constraints.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        let (mut names, mut values) = (vec![], vec![]);
        for (a, (c, _)) in second.enumerate() {
            let own = self.report.multipliers.iter().find(|m| m.constraint == c.name);
            if let (Some(m), Some(x)) = (own, &self.multipliers) {
                names.push(Array::scalar(&m.name, Role::Multiplier));
                values.push(-Expr::at(x, vec![Ix::constant(a as i64)]));
            }
        }
        let dims = vec![Dim { first: 0, len: values.len() }];
        let array = match values.is_empty() {
            true => None,
            false => Some(Array::defined("multipliers", dims, Tensor::vector("multipliers", values)?)),
        };
        Ok((Layout::new(names), array))
    }

    /// The model on phase space: its energy, what was found as its constraints, and its quantities with
    /// velocities as functions of the state.
    fn hamiltonian_form(&self, system: &System, hamiltonian: Expr) -> Result<System, Error> {
        let hamiltonian = Tensor::scalar(hamiltonian)?;
        let dynamics = match &system.dynamics {
            Dynamics::Poisson { variables, bracket, .. } => {
                Dynamics::Poisson { variables: variables.clone(), bracket: bracket.clone(), hamiltonian }
            }
            _ => {
                let (q, p) = self.phase.layout.arrays().split_at(self.phase.layout.arrays().len() / 2);
                let (coordinates, momenta) = (Layout::new(q.to_vec()), Layout::new(p.to_vec()));
                Dynamics::Hamiltonian { coordinates, momenta, hamiltonian }
            }
        };
        let rewritten = |t: &Tensor| self.without_velocities(t);
        let quantity = |q: &Quantity| Ok(Quantity { array: q.array.clone(), value: rewritten(&q.value)? });
        let claim = |c: &Claim| Ok(Claim { kind: c.kind, quantity: quantity(&c.quantity)? });
        let constraints = self.report.constraints.iter().map(|c| self.constraint(c)).collect::<Result<_, Error>>()?;
        let observables = system.observables.iter().map(quantity).collect::<Result<_, Error>>()?;
        let claims = system.claims.iter().map(claim).collect::<Result<_, Error>>()?;
        let drawings = system.drawings.iter().map(|d| d.map(rewritten)).collect::<Result<_, Error>>()?;
        Ok(System { dynamics, constraints, gauges: vec![], observables, claims, drawings, ..system.clone() })
    }

    fn constraint(&self, c: &Constraint) -> Result<cotangent_model::Constraint, Error> {
        let array = named(c);
        let residual = Term::plain(vec![scalar(&array)], c.expression.clone());
        let own = self.report.multipliers.iter().find(|m| m.constraint == c.name).map(|m| m.name.clone());
        let multiplier = Array::scalar(&own.unwrap_or_else(|| format!("lambda_{}", c.name)), Role::Multiplier);
        let residual = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![residual])?;
        Ok(cotangent_model::Constraint { array, multiplier, residual, kind: ConstraintKind::PhaseSpace })
    }

    /// With each velocity replaced by the rate of its coordinate.
    fn without_velocities(&self, t: &Tensor) -> Result<Tensor, Error> {
        let velocity = |name: &str| {
            let coordinate = self.phase.layout.find(name.strip_suffix('\'')?)?;
            let values = Tensor::new(vec![Layout::new(vec![coordinate.clone()])], self.rate_of(coordinate)).ok()?;
            Some(Array::defined(name, coordinate.dims().to_vec(), values))
        };
        t.rewrite_deep(&mut |leaf| match leaf.node() {
            Node::At(a, index) if a.role() == Role::Velocity => Some(Expr::at(&velocity(a.name())?, index.clone())),
            _ => None,
        })
    }
}

/// A constraint's name as an array.
fn named(c: &Constraint) -> Array {
    Array::scalar(&c.name, Role::Auxiliary)
}

fn scalar(array: &Array) -> Place {
    Place { array: array.clone(), index: vec![] }
}

fn member(array: &Array, k: usize) -> Place {
    Place { array: array.clone(), index: array.multi_index(k).into_iter().map(Ix::constant).collect() }
}
