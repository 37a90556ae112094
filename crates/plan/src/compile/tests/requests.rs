//! Requests: what holds for them, their addresses, labels, and what is kept of responses.

use std::time::Duration;

use super::plans::*;
use crate::model::*;
use crate::program::{After, AuthTemplate, BodyTemplate, Label, Op, Program, Request};

fn first(plan: &Plan) -> Request {
    (*compiled(plan).requests[0]).clone()
}

fn with(change: impl FnOnce(&mut HttpRequest)) -> Plan {
    let mut request = http("a");
    change(&mut request);
    plan(vec![step(StepKind::Http(Box::new(request)))])
}

fn label(program: &Program) -> &str {
    match &program.requests[0].label {
        Label::Fixed(id) => &program.labels[id.index()].name,
        Label::Made(_) => "made",
    }
}

#[test]
fn nearer_settings_win_field_by_field() {
    let mut plan = with(|request| request.settings.redirects = Some(1));
    let seconds = Duration::from_secs;
    plan.scope.http = vec![HttpSettings {
        timeout: Some(seconds(1)),
        redirects: Some(9),
        cookies: Some(CookieMode::Off),
        ..HttpSettings::default()
    }];
    plan.scenarios[0].body.scope.http = vec![HttpSettings {
        timeout: Some(seconds(2)),
        ..HttpSettings::default()
    }];
    let request = first(&plan);
    assert_eq!((request.timeout, request.redirects), (seconds(2), 1));
    assert_eq!(request.cookies, CookieMode::Off);
    assert_eq!(request.max_body_bytes, defaults::MAX_BODY_BYTES);
}

#[test]
fn equal_connection_settings_share_a_profile() {
    let mut plan = plan(vec![req("a"), req("b")]);
    let mut other = http("c");
    other.settings.tls = Some(TlsSettings {
        insecure: true,
        ..TlsSettings::default()
    });
    plan.scenarios[0]
        .body
        .steps
        .push(step(StepKind::Http(Box::new(other))));
    let program = compiled(&plan);
    assert_eq!(program.profiles.len(), 2);
    assert_eq!(program.requests[0].profile, program.requests[1].profile);
}

#[test]
fn addresses_join_to_the_target() {
    let url = |target: Option<&str>, url: &str| {
        let mut plan = with(|request| request.url = Text::of(url));
        let target = target.map(Text::of);
        plan.scope.http = vec![HttpSettings {
            target,
            ..HttpSettings::default()
        }];
        let request = first(&plan);
        request.url.as_text().map(str::to_owned)
    };
    assert_eq!(
        url(Some("http://h:1/api/"), "/x y#f").as_deref(),
        Some("http://h:1/api/x%20y")
    );
    assert_eq!(
        url(Some("http://h"), "?q=1").as_deref(),
        Some("http://h/?q=1")
    );
    assert_eq!(
        url(Some("http://h"), "https://o:443/").as_deref(),
        Some("https://o/")
    );
    assert_eq!(
        ids(&with(|request| request.url = Text::of("/x"))),
        ["compile-no-target"]
    );
    assert_eq!(
        ids(&with(|request| request.url = Text::of("ftp://h/"))),
        ["compile-bad-address"]
    );
    assert_eq!(
        ids(&with(|request| request.url = Text::of("http://h:x/"))),
        ["compile-bad-address"]
    );
}

#[test]
fn an_address_that_may_be_either_keeps_its_base() {
    let mut plan = with(|request| request.url = Text::of("${next}"));
    plan.scenarios[0].body.steps.insert(0, set("next", "/n"));
    plan.scope.http = vec![HttpSettings {
        target: Some(Text::of("http://h/")),
        ..HttpSettings::default()
    }];
    let request = first(&plan);
    assert_eq!(request.base.unwrap().as_text(), Some("http://h/"));
    assert_eq!(compiled(&plan).allowed_hosts, ["h:80"]);
}

#[test]
fn a_known_query_is_put_into_the_address() {
    let request = first(&with(|request| {
        request.query = vec![
            (Text::of("a b"), Text::of("ü&")),
            (Text::of("c"), Text::of("")),
        ];
    }));
    assert_eq!(
        request.url.as_text(),
        Some("http://127.0.0.1:8080/a?a+b=%C3%BC%26&c=")
    );
    assert!(request.query.is_empty());
    let request = first(&with(|request| {
        request.query = vec![(Text::of("a"), Text::of("${uuid()}"))];
    }));
    assert_eq!(request.query.len(), 1);
}

