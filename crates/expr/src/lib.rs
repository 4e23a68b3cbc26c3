//! Cotangent expr.
