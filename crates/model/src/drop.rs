//! A system without some of its constraints.

use crate::system::{Constraint, System};
use cotangent_expr::{Array, Layout, Place, Role, Tensor, Term};

impl System {
    /// The system without the constraint members of these names (`rod`, `link[3]`). Members that stay
    /// of a family that loses some become constraints of their own, with the same names.
    pub fn without(&self, dropped: &[String]) -> Result<System, cotangent_expr::Error> {
        let mut constraints = vec![];
        for c in &self.constraints {
            let name = |k: usize| c.array.element_name(&c.array.multi_index(k));
            let staying: Vec<usize> = (0..c.array.len()).filter(|&k| !dropped.contains(&name(k))).collect();
            if staying.len() == c.array.len() {
                constraints.push(c.clone());
                continue;
            }
            let entries = c.residual.entries();
            for k in staying {
                let array = Array::scalar(&name(k), Role::Auxiliary);
                let multiplier = c.multiplier.element_name(&c.multiplier.multi_index(k));
                let multiplier = Array::scalar(&multiplier, Role::Multiplier);
                let place = Place { array: array.clone(), index: vec![] };
                let layout = Layout::new(vec![array.clone()]);
                let residual = Tensor::new(vec![layout], vec![Term::plain(vec![place], entries[k].clone())])?;
                constraints.push(Constraint { array, multiplier, residual, kind: c.kind });
            }
        }
        Ok(System { constraints, ..self.clone() })
    }
}
