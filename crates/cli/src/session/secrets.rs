//! Keeping secrets out of what is stored: the plan's text and the command line.

use plimsoll_plan::model::{
    Auth, Block, CheckOf, Element, ElementValue, HttpSettings, Plan, Processor, SamplerKind, Scope,
    ScopePause, StepKind, Text,
};

/// What stands in a secret's place.
pub const MASK: &str = "•••";

/// Headers whose values are credentials.
const SECRET_HEADERS: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
];

/// Whether the values of a header are credentials.
#[must_use]
pub fn is_secret_header(name: &str) -> bool {
    SECRET_HEADERS.contains(&name.to_ascii_lowercase().as_str())
}

/// The secret texts that a plan holds literally.
#[must_use]
pub fn secrets_of(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for variable in plan.variables.iter().filter(|variable| variable.secret) {
        add(&mut found, &variable.value);
    }
    scope(&mut found, &plan.scope);
    let all = plan
        .setup
        .iter()
        .chain(&plan.scenarios)
        .chain(&plan.teardown);
    for scenario in all {
        block(&mut found, &scenario.body);
    }
    let escaped: Vec<String> = found.iter().map(|text| in_xml(text)).collect();
    found.extend(escaped);
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found.dedup();
    found
}

/// A text with the secrets masked, and the credentials of any URL in it.
#[must_use]
pub fn mask(text: &str, secrets: &[String]) -> String {
    let mut masked = text.to_owned();
    for secret in secrets {
        masked = masked.replace(secret, MASK);
    }
    mask_userinfo(&masked)
}

/// Masks `user:password@` of URLs.
fn mask_userinfo(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|c: char| c == '/' || c.is_whitespace() || c == '"' || c == '\'')
            .unwrap_or(after.len());
        match after[..end].rfind('@') {
            Some(at) if after[..at].contains(':') => {
                out.push_str(MASK);
                rest = &after[at..];
            }
            _ => rest = after,
        }
    }
    out.push_str(rest);
    out
}

/// Literal texts; templates name variables, and those are looked at where they are defined.
fn add(found: &mut Vec<String>, text: &Text) {
    let literal = text.raw.trim();
    // A text of one or two characters would blot out half of the plan.
    if literal.len() > 2 && !literal.starts_with("${") {
        found.push(literal.to_owned());
    }
}

/// A text as it stands in an XML file.
fn in_xml(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

/// Whether a property or argument of this name is a secret by all custom.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "password",
        "passwd",
        "pwd",
        "secret",
        "token",
        "apikey",
        "api_key",
        "passphrase",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// The secrets of an element of JMeter's: properties named so, arguments named so, and
/// headers with credentials.
fn element(found: &mut Vec<String>, of: &Element) {
    let named = ["Header.name", "Argument.name", "Cookie.name"];
    let name = named
        .iter()
        .find_map(|key| of.text(key))
        .map(|text| text.raw.as_str());
    let is_cookie = of.class == "Cookie";
    for (key, value) in &of.properties {
        let by_name = key.ends_with(".value")
            && (is_cookie
                || name.is_some_and(|name| is_secret_header(name) || is_secret_name(name)));
        match value {
            ElementValue::Text(text) if by_name || is_secret_name(key) => add(found, text),
            other => element_value(found, other),
        }
    }
}

fn element_value(found: &mut Vec<String>, value: &ElementValue) {
    match value {
        ElementValue::Text(_) => {}
        ElementValue::List(values) => values.iter().for_each(|value| element_value(found, value)),
        ElementValue::Element(inner) => element(found, inner),
    }
}

/// The elements of a scope.
fn elements_of(scope: &Scope) -> impl Iterator<Item = &Element> {
    let processors = scope.before.iter().chain(&scope.after);
    let processors = processors.filter_map(|processor| match processor {
        Processor::Element(element) => Some(element),
        _ => None,
    });
    let pauses = scope.pauses.iter().filter_map(|pause| match pause {
        ScopePause::Element(element) => Some(element),
        _ => None,
    });
    let checks = scope.checks.iter().filter_map(|check| match &check.of {
        CheckOf::Element(element) => Some(element),
        _ => None,
    });
    let own = scope.elements.iter().chain(&scope.on_pass);
    own.chain(processors).chain(pauses).chain(checks)
}

fn headers(found: &mut Vec<String>, headers: &[(Text, Text)]) {
    for (name, value) in headers {
        if is_secret_header(&name.raw) {
            add(found, value);
        }
    }
}

fn settings(found: &mut Vec<String>, settings: &HttpSettings) {
    match &settings.auth {
        Some(Auth::Basic { password, .. } | Auth::Digest { password, .. }) => add(found, password),
        Some(Auth::Bearer(token)) => add(found, token),
        None => {}
    }
}

fn scope(found: &mut Vec<String>, scope: &Scope) {
    elements_of(scope).for_each(|of| element(found, of));
    scope.http.iter().for_each(|http| settings(found, http));
    scope
        .headers
        .iter()
        .for_each(|group| headers(found, &group.0));
    let set = scope
        .before
        .iter()
        .chain(&scope.after)
        .filter_map(|processor| match processor {
            Processor::Set(variable) => Some(variable),
            _ => None,
        });
    for variable in scope
        .variables
        .iter()
        .chain(set)
        .filter(|variable| variable.secret)
    {
        add(found, &variable.value);
    }
}

fn block(found: &mut Vec<String>, body: &Block) {
    scope(found, &body.scope);
    for step in &body.steps {
        match &step.kind {
            StepKind::Http(request) => {
                headers(found, &request.headers);
                settings(found, &request.settings);
            }
            StepKind::Sample(sampler) => {
                if let SamplerKind::Element(of) = &sampler.kind {
                    element(found, of);
                }
            }
            other => other
                .blocks()
                .into_iter()
                .for_each(|inner| block(found, inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_urls_are_masked() {
        assert_eq!(
            mask("curl http://joe:pw@h:80/a?b=c@d and https://h/x", &[]),
            "curl http://•••@h:80/a?b=c@d and https://h/x"
        );
    }

    #[test]
    fn elements_hide_what_is_named_a_secret() {
        let text = |raw: &str| ElementValue::Text(Text::of(raw));
        let header = Element {
            class: "Header".to_owned(),
            properties: vec![
                ("Header.name".to_owned(), text("Authorization")),
                ("Header.value".to_owned(), text("Basic a<b>")),
            ],
            ..Element::default()
        };
        let manager = Element {
            properties: vec![
                (
                    "headers".to_owned(),
                    ElementValue::List(vec![ElementValue::Element(Box::new(header))]),
                ),
                ("password".to_owned(), text("hunter2")),
                ("filename".to_owned(), text("users.csv")),
                ("AuthManager.password".to_owned(), text("${pw}")),
            ],
            ..Element::default()
        };
        let mut found = Vec::new();
        element(&mut found, &manager);
        assert_eq!(found, ["Basic a<b>", "hunter2"]);
        assert_eq!(in_xml("Basic a<b>"), "Basic a&lt;b&gt;");
    }

    #[test]
    fn longer_secrets_go_first() {
        let secrets = ["abcdef".to_owned(), "abc".to_owned()];
        assert_eq!(mask("abcdef abc", &secrets), "••• •••");
    }
}
