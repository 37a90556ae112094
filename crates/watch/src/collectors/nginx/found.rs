//! What the processes tell of the logs.

use crate::proc::log_file::LogFile;

/// What one part finds out for another: where the logs are, and how they are written.
#[derive(Debug, Default)]
pub(super) struct NginxFound {
    pub(super) error_log: Option<LogFile>,
    pub(super) access_log: Option<LogFile>,
    pub(super) log_format: Option<String>,
}
