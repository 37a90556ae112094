//! What a plan sends, beside what curl itself sends by the same command line, run by Bash.

use std::process::Command;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{folder, plimsoll_reading, plimsoll_with};
use crate::http::{HttpServer, Request};

/// Secrets of a command line: the environment's variable, and what it has to hold.
type SecretList = Vec<(String, String)>;

/// Headers that each client writes its own way.
const OWN: [&str; 6] = [
    "host",
    "user-agent",
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
];

/// What of a request has to be the same.
#[derive(Debug, PartialEq)]
struct Sent {
    method: String,
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: SentBody,
}

#[derive(Debug, PartialEq)]
enum SentBody {
    Bytes(Vec<u8>),
    Form(Vec<(String, String)>),
    /// Parts: their headers, and their bytes.
    Parts(Vec<(Vec<String>, String)>),
}

fn pairs(text: &[u8]) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text).into_owned().collect()
}

/// The parts of a multipart body; their order counts, that of their headers does not.
fn parts(body: &str, boundary: &str) -> Vec<(Vec<String>, String)> {
    let boundary = format!("--{boundary}");
    let parts = body.split(&boundary);
    let parts = parts.filter_map(|part| part.strip_prefix("\r\n")?.split_once("\r\n\r\n"));
    let parts = parts.map(|(head, body)| {
        let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
        lines.sort();
        (lines, body.strip_suffix("\r\n").unwrap_or(body).to_owned())
    });
    parts.collect()
}

fn sent(request: &Request) -> Sent {
    let kind = request
        .header("content-type")
        .unwrap_or_default()
        .to_owned();
    let boundary = kind
        .split_once("boundary=")
        .map(|(_, boundary)| boundary.trim_matches('"'));
    let body = match boundary {
        Some(boundary) => SentBody::Parts(parts(&request.text(), boundary)),
        None if kind.starts_with("application/x-www-form-urlencoded") => {
            SentBody::Form(pairs(&request.body))
        }
        None => SentBody::Bytes(request.body.clone()),
    };
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((&request.target, ""));
    let headers = request.headers.iter().filter_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let value = value
            .split_once("boundary=")
            .map_or(value.as_str(), |(kind, _)| kind);
        // Without a word of the user each client says that it takes all.
        let usual = name == "accept" && value == "*/*";
        (!OWN.contains(&name.as_str()) && !usual).then(|| (name, value.trim().to_owned()))
    });
    let mut headers: Vec<(String, String)> = headers.collect();
    headers.sort();
    Sent {
        method: request.method.clone(),
        path: path.to_owned(),
        query: pairs(query.as_bytes()),
        headers,
        body,
    }
}

/// What curl and the plan send by one line; `{url}` in it is the server's.
fn both(
    dir: &TempDir,
    server: &HttpServer,
    line: &str,
    secrets: &SecretList,
) -> (Sent, Sent, String) {
    let line = line.replace("{url}", &server.url());
    let (curls, plans, text) = all_of_both(dir, server, &line, secrets);
    assert_eq!((curls.len(), plans.len()), (1, 1), "{line}\n{text}");
    let mut both = curls.into_iter().chain(plans);
    (both.next().unwrap(), both.next().unwrap(), text)
}

/// The same for a paste of several commands.
fn all_of_both(
    dir: &TempDir,
    server: &HttpServer,
    line: &str,
    secrets: &SecretList,
) -> (Vec<Sent>, Vec<Sent>, String) {
    let before = server.seen().len();
    // A function, so that each curl of a paste is the same one; backgrounded ones are waited for.
    let script = format!("curl() {{ command curl -q -s -S -o /dev/null \"$@\"; }}\n{line}\nwait");
    let by_curl = Command::new("bash")
        .args(["-c", &script])
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!(by_curl.status.success(), "{line}: {by_curl:?}");
    let between = server.seen().len();
    let told = plimsoll_reading(dir, &["init", "-o", "made.yaml", "--force", "-"], line);
    assert_eq!(told.code, 0, "{line}: {told:?}");
    let text = std::fs::read_to_string(dir.path().join("made.yaml")).unwrap();
    for (name, value) in secrets {
        assert!(
            told.out.contains(&format!("export {name}=")),
            "{name}: {told:?}"
        );
        let shown = [&told.out, &told.err, &text];
        assert!(
            value.len() < 6 || shown.iter().all(|text| !text.contains(value.as_str())),
            "{line}: {told:?}\n{text}"
        );
    }
    let env: Vec<(&str, &str)> = secrets
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let once = plimsoll_with(dir, &["once", "made.yaml"], &env);
    assert_eq!(once.code, 0, "{line}: {once:?}\n{text}");
    let seen = server.seen();
    let curls = seen[before..between].iter().map(sent).collect();
    (curls, seen[between..].iter().map(sent).collect(), text)
}

