//! Reads a response in given pieces and writes down what happened, as text.
//!
//! Also compiled into the fuzz target, so it uses nothing but the reader.

use std::fmt::Write;

use plimsoll_load::kit::http1::{
    Head, Progress, ReadError, RequestMethod, ResponseLimits, ResponseReader, Sink,
};

/// The circumstances of a response.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub method: RequestMethod,
    pub limits: ResponseLimits,
    /// The server closes after the last byte.
    pub close: bool,
}

/// The events, and the end with all that must not depend on the pieces.
#[derive(Debug, PartialEq, Eq)]
pub struct Trace {
    pub events: String,
    pub end: End,
}

#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// Complete after that many bytes in all.
    Done {
        consumed: usize,
        keep_alive: bool,
    },
    Upgraded {
        consumed: usize,
    },
    NeedMore,
    Failed(ReadError),
}

impl End {
    /// The same without the quotation, which shows what had arrived by then.
    pub fn without_quotation(self) -> Self {
        match self {
            Self::Failed(ReadError::Malformed { what, offset, .. }) => {
                Self::Failed(ReadError::Malformed {
                    what,
                    offset,
                    near: "".into(),
                })
            }
            other => other,
        }
    }
}

#[derive(Default)]
struct Recorder {
    heads: String,
    body: Vec<u8>,
    final_head: bool,
}

impl Recorder {
    fn write_head(&mut self, kind: &str, head: &Head<'_>) {
        assert!(!self.final_head, "a head after the final head");
        writeln!(
            self.heads,
            "{kind} HTTP/1.{} {} \"{}\"",
            head.version_minor,
            head.status,
            head.reason.escape_ascii()
        )
        .unwrap();
        for (name, value) in head.iter() {
            writeln!(self.heads, "  {name}: \"{}\"", value.escape_ascii()).unwrap();
        }
    }
}

impl Sink for Recorder {
    fn informational(&mut self, head: &Head<'_>) {
        self.write_head("informational", head);
    }
    fn head(&mut self, head: &Head<'_>) {
        self.write_head("head", head);
        self.final_head = true;
    }
    fn body(&mut self, piece: &[u8]) {
        assert!(self.final_head, "a body before the head");
        assert!(!piece.is_empty(), "an empty piece");
        self.body.extend_from_slice(piece);
    }
}

/// Feeds the pieces in order until the response ends.
pub fn trace<'a>(setting: &Setting, pieces: impl IntoIterator<Item = &'a [u8]>) -> Trace {
    let mut reader = ResponseReader::new();
    let mut recorder = Recorder::default();
    reader.start(setting.method, &setting.limits);
    let end = run(&mut reader, &mut recorder, setting.close, pieces);
    let still_open = matches!(end, End::NeedMore);
    assert_eq!(reader.is_idle(), !still_open);
    if !recorder.body.is_empty() {
        let (bytes, text) = (recorder.body.len(), recorder.body.escape_ascii());
        writeln!(recorder.heads, "body {bytes} \"{text}\"").unwrap();
    }
    Trace {
        events: recorder.heads,
        end,
    }
}

fn run<'a>(
    reader: &mut ResponseReader,
    recorder: &mut Recorder,
    close: bool,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> End {
    let mut before = 0;
    for piece in pieces {
        match reader.feed(piece, recorder) {
            Ok(Progress::NeedMore) => before += piece.len(),
            Ok(Progress::Done {
                consumed,
                keep_alive,
            }) => {
                assert!(consumed <= piece.len());
                return End::Done {
                    consumed: before + consumed,
                    keep_alive,
                };
            }
            Ok(Progress::Upgraded { consumed }) => {
                assert!(consumed <= piece.len());
                return End::Upgraded {
                    consumed: before + consumed,
                };
            }
            Err(error) => return End::Failed(error),
        }
        assert_eq!(reader.started(), before > 0);
    }
    if !close {
        return End::NeedMore;
    }
    match reader.end_of_stream(recorder) {
        Ok(Progress::Done {
            consumed: 0,
            keep_alive: false,
        }) => End::Done {
            consumed: before,
            keep_alive: false,
        },
        Ok(other) => panic!("{other:?} at the end of the stream"),
        Err(error) => End::Failed(error),
    }
}
