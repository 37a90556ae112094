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
    let (plan, ..) = convert("curl http://h/p --data-urlencode a=1 --data-urlencode 'a=b c'");
    let Body::Form(form) = request(&plan).body else {
        panic!()
    };
    assert_eq!(form.len(), 2);
    assert_eq!(form[1].1.raw, "b c");

    let (plan, ..) = convert("curl http://h/p -d a=1 --data-urlencode 'b=x y'");
    let post = request(&plan);
    let Body::Text { text, .. } = &post.body else {
        panic!()
    };
    assert_eq!(text.raw, "a=1&b=x+y");
    assert_eq!(post.headers[0].1.raw, "application/x-www-form-urlencoded");

    let (plan, ..) = convert("curl -G http://h/p?z=0 -d a=1 --data-urlencode 'b=x y'");
    let get = request(&plan);
    assert_eq!(
        (get.method.raw.as_str(), get.url.raw.as_str()),
        ("GET", "/p?z=0&a=1&b=x+y")
    );
    let (plan, ..) = convert("curl -G http://h/p --data-urlencode 'b=x y'");
    assert_eq!(request(&plan).query[0].1.raw, "x y");
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
        "1:15 plan-curl-no-host",
        "2:3 plan-curl-unknown-option",
        "2:9 plan-curl-not-a-number",
        "2:14 plan-curl-no-host",
        "2:19 plan-bad-header",
        "2:31 plan-curl-cookie-file",
        "2:39 plan-curl-no-value",
    ];
    assert_eq!(mistakes(line), expected);
}

/// Method, address and whether it has an own `auth`, step by step.
fn steps(plan: &Plan) -> Vec<String> {
    let steps = plan.scenarios[0].body.steps.iter();
    let told = steps.map(|step| match &step.kind {
        StepKind::Http(request) => format!("{} {}", request.method.raw, request.url.raw),
        other => panic!("{other:?}"),
    });
    told.collect()
}

#[test]
fn each_curl_of_a_paste_is_a_step_of_its_own() {
    let first = "curl http://h/a -H 'x: 1'";
    let second = "curl http://h/b -X DELETE -u me:hidden -k";
    for between in [
        " && ", " || ", "; ", " & ", "\n", " ;\n", "\n\n$ ", " # all\n",
    ] {
        let (plan, text, _) = convert(&format!("{first}{between}{second}"));
        assert_eq!(steps(&plan), ["GET /a", "DELETE /b"], "{text}");
        let StepKind::Http(delete) = &plan.scenarios[0].body.steps[1].kind else {
            panic!()
        };
        assert!(
            delete.headers.is_empty() && delete.settings.auth.is_some(),
            "{text}"
        );
        assert!(plan.scope.http[0].auth.is_none(), "{text}");
        assert_eq!(plan.scope.http[0].redirects, Some(0), "{text}");
    }
    let line = "curl ^\"http://h/a?x=1^&y=2^\" &\r\ncurl ^\"http://h/b^\" ^\r\n  -X ^\"PUT^\"";
    assert_eq!(steps(&convert(line).0), ["GET /a?x=1&y=2", "PUT /b"]);
    let (plan, ..) = convert("curl http://h/a -d x --next http://i/b -I");
    assert_eq!(steps(&plan), ["POST /a", "HEAD http://i/b"]);
    let (plan, text, _) = convert("curl http://a:one-1@h/a http://b:two-2@h/b");
    assert_eq!(plan.variables.len(), 2, "{text}");
    let (plan, ..) = convert("curl 'http://h/[1-2]/{x,y}'");
    assert_eq!(
        steps(&plan),
        ["GET /1/x", "GET /1/y", "GET /2/x", "GET /2/y"]
    );
}

