//! `ResultSaver` (Save Responses to a file): a file for each body. The names are given on the
//! user's own thread, since variables and later listeners see them; the files are written on
//! the listeners' thread.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plimsoll_access::{Access, reason};
use plimsoll_text::Message;

use crate::context::{Context, Fault};
use crate::evaluated::Evaluated;
use crate::result::SampleResult;

use super::timestamp::{self, StampPattern};
use super::{Listener, Namer, SampleEvent, Surroundings, Wants, is_of_transaction};

/// How files are named; shared by all users.
struct SaverNames {
    prefix: String,
    variable: String,
    only_errors: bool,
    only_successes: bool,
    skips_number: bool,
    skips_suffix: bool,
    skips_transactions: bool,
    digits: usize,
    last: AtomicU64,
}

struct ResultSaver {
    names: Arc<SaverNames>,
    folder: PathBuf,
    access: Access,
    failed: Option<Message>,
}

/// Makes a saver from its element.
///
/// # Errors
/// None.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let name = element.text("FileSaver.filename");
    let base = surroundings
        .properties
        .get("jmeter.save.saveservice.base_prefix");
    let mut prefix = match name.starts_with(base.as_deref().unwrap_or("~/")) {
        true => surroundings.path(name).to_string_lossy().into_owned(),
        false => name.to_owned(),
    };
    // Sic: the property's name is misspelt in JMeter.
    if element.truth("FileSaver.addTimstamp", false) {
        let zone = timestamp::zone(surroundings.time_zone.as_deref());
        if let Some(pattern) = StampPattern::new("yyyyMMdd-HHmm_") {
            pattern.write(&mut prefix, surroundings.clock.unix_ms(), &zone);
        }
    }
    let names = SaverNames {
        prefix,
        variable: element.text("FileSaver.variablename").to_owned(),
        only_errors: element.truth("FileSaver.errorsonly", false),
        only_successes: element.truth("FileSaver.successonly", false),
        skips_number: element.truth("FileSaver.skipautonumber", false),
        skips_suffix: element.truth("FileSaver.skipsuffix", false),
        skips_transactions: element.truth("FileSaver.ignoreTC", true),
        digits: element
            .text("FileSaver.numberPadLen")
            .trim()
            .parse()
            .unwrap_or(0),
        last: AtomicU64::new(0),
    };
    Ok(Some(Box::new(ResultSaver {
        names: Arc::new(names),
        folder: surroundings.folder.clone(),
        access: surroundings.access.clone(),
        failed: None,
    })))
}

impl SaverNames {
    fn is_ignored(&self, result: &SampleResult) -> bool {
        (self.skips_transactions && is_of_transaction(result))
            || (result.success && self.only_errors)
            || (!result.success && self.only_successes)
    }

    fn file_name(&self, content_type: &str) -> String {
        let mut name = self.prefix.clone();
        if !self.skips_number {
            let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
            name += &format!("{number:0digits$}", digits = self.digits);
        }
        if !self.skips_suffix {
            name.push('.');
            name += suffix_of(content_type);
        }
        name
    }

    /// Names the files of a result and its parts; the first one's variable has no number.
    fn name_all(&self, cx: &mut dyn Context, result: &mut SampleResult, number: &mut usize) {
        let own = *number;
        *number += 1;
        if !self.is_ignored(result) {
            result.file_name = self.file_name(&result.content_type);
            if !self.variable.is_empty() {
                let variable = match own {
                    0 => self.variable.clone(),
                    _ => format!("{}{own}", self.variable),
                };
                cx.set(&variable, &result.file_name);
            }
        }
        for part in &mut result.parts {
            self.name_all(cx, part, number);
        }
    }
}

/// `html` of `text/html;charset=UTF-8`.
fn suffix_of(content_type: &str) -> &str {
    let Some((_, rest)) = content_type.split_once('/') else {
        return "unknown";
    };
    rest.split(';').next().unwrap_or(rest)
}

impl Namer for SaverNames {
    fn name(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        self.name_all(cx, sample, &mut 0);
        Ok(())
    }
}

impl ResultSaver {
    fn save(&mut self, result: &SampleResult) {
        // Another saver of the same sample may have renamed it: its name is not ours to use.
        let is_ours = result.file_name.starts_with(&self.names.prefix);
        if is_ours && !result.file_name.is_empty() && !self.names.is_ignored(result) {
            let path = self.folder.join(&result.file_name);
            if let Err(error) = write(&self.access, &path, &result.body) {
                self.failed.get_or_insert_with(|| {
                    Message::new("jmeter-listener-file-broken")
                        .with("path", path.display().to_string())
                        .with("reason", reason(&error))
                });
            }
        }
        for part in &result.parts {
            self.save(part);
        }
    }
}

fn write(access: &Access, path: &Path, body: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        access.create_folders(folder)?;
    }
    access.create(path)?.write_all(body)
}

impl Listener for ResultSaver {
    fn sample(&mut self, event: &SampleEvent) {
        self.save(&event.result);
    }

    fn end(self: Box<Self>) -> Vec<Message> {
        self.failed.into_iter().collect()
    }

    fn wants(&self) -> Wants {
        Wants {
            body: true,
            parts: true,
            ..Wants::default()
        }
    }

    fn namer(&self) -> Option<Arc<dyn Namer>> {
        Some(Arc::clone(&self.names) as Arc<dyn Namer>)
    }
}
