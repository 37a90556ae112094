//! Lines of each format, as its own program reads them, and what must hold for any text.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// Files as people have them: comments, tabs, CRLF, Chinese, no newline at the end.
const FILES: &[(Format, &str, &str, &str)] = &[
    (
        Format::Properties,
        "# 注释\na = 1\nb:2\nlong = x\\\n  y\n! c\nb\t3",
        "b",
        "3",
    ),
    (
        Format::Properties,
        "\u{feff}a=1\r\nb\\ c=\\u4e2d\r\n",
        "b c",
        "中",
    ),
    (
        Format::SpringProperties,
        "server.tomcat.maxThreads=5\n#---\nspring.config.activate.on-profile=x\nserver.tomcat.max-threads=9\n",
        "server.tomcat.max-threads",
        "5",
    ),
    (
        Format::Ini,
        "[a]\nk = 1\n[b]\nK: 2 ; kept\n more\n",
        "[b] k",
        "2 ; kept\nmore",
    ),
    (
        Format::PhpIni,
        "[www]\npm.max_children = 5 ; 最大\n",
        "[www] pm.max_children",
        "5",
    ),
    (
        Format::MyCnf,
        "[client]\nport=1\n[mysqld]\nmax-connections = 10 # 注释\n[server]\nskip_name_resolve\n!includedir /etc/x/\n",
        "[mysqld] max_connections",
        "10",
    ),
    (
        Format::MyCnf,
        "[mysqld]\nskip-name-resolve\n",
        "[mysqld] skip_name_resolve",
        "1",
    ),
    (
        Format::RedisConf,
        "# redis\r\nsave 900 1\r\nMAXMEMORY 100mb\r\n",
        "maxmemory",
        "100mb",
    ),
    (
        Format::RedisConf,
        "requirepass \"a b\\\"\"\n",
        "requirepass",
        "a b\"",
    ),
    (
        Format::PostgresConf,
        "#shared_buffers = 1\nshared_buffers=128MB # x\nlog 'it''s'\n",
        "log",
        "it's",
    ),
    (Format::PostgresConf, "Work_Mem   4MB", "work_mem", "4MB"),
    (
        Format::Sysctl,
        "net/core/somaxconn=128\n-net.core.somaxconn = 256\n",
        "net.core.somaxconn",
        "256",
    ),
    (
        Format::EnvFile,
        "# x\nexport A=1\nJAVA_OPTS=\"-Xmx1g -Da=\\\"b\\\"\"\n",
        "JAVA_OPTS",
        "-Xmx1g -Da=\"b\"",
    ),
    (
        Format::Python,
        "# settings\nimport os\nworkers = 2  # of two\nbind = [\n  'a',  # one\n]\ndef x():\n    workers = 9\n",
        "workers",
        "2",
    ),
    (
        Format::Python,
        "worker_class = \"gthread\"\r\nthreads=3\r\n",
        "worker_class",
        "gthread",
    ),
    (
        Format::PhpIni,
        "zend_extension=opcache.so\nopcache.max_accelerated_files=200 ; few\n",
        "opcache.max_accelerated_files",
        "200",
    ),
    (
        Format::PhpIni,
        "[PHP]\nrealpath_cache_size = 1024K\n[Date]\nrealpath_cache_size = 2M\n",
        "realpath_cache_size",
        "2M",
    ),
    (
        Format::PhpIni,
        "[global]\npm.max_children = 1\n[portal]\npm.max_children = 8\n",
        "[www] pm.max_children",
        "8",
    ),
    (
        Format::Pattern,
        "backend quotes\n    server app1 127.0.0.1:81 check maxconn 6\n",
        r"server app1 .* maxconn (\d+)$",
        "6",
    ),
    (Format::Whole, "always [madvise] never\n", "", "madvise"),
];

#[test]
fn an_expression_must_hold_at_one_place_and_have_one_group() {
    let file = b"maxconn 6\nmaxconn 7\n";
    let at = |pattern: &str| get(Format::Pattern, file, &Address::new(pattern));
    assert_eq!(at(r"maxconn (7)").unwrap().unwrap().line, 2);
    assert_eq!(at("timeout (.*)").unwrap(), None);
    let several = at(r"maxconn (\d)").unwrap_err();
    assert_eq!(several.fault, EditFault::Several(vec![1, 2]));
    for pattern in [
        "maxconn 6",
        "(maxconn) (6)",
        "maxconn (6",
        "(a{1000}){1000}",
    ] {
        assert!(at(pattern).is_err(), "{pattern}");
    }
    // Nobody knows where it belongs.
    let address = Address::new("timeout (.*)");
    assert!(set(Format::Pattern, file, &address, "5").is_err());
}

