//! What is written is what the real programs read: nginx, MariaDB, Redis, PostgreSQL, Python, a JVM, a shell.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plimsoll_knobs::{Address, Format, KnobValue, PlaceKind, Spelling, all, find, get, set};

/// A program of the test machine (`tools/setup.sh test` installs it).
fn program(names: &[&str]) -> PathBuf {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = path
        .split(':')
        .map(PathBuf::from)
        .chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from))
        .collect();
    let found = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found: Vec<PathBuf> = found.filter(|path| path.is_file()).collect();
    found
        .first()
        .cloned()
        .unwrap_or_else(|| panic!("{names:?} is not installed: run tools/setup.sh test"))
}

fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn write(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A value inside of the range that is not the default.
fn other_value(id: &str, wanted: &str) -> KnobValue {
    find(id).unwrap().value(wanted).unwrap()
}

fn put(text: &[u8], format: Format, id: &str, wanted: &str) -> Vec<u8> {
    let knob = find(id).unwrap();
    let (place, address) = knob.place_in(format).unwrap();
    knob.put(format, text, place, &address, &other_value(id, wanted))
        .unwrap()
}

#[test]
fn nginx_takes_every_directive() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut file = format!(
        "# 主配置\r\npid {root}/pid;\r\nerror_log {root}/e.log;\r\nevents {{ }}\r\nhttp {{\r\n\
         \taccess_log {root}/a.log;\r\n\tupstream app {{ server 127.0.0.1:9; }}\r\n\
         \tserver {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://app; }} }}\r\n}}\r\n"
    )
    .into_bytes();
    let values = [
        ("nginx.worker-processes", "3", "worker_processes 3;"),
        (
            "nginx.worker-connections",
            "2048",
            "worker_connections 2048;",
        ),
        (
            "nginx.worker-rlimit-nofile",
            "8192",
            "worker_rlimit_nofile 8192;",
        ),
        ("nginx.multi-accept", "on", "multi_accept on;"),
        ("nginx.upstream.keepalive", "64", "keepalive 64;"),
        (
            "nginx.upstream.keepalive-requests",
            "5000",
            "keepalive_requests 5000;",
        ),
        (
            "nginx.upstream.keepalive-timeout",
            "30s",
            "keepalive_timeout 30;",
        ),
        ("nginx.keepalive-timeout", "20s", "keepalive_timeout 20;"),
        (
            "nginx.keepalive-requests",
            "10000",
            "keepalive_requests 10000;",
        ),
        ("nginx.access-log", "off", "access_log off;"),
        ("nginx.gzip", "on", "gzip on;"),
        ("nginx.gzip-level", "4", "gzip_comp_level 4;"),
        (
            "nginx.gzip-types",
            "application/json text/css",
            "gzip_types application/json text/css;",
        ),
        ("nginx.gzip-min-length", "1000", "gzip_min_length 1000;"),
        ("nginx.proxy-buffering", "off", "proxy_buffering off;"),
        ("nginx.proxy-buffers", "16 8k", "proxy_buffers 16 8k;"),
        ("nginx.proxy-buffer-size", "8k", "proxy_buffer_size 8k;"),
        ("nginx.proxy-http-version", "1.1", "proxy_http_version 1.1;"),
        ("nginx.reuseport", "on", " reuseport backlog=1024;"),
        ("nginx.backlog", "1024", "backlog=1024"),
        ("nginx.sendfile", "on", "sendfile on;"),
        ("nginx.tcp-nopush", "on", "tcp_nopush on;"),
        (
            "nginx.open-file-cache",
            "max=1000 inactive=20s",
            "open_file_cache max=1000 inactive=20s;",
        ),
    ];
    let known = all().filter(|knob| knob.family() == "nginx").count();
    assert_eq!(values.len(), known, "each knob of nginx has its turn");
    for (id, value, _) in values {
        file = put(&file, Format::Nginx, id, value);
    }
    let path = write(folder.path(), "nginx.conf", &file);
    let printed = Command::new(program(&["nginx"]))
        .args(["-T", "-p", root, "-c", &path])
        .output()
        .unwrap();
    let text = said(&printed);
    assert!(printed.status.success(), "{text}");
    for (id, _, line) in values {
        assert!(text.contains(line), "{id}: {line}\n{text}");
    }
}

