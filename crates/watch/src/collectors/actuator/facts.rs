//! Settings in force (`/configprops`, `/env`) and health.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;
use serde_json::{Map, Value};

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::http::{EndpointResponse, OriginClient};
use crate::names::application as names;

const JSON: &str = "application/json";
/// Health may ask databases: seldom.
const PERIOD: Duration = Duration::from_secs(10);
/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// Facts of one application are no more than that.
const MAX_FACTS: usize = 400;

/// Settings that say how much the application carries and what it does beside, by how they
/// begin. Hundreds of others are left out.
const WANTED: &[&str] = &[
    "server.address",
    "server.compression.",
    "server.http2.enabled",
    "server.max-http-request-header-size",
    "server.port",
    "server.servlet.context-path",
    "server.servlet.session.timeout",
    "server.shutdown",
    "server.ssl.enabled",
    "management.server.address",
    "management.server.port",
    "spring.application.name",
    "spring.cache.",
    "spring.cloud.gateway.httpclient.",
    "spring.cloud.gateway.server.webflux.httpclient.",
    "spring.data.redis.",
    "spring.datasource.dbcp2.",
    "spring.datasource.driver-class-name",
    "spring.datasource.druid.",
    "spring.datasource.hikari.",
    "spring.datasource.tomcat.",
    "spring.datasource.type",
    "spring.datasource.url",
    "spring.jpa.open-in-view",
    "spring.jpa.properties.",
    "spring.jpa.show-sql",
    "spring.main.lazy-initialization",
    "spring.main.web-application-type",
    "spring.mvc.async.",
    "spring.redis.",
    "spring.session.store-type",
    "spring.session.timeout",
    "spring.task.execution.mode",
    "spring.task.execution.pool.",
    "spring.task.scheduling.pool.",
    "spring.threads.",
    "logging.level.",
    "java.version",
    "java.vm.name",
    "PID",
];
/// Of `server.tomcat.` and the other web servers, what follows begins so. Spring tells the
/// settings of all of them, whichever runs.
const SERVERS: &[&str] = &["jetty", "netty", "tomcat", "undertow"];
const OF_SERVERS: &[&str] = &[
    "accept-count",
    "accesslog.buffered",
    "accesslog.enabled",
    "always-set-keep-alive",
    "buffer-size",
    "connection-idle-timeout",
    "connection-timeout",
    "direct-buffers",
    "idle-timeout",
    "io-threads",
    "keep-alive-timeout",
    "max-connections",
    "max-keep-alive-requests",
    "max-threads",
    "mbeanregistry.enabled",
    "min-spare-threads",
    "no-request-timeout",
    "options.",
    "processor-cache",
    "resource.allow-caching",
    "threads.",
    "use-apr",
    "worker-threads",
];

fn is_wanted(name: &str) -> bool {
    let begins = |text: &str, begins: &[&str]| begins.iter().any(|begin| text.starts_with(begin));
    let of_server = name.strip_prefix("server.").and_then(|rest| {
        let (server, setting) = rest.split_once('.')?;
        SERVERS.contains(&server).then_some(setting)
    });
    let wanted = match of_server {
        Some(setting) => begins(setting, OF_SERVERS),
        None => begins(name, WANTED),
    };
    // A secret's value is not told, and that there is one says nothing.
    wanted && !plimsoll_secrets::is_secret(name)
}

pub(super) struct ActuatorFacts {
    client: OriginClient,
    entities: Entities,
    settings_at: Option<Instant>,
    status: BTreeMap<String, String>,
}

