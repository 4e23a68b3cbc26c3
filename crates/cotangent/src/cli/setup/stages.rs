//! Methods that come with any number of stages.

use cotangent::integrate::Method;

/// The number of stages, where it can be chosen.
pub(crate) fn stages(method: Method) -> Option<usize> {
    match method {
        Method::Gauss { stages } | Method::Lobatto3A3B { stages } => Some(stages),
        _ => None,
    }
}

/// The same method with another number of stages, where it can be chosen.
pub(super) fn with_stages(method: Method, stages: usize) -> Option<Method> {
    match method {
        Method::Gauss { .. } => Some(Method::Gauss { stages }),
        Method::Lobatto3A3B { .. } => Some(Method::Lobatto3A3B { stages }),
        _ => None,
    }
}
