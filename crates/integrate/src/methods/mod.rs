//! The methods, one file each.

pub(crate) mod average;
pub(crate) mod average_bracket;
pub(crate) mod bdf2;
pub(crate) mod embedded;
pub(crate) mod euler_poincare;
pub(crate) mod gauss;
pub(crate) mod isospectral;
pub(crate) mod lobatto;
pub(crate) mod radau;
pub(crate) mod rattle;
pub(crate) mod reich;
pub(crate) mod restrained;
pub(crate) mod rk4;
pub(crate) mod spherical;
pub(crate) mod splitting;
pub(crate) mod symplectic_euler;
