//! Cotangent scalar.
