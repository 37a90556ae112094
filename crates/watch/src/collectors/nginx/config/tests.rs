#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::proc::root::Root;

/// Files by path.
#[derive(Default)]
struct Given(BTreeMap<String, String>);

impl ConfigSource for Given {
    fn text(&self, path: &str, max_bytes: usize) -> io::Result<String> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        match text.len() <= max_bytes {
            true => Ok(text.clone()),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&folder));
        let names = below.filter_map(|rest| rest.split('/').next());
        Ok(names.map(str::to_owned).collect())
    }
}

fn given(files: &[(&str, &str)]) -> NginxConfigRead {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    read(&place("/n.conf"), &Given(files.collect()))
}

fn place(file: &str) -> NginxConfigPlace {
    NginxConfigPlace {
        file: file.to_owned(),
        error_log: None,
    }
}

fn parse(text: &str) -> Config {
    given(&[("/n.conf", text)]).config
}

#[test]
fn what_tells_of_capacity() {
    let read = parse(
        r#"
# configuration file /etc/nginx/nginx.conf:
worker_processes 4; # not ; this
events { worker_connections 768; }
http {
    log_format timed escape=json '$status '
        "$request_time ${upstream_addr}";
    access_log /var/log/nginx/a.log timed buffer=4k;
    error_log /var/log/nginx/e.log warn;
    map $http_upgrade $connection { default upgrade; '' close; listen 5; }
    upstream app { server 10.0.0.1:8080 max_fails=3; server 10.0.0.2:8080; keepalive 64; }
    server {
        listen 8080 backlog=511;
        auth_basic_user_file /etc/secret;
        location ~ "^/a{2}" { proxy_pass http://me:secret@app/; proxy_set_header Authorization "Basic eA==";
            proxy_set_header Connection ""; }
        location /lua { content_by_lua_block { local t = {"}"} -- }
            ngx.say(t[1]) } gzip on; }
    }
}
"#,
    );
    let facts: Vec<_> = read
        .facts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        facts,
        [
            ("events.worker_connections", "768"),
            ("http.access_log", "/var/log/nginx/a.log timed buffer=4k"),
            ("http.error_log", "/var/log/nginx/e.log warn"),
            ("http.map[$http_upgrade $connection].listen", "5"),
            ("http.server.listen", "8080 backlog=511"),
            ("http.server.location[/lua].gzip", "on"),
            (
                "http.server.location[~ ^/a{2}].proxy_pass",
                "http://me:***@app/"
            ),
            ("http.upstream.app.keepalive", "64"),
            (
                "http.upstream.app.server",
                "10.0.0.1:8080 max_fails=3, 10.0.0.2:8080"
            ),
            ("worker_processes", "4"),
        ]
    );
    assert_eq!(
        read.formats["timed"],
        "$status $request_time ${upstream_addr}"
    );
    let log = ("/var/log/nginx/a.log".to_owned(), "timed".to_owned());
    assert_eq!(read.access_log, Some(log));
    assert_eq!(read.error_log.as_deref(), Some("/var/log/nginx/e.log"));
}

