//! A profile of a JVM's CPU that asks nothing of the JVM: the kernel samples what is on a CPU, and
//! the JVM's tables, read from outside, say which methods the stacks hold.
//!
//! Thread dumps cannot take its place where a CPU is short: they show threads where they wait for
//! one. It has less than a profiler in the JVM: no lines, and no calls that the compiler put into
//! their callers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::jvm::Jvm;
use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::jvm::target::JvmProcess;
use crate::hotspot::HotSpot;
use crate::perf::Samples;
use crate::proc::Pid;

/// How often samples are fetched: the kernel keeps those of some hundred milliseconds. Each time
/// there is little to do, since the load may be made by this process.
const FETCH_EVERY: Duration = Duration::from_millis(20);
/// The kernel's and the JVM's tables are read before, and the samples told of after.
const LIMIT: Duration = Duration::from_secs(10);

/// Samples the CPU time of a JVM for a few seconds.
pub(crate) struct CpuSamples {
    jvm: Rc<Jvm>,
    /// Opened as the load begins, where its cost is not measured.
    opened: Option<HotSpot>,
    /// Why there are none is told once: it will not change.
    refused: bool,
}

impl CpuSamples {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self {
            jvm,
            opened: None,
            refused: false,
        }
    }

    async fn at_moment(&mut self, moment: Moment) -> Result<Vec<Artifact>, Trouble> {
        if self.refused {
            return Ok(Vec::new());
        }
        let (process, entity) = self.jvm.process()?;
        let at_unix_ns = now_unix_ns();
        let known = self.opened.take().filter(|opened| opened.is_of(&process));
        let sampling = tokio::task::spawn_blocking(move || {
            let mut samples = begin(&process)?;
            let mut opened = known.map_or_else(|| open(&process), Ok)?;
            let text = match moment {
                Moment::Start => String::new(),
                _ => sample(&mut samples, &mut opened, process.pid),
            };
            Ok::<_, Trouble>((text, opened))
        });
        // Otherwise it was ended with the watcher.
        let Ok(sampled) = sampling.await else {
            return Ok(Vec::new());
        };
        let (text, opened) = sampled.inspect_err(|_| self.refused = true)?;
        self.opened = Some(opened);
        if text.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Artifact::text(
            entity,
            "cpu_samples",
            at_unix_ns,
            text,
        )])
    }
}

fn begin(process: &JvmProcess) -> Result<Samples, Trouble> {
    Samples::begin().map_err(|error| {
        Trouble::new(
            Message::new("watch-jvm-samples-refused")
                .with("pid", process.pid.to_string())
                .with("reason", error.to_string()),
        )
    })
}

fn open(process: &JvmProcess) -> Result<HotSpot, Trouble> {
    HotSpot::open(process).ok_or_else(|| {
        Trouble::new(Message::new("watch-jvm-samples-unknown").with("pid", process.pid.to_string()))
    })
}

/// Stacks with how often they were seen, a line each, outermost call first.
fn sample(samples: &mut Samples, jvm: &mut HotSpot, pid: Pid) -> String {
    jvm.forget();
    let mut counts: BTreeMap<Vec<Arc<str>>, u64> = BTreeMap::new();
    let until = Instant::now() + PROFILE_LASTS;
    let mut lost = 0;
    while Instant::now() < until {
        std::thread::sleep(FETCH_EVERY);
        lost += samples.each(|sample| {
            if sample.pid == pid {
                let calls = jvm.calls(sample.innermost, &sample.stack);
                *counts.entry(calls).or_default() += 1;
            }
        });
    }
    told(&counts, lost)
}

fn told(counts: &BTreeMap<Vec<Arc<str>>, u64>, lost: u64) -> String {
    let mut text = String::new();
    for (calls, count) in counts {
        let mut calls = calls.iter().rev();
        // The JVM's own threads: its collectors and compilers.
        text.push_str(calls.next().map_or("[jvm]", |outermost| outermost));
        for call in calls {
            text.push(';');
            text.push_str(call);
        }
        // Texts can always be written to.
        let _ = writeln!(text, " {count}");
    }
    if lost > 0 {
        let _ = writeln!(text, "[lost] {lost}");
    }
    text
}

impl Capture for CpuSamples {
    fn kind(&self) -> &'static str {
        "cpu_samples"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(
            moment,
            Moment::Start | Moment::Steady | Moment::Worst | Moment::Request
        )
    }

    fn is_aside(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.at_moment(asked.moment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_told_outermost_first() {
        let calls = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        let counts = BTreeMap::from([(calls(&["a/B.inner", "a/B.outer"]), 3), (calls(&[]), 2)]);
        assert_eq!(told(&counts, 0), "[jvm] 2\na/B.outer;a/B.inner 3\n");
        assert!(told(&counts, 5).ends_with("\n[lost] 5\n"));
    }
}
