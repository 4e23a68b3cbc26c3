//! Poisson systems with constraints: the formulations of Dirac's analysis, and the variables that they keep.

use crate::equations::Equations;
use crate::error::{PoseError, ProblemError};
use crate::instance::Instance;
use crate::model::{Model, Repairs};
use cotangent_analysis::{MotionError, constraints_within};
use cotangent_compile::values::{Setting, ValueError};
use cotangent_compile::{CompileError, Engine, Evaluator};
use cotangent_expr::{Expr, Layout, Place, Role, Tensor, Term};
use cotangent_model::Dynamics;
use cotangent_solve::{Pattern, dependent_rows};
use cotangent_theory::{Constraints, Formulation, TheoryError};
use std::sync::Arc;

/// A pivot below this part of the largest one is none.
const NO_PIVOT: f64 = 1e-12;

/// Rows closer to the span of the others than this, relative to their length, depend on them.
const DEPENDENT: f64 = 1e-9;

impl Model {
    /// Whether it has a bracket and constraints.
    pub(crate) fn has_constrained_bracket(&self) -> bool {
        matches!(self.system.dynamics, Dynamics::Poisson { .. }) && !self.system.constraints.is_empty()
    }

    /// A formulation of a constrained Poisson system. All of them start from the same data, on all constraints.
    pub(crate) fn on_bracket(
        self: &Arc<Self>,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Instance, PoseError> {
        let (system, limits) = (&self.system, &self.limits);
        let penalty = matches!(formulation, Formulation::Penalty { .. });
        let known = match constraints_within(system, limits) {
            Ok(known) => known,
            // Springs need no multipliers.
            Err(MotionError::FirstClass { .. } | MotionError::Undecided { .. }) if penalty => {
                return Ok(self.instance(formulation, set, repairs, engine)?);
            }
            Err(error) => return Err(error.into()),
        };
        known.fits(formulation).map_err(ProblemError::from)?;
        let mut motion = known.motion(system, limits).map_err(ProblemError::from)?;
        if formulation == Formulation::HamiltonDirac {
            motion.formulation = formulation;
        }
        let whole = self.on_its_own(motion, engine)?.instance(set, repairs)?;
        let parameters = whole.parameters.clone();
        let motion = match formulation {
            Formulation::DiracBracket | Formulation::HamiltonDirac => return Ok(whole),
            Formulation::Penalty { .. } => formulation.apply_within(system, limits),
            Formulation::IndexReduced => {
                let rows = self.determining(&known, &whole)?;
                known.index_reduced(system, &rows, limits)
            }
            _ => {
                let kept = self.kept(&known, &whole)?;
                if formulation == Formulation::ProjectedInverse {
                    self.require_inverse(&known, &whole)?;
                }
                known.reduced(system, formulation, (&kept, &whole.start), limits)
            }
        };
        let equations = self.on_its_own(motion.map_err(ProblemError::from)?, engine)?;
        Ok(equations.started(parameters, &whole)?)
    }

    fn on_its_own(
        self: &Arc<Self>,
        motion: cotangent_theory::Motion,
        engine: Engine,
    ) -> Result<Arc<Equations>, ProblemError> {
        Ok(Arc::new(self.compile(motion, engine)?))
    }

    /// Values of expressions at the start of an instance, row by row.
    fn at_start(&self, rows: &[Vec<Expr>], phase: &Layout, whole: &Instance) -> Result<Vec<Vec<f64>>, ProblemError> {
        let columns = rows.first().map_or(0, Vec::len);
        let over = |name: &str, len: usize| Layout::new(vec![array(name, len)]);
        let (over_rows, over_columns) = (over("row", rows.len()), over("column", columns));
        let mut terms = vec![];
        for (i, row) in rows.iter().enumerate() {
            for (j, e) in row.iter().enumerate().filter(|(_, e)| !e.is_zero()) {
                let at = [(&over_rows, i), (&over_columns, j)].map(|(layout, k)| Place {
                    array: layout.arrays()[0].clone(),
                    index: vec![cotangent_expr::Ix::constant(k as i64)],
                });
                terms.push(Term::plain(at.to_vec(), e.clone()));
            }
        }
        let tensor = Tensor::new(vec![over_rows, over_columns], terms).map_err(CompileError::from)?;
        let by = [phase, &self.system.parameter_layout()];
        let function = Evaluator::sparse(&tensor, &by, &self.limits)?;
        let given = &whole.parameters[..by[1].len().min(whole.parameters.len())];
        let values = function.call(&[&whole.start, given]).map_err(ValueError::from)?;
        let mut out = vec![vec![0.0; columns]; rows.len()];
        if let Some(pattern) = function.pattern() {
            for ((i, j), value) in pattern.addresses().zip(values) {
                out[i as usize][j as usize] = value;
            }
        }
        Ok(out)
    }

    /// The rows whose time derivatives determine the multipliers of the given constraints: the latest ones that do.
    fn determining(&self, known: &Constraints, whole: &Instance) -> Result<Vec<usize>, ProblemError> {
        let brackets = known.brackets_with_given()?;
        let values = self.at_start(&brackets, &known.phase.layout, whole)?;
        let wanted = values.first().map_or(0, Vec::len);
        // Those of later generations first.
        let mut order: Vec<usize> = (0..known.list.len()).collect();
        order.sort_by_key(|&k| std::cmp::Reverse(known.list[k].generation));
        let ordered: Vec<Vec<f64>> = order.iter().map(|&k| values[k].clone()).collect();
        let dependent = dependent(&ordered)?;
        let rows: Vec<usize> = (0..order.len()).filter(|k| !dependent.contains(k)).map(|k| order[k]).collect();
        match rows.len() == wanted {
            true => Ok(rows),
            false => Err(ProblemError::SingularBrackets { name: known.list[0].name.clone() }),
        }
    }

    /// The variables that are kept: those that `--chart` names, or those that leave the best pivots of ∂χ/∂u.
    fn kept(&self, known: &Constraints, whole: &Instance) -> Result<Vec<usize>, ProblemError> {
        let (n, m) = (known.phase.len(), known.list.len());
        let gradient = |c: &cotangent_theory::Classified| -> Result<Vec<Expr>, ProblemError> {
            let slopes = known.phase.gradient(&c.expression).map_err(CompileError::from)?;
            Ok((0..n).map(|k| slopes.get(&k).cloned().unwrap_or_else(Expr::zero)).collect())
        };
        let rows = known.list.iter().map(gradient).collect::<Result<Vec<_>, _>>()?;
        let values = self.at_start(&rows, &known.phase.layout, whole)?;
        let named = self.named(known)?;
        let free = |k: &usize| named.as_ref().is_none_or(|kept| !kept.contains(k));
        let solved = pivots(values, &(0..n).filter(free).collect::<Vec<_>>());
        if solved.len() < m {
            return Err(ProblemError::Unkept { left: names(&known.phase.names, named.as_deref()) });
        }
        Ok((0..n).filter(|k| !solved.contains(k)).collect())
    }

    /// The variables that `--chart` names.
    fn named(&self, known: &Constraints) -> Result<Option<Vec<usize>>, ProblemError> {
        let (names, wanted) = (&known.phase.names, known.phase.len() - known.list.len());
        let [chart] = &self.charts[..] else {
            return match self.charts.len() {
                0 => Ok(None),
                given => Err(ProblemError::Charts { given }),
            };
        };
        let position = |name: &String| {
            names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| ProblemError::UnknownVariable { name: name.clone(), known: names.clone() })
        };
        let mut kept = chart.iter().map(position).collect::<Result<Vec<_>, _>>()?;
        kept.sort_unstable();
        kept.dedup();
        match kept.len() == wanted {
            true => Ok(Some(kept)),
            false => Err(ProblemError::Keep { named: kept.len(), wanted }),
        }
    }

