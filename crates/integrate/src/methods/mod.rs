//! The methods, one file each.

pub(crate) mod gauss;
pub(crate) mod lobatto;
pub(crate) mod rattle;
pub(crate) mod reich;
pub(crate) mod rk4;
pub(crate) mod symplectic_euler;
