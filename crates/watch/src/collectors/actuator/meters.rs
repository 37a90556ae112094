//! `/metrics/NAME`: meters one by one, for applications without Micrometer's Prometheus
//! registry. What is read is written as Prometheus would have it, so that one table serves
//! both.

use std::collections::VecDeque;
use std::fmt::Write;

use plimsoll_text::Message;
use serde::Deserialize;

use crate::collector::{Look, Trouble};
use crate::collectors::prometheus::{Exposition, Mapper, labels_of};
use crate::http::{EndpointResponse, OriginClient};

const JSON: &str = "application/json";
/// Questions asked for one meter, and for all.
const MAX_A_METER: usize = 40;
const MAX_QUESTIONS: usize = 160;
/// Meters are listed again after so many looks: some appear with the first request.
const LOOKS_OF_A_LIST: u32 = 6;

/// What the actuator responds.
#[derive(Deserialize)]
struct MeterNames {
    names: Vec<String>,
}

/// One meter's response.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meter {
    base_unit: Option<String>,
    measurements: Vec<MeterMeasurement>,
    available_tags: Vec<MeterTag>,
}

#[derive(Deserialize)]
struct MeterMeasurement {
    statistic: String,
    value: Option<f64>,
}

#[derive(Deserialize)]
struct MeterTag {
    tag: String,
    values: Vec<String>,
}

/// One question: a meter with some tags chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Question {
    name: String,
    tags: Vec<(String, String)>,
}

impl Question {
    fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (tag, value) in &self.tags {
            query.append_pair("tag", &format!("{tag}:{value}"));
        }
        format!("metrics/{}?{}", self.name, query.finish())
    }
}

/// The meters of one actuator.
pub(super) struct Meters {
    /// Not looked into yet.
    open: VecDeque<Question>,
    /// Known to have one value each.
    questions: Vec<Question>,
    looks: u32,
}

impl Meters {
    /// Asks which meters there are.
    pub(super) async fn list(client: &mut OriginClient) -> Result<Self, Trouble> {
        let response = client.get("metrics", JSON).await?;
        let listed: MeterNames = read(client, "metrics", &response)?;
        let known = |name: &String| labels_of(&prometheus_name(name)).is_some();
        let open = listed.names.into_iter().filter(known);
        Ok(Self {
            open: open
                .map(|name| Question {
                    name,
                    tags: Vec::new(),
                })
                .collect(),
            questions: Vec::new(),
            looks: 0,
        })
    }

    /// Looks at all of them; false: they are to be listed again.
    pub(super) async fn collect(
        &mut self,
        client: &mut OriginClient,
        mapper: &mut Mapper,
        look: &mut Look,
    ) -> Result<bool, Trouble> {
        self.looks += 1;
        let mut text = String::new();
        let asked = self.ask_all(client, &mut text).await;
        // What was heard before a failure still counts.
        mapper.tell(&Exposition::parse(&text), look);
        asked?;
        Ok(self.looks < LOOKS_OF_A_LIST)
    }

