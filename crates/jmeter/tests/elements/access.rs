//! What a plan may do on a host: each way to files, scripts, processes and other hosts is refused
//! where it is not allowed, whenever its name is made, and works where it is.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::{Access, Right};
use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::engine::{Options, run};
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::model::*;
use plimsoll_plan::parse_yaml;

use crate::support::*;

const SECRET: &str = "secret-of-the-host";

/// A bundle, and files of the host beside it.
struct Host {
    folder: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = Self { folder };
        std::fs::create_dir(host.bundle()).unwrap();
        std::fs::write(host.secret(), format!("<a>{SECRET}</a>\n")).unwrap();
        std::fs::write(host.bundle().join("own.txt"), "own-text\n").unwrap();
        symlink(host.secret(), host.bundle().join("link")).unwrap();
        host
    }

    fn bundle(&self) -> PathBuf {
        self.folder.path().join("bundle")
    }

    fn secret(&self) -> PathBuf {
        self.folder.path().join("secret_1")
    }

    /// What a plan may not make.
    fn made(&self) -> PathBuf {
        self.folder.path().join("made")
    }

    /// A text of the table with the places of this host.
    fn fill(&self, text: &str) -> String {
        text.replace("SECRET", &self.secret().display().to_string())
            .replace("MADE", &self.made().display().to_string())
            .replace("BUNDLE", &self.bundle().display().to_string())
    }

    fn worker(&self, rights: &[Right]) -> Access {
        Access::within(&self.bundle(), rights, []).unwrap()
    }

    /// All that a run says: mistakes, events, samples.
    fn told(&self, plan: &Plan, access: &Access, system: &[(&str, &str)]) -> String {
        let compiled = CompileOptions {
            folder: self.bundle(),
            ..CompileOptions::default()
        };
        let program = compile(plan, &compiled).unwrap();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), self.fill(value));
        let jmeter = JMeterOptions {
            folder: self.bundle(),
            system: system.iter().map(owned).collect(),
            ..JMeterOptions::default()
        };
        let options = Options {
            access: access.clone(),
            extension: Some(Arc::new(jmeter)),
            ..options()
        };
        let mut seen = Seen::default();
        match run(&Arc::new(program), &options, &mut seen) {
            Ok(_) => format!("{:?}\n{:?}", seen.log(), seen.rows()),
            Err(error) => error.to_string(),
        }
    }

    /// Nothing was made but in the bundle.
    fn is_untouched(&self) -> bool {
        std::fs::read_dir(self.folder.path()).unwrap().count() == 2
            && std::fs::read_to_string(self.secret()).unwrap().len() == SECRET.len() + 8
    }
}

fn one(steps: Vec<Step>) -> Plan {
    plan(vec![group("g", 1, 1, steps)])
}

/// A plan whose sample says a text, with pieces that become calls only while it runs.
fn saying(host: &Host, text: &str) -> Plan {
    let message = host.fill(text);
    let mut plan = one(vec![sample(java("says", &[("ResponseMessage", &message)]))]);
    // `inner` is a call only for who evaluates it once more.
    let inner = host.fill("${dollar}{__FileToString(SECRET)}");
    for (name, value) in [("dollar", "$"), ("inner", &inner)] {
        plan.variables.push(Variable {
            name: name.to_owned(),
            value: Text::of(value),
            env: None,
            secret: false,
            once_per_run: true,
            at: Span::default(),
        });
    }
    plan
}

/// A plan whose rows are in a file that a function names.
fn with_rows(file: &str) -> Plan {
    let mut plan = one(vec![sample(java("says ${x}", &[]))]);
    let rows = rows("rows", file, &["x"]);
    plan.scenarios[0].body.scope.data.push(rows);
    plan
}

fn with_listener(host: &Host, class: &str, properties: &[(&str, &str)]) -> Plan {
    let filled: Vec<_> = properties
        .iter()
        .map(|(name, value)| (*name, host.fill(value)))
        .collect();
    let borrowed: Vec<_> = filled
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let listener = element(class, "keeps results", &borrowed);
    let mut plan = one(vec![sample(java("says", &[]))]);
    plan.scenarios[0].body.scope.elements.push(listener);
    plan
}

