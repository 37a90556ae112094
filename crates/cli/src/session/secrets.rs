//! Keeping secrets out of what is stored: the plan's text and the command line.

use plimsoll_plan::model::{Auth, Block, HttpSettings, Plan, Processor, Scope, StepKind, Text};

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
    fn longer_secrets_go_first() {
        let secrets = ["abcdef".to_owned(), "abc".to_owned()];
        assert_eq!(mask("abcdef abc", &secrets), "••• •••");
    }
}
