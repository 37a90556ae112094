//! Sums by the minute beside a run's seconds, so that hours are shown without reading each of them: a few figures of
//! every second, all requests by ten seconds, each label by the minute. Merged histograms, never means of percentiles.
//!
//! They are written while the run goes on and are never trusted: a minute counts only if it was made of as many parts
//! as there are now, the last of them the same, and its bytes are those that were written. Any other is added up from
//! its seconds when it is read, as all are of a run that has none (of an older version, cut short, or of short
//! length).

use std::collections::BTreeMap;

use flate2::Crc;
use plimsoll_stats::{GeneratorSecond, IntervalTotals, LabelId, LabelInterval, LabelKind};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::figures::{FIGURES, MINUTE_S, SecondFigures, figures_blob, figures_of};
use crate::pack::{Packer, decompress, parts};
use crate::{LabelDef, Run, StoreError};

/// Seconds of a block of all requests.
pub const TEN_S: u32 = 10;
/// Parts of a second may come so late from several load hosts.
const SETTLED_S: u32 = 30;

/// What was added up of a minute.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MinuteSums {
    /// Minutes from the run's start to its beginning.
    pub minute: u32,
    /// Its seconds, the first one first: 60.
    pub seconds: Vec<SecondFigures>,
    tens: Vec<u8>,
    labels: Vec<u8>,
}

impl MinuteSums {
    /// Its first second.
    #[must_use]
    pub const fn from_s(&self) -> u32 {
        self.minute * MINUTE_S
    }