#[test]
fn labels_are_the_method_and_the_path_as_written() {
    let labelled = |url: &str, label: Option<&str>| {
        let mut plan = with(|request| {
            request.url = Text::of(url);
            request.label = label.map(Text::of);
        });
        plan.variables = vec![variable("base", "http://h/v1"), variable("u", "${uuid()}")];
        compiled(&plan)
    };
    assert_eq!(
        label(&labelled("${base}/cart/${u}?x=${u}", None)),
        "GET /v1/cart/${u}"
    );
    assert_eq!(label(&labelled("http://h", None)), "GET /");
    assert_eq!(
        label(&labelled("http://h", Some("in ${base}"))),
        "in http://h/v1"
    );
    assert_eq!(label(&labelled("http://h", Some("user ${u}"))), "made");
    // Equal labels are one.
    assert_eq!(compiled(&plan(reqs("a a b"))).labels.len(), 2);
}

#[test]
fn hosts_are_those_the_plan_names() {
    let mut plan = plan(reqs("a"));
    plan.hosts = vec!["Other:8080".to_owned(), "third".to_owned()];
    assert_eq!(
        compiled(&plan).allowed_hosts,
        ["127.0.0.1:8080", "other:8080", "third"]
    );
    plan.hosts = vec!["http://x/".to_owned()];
    assert_eq!(ids(&plan), ["compile-bad-host"]);

    let mut unknown = with(|request| request.url = Text::of("http://${h}/"));
    unknown.scenarios[0].body.steps.insert(0, set("h", "x"));
    let program = compiled(&unknown);
    assert!(program.allowed_hosts.is_empty());
    assert_eq!(program.warnings[0].message.id, "compile-host-unknown");
    unknown.hosts = vec!["x".to_owned()];
    assert!(compiled(&unknown).warnings.is_empty());
}

#[test]
fn a_user_name_in_the_address_becomes_credentials() {
    let request = first(&with(|request| request.url = Text::of("http://u:p@h/")));
    assert_eq!(request.url.as_text(), Some("http://h/"));
    let Some(AuthTemplate::Basic(user, password)) = request.auth else {
        panic!()
    };
    assert_eq!((user.as_text(), password.as_text()), (Some("u"), Some("p")));
}

