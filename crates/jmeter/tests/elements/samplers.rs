//! Native samplers at work on real programs and servers.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use plimsoll_plan::model::*;

use crate::support::*;

/// A sampler whose response must be exactly this. (Of an empty one JMeter's assertion says that
/// there is none.)
fn says(element: Element, expected: &str) -> Step {
    if expected.is_empty() {
        return sample(element);
    }
    let mut checked = sampler(element);
    let properties = [
        ("Assertion.test_field", "Assertion.response_data"),
        ("Assertion.test_type", "8"),
    ];
    let mut assertion = self::element("ResponseAssertion", "says", &properties);
    let strings = ElementValue::List(vec![ElementValue::Text(Text::of(expected))]);
    let property = ("Asserion.test_strings".to_owned(), strings);
    assertion.properties.push(property);
    checked.checks.push(Check {
        of: CheckOf::Element(assertion),
        test: Test::Exists,
        at: Span::default(),
    });
    step(StepKind::Sample(Box::new(checked)))
}

fn arguments(pairs: &[(&str, &str)]) -> ElementValue {
    let argument = |(name, value): &(&str, &str)| {
        let texts = [("Argument.name", *name), ("Argument.value", *value)];
        ElementValue::Element(Box::new(element("Argument", name, &texts)))
    };
    let mut list = element("Arguments", "", &[]);
    let all = ElementValue::List(pairs.iter().map(argument).collect());
    list.properties
        .push(("Arguments.arguments".to_owned(), all));
    ElementValue::Element(Box::new(list))
}

/// An OS Process Sampler whose return code must be 0.
fn process(command: &str, given: &[&str], more: &[(&str, &str)]) -> Element {
    let mut sampler = element(
        "SystemSampler",
        command,
        &[
            ("SystemSampler.command", command),
            ("SystemSampler.checkReturnCode", "true"),
            ("SystemSampler.expectedReturnCode", "0"),
        ],
    );
    let given: Vec<(&str, &str)> = given.iter().map(|word| ("", *word)).collect();
    let property = ("SystemSampler.arguments".to_owned(), arguments(&given));
    sampler.properties.push(property);
    for (name, value) in more {
        let value = ElementValue::Text(Text::of(*value));
        sampler
            .properties
            .push((format!("SystemSampler.{name}"), value));
    }
    sampler
}

fn run_steps(steps: Vec<Step>) -> Vec<Row> {
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    let rows = seen.rows();
    assert!(!rows.is_empty(), "{:?}", seen.log());
    rows
}

fn assert_all_hold(rows: &[Row]) {
    for row in rows {
        assert!(row.ok, "{row:?}");
    }
}

#[test]
fn programs_run_with_arguments_environment_directory_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("in"), "one\ntwo\n").unwrap();
    let shell = |script: &str, more: &[(&str, &str)]| process("sh", &["-c", script], more);
    let mut with_environment = shell("printf %s \"$WHAT\"", &[]);
    with_environment.properties.push((
        "SystemSampler.environment".to_owned(),
        arguments(&[("WHAT", "a value")]),
    ));
    let here = path("");
    let (input, output, errors) = (path("in"), path("out"), path("err"));
    let steps = vec![
        says(
            process("echo", &["one", "two words"], &[]),
            "one two words\n",
        ),
        says(with_environment, "a value"),
        says(
            shell("basename \"$PWD\"", &[("directory", &here)]),
            &format!("{}\n", folder.path().file_name().unwrap().to_str().unwrap()),
        ),
        says(process("cat", &[], &[("stdin", &input)]), "one\ntwo\n"),
        says(process("cat", &[], &[]), ""),
        says(shell("echo a; echo b >&2; echo c", &[]), "a\nb\nc\n"),
        says(
            shell(
                "echo said; echo wrong >&2",
                &[("stdout", &output), ("stderr", &errors)],
            ),
            "",
        ),
    ];
    assert_all_hold(&run_steps(steps));
    assert_eq!(std::fs::read_to_string(output).unwrap(), "said\n");
    assert_eq!(std::fs::read_to_string(errors).unwrap(), "wrong\n");
}