    /// Bytes that it takes in memory, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tens.len() + self.labels.len() + self.seconds.len() * FIGURES
    }

    /// Adds what all requests did in its tens of seconds: first second, whether it ended after the load, the sum as
    /// `plimsoll-stats` encodes it.
    ///
    /// # Errors
    /// What is not as it was written.
    pub fn for_each_ten(
        &self,
        mut each: impl FnMut(u32, bool, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        unpacked(&self.tens, |key, bytes| {
            each(self.from_s() + key / 2 * TEN_S, key % 2 == 1, bytes)
        })
    }

    /// Adds what each label did: whether it ended after the load, the sum as `plimsoll-stats` encodes it.
    ///
    /// # Errors
    /// What is not as it was written.
    pub fn for_each_label(
        &self,
        mut each: impl FnMut(LabelId, bool, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut after_load = false;
        unpacked(&self.labels, |key, bytes| {
            // What ended after the load stands behind a mark of its own.
            if bytes.is_empty() {
                after_load = true;
                return Ok(());
            }
            each(LabelId(key), after_load, bytes)
        })
    }

    fn check(&self, figures: &[u8]) -> u32 {
        let mut crc = Crc::new();
        for blob in [figures, &self.tens, &self.labels] {
            crc.update(&(blob.len() as u64).to_le_bytes());
            crc.update(blob);
        }
        crc.sum()
    }
}

/// Goes over the parts of a blob.
fn unpacked(
    blob: &[u8],
    mut each: impl FnMut(u32, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    if blob.is_empty() {
        return Ok(());
    }
    let mut plain = Vec::new();
    decompress(blob, &mut plain)?;
    for part in parts(&plain) {
        let (key, bytes) = part?;
        each(key, bytes)?;
    }
    Ok(())
}

/// What is being added up of a minute.
#[derive(Debug)]
pub(crate) struct MinuteAdding {
    parts: u64,
    seconds: Vec<SecondFigures>,
    tens: BTreeMap<u32, LabelInterval>,
    labels: BTreeMap<(bool, LabelId), LabelInterval>,
}

impl Default for MinuteAdding {
    fn default() -> Self {
        Self {
            parts: 0,
            seconds: vec![SecondFigures::default(); MINUTE_S as usize],
            tens: BTreeMap::new(),
            labels: BTreeMap::new(),
        }
    }
}

impl MinuteAdding {
    /// A part of a second begins.
    fn part(&mut self, second: u32, generator: &GeneratorSecond) {
        self.parts += 1;
        if let Some(figures) = self.seconds.get_mut((second % MINUTE_S) as usize) {
            figures.add_part(generator);
        }
    }

    /// What a label did in it.
    fn add(
        &mut self,
        second: u32,
        after_load: bool,
        label: (LabelId, LabelKind),
        did: &LabelInterval,
    ) {
        let (id, kind) = label;
        if did.is_empty() {
            return;
        }
        let in_minute = second % MINUTE_S;
        if kind == LabelKind::Request {
            let key = in_minute / TEN_S * 2 + u32::from(after_load);
            self.tens.entry(key).or_default().merge(did);
            if let Some(figures) = self.seconds.get_mut(in_minute as usize) {
                figures.add(after_load, &IntervalTotals::of(did));
            }
        }
        self.labels.entry((after_load, id)).or_default().merge(did);
    }

    /// The sums as they are kept.
    fn packed(&self, minute: u32) -> std::io::Result<MinuteSums> {
        let mut packer = Packer::default();
        for (key, sum) in &self.tens {
            packer.add(*key, |out| sum.encode(out));
        }
        let tens = packer.finish()?;
        let mut is_marked = false;
        for ((after_load, id), sum) in &self.labels {
            if *after_load && !is_marked {
                is_marked = true;
                packer.add(0, |_| {});
            }
            packer.add(id.0, |out| sum.encode(out));
        }
        Ok(MinuteSums {
            minute,
            seconds: self.seconds.clone(),
            tens,
            labels: packer.finish()?,
        })
    }
}

/// The minutes that a writer adds up.
#[derive(Debug, Default)]
pub(crate) struct MinuteBook {
    open: BTreeMap<u32, MinuteAdding>,
    /// Minutes before this are written.
    written_to: u32,
    /// Somewhere it could not be written: what is missing is added up by who reads.
    is_off: bool,
}

impl MinuteBook {
    /// Adds up a part of a second that was written, and writes the minutes that are settled.
    pub(crate) fn add_up(
        &mut self,
        db: &Connection,
        (second, after_load): (u32, bool),
        labels: &[((LabelId, LabelKind), &LabelInterval)],
        generator: &GeneratorSecond,
    ) {
        let minute = second / MINUTE_S;
        // What comes later than that is told by the number of parts.
        if self.is_off || minute < self.written_to {
            return;
        }
        let adding = self.open.entry(minute).or_default();
        adding.part(second, generator);
        for (label, did) in labels {
            adding.add(second, after_load, *label, did);
        }
        let settled = second.saturating_sub(SETTLED_S) / MINUTE_S;
        if settled > self.written_to {
            self.write(db, settled);
        }
    }

    /// Writes what is left at the end. The seconds of a short run are read as quickly as its minutes.
    pub(crate) fn end(&mut self, db: &Connection) {
        match self.written_to {
            0 => self.open.clear(),
            _ => self.write(db, u32::MAX),
        }
    }

    fn write(&mut self, db: &Connection, to: u32) {
        let rest = self.open.split_off(&to);
        let whole = std::mem::replace(&mut self.open, rest);
        self.written_to = to;
        for (minute, adding) in &whole {
            // A disk that is full is met, and told of, by the seconds themselves.
            self.is_off |= put_minute(db, *minute, adding).is_none();
        }
    }
}

/// Writes a minute, unless the seconds that are there are not those that it was made of.
fn put_minute(db: &Connection, minute: u32, adding: &MinuteAdding) -> Option<()> {
    let made_of =
        "SELECT count(*), coalesce(max(seq), 0) FROM seconds WHERE second >= ?1 AND second < ?2";
    let from_s = minute * MINUTE_S;
    let (parts, last): (i64, i64) = db
        .query_row(made_of, [from_s, from_s + MINUTE_S], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .ok()?;
    if u64::try_from(parts) != Ok(adding.parts) {
        return Some(());
    }
    let sums = adding.packed(minute).ok()?;
    let figures = figures_blob(&sums.seconds).ok()?;
    let sql = "INSERT OR REPLACE INTO minutes (minute, parts, last, crc, figures, tens, labels) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let row = params![
        minute,
        parts,
        last,
        sums.check(&figures),
        figures,
        sums.tens,
        sums.labels
    ];
    db.prepare_cached(sql).ok()?.execute(row).ok().map(|_| ())
}

/// What the seconds of a minute are now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MadeOf {
    parts: i64,
    last: i64,
}

impl Run {
    /// Calls `each` with every minute from one to before another, in their order; also with those that have no second.
    /// `from` and `to` are minutes from the run's start.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn for_each_minute(
        &self,
        from: u32,
        to: u32,
        mut each: impl FnMut(MinuteSums),
    ) -> Result<(), StoreError> {
        let made_of = self.made_of(from, to)?;
        for minute in from..to {
            let sums = match made_of.get(&minute) {
                Some(made_of) => match self.stored_minute(minute, *made_of)? {
                    Some(sums) => sums,
                    None => self.added_up(minute)?,
                },
                None => MinuteSums {
                    minute,
                    seconds: vec![SecondFigures::default(); MINUTE_S as usize],
                    ..MinuteSums::default()
                },
            };
            each(sums);
        }
        Ok(())
    }

    /// Figures of each second up to before that one. Where the minutes are stored, nothing else is read.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn figures(&self, to_s: u32) -> Result<Vec<SecondFigures>, StoreError> {
        self.figures_between(0, to_s)
    }

    /// The same from a second on.
    pub(crate) fn figures_between(
        &self,
        from_s: u32,
        to_s: u32,
    ) -> Result<Vec<SecondFigures>, StoreError> {
        let (from, to) = (from_s / MINUTE_S, to_s.div_ceil(MINUTE_S));
        let made_of = self.made_of(from, to)?;
        let mut all = Vec::with_capacity(to_s.saturating_sub(from_s) as usize);
        for minute in from..to {
            let stored = match made_of.get(&minute) {
                Some(made_of) => self.stored_figures(minute, *made_of)?,
                None => Some(vec![SecondFigures::default(); MINUTE_S as usize]),
            };
            all.extend(match stored {
                Some(seconds) => seconds,
                None => self.added_figures(minute)?,
            });
        }
        all.truncate(to_s.saturating_sub(from * MINUTE_S) as usize);
        Ok(all.split_off(((from_s - from * MINUTE_S) as usize).min(all.len())))
    }

    /// What the seconds of each minute are, by the index alone.
    fn made_of(&self, from: u32, to: u32) -> Result<BTreeMap<u32, MadeOf>, StoreError> {
        let (from_s, to_s) = (from.saturating_mul(MINUTE_S), to.saturating_mul(MINUTE_S));
        let sql = format!(
            "SELECT second / {MINUTE_S}, count(*), max(seq) FROM seconds \
             WHERE second >= {from_s} AND second < {to_s} GROUP BY 1"
        );
        let rows = self.rows(&sql, |row| {
            let made_of = MadeOf {
                parts: row.get(1)?,
                last: row.get(2)?,
            };
            Ok((row.get(0)?, made_of))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// The minutes from one to before another whose sums are stored and hold: each is handed over once those before it
    /// are.
    pub(crate) fn for_each_stored_minute(
        &self,
        from: u32,
        to: u32,
        mut each: impl FnMut(MinuteSums) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for (minute, made_of) in self.made_of(from, to)? {
            if let Some(sums) = self.stored_minute(minute, made_of)? {
                each(sums)?;
            }
        }
        Ok(())
    }

    fn stored_minute(&self, minute: u32, now: MadeOf) -> Result<Option<MinuteSums>, StoreError> {
        if !self.has_minutes()? {
            return Ok(None);
        }
        let sql = "SELECT parts, last, crc, figures, tens, labels FROM minutes WHERE minute = ?1";
        let row = self.minute_row(sql, minute, |row| {
            let blobs: [Vec<u8>; 3] = [row.get(3)?, row.get(4)?, row.get(5)?];
            Ok((row.get(2)?, blobs))
        })?;
        Ok(
            row.and_then(|(made_of, (crc, [figures, tens, labels])): (_, (u32, _))| {
                let sums = MinuteSums {
                    minute,
                    seconds: figures_of(&figures)?,
                    tens,
                    labels,
                };
                (made_of == now && sums.check(&figures) == crc).then_some(sums)
            }),
        )
    }

    fn stored_figures(
        &self,
        minute: u32,
        now: MadeOf,
    ) -> Result<Option<Vec<SecondFigures>>, StoreError> {
        if !self.has_minutes()? {
            return Ok(None);
        }
        let sql = "SELECT parts, last, figures FROM minutes WHERE minute = ?1";
        let row = self.minute_row(sql, minute, |row| row.get(2))?;
        Ok(row
            .filter(|(made_of, _)| *made_of == now)
            .and_then(|(_, figures): (_, Vec<u8>)| figures_of(&figures)))
    }

    fn has_minutes(&self) -> Result<bool, StoreError> {
        self.has_table("minutes")
    }

    /// A stored minute and what it was made of. One of another type is none.
    fn minute_row<T>(
        &self,
        sql: &str,
        minute: u32,
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<(MadeOf, T)>, StoreError> {
        let mut statement = self.db().prepare_cached(sql).map_err(|e| self.failure(e))?;
        let row = statement.query_row([minute], |row| {
            let made_of = MadeOf {
                parts: row.get(0)?,
                last: row.get(1)?,
            };
            Ok((made_of, read(row)?))
        });
        match row.optional() {
            Err(
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..),
            ) => Ok(None),
            found => found.map_err(|e| self.failure(e)),
        }
    }

    /// The figures of a minute from its seconds.
    fn added_figures(&self, minute: u32) -> Result<Vec<SecondFigures>, StoreError> {
        let from_s = minute * MINUTE_S;
        let mut seconds = vec![SecondFigures::default(); MINUTE_S as usize];
        for (second, generator) in self.generator_between(from_s, from_s + MINUTE_S)? {
            seconds[(second - from_s) as usize].add_part(&generator);
        }
        self.for_each_total(from_s, from_s + MINUTE_S, |row, label, totals| {
            if label.kind == LabelKind::Request {
                seconds[(row.second - from_s) as usize].add(row.after_load, totals);
            }
        })?;
        Ok(seconds)
    }

    /// A minute from its seconds.
    fn added_up(&self, minute: u32) -> Result<MinuteSums, StoreError> {
        let from_s = minute * MINUTE_S;
        let mut adding = MinuteAdding::default();
        for (second, generator) in self.generator_between(from_s, from_s + MINUTE_S)? {
            adding.part(second, &generator);
        }
        self.for_each_second(from_s, from_s + MINUTE_S, |part| {
            let LabelDef { id, kind, .. } = part.label;
            adding.add(part.second, part.after_load, (*id, *kind), part.interval);
        })?;
        adding
            .packed(minute)
            .map_err(|error| StoreError::io(self.path(), error))
    }
}
