#![allow(clippy::unwrap_used, clippy::expect_used)]
use plimsoll_plan::program::{Part, Program, ScriptDef, ScriptId};
use proptest::prelude::*;

use super::*;
use crate::functions::tests::TestUser;
use crate::variables::tests::program;

/// The response of a shop's login, as Spring Boot sends it.
pub(crate) const JSON_HEAD: &[u8] = b"HTTP/1.1 200 \r\nContent-Type: application/json\r\n\
    Set-Cookie: JSESSIONID=0A1B; Path=/; HttpOnly\r\nset-cookie: cart=7%3D8; Max-Age=60\r\n\
    X-Folded: one\r\n  two\r\nDate: Sat, 21 Nov 2026 20:36:18 GMT\r\n\r\n";
pub(crate) const JSON: &[u8] =
    r#"{"token":"eyJhbGciOi","user":{"id":12345678901234567,"name":"王芳","vip":true,"note":null},
  "items":[{"sku":"A-1","price":10.50},{"sku":"B-2","price":3}],"total":13.5}"#
        .as_bytes();
const HTML_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=UTF-8\r\n\r\n";
/// A page as it is found: unclosed, with entities and a script.
const HTML: &[u8] = r#"<!DOCTYPE html><html><head><title>Shop &amp; more</title>
<meta name=_csrf content="tok-1"><script>if (a < b && "<p>") {}</script><body>
<form action=/cart><input type="hidden" name="_csrf" value="tok-2"><ul class="list big">
<li id=i1 data-id=1>Tea <b>green</b><li id=i2 data-id=2> Coffee </ul><a href="/next?p=2&amp;s=x">next</a>"#
    .as_bytes();
const XML: &[u8] = br#"<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<OrderResponse xmlns="http://shop.example/orders"><id>4711</id>
<line no="1"><sku>A-1</sku><qty>2</qty></line><line no="2"><sku>B-2</sku><qty>5</qty></line>
<note><![CDATA[a < b]]></note></OrderResponse></soap:Body></soap:Envelope>"#;

pub(crate) fn view<'a>(head: &'a [u8], body: &'a [u8]) -> ResponseView<'a> {
    ResponseView::new(200, head, body, "http://shop.example/login?x=1", 12_345_678)
}

fn matches_of(
    how: &ExtractorProgram,
    response: &ResponseView<'_>,
) -> Result<Vec<String>, EvalError> {
    let finder =
        Finder::bind(how, Span::default()).map_err(|error| EvalError::from(error.message))?;
    let mut found = Vec::new();
    finder.find(
        response,
        &mut TestUser::new(&Program::default()).ctx(),
        &mut |value| {
            found.push(value.to_owned());
            ControlFlow::Continue(())
        },
    )?;
    Ok(found)
}

fn found(how: &ExtractorProgram, head: &[u8], body: &[u8]) -> Vec<String> {
    matches_of(how, &view(head, body)).unwrap()
}

fn json(path: &str) -> Vec<String> {
    found(&ExtractorProgram::JsonPath(path.into()), JSON_HEAD, JSON)
}

fn regex(pattern: &str, group: u32) -> ExtractorProgram {
    ExtractorProgram::Regex {
        pattern: pattern.into(),
        group,
        in_headers: false,
    }
}

fn css(selector: &str, attribute: Option<&str>) -> Vec<String> {
    let attribute = attribute.map(str::to_owned);
    found(
        &ExtractorProgram::Css {
            selector: selector.into(),
            attribute,
        },
        HTML_HEAD,
        HTML,
    )
}

fn xpath(path: &str, head: &[u8], body: &[u8]) -> Vec<String> {
    found(&ExtractorProgram::XPath(path.into()), head, body)
}

/// The error of a pattern, in English.
fn bind_error(how: ExtractorProgram) -> String {
    let error = Finder::bind(&how, Span { line: 4, column: 2 })
        .err()
        .unwrap();
    assert_eq!(error.at, Span { line: 4, column: 2 });
    error.to_string()
}