/// Texts that reach for files of the host by functions, whose name the refusal tells.
const TEXTS: [(&str, &str); 14] = [
    ("__FileToString", "${__FileToString(SECRET)}"),
    ("__FileToString", "${__FileToString(SECRET,UTF-8,v)}"),
    ("__FileToString", "${__FileToString(/proc/self/rootSECRET)}"),
    ("__StringFromFile", "${__StringFromFile(SECRET)}"),
    ("__CSVRead", "${__CSVRead(SECRET,0)}"),
    ("__XPath", "${__XPath(SECRET,/a)}"),
    // Made while the plan runs.
    (
        "__FileToString",
        "${__eval(${dollar}{__FileToString(SECRET)})}",
    ),
    ("__FileToString", "${__evalVar(inner)}"),
    ("__CSVRead", "${__CSVRead(${__eval(SECRET)},0)}"),
    (
        "__FileToString",
        "a ${__urlencode(${__FileToString(SECRET)})}",
    ),
    // Through the bundle.
    ("__FileToString", "${__FileToString(BUNDLE/link)}"),
    ("__FileToString", "${__FileToString(BUNDLE/../secret_1)}"),
    (
        "__StringFromFile",
        "${__StringFromFile(BUNDLE/./../secret_1)}",
    ),
    ("__CSVRead", "${__CSVRead(../secret_1,0)}"),
];

#[test]
fn functions_read_no_file_of_the_host() {
    for (name, text) in TEXTS {
        let host = Host::new();
        let plan = saying(&host, text);
        let refused = host.told(
            &plan,
            &host.worker(&[Right::Scripts, Right::Processes]),
            &[],
        );
        assert!(!refused.contains(SECRET), "{text}: {refused}");
        for says in [name, "--allow files"] {
            assert!(refused.contains(says), "{text}: {says}: {refused}");
        }
        for access in [host.worker(&[Right::Files]), Access::of_user()] {
            let told = host.told(&plan, &access, &[]);
            assert!(told.contains(SECRET), "{text}: {told}");
        }
        assert!(host.is_untouched());
    }
}

#[test]
fn functions_use_files_of_the_bundle() {
    for text in [
        "${__FileToString(own.txt)}",
        "${__FileToString(BUNDLE/own.txt)}",
        "${__StringToFile(new.txt,own-text)}${__FileToString(new.txt)}",
        "${__StringFromFile(own.txt)}",
        "${__CSVRead(own.txt,0)}",
    ] {
        let host = Host::new();
        let told = host.told(&saying(&host, text), &host.worker(&[]), &[]);
        assert!(told.contains("own-text"), "{text}: {told}");
    }
}

#[test]
fn nothing_is_written_on_the_host() {
    let host = Host::new();
    let condition = step(StepKind::If {
        condition: Condition::IsTrue(Text::of(host.fill("${__StringToFile(MADE,x)}").as_str())),
        then: Block::default(),
        otherwise: Block::default(),
    });
    let eval = "${__eval(${dollar}{__StringToFile(MADE\\,x\\,false)})}";
    let saver = [
        ("FileSaver.filename", "MADE"),
        ("FileSaver.skipautonumber", "true"),
        ("FileSaver.skipsuffix", "true"),
    ];
    let plans = [
        (
            "__StringToFile",
            one(vec![condition, sample(java("says", &[]))]),
        ),
        ("__StringToFile", saying(&host, "${__StringToFile(MADE,x)}")),
        (
            "__StringToFile",
            saying(&host, "${__StringToFile(../made,x)}"),
        ),
        ("__StringToFile", saying(&host, eval)),
        ("made", with_listener(&host, "ResultSaver", &saver)),
        (
            "made",
            with_listener(&host, "ResultCollector", &[("filename", "MADE")]),
        ),
        (
            "made",
            with_listener(&host, "ResultCollector", &[("filename", "../made")]),
        ),
        (
            "made",
            with_listener(&host, "ResultCollector", &[("filename", "~/../made")]),
        ),
    ];
    for (name, plan) in &plans {
        let refused = host.told(plan, &host.worker(&[Right::Scripts, Right::Processes]), &[]);
        for says in [name, "--allow files"] {
            assert!(refused.contains(says), "{says}: {refused}");
        }
        assert!(host.is_untouched(), "{refused}");
    }
    // Those that name the file from the root: others start from the current folder now.
    for at in [0, 1, 3, 4, 5] {
        let (name, plan) = &plans[at];
        for access in [host.worker(&[Right::Files]), Access::of_user()] {
            let told = host.told(plan, &access, &[]);
            assert!(host.made().exists(), "{name}: {told}");
            std::fs::remove_file(host.made()).unwrap();
        }
    }
}

