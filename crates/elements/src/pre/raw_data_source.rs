//! `kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor` (jmeter-plugins-httpraw 0.1, by its bytecode): the next
//! chunk of a file in a variable. A chunk has its size in a line before it, which may say more behind the size.
//! The threads of a group share the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use plimsoll_access::Refused;
use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::SiteId;

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::leaf::{Bound, PreProcessor};

/// Longest line with a size, bytes: the plugin's buffer.
const LONGEST_LINE: usize = 1024;

struct RawDataSource {
    file: Field,
    variable: Field,
    rewinds: Field,
    hex: Field,
    site: SiteId,
}

/// The file, once it was opened.
#[derive(Default)]
struct OpenedSource {
    file: Option<ChunkFile>,
    taken: u64,
}

/// Why there is no chunk.
#[derive(Debug)]
enum NoChunk {
    /// The file is at its end, or says so by a chunk of no bytes.
    End,
    /// What stands there is no chunk.
    Broken(String),
}

impl From<io::Error> for NoChunk {
    fn from(error: io::Error) -> Self {
        Self::Broken(format!("java.io.IOException: {error}"))
    }
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Pre(Box::new(RawDataSource {
        file: fields.field("filename"),
        variable: fields.field("variable_name"),
        rewinds: fields.field("rewind"),
        hex: fields.field("isHex"),
        site: fields.0.site,
    }))
}

impl PreProcessor for RawDataSource {
    fn process(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        let name = self.file.text(cx)?.into_owned();
        let variable = self.variable.text(cx)?.into_owned();
        let rewinds = self.rewinds.truth(cx, false)?;
        let hex = self.hex.truth(cx, false)?;
        let source = keep::shared(cx, self.site, Mutex::<OpenedSource>::default);
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let OpenedSource { file, taken } = &mut *source;
        let file = match file {
            Some(file) => file,
            None => match open(&name, cx)? {
                Some(opened) => file.insert(opened),
                None => return Ok(()),
            },
        };
        // Of a file for all each share of the load takes its own places.
        let skipped = cx.thread().share.skipped_before(*taken);
        let mut chunk = file.next_or_first(rewinds);
        for _ in 0..skipped {
            if !matches!(chunk, Err(NoChunk::End)) {
                chunk = file.next_or_first(rewinds);
            }
        }
        *taken = taken.saturating_add(1);
        match chunk {
            Ok(chunk) => {
                cx.set(&variable, &shown(&chunk, hex));
                Ok(())
            }
            Err(NoChunk::Broken(why)) => {
                Err(Fault::new(format!("Error reading next chunk: {why}")))
            }
            Err(NoChunk::End) => {
                cx.ask(Action::StopUser);
                Err(Fault::new(format!("End of file reached: {name}")))
            }
        }
    }

    fn throws(&self) -> bool {
        true
    }
}

/// The file; none, which is logged, when it is not there.
fn open(name: &str, cx: &mut dyn Context) -> Result<Option<ChunkFile>, Fault> {
    let opened =
        cx.access()
            .open(Path::new(name))
            .and_then(|file| match file.metadata()?.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(file),
            });
    match opened {
        Ok(file) => Ok(Some(ChunkFile(BufReader::new(file)))),
        Err(error) => match Refused::of(&error) {
            Some(refused) => Err(Fault::new(refused.to_string())),
            None => {
                cx.log(&format!("ERROR {name}: {error}"));
                Ok(None)
            }
        },
    }
}

/// A chunk as the variable has it.
fn shown(chunk: &[u8], hex: bool) -> String {
    match hex {
        true => chunk.iter().map(|byte| format!("{byte:02x}")).collect(),
        false => String::from_utf8_lossy(chunk).into_owned(),
    }
}

/// A file of chunks.
struct ChunkFile(BufReader<File>);

