//! Cotangent compile.
