//! What a search found, as JSON (`schema/capacity.schema.json`) and as a table.

use plimsoll_diagnose::json;
use plimsoll_report::{curve_text, diagnosis_text, mix_line, percent, short};
use plimsoll_stats::curve::LoadModel;
use plimsoll_stats::search::SearchEnd;
use plimsoll_text::{Align, Lang, Message, Table, render};
use serde_json::Value;

use super::{BeyondCapacity, Capacity, Measurement, load_with_unit};

/// Version of the JSON; rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// A search and its result, to be said in a language.
pub struct CapacityDocument {
    /// What was found.
    pub found: Capacity,
    lang: Lang,
}

/// A load with its unit.
fn load_text(model: LoadModel, load: f64, lang: Lang) -> String {
    render(lang, &load_with_unit(model, load))
}

impl CapacityDocument {
    /// Of what a search found.
    #[must_use]
    pub const fn of(found: Capacity, lang: Lang) -> Self {
        Self { found, lang }
    }

    /// As JSON says it.
    ///
    /// # Errors
    /// None: plain data always becomes JSON.
    pub fn json(&self) -> serde_json::Result<Value> {
        let mut all = serde_json::Map::new();
        all.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        if let Value::Object(found) = serde_json::to_value(&self.found)? {
            all.extend(found);
        }
        if let Some(beyond) = &self.found.beyond {
            let document = |diagnosis| json::document(&beyond.run, diagnosis, self.lang);
            let diagnosis = beyond.diagnosis.as_ref().map(document);
            all["beyond"]["diagnosis"] = serde_json::to_value(diagnosis)?;
        }
        Ok(Value::Object(all))
    }

    /// The measurements as a table, then the result in sentences, then what their curve shows.
    #[must_use]
    pub fn text(&self) -> String {
        let lang = self.lang;
        let mut text = format!("\n{}\n", self.table(lang));
        for message in self.sentences(lang) {
            text.push_str(&render(lang, &message));
            text.push('\n');
        }
        if let Some(curve) = &self.found.curve {
            text.push_str(&curve_text(curve, lang));
        }
        let beyond = self.found.beyond.as_ref();
        if let Some(diagnosis) = beyond.and_then(|beyond| beyond.diagnosis.as_ref()) {
            let title = render(lang, &Message::new("capacity-diagnosis"));
            let words = diagnosis_text(diagnosis, lang);
            text.push_str(&format!("\n{title}\n{words}"));
        }
        text
    }

    fn table(&self, lang: Lang) -> String {
        let say = |id: &str| render(lang, &Message::new(id));
        let load = match self.found.model {
            LoadModel::Users => "curve-users",
            LoadModel::Rate => "curve-rate",
        };
        let right = |id: &str| (say(id), Align::Right);
        let mut table = Table::new(vec![
            ("#".to_owned(), Align::Right),
            right(load),
            right("curve-throughput"),
            right("curve-mean"),
            right("report-column-p95"),
            right("report-column-error"),
            (say("capacity-worst"), Align::Left),
            (say("capacity-outcome"), Align::Left),
            (say("report-column-run"), Align::Left),
        ]);
        for (number, m) in self.found.measurements.iter().enumerate() {
            let goal = m.goals.get(m.worst_goal);
            let observed = goal.and_then(|goal| goal.observed).map(short);
            let worst = goal.map_or_else(String::new, |goal| {
                let observed = observed.unwrap_or_else(|| "–".to_owned());
                format!("{}: {observed} {}", goal.goal, goal.unit)
            });
            table.row(vec![
                (number + 1).to_string(),
                short(m.load),
                short(m.throughput_per_s.value),
                short(m.response_time_ms.value),
                short(m.p95_ms),
                plimsoll_report::percent(m.error_rate),
                worst,
                self.outcome(m, lang),
                m.run.clone(),
            ]);
        }
        table.to_text()
    }

    fn outcome(&self, m: &Measurement, lang: Lang) -> String {
        let flags = [
            (
                true,
                match (m.met, m.is_unclear()) {
                    (true, _) => "capacity-met",
                    (false, true) => "capacity-unclear",
                    (false, false) => "capacity-missed",
                },
            ),
            (m.stopped_early, "capacity-stopped-early"),
            (m.fell_behind, "capacity-fell-behind"),
            (!m.steady && !m.stopped_early, "capacity-unsteady"),
            (m.generator_limited, "capacity-limited"),
        ];
        let words: Vec<String> = flags
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, id)| render(lang, &Message::new(id)))
            .collect();
        words.join(", ")
    }

    fn sentences(&self, lang: Lang) -> Vec<Message> {
        let load = |load: f64| load_text(self.found.model, load, lang);
        let result = &self.found.result;
        let (low, high) = (result.low.unwrap_or(0.0), result.high.unwrap_or(0.0));
        let id = match (result.end, result.high) {
            (SearchEnd::Found, _) => "capacity-found",
            (SearchEnd::MetAtLargest, _) => "capacity-met-at-largest",
            (SearchEnd::MissedAtSmallest, _) => "capacity-missed-at-smallest",
            (SearchEnd::MeasurementsEnded | SearchEnd::OutOfReach, Some(_)) => "capacity-wide",
            (SearchEnd::MeasurementsEnded | SearchEnd::OutOfReach, None) => {
                "capacity-no-limit-seen"
            }
            (SearchEnd::Interrupted, _) if result.low.is_none() => "capacity-interrupted-missed",
            (SearchEnd::Interrupted, Some(_)) => "capacity-interrupted-between",
            (SearchEnd::Interrupted, None) => "capacity-interrupted-met",
        };
        let estimate = result.load.unwrap_or(high);
        let mut all = vec![
            Message::new(id)
                .with("load", load(estimate))
                .with("low", load(low))
                .with("high", load(high))
                .with("apart", percent(result.precision.unwrap_or(0.0)))
                .with("count", result.measurements),
        ];
        // Users are whole: next to each other they are as near as they can be.
        let next_to = self.found.model == LoadModel::Users && high - low <= 1.0;
        if result.end == SearchEnd::Found
            && !next_to
            && result.precision > Some(result.precision_asked * (1.0 + 1e-9))
        {
            let asked = percent(result.precision_asked);
            all.push(Message::new("capacity-not-as-asked").with("asked", asked));
        }
        if let Some(beyond) = &self.found.beyond {
            all.push(self.just_beyond(beyond, lang));
        }
        if self.found.generator_limited {
            all.push(Message::new("capacity-generator"));
        }
        all.extend(self.found.mix.as_ref().map(mix_line));
        all
    }

    /// What failed at the lowest load that counts as missed: a goal, or the target fell behind.
    fn just_beyond(&self, beyond: &BeyondCapacity, lang: Lang) -> Message {
        let observed = beyond.goal.observed.map_or_else(|| "–".to_owned(), short);
        let mut all = self.found.measurements.iter();
        let measurement = all.find(|m| m.run == beyond.run);
        let id = match measurement {
            Some(m) if beyond.goal.met && m.fell_behind => "capacity-beyond-behind",
            Some(m) if m.is_unclear() => "capacity-beyond-unclear",
            _ => "capacity-beyond",
        };
        Message::new(id)
            .with("load", load_text(self.found.model, beyond.load, lang))
            .with("goal", beyond.goal.goal.as_str())
            .with("observed", format!("{observed} {}", beyond.goal.unit))
            .with("run", beyond.run.as_str())
    }
}
