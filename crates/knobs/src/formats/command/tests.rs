#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{in_arguments, set_argument};
use crate::formats::{Address, EditFault, Format, get, remove, set};

const START: &str = "cd /app && JAVA_OPTS=\"-Da=b c\" exec /usr/bin/java $JAVA_OPTS -Xmx512m -XX:+UseG1GC \\\n  -cp 'a b.jar' -jar app.jar --server.port=8080 --name 'x y' > log 2>&1 & # 启动";

fn changed(format: Format, text: &str, path: &str, value: &str) -> String {
    let now = set(format, text.as_bytes(), &Address::new(path), value).unwrap();
    String::from_utf8(now).unwrap()
}

/// With flags of two collectors a JVM does not start; Java 8 has two flags for each of two collectors.
#[test]
fn one_collector_is_left_of_all_that_stand_there() {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let address = Address::new("-XX:+Use*GC");
    for (flags, found, wanted, expected) in [
        (
            "-XX:+UseConcMarkSweepGC -Xmx1g -XX:+UseParNewGC",
            "ConcMarkSweep",
            "G1",
            "-Xmx1g -XX:+UseG1GC",
        ),
        (
            "-XX:+UseParNewGC",
            "ConcMarkSweep",
            "Serial",
            "-XX:+UseSerialGC",
        ),
        ("-XX:+UseParallelOldGC", "Parallel", "G1", "-XX:+UseG1GC"),
        (
            "-XX:+UseParallelGC -XX:+UseParallelOldGC -Xss1m",
            "Parallel",
            "Z",
            "-XX:+UseZGC -Xss1m",
        ),
        (
            "-XX:+UseParallelOldGC",
            "Parallel",
            "Parallel",
            "-XX:+UseParallelOldGC",
        ),
    ] {
        let command = format!("java {flags} -jar a.jar");
        let read = get(Format::Command, command.as_bytes(), &address).unwrap();
        assert_eq!(read.unwrap().value, found, "{command}");
        let after = format!("java {expected} -jar a.jar");
        assert_eq!(
            changed(Format::Command, &command, "-XX:+Use*GC", wanted),
            after
        );
        assert_eq!(
            changed(Format::JvmOptions, flags, "-XX:+Use*GC", wanted),
            expected
        );
        if found != wanted {
            let set = set_argument(&words(&command), &address, wanted).unwrap();
            assert_eq!(set, words(&after));
        }
    }
    let lines = "-XX:+UseG1GC  -XX:+UseParNewGC\n-XX:+UseConcMarkSweepGC\n";
    let now = changed(Format::JvmOptions, lines, "-XX:+Use*GC", "Z");
    assert_eq!(now.split_whitespace().collect::<Vec<_>>(), ["-XX:+UseZGC"]);
}

/// What stands behind such an option is its value, not the class to run.
#[test]
fn values_of_the_launchers_options_are_no_class() {
    for option in super::option::WITH_WORD {
        let command = format!("java {option} some.value -jar a.jar");
        let now = changed(Format::Command, &command, "-Xss", "1m");
        assert_eq!(now, format!("java {option} some.value -Xss1m -jar a.jar"));
    }
    for option in ["--enable-native-access", "--patch-module"] {
        assert!(super::option::WITH_WORD.contains(&option), "{option}");
    }
}

#[test]
fn options_are_found_and_exchanged() {
    for (path, value, found, before, after) in [
        ("-Xmx", "1g", Some("512m"), "-Xmx512m", "-Xmx1g"),
        (
            "-XX:+Use*GC",
            "Parallel",
            Some("G1"),
            "UseG1GC",
            "UseParallelGC",
        ),
        (
            "-XX:MaxGCPauseMillis",
            "50",
            None,
            " -jar",
            " -XX:MaxGCPauseMillis=50 -jar",
        ),
        (
            "-XX:+AlwaysPreTouch",
            "on",
            None,
            " -jar",
            " -XX:+AlwaysPreTouch -jar",
        ),
        ("-Dx.y", "a b", None, " -jar", " '-Dx.y=a b' -jar"),
        ("--server.port", "9090", Some("8080"), "8080", "9090"),
        ("--name", "it's", Some("x y"), "'x y'", "'it'\\''s'"),
        (
            "--server.tomcat.threads.max",
            "5",
            None,
            "'x y'",
            "'x y' --server.tomcat.threads.max=5",
        ),
        (
            "JAVA_OPTS=",
            "-Xss1m",
            Some("-Da=b c"),
            "JAVA_OPTS=\"-Da=b c\"",
            "JAVA_OPTS=-Xss1m",
        ),
        ("GOGC=", "50", None, "exec", "GOGC=50 exec"),
    ] {
        let own = get(Format::Command, START.as_bytes(), &Address::new(path)).unwrap();
        assert_eq!(own.map(|own| own.value).as_deref(), found, "{path}");
        assert_eq!(
            changed(Format::Command, START, path, value),
            START.replacen(before, after, 1),
            "{path}"
        );
    }
}

