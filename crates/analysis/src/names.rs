//! Names that the analysis makes, as phi_x and u_x of a primary constraint: none is that of something in the model.

use crate::report::Symbols;
use cotangent_model::System;
use std::collections::BTreeSet;

/// The names of a model.
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// Of all that has a name in a model.
    pub(crate) fn new(system: &System) -> Names {
        let dynamics = &system.dynamics;
        let layouts = [Some(dynamics.variables()), dynamics.momenta(), dynamics.velocities()].into_iter().flatten();
        let arrays = layouts.flat_map(|layout| layout.arrays().iter());
        let parameters = system.parameters.iter().map(|p| &p.array);
        let constraints = system.constraints.iter().flat_map(|c| [&c.array, &c.multiplier]);
        let gauges = system.gauges.iter().map(|g| &g.array);
        let orbit = system.orbit_parameter.iter().flat_map(|o| [&o.position, &o.momentum]);
        let all = arrays.chain(parameters).chain(constraints).chain(gauges).chain(orbit);
        Names(all.map(|a| a.name().to_owned()).collect())
    }

    /// A name that nothing in the model has, nor what else is to be named: the wanted one, or with a number behind it and
    /// before its indices.
    pub(crate) fn free(&self, wanted: &str, others: &[String]) -> String {
        let (name, indices) = stem(wanted);
        if !self.0.contains(name) {
            return wanted.to_owned();
        }
        let is_taken = |name: &str| self.0.contains(name) || others.iter().any(|other| stem(other).0 == name);
        let mut k = 2;
        while is_taken(&format!("{name}{k}")) {
            k += 1;
        }
        format!("{name}{k}{indices}")
    }
}

impl Symbols {
    /// Those that nothing in a model has.
    pub(crate) fn new(names: &Names) -> Symbols {
        let [lagrangian, hamiltonian, canonical, total] = ["L", "H", "H_c", "H_T"].map(|s| names.free(s, &[]));
        Symbols { lagrangian, hamiltonian, canonical, total }
    }
}

/// A name without indices, and these.
fn stem(name: &str) -> (&str, &str) {
    name.split_at(name.find('[').unwrap_or(name.len()))
}
