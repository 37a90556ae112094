//! No spelling of a secret gets through, and what is none stays readable.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_secrets::{
    Known, MASK, bytes, command_line, command_words, document, in_place, is_secret, text, value,
    within,
};
use proptest::prelude::*;

const NAMES: &str = include_str!("corpus/names.txt");
const PLAIN_NAMES: &str = include_str!("corpus/plain-names.txt");
const TEXTS: &str = include_str!("corpus/texts.txt");
const HELD_OUT: &str = include_str!("corpus/held-out.txt");
const PLAIN_TEXTS: &str = include_str!("corpus/plain-texts.txt");
const SHAPES: &str = include_str!("corpus/shapes.txt");
const CANARY: &str = "Zq7Canary9X";

/// The lines of a file of the corpus, with its escapes of line ends undone.
fn lines(file: &'static str) -> impl Iterator<Item = String> {
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(|line| {
            let line = line.replace("\\\\", "\u{1}");
            let line = line.replace("\\r", "\r").replace("\\n", "\n");
            line.replace('\u{1}', "\\")
        })
}

/// A name and its value in every context where that name can stand.
fn contexts(name: &str, value: &str) -> Vec<String> {
    let quoted = format!("{name:?}").replace("\\u{", "\\u{");
    let entity = |text: &str| text.replace('"', "&quot;").replace('<', "&lt;");
    let percent = |text: &str| -> String {
        let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    let letters = |text: &str| -> String {
        text.chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect()
    };
    let json = format!("{{\"user\":\"joe\",{quoted}:\"{value}\",\"n\":1}}");
    let mut all = vec![
        json.clone(),
        format!("{{\n  \"n\": 1,\n  {quoted} : \"{value}\"\n}}\n"),
        format!("{{\"{}\":\"{value}\"}}", letters(name)),
        json.replace('"', "\\\""),
        json.replace('"', "\\\\\\\""),
        entity(&json),
        percent(&json),
        format!("{{\"name\":{quoted},\"value\":\"{value}\"}}"),
        format!("{{\"value\":\"{value}\",\"name\":{quoted}}}"),
        format!("{{'{name}': '{value}', 'n': 1}}"),
        format!("{{{quoted}=>\"{value}\"}}"),
        format!("user=joe&{}={}&n=1", percent(name), percent(value)),
        format!("https://h/x?{name}={value}&n=1"),
        format!("GET /x?n=1&{name}={value} HTTP/1.1"),
        format!("{name}={value}"),
        format!("# a\n{name} = {value}\nn = 1\n"),
        format!("export {name}=\"{value}\"\n"),
        format!("a:\n  {quoted}: {value}\n  n: 1\n"),
        format!("a:\n  {name}: '{value}'\n"),
        format!("a:\n  {name}: |\n    {value}\n  n: 1\n"),
        format!("a:\n  {name}: >-\n    {value}\n"),
        format!("a: {{n: 1, {quoted}: {value}}}\n"),
        format!("- name: {name}\n  value: {value}\n"),
        format!("2026-01-01 INFO done n=1 {name}={value} m=2"),
        format!("User(n=1, {name}={value}, m=2)"),
        format!("<x n=\"1\" y=\"{name}={value}\"/>"),
        format!("<stringProp name=\"{name}\">{value}</stringProp>"),
        format!("<property name=\"{name}\" value=\"{value}\"/>"),
        format!(
            "<elementProp name=\"\" elementType=\"Header\">\n<stringProp name=\"Header.name\">{name}\
             </stringProp>\n<stringProp name=\"Header.value\">{value}</stringProp>\n</elementProp>"
        ),
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n--b--\r\n"
        ),
    ];
    if name
        .bytes()
        .all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(&c))
    {
        all.push(format!(
            "GET / HTTP/1.1\r\nHost: h\r\n{name}: {value}\r\nN: 1\r\n\r\n"
        ));
        all.push(format!("curl -H '{name}: {value}' http://h/"));
        if !name.starts_with('-') {
            all.push(format!("java -D{name}={value} -jar a.jar"));
            all.push(format!("java -jar a.jar --{name}={value} --n=1"));
            all.push(format!("app --{name} {value} --n 1"));
            all.push(format!("<a>\n  <{name}>{value}</{name}>\n</a>"));
            all.push(format!("{{\"body\": \"<{name}>{value}</{name}>\"}}"));
            all.push(format!("&lt;{name}&gt;{value}&lt;/{name}&gt;"));
        }
    }
    all
}

/// What is wrong with the masking of a text.
fn flaw(given: &str, secret: &str) -> Option<String> {
    let shown = text(given);
    if shown.contains(secret) {
        return Some(format!("kept: {given}\n   -> {shown}"));
    }
    if text(&shown) != shown {
        return Some(format!(
            "not twice: {given}\n   -> {shown}\n   -> {}",
            text(&shown)
        ));
    }
    None
}

