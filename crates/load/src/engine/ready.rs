//! What is computed and read once before a run: values that are the same for all users, and
//! data files.

use crate::data::DataFiles;
use crate::functions::OnceValues;

/// What all threads begin with.
#[derive(Debug)]
pub struct Ready {
    /// Values that are the same for all users.
    pub once: OnceValues,
    /// Data files, read.
    pub data: DataFiles,
    /// Addresses and hosts that may be loaded, as far as only the run knows them.
    pub hosts: Vec<String>,
}