#[test]
fn what_is_not_curl_is_refused_by_name() {
    for (line, told) in [
        ("curl http://h/a; rm -rf /", "1:18 plan-curl-other-command"),
        (
            "curl http://h/a & ping h.test",
            "1:19 plan-curl-other-command",
        ),
        ("curl http://h/a\nrm -rf x", "2:1 plan-curl-other-command"),
        ("curl http://h/a?x=1&b=2", "1:21 plan-curl-other-command"),
        ("curl http://h/a > out", "1:17 plan-curl-operator"),
        ("curl http://h/a &> out", "1:17 plan-curl-operator"),
        ("curl /etc/passwd", "1:6 plan-curl-no-host"),
        ("curl ./first.yaml", "1:6 plan-curl-no-host"),
        ("curl plan.har", "1:6 plan-curl-no-host"),
        ("curl post", "1:6 plan-curl-no-host"),
        ("curl http:///a", "1:6 plan-bad-url"),
        ("curl 'http://h/a b'", "1:6 plan-bad-url"),
        ("curl 'http://h/\0'", "1:6 plan-curl-nul"),
        ("curl \u{2014}X http://h/", "1:6 plan-curl-typographic"),
        ("curl -X 'GET /x' http://h/", "1:9 plan-bad-method"),
        (
            "curl --cert c.pem:word http://h/",
            "1:13 plan-curl-key-password",
        ),
        ("curl -G -d @f http://h/", "1:1 plan-curl-file-in-query"),
        ("curl --pass word http://h/", "1:13 plan-curl-key-password"),
        (
            "curl --path-as-is http://h/a/../b",
            "1:6 plan-curl-path-as-is",
        ),
        ("curl 'http://h/{'", "1:6 plan-curl-glob"),
        ("curl 'http://h/[1-1000]'", "1:6 plan-curl-glob-many"),
        ("curl http://h/ -d $'\\xff'", "1:20 plan-curl-not-utf8"),
    ] {
        assert!(
            mistakes(line).contains(&told.to_owned()),
            "{line}: {:?}",
            mistakes(line)
        );
    }
    for line in [
        "curl localhost/a",
        "curl h:80",
        "curl h.test",
        "curl [::1]/a",
        "curl -g 'http://h/{a}[1'",
    ] {
        convert(line);
    }
    assert_eq!(convert("curl \"http://h/$X\"").2, ["plan-curl-expansion"]);
}

#[test]
fn a_plan_has_no_method_or_address_that_curl_would_not_have() {
    for (line, id) in [
        ("request: {method: \"GET /x\", url: /}", "plan-bad-method"),
        ("request: {method: \"A\\r\\nB\", url: /}", "plan-bad-method"),
        ("get: \"/a\\0b\"", "plan-bad-request-url"),
    ] {
        let text = format!("target: http://h\nusers: 1\nduration: 1s\nsteps:\n  - {line}\n");
        let told = parse_yaml(&text, "").unwrap_err();
        assert!(
            told.iter().any(|p| p.message.id == id && p.at.line == 5),
            "{told:#?}"
        );
    }
    let text = "target: http://h\nusers: 1\nduration: 1s\nsteps:\n  - request: {method: M-SEARCH, url: /}\n";
    assert!(parse_yaml(text, "").is_ok());
}

#[test]
fn secrets_by_place_are_moved() {
    for line in [
        "curl -u s3cr3t: http://h/",
        "curl -u s3cr3t http://h/",
        "curl http://s3cr3t@h/",
        "curl -e 'http://r/?access_token=s3cr3t' http://h/",
        "curl 'http://h/a;jsessionid=s3cr3t?x=1'",
        "curl 'http://h/?key=s3cr3t&auth=s3cr3t2&session=s3cr3t3&signature=s3cr3t4'",
        "curl -d 'grant=x&code=s3cr3t' http://h/",
        "curl -F code=s3cr3t http://h/",
        "curl -d '<a><password>s3cr3t</password></a>' http://h/",
        r#"curl --json '{"variables":"{\"password\":\"s3cr3t\"}"}' http://h/"#,
        r#"curl --json '{"query":"{ login(password: \"s3cr3t\") }"}' http://h/"#,
        "curl -x http://s3cr3t@p:1 http://h/",
    ] {
        let (_, text, warnings) = convert(line);
        assert!(!text.contains("s3cr3t"), "{line}\n{text}");
        assert!(warnings.contains(&"plan-curl-secret".to_owned()), "{line}");
    }
    let (plan, text, _) = convert("curl -d 'pwd=s3cr3t' http://h/");
    assert!(text.contains("{env: PLAN_PWD, secret: true}"), "{text}");
    assert!(!text.contains("s3cr3t") && plan.variables.len() == 1);
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
