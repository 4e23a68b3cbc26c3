//! Cotangent solve.
