//! What a component writes: of use while it may fail, and neither without an end nor beyond the study.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A log that is longer is cut down to its end.
const MOST_BYTES: u64 = 32 << 20;
/// So much of its end is kept then.
const KEPT_BYTES: u64 = 64 << 10;
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// The log of a component that was started. It is kept short while it grows, and goes when this does: it may hold what
/// the target prints of its secrets.
#[derive(Debug)]
pub struct TargetLog {
    path: PathBuf,
    is_over: Arc<AtomicBool>,
}

impl TargetLog {
    /// Looks after a log from now on.
    #[must_use]
    pub fn begin(path: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (until, of) = (Arc::clone(&is_over), path.to_owned());
        std::thread::spawn(move || {
            while !until.load(Ordering::SeqCst) {
                // One that cannot be cut is cut the next time.
                let _ = cut(&of);
                std::thread::sleep(LOOK);
            }
        });
        Self {
            path: path.to_owned(),
            is_over,
        }
    }
}

impl Drop for TargetLog {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Whoever still writes to it writes to a file without a name.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Cuts a log that is too long down to its end. Who appends to it goes on behind that.
fn cut(path: &Path) -> io::Result<()> {
    let mut file = File::options().read(true).append(true).open(path)?;
    let bytes = file.metadata()?.len();
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    file.seek(SeekFrom::Start(bytes - KEPT_BYTES))?;
    let mut end = Vec::new();
    io::Read::by_ref(&mut file)
        .take(KEPT_BYTES)
        .read_to_end(&mut end)?;
    file.set_len(0)?;
    file.write_all(&end)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_flood_does_not_fill_the_disk_and_its_end_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.log");
        std::fs::write(&path, b"").unwrap();
        let log = TargetLog::begin(&path);
        let out = File::options().append(true).open(&path).unwrap();
        let mut flood = Command::new("sh")
            .args(["-c", "yes | head -c 200000000; echo the end; read x"])
            .stdin(Stdio::piped())
            .stdout(out)
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let ends = |text: &[u8]| text.ends_with(b"the end\n");
        while Instant::now() < until {
            let is_short = std::fs::metadata(&path).unwrap().len() <= MOST_BYTES;
            if is_short && ends(&std::fs::read(&path).unwrap()) {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let text = std::fs::read(&path).unwrap();
        assert!(
            ends(&text) && text.len() as u64 <= MOST_BYTES,
            "{}",
            text.len()
        );
        drop(flood.stdin.take());
        flood.wait().unwrap();
        drop(log);
        assert!(!path.exists());
    }
}
