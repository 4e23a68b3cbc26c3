//! Dirac's algorithm.
//!
//! With the total Hamiltonian H_T = H_c + Σ u_b φ_b over the primary constraints, every constraint χ has to
//! stay zero: {χ, H_c} + Σ u_b {χ, φ_b} ≈ 0. On the surface found so far each of these equations is fulfilled
//! by itself, cannot be fulfilled, determines a multiplier u, or is a new constraint. All conditions are
//! looked at again whenever the surface has become smaller, until nothing new is found.

use crate::algebra::Row;
use crate::error::AnalysisError;
use crate::journal::Journal;
use crate::parts::components;
use crate::report::{Certainty, ConditionOutcome, ConsistencyCondition, Outcome};
use crate::surface::{KnownSurface, Weak};
use cotangent_expr::{Array, Definition, Expr, Node, Role};
use cotangent_theory::phase::{Phase, Sparse};
use std::collections::{BTreeMap, BTreeSet};

/// A constraint with its derivatives.
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) expression: Expr,
    pub(crate) gradient: Sparse,
    /// {z, χ}
    pub(crate) flow: Sparse,
    pub(crate) generation: usize,
    /// The name of its multiplier, if it is a primary one.
    pub(crate) multiplier: Option<String>,
}

/// A constraint that may become one.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) expression: Expr,
    pub(crate) generation: usize,
    /// The name of its multiplier, if it is a primary one.
    pub(crate) multiplier: Option<String>,
}

/// How the algorithm went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// Go on.
    Open,
    /// Nothing new was found.
    Closed,
    /// A condition cannot be fulfilled.
    Inconsistent,
    /// There is a reason to stop, noted in the journal.
    Stopped,
}

/// The state of the algorithm. What it notes on its way is in the journal; the report is made of both at the end
/// (see `conclusion`).
pub(crate) struct Dirac<'a> {
    pub(crate) phase: &'a Phase,
    pub(crate) surface: &'a mut KnownSurface,
    pub(crate) journal: Journal,
    /// H_c.
    pub(crate) hamiltonian: Expr,
    /// The rank of the bracket of a Poisson model, if it is known.
    pub(crate) rank: Option<usize>,
    pub(crate) items: Vec<Item>,
    /// How many of the items are entered into the surface: a last one that is irregular is not.
    pub(crate) known: usize,
    /// Constraints that vanish with the items near the surface, but not on all that the items would leave.
    pub(crate) redundant: Vec<Item>,
    /// {z, H_c}
    pub(crate) motion: Sparse,
    /// The multipliers, in the order of the primary constraints, which are the first items.
    pub(crate) multipliers: Vec<Expr>,
    /// u_b + Σ row·u + row[last] = 0.
    pub(crate) solved: BTreeMap<usize, Row>,
    /// The multiplier that is the rate at which a path is run through, and cannot vanish.
    pub(crate) running: Option<String>,
    /// Whether the parameter of the orbit is one of the coordinates: it is no degree of freedom.
    pub(crate) has_orbit_parameter: bool,
    /// Determined, but not solved for.
    pub(crate) implicit: BTreeSet<usize>,
    /// The factors of a condition where the surface fell apart.
    pub(crate) fork: Option<Vec<Expr>>,
    /// Constraints whose conditions are in the journal.
    noted: BTreeSet<String>,
}

/// Later generations count as an algorithm that does not close.
const MAX_GENERATIONS: usize = 12;

/// Longer conditions are not written down.
const MAX_CONDITION: u64 = 400;

/// The gradient of H = p·v − L, where v may be a root of ∂L/∂v = p: then ∂H/∂v vanishes, and H is differentiated as
/// if v were constant.
pub(crate) fn energy_gradient(phase: &Phase, hamiltonian: &Expr) -> Result<Sparse, AnalysisError> {
    let root = |leaf: &Expr| match leaf.node() {
        Node::At(a, _) if matches!(a.definition(), Definition::Root { .. }) => Some(a.clone()),
        _ => None,
    };
    let Some(v) = hamiltonian.leaves().iter().find_map(root) else { return Ok(phase.gradient(hamiltonian)?) };
    let held = Array::given("held", Role::Auxiliary, v.dims().to_vec());
    let exchanged = |e: &Expr, from: &Array, to: &Array| {
        e.rewrite(&mut |leaf| match leaf.node() {
            Node::At(a, index) if a == from => Some(Expr::at(to, index.clone())),
            _ => None,
        })
    };
    let gradient = phase.gradient(&exchanged(hamiltonian, &v, &held))?;
    Ok(gradient.into_iter().map(|(k, slope)| (k, exchanged(&slope, &held, &v))).collect())
}

