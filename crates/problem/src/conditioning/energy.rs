//! The energy of what moves with a constraint.
//!
//! An energy that is quadratic in the momenta is ½ v·M v + U(q). Both are sums over the parts of a mechanism but for forces between
//! these, and in one step
//!
//! ```text
//! ΔE = Δ(½ v·M v) + ΔU
//! ```
//!
//! over the coordinates of one part is nothing but the error of the step, as its constraints do no work. In proportion to the kinetic
//! energy of that part it shows a leap which is nothing beside the energy of the others.

use super::face::{Face, Gradients};
use crate::callable::Callable;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_expr::{Layout, Tensor};
use cotangent_theory::{Motion, Structure};

/// Units in the last place of the terms of U that rounding may change.
const UNITS: f64 = 1000.0;

/// H, the sizes of its terms, H_p and H_pp at (q, p).
#[derive(Clone)]
pub(super) struct Energy {
    inputs: [Layout; 3],
    outputs: [Tensor; 4],
    /// Compiled when it is needed: most motions never come near a singular configuration.
    function: Option<Callable>,
    /// No momenta.
    none: Vec<f64>,
    point: Vec<f64>,
    velocities: Vec<f64>,
}

impl Energy {
    /// None where the energy is not quadratic in the momenta, or has the time among them.
    pub(super) fn new(motion: &Motion, s: &Structure) -> Result<Option<Energy>, CompileError> {
        let metric = s.hamiltonian_p.jacobian(&s.momenta)?;
        if metric.depends_on(&s.momenta) || motion.lapse.is_some() {
            return Ok(None);
        }
        let zeros = || vec![0.0; s.coordinates.len()];
        Ok(Some(Energy {
            inputs: [s.coordinates.clone(), s.momenta.clone(), motion.parameters()],
            outputs: [s.hamiltonian.clone(), s.hamiltonian.term_sizes()?, s.hamiltonian_p.clone(), metric],
            function: None,
            none: zeros(),
            point: zeros(),
            velocities: zeros(),
        }))
    }

    /// Whether there is a function now.
    fn is_compiled(&mut self) -> bool {
        if self.function.is_none() {
            let [h, sizes, velocities, metric] = &self.outputs;
            let builder = self.inputs.iter().fold(FunctionBuilder::new(), |builder, layout| builder.input(layout));
            let builder = builder.output(h).output(sizes).output(velocities).sparse_output(metric);
            self.function = builder.engine(Engine::Best).compile().ok().map(Callable::from);
        }
        self.function.is_some()
    }

    /// By how much a step changes the energy of what moves with the constraint, and the size of that energy; none where it is not
    /// known. The velocities are those of the faces.
    pub(super) fn gain(
        &mut self,
        gradients: &mut Gradients,
        [before, after]: [&Face; 2],
        [from, to]: [&[f64]; 2],
        parameters: &[f64],
    ) -> Result<Option<[f64; 2]>, CallError> {
        if !self.is_compiled() {
            return Ok(None);
        }
        let kinetic = [before, after].map(|face| face.kinetic);
        let (mut raised, mut rounding) = (0.0, 0.0f64);
        // The others where they were, and where they are now.
        for rest in [from, to] {
            for (own, sign) in [(from, -1.0), (to, 1.0)] {
                let [potential, size] = self.potential(gradients, [own, rest], parameters)?;
                raised += sign * potential / 2.0;
                rounding = rounding.max(UNITS * f64::EPSILON * size);
            }
        }
        let change = kinetic[1] - kinetic[0] + raised;
        let size = kinetic[0].max(kinetic[1]) + raised.abs() + rounding;
        Ok((change.is_finite() && size.is_finite()).then_some([change.abs() - rounding, size]))
    }

    /// U, and the size of its terms, where what moves with the constraint is at one state and all else at another.
    fn potential(
        &mut self,
        gradients: &mut Gradients,
        [own, rest]: [&[f64]; 2],
        parameters: &[f64],
    ) -> Result<[f64; 2], CallError> {
        for (j, q) in self.point.iter_mut().enumerate() {
            *q = if gradients.moves(j) { own[j] } else { rest[j] };
        }
        let (mut value, mut size) = ([0.0], [0.0]);
        let outputs: &mut [&mut [f64]] = &mut [&mut value, &mut size, &mut self.velocities, gradients.metric_values()];
        if let Some(function) = &mut self.function {
            function.call(&[&self.point, &self.none, parameters], outputs)?;
        }
        // In a magnetic field there are velocities without momenta.
        let drift = match self.velocities.iter().any(|v| *v != 0.0) && gradients.weigh() {
            true => gradients.weighed(&self.velocities, &self.velocities) / 2.0,
            false => 0.0,
        };
        Ok([value[0] - drift, size[0] + drift])
    }
}
