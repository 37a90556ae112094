//! What Spring's actuator says of a property.

use serde_json::Value;

use crate::formats::relaxed;

/// Pages are looked into no deeper.
const MAX_DEPTH: usize = 64;

/// A property in `/actuator/configprops`: the bean whose prefix fits, and the value below it. `None` if
/// it is not there or masked.
pub(super) fn in_configprops(page: &Value, property: &str) -> Option<String> {
    let contexts = page.get("contexts")?.as_object()?;
    // Spring Boot 1 has the beans at the top.
    let beans = contexts
        .values()
        .filter_map(|context| context.get("beans")?.as_object());
    beans.flatten().find_map(|(_, bean)| {
        let prefix = bean.get("prefix")?.as_str()?;
        let rest = below(property, prefix)?;
        shown(at(bean.get("properties")?, &rest, 0)?)
    })
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
            "hikari": {"prefix": "spring.datasource.hikari", "properties": {"maximumPoolSize": 7}}
        }}}});
        let find = |name| in_configprops(&page, name);
        assert_eq!(find("server.tomcat.threads.max").as_deref(), Some("20"));
        assert_eq!(
            find("server.tomcat.threads.min-spare").as_deref(),
            Some("10")
        );
        assert_eq!(find("server.compression.enabled").as_deref(), Some("false"));
        assert_eq!(
            find("spring.datasource.hikari.maximum-pool-size").as_deref(),
            Some("7")
        );
        assert_eq!(find("server.tomcat.accept-count"), None);
        assert_eq!(find("server.tomcat.threads"), None);
        assert_eq!(find("server"), None);
        assert_eq!(in_configprops(&json!([1]), "server.port"), None);
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
