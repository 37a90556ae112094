//! Files: `__FileToString`, `__StringToFile`, `__StringFromFile`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use encoding_rs::Encoding;
use plimsoll_access::{Access, Refused};
use plimsoll_plan::limits::{InputError, TEXT_BYTES, read_file};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::Call;

use super::args::{count, save, text, trim, trimmed};
use super::decimal::DecimalPattern;
use super::keep::shared;
use crate::context::{Context, Fault};

/// What stands for a text that cannot be read.
const ERROR: &str = "**ERR**";

/// `__FileToString(path[, encoding[, variable]])`: a whole file; read at each use, since it
/// may change.
pub(super) fn file_to_string(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let path = text(call, 0, cx)?;
    let encoding = trimmed(call, 1, cx)?;
    let Some(encoding) = known_encoding(&encoding) else {
        return Err(Fault::new(format!(
            "java.nio.charset.UnsupportedCharsetException: {encoding}"
        )));
    };
    let read = read_file(cx.access().open(Path::new(&*path)), TEXT_BYTES);
    let value = match usable("__FileToString", read.map_err(io::Error::from))? {
        Ok(bytes) => encoding.decode_without_bom_handling(&bytes).0.into_owned(),
        Err(error) => {
            cx.log(&format!(
                "WARN __FileToString: could not read {path}: {error}"
            ));
            ERROR.to_owned()
        }
    };
    save(call, 2, &value, cx)?;
    Ok(value)
}

/// An encoding by its name; UTF-8 for none.
fn known_encoding(name: &str) -> Option<&'static Encoding> {
    if name.is_empty() {
        return Some(encoding_rs::UTF_8);
    }
    Encoding::for_label(name.as_bytes())
}

/// `__StringToFile(path, text[, append[, encoding]])`: whether the text was written. `\n` in
/// it begins a line.
pub(super) fn string_to_file(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let path = trimmed(call, 0, cx)?;
    let content = text(call, 1, cx)?.replace("\\n", "\n");
    let append = trimmed(call, 2, cx)?;
    let append = append.is_empty() || append.eq_ignore_ascii_case("true");
    let encoding = text(call, 3, cx)?;
    let written = match known_encoding(&encoding) {
        None => Err(format!("no encoding {encoding}")),
        Some(_) if path.is_empty() => Err("no file name".to_owned()),
        Some(encoding) => {
            let bytes = encode(&content, encoding);
            let written = write(cx.access(), Path::new(&*path), &bytes, append);
            usable("__StringToFile", written)?.map_err(|error| format!("{path}: {error}"))
        }
    };
    if let Err(why) = &written {
        cx.log(&format!("ERROR __StringToFile: {why}"));
    }
    Ok(written.is_ok().to_string())
}

fn encode(content: &str, encoding: &'static Encoding) -> Vec<u8> {
    // What the encoding cannot say is `?`, as in Java; UTF-16 comes with its mark.
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| content.encode_utf16().flat_map(bytes).collect();
    if encoding == encoding_rs::UTF_16LE {
        return utf_16(u16::to_le_bytes);
    }
    if encoding == encoding_rs::UTF_16BE {
        return utf_16(u16::to_be_bytes);
    }
    let (bytes, _, replaced) = encoding.encode(content);
    if !replaced {
        return bytes.into_owned();
    }
    let mut all = Vec::with_capacity(content.len());
    for character in content.chars() {
        let mut one = [0; 4];
        let (bytes, _, replaced) = encoding.encode(character.encode_utf8(&mut one));
        if replaced {
            all.push(b'?');
        } else {
            all.extend_from_slice(&bytes);
        }
    }
    all
}

/// Writes a file in one piece, one user after the other.
fn write(access: &Access, path: &Path, bytes: &[u8], append: bool) -> io::Result<()> {
    static LOCKS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let lock = {
        let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locks.entry(path.to_owned()).or_default())
    };
    let _locked = lock.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = match append {
        true => access.append(path)?,
        false => access.create(path)?,
    };
    file.write_all(bytes)
}

