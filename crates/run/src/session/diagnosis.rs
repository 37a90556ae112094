//! What limits, said while the run goes on: a thread of its own reads what the run has stored so
//! far now and then, and tells when the result changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use plimsoll_diagnose::{Evidence, Layer, diagnose};
use plimsoll_store::Run;
use plimsoll_text::Message;

/// Measured seconds before the first look.
const FIRST_S: u64 = 10;
/// Seconds between two looks at least.
const LEAST_S: u64 = 10;
/// A look may cost this share of the time between two: a two-hundredth.
const COST: u32 = 200;

/// Diagnoses a run that goes on.
pub struct LiveDiagnosis {
    dir: PathBuf,
    next_s: u64,
    working: Option<Receiver<Looked>>,
    said: Option<String>,
}

struct Looked {
    /// What limits: a key that changes with it, and the sentence.
    limits: Option<(String, Message)>,
    took: Duration,
}

impl LiveDiagnosis {
    /// For a run in that folder that is measured from `warm_up_s` on; nothing for a run that is
    /// only in memory.
    #[must_use]
    pub fn new(dir: &Path, warm_up_s: u64) -> Option<Self> {
        (!dir.as_os_str().is_empty()).then(|| Self {
            dir: dir.to_owned(),
            next_s: warm_up_s + FIRST_S,
            working: None,
            said: None,
        })
    }

    /// A second of the load is over; gives what is to be said, if that is new.
    pub fn second(&mut self, second: u64) -> Option<Message> {
        if let Some(working) = &self.working {
            let looked = match working.try_recv() {
                Ok(looked) => looked,
                Err(TryRecvError::Empty) => return None,
                // The thread ended without a result: the run could not be read.
                Err(TryRecvError::Disconnected) => {
                    self.working = None;
                    return None;
                }
            };
            self.working = None;
            self.next_s = second + (looked.took * COST).as_secs().max(LEAST_S);
            return self.news(looked.limits);
        }
        if second >= self.next_s {
            self.next_s = second + LEAST_S;
            self.begin();
        }
        None
    }

    fn news(&mut self, limits: Option<(String, Message)>) -> Option<Message> {
        let (key, title) = limits?;
        if self.said.as_ref() == Some(&key) {
            return None;
        }
        self.said = Some(key);
        Some(Message::new("event-diagnosis").with("title", title))
    }

    fn begin(&mut self) {
        let (tell, working) = channel();
        let dir = self.dir.clone();
        let look = move || {
            let began = Instant::now();
            let limits = look(&dir);
            // The run may have ended meanwhile.
            let _ = tell.send(Looked {
                limits,
                took: began.elapsed(),
            });
        };
        let thread = std::thread::Builder::new().name("diagnosis".to_owned());
        self.working = thread.spawn(look).is_ok().then_some(working);
    }
}

fn look(dir: &Path) -> Option<(String, Message)> {
    let run = Run::open(dir).ok()?;
    let evidence = Evidence::of_run(&run).ok()?;
    let diagnosis = diagnose(&evidence);
    let first = diagnosis
        .findings
        .iter()
        .find(|finding| finding.layer != Layer::Hint)?;
    let key = format!("{} {} {}", first.id, first.object.kind, first.object.name);
    Some((key, first.text("")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<(String, Message)> {
        Some((name.to_owned(), Message::new(name.to_owned())))
    }

    #[test]
    fn the_same_finding_is_said_once() {
        let mut live = LiveDiagnosis::new(Path::new("anywhere"), 0).unwrap();
        assert!(live.news(None).is_none());
        assert!(live.news(found("lock")).is_some());
        assert!(live.news(found("lock")).is_none());
        assert!(live.news(found("cpu")).is_some());
        assert!(LiveDiagnosis::new(Path::new(""), 0).is_none());
    }
}
