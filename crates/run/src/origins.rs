//! The addresses that a plan loads, as far as they are known before the run.

use std::collections::BTreeMap;

use plimsoll_plan::program::{Label, Program, Request};
use plimsoll_store::OriginMeta;
use url::{Position, Url};

/// The first address, without path, and the others with the labels that go there alone.
pub(crate) fn of(program: &Program) -> (String, Vec<OriginMeta>) {
    let first = program
        .requests
        .first()
        .and_then(|request| address(request));
    let target = match &first {
        Some(url) => url[..Position::BeforePath].to_owned(),
        None => program.allowed_hosts.first().cloned().unwrap_or_default(),
    };
    let others = match first {
        Some(url) => others(program, &origin(&url)),
        None => Vec::new(),
    };
    (target, others)
}

fn others(program: &Program, target: &str) -> Vec<OriginMeta> {
    // None: the label's requests go to several, or nobody knows where.
    let mut by_label: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for request in &program.requests {
        let Label::Fixed(id) = request.label else {
            continue;
        };
        let Some(label) = program.labels.get(id.index()) else {
            continue;
        };
        let origin = address(request).map(|url| origin(&url));
        let known = by_label
            .entry(label.name.as_str())
            .or_insert_with(|| origin.clone());
        if *known != origin {
            *known = None;
        }
    }
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (label, origin) in by_label {
        if let Some(origin) = origin.filter(|origin| origin != target) {
            others.entry(origin).or_default().push(label.to_owned());
        }
    }
    let others = others.into_iter();
    others
        .map(|(origin, labels)| OriginMeta { origin, labels })
        .collect()
}

/// Scheme, host and port; who logs in there is no part of it.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Where a request goes, if that is known and a place.
fn address(request: &Request) -> Option<Url> {
    let url = Url::parse(&request.known_origin()?).ok()?;
    url.has_host().then_some(url)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::{CompileOptions, compile, parse_yaml};
    use plimsoll_store::OriginMeta;

    /// The target, and each other address with its labels.
    fn of(plan: &str) -> (String, Vec<(String, String)>) {
        let (plan, _) = parse_yaml(plan, "plan.yaml").unwrap();
        let program = compile(&plan, &CompileOptions::default()).unwrap();
        let (target, others) = super::of(&program);
        let shown = |OriginMeta { origin, labels }: OriginMeta| (origin, labels.join(" "));
        (target, others.into_iter().map(shown).collect())
    }

    fn other(origin: &str, labels: &str) -> (String, String) {
        (origin.to_owned(), labels.to_owned())
    }

    #[test]
    fn labels_that_go_elsewhere_are_known_with_their_address() {
        let plan = "target: http://shop:8080/api\nvariables: {id: 7}\nsteps:\n\
                    - {get: '/${id}', label: own}\n\
                    - {get: 'http://shop:8080/x', label: same}\n\
                    - {get: 'http://me:secret@pay:81/${id}/y', label: pay}\n\
                    - {get: 'http://pay:81/z', label: paid}\n\
                    - {get: 'https://pay/z', label: safe}\n";
        let (target, others) = of(plan);
        assert_eq!(target, "http://shop:8080");
        assert_eq!(
            others,
            [
                other("http://pay:81", "paid pay"),
                other("https://pay", "safe")
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let plan = "data: [{csv: hosts.csv, columns: [host]}]\nsteps:\n\
                    - {get: 'http://shop/a', label: a}\n\
                    - {get: 'http://${host}/b', label: b}\n\
                    - {get: 'http://one/c', label: both}\n\
                    - {get: 'http://two/c', label: both}\n";
        assert_eq!(of(plan), ("http://shop".to_owned(), Vec::new()));
    }
}
