//! How constraints are taken up: taken apart, tested for independence, entered into the surface.

use crate::dirac::{Candidate, Dirac, Item, Progress};
use crate::error::AnalysisError;
use crate::rank::{Rank, agreed, dependents, rank};
use crate::regular::{Condition, denominators};
use crate::report::{Certainty, Outcome};
use crate::surface::{Known, Weak};
use cotangent_expr::{Array, Expr, Role};
use cotangent_scalar::Real;
use cotangent_theory::phase::Sparse;
use std::collections::VecDeque;

/// More new constraints are not compared with each other.
const MAX_TOGETHER: usize = 16;
/// How often constraints are looked at again where one of them was chosen from several.
const MAX_AGAIN: usize = 8;

/// What became of constraints that are given.
enum Taken {
    Done(Progress),
    /// They are to be taken up again, these in their place.
    Again(Vec<Candidate>),
}

impl Dirac<'_> {
    /// Takes up the primary constraints, each with its multiplier.
    pub(crate) fn primaries(&mut self, all: Vec<Candidate>) -> Result<Progress, AnalysisError> {
        // A part on which a constraint is not defined, as it is written, is none.
        self.surface.sampler.stay_inside(all.iter().map(|c| c.expression.clone()));
        if self.surface.is_symbolic() {
            let divided = all.iter().map(|c| &c.expression).chain([&self.hamiltonian]);
            let divided: Vec<Expr> = divided.flat_map(denominators).collect();
            self.surface.exclude(&divided);
        }
        let progress = self.given(all)?;
        for name in self.items.iter().filter_map(|item| item.multiplier.as_ref()) {
            self.multipliers.push(Expr::from(&Array::scalar(name, Role::Multiplier)));
        }
        Ok(progress)
    }

    /// Takes up constraints that are given: primary ones, gauge conditions.
    pub(crate) fn given(&mut self, all: Vec<Candidate>) -> Result<Progress, AnalysisError> {
        let (items, known, surface) = (self.items.len(), self.known, self.surface.known());
        let journal = self.journal.clone();
        let mut all = all;
        for _ in 0..MAX_AGAIN {
            let begun = all.clone();
            match self.given_once(all)? {
                Taken::Done(Progress::Open) => match self.part_of_pieces(&begun)? {
                    Ok(None) => return Ok(Progress::Open),
                    Ok(Some(chosen)) => all = [vec![chosen], begun].concat(),
                    Err(end) => return Ok(end),
                },
                Taken::Done(progress) => return Ok(progress),
                // What was chosen says more about those that were taken up before it: x y = z² is z² = 0 where y = 0.
                Taken::Again(again) => all = again,
            }
            self.items.truncate(items);
            self.known = known;
            self.surface.go_back(surface.clone());
            self.journal = journal.clone();
        }
        self.journal.stop("constraints that fall apart, each with the others, could not be ordered");
        Ok(Progress::Stopped)
    }

    /// Where the constraints that are known have several parts together: the factor that vanishes on the one that is
    /// meant, as a constraint of its own.
    fn part_of_pieces(&mut self, given: &[Candidate]) -> Result<Result<Option<Candidate>, Progress>, AnalysisError> {
        let Some((parts, complete)) = self.surface.pieces()? else { return Ok(Ok(None)) };
        if let Some(expression) = parts.iter().find(|e| self.surface.chosen.contains(e)) {
            let name = |k: usize| format!("part_{k}");
            let is_free = |k: &usize| given.iter().all(|c| c.name != name(*k));
            let name = name((1..).find(is_free).unwrap_or(0));
            // It comes with a multiplier where the others do.
            let first = given.first();
            let multiplier = first.and_then(|c| c.multiplier.as_ref()).map(|_| format!("lambda_{name}"));
            let generation = first.map_or(1, |c| c.generation);
            return Ok(Ok(Some(Candidate { name, expression: expression.clone(), generation, multiplier })));
        }
        let list: Vec<String> = parts.iter().map(|e| format!("{e} = 0")).collect();
        let others = if complete { "" } else { "; other parts are not excluded" };
        let list = list.join(" or ");
        self.journal
            .stop(format!("the constraint surface falls apart: {list}; each part is a system of its own{others}"));
        self.fork = Some(parts);
        Ok(Err(Progress::Stopped))
    }

    /// The same, or with which constraints to begin again.
    fn given_once(&mut self, all: Vec<Candidate>) -> Result<Taken, AnalysisError> {
        let before = self.surface.known();
        let (mut taken, mut apart) = (vec![], vec![]);
        for candidate in all {
            let kept = candidate.clone();
            match self.take_apart(candidate) {
                Ok(list) => taken.extend(list),
                Err(Progress::Stopped) => apart.push(kept),
                Err(progress) => return Ok(Taken::Done(progress)),
            }
        }
        (self.journal.stopped, self.fork) = (None, None);
        let (taken, later) = self.apart_with_others(taken, true);
        apart.extend(later);
        let entered = taken.clone();
        let mut progress = self.accept(taken)?;
        // What falls apart may vanish with the others, or in one way only.
        let mut apart = VecDeque::from(apart);
        while let Some(candidate) = apart.pop_front() {
            if progress != Progress::Open {
                return Ok(Taken::Done(progress));
            }
            match self.surface.decide(std::slice::from_ref(&candidate.expression))?[0] {
                Weak::Zero(certainty) => self.journal.dependent(&candidate.name, certainty),
                _ => {
                    let old = candidate.expression.clone();
                    let list = match self.take_apart(candidate) {
                        Ok(list) => list,
                        Err(end) => return Ok(Taken::Done(end)),
                    };
                    if list.iter().all(|c| c.expression != old) && self.is_other_with(&before, &list, &entered) {
                        return Ok(Taken::Again([list, entered, apart.into()].concat()));
                    }
                    progress = self.accept(list)?;
                }
            }
        }
        Ok(Taken::Done(progress))
    }

    /// Whether one of the constraints that were entered is irregular, or falls apart, where new ones hold.
    fn is_other_with(&mut self, before: &Known, new: &[Candidate], entered: &[Candidate]) -> bool {
        if !self.surface.is_symbolic() || entered.len() > MAX_TOGETHER {
            return false;
        }
        self.surface.for_the_moment(|surface| {
            surface.go_back(before.clone());
            new.iter().for_each(|c| surface.add(&c.expression));
            entered.iter().any(|c| surface.is_apart(&c.expression))
        })
    }

    /// Those constraints that fall apart, are irregular or cannot hold where the others do come second:
    /// x y + z eˣ = 0 or x² + z eˣ = 0 where z = 0. Of those that are given so do those that follow from the others.
    pub(crate) fn apart_with_others(&mut self, all: Vec<Candidate>, given: bool) -> (Vec<Candidate>, Vec<Candidate>) {
        if all.len() < 2 || all.len() > MAX_TOGETHER || !self.surface.is_symbolic() {
            return (all, vec![]);
        }
        // The simplest say what the others are where they hold.
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&k| all[k].expression.size());
        let apart: Vec<usize> = self.surface.for_the_moment(|surface| {
            let falls_apart = |k: &usize| {
                let expression = &all[*k].expression;
                let apart = surface.is_apart(expression) || given && surface.follows(expression);
                if !apart {
                    surface.add(expression);
                }
                apart
            };
            order.into_iter().filter(falls_apart).collect()
        });
        let (later, first): (Vec<_>, Vec<_>) = all.into_iter().enumerate().partition(|(k, _)| apart.contains(k));
        let plain = |list: Vec<(usize, Candidate)>| list.into_iter().map(|c| c.1).collect();
        (plain(first), plain(later))
    }

    /// The constraints that a condition asks for; an end where it asks for too much.
    pub(crate) fn take_apart(&mut self, c: Candidate) -> Result<Vec<Candidate>, Progress> {
        self.surface.unfactored = false;
        let condition = self.surface.condition(&c.expression);
        if self.surface.unfactored {
            self.journal.unfactored(&c.name);
        }
        match condition {
            Condition::Identity => {
                self.journal.dependent(&c.name, Certainty::Proved);
                Ok(vec![])
            }
            Condition::Contradiction => {
                let Candidate { name, expression, .. } = &c;
                if c.generation <= 1 {
                    self.journal.say(format!("`{name}` can vanish: {expression} = 0"), Outcome::Fails);
                }
                Err(Progress::Inconsistent)
            }
            Condition::Branches(all) => {
                let chosen = all.iter().find(|e| self.surface.chosen.contains(e));
                if let Some(expression) = chosen {
                    let part = Candidate { expression: expression.clone(), ..c };
                    return self.take_apart(part);
                }
                let parts: Vec<String> = all.iter().map(|e| format!("{e} = 0")).collect();
                let (name, parts) = (&c.name, parts.join(" or "));
                self.journal.stop(format!(
                    "the constraint surface falls apart at `{name}`: {parts}; each part is a system of its own"
                ));
                self.fork = Some(all);
                Err(Progress::Stopped)
            }
            Condition::Constraints { expressions, irregular, whole } => {
                let many = expressions.len() > 1;
                // One that is replaced by several has a number behind its name, and so has its multiplier.
                let name = |of: &str, k: usize| if many { format!("{of}_{}", k + 1) } else { of.to_owned() };
                let list: Vec<Candidate> = expressions
                    .into_iter()
                    .enumerate()
                    .map(|(k, e)| Candidate {
                        name: name(&c.name, k),
                        multiplier: c.multiplier.as_ref().map(|multiplier| name(multiplier, k)),
                        expression: match whole {
                            true if c.generation <= 1 => c.expression.clone(),
                            true => [e, self.surface.simplified(&c.expression)]
                                .into_iter()
                                .min_by_key(Expr::size)
                                .unwrap_or_else(|| c.expression.clone()),
                            false => e,
                        },
                        generation: c.generation,
                    })
                    .collect();
                if !irregular {
                    return Ok(list);
                }
                let new = list.iter().map(|c| c.expression.clone()).collect();
                let old = self.surface.simplified(&c.expression);
                if self.journal.irregular.iter().all(|r| r.0 != c.name) {
                    self.journal.irregular.push((c.name.clone(), old, new));
                }
                // What a square is made of may fall apart itself.
                let mut all = vec![];
                for part in list {
                    let taken = if part.expression == c.expression { Ok(vec![part]) } else { self.take_apart(part) };
                    if matches!(taken, Err(Progress::Inconsistent)) {
                        // Nothing takes its place: x² + k = 0 with k > 0.
                        self.journal.irregular.retain(|r| r.0 != c.name);
                    }
                    all.extend(taken?);
                }
                Ok(all)
            }
        }
    }

    /// Adds constraints to the surface: all at once if they are regular, else one by one.
    pub(crate) fn accept(&mut self, new: Vec<Candidate>) -> Result<Progress, AnalysisError> {
        let mut items = vec![];
        for c in new {
            let gradient = self.phase.gradient(&c.expression)?;
            let flow = self.phase.flow(&gradient);
            let Candidate { name, expression, generation, multiplier } = c;
            items.push(Item { name, expression, gradient, flow, generation, multiplier });
        }
        let known = self.items.len();
        self.items.extend(items);
        if self.resample()? > 0 && self.regular()? {
            self.enter(known);
            return Ok(Progress::Open);
        }
        let mut items = VecDeque::from(self.items.split_off(known));
        while let Some(item) = items.pop_front() {
            let found = self.resample()?;
            let weak = self.surface.decide(std::slice::from_ref(&item.expression))?[0];
            match weak {
                Weak::Zero(certainty) => {
                    self.journal.dependent(&item.name, certainty);
                    continue;
                }
                Weak::Never => {
                    let e = self.surface.simplified(&item.expression);
                    let name = &item.name;
                    self.journal.say(format!("`{name}` can vanish with the others: {e} = 0"), Outcome::Fails);
                    return Ok(Progress::Inconsistent);
                }
                Weak::Nonzero | Weak::Undecided => {}
            }
            let name = item.name.clone();
            self.items.push(item);
            let at = self.items.len() - 1;
            if self.resample()? == 0 || found == 0 {
                let refused = self.items.pop().map(|item| item.expression);
                if let Some(e) = refused.filter(|e| matches!(self.surface.condition(e), Condition::Contradiction)) {
                    self.journal.say(format!("`{name}` can vanish with the others: {e} = 0"), Outcome::Fails);
                    return Ok(Progress::Inconsistent);
                }
                self.journal.stop(format!(
                    "no point was found where `{name}` and the constraints before it vanish, and the motion is defined; they \
                     may contradict each other"
                ));
                return Ok(Progress::Stopped);
            }
            if self.regular()? {
                self.enter(at);
                continue;
            }
            if self.reducible(at, items.drain(..).collect())? {
                return Ok(Progress::Open);
            }
            let e = self.items[at].expression.clone();
            self.journal.irregular.push((name.clone(), e, vec![]));
            self.journal.stop(format!(
                "`{name}` is irregular: its gradient vanishes, or depends on that of the others, where it vanishes, and no \
                 regular constraint with the same zeros was found"
            ));
            return Ok(Progress::Stopped);
        }
        Ok(Progress::Open)
    }

    /// Takes up constraints of which some vanish where the others do, near the points where all of them do:
    /// y p_z − z p_y, z p_x − x p_z and x p_y − y p_x, say, where the first two alone have other zeros too.
    fn reducible(&mut self, from: usize, rest: Vec<Item>) -> Result<bool, AnalysisError> {
        self.items.extend(rest);
        if self.resample()? == 0 {
            self.items.truncate(from + 1);
            return Ok(false);
        }
        let gradients: Vec<Sparse> = self.items.iter().map(|i| i.gradient.clone()).collect();
        let all = self.surface.sampler.rows(&gradients, self.phase.len(), &self.surface.points)?;
        let known = dependents(&all[0]);
        let clear = Rank::Clear(self.items.len() - known.len());
        // A gradient that vanishes shows nothing: 1 − tanh x is rounded to zero with it, far from any point.
        let is_flat = |k: &usize| all.iter().any(|rows| rows[*k].iter().all(|x| x.value() == 0.0));
        if known.iter().any(|&k| k < from) || known.iter().any(is_flat) || all.iter().any(|rows| rank(rows) != clear) {
            self.items.truncate(from + 1);
            return Ok(false);
        }
        let (others, independent): (Vec<usize>, Vec<usize>) = (0..gradients.len()).partition(|k| known.contains(k));
        let of = |which: &[usize]| which.iter().map(|&k| self.items[k].expression.clone()).collect::<Vec<_>>();
        let slopes: Vec<Sparse> = independent.iter().map(|&k| gradients[k].clone()).collect();
        let near = self.surface.sampler.near(&self.surface.points, &of(&independent), &slopes)?;
        let values = self.surface.sampler.values(&of(&others), &near)?;
        if near.is_empty() || near.iter().any(|p| p.slow) || values.iter().flatten().any(|x| x.vanishes() != Some(true))
        {
            self.items.truncate(from + 1);
            return Ok(false);
        }
        let certainty = Certainty::Sampled(near.len());
        for (k, item) in std::mem::take(&mut self.items).into_iter().enumerate() {
            if independent.contains(&k) {
                self.items.push(item);
            } else {
                self.journal.dependent(&item.name, certainty);
                self.surface.add_dependent(&item.expression);
                self.redundant.push(item);
            }
        }
        self.resample()?;
        self.enter(from);
        Ok(true)
    }

    /// Enters the items from this one on into the surface.
    fn enter(&mut self, from: usize) {
        for item in &self.items[from..] {
            self.surface.add(&item.expression);
        }
        self.known = self.items.len();
    }

    fn resample(&mut self) -> Result<usize, AnalysisError> {
        let all = || self.items.iter().chain(&self.redundant);
        let expressions: Vec<Expr> = all().map(|i| i.expression.clone()).collect();
        let gradients: Vec<Sparse> = all().map(|i| i.gradient.clone()).collect();
        self.surface.resample(&expressions, &gradients)
    }

    /// Whether the gradients are independent on the surface. That of z² is as small there as the point is near.
    /// Points that leave it open are not kept.
    fn regular(&mut self) -> Result<bool, AnalysisError> {
        let gradients: Vec<Sparse> = self.items.iter().map(|i| i.gradient.clone()).collect();
        let all = self.surface.sampler.rows(&gradients, self.phase.len(), &self.surface.points)?;
        let slow = self.surface.points.iter().map(|p| p.slow);
        let ranks: Vec<Rank> =
            all.iter().zip(slow).map(|(rows, slow)| if slow { Rank::Unclear } else { rank(rows) }).collect();
        let regular = agreed(&ranks) == Some(self.items.len());
        if regular {
            let mut clear = ranks.iter().map(|r| *r != Rank::Unclear);
            self.surface.points.retain(|_| clear.next().unwrap_or(false));
        }
        Ok(regular)
    }
}
