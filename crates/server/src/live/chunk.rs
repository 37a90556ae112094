//! What is new in a run, written as server-sent events. Each has an id from which one goes on behind it.

use std::collections::HashMap;
use std::fmt::Write as _;

use bytes::Bytes;
use plimsoll_outputs::label_json;
use plimsoll_report::{event_text, last_seconds_reason};
use plimsoll_stats::series::{SeriesId, SeriesKey, SeriesKind};
use plimsoll_stats::{LabelId, LabelInterval, LabelKind};
use plimsoll_store::{FollowedMoment, FollowedSecond, Run, RunState, StoreError, StoredEvent};
use plimsoll_text::Lang;
use serde_json::{Value, json};

use super::cursor::LiveCursor;
use super::window::{JUDGED, JudgedSeconds};

/// Seconds that a chunk has at most.
pub(crate) const MOST_SECONDS: u32 = 300;
/// A counter that was looked at before this, ms, has no rate.
const LONGEST_STRETCH_MS: i64 = 65_000;

/// Some events of a run, as they are sent.
#[derive(Debug)]
pub(crate) struct LiveChunk {
    /// What was heard before it.
    pub from: LiveCursor,
    /// What is heard with it.
    pub to: LiveCursor,
    /// The events.
    pub text: Bytes,
    /// Nothing comes behind it.
    pub is_last: bool,
}

/// Writes chunks of one run, one behind the other.
#[derive(Default)]
pub(crate) struct ChunkWriter {
    text: String,
    cursor: LiveCursor,
    /// Columns of the target before this hold nothing new.
    stretch: i64,
    keys: HashMap<SeriesId, SeriesKey>,
    /// What counters read last.
    counted: HashMap<SeriesId, (i64, f64)>,
    judged: JudgedSeconds,
}

impl ChunkWriter {
    /// Goes on behind a place; `run` gives what counters read before it, and the seconds by which the generator is
    /// judged there.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn behind(cursor: LiveCursor, run: &Run) -> Result<Self, StoreError> {
        let mut writer = Self {
            cursor,
            ..Self::default()
        };
        if cursor.moment > 0 {
            let (moments, _) = run.moments_behind(cursor.moment - LONGEST_STRETCH_MS, 0)?;
            writer.know_keys(run)?;
            for moment in moments
                .iter()
                .filter(|known| known.at_unix_ms <= cursor.moment)
            {
                let points = moment.points.iter();
                let counted = points.map(|(id, value)| (*id, (moment.at_unix_ms, *value)));
                writer.counted.extend(counted);
            }
        }
        let first = (cursor.second - JUDGED as i64).max(0);
        for second in run.seconds_behind(first, JUDGED as u32)? {
            if second.place <= cursor.second {
                let total = requests(run, &second);
                writer.judged.push(second.generator, total);
            }
        }
        Ok(writer)
    }

    /// What is new up to a place, or all of it; none: nothing.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn next(
        &mut self,
        run: &Run,
        up_to: Option<LiveCursor>,
        from_s: u32,
    ) -> Result<Option<LiveChunk>, StoreError> {
        let from = self.cursor;
        self.text.clear();
        // Before anything is read: what is written behind it is then seen the next time.
        let state = run.state()?;
        let (moments, stretch) = run.moments_behind(from.moment, self.stretch)?;
        let seconds = run.seconds_behind(from.second, MOST_SECONDS)?;
        let is_all = seconds.len() < MOST_SECONDS as usize;
        let events = run.events_behind(from.event)?;
        if !moments.is_empty() {
            self.know_keys(run)?;
        }
        self.stretch = stretch;
        let zero_ms = run.zero_unix_ns() / 1_000_000;
        for moment in moments {
            if up_to.is_none_or(|end| moment.at_unix_ms <= end.moment) {
                self.moment(&moment, zero_ms, from_s);
            }
        }
        for second in seconds {
            if up_to.is_none_or(|end| second.place <= end.second) {
                self.second(run, second, from_s);
            }
        }
        for (place, event) in events {
            if up_to.is_none_or(|end| place <= end.event) {
                self.event(place, &event);
            }
        }
        let is_last = up_to.is_none() && is_all && state != RunState::Running;
        if is_last {
            self.end(run, state)?;
        }
        let is_new = self.cursor != from || is_last;
        Ok(is_new.then(|| LiveChunk {
            from,
            to: self.cursor,
            text: Bytes::copy_from_slice(self.text.as_bytes()),
            is_last,
        }))
    }

    fn know_keys(&mut self, run: &Run) -> Result<(), StoreError> {
        self.keys = run.series()?.into_iter().collect();
        Ok(())
    }

    /// An event behind which one goes on from the cursor as it is now. JSON has no line ends.
    fn send(&mut self, name: &str, data: &Value) {
        // Writing to a String does not fail.
        let _ = write!(
            self.text,
            "id: {}\nevent: {name}\ndata: {data}\n\n",
            self.cursor
        );
    }

    fn moment(&mut self, moment: &FollowedMoment, zero_ms: i64, from_s: u32) {
        let at_ms = moment.at_unix_ms;
        let mut values = serde_json::Map::new();
        for (id, value) in &moment.points {
            let before = self.counted.insert(*id, (at_ms, *value));
            let counts = self
                .keys
                .get(id)
                .is_some_and(|key| key.kind == SeriesKind::Counter);
            let value = match (counts, before) {
                (false, _) => Some(*value),
                (true, Some((before_ms, before)))
                    if *value >= before
                        && (1..=LONGEST_STRETCH_MS).contains(&(at_ms - before_ms)) =>
                {
                    Some((value - before) / (at_ms - before_ms) as f64 * 1e3)
                }
                _ => None,
            };
            if let Some(value) = value {
                values.insert(format!("target:{}", id.0), json!(value));
            }
        }
        self.cursor.moment = at_ms;
        let at_s = (at_ms - zero_ms) as f64 / 1e3;
        if at_s >= f64::from(from_s) && !values.is_empty() {
            self.send("series", &json!({"at_s": at_s, "values": values}));
        }
    }

    fn second(&mut self, run: &Run, second: FollowedSecond, from_s: u32) {
        self.cursor.second = second.place;
        let total = requests(run, &second);
        let label = |(id, did): &(LabelId, LabelInterval)| {
            let label = run.label(*id);
            interval_json(&label.name, label.kind, did)
        };
        let labels: Vec<Value> = second.labels.iter().map(label).collect();
        let is_wanted = second.second >= from_s;
        if is_wanted {
            let data = json!({
                "from_s": second.second,
                "to_s": second.second + 1,
                "after_load": second.after_load,
                "users_active": second.generator.users_active,
                "in_flight": second.generator.in_flight,
                "total": interval_json("total", LabelKind::Request, &total),
                "labels": labels,
            });
            self.send("interval", &data);
        }
        self.judged.push(second.generator, total);
        if is_wanted {
            self.generator();
        }
    }

    /// How the generator did in the last seconds.
    fn generator(&mut self) {
        let Some(summary) = self.judged.summary() else {
            return;
        };
        let Some(last) = self.judged.last() else {
            return;
        };
        let busiest = last.threads.iter().map(|thread| thread.cpu_share);
        let mut data = json!({
            "second": last.second,
            "cpu_share": busiest.fold(0.0, f64::max),
            "send_lateness_p99_ms": last.send_lateness_p99_ns as f64 / 1e6,
            "rss_bytes": last.rss_bytes,
            "window_s": self.judged.count(),
        });
        let texts = |lang| -> Vec<String> {
            let reasons = summary.reason_details.iter();
            reasons
                .map(|reason| last_seconds_reason(reason, self.judged.count(), lang))
                .collect()
        };
        data["texts"] = json!({"en": texts(Lang::En), "zh": texts(Lang::Zh)});
        data["limited"] = summary.limited.into();
        data["reasons"] = json!(summary.reasons);
        data["warnings"] = json!(summary.warnings);
        self.send("generator", &data);
    }

    fn event(&mut self, place: i64, event: &StoredEvent) {
        self.cursor.event = place;
        let name = match event.kind.as_str() {
            "diagnosis" => "finding",
            _ => "event",
        };
        let data = event_json(event);
        self.send(name, &data);
    }

    fn end(&mut self, run: &Run, state: RunState) -> Result<(), StoreError> {
        let verdict = run.summary()?.map(|summary| summary.verdict);
        let state = crate::library::RunProgress::of(
            state,
            verdict.unwrap_or(plimsoll_stats::Verdict::Interrupted),
        );
        self.send("end", &json!({"state": state, "verdict": verdict}));
        Ok(())
    }
}