impl<'a> Dirac<'a> {
    /// The algorithm for a Hamiltonian, without constraints yet.
    pub(crate) fn new(
        phase: &'a Phase,
        surface: &'a mut KnownSurface,
        hamiltonian: &Expr,
        rank: Option<usize>,
    ) -> Result<Dirac<'a>, AnalysisError> {
        let motion = phase.flow(&energy_gradient(phase, hamiltonian)?);
        surface.sampler.stay_inside(motion.values().chain([hamiltonian]).cloned());
        Ok(Dirac {
            phase,
            surface,
            journal: Journal::default(),
            hamiltonian: hamiltonian.clone(),
            rank,
            items: vec![],
            known: 0,
            redundant: vec![],
            motion,
            multipliers: vec![],
            solved: BTreeMap::new(),
            running: None,
            has_orbit_parameter: false,
            implicit: BTreeSet::new(),
            fork: None,
            noted: BTreeSet::new(),
        })
    }

    /// Runs until nothing new is found.
    pub(crate) fn run(&mut self) -> Result<Progress, AnalysisError> {
        for _ in 0..MAX_GENERATIONS {
            let progress = self.round()?;
            // Conditions in the order of their constraints, not of the elimination.
            let place =
                |c: &ConsistencyCondition| self.items.iter().position(|i| i.name == c.constraint).unwrap_or(usize::MAX);
            self.journal.conditions.sort_by_key(place);
            if progress != Progress::Open {
                return Ok(progress);
            }
        }
        self.journal.stop(format!(
            "the algorithm does not close: {MAX_GENERATIONS} generations of constraints were found, and there are more"
        ));
        Ok(Progress::Stopped)
    }

    /// Looks at every consistency condition once.
    fn round(&mut self) -> Result<Progress, AnalysisError> {
        (self.solved, self.implicit) = (BTreeMap::new(), BTreeSet::new());
        let conditions = match self.conditions()? {
            Ok(conditions) => conditions,
            Err(progress) => return Ok(progress),
        };
        if let Some(instead) = self.at_rest(&conditions) {
            return self.new_constraints(vec![instead]);
        }
        let known = self.surface.assumptions.clone();
        let mut open: Vec<(usize, Expr)> = vec![];
        let work = self.surface.field.work();
        for part in components(&conditions, self.multipliers.len()) {
            work.check()?;
            match self.component(&part, &conditions)? {
                Some(rest) => open.extend(rest),
                None => return Ok(Progress::Stopped),
            }
        }
        open.sort_by_key(|o| o.0);
        // What multipliers were divided by may vanish on a smaller surface, where they are looked at again.
        let divided = std::mem::replace(&mut self.surface.assumptions, known);
        let progress = self.new_constraints(open)?;
        if progress == Progress::Closed {
            let assumptions = &mut self.surface.assumptions;
            let new: Vec<Expr> = divided.into_iter().filter(|e| !assumptions.contains(e)).collect();
            assumptions.extend(new);
        }
        Ok(progress)
    }

    /// A condition c u = 0 where u is the rate at which a path is run through, which cannot vanish: that of c = 0. Gauge
    /// conditions may bring the path to rest.
    fn at_rest(&mut self, conditions: &[Sparse]) -> Option<(usize, Expr)> {
        let column = self.multipliers.iter().position(|u| Some(u.to_string()) == self.running)?;
        let alone = |(i, row): (usize, &Sparse)| match row.len() {
            1 if self.items[i].generation > 0 => Some((i, row.get(&column)?.clone())),
            _ => None,
        };
        let found = conditions.iter().enumerate().find_map(alone)?;
        let u = self.multipliers[column].clone();
        if !self.journal.assumptions.contains(&u) {
            self.journal.assumptions.push(u);
        }
        Some(found)
    }

    /// {χ, φ_b} for each constraint and multiplier, and {χ, H_c} in the last place, those that are
    /// weakly zero left out.
    fn conditions(&mut self) -> Result<Result<Vec<Sparse>, Progress>, AnalysisError> {
        let columns = self.multipliers.len();
        let mut rows = vec![];
        let work = self.surface.field.work();
        for item in &self.items {
            work.check()?;
            let mut row = Sparse::new();
            for b in 0..columns {
                let e = Phase::pair(&item.gradient, &self.items[b].flow);
                if !e.is_zero() {
                    row.insert(b, e);
                }
            }
            row.insert(columns, Phase::pair(&item.gradient, &self.motion));
            rows.push(row);
        }
        let flat: Vec<Expr> = rows.iter().flat_map(|r| r.values().cloned()).collect();
        let mut verdicts = self.surface.decide(&flat)?.into_iter();
        for (row, item) in rows.iter_mut().zip(&self.items) {
            let mut undecided = false;
            row.retain(|_, _| {
                let weak = verdicts.next().unwrap_or(Weak::Undecided);
                undecided = undecided || weak == Weak::Undecided;
                !matches!(weak, Weak::Zero(_))
            });
            if undecided {
                let name = &item.name;
                self.journal.stop(format!(
                    "whether the brackets of `{name}` vanish on the constraint surface could not be decided: it is so at \
                     some points and not at others, or the surface has no regular points"
                ));
                return Ok(Err(Progress::Stopped));
            }
        }
        Ok(Ok(rows))
    }

    /// What is left of the conditions when multipliers are eliminated: identities, contradictions, new
    /// constraints.
    fn new_constraints(&mut self, open: Vec<(usize, Expr)>) -> Result<Progress, AnalysisError> {
        let rows: Vec<Sparse> = self.raw_conditions();
        let expressions: Vec<Expr> = open.iter().map(|o| o.1.clone()).collect();
        let verdicts = self.surface.decide(&expressions)?;
        let (mut found, mut apart): (Vec<(usize, Vec<Candidate>)>, bool) = (vec![], false);
        let work = self.surface.field.work();
        for ((i, e), weak) in open.into_iter().zip(verdicts) {
            work.check()?;
            match weak {
                Weak::Zero(certainty) => self.note(i, &rows, ConditionOutcome::Identity(certainty)),
                Weak::Never => {
                    self.note(i, &rows, ConditionOutcome::Contradiction);
                    return Ok(self.contradiction(i, &e));
                }
                Weak::Undecided => {
                    let name = &self.items[i].name;
                    self.journal.stop(format!("whether the time derivative of `{name}` vanishes could not be decided"));
                    return Ok(Progress::Stopped);
                }
                Weak::Nonzero => {
                    let item = &self.items[i];
                    let generation = if item.generation == 0 { 0 } else { item.generation + 1 };
                    let name = format!("{}'", item.name);
                    let candidate = Candidate { name, expression: e.clone(), generation, multiplier: None };
                    match self.take_apart(candidate) {
                        Ok(list) => found.push((i, list)),
                        Err(Progress::Inconsistent) => {
                            self.note(i, &rows, ConditionOutcome::Contradiction);
                            return Ok(self.contradiction(i, &e));
                        }
                        Err(_) => apart = true,
                    }
                }
            }
        }
        let names = |list: &[Candidate]| list.iter().map(|c| c.name.clone()).collect::<Vec<String>>();
        let led: Vec<(usize, Vec<String>)> = found.iter().map(|(i, list)| (*i, names(list))).collect();
        let candidates: Vec<Candidate> = found.into_iter().flat_map(|f| f.1).collect();
        let open = candidates.is_empty();
        // What falls apart may vanish with the new constraints: the next round will tell.
        let (first, later) = self.apart_with_others(candidates, false);
        let later = names(&later);
        for (i, names) in led.into_iter().filter(|l| l.1.iter().all(|n| !later.contains(n))) {
            self.note(i, &rows, ConditionOutcome::Constraint(names));
        }
        match (open, apart) {
            (true, true) => Ok(Progress::Stopped),
            (true, false) => Ok(Progress::Closed),
            (false, _) => {
                (self.journal.stopped, self.fork) = (None, None);
                self.accept(first)
            }
        }
    }

    fn contradiction(&mut self, i: usize, e: &Expr) -> Progress {
        let name = &self.items[i].name;
        let statement = format!("`{name}` stays zero: its time derivative is {e}, which cannot vanish");
        self.journal.say(statement, Outcome::Fails);
        Progress::Inconsistent
    }

    fn raw_conditions(&self) -> Vec<Sparse> {
        let columns = self.multipliers.len();
        let pair = |item: &Item, flow: &Sparse| Phase::pair(&item.gradient, flow);
        let row = |item: &Item| {
            let mut row: Sparse = (0..columns).map(|b| (b, pair(item, &self.items[b].flow))).collect();
            row.insert(columns, pair(item, &self.motion));
            row
        };
        self.items.iter().map(row).collect()
    }

    /// Notes the outcome of a condition, once.
    pub(crate) fn note(&mut self, i: usize, rows: &[Sparse], outcome: ConditionOutcome) {
        let name = self.items[i].name.clone();
        // What was a new constraint is an identity from then on.
        let again = !self.noted.insert(name.clone());
        if again && matches!(outcome, ConditionOutcome::Identity(_)) {
            return;
        }
        let last = self.multipliers.len();
        let terms = rows[i].iter().map(|(&b, e)| if b == last { e.clone() } else { &self.multipliers[b] * e });
        let terms: Vec<Expr> = terms.collect();
        let size: u64 = terms.iter().map(Expr::size).sum();
        let condition = (size <= MAX_CONDITION).then(|| Expr::sum(terms));
        self.journal.condition(name, condition, outcome, again);
    }

    /// How the identities of the last round are known.
    pub(crate) fn certainty(&self) -> Certainty {
        // Multipliers that are not solved for exist by a rank at points.
        let solved = match self.implicit.is_empty() {
            true => Certainty::Proved,
            false => Certainty::Sampled(self.surface.points.len()),
        };
        solved.and(self.journal.certainty())
    }

    /// The constraints of the surface.
    pub(crate) fn entered(&self) -> &[Item] {
        &self.items[..self.known]
    }
}