fn check(flaws: &[String], of: usize) {
    assert!(
        flaws.is_empty(),
        "{} of {of}:\n{}",
        flaws.len(),
        flaws.join("\n")
    );
}

#[test]
fn the_corpus_is_large() {
    assert!(lines(NAMES).count() >= 150);
    assert!(lines(PLAIN_NAMES).count() >= 80);
    assert!(contexts("a", "b").len() >= 8);
    assert!(lines(TEXTS).count() >= 150);
}

#[test]
fn names_of_secrets_are_known() {
    let flaws: Vec<String> = lines(NAMES).filter(|name| !is_secret(name)).collect();
    check(&flaws, lines(NAMES).count());
}

#[test]
fn other_names_are_none() {
    let flaws: Vec<String> = lines(PLAIN_NAMES).filter(|name| is_secret(name)).collect();
    check(&flaws, lines(PLAIN_NAMES).count());
}

#[test]
fn no_spelling_gets_through_in_any_context() {
    let all: Vec<String> = lines(NAMES)
        .flat_map(|name| contexts(&name, CANARY))
        .collect();
    let flaws: Vec<String> = all.iter().filter_map(|given| flaw(given, CANARY)).collect();
    check(&flaws, all.len());
}

#[test]
fn other_names_keep_their_values() {
    let wrong = |given: &String| {
        let shown = text(given);
        (shown != given.as_str()).then(|| format!("{given}\n   -> {shown}"))
    };
    let all: Vec<String> = lines(PLAIN_NAMES)
        .flat_map(|name| contexts(&name, CANARY))
        .collect();
    let flaws: Vec<String> = all.iter().filter_map(wrong).collect();
    check(&flaws, all.len());
}

#[test]
fn texts_are_masked_where_they_are_secret() {
    let all: Vec<String> = lines(TEXTS).chain(lines(HELD_OUT)).collect();
    let flaws = all
        .iter()
        .filter_map(|line| flaw(&line.replace('§', CANARY), CANARY));
    check(&flaws.collect::<Vec<_>>(), all.len());
}

#[test]
fn other_texts_stay_as_they_are() {
    let wrong = |given: &String| {
        let shown = text(given);
        (shown != given.as_str()).then(|| format!("{given}\n   -> {shown}"))
    };
    let all: Vec<String> = PLAIN_TEXTS.lines().map(str::to_owned).collect();
    check(&all.iter().filter_map(wrong).collect::<Vec<_>>(), all.len());
}

#[test]
fn tokens_are_known_by_their_shape() {
    let mut flaws = Vec::new();
    for token in lines(SHAPES).map(|line| line.replace('~', "")) {
        for around in [
            "§",
            "it is §, so",
            "/x/§/y",
            "[\"§\"]",
            "x: §\n",
            "'§'",
            "a=§&b",
            "%22§%22",
        ] {
            flaws.extend(flaw(&around.replace('§', &token), &token));
        }
    }
    check(&flaws, lines(SHAPES).count() * 8);
}

#[test]
fn the_mask_says_nothing_of_the_length() {
    for length in [3, 8, 64, 1000] {
        let given = format!("password={}", "x".repeat(length));
        assert_eq!(text(&given), format!("password={MASK}"));
    }
}

#[test]
fn what_is_left_can_be_read() {
    for (given, shown) in [
        (
            r#"{"user":"joe","password":"a\"b","pin":1234,"n":1}"#,
            r#"{"user":"joe","password":"***","pin":"***","n":1}"#,
        ),
        (
            "https://joe:pw@h/x?token=abc&n=1#f",
            "https://joe:***@h/x?token=***&n=1#f",
        ),
        (
            "Authorization: Bearer abc\r\nHost: x",
            "Authorization: Bearer ***\r\nHost: x",
        ),
        ("Cookie: a=1; b=2=3", "Cookie: a=***; b=***"),
        (
            "Set-Cookie: sid=9; Path=/; HttpOnly",
            "Set-Cookie: sid=***; Path=/; HttpOnly",
        ),
        ("user=joe&password=a%26b&n=1", "user=joe&password=***&n=1"),
        ("a <password>x</password> b", "a <password>***</password> b"),
        ("mysql -uroot -px shop", "mysql -uroot -p*** shop"),
        (
            "key: x\npassword: a b\nuser: joe\n",
            "key: x\npassword: ***\nuser: joe\n",
        ),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb",
            "a\n***\nb",
        ),
    ] {
        assert_eq!(text(given), shown);
    }
    let plan = "url: https://joe:pw@h/\npassword: a b # mine\njson: {token: abc, n: 1}\n";
    let shown = "url: https://joe:***@h/\npassword: \"***\"\njson: {token: \"***\", n: 1}\n";
    assert_eq!(document(plan), shown);
    assert_eq!(document(shown), shown);
}