fn assert_same(line: &str, secrets: &[(&str, &str)]) {
    let (dir, server) = (folder(), HttpServer::hello());
    std::fs::write(dir.path().join("data.bin"), b"a\nb\r\n\x00\xff").unwrap();
    let secrets = secrets
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let (curl, plan, text) = both(&dir, &server, line, &secrets.collect());
    assert_eq!(curl, plan, "{line}\n{text}");
}

#[test]
fn common_lines_send_what_curl_sends() {
    for line in [
        "curl {url}/a/b?x=1\\&y=%20z",
        "curl -I {url}/",
        "curl -X DELETE {url}/items/7",
        "curl -d a=1 -d 'b=x y' {url}/p",
        "curl -d @data.txt -H 'Content-Type: text/plain' {url}/p",
        "curl --data-binary @data.bin -H 'Content-Type: application/octet-stream' {url}/p",
        "curl --data-raw '@not-a-file' {url}/p",
        "curl --json '{\"a\": \"ü ${x} $y\"}' {url}/p",
        "curl -G -d a=1 --data-urlencode 'b=x&y' {url}/p?z=0",
        "curl --data-urlencode 'q=100% & more' --data-urlencode 'r=ü' {url}/p",
        "curl --url-query 'q=a b' {url}/p",
        "curl -F 'a=1;2' -F 'f=@data.bin;type=image/png;filename=y.png' {url}/p",
        "curl -F f=@data.bin {url}/p",
        "curl -F 'a=\"1;2\"' -F 'b=x;type=text/plain;charset=utf-8' -F 'c=\"q\\\"\\\\r\"' {url}/p",
        "curl -F 'f=@data.bin;filename=\"a;b.txt\"' {url}/p",
        "curl --form-string 'a=@b;type=x' {url}/p",
        "curl -T data.bin {url}/up",
        "curl -T data.bin {url}/up/",
        "curl -T data.bin {url}",
        "curl -T './a name.txt' {url}/up/",
        "curl -r 0-99 {url}/p",
        "curl -A agent -e http://r/ {url}/p",
        "curl -H 'X-Empty;' -H 'X-Two: a' -H 'X-Two: b' {url}/p",
        "curl -H 'Content-Type:' -d '<a/>' {url}/p",
        "curl -k -L --compressed -s -S -v --http1.1 {url}/p",
        "curl --json '{\"a\":' --json '1}' {url}/p",
        "curl --json '[' -d 1 --json ']' {url}/p",
        "curl -G --data-urlencode 'q=a b&c' -d x=1 '{url}/g?z=2'",
        "curl --data-urlencode a=1 --data-urlencode b=2 --data-urlencode a=3 {url}/p",
        "curl -d $'a\\0b' -H 'Content-Type: text/plain' {url}/p",
        "curl \"{url}/p\" -d 'a;b&&c|d' -H \"X-Q: \\\"q\\\" \\$x\" # curl {url}/no",
        "curl -X PURGE -g '{url}/p?x=[1-3]'",
        "curl --request PATCH --header 'Content-Type: application/json-patch+json' --data '[]' {url}/p",
    ] {
        let (dir, server) = (folder(), HttpServer::hello());
        std::fs::write(dir.path().join("data.txt"), "one line").unwrap();
        std::fs::write(dir.path().join("data.bin"), b"a\nb\r\n\x00\x7f").unwrap();
        std::fs::write(dir.path().join("a name.txt"), b"a").unwrap();
        let (curl, plan, text) = both(&dir, &server, line, &Vec::new());
        assert_eq!(curl, plan, "{line}\n{text}");
    }
}

