//! On what a run was computed.

use serde::{Deserialize, Serialize};

/// What the bits of a result may depend on besides the model, the method and the options.
///
/// Basic arithmetic gives the same bits everywhere. The elementary functions do not: they are those
/// of the system's library, which picks another variant on a processor with fused multiply-add.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Platform {
    /// The version of Cotangent.
    pub version: String,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The family of the C library where there are several, such as `gnu` or `musl`.
    pub environment: String,
    /// The family of processors, such as `x86_64`.
    pub arch: String,
    /// What of the processor the arithmetic may depend on, in alphabetical order; a caller adds what
    /// else matters (the engine that ran the steps).
    pub features: Vec<String>,
}

impl Platform {
    /// What this process runs on.
    pub fn current() -> Self {
        let environment = [("gnu", cfg!(target_env = "gnu")), ("musl", cfg!(target_env = "musl"))];
        let environment = environment.into_iter().chain([("msvc", cfg!(target_env = "msvc"))]);
        Platform {
            version: env!("CARGO_PKG_VERSION").into(),
            os: std::env::consts::OS.into(),
            environment: environment.filter(|(_, here)| *here).map(|(name, _)| name).collect(),
            arch: std::env::consts::ARCH.into(),
            features: features().into_iter().map(str::to_owned).collect(),
        }
    }

    /// What differs between the platform a run was on (`self`) and the one it goes on with; the bits
    /// of the results may differ then.
    pub fn difference(&self, other: &Platform) -> Option<String> {
        let listed = |features: &[String]| match features {
            [] => "none".to_owned(),
            some => some.join(" "),
        };
        let parts = [
            ("version", self.version.clone(), other.version.clone()),
            ("operating system", self.os.clone(), other.os.clone()),
            ("C library", self.environment.clone(), other.environment.clone()),
            ("processor", self.arch.clone(), other.arch.clone()),
            ("features", listed(&self.features), listed(&other.features)),
        ];
        let differing = parts.into_iter().filter(|(_, then, now)| then != now);
        let said: Vec<String> = differing.map(|(what, then, now)| format!("{what} {then}, now {now}")).collect();
        if said.is_empty() { None } else { Some(said.join("; ")) }
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    let all = [("avx2", has!("avx2")), ("avx512f", has!("avx512f")), ("fma", has!("fma"))];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

/// Every other processor we know has one set of instructions for `f64`.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_does_not_differ_from_itself_and_survives_json() {
        let here = Platform::current();
        let text = serde_json::to_string(&here).unwrap();
        let back: Platform = serde_json::from_str(&text).unwrap();
        assert_eq!(here.difference(&back), None);
        assert!(!here.version.is_empty() && !here.os.is_empty() && !here.arch.is_empty());
    }

    #[test]
    fn a_difference_names_what_was_and_what_is() {
        let then = Platform {
            version: "0.1.0".into(),
            os: "linux".into(),
            environment: "gnu".into(),
            arch: "x86_64".into(),
            features: vec!["avx2".into(), "fma".into()],
        };
        let now = Platform { version: "0.2.0".into(), features: Vec::new(), ..then.clone() };
        assert_eq!(then.difference(&now).unwrap(), "version 0.1.0, now 0.2.0; features avx2 fma, now none");
    }
}