#[test]
fn bodies_bring_their_type_unless_a_header_does() {
    let types = |body: Body, headers: &[(&str, &str)]| {
        let request = first(&with(|request| {
            request.body = body;
            request.headers = headers
                .iter()
                .map(|(name, value)| (Text::of(*name), Text::of(*value)))
                .collect();
        }));
        let all = request
            .headers
            .iter()
            .filter(|(name, _)| name.as_text().unwrap().eq_ignore_ascii_case("content-type"));
        all.map(|(_, value)| value.as_text().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    let text = || Body::Text {
        text: Text::of("{}"),
        content_type: Some("a/b".to_owned()),
    };
    assert_eq!(types(text(), &[]), "a/b");
    assert_eq!(types(text(), &[("content-type", "c/d")]), "c/d");
    let form = || Body::Form(vec![(Text::of("a"), Text::of("b c"))]);
    assert_eq!(types(form(), &[]), "application/x-www-form-urlencoded");
    let request = first(&with(|request| request.body = form()));
    assert!(matches!(request.body, BodyTemplate::Text(text) if text.as_text() == Some("a=b+c")));
}

#[test]
fn compression_is_asked_for_only_when_wanted() {
    let headers = |compression| {
        first(&with(|request| request.settings.compression = compression))
            .headers
            .len()
    };
    assert_eq!(
        (headers(None), headers(Some(false)), headers(Some(true))),
        (0, 0, 1)
    );
}

#[test]
fn only_what_is_asked_for_is_kept() {
    let kept = |change: fn(&mut HttpRequest)| {
        let keep = first(&with(change)).keep;
        (keep.head, keep.body)
    };
    let check = |of| Check {
        of,
        test: Test::Exists,
        at: Span::default(),
    };
    assert_eq!(kept(|_| {}), (false, false));
    assert_eq!(
        kept(|r| r.save = vec![save("x", Which::Nth(1), None)]),
        (false, true)
    );
    let header = |r: &mut HttpRequest| {
        r.checks = vec![Check {
            of: CheckOf::Value(Extractor::Header("X".to_owned())),
            test: Test::Exists,
            at: Span::default(),
        }];
    };
    assert_eq!(kept(header), (true, false));
    let checked = |of| first(&with(|r| r.checks = vec![check(of)])).keep;
    assert_eq!(checked(CheckOf::TimeMs), crate::program::Keep::default());
    assert!(checked(CheckOf::SizeBytes).body);
    let script = |r: &mut HttpRequest| {
        r.after = vec![Processor::Script(Script {
            language: Language::JavaScript,
            source: "1".to_owned(),
            at: Span::default(),
        })];
    };
    assert_eq!(kept(script), (true, true));
}

#[test]
fn a_check_of_the_status_replaces_the_usual_one() {
    assert!(first(&plan(reqs("a"))).status_below_400);
    assert!(!first(&with(|request| request.any_status_ok = true)).status_below_400);
    let mut plan = plan(reqs("a"));
    let test = Test::StatusIn(vec![(200, 299)]);
    plan.scope.checks = vec![Check {
        of: CheckOf::Status,
        test,
        at: Span::default(),
    }];
    assert!(!first(&plan).status_below_400);
}

#[test]
fn lists_add_up_from_the_outside_in() {
    let mut plan = with(|request| {
        request.before = vec![Processor::Set(variable("b", "3"))];
        request.save = vec![save("s", Which::Nth(1), None)];
        request.after = vec![Processor::Set(variable("x", "4"))];
        request.think = Some(think(3));
    });
    let set = |value: &str| Processor::Set(variable("v", value));
    plan.scope.before = vec![set("1")];
    plan.scope.pauses = vec![ScopePause::Think(think(1))];
    plan.scope.after = vec![set("1")];
    let body = &mut plan.scenarios[0].body;
    body.scope.before = vec![set("2")];
    body.scope.pauses = vec![ScopePause::Think(think(2))];
    body.scope.after = vec![set("2")];
    let trace = super::machine::trace(&plan, 1);
    assert_eq!(trace, "~Fixed(1ms) ~Fixed(2ms) ~Fixed(3ms) a");
    let program = compiled(&plan);
    let sets: Vec<&str> = program.scenarios[0]
        .ops
        .iter()
        .take(3)
        .map(|op| match op {
            Op::Set { value, .. } => value.as_text().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sets, ["1", "2", "3"]);
    let after: Vec<&str> = program.requests[0]
        .after
        .iter()
        .map(|after| match after {
            After::Set(_, value) => value.as_text().unwrap(),
            After::Extract(extract) => &extract.name,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(after, ["1", "2", "s", "4"]);
}

#[test]
fn a_throughput_is_kept_over_all_requests_in_scope() {
    let mut plan = plan(reqs("a b"));
    let per_minute = Text::of("60");
    let throughput = |shared_by| ScopePause::Throughput {
        per_minute: per_minute.clone(),
        shared_by,
    };
    plan.scope.pauses = vec![throughput(SharedBy::User), throughput(SharedBy::All)];
    let program = compiled(&plan);
    let turns: Vec<_> = program.scenarios[0]
        .ops
        .iter()
        .filter_map(|op| match op {
            Op::PaceThroughput { shared, last, .. } => Some((*shared, *last)),
            _ => None,
        })
        .collect();
    assert_eq!(turns.len(), 4);
    assert_eq!((turns[0], turns[1]), (turns[2], turns[3]));
    assert!(turns[0].0.is_none() && turns[1].0.is_some());
    assert_eq!(program.shared.len(), 1);
}

#[test]
fn the_listing_shows_all_but_secrets() {
    let mut plan = with(|request| {
        request.headers = vec![
            (Text::of("Authorization"), Text::of("Bearer abc${t}")),
            (Text::of("X"), Text::of("${key} y")),
        ];
        request.save = vec![save("t", Which::All, Some("none"))];
    });
    let mut key = variable("key", "s3cret/+");
    key.secret = true;
    plan.variables = vec![key];
    plan.scenarios[0]
        .body
        .steps
        .push(repeat(2, vec![transaction("tx", reqs("b?k=${key}"))]));
    let shown = compiled(&plan).to_string();
    for secret in ["s3cret", "abc"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    for line in [
        "constant key = ***",
        "hosts: 127.0.0.1:8080",
        "   0  request \"a\"  GET http://127.0.0.1:8080/a",
        "        header Authorization: ***${t}",
        "        header X: *** y",
        "        save t = json $.x, all matches, else \"none\"",
        "   1  r0 = 0",
        "   2  repeat 2 (r0), then → 7",
        "   3  transaction \"tx\"",
        "   5  transaction ends",
        "   6  jump → 2",
        "   7  end",
    ] {
        assert!(
            shown.lines().any(|shown| shown == line),
            "{line:?} is missing in:\n{shown}"
        );
    }
}