#[test]
fn a_paste_of_several_commands_sends_what_bash_sends() {
    for paste in [
        "curl {url}/a && curl {url}/b -X DELETE",
        "curl {url}/a -d 'x=1;y' -H 'X-A: 1';curl {url}/b\ncurl {url}/c -I",
        "curl '{url}/a' \\\n  -H 'X-A: &&' ;\ncurl '{url}/b' \\\n  --data-raw '{}' ;\n\n",
        "curl {url}/a -X PUT -d x || curl {url}/b\n",
        "curl {url}/a --next -d x {url}/b --next -I {url}/c",
        "curl {url}/a -m 5 -L; curl {url}/b -u ann:s3cr3t-word --compressed",
        "curl http://ann:first-one@HOST/a http://bob:second-one@HOST/b",
        "curl '{url}/[1-2]/{x,y}?a=[08-10:2]'",
        "# all\ncurl {url}/a # one\n\ncurl {url}/b;",
    ] {
        let (dir, server) = (folder(), HttpServer::hello());
        let url = server.url();
        let paste = paste.replace("HOST", url.trim_start_matches("http://"));
        let paste = paste.replace("{url}", &url);
        let secrets = ["PASSWORD", "PASSWORD_2"].into_iter();
        let values = match paste.contains("first-one") {
            true => vec!["first-one", "second-one"],
            false => paste.matches("s3cr3t-word").collect(),
        };
        let secrets = secrets.zip(values);
        let secrets = secrets.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let (mut curls, plans, text) = all_of_both(&dir, &server, &paste, &secrets.collect());
        if paste.contains("||") {
            // A plan has a step for what a shell tries only if the first fails.
            curls.push(sent_by(&dir, &server, "curl", &format!("{url}/b")));
        }
        assert_eq!(curls, plans, "{paste}\n{text}");
        assert!(curls.len() > 1, "{paste}\n{text}");
    }
}

/// What curl itself sends to an address.
fn sent_by(dir: &TempDir, server: &HttpServer, program: &str, url: &str) -> Sent {
    let before = server.seen().len();
    let mut command = Command::new(program);
    let args = ["-q", "-s", "-o", "/dev/null", url];
    let status = command.args(args).current_dir(dir.path()).status();
    assert!(status.unwrap().success());
    sent(&server.seen()[before])
}

#[test]
fn files_are_found_from_a_plan_in_another_folder() {
    for line in [
        "curl --data-binary @data.bin -H 'Content-Type: a/b' {url}/p",
        "curl -F f=@data.bin {url}/p",
        "curl -T data.bin {url}/p",
    ] {
        let (dir, server) = (folder(), HttpServer::hello());
        std::fs::write(dir.path().join("data.bin"), b"a\nb").unwrap();
        std::fs::create_dir_all(dir.path().join("deep/er")).unwrap();
        let line = line.replace("{url}", &server.url());
        let plan = "deep/er/plan.yaml";
        let told = plimsoll_reading(&dir, &["init", "-o", plan, "-"], &line);
        assert_eq!(told.code, 0, "{told:?}");
        let once = plimsoll_with(&dir, &["once", plan], &[]);
        assert_eq!(once.code, 0, "{once:?}");
        assert!(server.seen()[0].text().contains("a\nb"), "{line}");
    }
}

#[test]
fn secrets_come_from_the_environment() {
    assert_same(
        "curl -u s3cr3t-token: {url}/p",
        &[("TOKEN", "s3cr3t-token")],
    );
    assert_same(
        "curl -d 'pwd=s3cr3t-word&a=b' {url}/p",
        &[("PLAN_PWD", "s3cr3t-word")],
    );
    assert_same(
        "curl -b a=s3cr3t1 -b b=s3cr3t2 -e 'http://r/?access_token=s3cr3t3' '{url}/a;jsessionid=s3cr3t4?key=s3cr3t5'",
        &[
            ("COOKIE", "a=s3cr3t1;b=s3cr3t2"),
            ("ACCESS_TOKEN", "s3cr3t3"),
            ("JSESSIONID", "s3cr3t4"),
            ("KEY", "s3cr3t5"),
        ],
    );
    assert_same(
        r#"curl --json '{"variables":"{\"password\":\"s3cr3t1\"}"}' {url}/p"#,
        &[("PASSWORD", "s3cr3t1")],
    );
    assert_same(
        "curl -H 'Content-Type: text/xml' -d '<a><password>s3cr3t1</password></a>' {url}/p",
        &[("PASSWORD", "s3cr3t1")],
    );
    assert_same(
        "curl -u ann:s3cr3t-word {url}/p",
        &[("PASSWORD", "s3cr3t-word")],
    );
    assert_same(
        "curl -H 'Authorization: Bearer abc.def.ghi' {url}/p",
        &[("TOKEN", "abc.def.ghi")],
    );
    assert_same(
        "curl -H 'Authorization: Token abcdefgh' -b 'SID=12345678; b=2' -H 'X-Api-Key: k-87654321' {url}/p",
        &[
            ("AUTHORIZATION", "Token abcdefgh"),
            ("COOKIE", "SID=12345678; b=2"),
            ("API_KEY", "k-87654321"),
        ],
    );
    assert_same(
        "curl -d 'user=ann&password=pa%24s%20word' {url}/p",
        &[("PASSWORD", "pa%24s%20word")],
    );
    assert_same(
        "curl --json '{\"user\": \"ann\", \"password\": \"pa$$word-1\"}' '{url}/p?access_token=t-123456&x=1'",
        &[("PASSWORD", "pa$$word-1"), ("ACCESS_TOKEN", "t-123456")],
    );
    assert_same(
        "curl -u ann:first-one -F password=second-one -F a=b {url}/p",
        &[("PASSWORD", "first-one"), ("PASSWORD_2", "second-one")],
    );
    assert_same(
        "curl --data-urlencode 'passwd=a b&c-hidden' {url}/p",
        &[("PASSWD", "a b&c-hidden")],
    );
}