#[test]
fn mariadb_reads_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = "# 配置\n[client]\nport = 3306\n\n[mysqld]\nmax-connections = 50   # 最大\nskip-name-resolve\n\
        [server]\nsort_buffer_size=\"1M\"\n[mariadb-99.9]\nmax_connections=7\n[mysqldump]\nquick\n"
        .as_bytes()
        .to_vec();
    for (id, value) in [
        ("mysql.buffer-pool-size", "256m"),
        ("mysql.max-connections", "321"),
        ("mysql.flush-log-at-trx-commit", "2"),
        ("mysql.sync-binlog", "5"),
        ("mysql.sort-buffer-size", "2m"),
        ("mysql.skip-name-resolve", "off"),
        ("mysql.tmp-table-size", "32m"),
    ] {
        file = put(&file, Format::MyCnf, id, value);
    }
    file = set(
        Format::MyCnf,
        &file,
        &Address::new("[mysqld] socket"),
        "/tmp/a #b\\n\"c",
    )
    .unwrap();
    let path = write(folder.path(), "my.cnf", &file);
    let defaults = format!("--defaults-file={path}");
    let printed = Command::new(program(&["mariadbd", "mysqld"]))
        .args([&defaults, "--print-defaults"])
        .output();
    let text = said(&printed.unwrap()).replace('-', "_");
    for expected in [
        "__innodb_buffer_pool_size=256m",
        "__innodb_flush_log_at_trx_commit=2",
        "__sync_binlog=5",
        "__skip_name_resolve=0",
        "__tmp_table_size=32m",
        "__sort_buffer_size=2m",
        "__socket=/tmp/a #b\\n\"c",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    // What it makes of them: the last of several holds, and another version's section is none.
    let help = Command::new(program(&["mariadbd", "mysqld"]))
        .args([&defaults, "--verbose", "--help", "--user=root"])
        .output()
        .unwrap();
    let help = said(&help);
    let value = |name: &str| {
        let line = help
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name));
        line.and_then(|line| line.split_whitespace().nth(1))
            .unwrap_or_else(|| panic!("{name}: {help}"))
            .to_owned()
    };
    assert_eq!(value("max-connections"), "321");
    assert_eq!(value("innodb-buffer-pool-size"), (256 << 20).to_string());
    assert_eq!(value("sort-buffer-size"), (2 << 20).to_string());
    assert_eq!(value("skip-name-resolve"), "FALSE");
}

#[test]
fn postgres_reads_the_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    let mut file =
        b"# \xe9\x85\x8d\xe7\xbd\xae\nWork_Mem 1MB # x\nlog_line_prefix = '%m ''q'' '\n".to_vec();
    for (id, value) in [
        ("postgres.shared-buffers", "256m"),
        ("postgres.work-mem", "8m"),
        ("postgres.max-connections", "33"),
        ("postgres.synchronous-commit", "off"),
        ("postgres.random-page-cost", "1.1"),
        ("postgres.isolation", "repeatable read"),
        ("postgres.jit", "off"),
        ("postgres.max-wal-size", "2g"),
        ("postgres.wal-buffers", "4m"),
        ("postgres.effective-cache-size", "20000k"),
        ("postgres.full-page-writes", "off"),
    ] {
        file = put(&file, Format::PostgresConf, id, value);
    }
    let tricky = "a'b\\c #d";
    file = set(
        Format::PostgresConf,
        &file,
        &Address::new("cluster_name"),
        tricky,
    )
    .unwrap();
    write(folder.path(), "postgresql.conf", &file);
    let folders = [
        "/usr/lib/postgresql/15/bin/postgres",
        "/usr/lib/postgresql/16/bin/postgres",
        "/usr/lib/postgresql/17/bin/postgres",
    ];
    let own = folders
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file());
    let postgres = own.unwrap_or_else(|| program(&["postgres"]));
    for (name, expected) in [
        ("shared_buffers", "32768"),
        ("work_mem", "8192"),
        ("max_connections", "33"),
        ("synchronous_commit", "off"),
        ("random_page_cost", "1.1"),
        ("default_transaction_isolation", "repeatable read"),
        ("jit", "off"),
        ("max_wal_size", "2048"),
        ("wal_buffers", "512"),
        ("effective_cache_size", "2500"),
        ("full_page_writes", "off"),
        ("log_line_prefix", "%m 'q' "),
        ("cluster_name", tricky),
    ] {
        let output = Command::new(&postgres)
            .args(["-C", name, "-D", data])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.trim_end_matches('\n'), expected, "{name}");
    }
}