    fn require_inverse(&self, known: &Constraints, whole: &Instance) -> Result<(), ProblemError> {
        let n = known.phase.len();
        let row = |row: &cotangent_theory::phase::Sparse| -> Vec<Expr> {
            (0..n).map(|k| row.get(&k).cloned().unwrap_or_else(Expr::zero)).collect()
        };
        let rows: Vec<Vec<Expr>> = known.phase.bracket.iter().map(row).collect();
        let values = self.at_start(&rows, &known.phase.layout, whole)?;
        if dependent(&values)?.is_empty() {
            return Ok(());
        }
        let why =
            "its bracket has no inverse: it has Casimirs; `slaved`, `dirac-coordinates` and `dirac-bracket` need none";
        Err(TheoryError::Unfit { formulation: Formulation::ProjectedInverse.name(), why }.into())
    }
}

/// The rows of a full matrix that depend on earlier ones.
fn dependent(rows: &[Vec<f64>]) -> Result<Vec<usize>, ProblemError> {
    let unclear = |e: &dyn std::fmt::Display| ProblemError::from(CompileError::Native(e.to_string()));
    let pattern = Pattern::dense(rows.len(), rows.first().map_or(0, Vec::len)).map_err(|e| unclear(&e))?;
    let found = dependent_rows(&pattern, &rows.concat(), DEPENDENT).map_err(|e| unclear(&e))?;
    Ok(found.into_iter().map(|row| row.row).collect())
}

