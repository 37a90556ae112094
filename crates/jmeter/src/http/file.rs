//! Addresses of files (JMeter 5.6.3, `HTTPFileImpl`).

use plimsoll_plan::limits::{DATA_BYTES, read_file};
use std::path::{Path, PathBuf};

use super::body::Files;
use super::failure::HttpProblem;
use super::failure::not_found;
use super::result::{put_times, put_type};
use super::session::{SamplerSession, Shot};
use crate::sampled::Sampled;

/// Bytes of a file that are kept.
const MAX_BYTES: usize = 10 << 20;

impl SamplerSession<'_> {
    /// Whether this sampler reads files: its protocol says so.
    pub fn reads_files(&self) -> bool {
        let protocol = self.eval(|by| {
            self.sampler
                .settings
                .protocol
                .text(by)
                .map(|p| *p == *"file")
        });
        protocol.unwrap_or(false)
    }

    /// Reads a file as if it were a page.
    pub fn read(&self, shot: &Shot) -> Sampled {
        let mut sampled = self.begin(shot);
        // JMeter's label of a file; its parts are named after it.
        sampled.result.label = shot.target.url.to_string();
        let written = percent_encoding::percent_decode_str(&shot.target.url.path);
        let written = written.decode_utf8_lossy().into_owned();
        let opened = self
            .thread
            .jmeter
            .access
            .open(&self.found(Path::new(&written)));
        let contents = read_file(opened, DATA_BYTES).map_err(std::io::Error::from);
        sampled.times.end_ns = self.thread.clock.now_ns();
        let mut body = match contents {
            Ok(body) => body,
            Err(error) => {
                return self.fail(sampled, &not_found(&written, &error));
            }
        };
        put_times(&mut sampled, self.thread.clock);
        let result = &mut sampled.result;
        result.body_bytes = body.len() as u64;
        result.received_bytes = result.body_bytes;
        body.truncate(MAX_BYTES);
        result.body = body;
        result.ok();
        "GET".clone_into(&mut result.method);
        let encoding = self.eval(|by| {
            let encoding = self.sampler.settings.encoding.text(by)?;
            Ok::<_, HttpProblem>(encoding.into_owned())
        });
        let encoding = encoding.unwrap_or_default();
        let encoding = if encoding.is_empty() {
            "UTF-8"
        } else {
            &encoding
        };
        let content_type = format!("text/html; charset={encoding}");
        put_type(result, &content_type);
        result.content_type = content_type;
        sampled
    }

    /// The files that may be sent.
    pub(super) fn files(&self) -> Files<'_> {
        Files {
            folder: &self.thread.jmeter.plan_folder,
            access: &self.thread.jmeter.access,
        }
    }

    /// Where a file is: as written, or beside the plan.
    fn found(&self, path: &Path) -> PathBuf {
        let beside = self.thread.jmeter.plan_folder.join(path);
        let access = &self.thread.jmeter.access;
        if path.is_absolute() || (access.exists(path) && !access.exists(&beside)) {
            return path.to_owned();
        }
        beside
    }
}