#[test]
fn words_are_those_of_nginx() {
    let words = |text: &str| -> Vec<String> {
        let tokens = NginxTokens::new(text).filter_map(|token| match token {
            NginxToken::Word(word) => Some(word),
            _ => None,
        });
        tokens.collect()
    };
    assert_eq!(words(r#"a"b c"d;"#), [r#"a"b"#, r#"c"d"#]);
    assert_eq!(
        words(r#""a\"b\n\d" 'c"' e\ f;"#),
        ["a\"b\n\\d", "c\"", "e\\ f"]
    );
    assert_eq!(words("^/a}$ ${x}y{z"), ["^/a}$", "${x}y", "z"]);
    assert_eq!(words("a#b #c\nd"), ["a#b", "d"]);
}

#[test]
fn lua_code_is_skipped() {
    for code in [
        "local t = '}' -- }\n",
        "--[[ } ]] x = [==[ } ]] } ]==]",
        "t = {a = {}} s = \"\\\"}\"",
        "a[b[1]] = 2",
    ] {
        let text = format!("http {{ server {{ access_by_lua_block {{ {code} }} gzip on; }} }}");
        let read = parse(&text);
        assert_eq!(read.facts["http.server.gzip"], "on", "{code}");
    }
}

#[test]
fn includes_stand_where_they_are_named() {
    let read = given(&[
        (
            "/n.conf",
            "http { include d/*.conf; include /x/one; gzip on; }",
        ),
        ("/d/b.conf", "server { listen 2; }"),
        ("/d/a.conf", "server { listen 1; } } }"),
        ("/d/.hidden.conf", "server { listen 3; }"),
        ("/x/one", "sendfile on; http {"),
    ]);
    let facts: Vec<_> = read.config.facts.into_iter().collect();
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = [
        fact("http.gzip", "on"),
        fact("http.sendfile", "on"),
        fact("http.server.listen", "1, 2"),
    ];
    assert_eq!(facts, expected);
    assert_eq!(read.missing, None);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_read() {
    let read = given(&[("/n.conf", "include none; worker_processes 3;")]);
    assert_eq!(read.config.facts["worker_processes"], "3");
    assert_eq!(read.missing.unwrap().0, "/none");
}

#[test]
fn includes_of_themselves_end() {
    let read = given(&[("/n.conf", "include n.conf; include *.conf; gzip on;")]);
    assert!(read.missing.is_some());
    let wide: String = "include a;".repeat(10_000);
    let read = given(&[("/n.conf", &wide), ("/a", "gzip on;")]);
    assert!(read.missing.is_some());
}

/// What nginx itself makes of a configuration, beside what is read here.
fn beside_nginx(files: &[(&str, &str)]) -> (String, NginxConfigRead) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let file = folder.path().join("nginx.conf");
    let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];
    let nginx = nginx.into_iter().find(|path| Path::new(path).exists());
    let printed = Command::new(nginx.expect("nginx is not installed: run tools/setup.sh test"))
        .arg("-T")
        .args(["-e", "stderr", "-p"])
        .arg(folder.path())
        .arg("-c")
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{errors}");
    let root = Root::of(std::process::id()).unwrap();
    let place = place(file.to_str().unwrap());
    let read = root.visit(move |files| Ok(super::read(&place, files)));
    (String::from_utf8(printed.stdout).unwrap(), read.unwrap())
}

#[test]
fn the_files_are_those_of_nginx_itself() {
    let main = "daemon off; pid p; error_log e.log;\nevents { worker_connections 77; }\nhttp {\n\
        include types; include conf.d/*.conf; include conf.d/[0-9]?.inc;\n include 'with blank';\n\
        map $uri $m { include maps/*; default 'a;b{'; '~^/(?<x>[a-z]{1,3})$' $x; }\n\
        geo $g { default 0; include geo; 10.0.0.0/8 1; }\n\
        log_format l escape=json '{\"s\":\"$status\"}' ' ${request_time}'; access_log a.log l;\n}\n";
    let files = [
        ("nginx.conf", main),
        ("types", "types { text/html html; }\n"),
        (
            "conf.d/b.conf",
            "# } {\nserver { listen 127.0.0.1:1; location ~ \"^/x{2}\" { return 200 \"\\\"}\"; } }\n",
        ),
        (
            "conf.d/a.conf",
            "upstream u { server 127.0.0.1:9; keepalive 3; }\n",
        ),
        ("conf.d/.c.conf", "nonsense"),
        ("conf.d/1a.inc", "include conf.d/deep/*;\n"),
        ("conf.d/deep/z", "gzip on;\n"),
        (
            "with blank",
            "server { listen 127.0.0.1:2; include conf.d/deep/z; }\n",
        ),
        ("maps/one", "/a b;\n"),
        ("geo", "127.0.0.1 2;\n"),
    ];
    let (printed, read) = beside_nginx(&files);
    assert_eq!(read.missing, None);
    let ours: String = read
        .files
        .iter()
        .map(|(path, text)| format!("# configuration file {path}:\n{text}\n"))
        .collect();
    assert_eq!(ours, printed);
    let facts = &read.config.facts;
    assert_eq!(facts["http.server.listen"], "127.0.0.1:1, 127.0.0.1:2");
    assert_eq!(facts["http.server.gzip"], "on");
    assert_eq!(facts["http.gzip"], "on");
    assert_eq!(facts["http.upstream.u.keepalive"], "3");
    assert_eq!(
        read.config.formats["l"],
        "{\"s\":\"$status\"} ${request_time}"
    );
}

#[test]
fn facts_of_one_file_are_those_of_what_nginx_prints() {
    let main = "daemon off; worker_processes 3; pid p;\nevents { worker_connections 77; multi_accept on; }\n\
        http { upstream u { server 127.0.0.1:9 max_fails=3; keepalive 3; } keepalive_timeout 7;\n\
        server { listen 127.0.0.1:1 backlog=9; location /a { proxy_pass http://u; } } }\n";
    let (printed, read) = beside_nginx(&[("nginx.conf", main)]);
    assert_eq!(parse(&printed).facts, read.config.facts);
    assert_eq!(read.config.facts.len(), 8);
}

proptest! {
    #[test]
    fn any_text_is_taken(text in "(\\PC|[{};'\"#\\\\$\\[\\]= \n]|listen |include [*n]|content_by_lua_block )*") {
        let _ = parse(&text);
    }

    /// However a word is written, it is read back.
    #[test]
    fn a_word_in_quotes_is_read_back(word in "\\PC{0,40}") {
        let quoted = word.replace('\\', "\\\\").replace('"', "\\\"");
        let read = parse(&format!("log_format x \"{quoted}\";"));
        prop_assert_eq!(&read.formats["x"], &word);
    }
}
