//! The secrets that a plan holds literally, so that they are masked wherever they turn up.

use plimsoll_plan::model::{
    Auth, Block, CheckOf, Element, ElementValue, HttpSettings, Plan, Processor, SamplerKind, Scope,
    ScopePause, StepKind, Text, Variable,
};
use plimsoll_secrets::{Known, is_secret, says_nothing};

/// The secret texts that a plan holds literally.
#[must_use]
pub fn secrets_of(plan: &Plan) -> Known {
    let mut found = Vec::new();
    variables(&mut found, &plan.variables);
    scope(&mut found, &plan.scope);
    let all = plan
        .setup
        .iter()
        .chain(&plan.scenarios)
        .chain(&plan.teardown);
    for scenario in all {
        block(&mut found, &scenario.body);
    }
    Known::new(&found)
}

fn variables<'p>(found: &mut Vec<String>, variables: impl IntoIterator<Item = &'p Variable>) {
    for variable in variables {
        if variable.secret || is_secret(&variable.name) {
            add(found, &variable.value);
        }
    }
}

/// Literal texts; templates name variables, and those are looked at where they are defined.
fn add(found: &mut Vec<String>, text: &Text) {
    let literal = text.raw.trim();
    if !literal.starts_with("${") && !says_nothing(literal) {
        found.push(literal.to_owned());
    }
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
        let by_name = key.ends_with(".value") && (is_cookie || name.is_some_and(is_secret));
        match value {
            ElementValue::Text(text) if by_name || is_secret(key) => add(found, text),
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
        if is_secret(&name.raw) {
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
    variables(found, scope.variables.iter().chain(set));
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
    }
}
