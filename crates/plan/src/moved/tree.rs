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
        // What it is by default, beside when it is worked out.
        Yaml::Map(entries) => of_default(name, entries, moved),
        value => walk("value", value, moved),
    }
}

/// What a variable is where the environment gives nothing: a secret has no such value.
fn of_default(name: &str, entries: &mut Vec<(String, Yaml)>, moved: &mut MovedSecrets) {
    let Some(at) = entries.iter().position(|(key, _)| key == "default") else {
        return;
    };
    of_variable(name, &mut entries[at].1, moved);
    let Yaml::Map(from) = &mut entries[at].1 else {
        return;
    };
    let from = std::mem::take(from);
    entries.remove(at);
    for (key, value) in from {
        if entries.iter().all(|(known, _)| *known != key) {
            entries.push((key, value));
        }
    }
}

/// Whether a text stands for itself, and says something.
fn is_fixed(text: &str) -> bool {
    !text.is_empty() && !has_variable(text) && !plimsoll_secrets::says_nothing(text)
}

fn has_variable(text: &str) -> bool {
    text.contains("${")
}

/// Secrets of a text that is sent, but for those that variables give.
fn in_sent(text: &str) -> Vec<FoundSecret> {
    let mut found = in_text(text);
    found.retain(|(_, at)| !has_variable(&text[at.clone()]));
    found
}

fn walk(key: &str, value: &mut Yaml, moved: &mut MovedSecrets) {
    match value {
        Yaml::Plain(_) => {}
        Yaml::List(items) => items.iter_mut().for_each(|item| walk(key, item, moved)),
        Yaml::Map(entries) => of_entries(entries, moved),
        Yaml::Text(text) => {
            let last = last_word(key);
            let secrets: Vec<FoundSecret> = match () {
                () if plimsoll_secrets::is_secret(last) && is_fixed(text) => {
                    vec![(last.to_owned(), 0..text.len())]
                }
                () if SENT.contains(&&*last.to_ascii_lowercase()) => in_sent(text),
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{parse_yaml, to_yaml_without_secrets};

    #[test]
    fn defaults_of_variables_and_texts_with_variables_keep_no_secret() {
        let body = r#"{"user":"${u}","password":"s3cr3t-5","client_secret":"s3cr3t-6","token":"${t}","n":1}"#;
        let text = format!(
            "variables:\n  password: {{default: s3cr3t-1, once-per-run: true}}\n  db_password: s3cr3t-2\n  \
             plain: {{default: kept-1, once-per-run: true}}\n  api_token: {{env: KEPT_2, default: s3cr3t-3}}\n  \
             u: ann\n  t: x\nsteps:\n  - sample: login\n    element:\n      class: HTTPSamplerProxy\n      \
             name: login\n      properties:\n        HTTPsampler.Arguments:\n          class: Arguments\n          \
             properties:\n            Arguments.arguments:\n              - class: HTTPArgument\n                \
             properties:\n                  Argument.value: '{body}'\nusers: 1\niterations: 1\n"
        );
        let (plan, _) = parse_yaml(&text, "plan.yaml").unwrap();
        let (told, envs) = to_yaml_without_secrets(&plan);
        assert!(!told.contains("s3cr3t"), "{told}");
        for kept in ["kept-1", "KEPT_2", "${u}", "${t}", "once-per-run: true"] {
            assert!(told.contains(kept), "{kept}: {told}");
        }
        assert_eq!(envs.len(), 5, "{envs:?}");
        // It is a plan as it was, but for what the environment gives.
        parse_yaml(&told, "plan.yaml").unwrap();
    }
}
