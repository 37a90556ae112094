//! What holds for a request: settings field by field, lists from the outside in.

use crate::model::{Check, HttpRequest, HttpSettings, OnError, Processor, Scope, ScopePause, Text};

/// What holds for a request.
pub(super) struct Holds<'p> {
    pub settings: HttpSettings,
    pub headers: Vec<(&'p Text, &'p Text)>,
    pub before: Vec<&'p Processor>,
    pub pauses: Vec<&'p ScopePause>,
    pub after: Vec<&'p Processor>,
    pub checks: Vec<&'p Check>,
}

/// Resolves the scopes, the outermost first, for a request (or for another sampler).
pub(super) fn resolve<'p>(scopes: &[&'p Scope], request: Option<&'p HttpRequest>) -> Holds<'p> {
    let mut holds = Holds {
        settings: HttpSettings::default(),
        headers: Vec::new(),
        before: Vec::new(),
        pauses: Vec::new(),
        after: Vec::new(),
        checks: Vec::new(),
    };
    for scope in scopes {
        for settings in &scope.http {
            override_by(&mut holds.settings, settings);
        }
        for headers in &scope.headers {
            merge_headers(&mut holds.headers, &headers.0);
        }
        holds.before.extend(&scope.before);
        holds.pauses.extend(&scope.pauses);
        holds.after.extend(&scope.after);
        holds.checks.extend(&scope.checks);
    }
    if let Some(request) = request {
        override_by(&mut holds.settings, &request.settings);
        merge_headers(&mut holds.headers, &request.headers);
        holds.before.extend(&request.before);
        holds.checks.extend(&request.checks);
    }
    holds
}

/// What a failed sample does: the nearest rule.
pub(super) fn on_error(scopes: &[&Scope], of_scenario: OnError) -> OnError {
    scopes
        .iter()
        .rev()
        .find_map(|scope| scope.on_error)
        .unwrap_or(of_scenario)
}

/// Nearer settings win field by field.
fn override_by(outer: &mut HttpSettings, nearer: &HttpSettings) {
    macro_rules! override_fields {
        (options: $($option:ident)*; lists: $($list:ident)*) => {
            $(if nearer.$option.is_some() { outer.$option.clone_from(&nearer.$option); })*
            $(if !nearer.$list.is_empty() { outer.$list.clone_from(&nearer.$list); })*
        };
    }
    override_fields!(
        options: target redirects connect_timeout timeout auth cookies keep_alive compression
            share_connections tls proxy unix_socket max_body_bytes max_head_bytes;
        lists: source_addresses dns dns_servers
    );
}

/// A nearer list replaces the headers of the same names; within one list all stay. A replaced
/// header keeps its place among the others.
fn merge_headers<'p>(headers: &mut Vec<(&'p Text, &'p Text)>, nearer: &'p [(Text, Text)]) {
    let same = |a: &Text, b: &Text| a.raw.eq_ignore_ascii_case(&b.raw);
    let mut added: Vec<(&Text, &Text)> = nearer.iter().map(|(name, value)| (name, value)).collect();
    for header in headers.iter_mut() {
        let found = added.iter().position(|(name, _)| same(name, header.0));
        if let Some(index) = found {
            *header = added.remove(index);
        }
    }
    // Outer doubles of a name that is set nearer go away.
    let kept: Vec<(&Text, &Text)> = headers
        .iter()
        .filter(|(name, value)| {
            let is_nearer = nearer
                .iter()
                .any(|(n, v)| std::ptr::eq(n, *name) && std::ptr::eq(v, *value));
            is_nearer || !nearer.iter().any(|(n, _)| same(n, name))
        })
        .copied()
        .collect();
    *headers = kept;
    headers.extend(added);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(headers: &[(&str, &str)]) -> Vec<(Text, Text)> {
        headers
            .iter()
            .map(|(name, value)| (Text::of(*name), Text::of(*value)))
            .collect()
    }

    fn merged(lists: &[&[(&str, &str)]]) -> String {
        let lists: Vec<_> = lists.iter().map(|headers| list(headers)).collect();
        let mut all = Vec::new();
        for list in &lists {
            merge_headers(&mut all, list);
        }
        let shown = all
            .iter()
            .map(|(name, value)| format!("{}={}", name.raw, value.raw));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn headers_merge_by_name() {
        assert_eq!(
            merged(&[&[("A", "1"), ("B", "2")], &[("a", "3"), ("C", "4")]]),
            "a=3 B=2 C=4"
        );
        assert_eq!(
            merged(&[&[("A", "1"), ("a", "2"), ("B", "3")], &[("A", "4")]]),
            "A=4 B=3"
        );
        assert_eq!(
            merged(&[&[("A", "1")], &[("A", "2"), ("A", "3")]]),
            "A=2 A=3"
        );
        assert_eq!(merged(&[&[("A", "1"), ("A", "2")]]), "A=1 A=2");
        assert_eq!(
            merged(&[&[("A", "1")], &[("A", "2")], &[("A", "3")]]),
            "A=3"
        );
    }
}