/// Ends by its own id, whatever a test finds out.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a Redis says over its socket, once it listens.
fn asked(server: &mut Server, socket: &Path, command: &str) -> String {
    use std::io::{Read as _, Write as _};
    loop {
        if let Some(end) = server.0.try_wait().unwrap() {
            panic!("redis-server ended: {end}");
        }
        if let Ok(mut stream) = std::os::unix::net::UnixStream::connect(socket) {
            stream
                .write_all(format!("{command}\r\nQUIT\r\n").as_bytes())
                .unwrap();
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            return said;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn redis_reads_the_directives() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let mut file = format!(
        "port 0\nunixsocket {}\ndir {}\nsave 900 1\nsave 300 10\n# x\nsave 60 10000\n",
        socket.display(),
        folder.path().display()
    )
    .into_bytes();
    for (id, value) in [
        ("redis.save", "7200 5 100 20"),
        ("redis.maxmemory", "64m"),
        ("redis.appendfsync", "no"),
    ] {
        file = put(&file, Format::RedisConf, id, value);
    }
    let path = write(folder.path(), "redis.conf", &file);
    let started = Command::new(program(&["redis-server", "valkey-server"]))
        .arg(&path)
        .stdout(std::process::Stdio::null())
        .spawn();
    let mut server = Server(started.unwrap());
    for (name, expected) in [
        ("save", "7200 5 100 20"),
        ("maxmemory", "67108864"),
        ("appendfsync", "no"),
    ] {
        let said = asked(&mut server, &socket, &format!("CONFIG GET {name}"));
        assert!(said.lines().any(|line| line == expected), "{name}: {said}");
    }
}

/// Any value, through YAML, ini and back by Python's own readers.
#[test]
fn php_fpm_reads_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let mut file = format!(
        "; 配置\n[global]\nerror_log = {root}/e.log\n[www]\nuser = nobody\nlisten = {root}/s.sock\n\
         pm = static ; one of three\npm.max_children = 5\n[other]\nuser = nobody\n\
         listen = {root}/o.sock\npm = ondemand\npm.max_children = 7\n"
    )
    .into_bytes();
    let values = [
        ("php-fpm.max-children", "40", "pm.max_children = 40"),
        ("php-fpm.pm", "dynamic", "pm = dynamic"),
        ("php-fpm.start-servers", "10", "pm.start_servers = 10"),
        ("php-fpm.min-spare-servers", "4", "pm.min_spare_servers = 4"),
        (
            "php-fpm.max-spare-servers",
            "20",
            "pm.max_spare_servers = 20",
        ),
        ("php-fpm.max-requests", "500", "pm.max_requests = 500"),
        ("php-fpm.backlog", "1024", "listen.backlog = 1024"),
    ];
    let known = all().filter(|knob| knob.family() == "php-fpm").count();
    assert_eq!(values.len(), known, "each knob of PHP-FPM has its turn");
    for (id, value, _) in values {
        file = put(&file, Format::Ini, id, value);
    }
    let path = write(folder.path(), "fpm.conf", &file);
    let php = program(&["php-fpm8.2", "php-fpm8.3", "php-fpm8.4", "php-fpm"]);
    let printed = Command::new(php)
        .args(["-tt", "-n", "-y", &path])
        .output()
        .unwrap();
    let text = said(&printed);
    assert!(printed.status.success(), "{text}");
    let pool = |name: &str| text.split(name).nth(1).unwrap().to_owned();
    let lines = |of: &str| -> Vec<String> {
        let after = |line: &str| line.split("NOTICE:").last().unwrap_or("").trim().to_owned();
        of.lines().map(after).collect()
    };
    // The pool of that name has them, and the other one keeps its own.
    let (www, other) = (lines(&pool("[www]")), lines(&pool("[other]")));
    for (id, _, line) in values {
        assert!(www.contains(&line.to_owned()), "{id}: {line}\n{text}");
    }
    assert!(other.contains(&"pm.max_children = 7".to_owned()), "{text}");
    assert!(other.contains(&"pm = ondemand".to_owned()), "{text}");
}

#[test]
fn python_reads_yaml_ini_json_and_toml() {
    let folder = tempfile::tempdir().unwrap();
    let values = [
        "on",
        "yes",
        "0123",
        "1:30",
        "null",
        "~",
        "a: b",
        "- a",
        "# x",
        "中文",
        "'q'",
        "\"",
        "20s",
        "1e3",
        "%s=",
        "{a}",
        "",
        "&a",
        "*a",
        "!x",
        "@",
        "=",
        "2020-01-01",
    ];
    let mut yaml = "# 注释\nlist: [1]\nnested:\n  keep: true # 真\n"
        .as_bytes()
        .to_vec();
    let mut ini = "[a]\nx = 1\n\n[b]\ny: 2\n".as_bytes().to_vec();
    // Strings stay strings there, whatever they look like.
    let each = |line: &dyn Fn(usize) -> String| (0..values.len()).map(line).collect::<String>();
    let toml = each(&|number| format!("k{number} = \"x\" # 注释\n"));
    let json = each(&|number| format!("\"k{number}\": \"x\",\n  "));
    let mut toml = format!("{toml}\n[b]\nkeep = true\n").into_bytes();
    let mut json = format!("{{\n  {json}\"keep\": true\n}}\n").into_bytes();
    for (number, value) in values.iter().enumerate() {
        let key = Address::new(format!("k{number}"));
        toml = set(Format::Toml, &toml, &key, value).unwrap();
        json = set(Format::Json, &json, &key, value).unwrap();
        yaml = set(
            Format::Yaml,
            &yaml,
            &Address::new(format!("nested.k{number}")),
            value,
        )
        .unwrap();
        ini = set(
            Format::Ini,
            &ini,
            &Address::new(format!("[a] k{number}")),
            value,
        )
        .unwrap();
    }
    let files = [
        ("a.yaml", yaml),
        ("a.ini", ini),
        ("a.json", json),
        ("a.toml", toml),
    ];
    let files = files.map(|(name, text)| write(folder.path(), name, &text));
    let script = "import sys, yaml, configparser, json, tomllib\n\
        tree = yaml.safe_load(open(sys.argv[1], encoding='utf-8'))\n\
        ini = configparser.RawConfigParser()\n\
        ini.read(sys.argv[2], encoding='utf-8')\n\
        assert tree['list'] == [1] and tree['nested'].pop('keep') is True, tree\n\
        assert ini['a'].pop('x') == '1' and dict(ini['b']) == {'y': '2'}\n\
        of_json = json.load(open(sys.argv[3], encoding='utf-8'))\n\
        of_toml = tomllib.load(open(sys.argv[4], 'rb'))\n\
        assert of_json.pop('keep') is True and of_toml.pop('b') == {'keep': True}\n\
        n = len(tree['nested'])\n\
        print(json.dumps([[one[f'k{i}'] for i in range(n)] for one in (tree['nested'], ini['a'], of_json, of_toml)]))\n";
    let output = Command::new(program(&["python3"]))
        .args(["-c", script])
        .args(&files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let read: Vec<Vec<serde_json::Value>> = serde_json::from_slice(&output.stdout).unwrap();
    for (at, value) in values.iter().enumerate() {
        for (kind, read) in ["yaml", "ini", "json", "toml"].iter().zip(&read) {
            assert_eq!(read[at], *value, "{kind}");
        }
    }
}

/// The flags of a real JVM are those that were written, whatever stood there.
#[test]
fn a_jvm_takes_the_options() {
    let java = program(&["java"]);
    let mut options = b"-Xmx64m -XX:+UseG1GC -XX:-AlwaysPreTouch".to_vec();
    for (id, value) in [
        ("jvm.heap.max", "96m"),
        ("jvm.heap.max-percent", "40"),
        ("jvm.heap.min", "32m"),
        ("jvm.young", "16m"),
        ("jvm.collector", "parallel"),
        ("jvm.gc.parallel-threads", "2"),
        ("jvm.gc.pause-target", "77"),
        ("jvm.metaspace.max", "128m"),
        ("jvm.direct-memory", "48m"),
        ("jvm.cpus", "2"),
        ("jvm.thread-stack", "512k"),
        ("jvm.code-cache", "64m"),
        ("jvm.always-pre-touch", "on"),
        ("jvm.disable-explicit-gc", "on"),
        ("jvm.fork-join.parallelism", "3"),
    ] {
        options = put(&options, Format::JvmOptions, id, value);
    }
    let output = Command::new(&java)
        .env("JAVA_TOOL_OPTIONS", String::from_utf8(options).unwrap())
        .args([
            "-XX:+PrintFlagsFinal",
            "-XshowSettings:properties",
            "-version",
        ])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    for (flag, expected) in [
        ("MaxHeapSize", (96 << 20).to_string()),
        ("MaxRAMPercentage", "40.000000".to_owned()),
        ("InitialHeapSize", (32 << 20).to_string()),
        ("MaxNewSize", (16 << 20).to_string()),
        ("UseParallelGC", "true".to_owned()),
        ("UseG1GC", "false".to_owned()),
        ("ParallelGCThreads", "2".to_owned()),
        ("MaxGCPauseMillis", "77".to_owned()),
        ("MaxMetaspaceSize", (128 << 20).to_string()),
        ("MaxDirectMemorySize", (48 << 20).to_string()),
        ("ActiveProcessorCount", "2".to_owned()),
        ("ThreadStackSize", "512".to_owned()),
        ("ReservedCodeCacheSize", (64 << 20).to_string()),
        ("AlwaysPreTouch", "true".to_owned()),
        ("DisableExplicitGC", "true".to_owned()),
    ] {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().nth(1) == Some(flag));
        let value = line.and_then(|line| line.split_whitespace().nth(3));
        assert_eq!(value, Some(expected.as_str()), "{flag}: {line:?}");
    }
    assert!(
        text.contains("java.util.concurrent.ForkJoinPool.common.parallelism = 3"),
        "{text}"
    );
    let jvm = all().filter(|knob| knob.places_of(PlaceKind::Jvm).next().is_some());
    let flags: Vec<&str> = jvm
        .flat_map(|knob| knob.places)
        .map(|place| place.address)
        .collect();
    for flag in flags
        .iter()
        .filter_map(|flag| flag.strip_prefix("-XX:"))
        .map(|flag| flag.trim_start_matches('+'))
    {
        let known = text
            .lines()
            .any(|line| line.split_whitespace().nth(1) == Some(flag));
        assert!(known || flag == "Use*GC", "{flag} is no flag of this JVM");
    }
}

/// The words that a shell gives to Java are those that were written.
#[test]
fn a_shell_passes_the_arguments_on() {
    let start = "A='x y' B=\"$HOME\"'z' && JAVA_OPTS=\"-Da=b\" java $JAVA_OPTS -Xmx1g \\\n -cp 'a b' Main \"q\\\"r\" $(echo one) > /dev/null 2>&1 & wait # 注释";
    let values = [
        "1", "a b", "it's", "$HOME", "`x`", "中文", "a\"b", "*", "\\", "a;b", "-",
    ];
    for value in values {
        let mut command = start.as_bytes().to_vec();
        for path in ["-Xmx", "-Dx", "--name"] {
            command = set(Format::Command, &command, &Address::new(path), value).unwrap();
        }
        let command = String::from_utf8(command)
            .unwrap()
            .replace("> /dev/null 2>&1 ", "");
        let script = format!("java() {{ printf '%s\\0' \"$@\"; }}\n{command}");
        let output = Command::new(program(&["sh"]))
            .args(["-c", &script])
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}");
        let passed = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = passed.split_terminator('\0').collect();
        let (heap, own, name) = (
            format!("-Xmx{value}"),
            format!("-Dx={value}"),
            format!("--name={value}"),
        );
        // JAVA_OPTS is set for the command alone, so that the shell puts in what it was before.
        let expected = [
            heap.as_str(),
            "-cp",
            "a b",
            own.as_str(),
            "Main",
            "q\"r",
            "one",
            name.as_str(),
        ];
        assert_eq!(words, expected, "{command}");
    }
}

