//! Plans of JMeter's as a user runs them, against real servers.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod errors;
mod properties;
#[path = "../support/mod.rs"]
mod support;

use support::http::{HttpServer, Response};
use support::raw::{RawServer, read_head};
use support::{Bench, Told, eventually};

/// A call ended with this code. A busy machine may limit the generator (4), which is not what
/// is tested here.
fn ends(told: &Told, code: i32) {
    let limited = code == 0 && told.code == Some(4);
    assert!(told.code == Some(code) || limited, "{told:?}");
}

/// A property of an element.
fn text(name: &str, value: &str) -> String {
    format!("<stringProp name=\"{name}\">{value}</stringProp>")
}

/// An element with what stands below it.
fn element(class: &str, name: &str, properties: &str, below: &str) -> String {
    format!(
        "<{class} guiclass=\"x\" testclass=\"{class}\" testname=\"{name}\">{properties}</{class}>\n\
         <hashTree>{below}</hashTree>\n"
    )
}

/// A request of the host and port in properties.
fn request(name: &str, path: &str, below: &str) -> String {
    let properties = [
        text("HTTPSampler.domain", "${__P(host,127.0.0.1)}"),
        text("HTTPSampler.port", "${__P(port)}"),
        text("HTTPSampler.path", path),
        text("HTTPSampler.method", "GET"),
        "<boolProp name=\"HTTPSampler.use_keepalive\">true</boolProp>".to_owned(),
        "<boolProp name=\"HTTPSampler.follow_redirects\">true</boolProp>".to_owned(),
    ];
    element("HTTPSamplerProxy", name, &properties.concat(), below)
}

/// A plan of one thread and one loop.
fn plan(below: &str) -> String {
    let group = "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">\
         <boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <stringProp name=\"LoopController.loops\">1</stringProp></elementProp>\
         <stringProp name=\"ThreadGroup.num_threads\">1</stringProp>\
         <stringProp name=\"ThreadGroup.ramp_time\">0</stringProp>";
    let inside = element("ThreadGroup", "users", group, below);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <jmeterTestPlan version=\"1.2\" properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>\n{}\
         </hashTree></jmeterTestPlan>\n",
        element("TestPlan", "plan", "", &inside)
    )
}

/// A server that answers with a title.
fn server() -> HttpServer {
    HttpServer::start(|_| Response::ok("<title>tea</title>").with("Content-Type", "text/html"))
}

#[test]
fn jmeter_options_set_properties() {
    let server = server();
    let bench = Bench::new();
    bench.write(
        "plan.jmx",
        plan(&request("get", "/${__P(a)}/${__P(b)}/${__P(c,none)}", "")),
    );
    bench.write("more.properties", "a = from\\u0020file\nb=of-file\n");
    let port = format!("-Jport={}", server.port());
    let told = bench.call(&[
        "run",
        "plan.jmx",
        "--quiet",
        "-q",
        "more.properties",
        "-Ja=x",
        "-Gc=global",
        &port,
    ]);
    ends(&told, 0);
    assert_eq!(server.targets(), ["/x/of-file/global"]);

    let missing = bench.call(&["run", "plan.jmx", "-q", "nowhere.properties"]);
    ends(&missing, 2);
    assert!(
        missing.err.contains("nowhere.properties"),
        "{}",
        missing.err
    );
}

#[test]
fn jmeter_log_has_its_default_columns() {
    let server = server();
    let bench = Bench::new();
    bench.write("plan.jmx", plan(&request("get", "/a,b", "")));
    let port = format!("-Jport={}", server.port());
    ends(
        &bench.call(&["run", "plan.jmx", "--quiet", "-l", "results.jtl", &port]),
        0,
    );
    let log = bench.read("results.jtl");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines[0],
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
         failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"
    );
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1].contains(",get,200,Something,users 1-1,text,true,,"),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains("/a,b\""), "{}", lines[1]);
}

