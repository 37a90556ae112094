//! Settings in force (`/configprops`, `/env`) and health.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;
use serde_json::{Map, Value};

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::http::Client;
use crate::names::application as names;
use crate::redact;

const JSON: &str = "application/json";
/// Health may ask databases: seldom.
const PERIOD: Duration = Duration::from_secs(10);
/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// Facts of one application are no more than that.
const MAX_FACTS: usize = 400;

/// Settings that tell of capacity, by how they begin.
const WANTED: &[&str] = &[
    "server.",
    "management.server.",
    "spring.datasource.",
    "spring.data.redis.",
    "spring.redis.",
    "spring.threads.",
    "spring.task.",
    "spring.mvc.async.",
    "spring.webflux.",
    "spring.jpa.",
    "spring.session.",
    "spring.servlet.",
    "spring.cache.",
    "spring.cloud.gateway.httpclient.",
    "spring.application.name",
    "spring.main.",
    "logging.level.",
    "java.version",
    "java.vm.name",
    "PID",
];

pub(super) struct Facts {
    client: Client,
    entities: Entities,
    settings_at: Option<Instant>,
    status: BTreeMap<String, String>,
}

impl Facts {
    pub(super) fn new(client: Client, entities: Entities) -> Self {
        Self {
            client,
            entities,
            settings_at: None,
            status: BTreeMap::new(),
        }
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let due = self
            .settings_at
            .is_none_or(|at| at.elapsed() >= SETTINGS_PERIOD);
        if due {
            self.settings(look).await?;
            self.settings_at = Some(Instant::now());
        }
        self.health(look).await
    }

    async fn settings(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let mut settings = Settings::default();
        // What is in force stands above what was asked for.
        if let Some(answer) = self.json("configprops", look).await? {
            settings.configprops(&answer);
        }
        if let Some(answer) = self.json("env", look).await? {
            settings.env(&answer);
        }
        let entity = self.entities.get(EntityKind::Application);
        for (name, value) in settings.found.into_iter().take(MAX_FACTS) {
            look.fact(&entity, name, value);
        }
        if settings.masked {
            let message = Message::new("watch-actuator-masked").with("url", self.client.shown());
            look.missing(&entity, message);
        }
        Ok(())
    }

    /// An endpoint's answer; an endpoint that is not exposed is told of.
    async fn json(&mut self, endpoint: &str, look: &mut Look) -> Result<Option<Value>, Trouble> {
        let answer = self.client.try_get(endpoint, JSON).await?;
        if matches!(answer.status, 401 | 403 | 404) {
            let message = Message::new("watch-actuator-not-exposed")
                .with("url", self.client.shown())
                .with("endpoint", endpoint)
                .with("status", answer.status);
            look.missing(&self.entities.get(EntityKind::Application), message);
            return Ok(None);
        }
        let answer = self.client.check(endpoint, answer)?;
        let value = serde_json::from_slice(&answer.body);
        value.map(Some).map_err(|error| {
            Trouble::new(
                Message::new("watch-http-no-json")
                    .with("url", self.client.join(endpoint).as_str())
                    .with("reason", error.to_string()),
            )
        })
    }

    async fn health(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let answer = self.client.try_get("health", JSON).await?;
        // Down is told with status 503.
        let Ok(health) = serde_json::from_slice::<Value>(&answer.body) else {
            return Ok(());
        };
        let Some(status) = health["status"].as_str() else {
            return Ok(());
        };
        self.told(look, "", status);
        let parts = health["components"].as_object();
        for (name, part) in parts.into_iter().flatten().take(50) {
            if let Some(status) = part["status"].as_str() {
                self.told(look, name, status);
            }
        }
        Ok(())
    }

    fn told(&mut self, look: &mut Look, component: &str, status: &str) {
        let entity = self.entities.get(EntityKind::Application);
        let value = f64::from(u8::from(status == "UP"));
        let attributes = [("health.component", component)];
        let attributes = &attributes[..usize::from(!component.is_empty())];
        look.value(&entity, &names::HEALTH, attributes, value);
        let before = self.status.insert(component.to_owned(), status.to_owned());
        if before.is_some_and(|before| before != status) {
            let message = Message::new("watch-health-changed")
                .with("component", component)
                .with("status", status);
            look.event(&entity, message);
        }
    }
}