#[test]
fn samplers_read_no_file_of_the_host() {
    let page = [
        ("HTTPSampler.protocol", "file"),
        ("HTTPSampler.path", "SECRET"),
        ("HTTPSampler.method", "GET"),
    ];
    let made = [
        ("HTTPSampler.protocol", "${__eval(file)}"),
        ("HTTPSampler.path", "SECRET"),
        ("HTTPSampler.method", "GET"),
    ];
    let log = [
        ("logFile", "SECRET"),
        ("domain", "127.0.0.1"),
        (
            "parserClassName",
            "org.apache.jmeter.protocol.http.util.accesslog.TCLogParser",
        ),
    ];
    for (class, properties) in [
        ("HTTPSamplerProxy", page),
        ("HTTPSamplerProxy", made),
        ("AccessLogSampler", log),
    ] {
        let host = Host::new();
        let filled = properties.map(|(name, value)| (name, host.fill(value)));
        let borrowed: Vec<_> = filled.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let plan = one(vec![sample(element(class, "reads", &borrowed))]);
        let refused = host.told(&plan, &host.worker(&[Right::Scripts]), &[]);
        for says in ["reads", "secret_1", "--allow files"] {
            assert!(refused.contains(says), "{class}: {says}: {refused}");
        }
        let told = host.told(&plan, &host.worker(&[Right::Files]), &[]);
        assert!(!told.contains("--allow"), "{class}: {told}");
    }
    let host = Host::new();
    let store = [("javax.net.ssl.keyStore", "SECRET")];
    let plan = one(vec![sample(java("says", &[]))]);
    let refused = host.told(&plan, &host.worker(&[]), &store);
    assert!(refused.contains("--allow files"), "{refused}");
    let told = host.told(&plan, &Access::of_user(), &store);
    assert!(!told.contains("--allow"), "{told}");
}

#[test]
fn processes_are_started_where_they_are_allowed() {
    let host = Host::new();
    let mut touch = element(
        "SystemSampler",
        "makes a file",
        &[("SystemSampler.command", "touch")],
    );
    let made = host.fill("MADE");
    let argument = element(
        "Argument",
        "",
        &[("Argument.name", ""), ("Argument.value", &made)],
    );
    let mut list = element("Arguments", "", &[]);
    list.properties.push((
        "Arguments.arguments".to_owned(),
        ElementValue::List(vec![ElementValue::Element(Box::new(argument))]),
    ));
    touch.properties.push((
        "SystemSampler.arguments".to_owned(),
        ElementValue::Element(Box::new(list)),
    ));
    let plan = one(vec![sample(touch)]);
    let refused = host.told(&plan, &host.worker(&[Right::Files, Right::Scripts]), &[]);
    for says in ["SystemSampler “makes a file”", "--allow processes"] {
        assert!(refused.contains(says), "{says}: {refused}");
    }
    assert!(host.is_untouched());
    for access in [host.worker(&[Right::Processes]), Access::of_user()] {
        let told = host.told(&plan, &access, &[]);
        assert!(host.made().exists(), "{told}");
        std::fs::remove_file(host.made()).unwrap();
    }
}

/// What runs code of the plan: classes by name, whatever they are, and functions.
#[test]
fn code_of_the_plan_runs_where_it_is_allowed() {
    let host = Host::new();
    let own = [("classname", "com.example.Own")];
    let mut plans: Vec<(&str, Plan)> = [
        "JSR223Sampler",
        "BeanShellSampler",
        "BSFSampler",
        "JUnitSampler",
        "FTPSampler",
        "com.example.PluginSampler",
    ]
    .map(|class| (class, one(vec![sample(element(class, "runs", &[]))])))
    .into();
    plans.push((
        "JavaSampler",
        one(vec![sample(element("JavaSampler", "runs", &own))]),
    ));
    plans.push((
        "JSR223Listener",
        with_listener(&host, "JSR223Listener", &[]),
    ));
    plans.push((
        "com.example.Listener",
        with_listener(&host, "com.example.Listener", &[]),
    ));
    for (name, text) in [
        ("__javaScript", "${__javaScript(1+2)}"),
        ("__groovy", "${__groovy(1+2)}"),
        ("__BeanShell", "a ${__urlencode(${__BeanShell(1+2)})}"),
        ("__javaScript", "${__eval(${dollar}{__javaScript(1+2)})}"),
        ("__groovy", "${__eval(${dollar}{__groovy(1+2)})}"),
    ] {
        plans.push((name, saying(&host, text)));
    }
    for (name, file) in [
        ("__groovy (“rows”)", "${__groovy('own.txt')}"),
        (
            "__BeanShell (“rows”)",
            "${__urlencode(${__BeanShell(1)})}.csv",
        ),
        ("__javaScript (“rows”)", "${__javaScript('own.txt')}"),
    ] {
        plans.push((name, with_rows(file)));
    }
    for (name, plan) in &plans {
        let refused = host.told(plan, &host.worker(&[Right::Files, Right::Processes]), &[]);
        for says in [name, "--allow scripts"] {
            assert!(refused.contains(says), "{name}: {says}: {refused}");
        }
    }
    // JMeter's own tests in Java are native: no class is named that a plan could choose.
    let told = host.told(
        &one(vec![sample(java("says", &[]))]),
        &host.worker(&[]),
        &[],
    );
    assert!(told.contains("says") && !told.contains("--allow"), "{told}");
    let plan = saying(&host, "${__javaScript(40+2)} ${__jexl3(50+3)}");
    for access in [host.worker(&[Right::Scripts]), Access::of_user()] {
        let told = host.told(&plan, &access, &[]);
        assert!(told.contains("42 53"), "{told}");
    }
}