impl ChunkFile {
    /// The next chunk, at the end the first one if that is wanted. Where there is none the plugin looks again
    /// without an end, until Java's stack is full and the thread with it.
    fn next_or_first(&mut self, rewinds: bool) -> Result<Vec<u8>, NoChunk> {
        match self.next() {
            Err(NoChunk::End) if rewinds => {
                self.0.seek(SeekFrom::Start(0))?;
                self.next()
            }
            chunk => chunk,
        }
    }

    fn next(&mut self) -> Result<Vec<u8>, NoChunk> {
        let line = self.line()?;
        let text = String::from_utf8_lossy(&line);
        // As Java's `trim` has it; `split` then parts at white space alone.
        let text = text.trim_matches(|c: char| c <= ' ');
        let written = text.split([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']).next();
        let written = written.unwrap_or_default();
        let size: i32 = written.parse().map_err(|_| {
            NoChunk::Broken(format!(
                "java.lang.NumberFormatException: For input string: \"{written}\""
            ))
        })?;
        let Ok(size) = usize::try_from(size) else {
            let why = format!("java.lang.IllegalArgumentException: capacity < 0: ({size} < 0)");
            return Err(NoChunk::Broken(why));
        };
        match size {
            0 => Err(NoChunk::End),
            size if size > TEXT_BYTES => Err(NoChunk::Broken(format!(
                "a chunk of {size} bytes is too large (at most {TEXT_BYTES})"
            ))),
            size => self.chunk(size),
        }
    }

    fn chunk(&mut self, size: usize) -> Result<Vec<u8>, NoChunk> {
        let mut chunk = Vec::new();
        self.0.by_ref().take(size as u64).read_to_end(&mut chunk)?;
        if chunk.len() == size {
            return Ok(chunk);
        }
        // At the end of a file Java counts -1.
        let read = match chunk.len() {
            0 => "-1".to_owned(),
            read => read.to_string(),
        };
        Err(NoChunk::Broken(format!(
            "java.io.IOException: Expected chunk size ({size}) differs from read bytes count ({read})"
        )))
    }

    /// The next line that is not empty. Of an end of a line `\n` is taken together with the byte before it,
    /// whatever of the two line ends that is.
    fn line(&mut self) -> Result<Vec<u8>, NoChunk> {
        let mut line = Vec::new();
        let mut blank = 0;
        loop {
            match self.byte()? {
                b'\n' | b'\r' => {
                    if self.peek()? == b'\n' {
                        self.0.consume(1);
                    }
                    if !line.is_empty() {
                        return Ok(line);
                    }
                    blank += 1;
                    if blank > TEXT_BYTES {
                        return Err(NoChunk::Broken("there are blank lines alone".to_owned()));
                    }
                }
                _ if line.len() == LONGEST_LINE => {
                    return Err(NoChunk::Broken(
                        "java.nio.BufferOverflowException".to_owned(),
                    ));
                }
                byte => line.push(byte),
            }
        }
    }

    fn byte(&mut self) -> Result<u8, NoChunk> {
        let byte = self.peek()?;
        self.0.consume(1);
        Ok(byte)
    }

    fn peek(&mut self) -> Result<u8, NoChunk> {
        self.0.fill_buf()?.first().copied().ok_or(NoChunk::End)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_access::Access;
    use plimsoll_plan::share::Share;

    use super::*;
    use crate::context::testing::TestContext;
    use crate::registry;
    use crate::testing::element;

    struct Bench {
        _folder: tempfile::TempDir,
        source: Box<dyn PreProcessor>,
        cx: TestContext,
    }

    fn bench(bytes: &[u8], more: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source");
        std::fs::write(&path, bytes).unwrap();
        let usual = [
            ("filename", path.to_str().unwrap()),
            ("variable_name", "chunk"),
        ];
        // The first of a name counts.
        let properties = [more, &usual].concat();
        let class = "kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor";
        let Some(Bound::Pre(source)) = registry::bind(&element(class, &properties)) else {
            panic!("no leaf");
        };
        Bench {
            source,
            cx: TestContext::with(&[]),
            _folder: folder,
        }
    }

    impl Bench {
        /// What the variable holds; why it was not set, and whether the user ends.
        fn next(&mut self) -> Result<String, (String, bool)> {
            self.cx.asked = None;
            match self.source.process(&mut self.cx) {
                Ok(()) => Ok(self.cx.get("chunk").unwrap().to_string()),
                Err(fault) => Err((fault.to_string(), self.cx.asked.is_some())),
            }
        }

        fn all(&mut self, count: usize) -> Vec<String> {
            (0..count).map(|_| self.next().unwrap()).collect()
        }
    }

    #[test]
    fn chunks_come_in_order_and_then_the_user_ends() {
        let mut bench = bench(b"5 first\nhello\n3\tx\r\nabc\r\n\r\n4\nw\xc3\xb6r", &[]);
        assert_eq!(bench.all(3), ["hello", "abc", "w\u{f6}r"]);
        for _ in 0..2 {
            let (why, ends) = bench.next().unwrap_err();
            assert!(ends && why.contains("End of file reached"), "{why}");
        }
    }

    #[test]
    fn a_file_begins_again_if_that_is_wanted() {
        let rewind = [("rewind", "true"), ("isHex", "true")];
        let mut twice = bench(b"1\nA\n2\n\xff\x00", &rewind);
        assert_eq!(twice.all(5), ["41", "ff00", "41", "ff00", "41"]);
        let mut zero = bench(b"1\nA\n0\n1\nB\n", &rewind);
        assert_eq!(zero.all(2), ["41", "41"], "no bytes are the end");
        for empty in [&b""[..], b"\n\n\n", b"0\n"] {
            let (_, ends) = bench(empty, &rewind).next().unwrap_err();
            assert!(ends, "{empty:?}");
        }
    }

    #[test]
    fn what_is_no_chunk_is_said_and_the_next_one_comes() {
        let bytes = b"x\n-1\n2147483647\n99999999999\n   \n9\nrest";
        let mut bench = bench(bytes, &[]);
        for says in [
            "For input string: \"x\"",
            "capacity < 0: (-1 < 0)",
            "2147483647 bytes is too large",
            "For input string: \"99999999999\"",
            "For input string: \"\"",
            "Expected chunk size (9) differs from read bytes count (4)",
        ] {
            let (why, ends) = bench.next().unwrap_err();
            assert!(why.contains(says) && !ends, "{why}");
        }
        assert!(bench.next().unwrap_err().1);
        let long = [&[b'1'; LONGEST_LINE + 1][..], b"\n1\nx"].concat();
        let mut bench = self::bench(&long, &[]);
        assert!(bench.next().unwrap_err().0.contains("BufferOverflow"));
        assert_eq!(bench.next().unwrap(), "x");
    }

    #[test]
    fn a_file_that_is_not_there_leaves_the_variable() {
        let gone = bench(b"", &[("filename", "/nowhere/at/all")]);
        let folder = bench(b"", &[("filename", "/")]);
        for mut bench in [gone, folder] {
            bench.source.process(&mut bench.cx).unwrap();
            assert!(bench.cx.get("chunk").is_none());
            assert_eq!(bench.cx.logged.len(), 1);
        }
        let mut refused = bench(b"1\nx", &[]);
        refused.cx.access = Access::default();
        assert!(refused.next().is_err());
    }

    #[test]
    fn each_share_of_a_load_has_chunks_of_its_own() {
        let of = |index: u32| {
            let mut bench = bench(b"1\na\n1\nb\n1\nc\n1\nd\n", &[]);
            bench.cx.thread.share = Share::new(index, 2).unwrap();
            bench.all(2)
        };
        assert_eq!(
            (of(0), of(1)),
            (vec!["a".into(), "c".into()], vec!["b".into(), "d".into()])
        );
    }
}