/// What all requests did in a second.
fn requests(run: &Run, second: &FollowedSecond) -> LabelInterval {
    let mut total = LabelInterval::default();
    for (id, did) in &second.labels {
        if run.label(*id).kind == LabelKind::Request {
            total.merge(did);
        }
    }
    total
}

/// An event of a run in JSON, in both languages: it is written once for all.
pub(crate) fn event_json(event: &StoredEvent) -> Value {
    json!({
        "at_s": event.at_ns as f64 / 1e9,
        "kind": event.kind,
        "args": event.args,
        "texts": {"en": event_text(event, Lang::En), "zh": event_text(event, Lang::Zh)},
    })
}

/// What a label did in an interval, as outputs tell it, with the slowest and each kind of error.
fn interval_json(name: &str, kind: LabelKind, did: &LabelInterval) -> Value {
    let mut told = label_json(name, kind, did);
    let kinds: serde_json::Map<String, Value> = did
        .errors_by_kind
        .iter()
        .map(|(kind, count)| (kind.name().to_owned(), count.into()))
        .collect();
    told["errors_by_kind"] = kinds.into();
    if let Some(response) = told["response_ms"].as_object_mut() {
        let max_ms = did.all_response().max_ns() as f64 / 1e6;
        response.insert("max".to_owned(), max_ms.into());
    }
    told
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::{GeneratorSecond, ThreadSecond};
    use plimsoll_store::{RunMeta, RunWriter};

    use super::*;

    #[test]
    fn who_comes_again_is_told_of_the_generator_what_all_others_are() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = RunWriter::create(dir.path(), &RunMeta::default()).unwrap();
        for second in 0..50_u32 {
            let thread = ThreadSecond {
                cpu_share: if second % 3 == 0 { 0.5 } else { 0.99 },
                ..ThreadSecond::default()
            };
            let own = GeneratorSecond {
                second: u64::from(second),
                threads: vec![thread],
                ..GeneratorSecond::default()
            };
            writer.write_second(second, &[], &own).unwrap();
        }
        let run = Run::open(writer.dir()).unwrap();
        let mut all = ChunkWriter::default();
        let whole = all.next(&run, None, 0).unwrap().unwrap().text;
        let whole = String::from_utf8(whole.to_vec()).unwrap();
        assert!(whole.contains(" % of the last 30 s"), "{whole}");
        for heard in [0, 1, 20, 31, 49] {
            let cursor = LiveCursor {
                second: heard,
                ..LiveCursor::default()
            };
            let mut again = ChunkWriter::behind(cursor, &run).unwrap();
            let rest = again.next(&run, None, 0).unwrap().unwrap().text;
            let rest = String::from_utf8(rest.to_vec()).unwrap();
            assert!(whole.ends_with(&rest), "behind {heard}: {rest}");
        }
    }
}
