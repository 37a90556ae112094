#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use crate::formats::{Address, EditFault, Format, get, remove, set};

const APPLICATION: &str = "# 应用配置
server:
  port: 8080   # 端口
  tomcat:
    threads: {max: 200, min-spare: 10}
    acceptCount: '100'
spring.datasource.hikari.maximum-pool-size: \"10\"
logging:
  level:
    root: INFO
    com.example_x: debug
list:
  - name: a
    size: 1
  - {name: b}
empty:
---
spring:
  config.activate.on-profile: prod
server.tomcat.threads.max: 400
";

fn spring(path: &str) -> Option<String> {
    let found = get(
        Format::SpringYaml,
        APPLICATION.as_bytes(),
        &Address::new(path),
    )
    .unwrap();
    found.map(|found| found.value)
}

fn changed(format: Format, file: &str, address: &Address, value: &str) -> String {
    String::from_utf8(set(format, file.as_bytes(), address, value).unwrap()).unwrap()
}

#[test]
fn values_are_found_by_relaxed_names() {
    for (path, expected) in [
        ("server.port", Some("8080")),
        ("server.tomcat.threads.max", Some("200")),
        ("server.tomcat.threads.minSpare", Some("10")),
        ("server.tomcat.accept-count", Some("100")),
        ("spring.datasource.hikari.maximum-pool-size", Some("10")),
        ("logging.level.com.example_x", Some("debug")),
        ("list[0].size", Some("1")),
        ("list[1].name", Some("b")),
        ("empty", Some("")),
        ("server.tomcat.max-connections", None),
    ] {
        assert_eq!(spring(path).as_deref(), expected, "{path}");
    }
    let exact = get(
        Format::Yaml,
        APPLICATION.as_bytes(),
        &Address::new("server.tomcat.accept-count"),
    );
    assert_eq!(exact.unwrap(), None);
    let list = get(
        Format::SpringYaml,
        APPLICATION.as_bytes(),
        &Address::new("list"),
    )
    .unwrap_err();
    assert_eq!(
        (list.line, list.fault),
        (13, EditFault::NotSingle("list".to_owned()))
    );
}

#[test]
fn one_value_changes_and_comments_and_styles_stay() {
    for (path, value, before, after) in [
        (
            "server.port",
            "9090",
            "port: 8080   # 端口",
            "port: 9090   # 端口",
        ),
        ("server.tomcat.threads.max", "5", "{max: 200,", "{max: 5,"),
        ("server.tomcat.accept-count", "5", "'100'", "'5'"),
        (
            "spring.datasource.hikari.maximum-pool-size",
            "20",
            "\"10\"",
            "\"20\"",
        ),
        ("logging.level.root", "off", "root: INFO", "root: \"off\""),
        ("list[1].name", "中 文", "{name: b}", "{name: \"中 文\"}"),
        ("empty", "x", "empty:\n", "empty: x\n"),
    ] {
        let now = changed(Format::SpringYaml, APPLICATION, &Address::new(path), value);
        assert_eq!(now, APPLICATION.replacen(before, after, 1), "{path}");
    }
}

#[test]
fn missing_values_are_added_at_their_parent() {
    let add = |file: &str, path: &str| changed(Format::SpringYaml, file, &Address::new(path), "42");
    let now = add(APPLICATION, "server.tomcat.max-connections");
    assert_eq!(
        now,
        APPLICATION.replace("    threads: {", "    max-connections: 42\n    threads: {")
    );
    let now = add(APPLICATION, "server.tomcat.threads.max-queue-capacity");
    assert_eq!(
        now,
        APPLICATION.replace("{max:", "{max-queue-capacity: 42, max:")
    );
    let now = add(APPLICATION, "list[0].more");
    assert_eq!(
        now,
        APPLICATION.replace("- name: a", "- more: 42\n    name: a")
    );
    let now = add(APPLICATION, "a.b.c");
    assert_eq!(
        now,
        APPLICATION.replace("server:\n  port", "a:\n  b:\n    c: 42\nserver:\n  port")
    );
    assert_eq!(add("", "a.b"), "a:\n  b: 42\n");
    assert_eq!(add("# nothing", "a"), "# nothing\na: 42\n");
    assert_eq!(
        add("a:\r\n  b: 1\r\n", "a.c"),
        "a:\r\n  c: 42\r\n  b: 1\r\n"
    );
    assert_eq!(add("\u{feff}b: 1", "a"), "\u{feff}a: 42\nb: 1");
    let gone = remove(
        Format::Yaml,
        "\u{feff}a: 1\n".as_bytes(),
        &Address::new("a"),
    )
    .unwrap();
    assert_eq!(gone, "\u{feff}".as_bytes());
    assert_eq!(add("{}", "a.b"), "{a: {b: 42}}");
}