#[test]
fn command_lines_are_lists_of_words() {
    for (given, shown) in [
        (
            &[
                "java",
                "-Ddb.password=x y",
                "-jar",
                "a.jar",
                "--api-key=y",
                "--port=1",
            ][..],
            "java -Ddb.password=*** -jar a.jar --api-key=*** --port=1",
        ),
        (&["mysql", "-uroot", "-psecret"], "mysql -uroot -p***"),
        (&["x", "--password", "y z", "--z"], "x --password *** --z"),
        (
            &["/usr/bin/redis-cli", "-a", "y", "info"],
            "/usr/bin/redis-cli -a *** info",
        ),
        (&["java", "-p", "8080"], "java -p 8080"),
        (
            &["curl", "-u", "joe:pw", "-H", "X-Api-Key: a b"],
            "curl -u joe:*** -H X-Api-Key: ***",
        ),
        (
            &["x", "--user", "joe:pw", "--bearer", "x"],
            "x --user joe:*** --bearer ***",
        ),
        (
            &["sshpass", "-p", "a b", "ssh", "h"],
            "sshpass -p *** ssh h",
        ),
        (
            &["env", "PGPASSWORD=a\nb", "psql"],
            "env PGPASSWORD=*** psql",
        ),
        (&["sh", "-c", "mysql -px"], "sh -c mysql -p***"),
    ] {
        assert_eq!(command_line(given), shown);
    }
}

#[test]
fn values_are_masked_by_their_names() {
    for (name, given, shown) in [
        ("password", "x", "***"),
        ("password", "", ""),
        ("password", "${pw}", "${pw}"),
        ("Authorization", "Bearer x", "Bearer ***"),
        ("Cookie", "a=b", "a=***"),
        ("url", "http://u:p@h/", "http://u:***@h/"),
        ("author", "x", "x"),
    ] {
        assert_eq!(value(name, given), shown, "{name}: {given}");
    }
}

#[test]
fn known_values_are_masked_in_every_form() {
    let known = Known::new([
        "hunter \"2\"&<é>",
        "hunter2",
        "ab",
        "",
        "admin",
        "correcthorse",
    ]);
    for form in [
        "hunter \"2\"&<é>",
        "hunter+%222%22%26%3C%C3%A9%3E",
        "hunter%20%222%22%26%3C%C3%A9%3E",
        "hunter%20%222%22%26%3c%c3%a9%3e",
        "hunter \\\"2\\\"&<é>",
        "hunter &quot;2&quot;&amp;&lt;é&gt;",
        "aHVudGVyICIyIiY8w6k+",
    ] {
        assert_eq!(known.text(&format!("x {form} y")), "x *** y", "{form}");
    }
    assert_eq!(known.text("ab"), "ab");
    assert_eq!(known.text("GET /admin correcthorse"), "GET /admin ***");
    assert_eq!(known.bytes(b"\xff hunter2 \xfe"), &b"\xff *** \xfe"[..]);
}

/// The time this thread has had on a CPU: what others do does not count.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

/// The time for a text of `n` and of `8 n` bytes differs by far less than the square says.
#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "{\"token\":",
        "password=\"",
        "password='",
        "token:[",
        "<password>",
        "<a \"",
        "://",
        "a:b@",
        "\\\\\\\"",
        "%22",
        "&quot;",
        "-----BEGIN PRIVATE KEY",
        "-p\"",
        "eyJ",
        "token: |\n ",
        "token:\n ",
        "password",
        "Content-Disposition: form-data; name=\"password\"",
        "- ",
        "${",
        "a.",
        "--token ",
        "Cookie: ;",
        "\u{ff1a}",
        "=",
        "\"",
        "[",
        "{",
        "<",
        "&",
        "Authorization: ",
    ];
    for piece in pieces {
        let time = |count: usize| {
            let given = piece.repeat(count / piece.len() + 1);
            let times = (0..2).map(|_| {
                let start = cpu_ns();
                let _ = text(&given);
                cpu_ns() - start
            });
            times.min().unwrap()
        };
        // A tick of the clock that counts this may be 10 ms.
        let (short, long) = (time(50_000) + 10_000_000, time(400_000));
        assert!(long < short * 8 * 3, "{piece:?}: {short} ns, {long} ns");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_value_gets_through(
        name in prop::sample::select(lines(NAMES).collect::<Vec<_>>()),
        value in "Q[A-Za-z0-9_.~!+/^-]{5,30}",
    ) {
        for given in contexts(&name, &value) {
            prop_assert_eq!(flaw(&given, &value), None);
            prop_assert!(!document(&given).contains(&value));
            let document = document(&given).into_owned();
            prop_assert_eq!(plimsoll_secrets::document(&document), document.as_str());
        }
    }

    #[test]
    fn any_bytes_are_taken(given in prop::collection::vec(any::<u8>(), 0..200)) {
        let shown = bytes(&given).into_owned();
        let _ = bytes(&shown);
        let _ = text(&String::from_utf8_lossy(&given));
    }

    #[test]
    fn any_mixture_of_marks_is_taken(
        parts in prop::collection::vec(prop::sample::select(vec![
            "password", "=", ":", "\"", "'", "{", "}", "[", "]", "<", ">", "</", "&quot;", "%22", "\\",
            "\\\"", "\n", " ", "- ", "|", "://", "@", "-p", "--", "mysql ", "\u{ff1a}", "密码", "é", ";",
            "Cookie", "Bearer ", "name", "value", "<![CDATA[", "]]>", "eyJhbGciOi.eyJhbGciOi", "?", "&",
        ]), 0..40),
    ) {
        let given = parts.concat();
        let shown = text(&given).into_owned();
        let _ = document(&given);
        let _ = command_words(&[&given, &given]);
        prop_assert!(is_secret(&given) || !is_secret(&given));
        let _ = text(&shown);
    }
}

