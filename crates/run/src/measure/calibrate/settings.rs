//! How a calibration is made.

/// What is loaded, and how.
#[derive(Debug, Clone)]
pub struct CalibrationSettings {
    /// A constant page, in place of the built-in one.
    pub url: Option<String>,
    /// Certificates are not checked.
    pub insecure: bool,
    /// The most users that are tried.
    pub users: u32,
    /// Connections are kept open.
    pub keep_alive: bool,
    /// Load threads; by default half of the CPUs where the built-in page needs the others.
    pub threads: Option<u32>,
    /// Seconds that each number of users is held.
    pub step_seconds: u32,
}