#[test]
fn unsupported_elements_are_named_and_refused() {
    let server = server();
    let bench = Bench::new();
    let plugin = "<com.example.MagicSampler guiclass=\"g\" testclass=\"com.example.MagicSampler\" \
                  testname=\"magic\"/><hashTree/>";
    bench.write(
        "plan.jmx",
        plan(&format!("{plugin}{}", request("get", "/", ""))),
    );
    let port = format!("-Jport={}", server.port());
    let refused = bench.call(&["run", "plan.jmx", "--quiet", &port]);
    ends(&refused, 2);
    assert!(
        refused.err.contains("com.example.MagicSampler"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("--allow-unsupported"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("plan.jmx:"),
        "its place: {}",
        refused.err
    );
    assert!(server.targets().is_empty());
    let allowed = bench.call(&["run", "plan.jmx", "--quiet", "--allow-unsupported", &port]);
    ends(&allowed, 0);
    assert!(
        allowed.err.contains("com.example.MagicSampler"),
        "it is still said"
    );
    assert_eq!(server.targets(), ["/"]);

    let disabled = plugin.replace("testname", "enabled=\"false\" testname");
    bench.write(
        "plan.jmx",
        plan(&format!("{disabled}{}", request("get", "/", ""))),
    );
    ends(&bench.call(&["run", "plan.jmx", "--quiet", &port]), 0);
}

#[test]
fn check_says_where_each_element_runs() {
    let bench = Bench::new();
    let script = element("JSR223Sampler", "script", &text("script", "1"), "");
    bench.write(
        "plan.jmx",
        plan(&format!(
            "{script}{}",
            request("get", "/${__Random(1,2)}", "")
        )),
    );
    let told = bench.call(&["check", "plan.jmx", "-Jport=1"]);
    ends(&told, 0);
    for part in [
        "HTTPSamplerProxy",
        "natively",
        "JSR223Sampler",
        "in the JVM companion",
        "${__Random}",
    ] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let chinese = bench.call(&["check", "plan.jmx", "-Jport=1", "--lang", "zh"]);
    assert!(chinese.out.contains("原生运行"), "{}", chinese.out);
}

#[test]
fn converted_plans_run_the_same() {
    let server = server();
    let bench = Bench::new();
    let extract = element(
        "RegexExtractor",
        "title",
        &[
            text("RegexExtractor.refname", "title"),
            text("RegexExtractor.regex", "&lt;title&gt;(.+?)&lt;"),
            text("RegexExtractor.template", "$1$"),
            text("RegexExtractor.match_number", "1"),
        ]
        .concat(),
        "",
    );
    let loops = element(
        "LoopController",
        "twice",
        &text("LoopController.loops", "2"),
        &request("again", "/${title}/${__counter(FALSE)}", ""),
    );
    bench.write(
        "plan.jmx",
        plan(&format!("{}{loops}", request("get", "/", &extract))),
    );
    let port = format!("-Jport={}", server.port());
    ends(&bench.call(&["run", "plan.jmx", "--quiet", &port]), 0);
    let requests = |seen: Vec<support::http::Request>| -> Vec<_> {
        let of =
            |request: support::http::Request| (request.method, request.target, request.headers);
        seen.into_iter().map(of).collect()
    };
    let of_jmx = requests(server.seen());
    assert_eq!(server.targets(), ["/", "/tea/1", "/tea/2"]);

    ends(&bench.call(&["convert", "plan.jmx", "-o", "plan.yaml"]), 0);
    ends(&bench.call(&["check", "plan.yaml", &port]), 0);
    ends(&bench.call(&["run", "plan.yaml", "--quiet", &port]), 0);
    let both = requests(server.seen());
    assert_eq!(both[of_jmx.len()..], of_jmx[..]);
}

#[test]
fn hosts_that_only_show_while_it_runs_need_leave() {
    let server = server();
    let bench = Bench::new();
    let set = element(
        "RegexExtractor",
        "where",
        &[
            text("RegexExtractor.refname", "where"),
            text("RegexExtractor.regex", "nothing"),
            text("RegexExtractor.template", "$1$"),
            text("RegexExtractor.match_number", "1"),
            text("RegexExtractor.default", "localhost"),
        ]
        .concat(),
        "",
    );
    let away = request("away", "/away", "").replace("${__P(host,127.0.0.1)}", "${where}");
    bench.write(
        "plan.jmx",
        plan(&format!("{}{away}", request("get", "/", &set))),
    );
    let port = format!("-Jport={}", server.port());
    let refused = bench.call(&["run", "plan.jmx", "--quiet", "-l", "a.jtl", &port]);
    assert_eq!(server.targets(), ["/"], "{}", refused.err);
    assert!(
        bench.read("a.jtl").contains("not allowed"),
        "{}",
        bench.read("a.jtl")
    );
    ends(
        &bench.call(&[
            "run",
            "plan.jmx",
            "--quiet",
            "--allow-host",
            "localhost",
            &port,
        ]),
        0,
    );
    assert_eq!(server.targets(), ["/", "/", "/away"]);
}

#[test]
fn files_that_are_no_plans_are_refused_with_their_place() {
    let bench = Bench::new();
    let deep = format!("<jmeterTestPlan>{}", "<hashTree>".repeat(20_000));
    let entity = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n\
                  <jmeterTestPlan><hashTree>&b;</hashTree></jmeterTestPlan>";
    let files: &[(&str, &str)] = &[
        ("empty.jmx", ""),
        ("text.jmx", "hello"),
        ("broken.jmx", "<jmeterTestPlan><hashTree>"),
        ("other.jmx", "<html/>"),
        ("deep.jmx", &deep),
        ("entity.jmx", entity),
        (
            "nothing.jmx",
            "<jmeterTestPlan><hashTree/></jmeterTestPlan>",
        ),
    ];
    for (name, text) in files {
        bench.write(name, text);
        for command in ["check", "run", "convert"] {
            let told = bench.call(&[command, name]);
            ends(&told, 2);
            assert!(
                told.err.contains(name) || told.err.contains("×"),
                "{name}: {}",
                told.err
            );
            assert!(!told.err.contains("panicked"), "{name}: {}", told.err);
        }
    }
}

#[test]
fn secrets_of_a_plan_are_not_stored() {
    let server = server();
    let bench = Bench::new();
    let header = "<collectionProp name=\"HeaderManager.headers\"><elementProp name=\"\" elementType=\"Header\">\
        <stringProp name=\"Header.name\">Authorization</stringProp>\
        <stringProp name=\"Header.value\">Bearer hunter2&amp;co</stringProp></elementProp></collectionProp>";
    let headers = element("HeaderManager", "headers", header, "");
    bench.write(
        "plan.jmx",
        plan(&format!("{headers}{}", request("get", "/", ""))),
    );
    let port = format!("-Jport={}", server.port());
    ends(
        &bench.call(&["run", "plan.jmx", "--quiet", "-Jpassword=swordfish", &port]),
        0,
    );
    assert_eq!(
        server.seen()[0].header("authorization"),
        Some("Bearer hunter2&co")
    );
    for entry in walk(&bench.path("plimsoll-runs")) {
        let bytes = std::fs::read(&entry).unwrap();
        for secret in ["hunter2", "swordfish"] {
            let found = bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes());
            assert!(!found, "{secret} is in {}", entry.display());
        }
    }
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn once_shows_each_request_of_a_plan() {
    let server = HttpServer::start(|request| match request.path() {
        "/old" => Response::redirect(302, "/new"),
        "/none" => Response::new(404, "gone"),
        _ => Response::ok("<title>tea</title>").with("Content-Type", "text/html"),
    });
    let bench = Bench::new();
    let extractor = [
        text("RegexExtractor.refname", "title"),
        text("RegexExtractor.regex", "&lt;title>(.*)&lt;/title>"),
        text("RegexExtractor.template", "$1$"),
        text("RegexExtractor.match_number", "1"),
    ];
    let extractor = element("RegexExtractor", "title", &extractor.concat(), "");
    let assertion = element(
        "ResponseAssertion",
        "has coffee",
        &format!(
            "<collectionProp name=\"Asserion.test_strings\">{}</collectionProp>{}{}",
            text("1", "coffee"),
            text("Assertion.test_field", "Assertion.response_data"),
            "<intProp name=\"Assertion.test_type\">2</intProp>"
        ),
        "",
    );
    let header = element(
        "HeaderManager",
        "headers",
        &format!(
            "<collectionProp name=\"HeaderManager.headers\"><elementProp name=\"\" \
             elementType=\"Header\">{}{}</elementProp></collectionProp>",
            text("Header.name", "X-Api-Key"),
            text("Header.value", "hunter22"),
        ),
        "",
    );
    let steps = [
        header,
        request("found", "/tea?key=hunter22", &extractor),
        request("moved", "/old", ""),
        request("missing", "/none", ""),
        request("checked", "/tea", &assertion),
        element("DebugSampler", "debug", "", ""),
    ];
    bench.write("plan.jmx", plan(&steps.concat()));
    let port = format!("-Jport={}", server.port());
    let told = bench.call(&["once", "plan.jmx", &port]);
    assert_eq!(told.code, Some(1), "{told:?}");
    for line in [
        "> GET /tea?key=*** HTTP/1.1",
        "> X-Api-Key: ***",
        "< HTTP/1.1 200 Something",
        "< <title>tea</title>",
        "  saved title = tea",
        "> GET /old HTTP/1.1",
        "< Location: /new",
        "> GET /new HTTP/1.1",
        "Requests: 5, failed: 2.",
    ] {
        assert!(
            told.out.lines().any(|shown| shown == line),
            "{line} is missing: {}",
            told.out
        );
    }
    let has = |part: &str| assert!(told.out.contains(part), "{part}: {}", told.out);
    has("404 Something");
    has("has coffee: Test failed: text expected to contain /coffee/");
    has("── 2 · moved");
    has("── 5 · debug");
    assert!(!told.out.contains("hunter22"), "{}", told.out);
    // What was asked is what was shown.
    assert_eq!(
        server.targets(),
        ["/tea?key=hunter22", "/old", "/new", "/none", "/tea"]
    );
}

#[test]
fn jmeters_summary_lines_go_where_no_terminal_is() {
    let server = server();
    let bench = Bench::new();
    bench.write("plan.jmx", plan(&request("get", "/", "")));
    let port = format!("-Jport={}", server.port());
    let told = bench.call(&["run", "plan.jmx", "--quiet", &port]);
    ends(&told, 0);
    // A line of the time so far may come before, when an interval ends just then.
    let has = |told: &Told, line: &str| told.out.lines().any(|it| it.starts_with(line));
    assert!(has(&told, "summary =      1 in 00:00:"), "{told:?}");
    assert!(told.out.ends_with("Err:     0 (0.00%)\n"), "{told:?}");
    let mine = "-Jsummariser.name=mine";
    let named = bench.call(&["run", "plan.jmx", "--quiet", &port, mine]);
    assert!(has(&named, "mine =      1 in"), "{named:?}");
    let none = bench.call(&["run", "plan.jmx", "--quiet", &port, "-Jsummariser.name="]);
    assert_eq!(none.out, "", "{none:?}");
}

#[test]
fn samples_that_are_cut_off_fail_and_are_recorded() {
    let never = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        // Until the other side has enough.
        std::io::copy(&mut stream, &mut std::io::sink()).map(drop)
    });
    let bench = Bench::new();
    bench.write("plan.jmx", plan(&request("stuck", "/", "")));
    let port = format!("-Jport={}", never.port());
    // What it says is read while it runs.
    let script = format!(
        "exec \"$PLIMSOLL\" run plan.jmx -l out.jtl --summary-json summary.json {port} 2> said"
    );
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script])
        .current_dir(bench.dir.path())
        .env("PLIMSOLL", env!("CARGO_BIN_EXE_plimsoll"))
        .env("LC_ALL", "C.UTF-8")
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let run = bench.start(command);
    eventually("a request", || never.connections() == 1);
    run.signal("INT");
    // It tells what it waits for, and goes on waiting.
    let waits = "1 requests are still in flight and have 30 s to complete";
    eventually("it says so", || bench.read("said").contains(waits));
    run.signal("INT");
    let told = run.end();
    assert_eq!(told.code, Some(130), "{told:?}");
    let log = bench.read("out.jtl");
    assert!(
        log.contains(",stuck,Non HTTP response code: java.net.SocketException,Non HTTP response message: Socket closed,"),
        "{log}"
    );
    assert_eq!((told.total("samples"), told.total("cut_off")), (1, 0));
    told.assert_all_errors_are("cut_off");
}

