//! What a calibration found, as JSON (`schema/calibration.schema.json`) and in words.

use plimsoll_report::short;
use plimsoll_stats::Ceiling;
use plimsoll_stats::ceiling::CeilingStep;
use plimsoll_stats::generator::RUNQUEUE_WAIT_LIMIT;
use plimsoll_text::{Align, Lang, Message, Table, render};
use serde::Serialize;

/// Version of the JSON; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// A calibration and its result.
#[derive(Debug, Serialize)]
pub struct CalibrationDocument {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The result.
    pub ceiling: Ceiling,
    /// The numbers of users in their order.
    pub steps: Vec<CeilingStep>,
    /// The file that the result is kept in; null if it is not.
    pub kept: Option<String>,
}

impl CalibrationDocument {
    /// The steps as a table, then the result in sentences.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        let mut text = format!("\n{}\n", self.table(lang));
        for message in self.sentences() {
            text.push_str(&render(lang, &message));
            text.push('\n');
        }
        text
    }

    fn table(&self, lang: Lang) -> String {
        let right = |id: &str| (render(lang, &Message::new(id.to_owned())), Align::Right);
        let mut table = Table::new(vec![
            right("curve-users"),
            right("curve-throughput"),
            right("curve-mean"),
            right("calibrate-generator-cpus"),
            right("calibrate-page-cpus"),
        ]);
        for step in &self.steps {
            let page = step.page_cpus.map_or_else(|| "–".to_owned(), short);
            table.row(vec![
                step.users.to_string(),
                short(step.throughput_per_s),
                short(step.response_time_ms),
                short(step.generator_cpus),
                page,
            ]);
        }
        table.to_text()
    }

    fn sentences(&self) -> Vec<Message> {
        let ceiling = &self.ceiling;
        let result = Message::new("calibrate-ceiling")
            .with("measured", short(ceiling.measured_per_s))
            .with("users", ceiling.users)
            .with("threads", ceiling.threads)
            .with("micros", short(ceiling.cpu_us_per_request))
            .with("core", short(ceiling.per_core_per_s))
            .with("all", short(ceiling.all_cores_per_s))
            .with("cpus", short(ceiling.machine.cpus));
        let limit = format!("calibrate-limit-{}", ceiling.limit.name().replace('_', "-"));
        let mut all = vec![result, Message::new(limit)];
        let best = self.steps.iter().find(|step| step.users == ceiling.users);
        let waited = best.map_or(0.0, |step| step.waiting_share);
        if waited >= RUNQUEUE_WAIT_LIMIT {
            let percent = (waited * 100.0).round();
            all.push(Message::new("calibrate-waited").with("percent", percent));
        }
        if let Some(share) = ceiling.page_share {
            let percent = (share * 100.0).round();
            all.push(Message::new("calibrate-page-share").with("percent", percent));
        }
        if let Some(path) = &self.kept {
            all.push(Message::new("calibrate-kept").with("path", path.as_str()));
        }
        all
    }
}