/// Lines of one file after the other, for all users of a call.
#[derive(Default)]
struct FileLines {
    reader: Option<BufReader<File>>,
    begun: bool,
    /// Lines given to users of this process.
    taken: u64,
    /// The number of the next file, once a first one was opened.
    next: Option<i32>,
    end: Option<i32>,
}

/// `__StringFromFile(path[, variable[, first number[, last number]]])`: the next line. At its
/// end a file begins anew, or the next one of a sequence is opened; at the end of the
/// sequence the user stops.
pub(super) fn string_from_file(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let lines = shared(cx, call.site, || Mutex::new(FileLines::default()));
    let value = {
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if !lines.begun {
            lines.open(call, cx)?;
            lines.begun = true;
        }
        for _ in 0..cx.thread().share.skipped_before(lines.taken) {
            lines.line(call, cx)?;
        }
        lines.taken += 1;
        lines.line(call, cx)?
    };
    if count(call) > 1 {
        save(call, 1, &value, cx)?;
    } else {
        cx.set("StringFromFile_", &value);
    }
    Ok(value)
}

impl FileLines {
    fn line(&mut self, call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
        if self.reader.is_none() {
            return self.nothing(cx);
        }
        if let Some(line) = self.read(cx) {
            return Ok(line);
        }
        self.open(call, cx)?;
        if self.reader.is_none() {
            return self.nothing(cx);
        }
        // An empty file has no line: Java writes what is not there as `null`.
        Ok(self.read(cx).unwrap_or_else(|| "null".to_owned()))
    }

    /// No file could be opened.
    fn nothing(&self, cx: &mut dyn Context) -> Result<String, Fault> {
        if self.end.is_some() {
            cx.ask(Action::StopUser);
            return Err(Fault::new(
                "org.apache.jorphan.util.JMeterStopThreadException: End of sequence",
            ));
        }
        Ok(ERROR.to_owned())
    }

    /// The next line; none at the end of the file.
    fn read(&mut self, cx: &mut dyn Context) -> Option<String> {
        let reader = self.reader.as_mut()?;
        match read_line(reader) {
            Ok(line) => line,
            Err(error) => {
                cx.log(&format!("ERROR __StringFromFile: {error}"));
                Some(ERROR.to_owned())
            }
        }
    }

    /// Opens the file, or the next one of the sequence.
    fn open(&mut self, call: &Call, cx: &mut dyn Context) -> Result<(), Fault> {
        self.reader = None;
        let mut path = text(call, 0, cx)?.into_owned();
        let start: Option<i32> = text(call, 2, cx)?.parse().ok();
        let current = *self.next.get_or_insert(start.unwrap_or(1));
        self.end = text(call, 3, cx)?.parse().ok();
        if count(call) > 2 {
            if self.end.is_some_and(|end| current > end) {
                return Ok(());
            }
            if start.is_some() {
                let pattern = DecimalPattern::new(&path);
                let pattern = pattern.map_err(|wrong| {
                    Fault::new(format!("java.lang.IllegalArgumentException: {wrong}"))
                })?;
                path = pattern.format(i64::from(current));
            }
            self.next = Some(current.wrapping_add(1));
        }
        match usable("__StringFromFile", cx.access().open(Path::new(&path)))? {
            Ok(file) => self.reader = Some(BufReader::new(file)),
            Err(error) => cx.log(&format!("ERROR __StringFromFile: {path}: {error}")),
        }
        Ok(())
    }
}

/// A line up to `\n`, `\r` or `\r\n`, as Java's readers take it; none at the end.
pub(super) fn read_line(reader: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        any = true;
        if line.len() > TEXT_BYTES {
            return Err(InputError::TooLong { limit: TEXT_BYTES }.into());
        }
        let Some(at) = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            line.extend_from_slice(buffer);
            let used = buffer.len();
            reader.consume(used);
            continue;
        };
        line.extend_from_slice(&buffer[..at]);
        let carriage_return = buffer[at] == b'\r';
        reader.consume(at + 1);
        if carriage_return && reader.fill_buf()?.first() == Some(&b'\n') {
            reader.consume(1);
        }
        break;
    }
    if !any {
        return Ok(None);
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "not UTF-8"))
}