#[test]
fn lines_as_browsers_copy_them_are_read() {
    // Chrome and Firefox, for Bash.
    let line = "curl '{url}/orders?q=%E4%B8%AD' \\\n  -H 'accept: application/json' \\\n  -H 'content-type: application/json' \\\n  -b 'SID=12345678; theme=dark' \\\n  -H 'sec-ch-ua: \"Chromium\";v=\"126\"' \\\n  --data-raw $'{\"name\":\"O\\'Neil\\u0021\",\"note\":\"a\\nb\"}' \\\n  --compressed ;";
    assert_same(line, &[("COOKIE", "SID=12345678; theme=dark")]);
    // The same for cmd.exe sends the same.
    let (dir, server) = (folder(), HttpServer::hello());
    let url = server.url();
    let line = format!(
        "curl ^\"{url}/orders?q=%^E4%^B8%^AD^\" ^\r\n  -H ^\"accept: application/json^\" ^\r\n  -H ^\"sec-ch-ua: ^\\^\"Chromium^\\^\";v=^\\^\"126^\\^\"^\" ^\r\n  --data-raw ^\"^{{^\\^\"name^\\^\":^\\^\"O'Neil^!^\\^\"^}}^\""
    );
    let told = plimsoll_reading(&dir, &["init", "-"], &line);
    assert_eq!(told.code, 0, "{told:?}");
    let once = plimsoll_with(&dir, &["once", "plan.yaml"], &[]);
    assert_eq!(once.code, 0, "{once:?}");
    let seen = server.seen().remove(0);
    assert_eq!(seen.target, "/orders?q=%E4%B8%AD");
    assert_eq!(seen.header("sec-ch-ua"), Some("\"Chromium\";v=\"126\""));
    assert_eq!(seen.text(), "{\"name\":\"O'Neil!\"}");
}

/// A word as one of Bash's quotings writes it.
fn quoted(word: &str, how: u8) -> String {
    match how % 3 {
        0 => format!("'{}'", word.replace('\'', "'\\''")),
        1 => {
            let escape = |c: char| match c {
                '\\' | '\'' => format!("\\{c}"),
                '\n' => "\\n".to_owned(),
                '!' => "\\u0021".to_owned(),
                c if c.is_control() => format!("\\x{:02x}", c as u32),
                c => c.to_string(),
            };
            format!("$'{}'", word.chars().map(escape).collect::<String>())
        }
        _ => {
            let special = |c: char| ['"', '\\', '$', '`'].contains(&c);
            let escape = |c: char| {
                if special(c) {
                    format!("\\{c}")
                } else {
                    c.to_string()
                }
            };
            format!("\"{}\"", word.chars().map(escape).collect::<String>())
        }
    }
}