#[test]
fn profiles_decide_between_documents() {
    let prod = Address::new("server.tomcat.threads.max").while_active(["prod"]);
    let found = get(Format::SpringYaml, APPLICATION.as_bytes(), &prod)
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.value.as_str(), found.line, found.column),
        ("400", 20, 28)
    );
    let now = changed(Format::SpringYaml, APPLICATION, &prod, "5");
    assert_eq!(now, APPLICATION.replace("max: 400", "max: 5"));
    // A list of profiles: one of them is enough, in either way to write lists.
    for list in ["[test, prod]", "\n    - test\n    - prod"] {
        let file = format!("a: 1\n---\nspring:\n  config.activate.on-profile: {list}\na: 2\n");
        for (active, expected) in [("prod", "2"), ("test", "2"), ("eu", "1"), ("default", "1")] {
            let address = Address::new("a").while_active([active]);
            let found = get(Format::SpringYaml, file.as_bytes(), &address).unwrap();
            assert_eq!(found.unwrap().value, expected, "{active}: {file}");
        }
    }
    let only_prod = "spring.config.activate.on-profile: prod\na: 1\n";
    let now = changed(Format::SpringYaml, only_prod, &Address::new("a"), "2");
    assert_eq!(now, format!("{only_prod}---\na: 2\n"));
}

#[test]
fn what_others_share_is_not_changed() {
    let file =
        "base: &b\n  size: 1\none: *b\ntwo: {<<: *b, x: 1}\nthree: &c 5\nfour: *c\nfive: a\n";
    let fault = |path: &str| {
        set(Format::Yaml, file.as_bytes(), &Address::new(path), "7")
            .unwrap_err()
            .fault
    };
    for path in ["base.size", "base.more", "one.size", "three", "four"] {
        assert!(
            matches!(fault(path), EditFault::Shared(_)),
            "{path}: {:?}",
            fault(path)
        );
    }
    assert!(matches!(fault("five.b"), EditFault::NoParent(_)));
    // A key beside what was merged overrides it.
    let now = changed(Format::Yaml, file, &Address::new("two.size"), "7");
    assert_eq!(now, file.replace("{<<:", "{size: 7, <<:"));
}

#[test]
fn what_is_no_yaml_is_told_with_its_place() {
    for (file, line) in [
        ("a: 1\n\tb: 2\n", 2),
        ("a: [1\n", 2),
        ("a: \"x\n", 1),
        ("a: 1\na: b: c\n", 2),
    ] {
        let error = get(Format::Yaml, file.as_bytes(), &Address::new("a"));
        let error = error.expect_err(file);
        assert!(
            (line - 1..=line + 1).contains(&error.line),
            "{file:?} {error:?}"
        );
        assert!(matches!(error.fault, EditFault::Syntax(_)), "{error:?}");
    }
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(get(Format::Yaml, deep.as_bytes(), &Address::new("a")).is_err());
    for path in ["", "a..b", ".a", "a\nb"] {
        assert!(
            get(Format::Yaml, b"a: 1", &Address::new(path)).is_err(),
            "{path:?}"
        );
    }
}

#[test]
fn a_value_is_taken_away_with_its_line() {
    let gone = remove(
        Format::SpringYaml,
        APPLICATION.as_bytes(),
        &Address::new("server.port"),
    )
    .unwrap();
    let expected = APPLICATION.replace("  port: 8080   # 端口\n", "");
    assert_eq!(String::from_utf8(gone).unwrap(), expected);
}

/// Ten megabytes, with Chinese in it, in a moment.
#[test]
fn long_files_are_taken() {
    let mut file = String::from("first: 1\n");
    let comment = "注释".repeat(30);
    for number in 0..50_000 {
        file.push_str(&format!("键{number}: 值 # {comment}\n"));
    }
    file.push_str("last: 2\n");
    let now = changed(Format::Yaml, &file, &Address::new("last"), "3");
    assert!(now.ends_with("last: 3\n") && now.len() == file.len());
}

