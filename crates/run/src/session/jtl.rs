//! The sample log: every sample as JMeter's CSV has it. It is written out each second, so that a
//! killed run loses no more of it, and locked, so that two runs never share one file.

use std::fs::{File, TryLockError};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use plimsoll_load::LoggedSample;
use plimsoll_plan::model::Plan;
use plimsoll_report::jtl::{JtlContext, JtlWriter};
use plimsoll_stats::{LabelInfo, Sample};
use plimsoll_text::Message;

/// Writes samples to a JTL file until the disk fails.
pub struct SampleLog {
    path: PathBuf,
    writer: Option<JtlWriter<BufWriter<File>>>,
    scenarios: Vec<String>,
}

impl SampleLog {
    /// Opens the file for the samples of a plan; what an earlier run left in it is replaced.
    ///
    /// # Errors
    /// When it cannot be written, or another run is writing it.
    pub fn create(path: &Path, plan: &Plan) -> Result<Self, Message> {
        let file = alone(path)?;
        // Samples carry their own wall-clock start; the writer adds nothing to it.
        let writer = JtlWriter::new(BufWriter::new(file), 0)
            .map_err(|error| failed("run-file-failed", path, &error))?;
        let scenarios = plan.setup.iter().chain(&plan.scenarios);
        let scenarios = scenarios.chain(&plan.teardown);
        Ok(Self {
            path: path.to_owned(),
            writer: Some(writer),
            scenarios: scenarios.map(|scenario| scenario.name.clone()).collect(),
        })
    }

    /// Writes samples, to the disk's side: this is called once a second.
    ///
    /// # Errors
    /// At the first failure; from then on nothing is written.
    pub fn write(&mut self, samples: &[LoggedSample], labels: &[LabelInfo]) -> Result<(), Message> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        for logged in samples {
            let label = labels
                .get(logged.label.index())
                .map_or("", |info| info.name.as_str());
            let group = self
                .scenarios
                .get(logged.scenario as usize)
                .map_or("", String::as_str);
            let thread_name = format!("{group} {}-{}", logged.scenario + 1, logged.user + 1);
            let context = JtlContext {
                label,
                thread_name: &thread_name,
                data_type: if logged.text { "text" } else { "bin" },
                failure_message: &logged.failure,
                group_threads: u64::from(logged.group_users),
                all_threads: u64::from(logged.all_users),
                url: &logged.url,
            };
            if let Err(error) = writer.write(&sample_of(logged), &context) {
                self.writer = None;
                return Err(failed("event-jtl-failed", &self.path, &error));
            }
        }
        let written = writer.flush();
        written.map_err(|error| {
            self.writer = None;
            failed("event-jtl-failed", &self.path, &error)
        })
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(&mut self) -> Result<(), Message> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let finished = writer.finish().map(|_| ());
        finished.map_err(|error| failed("event-jtl-failed", &self.path, &error))
    }
}

/// The file, empty, for one run alone.
fn alone(path: &Path) -> Result<File, Message> {
    let cannot = |error: &std::io::Error| failed("run-file-failed", path, error);
    // Nothing is cut before it is clear that no other run writes here.
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| cannot(&error))?;
    // Where there are no locks (devices, some network file systems) nobody can be asked.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let message = Message::new("run-file-in-use");
        return Err(message.with("path", path.display().to_string()));
    }
    // A device or a pipe holds nothing.
    if file.metadata().is_ok_and(|known| known.is_file()) {
        file.set_len(0).map_err(|error| cannot(&error))?;
    }
    Ok(file)
}

/// The sample on a clock that begins with the Unix epoch.
fn sample_of(logged: &LoggedSample) -> Sample<'_> {
    let start_ns = logged.start_unix_ns;
    let first_byte_ns = if logged.latency_ns == 0 {
        0
    } else {
        start_ns + logged.latency_ns
    };
    Sample {
        label: logged.label,
        kind: logged.kind,
        parent: None,
        user: logged.user,
        iteration: logged.iteration,
        code: logged.code,
        message: &logged.message,
        error: logged.error,
        sent_bytes: logged.sent_bytes,
        received_bytes: logged.received_bytes,
        intended_ns: start_ns,
        ready_ns: 0,
        start_ns,
        dns_ns: 0,
        connect_ns: logged.connect_ns,
        tls_ns: 0,
        first_byte_ns,
        end_ns: start_ns + logged.service_ns,
        lag_ns: 0,
    }
}

fn failed(id: &str, path: &Path, error: &std::io::Error) -> Message {
    Message::new(id)
        .with("path", path.display().to_string())
        .with("reason", error.to_string())
}
