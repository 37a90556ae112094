use serde::{Deserialize, Serialize};

/// A change of the load while the run went on; one of the figures is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadChanged {
    /// From when it held, seconds since the run's start.
    pub at_s: f64,
    /// The scenario; absent: all whose load is of that kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Users of a closed load from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<u32>,
    /// Rate of an open load from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// What the rates of an open load were multiplied by from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_times: Option<f64>,
    /// So much later the load ended, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longer_s: Option<f64>,
}
