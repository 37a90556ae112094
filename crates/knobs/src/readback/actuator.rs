//! What Spring's actuator says of a property.

use serde_json::Value;

use crate::formats::relaxed;

/// Pages are looked into no deeper.
const MAX_DEPTH: usize = 64;

/// What `/actuator/configprops` says of a property.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BeanSays {
    /// A bean has that value of it.
    Value(String),
    /// A bean may have it, and does not show it: it is masked or no single value, or the bean or the page cannot be read.
    Hidden,
    /// No bean has such a property.
    Nothing,
}

/// A property in `/actuator/configprops`: the bean whose prefix fits, and the value below it.
pub(super) fn in_configprops(page: &Value, property: &str) -> BeanSays {
    // Spring Boot 1 has the beans at the top.
    let Some(contexts) = page.get("contexts").and_then(Value::as_object) else {
        return BeanSays::Hidden;
    };
    let beans = contexts
        .values()
        .filter_map(|context| context.get("beans")?.as_object());
    let mut says = BeanSays::Nothing;
    for bean in beans.flat_map(|beans| beans.values()) {
        match in_bean(bean, property) {
            BeanSays::Value(text) => return BeanSays::Value(text),
            BeanSays::Hidden => says = BeanSays::Hidden,
            BeanSays::Nothing => {}
        }
    }
    says
}

fn in_bean(bean: &Value, property: &str) -> BeanSays {
    let prefix = bean.get("prefix").and_then(Value::as_str);
    let Some(rest) = prefix.and_then(|prefix| below(property, prefix)) else {
        return BeanSays::Nothing;
    };
    let properties = bean.get("properties");
    // What cannot be written as JSON has nothing but that.
    let is_unread = properties.is_none_or(|it| it.get("error").is_some_and(Value::is_string));
    match properties.and_then(|properties| at(properties, &rest, 0)) {
        Some(value) => shown(value).map_or(BeanSays::Hidden, BeanSays::Value),
        None if is_unread => BeanSays::Hidden,
        None => BeanSays::Nothing,
    }
}

/// A property in `/actuator/env/NAME`. `None` if it is not there or masked.
pub(super) fn in_env(page: &Value) -> Option<String> {
    shown(page.get("property")?.get("value")?)
}

/// The level in force of a logger, in `/actuator/loggers/NAME`.
pub(super) fn logger_level(page: &Value) -> Option<String> {
    shown(page.get("effectiveLevel")?)
}

/// The value of `/actuator/metrics/NAME`.
pub(super) fn in_metric(page: &Value) -> Option<String> {
    // Of several meters of one name (pools, executors) it is the sum.
    let tags = page.get("availableTags").and_then(Value::as_array);
    let several = |tag: &Value| {
        let values = tag.get("values").and_then(Value::as_array);
        values.is_some_and(|values| values.len() > 1)
    };
    if tags.is_some_and(|tags| tags.iter().any(several)) {
        return None;
    }
    let all = page.get("measurements")?.as_array()?;
    let value = all
        .iter()
        .find(|one| one.get("statistic").and_then(Value::as_str) == Some("VALUE"))?;
    value
        .get("value")?
        .as_f64()
        .map(|number| number.to_string())
}

/// What of a property stands below a prefix, in relaxed words.
fn below(property: &str, prefix: &str) -> Option<String> {
    let (property, prefix) = (relaxed(property), relaxed(prefix));
    Some(
        property
            .strip_prefix(&prefix)?
            .strip_prefix('.')?
            .to_owned(),
    )
}

/// The value at a path of relaxed words. A key may hold several of them.
fn at<'a>(value: &'a Value, path: &str, depth: usize) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(value);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    value.as_object()?.iter().find_map(|(key, inner)| {
        let rest = path.strip_prefix(relaxed(key).as_str())?;
        match rest.strip_prefix('.') {
            Some(rest) => at(inner, rest, depth + 1),
            None => rest.is_empty().then_some(inner),
        }
    })
}

/// A value as text; what Spring masks is none.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.starts_with("******") => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(bool) => Some(bool.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn configprops_are_found_by_their_prefix() {
        let page = json!({"contexts": {"app": {"beans": {
            "a": {"prefix": "management.server", "properties": {"port": 1}},
            "server-…ServerProperties": {"prefix": "server", "properties": {
                "tomcat": {"threads": {"max": 20, "minSpare": 10}, "acceptCount": "******"},
                "compression": {"enabled": false}}},
            "hikari": {"prefix": "spring.datasource.hikari", "properties": {"maximumPoolSize": 7}},
            "shop": {"prefix": "shop", "properties": {"error": "Cannot serialize 'shop'"}}
        }}}});
        let value = |text: &str| BeanSays::Value(text.to_owned());
        for (name, expected) in [
            ("server.tomcat.threads.max", value("20")),
            ("server.tomcat.threads.min-spare", value("10")),
            ("server.compression.enabled", value("false")),
            ("spring.datasource.hikari.maximum-pool-size", value("7")),
            ("server.tomcat.accept-count", BeanSays::Hidden),
            ("server.tomcat.threads", BeanSays::Hidden),
            ("server.tomcat.max-threads", BeanSays::Nothing),
            ("server", BeanSays::Nothing),
            ("spring.jpa.open-in-view", BeanSays::Nothing),
            ("shop.size", BeanSays::Hidden),
        ] {
            assert_eq!(in_configprops(&page, name), expected, "{name}");
        }
        let other = in_configprops(&json!([1]), "server.port");
        assert_eq!(other, BeanSays::Hidden);
    }

    #[test]
    fn what_is_masked_is_not_shown() {
        assert_eq!(in_env(&json!({"property": {"value": "******"}})), None);
        let plain = json!({"property": {"source": "x", "value": "30"}});
        assert_eq!(in_env(&plain).as_deref(), Some("30"));
        let pools = json!({"measurements": [{"statistic": "VALUE", "value": 20.0}],
            "availableTags": [{"tag": "pool", "values": ["HikariPool-1", "HikariPool-2"]}]});
        assert_eq!(in_metric(&pools), None);
        let metric = json!({"measurements": [{"statistic": "VALUE", "value": 30.0}],
            "availableTags": [{"tag": "pool", "values": ["HikariPool-1"]}]});
        assert_eq!(in_metric(&metric).as_deref(), Some("30"));
    }
}
