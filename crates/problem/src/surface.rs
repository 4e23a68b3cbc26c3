//! A start on the constraint surface that an analysis found.
//!
//! A residual counts relative to the data ([`scale`](crate::scale)), with the largest position and the largest momentum
//! for their sizes. Data are moved by Gauss–Newton steps, each the smallest change with ∂χ/∂z·d = −χ.

use crate::consistency::Measured;
use crate::scale::{by_data, of_kind, relative};
use cotangent_compile::values::ValueError;
use cotangent_compile::{CompileError, Engine, Function, FunctionBuilder, Workspace};
use cotangent_expr::Layout;
use cotangent_solve::{Descended, Descent, Linearised, Pattern, gauss_newton};
use cotangent_theory::Motion;

/// A state to start from.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// Its values.
    pub values: Vec<f64>,
    /// Which of them may be moved first.
    pub freedom: Vec<Freedom>,
}

/// How free the constraints are to choose an initial value: the freest are moved first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Freedom {
    /// No data of the model: always what the constraints say.
    Determined,
    /// A variable that nobody gave and whose velocity the Lagrangian does not contain, or its momentum.
    Multiplier,
    /// A variable that nobody gave.
    Default,
    /// What somebody asked for.
    Given,
}

/// χ and ∂χ/∂z as functions of the state.
pub(crate) struct Residuals {
    f: Function,
    pattern: Pattern,
    names: Layout,
    /// Where the momenta begin.
    middle: usize,
}

/// The same for given parameters: measures states, and projects them onto χ = 0.
pub(crate) struct InitialConstraints<'a> {
    residuals: &'a Residuals,
    work: Workspace<f64>,
    parameters: &'a [f64],
}

/// Steps are taken until none helps: how near the surface is, the last of them says.
const DESCENT: Descent = Descent { steps: 100, enough: None, shortest: 1e-6, dependent: 1e-10 };
/// The last step, relative to the state, is no longer than this.
const NEAR: f64 = 1e-9;
/// Relative changes that are nothing but rounding.
const ROUNDING: f64 = 1e-13;

impl Residuals {
    /// Compiles the constraints of a motion; `None` if it has no surface.
    pub(crate) fn new(motion: &Motion) -> Result<Option<Residuals>, CompileError> {
        let Some(surface) = motion.surface() else { return Ok(None) };
        let all = surface.residuals()?;
        let f = FunctionBuilder::new()
            .input(&motion.state)
            .input(&motion.parameters())
            .output(&all)
            .sparse_output(&all.jacobian_within(&motion.state, &motion.limits)?)
            .engine(Engine::Tape)
            .within(&motion.limits)
            .compile()?;
        let Some(pattern) = f.pattern(1).cloned() else { return Ok(None) };
        let middle = motion.system.dynamics.momenta().map_or(motion.state.len(), |p| motion.state.len() - p.len());
        Ok(Some(Residuals { f, pattern, names: all.shape()[0].clone(), middle }))
    }

    /// With values of the parameters.
    pub(crate) fn with<'a>(&'a self, parameters: &'a [f64]) -> InitialConstraints<'a> {
        InitialConstraints { residuals: self, work: self.f.workspace(), parameters }
    }
}

impl InitialConstraints<'_> {
    /// χ and the rows of ∂χ/∂z.
    fn at(&mut self, z: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), ValueError> {
        let Residuals { f, pattern, names, .. } = self.residuals;
        let (mut values, mut slopes) = (vec![0.0; names.len()], vec![0.0; pattern.len()]);
        f.call(&[z, self.parameters], &mut [&mut values, &mut slopes], &mut self.work)?;
        let mut rows = vec![vec![0.0; z.len()]; values.len()];
        for ((i, j), slope) in pattern.addresses().zip(slopes) {
            rows[i as usize][j as usize] = slope;
        }
        Ok((values, rows))
    }

    /// The largest position for positions, the largest momentum for momenta; 1 where all vanish.
    fn sizes(&self, z: &[f64]) -> Vec<f64> {
        let middle = self.residuals.middle;
        let (q, p) = z.split_at(middle);
        let (of_q, of_p) = (of_kind(q), of_kind(p));
        (0..z.len()).map(|k| if k < middle { of_q } else { of_p }).collect()
    }

    fn scales(&self, rows: &[Vec<f64>], z: &[f64]) -> Vec<f64> {
        let sizes = self.sizes(z);
        rows.iter().map(|row| by_data(row, &sizes)).collect()
    }

    /// The size of the terms of each constraint at a state.
    pub(crate) fn scales_at(&mut self, z: &[f64]) -> Result<Vec<f64>, ValueError> {
        let (_, rows) = self.at(z)?;
        Ok(self.scales(&rows, z))
    }

    /// Every constraint at a state.
    pub(crate) fn measured(&mut self, z: &[f64]) -> Result<Vec<Measured>, ValueError> {
        let (values, rows) = self.at(z)?;
        let scales = self.scales(&rows, z);
        let one = |(k, (value, scale)): (usize, (f64, f64))| {
            let name = self.residuals.names.entry_name(k);
            Measured { name, is_rate: false, value, relative: relative(value, scale) }
        };
        Ok(values.into_iter().zip(scales).enumerate().map(one).collect())
    }

    /// A near state on the surface, with as little moved as is enough; `None` if none is found.
    pub(crate) fn project(&mut self, start: &Start, most: Freedom) -> Result<Option<Vec<f64>>, ValueError> {
        use Freedom::{Default, Determined, Given, Multiplier};
        for level in [Determined, Multiplier, Default, Given].into_iter().filter(|level| *level <= most) {
            let movable: Vec<bool> = start.freedom.iter().map(|freedom| *freedom <= level).collect();
            if movable.contains(&true)
                && let Some(reached) = self.descend(start.values.clone(), &movable)?
            {
                return Ok(Some(reached));
            }
        }
        Ok(None)
    }

    /// Gauss–Newton steps for as long as they help; `None` if they did not arrive.
    fn descend(&mut self, start: Vec<f64>, movable: &[bool]) -> Result<Option<Vec<f64>>, ValueError> {
        // What each residual is compared with is that of the start.
        let mut units: Option<Vec<f64>> = None;
        let equations = |z: &[f64]| {
            let (residual, mut rows) = self.at(z)?;
            let units = units.get_or_insert_with(|| self.scales(&rows, z));
            let relative = residual.iter().zip(units).map(|(v, s)| (v / if *s > 0.0 { *s } else { 1.0 }).powi(2));
            let size = relative.sum::<f64>();
            for row in &mut rows {
                row.iter_mut().zip(movable).filter(|(_, movable)| !**movable).for_each(|(slope, _)| *slope = 0.0);
            }
            Ok::<_, ValueError>(Linearised { residual, rows, size })
        };
        let Descended { x: z, change, .. } = gauss_newton(&DESCENT, start, equations)?;
        // Where a constraint has a double root its value is small long before the point is near it.
        let sizes = self.sizes(&z);
        let near = change.iter().zip(sizes).all(|(d, size)| d.abs() <= NEAR * size);
        Ok((near && self.measured(&z)?.iter().all(|m| m.relative <= ROUNDING)).then_some(z))
    }
}