#[test]
fn return_codes_and_programs_that_cannot_run_fail() {
    let steps = vec![
        sample(process("sh", &["-c", "exit 3"], &[])),
        sample(process("sh", &["-c", "kill -9 $$"], &[])),
        sample(process("/nowhere/command", &[], &[("directory", "/")])),
        sample(process("cat", &[], &[("stdin", "/nowhere/in")])),
    ];
    let rows = run_steps(steps);
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.ok, row.code.as_str(), row.message.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                false,
                "3",
                "Unexpected return code.  Expected [0]. Actual [3]."
            ),
            (
                false,
                "137",
                "Unexpected return code.  Expected [0]. Actual [137]."
            ),
            (
                false,
                "500",
                "Exception occurred whilst executing system call: java.io.IOException: Cannot run \
                 program \"/nowhere/command\" (in directory \"/\"): error=2, No such file or \
                 directory"
            ),
            (
                false,
                "500",
                "Exception occurred whilst executing system call: \
                 java.io.FileNotFoundException: /nowhere/in (No such file or directory)"
            ),
        ]
    );
}

/// Whether a process is there and no zombie.
fn is_alive(id: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", id.trim()));
    status.is_ok_and(|line| !line.contains(") Z"))
}

fn assert_ends(id: &str) {
    let begun = Instant::now();
    while is_alive(id) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{id} is alive");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_program_that_takes_too_long_is_ended_also_when_it_will_not() {
    let folder = tempfile::tempdir().unwrap();
    let id_file = folder.path().join("id");
    // It says who it is once it hears no signal any more.
    let stubborn = format!(
        "trap '' TERM; echo $$ > {0}.new; mv {0}.new {0}; while :; do sleep 1; done",
        id_file.display()
    );
    let steps = vec![
        sample(process("sh", &["-c", &stubborn], &[("timeout", "3000")])),
        sample(process("echo", &["on"], &[])),
    ];
    let rows = run_steps(steps);
    assert_eq!(rows[0].code, "500");
    assert_eq!(
        rows[0].message,
        "Process timeout reached after 3000 milliseconds"
    );
    assert!(rows[1].ok);
    assert_ends(&std::fs::read_to_string(id_file).unwrap());
}

#[test]
fn programs_do_not_keep_other_users_waiting() {
    // Each needs the other: they meet through a pipe of the file system.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe").to_str().unwrap().to_owned();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let writes = process("sh", &["-c", &format!("echo met > {pipe}")], &[]);
    let reads = process("sh", &["-c", &format!("cat {pipe}")], &[]);
    let groups = vec![
        group("reads", 1, 1, vec![says(reads, "met\n")]),
        group("writes", 1, 1, vec![says(writes, "")]),
    ];
    let rows = run_plan(&plan(groups)).rows();
    assert_eq!(rows.len(), 2);
    assert_all_hold(&rows);
}

/// A server on loopback; each connection gets the handler, and its number.
fn serve(handle: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let handle = std::sync::Arc::new(handle);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let handle = std::sync::Arc::clone(&handle);
            std::thread::spawn(move || handle(number, stream.unwrap()));
        }
    });
    port
}

/// Answers each line with the connection's number and the line.
fn echo(number: usize, mut stream: TcpStream) {
    let mut line = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte).unwrap_or(0) > 0 {
        line.push(byte[0]);
        if byte[0] == b'\n' {
            let response = format!("{number}:{}", String::from_utf8_lossy(&line));
            if stream.write_all(response.as_bytes()).is_err() {
                return;
            }
            line.clear();
        }
    }
}

fn tcp(port: &str, request: &str, more: &[(&str, &str)]) -> Element {
    let mut sampler = element(
        "TCPSampler",
        "tcp",
        &[
            ("TCPSampler.server", "127.0.0.1"),
            ("TCPSampler.port", port),
            ("TCPSampler.timeout", "20000"),
            ("TCPSampler.request", request),
        ],
    );
    for (name, value) in more {
        let name = format!("TCPSampler.{name}");
        let value = ElementValue::Text(Text::of(*value));
        match sampler
            .properties
            .iter_mut()
            .find(|(known, _)| *known == name)
        {
            Some((_, old)) => *old = value,
            None => sampler.properties.push((name, value)),
        }
    }
    sampler
}