    async fn ask_all(
        &mut self,
        client: &mut OriginClient,
        text: &mut String,
    ) -> Result<(), Trouble> {
        for question in &self.questions {
            if let Some(meter) = ask(client, question).await? {
                write_meter(question, &meter, text);
            }
        }
        // Taken out when the response is there: a look may be dropped meanwhile.
        while let Some(question) = self.open.front().cloned() {
            let meter = ask(client, &question).await?;
            self.open.pop_front();
            let Some(meter) = meter else { continue };
            match self.branches(&question, &meter) {
                Some(more) => self.open.extend(more),
                None if self.questions.len() < MAX_QUESTIONS => {
                    let question = with_single_tags(question, &meter);
                    write_meter(&question, &meter, text);
                    self.questions.push(question);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The questions that a question falls into: one for each value of a tag that the tables
    /// want and that has several. None: it has one response.
    fn branches(&self, question: &Question, meter: &Meter) -> Option<Vec<Question>> {
        let wanted = labels_of(&prometheus_name(&question.name))?;
        let tag = meter.available_tags.iter().find(|tag| {
            tag.values.len() > 1 && wanted.contains(&prometheus_name(&tag.tag).as_str())
        })?;
        let same = |other: &&Question| other.name == question.name;
        let before =
            self.open.iter().filter(same).count() + self.questions.iter().filter(same).count();
        if before + tag.values.len() > MAX_A_METER {
            return Some(Vec::new());
        }
        let with = |value: &String| {
            let mut branch = question.clone();
            branch.tags.push((tag.tag.clone(), value.clone()));
            branch
        };
        Some(tag.values.iter().map(with).collect())
    }
}

/// Tags with one value say which one it is.
fn with_single_tags(mut question: Question, meter: &Meter) -> Question {
    for tag in &meter.available_tags {
        if let [value] = tag.values.as_slice() {
            question.tags.push((tag.tag.clone(), value.clone()));
        }
    }
    question
}

/// A meter that is gone is none.
async fn ask(client: &mut OriginClient, question: &Question) -> Result<Option<Meter>, Trouble> {
    let path = question.path();
    let response = client.try_get(&path, JSON).await?;
    if response.status == 404 {
        return Ok(None);
    }
    let response = client.check(&path, response)?;
    read(client, &path, &response).map(Some)
}

fn read<'a, T: Deserialize<'a>>(
    client: &OriginClient,
    path: &str,
    response: &'a EndpointResponse,
) -> Result<T, Trouble> {
    serde_json::from_slice(&response.body).map_err(|error| {
        Trouble::new(
            Message::new("watch-http-no-json")
                .with("url", client.join(path).as_str())
                .with("reason", error.to_string()),
        )
    })
}

fn prometheus_name(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// Writes a meter's measurements as Prometheus' samples, named as Micrometer's Prometheus
/// registry does: with the base unit and the statistic at the end.
fn write_meter(question: &Question, meter: &Meter, out: &mut String) {
    let mut name = prometheus_name(&question.name);
    if let Some(unit) = meter.base_unit.as_deref().filter(|unit| !unit.is_empty()) {
        let end = format!("_{}", prometheus_name(unit));
        if !name.ends_with(&end) {
            name.push_str(&end);
        }
    }
    let summed = meter
        .measurements
        .iter()
        .any(|one| matches!(one.statistic.as_str(), "TOTAL" | "TOTAL_TIME"));
    for one in &meter.measurements {
        let Some(value) = one.value else { continue };
        let end = match one.statistic.as_str() {
            "COUNT" if summed => "_count",
            "COUNT" if !name.ends_with("_total") => "_total",
            "TOTAL" | "TOTAL_TIME" => "_sum",
            "MAX" => "_max",
            "ACTIVE_TASKS" => "_active_count",
            "DURATION" => "_duration_sum",
            _ => "",
        };
        let _ = write!(out, "{name}{end}{{");
        for (tag, value) in &question.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let value = value.replace('\n', "\\n");
            let _ = write!(out, "{}=\"{value}\",", prometheus_name(tag));
        }
        let _ = writeln!(out, "}} {value}");
    }
}

/// For tests: what a meter with these tags becomes.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) fn as_text(name: &str, tags: &[(&str, &str)], response: &serde_json::Value) -> String {
    let tags = tags.iter();
    let question = Question {
        name: name.to_owned(),
        tags: tags
            .map(|(tag, value)| ((*tag).to_owned(), (*value).to_owned()))
            .collect(),
    };
    let mut text = String::new();
    let meter = serde_json::from_value(response.clone()).unwrap();
    write_meter(&question, &meter, &mut text);
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn meters_are_written_as_prometheus_has_them() {
        let written = |name: &str, json: &str| {
            let question = Question {
                name: name.to_owned(),
                tags: vec![("id".to_owned(), "a\"b".to_owned())],
            };
            let mut text = String::new();
            write_meter(&question, &serde_json::from_str(json).unwrap(), &mut text);
            text
        };
        assert_eq!(
            written(
                "jvm.gc.pause",
                r#"{"name":"jvm.gc.pause","baseUnit":"seconds","measurements":[
                {"statistic":"COUNT","value":2.0},{"statistic":"TOTAL_TIME","value":0.5},
                {"statistic":"MAX","value":0.25}],"availableTags":[]}"#
            ),
            "jvm_gc_pause_seconds_count{id=\"a\\\"b\",} 2\njvm_gc_pause_seconds_sum{id=\"a\\\"b\",} 0.5\n\
             jvm_gc_pause_seconds_max{id=\"a\\\"b\",} 0.25\n"
        );
        assert_eq!(
            written(
                "logback.events",
                r#"{"baseUnit":"events","measurements":[{"statistic":"COUNT","value":7}],
                "availableTags":[]}"#
            ),
            "logback_events_total{id=\"a\\\"b\",} 7\n"
        );
        assert_eq!(
            written(
                "process.cpu.usage",
                r#"{"measurements":[{"statistic":"VALUE","value":0.5}],"availableTags":[]}"#
            ),
            "process_cpu_usage{id=\"a\\\"b\",} 0.5\n"
        );
    }
}