#[test]
fn our_own_steps_ask_too() {
    for (who, right, step) in [
        ("/upload", Right::Files, "post: /upload\n    file: SECRET"),
        (
            "/upload",
            Right::Files,
            "post: /upload\n    file: ../secret_1",
        ),
        ("/upload", Right::Files, "post: /upload\n    file: link"),
        (
            "secret_1",
            Right::Files,
            "post: /upload\n    file: \"../secret_${number()}\"",
        ),
        ("vars.x = 1", Right::Scripts, "js: vars.x = 1"),
    ] {
        let host = Host::new();
        let step = host.fill(step).replace("number()", "user()");
        let yaml =
            format!("target: http://127.0.0.1:9\nusers: 1\niterations: 1\nsteps:\n  - {step}\n");
        let (plan, _) = parse_yaml(&yaml, "plan.yaml").unwrap();
        let refused = host.told(&plan, &host.worker(&[]), &[]);
        for says in [who, &format!("--allow {}", right.name())] {
            assert!(refused.contains(says), "{step}: {says}: {refused}");
        }
        let told = host.told(&plan, &host.worker(&[right]), &[]);
        assert!(!told.contains("--allow"), "{step}: {told}");
    }
    for (scope, who) in [
        ("data: {csv: SECRET, columns: [a]}", "secret_1"),
        ("data: {csv: link, columns: [a]}", "link"),
        ("unix-socket: /run/docker.sock", "/run/docker.sock"),
        ("tls: {ca: SECRET}", "secret_1"),
    ] {
        let host = Host::new();
        let scope = host.fill(scope);
        let yaml = format!(
            "target: http://127.0.0.1:9\n{scope}\nusers: 1\niterations: 1\nsteps:\n  - get: /\n"
        );
        let (plan, _) = parse_yaml(&yaml, "plan.yaml").unwrap_or_else(|e| panic!("{scope}: {e:?}"));
        let refused = host.told(&plan, &host.worker(&[]), &[]);
        for says in [who, "--allow files"] {
            assert!(refused.contains(says), "{scope}: {says}: {refused}");
        }
        let told = host.told(&plan, &host.worker(&[Right::Files]), &[]);
        assert!(!told.contains("--allow"), "{scope}: {told}");
    }
}

/// A query to a database whose address is known only while the plan runs.
fn query(port: u16, hosts: &[&str]) -> Plan {
    let url = format!("jdbc:mysql://127.0.0.${{__eval(1)}}:{port}/x");
    let source = [
        ("dataSource", "db"),
        ("dbUrl", &url),
        ("driver", "com.mysql.jdbc.Driver"),
    ];
    let query = [
        ("dataSource", "db"),
        ("query", "select 1"),
        ("queryType", "Select Statement"),
    ];
    let mut plan = one(vec![sample(element("JDBCSampler", "asks", &query))]);
    let scope = &mut plan.scenarios[0].body.scope;
    scope
        .elements
        .push(element("DataSourceElement", "pool", &source));
    plan.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    plan
}

#[test]
fn databases_are_among_the_hosts_that_may_be_loaded() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    server.set_nonblocking(true).unwrap();
    let host = Host::new();
    let refused = host.told(&query(port, &[]), &Access::of_user(), &[]);
    let says = format!("Host not allowed: 127.0.0.1:{port}");
    assert!(refused.contains(&says), "{refused}");
    assert!(server.accept().is_err(), "it was connected to");
    // What is listed is asked; that the one who responds is no database is another matter.
    server.set_nonblocking(false).unwrap();
    let responses = std::thread::spawn(move || drop(server.accept().unwrap()));
    let told = host.told(&query(port, &["127.0.0.1"]), &Access::of_user(), &[]);
    assert!(!told.contains("Host not allowed"), "{told}");
    responses.join().unwrap();
}

#[test]
fn a_pipe_in_the_bundle_holds_nobody_up() {
    let host = Host::new();
    let pipe = host.bundle().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let begun = std::time::Instant::now();
    let plan = saying(&host, "${__FileToString(pipe)}");
    let refused = host.told(&plan, &host.worker(&[]), &[]);
    assert!(refused.contains("--allow files"), "{refused}");
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{}",
        Path::new("pipe").display()
    );
}