fn array(name: &str, len: usize) -> cotangent_expr::Array {
    cotangent_expr::Array::given(name, Role::Auxiliary, vec![cotangent_expr::Dim { first: 0, len }])
}

/// A row of length 1; one that vanishes stays what it is.
fn scaled(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return row.to_vec();
    }
    let unit: Vec<f64> = row.iter().map(|v| v / largest).collect();
    let length = unit.iter().map(|v| v * v).sum::<f64>().sqrt();
    unit.iter().map(|v| v / length).collect()
}

/// Columns that make a matrix with the largest pivots, one for each row that does not depend on others: Gaussian
/// elimination with complete pivoting of rows that have length 1.
fn pivots(mut rows: Vec<Vec<f64>>, columns: &[usize]) -> Vec<usize> {
    rows.iter_mut().for_each(|row| *row = scaled(row));
    let (mut taken, mut first) = (vec![], None);
    for k in 0..rows.len() {
        let candidates = (k..rows.len()).flat_map(|i| columns.iter().map(move |&j| (i, j)));
        let size = |&(i, j): &(usize, usize)| rows[i][j].abs();
        let best = candidates.filter(|&(_, j)| !taken.contains(&j)).max_by(|a, b| size(a).total_cmp(&size(b)));
        let Some((i, j)) = best else { break };
        let pivot = rows[i][j];
        let least = NO_PIVOT * *first.get_or_insert(pivot.abs());
        if pivot.abs() <= least || pivot.is_nan() {
            break;
        }
        rows.swap(k, i);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[j] / pivot;
            row.iter_mut().zip(&above[k]).for_each(|(x, y)| *x -= factor * y);
        }
        taken.push(j);
    }
    taken
}

/// The names of variables that are not kept.
fn names(all: &[String], kept: Option<&[usize]>) -> Vec<String> {
    let others = all.iter().enumerate().filter(|(k, _)| kept.is_none_or(|kept| !kept.contains(k)));
    others.map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::pivots;

    #[test]
    fn the_columns_with_the_largest_pivots_are_taken() {
        // x4 − x5 and 100(x4 + x5) + x1: x4 and x5, whatever the scale of a row.
        let rows = vec![vec![0.0, 1.0, -1.0], vec![1.0, 100.0, 100.0]];
        let mut found = pivots(rows, &[0, 1, 2]);
        found.sort_unstable();
        assert_eq!(found, [1, 2]);
        // Rows that depend on each other have one pivot.
        assert_eq!(pivots(vec![vec![1.0, 2.0], vec![2.0, 4.0]], &[0, 1]).len(), 1);
        // What is not offered is not taken.
        assert_eq!(pivots(vec![vec![1.0, 2.0]], &[0]), [0]);
    }
}