/// Properties as Java reads them, and as we read what Java wrote.
#[test]
fn java_reads_the_properties() {
    let folder = tempfile::tempdir().unwrap();
    let values = ["1", "a b", " x", "中文😀", "a\\b", "=:", "#!", "\ttab", ""];
    let mut file = "# 注释\na.keep = v\\\n   w\n".as_bytes().to_vec();
    for (number, value) in values.iter().enumerate() {
        file = set(
            Format::Properties,
            &file,
            &Address::new(format!("k {number}:")),
            value,
        )
        .unwrap();
    }
    let path = write(folder.path(), "a.properties", &file);
    let source = "import java.io.*; import java.nio.charset.StandardCharsets; import java.util.*;\n\
        class Read { public static void main(String[] a) throws Exception {\n\
        Properties p = new Properties(); try (InputStream in = new FileInputStream(a[0])) { p.load(in); }\n\
        PrintStream o = new PrintStream(System.out, true, StandardCharsets.UTF_8);\n\
        if (!p.getProperty(\"a.keep\").equals(\"vw\")) throw new Error();\n\
        for (int i = 0; p.containsKey(\"k \" + i + \":\"); i++) o.print(p.getProperty(\"k \" + i + \":\") + \"\\0\");\n\
        try (OutputStream out = new FileOutputStream(a[1])) { p.store(out, \"again\"); } } }\n";
    let source = write(folder.path(), "Read.java", source.as_bytes());
    let again = folder.path().join("again.properties");
    let output = Command::new(program(&["java"]))
        .args([
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            &source,
            &path,
            again.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let read = String::from_utf8(output.stdout).unwrap();
    assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), values);
    let stored = std::fs::read(again).unwrap();
    for (number, value) in values.iter().enumerate() {
        let found = get(
            Format::Properties,
            &stored,
            &Address::new(format!("k {number}:")),
        )
        .unwrap();
        assert_eq!(found.unwrap().value, *value);
    }
}

/// The kernel's own files, read as knobs.
#[test]
fn files_of_the_kernel_are_values() {
    for id in [
        "kernel.somaxconn",
        "kernel.swappiness",
        "kernel.tcp-tw-reuse",
    ] {
        let knob = find(id).unwrap();
        let place = knob.places_of(PlaceKind::ValueFile).next().unwrap();
        let file = std::fs::read(place.address).unwrap();
        let found = knob
            .value_in(Format::Whole, &file, place, &Address::new(""))
            .unwrap()
            .unwrap();
        let text = String::from_utf8(file).unwrap();
        assert!(
            found.same(&knob.read(text.trim(), Spelling::Plain)),
            "{id}: {found}"
        );
    }
}
