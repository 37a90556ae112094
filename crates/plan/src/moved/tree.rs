//! Secrets of a whole plan, such as one that was JMeter's.

use super::{FoundSecret, MovedSecrets, in_text, is_likely};
use crate::yaml::grammar::{Map, Yaml, plain};

/// Keys of elements whose texts are sent or connected to. Others, such as what is looked for in a
/// response, name secrets and have none.
const SENT: &[&str] = &["value", "path", "url", "dburl"];

/// Moves the secrets of a plan to variables of the environment.
pub(crate) fn moved_out(root: &mut Map) -> MovedSecrets {
    let mut taken = Vec::new();
    for (key, value) in &root.0 {
        if let ("variables", Yaml::Map(variables)) = (key.as_str(), value) {
            taken.extend(variables.iter().map(|(name, _)| name.clone()));
        }
    }
    let mut moved = MovedSecrets::beside(taken);
    for (key, value) in &mut root.0 {
        match (key.as_str(), value) {
            ("variables", Yaml::Map(variables)) => {
                for (name, value) in variables {
                    of_variable(name, value, &mut moved);
                }
            }
            (_, value) => walk("", value, &mut moved),
        }
    }
    let new: Vec<(String, Yaml)> = moved
        .variables()
        .map(|(variable, env)| (variable.to_owned(), of_env(env)))
        .collect();
    if !new.is_empty() {
        match root.0.iter_mut().find(|(key, _)| key == "variables") {
            Some((_, Yaml::Map(variables))) => variables.extend(new),
            _ => root.put("variables", Yaml::Map(new)),
        }
    }
    moved
}

/// A variable that the environment gives.
fn of_env(env: &str) -> Yaml {
    let mut map = Map::default();
    map.put("env", env);
    map.put("secret", plain(true));
    map.into()
}

/// A variable of the plan: the environment gives it if its name says that it is a secret.
fn of_variable(name: &str, value: &mut Yaml, moved: &mut MovedSecrets) {
    match value {
        Yaml::Text(text) if plimsoll_secrets::is_secret(name) && is_fixed(text) => {
            *value = of_env(&moved.own(name, text));
        }
        value => walk("value", value, moved),
    }
}

/// Whether a text stands for itself, and says something.
fn is_fixed(text: &str) -> bool {
    !text.is_empty() && !text.contains("${") && !plimsoll_secrets::says_nothing(text)
}

fn walk(key: &str, value: &mut Yaml, moved: &mut MovedSecrets) {
    match value {
        Yaml::Plain(_) => {}
        Yaml::List(items) => items.iter_mut().for_each(|item| walk(key, item, moved)),
        Yaml::Map(entries) => of_entries(entries, moved),
        Yaml::Text(text) => {
            let last = last_word(key);
            let secrets: Vec<FoundSecret> = match () {
                () if !is_fixed(text) => return,
                () if plimsoll_secrets::is_secret(last) => vec![(last.to_owned(), 0..text.len())],
                () if SENT.contains(&&*last.to_ascii_lowercase()) => in_text(text),
                () => return,
            };
            *text = moved.moved(text, secrets, str::to_owned);
        }
    }
}

/// The last word of `Authorization.password`, which says what it is.
fn last_word(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or_default()
}

/// A mapping: what is called a value is that of the name beside it.
fn of_entries(entries: &mut [(String, Yaml)], moved: &mut MovedSecrets) {
    let name = entries.iter().find_map(|(key, value)| match value {
        Yaml::Text(name) if last_word(key) == "name" => Some(name.clone()),
        _ => None,
    });
    for (key, value) in entries {
        let is_value = last_word(key) == "value";
        match name.as_deref() {
            // JMeter's cookies are elements whose name is the cookie's.
            _ if key == "Cookie.value" => walk("cookie", value, moved),
            Some(name) if is_value && is_likely(name) => {
                // The name itself may have no word that says so.
                let key = if plimsoll_secrets::is_secret(name) {
                    name
                } else {
                    "secret"
                };
                walk(&key.replace('.', "-"), value, moved);
            }
            // Keys of the plan's own with such a name have words, not secrets.
            _ if matches!(&**key, "cookies" | "auth") && matches!(value, Yaml::Text(_)) => {}
            _ => walk(key, value, moved),
        }
    }
}
