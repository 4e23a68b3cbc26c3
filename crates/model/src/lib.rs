//! Cotangent model.
