//! The matrix C of the brackets of the constraints with each other, C_ab = {χ_a, χ_b}.

use crate::algebra::{Field, WORK, Work};
use crate::analyze::signs;
use crate::error::AnalysisError;
use crate::report::{Analysis, BracketMatrix, Invertibility};
use cotangent_compile::values::ValueError;
use cotangent_compile::{Engine, FunctionBuilder};
use cotangent_expr::{Expr, Layout, Tensor};
use cotangent_model::System;
use cotangent_scalar::Limits;
use cotangent_solve::singular_values;
use std::rc::Rc;

impl Analysis {
    /// With the entries of C as short as they get.
    pub fn simplify_brackets(&mut self, system: &System, limits: &Limits) -> Result<(), AnalysisError> {
        let Some(matrix) = &mut self.brackets else { return Ok(()) };
        let mut field = Field::new(Rc::new(Work::new(WORK, limits)), signs(system));
        for entry in &mut matrix.entries {
            limits.check()?;
            entry.2 = field.simplified(&entry.2);
        }
        matrix.entries.retain(|entry| !entry.2.is_zero());
        Ok(())
    }
}

impl BracketMatrix {
    /// The second-class block at a state and values of the parameters; `None` if there is none, or not a number in it.
    pub fn invertibility(
        &self,
        [state, parameters]: [(&Layout, &[f64]); 2],
    ) -> Result<Option<Invertibility>, AnalysisError> {
        let place = |i: &usize| self.second.iter().position(|s| s == i);
        let block: Vec<(usize, usize, &Expr)> =
            self.entries.iter().filter_map(|(i, j, e)| Some((place(i)?, place(j)?, e))).collect();
        let outputs = Tensor::vector("bracket", block.iter().map(|b| b.2.clone()).collect())?;
        let f = FunctionBuilder::new().input(state.0).input(parameters.0).output(&outputs);
        let f = f.engine(Engine::Tape).compile()?;
        let mut values = vec![0.0; block.len()];
        f.call(&[state.1, parameters.1], &mut [&mut values], &mut f.workspace()).map_err(ValueError::from)?;
        let n = self.second.len();
        let mut rows = vec![vec![0.0; n]; n];
        for ((i, j, _), value) in block.into_iter().zip(values) {
            rows[i][j] = value;
            rows[j][i] = -value;
        }
        if n == 0 || rows.iter().flatten().any(|x| !x.is_finite()) {
            return Ok(None);
        }
        let sigma = singular_values(&rows);
        let (largest, smallest) = (sigma.first().copied().unwrap_or(0.0), sigma.last().copied().unwrap_or(0.0));
        Ok(Some(Invertibility { determinant: sigma.iter().product(), condition: largest / smallest }))
    }
}