#[test]
fn json_paths() {
    assert_eq!(json("$.token"), ["eyJhbGciOi"]);
    assert_eq!(
        json("$.user.id"),
        ["12345678901234567"],
        "to the last digit"
    );
    assert_eq!(json("$['user']['name']"), ["王芳"]);
    assert_eq!(json("$.items[*].sku"), ["A-1", "B-2"]);
    assert_eq!(json("$.items[-1].price"), ["3"]);
    assert_eq!(json("$.items[?@.price > 5].sku"), ["A-1"]);
    assert_eq!(json("$..price"), ["10.5", "3"]);
    assert_eq!(json("$.user.vip"), ["true"]);
    assert_eq!(json("$.user.note"), ["null"]);
    assert_eq!(json("$.items[1]"), [r#"{"sku":"B-2","price":3}"#]);
    assert_eq!(json("$.nothing"), [""; 0]);
    let error = bind_error(ExtractorProgram::JsonPath("$.items[".into()));
    assert!(
        error.contains("$.items[") && error.contains("RFC 9535"),
        "{error}"
    );
    let html = matches_of(
        &ExtractorProgram::JsonPath("$.a".into()),
        &view(HTML_HEAD, HTML),
    );
    assert!(html.unwrap_err().to_string().contains("not JSON"));
}

#[test]
fn regular_expressions() {
    assert_eq!(
        found(&regex(r#""sku":"([^"]+)""#, 1), JSON_HEAD, JSON),
        ["A-1", "B-2"]
    );
    assert_eq!(
        found(&regex(r"\d+\.\d", 0), JSON_HEAD, JSON),
        ["10.5", "13.5"]
    );
    assert_eq!(
        found(&regex("(Tea)|(Coffee)", 1), HTML_HEAD, HTML),
        ["Tea", ""]
    );
    // Look-around and back-references.
    assert_eq!(
        found(
            &regex(r#"(?<=name="_csrf" value=")[^"]+"#, 0),
            HTML_HEAD,
            HTML
        ),
        ["tok-2"]
    );
    assert_eq!(found(&regex(r"(.)\1", 0), b"", b"aabbc"), ["aa", "bb"]);
    let headers = ExtractorProgram::Regex {
        pattern: "JSESSIONID=([^;]+)".into(),
        group: 1,
        in_headers: true,
    };
    assert_eq!(found(&headers, JSON_HEAD, JSON), ["0A1B"]);
    let error = bind_error(regex("a(", 0));
    assert!(error.contains("a("), "{error}");
    let error = bind_error(regex("(?<=a(", 0));
    assert!(error.contains("(?<=a("), "{error}");
    let error = bind_error(regex("(a)", 2));
    assert!(error.contains("no group 2"), "{error}");
    // Exponential for a backtracking engine, which gives up instead of hanging.
    let slow = regex(r"^(?=(a+)+$)(a+)+$", 0);
    let body = [&[b'a'; 64][..], b"b"].concat();
    match matches_of(&slow, &view(b"", &body)) {
        Ok(found) => assert!(found.is_empty()),
        Err(error) => assert!(error.to_string().contains("took too long"), "{error}"),
    }
}

#[test]
fn css_selectors() {
    assert_eq!(css("input[name=_csrf]", Some("value")), ["tok-2"]);
    assert_eq!(css("ul.list > li", None), ["Tea green", "Coffee"]);
    assert_eq!(css("li:nth-child(2)", Some("data-id")), ["2"]);
    assert_eq!(css("a", Some("href")), ["/next?p=2&s=x"]);
    assert_eq!(css("title", None), ["Shop & more"]);
    assert_eq!(css("li", Some("class")), [""; 0]);
    let bad = ExtractorProgram::Css {
        selector: "li[".into(),
        attribute: None,
    };
    assert!(bind_error(bad).contains("li["));
}

#[test]
fn xpath_over_html_and_xml() {
    // A name that is an operator elsewhere.
    let html = b"<body><div><div>in</div></div></body>";
    assert_eq!(xpath("//div/div", b"", html), ["in"]);
    assert_eq!(xpath("//li/@data-id", HTML_HEAD, HTML), ["1", "2"]);
    assert_eq!(
        xpath("//input[@name='_csrf']/@value", HTML_HEAD, HTML),
        ["tok-2"]
    );
    assert_eq!(
        xpath("normalize-space(//li[2])", HTML_HEAD, HTML),
        ["Coffee"]
    );
    assert_eq!(xpath("//title/text()", HTML_HEAD, HTML), ["Shop & more"]);
    assert_eq!(
        xpath("//ul[contains(@class, 'big')]/li[1]/b", HTML_HEAD, HTML),
        ["green"]
    );
    // Without a type that helps: it is not XML, so it is HTML.
    assert_eq!(xpath("//meta/@content", b"", HTML), ["tok-1"]);

    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\n\r\n";
    assert_eq!(xpath("//OrderResponse/id", head, XML), ["4711"]);
    assert_eq!(
        xpath("/soap:Envelope/soap:Body/*/line[qty > 3]/sku", head, XML),
        ["B-2"]
    );
    assert_eq!(
        xpath("//Body", head, XML),
        [""; 0],
        "names are matched as written"
    );
    assert_eq!(xpath("count(//line)", head, XML), ["2"]);
    assert_eq!(xpath("sum(//qty) div 2", head, XML), ["3.5"]);
    assert_eq!(xpath("//line/@no = '2'", head, XML), ["true"]);
    assert_eq!(xpath("string(//note)", head, XML), ["a < b"]);
    let error = bind_error(ExtractorProgram::XPath("//a[".into()));
    assert!(error.contains("//a["), "{error}");
    bind_error(ExtractorProgram::XPath("unknown-function(//a)".into()));
}

#[test]
fn headers_cookies_and_the_rest() {
    let of = |how| found(&how, JSON_HEAD, JSON);
    assert_eq!(
        of(ExtractorProgram::Header("content-type".into())),
        ["application/json"]
    );
    assert_eq!(of(ExtractorProgram::Header("X-Folded".into())), ["one two"]);
    assert_eq!(of(ExtractorProgram::Header("Set-Cookie".into())).len(), 2);
    assert_eq!(of(ExtractorProgram::Header("HTTP/1.1 200".into())), [""; 0]);
    assert_eq!(of(ExtractorProgram::Cookie("cart".into())), ["7%3D8"]);
    assert_eq!(of(ExtractorProgram::Cookie("Path".into())), [""; 0]);
    assert_eq!(of(ExtractorProgram::Status), ["200"]);
    assert_eq!(of(ExtractorProgram::Url), ["http://shop.example/login?x=1"]);
    assert_eq!(
        of(ExtractorProgram::Body),
        [std::str::from_utf8(JSON).unwrap()]
    );
    let boundary = |left: &str, right: &str| {
        of(ExtractorProgram::Boundary(
            Template::text(left),
            Template::text(right),
        ))
    };
    assert_eq!(boundary("\"sku\":\"", "\""), ["A-1", "B-2"]);
    assert_eq!(boundary("\"total\":", ""), ["13.5}"]);
    assert_eq!(boundary("", "\"token\""), ["{"]);
    assert_eq!(boundary("", ""), [std::str::from_utf8(JSON).unwrap()]);
    assert_eq!(boundary("sku", "nowhere"), [""; 0]);
}

#[test]
fn bodies_in_other_charsets() {
    let body = encoding_rs::GBK.encode("{\"名字\":\"王芳\"}").0;
    let name = ExtractorProgram::JsonPath("$['名字']".into());
    for head in [
        "HTTP/1.1 200 OK\nContent-Type: application/json;charset=GBK\n\n",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json; a=b; Charset=\"gb18030\"\r\n\r\n",
    ] {
        assert_eq!(found(&name, head.as_bytes(), &body), ["王芳"], "{head}");
    }
    let utf_16 = [0xFEFF]
        .into_iter()
        .chain("{\"名字\":1}".encode_utf16())
        .flat_map(u16::to_le_bytes);
    assert_eq!(found(&name, b"", &utf_16.collect::<Vec<_>>()), ["1"]);
    assert_eq!(view(b"", b"a\xFFb").text(), "a\u{fffd}b");
    assert_eq!(view(b"", b"\xEF\xBB\xBFa").text(), "a");
    let unknown = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=klingon\r\n\r\n";
    assert_eq!(view(unknown, "ö".as_bytes()).text(), "ö");
}

fn extract(which: Which, path: &str, default: Option<&str>) -> BoundExtract {
    bind_extract(&ExtractProgram {
        how: ExtractorProgram::JsonPath(path.into()),
        which,
        variable: Slot(0),
        name: "id".into(),
        default: default.map(Template::text),
        at: Span::default(),
    })
    .unwrap()
}

fn run(user: &mut TestUser, extract: &BoundExtract, body: &str) -> Result<(), EvalError> {
    extract.run(&view(JSON_HEAD, body.as_bytes()), &mut user.ctx())
}

#[test]
fn which_match_is_saved() {
    let mut user = TestUser::new(&program(&["id"]));
    let value = |user: &TestUser| user.vars.get(Slot(0)).map(|value| value.to_string());
    run(&mut user, &extract(Which::Nth(2), "$[*]", None), "[1,2,3]").unwrap();
    assert_eq!(value(&user).as_deref(), Some("2"));
    run(&mut user, &extract(Which::Nth(0), "$[*]", None), "[1,2,3]").unwrap();
    assert_eq!(value(&user).as_deref(), Some("1"));
    let mut seen = std::collections::BTreeMap::<_, u32>::new();
    for _ in 0..3_000 {
        run(&mut user, &extract(Which::Random, "$[*]", None), "[1,2,3]").unwrap();
        *seen.entry(value(&user)).or_default() += 1;
    }
    // 1,000 each; six standard deviations are 155.
    assert!(
        seen.len() == 3 && seen.values().all(|&count| count.abs_diff(1_000) < 155),
        "{seen:?}"
    );
}

#[test]
fn all_matches_get_numbered_names() {
    let mut user = TestUser::new(&program(&["id", "id_2"]));
    let all = extract(Which::All, "$[*]", None);
    run(&mut user, &all, "[7,8,9]").unwrap();
    let get =
        |user: &TestUser, name: &str| user.vars.get_by_name(name).map(|value| value.to_string());
    let named = |user: &TestUser| {
        ["id_1", "id_2", "id_3", "id_matchNr"].map(|name| get(user, name).unwrap_or_default())
    };
    assert_eq!(named(&user), ["7", "8", "9", "3"]);
    assert_eq!(
        user.vars.get(Slot(1)).unwrap().as_ref(),
        "8",
        "a name of the plan is the same variable"
    );
    run(&mut user, &all, "[5]").unwrap();
    assert_eq!(
        named(&user),
        ["5", "", "", "1"],
        "none of the list before is left"
    );
    assert!(run(&mut user, &all, "[]").is_err());
    assert_eq!(named(&user), ["", "", "", "0"]);
    run(&mut user, &extract(Which::All, "$[*]", Some("none")), "[]").unwrap();
    assert_eq!(get(&user, "id").as_deref(), Some("none"));
}

#[test]
fn without_a_match_the_default_or_the_reason() {
    let mut user = TestUser::new(&program(&["id"]));
    let (strict, lenient) = (
        extract(Which::Nth(1), "$.a", None),
        extract(Which::Nth(1), "$.a", Some("x")),
    );
    for body in ["{}", "no JSON", ""] {
        run(&mut user, &lenient, body).unwrap();
        assert_eq!(user.vars.get(Slot(0)).unwrap().as_ref(), "x");
        let error = run(&mut user, &strict, body).unwrap_err();
        assert_eq!(error.kind, ErrorKind::CheckFailed);
        let text = error.to_string();
        assert!(text.contains("id") && text.contains("$.a"), "{text}");
        assert_eq!(text.contains("not JSON"), body != "{}", "{text}");
    }
    let error = run(&mut user, &extract(Which::Nth(3), "$[*]", None), "[1,2]").unwrap_err();
    assert!(error.to_string().contains("found nothing"));
}

#[test]
fn a_boundary_made_of_variables_and_scripts() {
    let mut program = program(&["id", "key"]);
    let at = Span::default();
    program.scripts.push(ScriptDef {
        source: "boom()".into(),
        expression: true,
        at,
    });
    let mut user = TestUser::new(&program);
    user.vars.set(Slot(1), "b=");
    let left = |part| Template { parts: vec![part] };
    let mut bound = |part| {
        let how = ExtractorProgram::Boundary(left(part), Template::text(";"));
        let name = "id".into();
        let which = Which::Nth(1);
        let program = ExtractProgram {
            how,
            which,
            variable: Slot(0),
            name,
            default: None,
            at,
        };
        bind_extract(&program)
            .unwrap()
            .run(&view(b"", b"a=1;b=2;"), &mut user.ctx())
    };
    bound(Part::Slot {
        slot: Slot(1),
        literal: "".into(),
    })
    .unwrap();
    assert_eq!(
        bound(Part::Script(ScriptId(0))).unwrap_err().kind,
        ErrorKind::ScriptFailed
    );
    assert_eq!(user.vars.get(Slot(0)).unwrap().as_ref(), "2");
}

/// One of each.
fn one_of_each() -> Vec<ExtractorProgram> {
    vec![
        ExtractorProgram::JsonPath("$..a[?@.b > 1 || length(@.c) < 3]".into()),
        ExtractorProgram::JsonPath("$.a.b[0]".into()),
        regex("(a|b)+c?", 1),
        regex(r"(?<!a)(b+)\1", 1),
        ExtractorProgram::Regex {
            pattern: ":.*".into(),
            group: 0,
            in_headers: true,
        },
        ExtractorProgram::Css {
            selector: "div > p:first-child, [a]".into(),
            attribute: None,
        },
        ExtractorProgram::XPath("//a[@b]/following::*/text()".into()),
        ExtractorProgram::Header("a".into()),
        ExtractorProgram::Cookie("a".into()),
        ExtractorProgram::Boundary(Template::text("a"), Template::text("b")),
        ExtractorProgram::Body,
        ExtractorProgram::Status,
        ExtractorProgram::Url,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_response_makes_an_extraction_panic(
        head in proptest::collection::vec(any::<u8>(), 0..200),
        body in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let response = view(&head, &body);
        for how in one_of_each() {
            let _ = matches_of(&how, &response);
        }
    }

    #[test]
    fn no_text_makes_an_extraction_panic(
        head in "(HTTP/1.1 200 OK\r\n)?((a|Set-Cookie|Content-Type|): ?[a;=\" ]{0,5}(charset=(gbk|utf-16|x))?\r?\n ?){0,4}",
        body in r#"(<a b="1">|</a>|<!--|-->|<p>|<!DOCTYPE|<\?xml|]]>|<!\[CDATA\[|&amp;|&#x110000;|[{}\[\],:"]|"a"|"b"|1e999|\\u[dD]800|[ab中]|:){0,60}"#,
    ) {
        let response = view(head.as_bytes(), body.as_bytes());
        for how in one_of_each() {
            let _ = matches_of(&how, &response);
        }
    }

    #[test]
    fn no_pattern_makes_binding_panic(pattern in r"[$.\[\]?@*()'/a:1 |\\+={}<!-]{0,30}|\PC{0,20}") {
        for how in [
            ExtractorProgram::JsonPath(pattern.clone()),
            regex(&pattern, 0),
            ExtractorProgram::Css { selector: pattern.clone(), attribute: None },
            ExtractorProgram::XPath(pattern.clone()),
        ] {
            if let Ok(finder) = Finder::bind(&how, Span::default()) {
                let user = &mut TestUser::new(&Program::default());
                let _ = finder.find(&view(HTML_HEAD, HTML), &mut user.ctx(), &mut |_| ControlFlow::Continue(()));
                let _ = finder.find(&view(JSON_HEAD, JSON), &mut user.ctx(), &mut |_| ControlFlow::Continue(()));
            }
        }
    }
}

#[test]
fn deep_and_endless_bodies_are_survived() {
    let deep_json = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let deep_html = b"<div><p>".repeat(1_500);
    let deep_xml = [b"<a>".repeat(20_000), b"</a>".repeat(20_000)].concat();
    let bomb = br#"<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
        <!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
        <!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]><a>&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;</a>"#;
    for body in [&deep_json[..], &deep_html, &deep_xml, bomb] {
        let response = view(b"", body);
        for how in one_of_each() {
            let _ = matches_of(&how, &response);
        }
    }
}

#[test]
fn many_values_of_one_body_are_the_same_as_a_few() {
    // The first are found by scans, the later ones in the tree that is made then.
    let response = view(JSON_HEAD, JSON);
    for _ in 0..6 {
        let path = ExtractorProgram::JsonPath("$.items[0].price".into());
        assert_eq!(matches_of(&path, &response).unwrap(), ["10.5"]);
    }
    let broken = view(JSON_HEAD, b"{\"items\":[{\"price\":1}], oops}");
    for _ in 0..6 {
        let path = ExtractorProgram::JsonPath("$.items[0].price".into());
        assert!(
            matches_of(&path, &broken)
                .unwrap_err()
                .to_string()
                .contains("not JSON")
        );
    }
}

#[test]
fn what_is_wrong_with_a_selector_is_said_in_words() {
    for (selector, words) in [
        (">>", "empty selector"),
        ("div:nope", "unsupported pseudo class or element"),
    ] {
        let error = super::css::Css::new(selector, None).err().unwrap();
        let text = plimsoll_text::render(plimsoll_text::Lang::En, &error);
        assert!(
            text.contains(words) && !text.contains("developer"),
            "{text}"
        );
    }
}
