//! Command lines of curl become plans that the reader takes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::model::{Auth, Body, HttpRequest, Plan, StepKind};
use plimsoll_plan::{from_curl, parse_yaml};
use proptest::prelude::*;

/// The plan, its text, and the ids of the warnings.
fn convert(line: &str) -> (Plan, String, Vec<String>) {
    let (text, warnings) = from_curl(line).unwrap_or_else(|p| panic!("{line}: {p:#?}"));
    let (plan, _) = parse_yaml(&text, "").unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
    (
        plan,
        text,
        warnings.into_iter().map(|w| w.message.id).collect(),
    )
}

fn request(plan: &Plan) -> HttpRequest {
    match &plan.scenarios[0].body.steps[0].kind {
        StepKind::Http(request) => (**request).clone(),
        other => panic!("{other:?}"),
    }
}

fn mistakes(line: &str) -> Vec<String> {
    let problems = from_curl(line).unwrap_err();
    let told = problems
        .iter()
        .map(|p| format!("{}:{} {}", p.at.line, p.at.column, p.message.id));
    told.collect()
}

#[test]
fn a_get_keeps_its_path_and_follows_no_redirect() {
    let (plan, text, warnings) = convert("curl 'http://127.0.0.1:8080/a%2Fb?x=1#top'");
    let get = request(&plan);
    assert_eq!(
        (get.method.raw.as_str(), get.url.raw.as_str()),
        ("GET", "/a%2Fb?x=1")
    );
    let scope = &plan.scope.http[0];
    assert_eq!(scope.target.as_ref().unwrap().raw, "http://127.0.0.1:8080");
    assert_eq!(scope.redirects, Some(0), "{text}");
    assert!(warnings.is_empty());
}

#[test]
fn a_post_as_browsers_copy_it() {
    let line = r#"$ curl 'https://api.example.test/orders' \
  -H 'accept: application/json' -H 'content-type: application/json' \
  -H 'authorization: Bearer abc.def' -b 'SID=1; x=2' \
  --data-raw $'{"name":"O\'Neil","price":"${5}"}' --compressed -sSLk -m 2.5"#;
    let (plan, text, warnings) = convert(line);
    let post = request(&plan);
    assert_eq!(post.method.raw, "POST");
    let Body::Text { text: body, .. } = &post.body else {
        panic!("{text}")
    };
    assert_eq!(body.raw, r#"{"name":"O'Neil","price":"$${5}"}"#);
    assert!(matches!(&plan.scope.http[0].auth, Some(Auth::Bearer(t)) if t.raw == "${token}"));
    assert!(!text.contains("abc.def") && !text.contains("SID"), "{text}");
    assert_eq!(warnings, ["plan-curl-secret", "plan-curl-secret"]);
    let http = &plan.scope.http[0];
    assert_eq!(http.redirects, Some(10));
    assert_eq!(http.timeout.unwrap().as_millis(), 2_500);
    assert_eq!(http.compression, Some(true));
    assert!(http.tls.as_ref().unwrap().insecure);
    assert!(
        plan.variables
            .iter()
            .all(|v| v.secret && v.value.raw.is_empty())
    );
}

#[test]
fn data_become_a_form_a_body_or_a_query() {
    let (plan, ..) = convert("curl h/p --data-urlencode a=1 --data-urlencode 'a=b c'");
    let Body::Form(form) = request(&plan).body else {
        panic!()
    };
    assert_eq!(form.len(), 2);
    assert_eq!(form[1].1.raw, "b c");

    let (plan, ..) = convert("curl h/p -d a=1 --data-urlencode 'b=x y'");
    let post = request(&plan);
    let Body::Text { text, .. } = &post.body else {
        panic!()
    };
    assert_eq!(text.raw, "a=1&b=x+y");
    assert_eq!(post.headers[0].1.raw, "application/x-www-form-urlencoded");

    let (plan, ..) = convert("curl -G h/p?z=0 -d a=1 --data-urlencode 'b=x y'");
    let get = request(&plan);
    assert_eq!(
        (get.method.raw.as_str(), get.url.raw.as_str()),
        ("GET", "/p?z=0&a=1")
    );
    assert_eq!(get.query[0].1.raw, "x y");
}

#[test]
fn multipart_tls_login_and_the_rest() {
    let line = "curl -X PUT -F 'a=1;2' -F 'f=@x.png;type=image/png;filename=y.png' \
        -u me:hidden --digest -x me:pw@127.0.0.1:3128 --cacert ca.pem --cert me.pem --key me.key \
        --unix-socket /tmp/s --resolve h:80:127.0.0.1,[::1] --connect-timeout 3 \
        -A agent -e http://r/ http://h/p http://h/q";
    let (plan, text, warnings) = convert(line);
    assert_eq!(plan.scenarios[0].body.steps.len(), 2);
    let put = request(&plan);
    assert_eq!(put.method.raw, "PUT");
    assert!(
        matches!(&put.body, Body::Multipart(parts) if parts.len() == 2),
        "{text}"
    );
    assert_eq!(warnings.len(), 2);
    assert!(!text.contains("hidden") && !text.contains("pw@"), "{text}");
    let http = &plan.scope.http[0];
    assert!(matches!(&http.auth, Some(Auth::Digest { user, .. }) if user.raw == "me"));
    assert_eq!(
        http.proxy.as_ref().unwrap().raw,
        "http://me:${proxy-password}@127.0.0.1:3128"
    );
    assert_eq!(http.dns[0].1.len(), 2);
    assert_eq!(put.headers.len(), 2);
}

#[test]
fn every_mistake_is_told_with_its_place() {
    assert_eq!(mistakes("wget http://h"), ["1:1 plan-curl-not-curl"]);
    assert_eq!(mistakes("curl 'http://h"), ["1:6 plan-curl-quote"]);
    assert_eq!(mistakes("curl"), ["1:1 plan-curl-no-url"]);
    let line = "curl --hedaer x \\\n  -Z -m soon h -H nonsense -b jar.txt -d";
    let expected = [
        "1:6 plan-curl-unknown-option",
        "2:3 plan-curl-unknown-option",
        "2:9 plan-curl-not-a-number",
        "2:19 plan-bad-header",
        "2:31 plan-curl-cookie-file",
        "2:39 plan-curl-no-value",
    ];
    assert_eq!(mistakes(line), expected);
}

proptest! {
    #[test]
    fn any_text_is_converted_or_refused(line in "(curl )?[ -~\\n]{0,80}") {
        if let Ok((text, _)) = from_curl(&line) {
            prop_assert!(parse_yaml(&text, "").is_ok(), "{}", text);
        }
    }

    #[test]
    fn what_is_converted_is_a_plan(
        words in prop::collection::vec(
            prop_oneof![
                Just("-d".to_owned()), Just("-H".to_owned()), Just("-F".to_owned()),
                Just("-G".to_owned()), Just("-u".to_owned()), Just("-X".to_owned()),
                Just("a: b".to_owned()), Just("n=v".to_owned()), Just("http://h/p?q".to_owned()),
                "[!-~]{1,12}",
            ],
            0..8,
        )
    ) {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
            .collect();
        let line = format!("curl {} http://h/", quoted.join(" "));
        if let Ok((text, _)) = from_curl(&line) {
            let read = parse_yaml(&text, "");
            prop_assert!(read.is_ok(), "{}\n{}\n{:?}", line, text, read.err());
        }
    }
}
