//! What a load thread remembers of its failures over the whole run: which groups there are, and
//! of which enough samples are kept, so that a target that always fails costs no copies.

use super::{FailureKey, KeptSample, MAX_GROUPS, MAX_MESSAGE_BYTES, MAX_SAMPLES, cut};
use crate::{Code, ErrorKind, LabelId};

/// Most that a thread keeps in samples, bytes.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The failures of all labels of a thread.
#[derive(Debug, Default)]
pub struct Ledger {
    labels: Vec<Vec<KnownFailure>>,
    kept_bytes: usize,
}

#[derive(Debug)]
struct KnownFailure {
    kind: ErrorKind,
    code: Code,
    /// As it came; `None`: any.
    raw: Option<Box<str>>,
    /// Without secrets.
    shown: Option<Box<str>>,
    kept: usize,
}

/// The group of a failure.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    label: LabelId,
    at: usize,
    /// Another sample of it is wanted.
    pub wanted: bool,
}

impl Ledger {
    /// Notes a failure. `mask` is asked once for each message that is new.
    pub fn note(
        &mut self,
        label: LabelId,
        (kind, code, message): (ErrorKind, Code, &str),
        mask: impl FnOnce(&str) -> String,
    ) -> Note {
        if self.labels.len() <= label.index() {
            self.labels.resize_with(label.index() + 1, Vec::new);
        }
        let known = &mut self.labels[label.index()];
        let message = cut(message, MAX_MESSAGE_BYTES);
        let is_it = |it: &KnownFailure| {
            it.kind == kind && it.code == code && it.raw.as_deref() == Some(message)
        };
        let at = known.iter().position(is_it).unwrap_or_else(|| {
            let named = known.iter().filter(|it| it.raw.is_some()).count();
            let fresh = if named < MAX_GROUPS {
                let masked = mask(message);
                KnownFailure {
                    kind,
                    code,
                    raw: Some(message.into()),
                    shown: Some(cut(&masked, MAX_MESSAGE_BYTES).into()),
                    kept: 0,
                }
            } else if let Some(at) = known
                .iter()
                .position(|it| it.kind == kind && it.raw.is_none())
            {
                return at;
            } else {
                KnownFailure {
                    kind,
                    code: Code::None,
                    raw: None,
                    shown: None,
                    kept: 0,
                }
            };
            known.push(fresh);
            known.len() - 1
        });
        Note {
            label,
            at,
            wanted: known[at].kept < MAX_SAMPLES && self.kept_bytes < MAX_KEPT_BYTES,
        }
    }

    /// The key of a group.
    pub fn key(&self, note: Note) -> FailureKey<'_> {
        // A note is of this ledger, from which nothing is taken away.
        let group = &self.labels[note.label.index()][note.at];
        (group.kind, group.code, group.shown.as_deref())
    }

    /// Notes that a sample is kept.
    pub fn kept(&mut self, note: Note, sample: &KeptSample) {
        self.kept_bytes += sample.detail.len() + sample.request.len() + sample.response.len();
        if let Some(group) = self
            .labels
            .get_mut(note.label.index())
            .and_then(|known| known.get_mut(note.at))
        {
            group.kept += 1;
        }
    }

    /// Whether a sample might be wanted of a response that fails with that code.
    pub fn lacks(&self, label: LabelId, code: Code) -> bool {
        if self.kept_bytes >= MAX_KEPT_BYTES {
            return false;
        }
        let Some(known) = self.labels.get(label.index()) else {
            return true;
        };
        let mut of_code = known.iter().filter(|it| it.code == code).peekable();
        match of_code.peek() {
            Some(_) => of_code.any(|it| it.kept < MAX_SAMPLES),
            None => {
                let mut folded = known.iter().filter(|it| it.raw.is_none()).peekable();
                folded.peek().is_none() || folded.any(|it| it.kept < MAX_SAMPLES)
            }
        }
    }
}