/// Options with a value, and the secret that it is, if it is one.
fn option() -> impl Strategy<Value = (Vec<String>, Option<(&'static str, String)>)> {
    let text = "[ -~äß中\n]{0,12}";
    let header = "[!-~][ -~]{0,10}[!-~]";
    let plain = |words: Vec<String>| (words, None);
    prop_oneof![
        header.prop_map(move |v| plain(vec!["-H".into(), format!("X-Some: {v}")])),
        header.prop_map(move |v| plain(vec!["-H".into(), format!("Accept: {v}")])),
        text.prop_map(move |v| plain(vec!["-d".into(), format!("n={v}")])),
        text.prop_map(move |v| plain(vec!["--data-raw".into(), v])),
        text.prop_map(move |v| plain(vec!["--data-binary".into(), format!("x{v}")])),
        text.prop_map(move |v| plain(vec!["--data-urlencode".into(), format!("m={v}")])),
        Just(plain(vec!["-X".into(), "PUT".into()])),
        Just(plain(vec!["--compressed".into()])),
        "[a-z]{6,9}".prop_map(|v| (
            vec!["-u".into(), format!("ann:{v}!")],
            Some(("PASSWORD", format!("{v}!")))
        )),
        "[a-z]{6,9}".prop_map(|v| (
            vec!["-b".into(), format!("id={v}")],
            Some(("COOKIE", format!("id={v}")))
        )),
        "[a-z]{6,9}".prop_map(|v| (
            vec!["-H".into(), format!("Authorization: Basic {v}")],
            Some(("AUTHORIZATION", format!("Basic {v}")))
        )),
    ]
}

/// Options whose values have what shells end commands by.
fn plain_option() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        "[a-z;&|<>()#\n ]{1,8}".prop_map(|v| vec!["--data-raw".to_owned(), v]),
        "[a-z;&|<>()#]{1,8}".prop_map(|v| vec!["-H".to_owned(), format!("X-Some: a{v}b")]),
        Just(vec!["-X".to_owned(), "PUT".to_owned()]),
        Just(vec!["-m".to_owned(), "9".to_owned()]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_line_sends_what_curl_sends(
        options in prop::collection::vec((option(), any::<u8>()), 0..5),
        path in "(/[a-z0-9._~-]{1,6}){1,3}(\\?[a-z]=[a-z0-9%&=+-]{0,8})?",
        how in any::<u8>(),
    ) {
        // A password and a header of one's own stand in each other's place.
        let of = |name: &str| options.iter().filter(|((words, _), _)| words.join(" ").contains(name)).count();
        prop_assume!(of("-u ann") + of("Authorization:") < 2 && of("-b id=") < 2 && of("Accept:") < 2);
        // `%` begins a code in an address; a file is not meant.
        prop_assume!(!path.contains('%'));
        let is_file = |((words, _), _): &((Vec<String>, _), u8)| words[0] == "-d" && words[1].starts_with("n=@");
        prop_assume!(!options.iter().any(is_file));
        // What looks like a secret by chance is one.
        let looks_so = |((words, secret), _): &((Vec<String>, Option<_>), u8)| {
            secret.is_none() && words.iter().any(|word| plimsoll_secrets::text(word) != *word)
        };
        prop_assume!(!options.iter().any(looks_so));
        let mut line = String::from("curl");
        let mut secrets = SecretList::new();
        for ((words, secret), how) in &options {
            for word in words {
                line.push(' ');
                line.push_str(&quoted(word, *how));
            }
            secrets.extend(secret.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        line.push_str(&format!(" {{url}}{}", quoted(&path, how)));
        let (dir, server) = (folder(), HttpServer::hello());
        let (curl, plan, text) = both(&dir, &server, &line, &secrets);
        prop_assert_eq!(curl, plan, "{}\n{}", line, text);
    }

    #[test]
    fn any_paste_sends_what_bash_sends(
        commands in prop::collection::vec(
            (prop::collection::vec((plain_option(), any::<u8>()), 0..3), "/[a-z]{1,4}", 0..4_usize),
            1..4,
        ),
    ) {
        let (dir, server) = (folder(), HttpServer::hello());
        let mut paste = String::new();
        for (options, path, between) in &commands {
            paste.push_str(&format!("curl {}{path}", server.url()));
            for (words, how) in options {
                for word in words {
                    paste.push(' ');
                    paste.push_str(&quoted(word, *how));
                }
            }
            paste.push_str([" && ", ";", "\n", " ;\n\n"][*between]);
        }
        // Nothing follows the last.
        let paste = paste.trim_end_matches(" && ");
        let (curl, plan, text) = all_of_both(&dir, &server, paste, &SecretList::new());
        prop_assert_eq!(curl, plan, "{}\n{}", paste, text);
    }
}
