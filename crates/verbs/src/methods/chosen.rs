//! A method with its options, as results show it.

use crate::figures::{count, number};
use cotangent_integrate::{Composition, Method, Prepared};
use serde::Serialize;

/// A method with its options.
#[derive(Serialize)]
pub(crate) struct Chosen {
    pub(crate) method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tol: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compose: Option<&'static str>,
}

impl Chosen {
    /// What a run is made with.
    pub(crate) fn new(prepared: &Prepared) -> Chosen {
        let method = prepared.method();
        Chosen {
            method: method.name(),
            stages: method.stages(),
            inner: match method {
                Method::Reich { inner } => Some(inner.method().name()),
                _ => None,
            },
            tol: method.tolerance(),
            compose: prepared.composition().map(Composition::name),
        }
    }

    /// In words.
    pub(crate) fn described(&self) -> String {
        let mut text = self.method.to_owned();
        if let Some(stages) = self.stages {
            text += &format!(" with {}", count(stages, "stage", "stages"));
        }
        if let Some(inner) = self.inner {
            text += &format!(" around `{inner}`");
        }
        if let Some(tol) = self.tol {
            text += &format!(", tolerance {}", number(tol));
        }
        if let Some(compose) = self.compose {
            text += &format!(", composed by `{compose}`");
        }
        text
    }
}