#[test]
fn a_source_keeps_its_lines_and_columns() {
    for (source, shown) in [
        (
            "a: 1\npassword: hunter2-abc\nb: 2\n",
            "a: 1\npassword: ***        \nb: 2\n",
        ),
        (
            "{\"token\": \"中文密码一二三\", \"b\": 2}",
            "{\"token\": \"***    \", \"b\": 2}",
        ),
        ("password: ab\n", "password: **\n"),
        ("plain: text\n", "plain: text\n"),
    ] {
        assert_eq!(in_place(source), shown);
    }
    let known = within("users: 1\npassword: hunter2-abc\n");
    assert_eq!(
        known.text("\"hunter2-abc\" is no number"),
        "\"***\" is no number"
    );
}

proptest::proptest! {
    #[test]
    fn any_source_keeps_its_places(source in "(password: |token=|https://|@|\\PC|\n|\r|\"){0,40}") {
        let shown = in_place(&source);
        let places = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        proptest::prop_assert_eq!(places(&shown), places(&source));
    }
}

#[test]
fn seeds_of_nats_and_private_keys_are_known() {
    for secret in [
        "seed SUAKYRHVIOREXV7EUZTBHUHL7NUMHPMAS7QMDU3GTIUWEI5LDNOXD43IZY here",
        "私钥: cAnArY-4711",
    ] {
        let shown = text(secret);
        assert!(
            shown.contains(MASK) && !shown.contains("SUAKY") && !shown.contains("cAnArY"),
            "{shown}"
        );
    }
}

#[test]
fn what_refers_to_a_secret_is_none() {
    for open in [
        "${token}",
        "Bearer ${token}",
        "$.token",
        "$.data[0].access_token",
        "$.items[*].id",
    ] {
        assert!(plimsoll_secrets::says_nothing(open), "{open}");
        assert_eq!(plimsoll_secrets::value("token", open), open);
    }
    for secret in [
        "Bearer tok-1",
        "pw-${user}",
        "$.Xk29a",
        "$.",
        "$Xy.z1",
        "$.pass word!",
    ] {
        assert!(!plimsoll_secrets::says_nothing(secret), "{secret}");
    }
    let plan = "steps:\n  - save: {token: $.data.token}\n    headers: {Authorization: \"Bearer ${token}\"}\n";
    assert_eq!(plimsoll_secrets::document(plan), plan);
}

#[test]
fn our_own_words_are_no_secrets() {
    let told = "Log in, or show a token: Authorization: Bearer ….";
    assert_eq!(plimsoll_secrets::spoken(told, &[]), told);
    let told = "/etc/passwd: not among the files of the plan";
    assert_eq!(plimsoll_secrets::spoken(told, &["/etc/passwd"]), told);
    for (told, said, masked) in [
        (
            "password: hunter2 is wrong",
            vec!["password", "hunter2"],
            "password: *** is wrong",
        ),
        (
            "The line “token=abc123xyz” is wrong",
            vec!["token=abc123xyz"],
            "The line “token=***” is wrong",
        ),
    ] {
        assert_eq!(plimsoll_secrets::spoken(told, &said), masked);
    }
    // What was said is not there as it was (cut, or in another language): all is looked at.
    let told = plimsoll_secrets::spoken("The line “token=abc123xyz…", &["token=abc123xyz789"]);
    assert_eq!(told, "The line “token=***");
}
