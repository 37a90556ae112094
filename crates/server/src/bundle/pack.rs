//! A run's folder into one file.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use plimsoll_store::Run;

use super::{BundleHead, FILES, FORM, HEAD};

/// A run's files, opened.
pub(crate) struct RunFiles {
    id: String,
    files: Vec<(&'static str, File, u64)>,
    /// As long as somebody reads the database, nobody takes its log in.
    _reader: Run,
}

impl RunFiles {
    /// Opens them: from now on it does not matter whether the run is thrown away.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn open(run: Run, id: &str) -> io::Result<Self> {
        let mut files = Vec::new();
        for name in FILES {
            match open(&run.dir().join(name)) {
                Ok((file, length)) => files.push((name, file, length)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            id: id.to_owned(),
            files,
            _reader: run,
        })
    }

    /// Writes them.
    ///
    /// # Errors
    /// The writer's, or what cannot be read any more.
    pub fn pack(self, to: impl Write) -> io::Result<()> {
        let mut tar = tar::Builder::new(GzEncoder::new(to, Compression::fast()));
        let head = serde_json::to_vec(&BundleHead {
            form: FORM,
            id: self.id,
        })?;
        let length = head.len() as u64;
        tar.append_data(&mut header(length), HEAD, head.as_slice())?;
        for (name, file, length) in self.files {
            // A file that became shorter is told, one that became longer is as it was.
            let mut file = file.take(length);
            tar.append_data(&mut header(length), name, &mut file)?;
            if file.limit() > 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        tar.into_inner()?.finish()?.flush()
    }
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    header
}