#[test]
fn names_of_files_and_folders_tell_their_format() {
    for (path, format) in [
        ("/srv/shop/gunicorn.conf.py", Some(Format::Python)),
        ("/etc/php/8.2/fpm/pool.d/www.conf", Some(Format::PhpIni)),
        ("conf/php-fpm.conf", Some(Format::PhpIni)),
        ("conf/php.d/10-opcache.ini", Some(Format::PhpIni)),
        ("/etc/nginx/conf.d/shop.conf", Some(Format::Nginx)),
        ("/etc/nginx/sites-enabled/default", Some(Format::Nginx)),
        ("snippets/proxy.conf", Some(Format::Nginx)),
        ("/etc/app/settings.ini", Some(Format::Ini)),
        ("base/start.d/server.ini", Some(Format::Properties)),
        ("base/start.ini", Some(Format::Properties)),
        ("/etc/haproxy/haproxy.cfg", None),
        ("/etc/app/app.conf", None),
    ] {
        assert_eq!(Format::of_file(path), format, "{path}");
    }
}

#[test]
fn a_pool_of_another_name_is_meant_where_it_is_the_only_one() {
    let put = |file: &str| {
        let address = Address::new("[www] pm.max_children");
        let changed = set(Format::PhpIni, file.as_bytes(), &address, "9").unwrap();
        String::from_utf8(changed).unwrap()
    };
    assert_eq!(
        put("[global]\na=1\n[portal]\npm = static\n"),
        "[global]\na=1\n[portal]\npm = static\npm.max_children = 9\n"
    );
    // Which of two is meant nobody can tell: a new one, as it was asked for.
    assert!(put("[a]\npm=static\n[b]\npm=static\n").contains("[www]"));
}

#[test]
fn values_are_read_as_their_programs_read_them() {
    for (format, file, path, expected) in FILES {
        let found = get(*format, file.as_bytes(), &Address::new(*path)).unwrap();
        let value = found.map(|found| found.value);
        assert_eq!(value.as_deref(), Some(*expected), "{format:?} {path}");
    }
}