/// A file that may not be used ends the work: JMeter's functions go on without what is only not
/// there.
pub(super) fn usable<T>(function: &str, result: io::Result<T>) -> Result<io::Result<T>, Fault> {
    match result.as_ref().err().and_then(Refused::of) {
        Some(refused) => Err(Fault::new(format!("{function}: {refused}"))),
        None => Ok(result),
    }
}

/// A file's path as JMeter resolves it where it does: relative to the plan's folder.
pub(super) fn resolved(path: &str, cx: &dyn Context) -> PathBuf {
    cx.thread().plan_folder.join(trim(path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::context::testing::TestContext;
    use crate::functions::testing::{call, run};

    #[test]
    fn a_whole_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, b"a\r\nb\xe9").unwrap();
        let path = path.to_str().unwrap();
        let mut cx = TestContext::with(&[]);
        assert_eq!(
            run("__FileToString", &[path, "ISO-8859-1", "v"], &mut cx),
            "a\r\nbé"
        );
        assert_eq!(&*cx.vars["v"], "a\r\nbé");
        assert_eq!(run("__FileToString", &["/no/such/file"], &mut cx), ERROR);
        assert_eq!(cx.logged.len(), 1);
    }

    #[test]
    fn a_text_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let name = path.to_str().unwrap();
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__StringToFile", &[name, r"one\n"], &mut cx), "true");
        assert_eq!(
            run("__StringToFile", &[name, "two", "", ""], &mut cx),
            "true"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo");
        assert_eq!(
            run(
                "__StringToFile",
                &[name, "é€", "false", "ISO-8859-1"],
                &mut cx
            ),
            "true"
        );
        // ISO-8859-1 is windows-1252 by the WHATWG's table: it has a euro sign.
        assert_eq!(std::fs::read(&path).unwrap()[0], 0xe9);
        assert_eq!(
            run("__StringToFile", &[name, "x", "true", "odd"], &mut cx),
            "false"
        );
        assert_eq!(run("__StringToFile", &["", "x"], &mut cx), "false");
        assert_eq!(
            run("__StringToFile", &["/no/such/folder/x", "x"], &mut cx),
            "false"
        );
        assert_eq!(cx.logged.len(), 3);
    }

    #[test]
    fn lines_come_one_after_the_other_and_begin_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one\r\ntwo\rthree").unwrap();
        let mut cx = TestContext::with(&[]);
        let lines = call("__StringFromFile", &[path.to_str().unwrap()]);
        for expected in ["one", "two", "three", "one"] {
            let line = crate::functions::call(&lines, &mut cx);
            assert_eq!(line.as_deref(), Ok(expected));
            assert_eq!(&*cx.vars["StringFromFile_"], expected);
        }
        assert_eq!(
            run("__StringFromFile", &["/no/such/file", "v"], &mut cx),
            ERROR
        );
        assert_eq!(&*cx.vars["v"], ERROR);
    }

    #[test]
    fn a_sequence_of_files_ends_the_user() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f01.x"), "a\n").unwrap();
        std::fs::write(folder.path().join("f02.x"), "b\nc\n").unwrap();
        // The folder is quoted: its name may hold digits and points.
        let pattern = format!("'{}/f'00'.x'", folder.path().display());
        let mut cx = TestContext::with(&[]);
        let lines = call("__StringFromFile", &[&pattern, "v", "1", "2"]);
        for expected in ["a", "b", "c"] {
            let line = crate::functions::call(&lines, &mut cx);
            assert_eq!(line.as_deref(), Ok(expected));
        }
        for _ in 0..2 {
            assert!(crate::functions::call(&lines, &mut cx).is_err());
            assert_eq!(cx.asked.take(), Some(Action::StopUser));
        }
    }
}