#[test]
fn lists_of_jvm_options_are_no_shell() {
    let options = "-Xms1g -XX:MaxHeapSize=2g '-Da=b c' # x";
    assert_eq!(
        changed(Format::JvmOptions, options, "-Xmx", "3g"),
        options.replace("=2g", "=3g")
    );
    assert_eq!(
        changed(Format::JvmOptions, options, "-Da", "1 2"),
        options.replace("'-Da=b c'", "\"-Da=1 2\"")
    );
    assert_eq!(
        changed(Format::JvmOptions, options, "-Xss", "1m"),
        options.replace(" #", " -Xss1m #")
    );
    assert_eq!(changed(Format::JvmOptions, "", "-Xss", "1m"), "-Xss1m");
    let off = changed(
        Format::JvmOptions,
        "-XX:+AlwaysPreTouch",
        "-XX:+AlwaysPreTouch",
        "off",
    );
    assert_eq!(off, "-XX:-AlwaysPreTouch");
}

#[test]
fn what_has_no_place_is_told() {
    let fault = |text: &str, path: &str| {
        set(Format::Command, text.as_bytes(), &Address::new(path), "1")
            .unwrap_err()
            .fault
    };
    assert_eq!(
        fault("./start.sh", "-Xmx"),
        EditFault::NoParent("java".to_owned())
    );
    assert!(matches!(fault("java 'a", "-Xmx"), EditFault::Syntax(_)));
    assert!(matches!(fault("java <<E", "-Xmx"), EditFault::Syntax(_)));
    assert!(matches!(fault("java $(a", "-Xmx"), EditFault::Syntax(_)));
    for path in ["", "x", "-", "-XX:", "-XX:+", "--", "a b="] {
        assert!(
            matches!(fault("java A", path), EditFault::Address { .. }),
            "{path:?}"
        );
    }
}

#[test]
fn programs_other_than_java_have_arguments_too() {
    let start = "gunicorn app --workers 2 -b :80";
    assert_eq!(
        changed(Format::Command, start, "--workers", "4"),
        "gunicorn app --workers 4 -b :80"
    );
    assert_eq!(
        changed(Format::Command, start, "--threads", "4"),
        format!("{start} --threads=4")
    );
    assert_eq!(
        changed(Format::Command, start, "-k", "gevent"),
        format!("{start} -k gevent")
    );
    let gone = remove(
        Format::Command,
        start.as_bytes(),
        &Address::new("--workers"),
    )
    .unwrap();
    assert_eq!(gone, b"gunicorn app -b :80");
    // As /proc has them.
    let words: Vec<String> = start.split(' ').map(str::to_owned).collect();
    assert_eq!(
        in_arguments(&words, &Address::new("-b"))
            .unwrap()
            .as_deref(),
        Some(":80")
    );
    let now = set_argument(&words, &Address::new("--workers"), "9").unwrap();
    assert_eq!(now.join(" "), "gunicorn app --workers 9 -b :80");
}

proptest! {
    #[test]
    fn what_is_set_is_there(
        value in "[ -~中]{0,12}", shell in any::<bool>(),
        path in prop::sample::select(vec!["-Xmx", "-XX:Name", "-Da.b", "--name", "--new"]),
    ) {
        let (format, text) = match shell {
            true => (Format::Command, START),
            false => (Format::JvmOptions, "-Xmx1g -Da.b=\"x y\""),
        };
        let address = Address::new(path);
        if let Ok(now) = set(format, text.as_bytes(), &address, &value) {
            prop_assert_eq!(get(format, &now, &address).unwrap().unwrap().value, value.clone());
            prop_assert_eq!(set(format, &now, &address, &value).unwrap(), now);
        }
    }

    #[test]
    fn any_text_is_taken(text in "[a-c $(){}\"'`;&|<>\\\\\n#=java-]{0,60}", path in "[-a-zA-Z:+.=]{0,10}") {
        for format in [Format::Command, Format::JvmOptions] {
            let address = Address::new(path.as_str());
            let _ = get(format, text.as_bytes(), &address);
            let _ = set(format, text.as_bytes(), &address, "x");
            let _ = remove(format, text.as_bytes(), &address);
        }
    }
}

#[test]
fn java_is_found_behind_what_starts_programs_and_not_among_arguments() {
    for (command, after) in [
        (
            "taskset -c 0 java -jar a.jar",
            "taskset -c 0 java -Xmx1g -jar a.jar",
        ),
        ("A=1 /opt/jdk/bin/java A", "A=1 /opt/jdk/bin/java -Xmx1g A"),
        (
            "ip netns exec blue java A",
            "ip netns exec blue java -Xmx1g A",
        ),
    ] {
        assert_eq!(changed(Format::Command, command, "-Xmx", "1g"), after);
    }
    let launcher = set(
        Format::Command,
        b"./launcher --runtime java",
        &Address::new("-Xmx"),
        "1g",
    );
    assert_eq!(
        launcher.unwrap_err().fault,
        EditFault::NoParent("java".to_owned())
    );
}