#[test]
fn only_the_value_changes() {
    for (format, file, path, before) in FILES {
        let address = Address::new(*path);
        let changed = set(*format, file.as_bytes(), &address, "42").unwrap();
        assert_eq!(
            get(*format, &changed, &address).unwrap().unwrap().value,
            "42"
        );
        let back = get(*format, file.as_bytes(), &address).unwrap().unwrap();
        assert_eq!(back.value, *before);
        // What stands before and behind the value is the same.
        let same = |a: &mut dyn Iterator<Item = u8>, b: &mut dyn Iterator<Item = u8>| {
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        let ahead = same(&mut file.bytes(), &mut changed.iter().copied());
        let behind = same(&mut file.bytes().rev(), &mut changed.iter().rev().copied());
        let value_bytes = file.len().saturating_sub(ahead + behind);
        assert!(
            value_bytes <= before.len() + 20,
            "{format:?} {path}: {value_bytes}"
        );
        assert_eq!(set(*format, &changed, &address, "42").unwrap(), changed);
    }
}

#[test]
fn missing_settings_are_added_where_they_belong() {
    for (format, file, path, expected) in [
        (Format::Properties, "a=1", "b c", "a=1\nb\\ c=42\n"),
        (
            Format::MyCnf,
            "[mysqld]\r\na=1\r\n\r\n# 结束\r\n!includedir /x/\r\n",
            "[mysqld] b",
            "[mysqld]\r\na=1\r\nb = 42\r\n\r\n# 结束\r\n!includedir /x/\r\n",
        ),
        (Format::MyCnf, "", "[mysqld] b", "[mysqld]\nb = 42\n"),
        (Format::RedisConf, "a 1", "b", "a 1\nb 42\n"),
        (
            Format::SpringProperties,
            "a=1\n#---\nspring.config.activate.on-profile=x\nb=1\n",
            "b",
            "a=1\nb=42\n#---\nspring.config.activate.on-profile=x\nb=1\n",
        ),
        (
            Format::SpringProperties,
            "spring.config.activate.on-profile=x\nb=1\n",
            "b",
            "spring.config.activate.on-profile=x\nb=1\n#---\nb=42\n",
        ),
        (Format::Sysctl, "\u{feff}", "b", "\u{feff}b = 42\n"),
        (Format::Whole, "", "", "42"),
    ] {
        let changed = set(format, file.as_bytes(), &Address::new(path), "42").unwrap();
        assert_eq!(
            String::from_utf8(changed).unwrap(),
            expected,
            "{format:?} {file:?}"
        );
    }
}

#[test]
fn statements_of_python_are_told_apart() {
    let text = "workers = 8\ns = \"\"\"\nworkers = 9\n\"\"\"\n";
    for (file, path, after) in [
        (
            text,
            "workers",
            "workers = 42\ns = \"\"\"\nworkers = 9\n\"\"\"\n",
        ),
        (
            "workers = 4; threads = 2\n",
            "workers",
            "workers = 42 ; threads = 2\n",
        ),
        (
            "timeout: int = 30  # s\n",
            "timeout",
            "timeout: int = 42  # s\n",
        ),
        ("a = b = 2\n", "a", "a = b = 2\na = 42\n"),
        ("a = f(b=2, c='#;')\n", "a", "a = 42\n"),
        ("a = b == 'x'\n", "a", "a = 42\n"),
    ] {
        let now = set(Format::Python, file.as_bytes(), &Address::new(path), "42").unwrap();
        assert_eq!(String::from_utf8(now).unwrap(), after, "{file}");
    }
}

#[test]
fn what_stands_at_several_places_or_has_no_name_is_refused() {
    for (format, file, path) in [
        (Format::Yaml, "a: 1\n---\na: 2\n", "a"),
        (Format::Yaml, "b: 1\n---\nc: 2\n", "a"),
        (Format::Yaml, "a.b: 1\na:\n  b: 2\n", "a.b"),
        (Format::Json, "{\"a.b\": 1, \"a\": {\"b\": 2}}", "a.b"),
        (Format::Toml, "\"a.b\" = 1\n[a]\nb = 2\n", "a.b"),
    ] {
        let stop = set(format, file.as_bytes(), &Address::new(path), "1").unwrap_err();
        assert!(
            matches!(stop.fault, EditFault::Several(_)),
            "{file}: {stop:?}"
        );
    }
    for (format, path) in [
        (Format::Yaml, "a.\"b.c\""),
        (Format::Json, "a.'b'"),
        (Format::Json, "/a/b"),
        (Format::Toml, "\"a.b\""),
    ] {
        let stop = set(format, b"{}", &Address::new(path), "1").unwrap_err();
        assert!(
            matches!(stop.fault, EditFault::Address { .. }),
            "{path}: {stop:?}"
        );
    }
}

#[test]
fn readers_that_are_stricter_see_the_same() {
    for (format, file, path, value, after) in [
        (
            Format::Ini,
            "[Service]\nNice=1\nnice=2\n",
            "[Service] Nice",
            "3",
            "[Service]\nNice=3\nnice=2\n",
        ),
        (Format::EnvFile, "A=1\n", "A", "x$y", "A='x$y'\n"),
        (
            Format::EnvFile,
            "A=1\n",
            "A",
            "1 touch x",
            "A='1 touch x'\n",
        ),
        (Format::EnvFile, "A=1\n", "A", "-Xmx1g", "A=-Xmx1g\n"),
        (
            Format::Yaml,
            "a: yes # or no\n",
            "a",
            "no",
            "a: no # or no\n",
        ),
        (
            Format::JvmOptions,
            "8-13:-XX:+UseG1GC\n",
            "-Xss",
            "1m",
            "8-13:-XX:+UseG1GC\n-Xss1m\n",
        ),
        (Format::JvmOptions, "-Xmx1g", "-Xss", "1m", "-Xmx1g -Xss1m"),
    ] {
        let now = set(format, file.as_bytes(), &Address::new(path), value).unwrap();
        assert_eq!(String::from_utf8(now).unwrap(), after, "{file}");
    }
}

/// Redis adds the pairs of all lines up (`CONFIG GET save` shows them as one).
#[test]
fn lines_that_add_up_are_one_value() {
    let save = Address::new("save");
    let file = "# a\r\nSave 900 1\r\n# b\r\nsave 300 10 60 10000\r\nport 1";
    let now = |file: &str, value: &str| {
        let now = set(Format::RedisConf, file.as_bytes(), &save, value).unwrap();
        String::from_utf8(now).unwrap()
    };
    let read = |file: &str| get(Format::RedisConf, file.as_bytes(), &save).unwrap();
    assert_eq!(read(file).unwrap().value, "900 1 300 10 60 10000");
    assert_eq!(
        now(file, "3600 1 60 5"),
        "# a\r\nSave 3600 1\r\nSave 60 5\r\n# b\r\nport 1"
    );
    assert_eq!(now(file, ""), "# a\r\nSave \"\"\r\n# b\r\nport 1");
    assert_eq!(now(file, "900 1 300 10 60 10000"), file);
    assert_eq!(now("port 1\nsave 9 1", "8 2"), "port 1\nsave 8 2");
    assert_eq!(now("", "8 2 7 3"), "save 8 2\nsave 7 3\n");
    assert_eq!(
        read("save 900 1\nsave \"\"\nsave 5 1\n").unwrap().value,
        "5 1"
    );
    let gone = remove(Format::RedisConf, file.as_bytes(), &save).unwrap();
    assert_eq!(gone, b"# a\r\n# b\r\nport 1");
    // Others hold by their last line.
    let last = get(Format::RedisConf, b"hz 10\nhz 20\n", &Address::new("hz"));
    assert_eq!(last.unwrap().unwrap().value, "20");
}

#[test]
fn active_profiles_decide_between_documents() {
    let file = b"a=1\n#---\nspring.config.activate.on-profile=prod & !eu\na=2\n";
    let plain = Address::new("a");
    let prod = plain.clone().while_active(["prod"]);
    let value = |address: &Address| {
        get(Format::SpringProperties, file, address)
            .unwrap()
            .unwrap()
    };
    assert_eq!(
        (value(&plain).value, value(&plain).line),
        ("1".to_owned(), 1)
    );
    assert_eq!((value(&prod).value, value(&prod).line), ("2".to_owned(), 4));
    let changed = set(Format::SpringProperties, file, &prod, "3").unwrap();
    assert!(changed.starts_with(b"a=1\n") && changed.ends_with(b"a=3\n"));
    let list = "a=1\n#---\nspring.config.activate.on-profile[0]=test\n\
                spring.config.activate.onProfile[1]=prod\na=2\n";
    for (profile, expected) in [("prod", "2"), ("test", "2"), ("eu", "1")] {
        let address = plain.clone().while_active([profile]);
        let found = get(Format::SpringProperties, list.as_bytes(), &address);
        assert_eq!(found.unwrap().unwrap().value, expected, "{profile}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let error = |file: &[u8], path: &str, value: &str| {
        set(Format::MyCnf, file, &Address::new(path), value)
            .unwrap_err()
            .to_string()
    };
    assert!(error(b"a\0b", "[mysqld] a", "1").contains("zero bytes"));
    assert!(error(b"", "a", "1").contains("[section] key"));
    let control = error(b"[mysqld]\na=1\n", "[mysqld] a", "1\n[client]");
    assert!(control.contains("control"), "{control}");
}

#[test]
fn files_in_other_encodings_keep_their_bytes() {
    // GBK: 数据库
    let file = b"[mysqld]\n# \xca\xfd\xbe\xdd\xbf\xe2\nmax_connections=10\n";
    let address = Address::new("[mysqld] max_connections");
    let changed = set(Format::MyCnf, file, &address, "20").unwrap();
    assert_eq!(
        changed,
        b"[mysqld]\n# \xca\xfd\xbe\xdd\xbf\xe2\nmax_connections=20\n"
    );
    assert!(set(Format::MyCnf, file, &address, "\u{4e2d}").is_err());
}

#[test]
fn included_files_are_told() {
    let of = |format, file: &str| {
        let found = includes(format, file.as_bytes()).into_iter();
        found
            .map(|one| (one.path, one.folder, one.line))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(
            Format::MyCnf,
            "[x]\n!includedir /etc/mysql/conf.d/\n!include /a\n"
        ),
        [
            ("/etc/mysql/conf.d/".to_owned(), true, 2),
            ("/a".to_owned(), false, 3)
        ]
    );
    assert_eq!(
        of(
            Format::PostgresConf,
            "include_dir = 'conf.d'\n#include 'x'\n"
        ),
        [("conf.d".to_owned(), true, 1)]
    );
}

/// Ten megabytes with the setting at the end.
#[test]
fn long_files_are_taken() {
    let mut file = "# 一行注释\nother.key = value\n".repeat(300_000);
    file.push_str("last = 1");
    let changed = set(
        Format::Properties,
        file.as_bytes(),
        &Address::new("last"),
        "2",
    )
    .unwrap();
    assert!(changed.len() == file.len() && changed.ends_with(b"last = 2"));
    let long = vec![b'a'; MAX_BYTES + 1];
    assert!(get(Format::Properties, &long, &Address::new("a")).is_err());
}

fn line_formats() -> impl Strategy<Value = Format> {
    let all: Vec<Format> = Format::ALL
        .iter()
        .copied()
        .filter(|one| *one != Format::Whole)
        .collect();
    prop::sample::select(all)
}

/// A file of lines that people write, and some that nobody does.
fn files() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a = 1",
        "a:2",
        "a 3",
        "b='x''y'",
        "b = \"q#;\" # c",
        "# a = 9",
        "; a = 8",
        "[mysqld]",
        "[a b]",
        "",
        "\t",
        "  indented",
        "c=\\",
        "#---",
        "!include x",
        "中文=值",
        "a",
        "= 1",
        "]",
        "[",
        "'",
        "\"",
        "spring.config.activate.on-profile=x",
        "export a=1",
        "include a",
        "a=\\u12",
        "\\",
        "{",
        "}",
        "{a: 1}",
        "{ab: 1, c: '2'}",
        "a: {b: , c: x}",
        "b: [a: 1, c]",
    ]);
    let ends = prop::sample::select(vec!["\n", "\r\n"]);
    (
        prop::collection::vec(line, 0..12),
        ends,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, end, last, bom)| {
            let mut file = lines.join(end);
            file.insert_str(0, if bom { "\u{feff}" } else { "" });
            file.push_str(if last { end } else { "" });
            file
        })
}

