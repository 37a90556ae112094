//! A chunk of a recording: its header, its types, its constants, its events.

use std::collections::HashMap;
use std::ops::Range;

use super::error::JfrError;
use super::metadata::{JfrType, Types};
use super::value::{Bytes, JfrValue};

const MAGIC: &[u8] = b"FLR\0";
const HEADER: usize = 68;
/// Numbers are packed: the only form that the JDK writes.
const PACKED: u64 = 1;
const METADATA: i64 = 0;
const CHECKPOINT: i64 = 1;
/// Characters of a class's or method's name that are kept.
const LONGEST_NAME: usize = 1_024;

/// A chunk that was read but for its events.
#[derive(Debug)]
pub struct Chunk<'a> {
    bytes: &'a [u8],
    /// Its length in bytes.
    pub length: usize,
    begins_unix_ns: i64,
    begins_ticks: i64,
    ticks_per_s: f64,
    pub(super) types: Types,
    last_constants: usize,
    constants: HashMap<(i64, i64), JfrValue>,
}

impl<'a> Chunk<'a> {
    /// Reads the chunk that these bytes begin with.
    ///
    /// # Errors
    /// What is none, or does not fit together.
    #[expect(clippy::cast_precision_loss, reason = "a frequency")]
    pub fn read(bytes: &'a [u8]) -> Result<Self, JfrError> {
        let mut header = Bytes::at(bytes, 0);
        if header.take(4)? != MAGIC || !(1..=2).contains(&header.fixed(2)?) {
            return Err(JfrError::Unknown);
        }
        header.fixed(2)?;
        let mut place = || {
            let number = header.fixed(8)?;
            usize::try_from(number).map_err(|_| header.damaged())
        };
        let (length, constants, metadata) = (place()?, place()?, place()?);
        let begins_unix_ns = header.fixed(8)?.cast_signed();
        header.fixed(8)?;
        let begins_ticks = header.fixed(8)?.cast_signed();
        let ticks_per_s = header.fixed(8)?.max(1) as f64;
        if header.fixed(4)? & PACKED == 0 {
            return Err(JfrError::Unknown);
        }
        if length < HEADER {
            return Err(header.damaged());
        }
        let bytes = bytes.get(..length).ok_or_else(|| header.damaged())?;
        let mut chunk = Self {
            bytes,
            length,
            begins_unix_ns,
            begins_ticks,
            ticks_per_s,
            types: Types::read(Bytes::at(bytes, metadata))?,
            last_constants: constants,
            constants: HashMap::new(),
        };
        let mut read = HashMap::new();
        chunk.each_constant(constants, &mut |of, number, value| {
            read.entry((of, number)).or_insert(value);
        })?;
        chunk.constants = read;
        Ok(chunk)
    }

    /// Tells of all constants: type, number, value. Checkpoints come the last first: each tells how
    /// far before it the one before lies.
    fn each_constant(
        &self,
        last: usize,
        tell: &mut dyn FnMut(i64, i64, JfrValue),
    ) -> Result<(), JfrError> {
        let mut at = last;
        let mut behind = self.bytes.len();
        loop {
            // Each ends where the one behind it begins, at the latest.
            let mut bytes = Bytes::at(self.bytes.get(..behind).unwrap_or_default(), at);
            let size = usize::try_from(bytes.packed()?).map_err(|_| bytes.damaged())?;
            let end = at.saturating_add(size).min(behind);
            let mut bytes = Bytes::at(self.bytes.get(..end).unwrap_or_default(), at);
            bytes.packed()?;
            if bytes.packed()? != CHECKPOINT {
                return Err(bytes.damaged());
            }
            // Beginning, duration.
            bytes.packed()?;
            bytes.packed()?;
            let back = bytes.packed()?;
            bytes.byte()?;
            for _ in 0..bytes.count()? {
                let of = bytes.packed()?;
                for _ in 0..bytes.count()? {
                    let number = bytes.packed()?;
                    let value = self.types.value(&mut bytes, of)?;
                    tell(of, number, value);
                }
            }
            let Ok(back) = isize::try_from(back) else {
                return Err(bytes.damaged());
            };
            // Back to the beginning, and never on: each step is nearer to the first.
            match at.checked_add_signed(back) {
                _ if back == 0 => return Ok(()),
                Some(before) if before < at && before >= HEADER => {
                    behind = at;
                    at = before;
                }
                _ => return Err(bytes.damaged()),
            }
        }
    }

    /// Tells of all constants, of those with the same number, too.
    pub(super) fn constants(
        &self,
        tell: &mut dyn FnMut(i64, i64, JfrValue),
    ) -> Result<(), JfrError> {
        self.each_constant(self.last_constants, tell)
    }

    /// Tells of each event whose type is looked at, with its type and where it lies, from its type on.
    ///
    /// # Errors
    /// An event that does not fit together.
    pub fn each_event(
        &self,
        is_wanted: &dyn Fn(i64, &JfrType) -> bool,
        tell: &mut dyn FnMut(&JfrType, &JfrValue, Range<usize>),
    ) -> Result<(), JfrError> {
        let mut at = HEADER;
        while at < self.length {
            let mut bytes = Bytes::at(self.bytes, at);
            let size = usize::try_from(bytes.packed()?).map_err(|_| bytes.damaged())?;
            let of = bytes.packed()?;
            let next = at.checked_add(size).filter(|next| *next > at);
            let next = next.ok_or_else(|| bytes.damaged())?;
            let own = self.bytes.get(..next).ok_or_else(|| bytes.damaged())?;
            let known = self
                .types
                .get(of)
                .filter(|_| of != METADATA && of != CHECKPOINT);
            if let Some(known) = known.filter(|known| is_wanted(of, known)) {
                let mut bytes = Bytes::at(own, at);
                bytes.packed()?;
                let begin = bytes.place();
                bytes.packed()?;
                let value = self.types.value(&mut bytes, of)?;
                tell(known, &value, begin..next);
            }
            at = next;
        }
        Ok(())
    }

    /// The constant that a field names; what is no constant stays as it is.
    #[must_use]
    pub fn resolve<'v>(&'v self, value: &'v JfrValue) -> &'v JfrValue {
        match value {
            JfrValue::Constant(of, number) => {
                let found = self.constants.get(&(*of, *number));
                found.unwrap_or(&JfrValue::Nothing)
            }
            other => other,
        }
    }

    /// The text of a symbol, cut where nobody reads on.
    #[must_use]
    pub fn symbol(&self, value: &JfrValue) -> String {
        let symbol = self.resolve(value);
        let text = match symbol {
            JfrValue::Fields(_) => self.resolve(symbol.field("string")),
            other => other,
        };
        match text {
            JfrValue::Text(text) => text.text.chars().take(LONGEST_NAME).collect(),
            _ => String::new(),
        }
    }

    /// A moment on the wall clock.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "within a recording"
    )]
    pub fn unix_ns(&self, ticks: i64) -> i64 {
        let since = ticks.wrapping_sub(self.begins_ticks) as f64 / self.ticks_per_s;
        self.begins_unix_ns.saturating_add((since * 1e9) as i64)
    }

    /// A time in ms.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "within a recording")]
    pub fn ticks_ms(&self, ticks: i64) -> f64 {
        ticks as f64 / self.ticks_per_s * 1e3
    }
}