#[test]
fn connections_are_kept_for_their_user_unless_they_are_to_be_closed() {
    let port = serve(echo);
    let line = ("EolByte", "10");
    let steps = vec![
        says(tcp(&port, "a\n", &[line]), "0:a\n"),
        says(
            tcp(&port, "b\n", &[line, ("closeConnection", "true")]),
            "0:b\n",
        ),
        says(tcp(&port, "c\n", &[line]), "1:c\n"),
        says(
            tcp(&port, "d\n", &[line, ("reUseConnection", "false")]),
            "2:d\n",
        ),
        says(
            tcp(
                &port,
                "e\n",
                &[line, ("nodelay", "true"), ("soLinger", "1")],
            ),
            "3:e\n",
        ),
    ];
    assert_all_hold(&run_steps(steps));
}

#[test]
fn a_response_ends_with_the_connection_when_no_byte_ends_it() {
    let port = serve(|_, mut stream| {
        let mut request = [0; 3];
        stream.read_exact(&mut request).unwrap();
        stream.write_all(b"first\n").unwrap();
        stream.write_all(&request).unwrap();
    });
    let binary = ("classname", "BinaryTCPClientImpl");
    let closes = ("closeConnection", "true");
    let steps = vec![
        says(tcp(&port, "ask", &[closes]), "first\nask"),
        says(
            tcp(&port, "00ff10", &[closes, binary]),
            "66697273740a00ff10",
        ),
    ];
    assert_all_hold(&run_steps(steps));
}

#[test]
fn binary_messages_have_their_length_before_them() {
    let port = serve(|_, mut stream| {
        let mut head = [0; 2];
        while stream.read_exact(&mut head).is_ok() {
            let mut body = vec![0; usize::from(u16::from_be_bytes(head))];
            stream.read_exact(&mut body).unwrap();
            body.push(0xee);
            let length = u16::try_from(body.len()).unwrap().to_be_bytes();
            stream.write_all(&length).unwrap();
            stream.write_all(&body).unwrap();
        }
    });
    let class = "org.apache.jmeter.protocol.tcp.sampler.LengthPrefixedBinaryTCPClientImpl";
    let prefixed = ("classname", class);
    let steps = vec![
        says(tcp(&port, "0102", &[prefixed]), "0102ee"),
        says(tcp(&port, "", &[prefixed]), "ee"),
        sample(tcp(&port, "0g", &[prefixed])),
    ];
    let rows = run_steps(steps);
    assert_all_hold(&rows[..2]);
    assert_eq!(
        rows[2].message,
        "java.lang.IllegalArgumentException: Hex-encoded binary string contains an invalid hex \
         digit in '0g'"
    );
}

#[test]
fn failures_are_those_of_jmeter() {
    let silent = serve(|_, mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_port = closed.local_addr().unwrap().port().to_string();
    drop(closed);
    let late = ("timeout", "50");
    let binary = ("classname", "BinaryTCPClientImpl");
    let steps = vec![
        sample(tcp(&closed_port, "x", &[])),
        sample(tcp("70000", "x", &[])),
        sample(tcp(&silent, "x", &[late])),
        sample(tcp(&silent, "00", &[late, binary, ("EolByte", "10")])),
        says(tcp(&silent, "00", &[late, binary]), ""),
        sample(tcp(&silent, "x", &[("server", "elsewhere.test")])),
    ];
    let told: Vec<_> = run_steps(steps)
        .into_iter()
        .map(|row| (row.ok, row.code, row.message))
        .collect();
    let read = "org.apache.jmeter.protocol.tcp.sampler.ReadException: ";
    let failed = |message: &str| (false, "500".to_owned(), message.to_owned());
    assert_eq!(
        told[..5],
        [
            failed("java.net.ConnectException: Connection refused"),
            failed("java.lang.IllegalArgumentException: port out of range:70000"),
            failed(&format!("{read}Error reading from server, bytes read: 0")),
            failed(&format!("{read}Socket timed out while looking for EOM")),
            (true, "200".to_owned(), "OK".to_owned()),
        ]
    );
    assert!(!told[5].0);
}

#[test]
fn hosts_that_are_not_the_plans_are_not_reached() {
    let (heard, hears) = mpsc::channel();
    let port = serve(move |_, _| heard.send(()).unwrap());
    // Known only while the plan runs: no host that the plan names.
    let unknown = tcp(&port, "x", &[("server", "${__eval(127.0.0.1)}")]);
    let rows = run_steps(vec![sample(unknown)]);
    assert!(!rows[0].ok);
    assert_eq!(
        rows[0].message,
        format!("Host not allowed: 127.0.0.1:{port}")
    );
    assert!(hears.try_recv().is_err());
}

/// JMeter's sampler that sleeps.
fn sleeps(name: &str, ms: &str) -> Element {
    let mut sampler = element(
        "JavaSampler",
        name,
        &[(
            "classname",
            "org.apache.jmeter.protocol.java.test.SleepTest",
        )],
    );
    let given = arguments(&[("SleepTime", ms), ("SleepMask", "0")]);
    sampler.properties.push(("arguments".to_owned(), given));
    sampler
}

#[test]
fn a_sample_timeout_interrupts_all_samplers_of_its_group_that_can_be() {
    let silent = serve(|_, mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let timeout = [("InterruptTimer.timeout", "200")];
    let mut under = sampler(tcp(&silent, "x", &[("timeout", "0")]));
    under
        .before
        .push(Processor::Element(element("SampleTimeout", "t", &timeout)));
    let steps = vec![
        sample(sleeps("long", "600000")),
        sample(sleeps("short", "1")),
        step(StepKind::Sample(Box::new(under))),
        sample(process("sleep", &["0.5"], &[])),
    ];
    let rows = run_steps(steps);
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.ok, row.message.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (false, "java.lang.InterruptedException: sleep interrupted"),
            (true, ""),
            (
                false,
                "org.apache.jmeter.protocol.tcp.sampler.ReadException: Error reading from server, \
                 bytes read: 0"
            ),
            // It cannot be interrupted.
            (true, "OK"),
        ]
    );
}

