//! Jolokia: management beans of a JVM over HTTP, all in one POST a look.

mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;

use plimsoll_stats::series::SeriesKey;
use plimsoll_text::Message;
use serde_json::{Value, json};

use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::http::{EndpointAccess, OriginClient};
use crate::source::{Opened, Spec};

use table::{BEANS, Bean, BeanField};

/// Opens Jolokia by its base address.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let client = OriginClient::new(EndpointAccess::of(spec, "/jolokia/")?);
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
    client: OriginClient,
    entities: Entities,
    request: Vec<u8>,
}

impl Collector for Jolokia {
    fn nearness(&self) -> Nearness {
        Nearness::Beans
    }

    fn about(&self) -> String {
        format!("jolokia {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let response = self
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
            let response: Value = serde_json::from_slice(&response.body)
                .map_err(|error| no_json(error.to_string()))?;
            let parts = response
                .as_array()
                .filter(|parts| parts.len() == BEANS.len());
            let parts = parts.ok_or_else(|| no_json("no response to each part".to_owned()))?;
            if !tell_all(&mut self.entities, parts, look) {
                let message = Message::new("watch-jolokia-nothing");
                return Err(Trouble::new(message.with("url", self.client.shown())));
            }
            Ok(())
        })
    }
}

/// Says what each part of the response holds; false: nothing.
fn tell_all(entities: &mut Entities, parts: &[Value], look: &mut Look) -> bool {
    let mut points = BTreeMap::new();
    for (bean, part) in BEANS.iter().zip(parts) {
        // 404: no such bean, as on another web server.
        if part["status"] == 200 {
            tell(entities, bean, &part["value"], &mut points, look);
        }
    }
    let any = !points.is_empty();
    for (key, value) in points {
        look.point(key, value);
    }
    any
}

/// Says what beans of one kind hold.
fn tell(
    entities: &mut Entities,
    bean: &Bean,
    value: &Value,
    points: &mut BTreeMap<SeriesKey, f64>,
    look: &mut Look,
) {
    let entity = entities.get(bean.of);
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
        let of = property.as_ref().map_or("", |(_, of)| of.as_str());
        for field in bean.fields {
            let Some(number) = field.value(of, values) else {
                continue;
            };
            let key = SeriesKey {
                entity: entity.clone(),
                name: Cow::Borrowed(field.metric.name),
                attributes: attributes(bean, field, property.as_ref(), values),
                unit: Cow::Borrowed(field.metric.unit),
                kind: field.metric.kind,
            };
            // Contexts of one server, and fields that are parts of one series.
            let merged = points.entry(key);
            merged
                .and_modify(|before| *before = field.metric.merge(*before, number))
                .or_insert(number);
        }
        for fact in bean.facts {
            let value = &values[*fact];
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            if !value.is_null() && !value.is_object() && !value.is_array() {
                let dot = if of.is_empty() { "" } else { "." };
                let text = plimsoll_secrets::value(fact, &text).into_owned();
                look.fact(&entity, format!("{}.{of}{dot}{fact}", bean.facts_of), text);
            }
        }
    }
}

/// The attributes of a number, sorted.
fn attributes(
    bean: &Bean,
    field: &BeanField,
    property: Option<&(&'static str, String)>,
    values: &Value,
) -> Vec<(Cow<'static, str>, String)> {
    let mut all: Vec<_> = property
        .filter(|_| !field.summed)
        .into_iter()
        .flat_map(|(to, of)| {
            let said = bean.named.and_then(|(name, say)| Some((name, say(of)?)));
            let said = said.map(|(name, value)| (name, value.to_owned()));
            std::iter::once((*to, of.clone())).chain(said)
        })
        .chain(
            field
                .fixed
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        )
        .chain(bean.text(values))
        .map(|(name, value)| (Cow::Borrowed(name), value))
        .collect();
    all.sort_unstable();
    all
}

/// For tests: what is said of these beans, by the patterns that are asked for.
#[cfg(test)]
pub(crate) fn said_of(entities: &mut Entities, beans: impl Fn(&str) -> Option<Value>) -> Look {
    let part = |bean: &Bean| match beans(bean.pattern) {
        Some(value) => json!({"status": 200, "value": value}),
        None => json!({"status": 404}),
    };
    let parts: Vec<Value> = BEANS.iter().map(part).collect();
    let mut look = Look::at(1);
    tell_all(entities, &parts, &mut look);
    look
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
