//! What a run has more than when it was looked at last, for those who follow it while it is written.

use std::collections::BTreeMap;

use plimsoll_stats::series::{Column, SeriesId};
use plimsoll_stats::{GeneratorSecond, LabelId, LabelInterval};
use rusqlite::params;

use crate::pack::{decompress, parts};
use crate::rows::to_sql;
use crate::{Run, StoreError, StoredEvent};

/// A second of a run as it was written, or a late part of one.
#[derive(Debug)]
pub struct FollowedSecond {
    /// Its place in the order of writing; rises.
    pub place: i64,
    /// Seconds from the run's start to its beginning.
    pub second: u32,
    /// It ended after the load did.
    pub after_load: bool,
    /// What each label did.
    pub labels: Vec<(LabelId, LabelInterval)>,
    /// What the generator saw of itself.
    pub generator: GeneratorSecond,
}

/// What was seen of the target at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowedMoment {
    /// Unix milliseconds; rises.
    pub at_unix_ms: i64,
    /// The points.
    pub points: Vec<(SeriesId, f64)>,
}

/// How far a run is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenSoFar {
    /// The last second's place in the order of writing; 0: none.
    pub second: i64,
    /// The last event's place.
    pub event: i64,
    /// The last moment of the target, Unix milliseconds.
    pub at_unix_ms: i64,
}

impl Run {
    /// How far the run is written now.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn written_so_far(&self) -> Result<WrittenSoFar, StoreError> {
        let last = |table: &str| {
            let sql = format!("SELECT coalesce(max(seq), 0) FROM {table}");
            let last = self.db().query_row(&sql, [], |row| row.get::<_, i64>(0));
            last.map_err(|e| self.failure(e))
        };
        let mut so_far = WrittenSoFar {
            second: last("seconds")?,
            event: last("events")?,
            at_unix_ms: 0,
        };
        if self.knows_target()? {
            let (moments, _) = self.moments_behind(0, last("target_columns")?)?;
            so_far.at_unix_ms = moments.last().map_or(0, |moment| moment.at_unix_ms);
        }
        Ok(so_far)
    }

    /// Seconds behind that place, in the order of writing; so many at most.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn seconds_behind(&self, place: i64, most: u32) -> Result<Vec<FollowedSecond>, StoreError> {
        let fail = |e| self.failure(e);
        let sql = "SELECT seq, second, after_load, intervals, generator FROM seconds \
                   WHERE seq > ?1 ORDER BY seq LIMIT ?2";
        let mut statement = self.db().prepare_cached(sql).map_err(fail)?;
        let mut rows = statement.query(params![place, most]).map_err(fail)?;
        let (mut plain, mut seconds) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next().map_err(fail)? {
            let intervals: Vec<u8> = row.get(3).map_err(fail)?;
            let generator: Vec<u8> = row.get(4).map_err(fail)?;
            decompress(&generator, &mut plain).map_err(|e| self.damage(e))?;
            let generator = serde_json::from_slice(&plain).map_err(|e| self.damage(e))?;
            decompress(&intervals, &mut plain).map_err(|e| self.damage(e))?;
            let mut labels = Vec::new();
            for part in parts(&plain) {
                let (id, bytes) = part.map_err(|e| self.damage(e))?;
                let mut interval = LabelInterval::default();
                interval.merge_encoded(bytes).map_err(|e| self.damage(e))?;
                labels.push((LabelId(id), interval));
            }
            seconds.push(FollowedSecond {
                place: row.get(0).map_err(fail)?,
                second: row.get(1).map_err(fail)?,
                after_load: row.get(2).map_err(fail)?,
                labels,
                generator,
            });
        }
        Ok(seconds)
    }

    /// Events behind that place, in the order of writing, each with its place.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn events_behind(&self, place: i64) -> Result<Vec<(i64, StoredEvent)>, StoreError> {
        let sql =
            format!("SELECT seq, at_ns, kind, args FROM events WHERE seq > {place} ORDER BY seq");
        self.event_rows(&sql)
    }

    /// What was seen of the target behind that moment, in the order of time. `stretch` is 0 at first and
    /// then what this gave: columns before it hold nothing that is newer.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn moments_behind(
        &self,
        at_unix_ms: i64,
        stretch: i64,
    ) -> Result<(Vec<FollowedMoment>, i64), StoreError> {
        let mut moments: BTreeMap<i64, Vec<(SeriesId, f64)>> = BTreeMap::new();
        if !self.knows_target()? {
            return Ok((Vec::new(), stretch));
        }
        // The rows first: one that becomes a column in between is then seen twice, not never.
        for batch in self.target_rows()? {
            let at = to_sql(batch.at_unix_ns / 1_000_000);
            if at > at_unix_ms {
                moments.entry(at).or_default().extend(batch.points);
            }
        }
        let mut next = stretch;
        let mut in_columns: BTreeMap<i64, Vec<(SeriesId, f64)>> = BTreeMap::new();
        for (series, of, blob) in self.columns_from(stretch)? {
            next = next.max(of + 1);
            let mut plain = Vec::new();
            decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
            let column = Column::decode(&plain).map_err(|e| self.damage(e))?;
            let points = column.at_ms.iter().zip(&column.values);
            for (at, value) in points.filter(|(at, _)| **at > at_unix_ms) {
                in_columns
                    .entry(*at)
                    .or_default()
                    .push((SeriesId(series), *value));
            }
        }
        moments.extend(in_columns);
        let moment = |(at_unix_ms, points)| FollowedMoment { at_unix_ms, points };
        Ok((moments.into_iter().map(moment).collect(), next))
    }

    fn columns_from(&self, stretch: i64) -> Result<Vec<(u32, i64, Vec<u8>)>, StoreError> {
        let sql = format!("SELECT series, seq, points FROM target_columns WHERE seq >= {stretch}");
        self.rows(&sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }
}