#[test]
fn a_redirect_to_another_host_takes_no_credentials_with_it() {
    let other = HttpServer::hello();
    let to = format!("{}/there", other.url());
    let first = HttpServer::start(move |request| match request.path() {
        "/own" => Response::redirect(302, "/here"),
        "/away" => Response::redirect(302, &to),
        _ => Response::ok("here"),
    });
    let header = |name: &str, value: &str| {
        format!(
            "<elementProp name=\"\" elementType=\"Header\">{}{}</elementProp>",
            text("Header.name", name),
            text("Header.value", value)
        )
    };
    let headers = [
        header("Authorization", "Bearer t0ken"),
        header("Cookie", "session=s3cret"),
        header("X-Plain", "kept"),
    ];
    let headers = format!(
        "<collectionProp name=\"HeaderManager.headers\">{}</collectionProp>",
        headers.concat()
    );
    let manager = element("HeaderManager", "headers", &headers, "");
    let port = format!("-Jport={}", first.port());
    for (client, redirects) in [
        ("HttpClient4", "follow_redirects"),
        ("HttpClient4", "auto_redirects"),
        ("Java", "follow_redirects"),
        ("Java", "auto_redirects"),
    ] {
        let implementation = text("HTTPSampler.implementation", client);
        let made = |path: &str| {
            let plain = request(path, path, "");
            let follow = format!("<boolProp name=\"HTTPSampler.{redirects}\">true</boolProp>");
            plain.replace(
                "<boolProp name=\"HTTPSampler.follow_redirects\">true</boolProp>",
                &(follow + &implementation),
            )
        };
        let bench = Bench::new();
        bench.write(
            "plan.jmx",
            plan(&(made("/own") + &made("/away") + &manager)),
        );
        let told = bench.call(&["run", "plan.jmx", &port, "--allow-host", other.authority()]);
        let at_home = first.seen();
        let last = at_home
            .iter()
            .rev()
            .find(|request| request.path() == "/here");
        let last = last.unwrap_or_else(|| panic!("{client} {redirects} {told:?}"));
        assert_eq!(
            last.header("Authorization"),
            Some("Bearer t0ken"),
            "{client} {redirects}"
        );
        let away = other.seen();
        let away = away
            .last()
            .unwrap_or_else(|| panic!("{client} {redirects} {told:?}"));
        assert_eq!(away.header("Authorization"), None, "{client} {redirects}");
        assert_eq!(away.header("Cookie"), None, "{client} {redirects}");
        assert_eq!(away.header("X-Plain"), Some("kept"), "{client} {redirects}");
    }
}

#[test]
fn why_nothing_can_run_is_told_beside_it() {
    let bench = Bench::new();
    let text = plan(&request("get", "/", ""));
    for (written, shown) in [("1.5", "1.5"), ("3000000000", "3000000000"), ("2 ", "2 ")] {
        let threads = "<stringProp name=\"ThreadGroup.num_threads\">1<";
        assert!(text.contains(threads));
        let changed = text.replace(threads, &threads.replace(">1<", &format!(">{written}<")));
        bench.write("plan.jmx", changed);
        let told = bench.call(&["check", "plan.jmx"]);
        ends(&told, 2);
        let said = format!("users: ThreadGroup.num_threads is \u{201c}{shown}\u{201d}");
        assert!(told.err.contains(&said), "{}", told.err);
        assert!(told.err.contains("plan.jmx:"), "{}", told.err);
    }
}