#[test]
fn an_exception_of_a_function_ends_its_sample_but_not_its_user() {
    let wrong = "${__Random(1,x)}";
    let parameters = |value: &str| {
        let texts = |values: &[&str]| {
            let texts = values.iter().map(|it| ElementValue::Text(Text::of(*it)));
            ElementValue::List(texts.collect())
        };
        let mut element = element("UserParameters", "p", &[]);
        let of_user = ElementValue::List(vec![texts(&[value])]);
        element.properties = vec![
            ("UserParameters.names".to_owned(), texts(&["v"])),
            ("UserParameters.thread_values".to_owned(), of_user),
        ];
        element
    };
    let mut before = sampler(java("before", &[]));
    before.before.push(Processor::Element(parameters(wrong)));
    let mut after = sampler(java("after", &[]));
    let pattern = [
        ("RegexExtractor.refname", wrong),
        ("RegexExtractor.regex", "(.)"),
    ];
    let extract = element("RegexExtractor", "take", &pattern);
    after.after.push(Processor::Element(extract));
    let (heard, hears) = mpsc::channel();
    let port = serve(move |_, _| heard.send(()).unwrap());
    let steps = vec![
        step(StepKind::Sample(Box::new(before))),
        step(StepKind::Sample(Box::new(after))),
        sample(java("argument", &[("ResponseMessage", wrong)])),
        sample(tcp(&port, wrong, &[])),
        sample(java(
            "last",
            &[("ResponseMessage", "${__regexFunction([,$1$)}")],
        )),
    ];
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    assert_eq!(seen.order(), ["last"], "{:?}", seen.log());
    assert!(hears.try_recv().is_err());
    let log = seen.log().join("\n");
    assert!(
        log.contains("Error while processing sampler: 'before'"),
        "{log}"
    );
    assert!(log.contains("NumberFormatException"), "{log}");
}

#[test]
fn the_end_of_a_sequence_of_files_ends_the_user_without_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f1.txt"), "a\nb\n").unwrap();
    let pattern = folder.path().join("f").to_str().unwrap().to_owned();
    let line = format!("${{__StringFromFile('{pattern}'#'.txt',,1,1)}}");
    let steps = vec![
        sample(java("j", &[("ResponseMessage", &line)])),
        sample(java("k", &[])),
    ];
    let seen = run_plan(&plan(vec![group("g", 1, 5, steps)]));
    let rows = seen.rows();
    assert_eq!(seen.order(), ["j", "k", "j", "k"], "{:?}", seen.log());
    assert_eq!(
        (rows[0].message.as_str(), rows[2].message.as_str()),
        ("a", "b")
    );
}