proptest! {
    /// Whatever stands in how many lines: each line has one pair afterwards, and what is no such line stays.
    #[test]
    fn a_sum_is_written_a_line_a_pair(
        before in prop::collection::vec((1..9_u32, 0..4_usize), 0..5), after in prop::collection::vec(1..99_u32, 0..5),
    ) {
        let line = |(other, pairs): &(u32, usize)| {
            let pairs = " 1 2".repeat(*pairs);
            format!("hz {other}\nsave{}\n", if pairs.is_empty() { " \"\"" } else { &pairs })
        };
        let file: String = before.iter().map(line).collect();
        let pairs: Vec<String> = after.iter().map(|one| format!("{one} 1")).collect();
        let now = set(Format::RedisConf, file.as_bytes(), &Address::new("save"), &pairs.join(" "));
        let now = String::from_utf8(now.unwrap()).unwrap();
        let of = |text: &str, start: &str| -> Vec<String> {
            text.lines().filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect()
        };
        prop_assert_eq!(of(&now, "hz "), of(&file, "hz "));
        let unchanged = get(Format::RedisConf, file.as_bytes(), &Address::new("save")).unwrap();
        if unchanged.is_none_or(|found| found.value != pairs.join(" ")) {
            let wanted = if pairs.is_empty() { vec!["\"\"".to_owned()] } else { pairs };
            prop_assert_eq!(of(&now, "save "), wanted);
        }
    }

    #[test]
    fn what_is_set_is_there_and_set_again_changes_nothing(
        format in line_formats(), file in files(), value in "[ -~中文]{0,20}", key in "[a-c]{1,2}",
    ) {
        let path = match format {
            Format::Ini | Format::PhpIni | Format::MyCnf => format!("[mysqld] {key}"),
            _ => key,
        };
        let address = Address::new(path);
        if let Ok(changed) = set(format, file.as_bytes(), &address, &value) {
            let found = get(format, &changed, &address).unwrap().unwrap();
            prop_assert_eq!(&found.value, &value);
            prop_assert_eq!(&set(format, &changed, &address, &value).unwrap(), &changed);
            let gone = remove(format, &changed, &address).unwrap();
            prop_assert_eq!(get(format, &gone, &address).unwrap(), None);
            // Other settings are what they were.
            let other = Address::new(address.path.replace(['a', 'b', 'c'], "z"));
            prop_assert_eq!(get(format, &changed, &other), get(format, file.as_bytes(), &other));
        }
    }

    #[test]
    fn any_bytes_are_taken(
        at in 0..Format::ALL.len(), file in prop::collection::vec(any::<u8>(), 0..200), path in "\\PC{0,20}",
        value in ".{0,10}",
    ) {
        let format = Format::ALL[at];
        let address = Address::new(path);
        let _ = get(format, &file, &address);
        let _ = set(format, &file, &address, &value);
        let _ = remove(format, &file, &address);
        let _ = includes(format, &file);
    }
}
