//! What is made of a program once before the run, for all threads: TLS configurations,
//! requests whose bytes never change.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plimsoll_access::Access;
use plimsoll_plan::limits::{DATA_BYTES, read_file};
use plimsoll_plan::program::Program;
use rustls::ClientConfig;

use crate::driver::tls::{self, TlsError};
use crate::protocols::http::fixed::{FixedRequest, fix};

/// What all threads share of a program; nothing here changes during a run.
pub struct PreparedProgram {
    tls: Vec<OnceLock<Result<Arc<ClientConfig>, String>>>,
    /// By request: its bytes, when they never change.
    pub fixed: Vec<Option<FixedRequest>>,
    files: Mutex<HashMap<PathBuf, Arc<[u8]>>>,
    access: Access,
}

impl PreparedProgram {
    /// Prepares a program.
    #[must_use]
    pub fn new(program: &Program, access: &Access) -> Arc<Self> {
        Arc::new(Self {
            tls: program.profiles.iter().map(|_| OnceLock::new()).collect(),
            fixed: program
                .requests
                .iter()
                .map(|request| fix(program, request))
                .collect(),
            files: Mutex::default(),
            access: access.clone(),
        })
    }

    /// The bytes of a file, read once.
    ///
    /// # Errors
    /// As the system says, and where the file may not be used.
    pub fn file(&self, path: &Path) -> io::Result<Arc<[u8]>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = files.get(path) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = read_file(self.access.open(path), DATA_BYTES)?.into();
        files.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// The TLS configuration of a profile, made at its first use.
    ///
    /// # Errors
    /// When its files are not what they should be.
    pub fn tls(&self, program: &Program, profile: u32) -> Result<Arc<ClientConfig>, String> {
        let make = || {
            let settings = &program.profiles[profile as usize].tls;
            tls::config(settings, &program.folder, &self.access)
                .map_err(|error: TlsError| error.to_string())
        };
        self.tls[profile as usize].get_or_init(make).clone()
    }
}
