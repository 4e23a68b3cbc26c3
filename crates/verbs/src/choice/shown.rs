//! How documents and checkpoints write a choice.

use super::{Choice, NONE};
use cotangent_compile::values::Setting;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// What documents say of a choice: what was integrated, and how.
#[derive(Serialize, Deserialize)]
struct Shown {
    method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stages: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tol: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compose: Option<String>,
    formulation: Option<String>,
    /// The lapse that was given; `lapse` in a document is how it was along the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given_lapse: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    opt: BTreeMap<String, f64>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    project_above: Option<f64>,
    step: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solver_tol: Option<f64>,
    #[serde(flatten)]
    common: Common,
}

/// What can be said of several combinations at once. What was not asked for is left out.
#[derive(Serialize, Deserialize)]
struct Common {
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "settings")]
    set: Vec<Setting>,
    /// Those that were named; `chart` in a document is the one in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    charts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stage_solver: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    project_initial: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    drop_redundant: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    allow_almost_poisson: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_false(value: &bool) -> bool {
    !value
}

impl Common {
    fn of(choice: &Choice) -> Common {
        Common {
            set: choice.set.clone(),
            charts: choice.chart.clone(),
            stage_solver: choice.stage_solver.clone(),
            project_initial: choice.project_initial,
            drop_redundant: choice.drop_redundant,
            allow_almost_poisson: choice.allow_almost_poisson,
        }
    }

    fn choice(self) -> Choice {
        Choice {
            set: self.set,
            chart: self.charts,
            stage_solver: self.stage_solver,
            project_initial: self.project_initial,
            drop_redundant: self.drop_redundant,
            allow_almost_poisson: self.allow_almost_poisson,
            ..Choice::default()
        }
    }
}

/// Writes what a document says.
pub(crate) fn serialize<S: Serializer>(choice: &Choice, serializer: S) -> Result<S::Ok, S::Error> {
    let common = Common::of(choice);
    let c = choice.clone();
    Shown {
        method: c.method,
        stages: c.stages,
        inner: c.inner,
        tol: c.tol.filter(|tol| *tol > 0.0),
        compose: c.compose.filter(|name| name != NONE),
        formulation: c.formulation,
        given_lapse: c.lapse,
        opt: c.opt.into_iter().collect(),
        project: c.project,
        project_above: c.project_above,
        step: c.step,
        solver_tol: c.solver_tol,
        common,
    }
    .serialize(serializer)
}

/// Reads it back.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Choice, D::Error> {
    let s = Shown::deserialize(deserializer)?;
    Ok(Choice {
        method: s.method,
        stages: s.stages,
        inner: s.inner,
        tol: s.tol,
        compose: s.compose,
        formulation: s.formulation,
        lapse: s.given_lapse,
        opt: s.opt.into_iter().collect(),
        project: s.project,
        project_above: s.project_above,
        step: s.step,
        solver_tol: s.solver_tol,
        ..s.common.choice()
    })
}

/// What all combinations of a comparison have in common.
pub(crate) mod common {
    use super::{Choice, Common, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(choice: &Choice, serializer: S) -> Result<S::Ok, S::Error> {
        Common::of(choice).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Choice, D::Error> {
        Ok(Common::deserialize(deserializer)?.choice())
    }
}

/// Values that are set.
pub(crate) mod settings {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use cotangent_compile::values::Setting;

    #[derive(Serialize, Deserialize)]
    struct Set {
        name: String,
        index: Option<Vec<i64>>,
        value: f64,
    }

    pub(crate) fn serialize<S: Serializer>(list: &[Setting], serializer: S) -> Result<S::Ok, S::Error> {
        let set = |s: &Setting| Set { name: s.name.clone(), index: s.index.clone(), value: s.value };
        serializer.collect_seq(list.iter().map(set))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Setting>, D::Error> {
        let list = Vec::<Set>::deserialize(deserializer)?;
        Ok(list.into_iter().map(|Set { name, index, value }| Setting { name, index, value }).collect())
    }
}
