//! Jolokia: management beans of a JVM over HTTP, all in one POST a look.

mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;

use plimsoll_stats::series::SeriesKey;
use plimsoll_text::Message;
use serde_json::{Value, json};

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::http::{Access, Client};
use crate::source::{Opened, Spec};

use table::{BEANS, Bean};

/// Options of Jolokia.
pub(crate) const OPTIONS: &[&str] = &[
    "name",
    "user",
    "password-env",
    "password-file",
    "token-env",
    "token-file",
    "ca-file",
    "insecure",
];

/// Opens Jolokia by its base address.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let client = Client::new(Access::of(spec, "/jolokia/")?);
    let entities = Entities::of(spec, &client.authority());
    Ok(Opened {
        collectors: vec![Box::new(Jolokia {
            client,
            entities,
            request: request(),
        })],
        captures: Vec::new(),
    })
}

/// One read for each kind of bean; a pattern that finds none is an error of that part alone.
fn request() -> Vec<u8> {
    let reads: Value = BEANS
        .iter()
        .map(|bean| {
            let attributes: Vec<_> = bean.attributes().collect();
            json!({
                "type": "read",
                "mbean": bean.pattern,
                "attribute": attributes,
                "config": {"ignoreErrors": true},
            })
        })
        .collect();
    reads.to_string().into_bytes()
}

struct Jolokia {
    client: Client,
    entities: Entities,
    request: Vec<u8>,
}

impl Collector for Jolokia {
    fn about(&self) -> String {
        format!("jolokia {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let answer = self
                .client
                .post_json("", self.request.clone().into())
                .await?;
            let url = self.client.shown().to_owned();
            let no_json = |reason: String| {
                Trouble::new(
                    Message::new("watch-http-no-json")
                        .with("url", url.as_str())
                        .with("reason", reason),
                )
            };
            let answer: Value =
                serde_json::from_slice(&answer.body).map_err(|error| no_json(error.to_string()))?;
            let parts = answer.as_array().filter(|parts| parts.len() == BEANS.len());
            let parts = parts.ok_or_else(|| no_json("no answer to each part".to_owned()))?;
            let mut points = BTreeMap::new();
            for (bean, part) in BEANS.iter().zip(parts) {
                // 404: no such bean, as on another web server.
                if part["status"] == 200 {
                    self.tell(bean, &part["value"], &mut points, look);
                }
            }
            if points.is_empty() {
                let message = Message::new("watch-jolokia-nothing");
                return Err(Trouble::new(message.with("url", self.client.shown())));
            }
            for (key, value) in points {
                look.point(key, value);
            }
            Ok(())
        })
    }
}

impl Jolokia {
    fn tell(
        &mut self,
        bean: &Bean,
        value: &Value,
        points: &mut BTreeMap<SeriesKey, f64>,
        look: &mut Look,
    ) {
        let entity = self.entities.get(bean.of);
        let single = [(bean.pattern.to_owned(), value)];
        let many = value.as_object().filter(|_| bean.pattern.contains('*'));
        let found: Vec<(String, &Value)> = match many {
            Some(many) => many
                .iter()
                .map(|(name, value)| (name.clone(), value))
                .collect(),
            None => single.into(),
        };
        for (name, values) in found {
            let property = bean.property.map(|(key, to)| (to, property(&name, key)));
            for field in bean.fields {
                let Some(number) = field.value(values) else {
                    continue;
                };
                let mut attributes: Vec<_> = property
                    .iter()
                    .cloned()
                    .chain(
                        field
                            .fixed
                            .iter()
                            .map(|(name, value)| (*name, (*value).to_owned())),
                    )
                    .chain(bean.text(values))
                    .map(|(name, value)| (Cow::Borrowed(name), value))
                    .collect();
                attributes.sort_unstable();
                let key = SeriesKey {
                    entity: entity.clone(),
                    name: Cow::Borrowed(field.metric.name),
                    attributes,
                    unit: Cow::Borrowed(field.metric.unit),
                    kind: field.metric.kind,
                };
                // Contexts of one server are summed.
                *points.entry(key).or_default() += number;
            }
            for fact in bean.facts {
                let value = &values[*fact];
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                if !value.is_null() && !value.is_object() && !value.is_array() {
                    let of = property.as_ref().map_or("", |(_, of)| of.as_str());
                    let dot = if of.is_empty() { "" } else { "." };
                    let text = plimsoll_secrets::value(fact, &text).into_owned();
                    look.fact(&entity, format!("{}.{of}{dot}{fact}", bean.facts_of), text);
                }
            }
        }
    }
}

/// A property of a bean's name: `Tomcat:name="http-nio-8080",type=ThreadPool`.
fn property(name: &str, key: &str) -> String {
    let (_, properties) = name.split_once(':').unwrap_or(("", name));
    let mut rest = properties;
    while let Some((found, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        if found.trim_start_matches(',') == key {
            // Hikari's pools stand in brackets.
            let begins = ["Pool (", "PoolConfig ("];
            let inside = begins.iter().find_map(|begin| value.strip_prefix(begin));
            let inside = inside.and_then(|value| value.strip_suffix(')'));
            return inside.unwrap_or(value).to_owned();
        }
        rest = next;
    }
    String::new()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn properties_of_names() {
        let name = "Tomcat:name=\"http-nio-127.0.0.1-8080\",type=ThreadPool";
        assert_eq!(property(name, "name"), "http-nio-127.0.0.1-8080");
        assert_eq!(property(name, "type"), "ThreadPool");
        assert_eq!(
            property("java.lang:type=GarbageCollector,name=G1 Old", "name"),
            "G1 Old"
        );
        assert_eq!(property("com.zaxxer.hikari:type=Pool (a)", "type"), "a");
        assert_eq!(property("x:a=b", "c"), "");
    }

    proptest! {
        #[test]
        fn any_name_is_taken(name in "[a-z=,\":( )]*") {
            let _ = property(&name, "a");
        }
    }
}