/// Trees that people write, in block and flow style.
fn trees() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a: 1",
        "a:",
        "  b: 2",
        "  b:",
        "    c: x # 注",
        "  c: 'q'",
        "b: {c: 1, d: [1, 2]}",
        "c: \"x: y\"",
        "- a: 1",
        "  - b",
        "# 注释",
        "",
        "---",
        "d: |",
        "  text",
        "e: &x 1",
        "f: *x",
        "a.b: 3",
        "...",
        "? k",
        ": v",
        "g: !!str 5",
        "\"b\": 4",
        "%YAML 1.2",
    ]);
    (prop::collection::vec(line, 0..14), any::<bool>())
        .prop_map(|(lines, crlf)| lines.join(if crlf { "\r\n" } else { "\n" }))
}

proptest! {
    #[test]
    fn what_is_set_is_there_and_nothing_else_moves(
        file in trees(), spring in any::<bool>(), value in "[ -~中文]{0,12}",
        path in prop::sample::select(vec!["a", "a.b", "a.b.c", "b.c", "b.d", "c", "e", "z.y", "g", "a[0].a"]),
    ) {
        let format = if spring { Format::SpringYaml } else { Format::Yaml };
        let address = Address::new(path);
        if let Ok(now) = set(format, file.as_bytes(), &address, &value) {
            prop_assert_eq!(get(format, &now, &address).unwrap().unwrap().value, value.clone());
            prop_assert_eq!(set(format, &now, &address, &value).unwrap(), now.clone());
            for other in ["a", "a.b", "a.b.c", "b.c", "b.d", "c", "e", "z.y", "g", "f", "d"] {
                if other == path || path.starts_with(&format!("{other}.")) || path.starts_with(&format!("{other}[")) {
                    continue;
                }
                let other = Address::new(other);
                let values = [&now[..], file.as_bytes()]
                    .map(|file| get(format, file, &other).map(|found| found.map(|found| found.value)).ok());
                prop_assert_eq!(&values[0], &values[1], "{:?}", other);
            }
        }
    }

    #[test]
    fn any_text_is_taken(file in "[\\PC\n\t]{0,120}", path in "[a-c.\\[\\]0]{0,8}", value in ".{0,8}") {
        let address = Address::new(path);
        let _ = set(Format::SpringYaml, file.as_bytes(), &address, &value);
        let _ = remove(Format::Yaml, file.as_bytes(), &address);
    }
}

#[test]
fn an_entry_in_braces_goes_with_its_comma() {
    for (file, path, without) in [
        ("{a: 1}", "a", "{}"),
        ("{a: \"\"\n}", "a", "{\n}"),
        ("{a: 1, b: 2}", "a", "{b: 2}"),
        ("{a: 1, b: 2}", "b", "{a: 1}"),
        ("{a: 1, b: , c: 3}", "b", "{a: 1, c: 3}"),
        ("x: {a: {b: 1}, c: 2}\n", "x.a.b", "x: {a: {}, c: 2}\n"),
        (
            "x: {\n  a: 1, # one\n  b: 2\n}\n",
            "x.b",
            "x: {\n  a: 1, # one\n}\n",
        ),
        ("x: {a: 1,\n    b: 2}\n", "x.b", "x: {a: 1}\n"),
    ] {
        let gone = remove(Format::Yaml, file.as_bytes(), &Address::new(path)).unwrap();
        assert_eq!(String::from_utf8(gone).unwrap(), without, "{file}");
    }
}

#[test]
fn what_cannot_go_without_its_surroundings_stays() {
    for (file, path) in [
        ("[x, a: \"\", y]", "[1].a"),
        ("{ # one,\n a: \"\", b: 2}", "a"),
        ("- a: \"\"\n  b: 1\n", "[0].a"),
    ] {
        let stop = remove(Format::Yaml, file.as_bytes(), &Address::new(path)).unwrap_err();
        assert!(
            matches!(stop.fault, EditFault::NotSingle(_)),
            "{file}: {stop:?}"
        );
    }
}
