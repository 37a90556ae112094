#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use crate::formats::{Address, EditFault, Format, get, includes, remove, set};

const NGINX: &str = "# 主配置
worker_processes auto;
events { worker_connections 768; }
http {
    include /etc/nginx/conf.d/*.conf;
    log_format main '$remote_addr; \"{}\"';
    access_log /var/log/a.log main buffer=32k; # 日志
    gzip off;
    upstream app {
        server 127.0.0.1:8080;
    }
    upstream other { server 127.0.0.1:8081; keepalive 16; }
    server {
        listen 80 backlog=511 reuseport;
        location / { proxy_pass http://app; }
    }
    server {
        listen 81;
        server_name b;
        content_by_lua_block { x = \"}\" -- }
        }
    }
}
";

fn changed(file: &str, path: &str, value: &str) -> String {
    let now = set(Format::Nginx, file.as_bytes(), &Address::new(path), value).unwrap();
    String::from_utf8(now).unwrap()
}

fn fault(file: &str, path: &str, value: &str) -> EditFault {
    set(Format::Nginx, file.as_bytes(), &Address::new(path), value)
        .unwrap_err()
        .fault
}

#[test]
fn directives_are_found_in_their_context() {
    for (path, expected) in [
        ("worker_processes", Some("auto")),
        ("events > worker_connections", Some("768")),
        ("http > access_log", Some("/var/log/a.log main buffer=32k")),
        ("http > access_log[buffer]", Some("32k")),
        ("http > log_format main", Some("'$remote_addr; \"{}\"'")),
        ("http > upstream other > keepalive", Some("16")),
        ("http > upstream > keepalive", Some("16")),
        ("http > upstream app > keepalive", None),
        ("http > server 80 > listen[backlog]", Some("511")),
        ("http > server > listen 80[reuseport]", Some("on")),
        ("http > server b > listen[reuseport]", None),
        (
            "http > server 80 > location / > proxy_pass",
            Some("http://app"),
        ),
        ("gzip", None),
        ("upstream other > keepalive", None),
    ] {
        let found = get(Format::Nginx, NGINX.as_bytes(), &Address::new(path)).unwrap();
        assert_eq!(
            found.map(|found| found.value).as_deref(),
            expected,
            "{path}"
        );
    }
}

#[test]
fn one_directive_changes_or_is_added() {
    for (path, value, before, after) in [
        ("worker_processes", "4", "auto", "4"),
        ("events > worker_connections", "4096", "768", "4096"),
        (
            "http > access_log",
            "off",
            "/var/log/a.log main buffer=32k",
            "off",
        ),
        ("http > access_log[buffer]", "64k", "=32k", "=64k"),
        (
            "http > access_log[flush]",
            "1s",
            "buffer=32k",
            "buffer=32k flush=1s",
        ),
        (
            "http > upstream app > keepalive",
            "64",
            "8080;\n",
            "8080;\n        keepalive 64;\n",
        ),
        (
            "http > upstream other > keepalive",
            "64",
            "keepalive 16",
            "keepalive 64",
        ),
        (
            "http > server b > listen[reuseport]",
            "on",
            "listen 81;",
            "listen 81 reuseport;",
        ),
        (
            "http > server 80 > gzip",
            "on",
            "http://app; }\n",
            "http://app; }\n        gzip on;\n",
        ),
        (
            "worker_rlimit_nofile",
            "65536",
            "events",
            "worker_rlimit_nofile 65536;\nevents",
        ),
        (
            "events > multi_accept",
            "on",
            "768; }",
            "768; multi_accept on; }",
        ),
        (
            "http > gzip_types",
            "text/css application/json",
            "    }\n}\n",
            "    }\n    gzip_types text/css application/json;\n}\n",
        ),
    ] {
        assert_eq!(
            changed(NGINX, path, value),
            NGINX.replacen(before, after, 1),
            "{path}"
        );
    }
}

#[test]
fn files_that_are_taken_in_have_no_outer_block() {
    let file = "upstream app {\n\tserver a;\n}\nserver { listen 80; }\n";
    let now = changed(file, "http > upstream app > keepalive", "32");
    assert_eq!(
        now,
        file.replace("server a;\n", "server a;\n\tkeepalive 32;\n")
    );
    let told = includes(Format::Nginx, NGINX.as_bytes());
    assert_eq!(
        (told[0].path.as_str(), told[0].line),
        ("/etc/nginx/conf.d/*.conf", 5)
    );
    let gzip = changed(file, "http > gzip", "on");
    assert_eq!(gzip, format!("gzip on;\n{file}"));
    let off = changed(&gzip, "http > gzip", "off");
    assert_eq!(off, format!("gzip off;\n{file}"));
    // The main file has a place for it, or would need one.
    let main = "events { }\n";
    assert!(matches!(
        fault(main, "http > gzip", "on"),
        EditFault::NoParent(_)
    ));
}

#[test]
fn what_is_not_clear_or_would_break_out_is_refused() {
    assert_eq!(
        fault(NGINX, "http > server > gzip", "on"),
        EditFault::Several(vec![13, 17])
    );
    assert!(matches!(
        fault(NGINX, "http > nothing > gzip", "on"),
        EditFault::NoParent(_)
    ));
    for value in [
        "on;", "a } b", "a { b", "\"a", "a # b", "", " a", "a\\", "a\nb",
    ] {
        assert!(
            matches!(fault(NGINX, "http > gzip", value), EditFault::Value { .. }),
            "{value:?}"
        );
    }
    for path in ["", " > a", "a > ", "a;b", "a[", "a[b c]"] {
        assert!(
            matches!(fault(NGINX, path, "1"), EditFault::Address { .. }),
            "{path:?}"
        );
    }
    for file in ["http {", "}", "a b", "{ }", ";", "http { a 1; "] {
        assert!(
            matches!(fault(file, "http > a", "1"), EditFault::Syntax(_)),
            "{file}"
        );
    }
}

#[test]
fn directives_and_parameters_go() {
    let gone = |path: &str| {
        let now = remove(Format::Nginx, NGINX.as_bytes(), &Address::new(path)).unwrap();
        String::from_utf8(now).unwrap()
    };
    assert_eq!(gone("http > gzip"), NGINX.replace("    gzip off;\n", ""));
    assert_eq!(
        gone("http > server 80 > listen[reuseport]"),
        NGINX.replace(" reuseport", "")
    );
}

proptest! {
    #[test]
    fn what_is_set_is_there(value in "[a-z0-9$/\"' =;{}#\\\\中]{0,12}", path in prop::sample::select(vec![
        "worker_processes", "http > gzip", "http > upstream app > keepalive", "http > access_log[buffer]",
        "http > server 80 > listen[backlog]", "http > new",
    ])) {
        let address = Address::new(path);
        if let Ok(now) = set(Format::Nginx, NGINX.as_bytes(), &address, &value) {
            prop_assert_eq!(get(Format::Nginx, &now, &address).unwrap().unwrap().value, value.clone());
            prop_assert_eq!(set(Format::Nginx, &now, &address, &value).unwrap(), now.clone());
            let other = Address::new("http > server b > server_name");
            prop_assert_eq!(get(Format::Nginx, &now, &other).unwrap().unwrap().value, "b");
        }
    }

    #[test]
    fn any_text_is_taken(file in "[a-c {};\"'#\n\\\\$中\\[\\]-]{0,80}", path in "[a-c >\\[\\]]{0,10}") {
        let address = Address::new(path);
        let _ = get(Format::Nginx, file.as_bytes(), &address);
        let _ = set(Format::Nginx, file.as_bytes(), &address, "x");
        let _ = remove(Format::Nginx, file.as_bytes(), &address);
    }
}