impl Collector for Facts {
    fn about(&self) -> String {
        format!("actuator settings {}", self.client.shown())
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}

/// Settings that were found.
#[derive(Default)]
struct Settings {
    found: BTreeMap<String, String>,
    /// Spring hides their values.
    masked: bool,
}

impl Settings {
    /// Beans with a prefix and their properties, of every context.
    fn configprops(&mut self, answer: &Value) {
        let contexts = answer["contexts"].as_object();
        let beans = contexts
            .into_iter()
            .flat_map(Map::values)
            .filter_map(|context| context["beans"].as_object());
        for bean in beans.flat_map(Map::values) {
            if let Some(prefix) = bean["prefix"].as_str() {
                self.flatten(prefix, &bean["properties"], 0);
            }
        }
    }

    fn flatten(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Object(parts) if depth < 8 => {
                for (part, value) in parts {
                    self.flatten(&format!("{name}.{}", kebab(part)), value, depth + 1);
                }
            }
            Value::Bool(_) | Value::Number(_) => self.add(name, &value.to_string()),
            Value::String(text) => self.add(name, text),
            _ => {}
        }
    }

    /// Property sources, the strongest first.
    fn env(&mut self, answer: &Value) {
        let profiles = answer["activeProfiles"].as_array();
        let profiles: Vec<_> = profiles
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !profiles.is_empty() {
            self.found
                .insert("spring.profiles.active".to_owned(), profiles.join(","));
        }
        let sources = answer["propertySources"].as_array();
        let properties = sources
            .into_iter()
            .flatten()
            .filter_map(|source| source["properties"].as_object());
        for (name, property) in properties.flatten() {
            self.flatten(name, &property["value"], 8);
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        let wanted = |begin: &&str| name.starts_with(begin);
        if value.is_empty() || !WANTED.iter().any(wanted) || self.found.contains_key(name) {
            return;
        }
        if value.bytes().all(|byte| byte == b'*') {
            self.masked |= !redact::is_secret(name);
            return;
        }
        let value = redact::setting(name, value).chars().take(200).collect();
        self.found.insert(name.to_owned(), value);
    }
}

/// `maxConnections` as settings are written: `max-connections`.
fn kebab(name: &str) -> String {
    let mut written = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !written.is_empty() {
            written.push('-');
        }
        written.extend(letter.to_lowercase());
    }
    written
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_in_force_come_first_and_secrets_stay_where_they_are() {
        let mut settings = Settings::default();
        settings.configprops(&json!({"contexts": {"app": {"beans": {
            "serverProperties": {"prefix": "server", "properties": {
                "tomcat": {"threads": {"max": 10}, "maxConnections": 99, "acceptCount": 7},
                "ssl": {"keyStorePassword": "abc"}, "port": "******"}},
            "dataSource": {"prefix": "spring.datasource.hikari", "properties": {
                "maximumPoolSize": 2, "jdbcUrl": "jdbc:mysql://db/x?password=abc", "password": "abc"}},
            "other": {"prefix": "my.app", "properties": {"a": 1}}}}}}));
        settings.env(&json!({"activeProfiles": ["prod"], "propertySources": [
            {"name": "args", "properties": {"server.tomcat.threads.max": {"value": "11"},
                "spring.threads.virtual.enabled": {"value": "true"}}}]}));
        let found: Vec<_> = settings
            .found
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("server.ssl.key-store-password", "***"),
                ("server.tomcat.accept-count", "7"),
                ("server.tomcat.max-connections", "99"),
                ("server.tomcat.threads.max", "10"),
                (
                    "spring.datasource.hikari.jdbc-url",
                    "jdbc:mysql://db/x?password=***"
                ),
                ("spring.datasource.hikari.maximum-pool-size", "2"),
                ("spring.datasource.hikari.password", "***"),
                ("spring.profiles.active", "prod"),
                ("spring.threads.virtual.enabled", "true"),
            ]
        );
        assert!(settings.masked);
    }

    #[test]
    fn answers_of_another_shape_say_nothing() {
        for answer in [
            json!(null),
            json!([1]),
            json!({"contexts": [1], "propertySources": {"a": 1}}),
        ] {
            let mut settings = Settings::default();
            settings.configprops(&answer);
            settings.env(&answer);
            assert!(settings.found.is_empty());
        }
    }
}
