//! Result files: opened once however many listeners name them, continued when they exist.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_access::{Access, reason};
use plimsoll_text::Message;

use crate::result::SampleResult;

use super::register::ListenerRegister;
use super::save_config::SaveConfig;
use super::{csv, xml};

/// The result files of a run, by their place.
pub(super) type Files = ListenerRegister<PathBuf, Mutex<ResultFile>>;

const XML_HEADER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
const XML_END: &str = "</testResults>";
/// A shorter file cannot be a finished one: header, `<testResults>`, end.
const XML_LEAST: u64 = (XML_HEADER.len() + "<testResults>".len() + XML_END.len()) as u64;
/// How far before its end a file is searched for the end mark (JMeter: ten bytes more than
/// the mark).
const XML_TAIL: u64 = XML_END.len() as u64 + 10;

/// A result file, open.
#[derive(Debug)]
pub(super) struct ResultFile {
    path: PathBuf,
    writer: BufWriter<File>,
    is_xml: bool,
    flush_each: bool,
    failed: Option<io::Error>,
    /// The last sample and the file names under which it was written. A sample is written
    /// once under each name: JMeter marks it.
    marked: Option<(Arc<SampleResult>, Vec<Arc<str>>)>,
}

/// Opens a file, or joins those who have it open.
pub(super) fn open(
    (files, access): (&Files, &Access),
    path: &Path,
    config: &SaveConfig,
    variables: &[String],
    flush_each: bool,
) -> Result<Arc<Mutex<ResultFile>>, Message> {
    let failed = |error: io::Error| {
        Message::new("jmeter-listener-file")
            .with("path", path.display().to_string())
            .with("reason", reason(&error))
    };
    let place = access.place(path).map_err(failed)?;
    files.get(place.clone(), || {
        let (file, goes_on) = open_file(access, &place, config.xml).map_err(failed)?;
        let mut file = ResultFile {
            path: place,
            writer: BufWriter::with_capacity(64 * 1024, file),
            is_xml: config.xml,
            flush_each,
            failed: None,
            marked: None,
        };
        if !goes_on {
            file.write(&start(config, variables));
        }
        Ok(Mutex::new(file))
    })
}

/// Opens a file, and says whether it goes on from what it holds. A CSV file is appended to
/// without a second header. An XML file is appended to when it is finished, after its end mark
/// is taken away, and begun anew otherwise.
fn open_file(access: &Access, path: &Path, is_xml: bool) -> io::Result<(File, bool)> {
    let exists = access.exists(path);
    if !is_xml {
        let file = access.append(path)?;
        alone(&file)?;
        return Ok((file, exists));
    }
    if exists {
        let mut file = access.change(path)?;
        alone(&file)?;
        if let Some(end) = end_mark(&mut file)? {
            file.set_len(end)?;
            file.seek(SeekFrom::End(0))?;
            return Ok((file, true));
        }
    }
    let file = access.create(path)?;
    alone(&file)?;
    Ok((file, false))
}

/// Refuses a file that another run is writing: two would mix their lines in it.
fn alone(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::ResourceBusy.into()),
        // Some file systems and all devices have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Where the end mark of a finished XML file begins.
fn end_mark(file: &mut File) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    if length < XML_LEAST {
        return Ok(None);
    }
    let from = length - XML_TAIL;
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.read_to_end(&mut tail)?;
    let found = tail
        .windows(XML_END.len())
        .position(|window| window == XML_END.as_bytes());
    Ok(found.map(|at| from + at as u64))
}

fn start(config: &SaveConfig, variables: &[String]) -> String {
    if config.xml {
        let mut text = format!("{XML_HEADER}\n");
        if !config.xml_pi.is_empty() {
            text.push_str(&config.xml_pi);
            text.push('\n');
        }
        text.push_str(xml::START);
        text
    } else if config.field_names {
        csv::header(config, variables)
    } else {
        String::new()
    }
}

impl ResultFile {
    /// Whether a sample was written under this name already; marks it.
    pub(super) fn mark(&mut self, sample: &Arc<SampleResult>, name: &Arc<str>) -> bool {
        let (last, names) = self
            .marked
            .get_or_insert_with(|| (Arc::clone(sample), Vec::new()));
        if !Arc::ptr_eq(last, sample) {
            *last = Arc::clone(sample);
            names.clear();
        }
        let is_marked = names.iter().any(|known| known == name);
        if !is_marked {
            names.push(Arc::clone(name));
        }
        is_marked
    }

    /// Writes; the first failure is remembered and told at the end.
    pub(super) fn write(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let mut written = self.writer.write_all(text.as_bytes());
        if self.flush_each {
            written = written.and_then(|()| self.writer.flush());
        }
        self.failed = written.err();
    }

    /// Puts what is written so far on disk's side.
    pub(super) fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.writer.flush().err();
        }
    }

    fn finish(mut self) -> Option<Message> {
        if self.is_xml {
            self.write(&format!("\n{XML_END}\n"));
        }
        self.flush();
        let error = self.failed?;
        Some(
            Message::new("jmeter-listener-file-broken")
                .with("path", self.path.display().to_string())
                .with("reason", error.to_string()),
        )
    }
}

/// One of those who have a file open is done; the last one finishes it.
pub(super) fn leave(file: Arc<Mutex<ResultFile>>) -> Option<Message> {
    let file = Arc::into_inner(file)?;
    file.into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .finish()
}