impl ActuatorFacts {
    pub(super) fn new(client: OriginClient, entities: Entities) -> Self {
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
        let mut settings = ActuatorSettings::default();
        // What is in force stands above what was asked for.
        if let Some(response) = self.known_json("loggers").await? {
            settings.loggers(&response);
        }
        if let Some(response) = self.json("configprops", look).await? {
            settings.configprops(&response);
        }
        if let Some(response) = self.json("env", look).await? {
            settings.env(&response);
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

    /// An endpoint's response; an endpoint that is not exposed is told of.
    async fn json(&mut self, endpoint: &str, look: &mut Look) -> Result<Option<Value>, Trouble> {
        let response = self.client.try_get(endpoint, JSON).await?;
        if matches!(response.status, 401 | 403 | 404) {
            let message = Message::new("watch-actuator-not-exposed")
                .with("url", self.client.shown())
                .with("endpoint", endpoint)
                .with("status", response.status);
            look.missing(&self.entities.get(EntityKind::Application), message);
            return Ok(None);
        }
        self.parse(endpoint, response).map(Some)
    }

    /// The response of an endpoint that need not be there.
    async fn known_json(&mut self, endpoint: &str) -> Result<Option<Value>, Trouble> {
        let response = self.client.try_get(endpoint, JSON).await?;
        match response.status {
            200 => self.parse(endpoint, response).map(Some),
            _ => Ok(None),
        }
    }

    fn parse(&self, endpoint: &str, response: EndpointResponse) -> Result<Value, Trouble> {
        let response = self.client.check(endpoint, response)?;
        serde_json::from_slice(&response.body).map_err(|error| {
            Trouble::new(
                Message::new("watch-http-no-json")
                    .with("url", self.client.join(endpoint).as_str())
                    .with("reason", error.to_string()),
            )
        })
    }

    async fn health(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let response = self.client.try_get("health", JSON).await?;
        // Down is told with status 503.
        let Ok(health) = serde_json::from_slice::<Value>(&response.body) else {
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

impl Collector for ActuatorFacts {
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
struct ActuatorSettings {
    found: BTreeMap<String, String>,
    /// Spring hides their values.
    masked: bool,
}

impl ActuatorSettings {
    /// Levels that were set, also while the application ran.
    fn loggers(&mut self, response: &Value) {
        for (name, logger) in response["loggers"].as_object().into_iter().flatten() {
            if let Some(level) = logger["configuredLevel"].as_str() {
                let name = if name == "ROOT" { "root" } else { name };
                self.add(&format!("logging.level.{name}"), level);
            }
        }
    }

    /// Beans with a prefix and their properties, of every context.
    fn configprops(&mut self, response: &Value) {
        let contexts = response["contexts"].as_object();
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
    fn env(&mut self, response: &Value) {
        let profiles = response["activeProfiles"].as_array();
        let profiles: Vec<_> = profiles
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !profiles.is_empty() {
            self.found
                .insert("spring.profiles.active".to_owned(), profiles.join(","));
        }
        let sources = response["propertySources"].as_array();
        let properties = sources
            .into_iter()
            .flatten()
            .filter_map(|source| source["properties"].as_object());
        for (name, property) in properties.flatten() {
            self.flatten(name, &property["value"], 8);
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        if value.is_empty() || !is_wanted(name) || self.found.contains_key(name) {
            return;
        }
        if value.bytes().all(|byte| byte == b'*') {
            self.masked = true;
            return;
        }
        let value = plimsoll_secrets::value(name, value)
            .chars()
            .take(200)
            .collect();
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
        let mut settings = ActuatorSettings::default();
        settings.loggers(&json!({"levels": ["INFO"], "loggers": {
            "ROOT": {"configuredLevel": "INFO", "effectiveLevel": "INFO"},
            "shop": {"configuredLevel": "DEBUG", "effectiveLevel": "DEBUG"},
            "shop.Cart": {"configuredLevel": null, "effectiveLevel": "DEBUG"}}}));
        settings.configprops(&json!({"contexts": {"app": {"beans": {
            "serverProperties": {"prefix": "server", "properties": {
                "tomcat": {"threads": {"max": 10}, "maxConnections": 99, "acceptCount": 7,
                    "remoteip": {"hostHeader": "x"}, "accesslog": {"enabled": true, "prefix": "a"}},
                "undertow": {"threads": {"worker": 20}, "decodeUrl": true},
                "error": {"path": "/error"}, "ssl": {"keyStorePassword": "abc"}, "port": "******"}},
            "dataSource": {"prefix": "spring.datasource.hikari", "properties": {
                "maximumPoolSize": 2, "jdbcUrl": "jdbc:mysql://db/x?password=abc", "password": "abc"}},
            "other": {"prefix": "my.app", "properties": {"a": 1}}}}}}));
        settings.env(&json!({"activeProfiles": ["prod"], "propertySources": [
            {"name": "args", "properties": {"server.tomcat.threads.max": {"value": "11"},
                "logging.level.shop": {"value": "INFO"},
                "spring.threads.virtual.enabled": {"value": "true"}}}]}));
        let found: Vec<_> = settings
            .found
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("logging.level.root", "INFO"),
                ("logging.level.shop", "DEBUG"),
                ("server.tomcat.accept-count", "7"),
                ("server.tomcat.accesslog.enabled", "true"),
                ("server.tomcat.max-connections", "99"),
                ("server.tomcat.threads.max", "10"),
                ("server.undertow.threads.worker", "20"),
                (
                    "spring.datasource.hikari.jdbc-url",
                    "jdbc:mysql://db/x?password=***"
                ),
                ("spring.datasource.hikari.maximum-pool-size", "2"),
                ("spring.profiles.active", "prod"),
                ("spring.threads.virtual.enabled", "true"),
            ]
        );
        assert!(settings.masked);
    }

    #[test]
    fn responses_of_another_shape_say_nothing() {
        for response in [
            json!(null),
            json!([1]),
            json!({"contexts": [1], "propertySources": {"a": 1}}),
        ] {
            let mut settings = ActuatorSettings::default();
            settings.loggers(&response);
            settings.configprops(&response);
            settings.env(&response);
            assert!(settings.found.is_empty());
        }
    }
}
