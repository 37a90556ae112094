//! A user's own classes: named by JMeter's property `user.classpath`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Tester, element, home, options, run, site};
use plimsoll_companion::{Companion, ForeignKind, Work, WorkOutcome, describe};

const TEST: &str = r#"package own;
public class FirstTest {
    @org.junit.Test public void holds() { org.junit.Assert.assertEquals(2, 1 + 1); }
    @org.junit.Test public void fails() { org.junit.Assert.fail("as it should"); }
}"#;

const FUNCTION: &str = r#"package own.functions;
import java.util.*;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.AbstractFunction;
import org.apache.jmeter.samplers.*;
public class Twice extends AbstractFunction {
    private CompoundVariable text;
    public String execute(SampleResult previous, Sampler sampler) {
        return text.execute() + text.execute();
    }
    public void setParameters(Collection<CompoundVariable> all) {
        text = all.iterator().next();
    }
    public String getReferenceKey() { return "__twice"; }
    public List<String> getArgumentDesc() { return List.of("text"); }
}"#;

const SAMPLER: &str = r#"package own;
import org.apache.jmeter.samplers.*;
public class Echo extends AbstractSampler {
    private int calls;
    public SampleResult sample(Entry entry) {
        SampleResult result = new SampleResult();
        result.setSampleLabel(getName());
        result.sampleStart();
        result.setResponseData(getPropertyAsString("Echo.text") + ++calls, "UTF-8");
        result.setResponseOK();
        result.sampleEnd();
        return result;
    }
}"#;

/// Compiles the classes; false (with a word why) without a Java compiler.
fn compile(java: &Path, to: &Path) -> bool {
    let compiler = java.canonicalize().unwrap().with_file_name("javac");
    if !compiler.is_file() {
        eprintln!("skipped: no Java compiler beside {}", java.display());
        return false;
    }
    let sources = [("FirstTest", TEST), ("Twice", FUNCTION), ("Echo", SAMPLER)];
    let mut command = Command::new(compiler);
    command
        .arg("-cp")
        .arg(home().unwrap().join("lib/*"))
        .arg("-d")
        .arg(to);
    for (name, source) in sources {
        let file = to.join(name).with_extension("java");
        std::fs::write(&file, source).unwrap();
        command.arg(file);
    }
    assert!(command.status().unwrap().success());
    let services = to.join("META-INF/services");
    std::fs::create_dir_all(&services).unwrap();
    let list = services.join("org.apache.jmeter.functions.Function");
    std::fs::write(list, "own.functions.Twice\n").unwrap();
    true
}

#[test]
fn own_functions_samplers_and_junit_tests_work() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(&[("user.classpath", folder.path().to_str().unwrap())]) else {
        return;
    };
    if !compile(&options.installed.java, folder.path()) {
        return;
    }
    let companion = Companion::start(options).unwrap();
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        assert_eq!(user.function("__twice", 1, &["ab"]).await, "abab");
        for (method, wanted) in [("holds", true), ("fails", false)] {
            let junit = element(
                "JUnitSampler",
                method,
                &[
                    ("junitSampler.classname", "own.FirstTest"),
                    ("junitsampler.method", method),
                    ("junitsampler.junit4", "true"),
                    ("junitsampler.success", "fine"),
                    ("junitsampler.success.code", "1000"),
                    ("junitsampler.failure", "no"),
                    ("junitsampler.failure.code", "0001"),
                    ("junitsampler.append.error", "true"),
                ],
            );
            let place = if wanted { 2 } else { 3 };
            let result = user
                .try_call(&Work::Sample, Some(site(place, &junit)))
                .await
                .unwrap();
            let WorkOutcome::Sample(Some(result)) = result.outcome else {
                panic!("{:?}", result.outcome);
            };
            assert_eq!(result.success, wanted, "{result:?}");
            assert_eq!(result.code, if wanted { "1000" } else { "0001" });
        }
        // One object for a user and site, told of its properties when they change.
        let mut echo = element("own.Echo", "echo", &[("Echo.text", "a")]);
        for wanted in ["a1", "a2", "b3"] {
            if wanted == "b3" {
                echo = element("own.Echo", "echo", &[("Echo.text", "b")]);
            }
            let result = user
                .try_call(&Work::Sample, Some(site(4, &echo)))
                .await
                .unwrap();
            let WorkOutcome::Sample(Some(result)) = result.outcome else {
                panic!("{:?}", result.outcome);
            };
            assert_eq!(result.text(), wanted);
        }
    });
}

#[test]
fn it_says_what_the_classes_and_functions_of_jars_are() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(&[("search_paths", folder.path().to_str().unwrap())]) else {
        return;
    };
    if !compile(&options.installed.java, folder.path()) {
        return;
    }
    let names = ["own.Echo", "own.FirstTest", "not.There", "__twice", "__not"];
    let more = [
        "org.apache.jmeter.threads.ThreadGroup",
        "org.apache.jmeter.control.LoopController",
        "org.apache.jmeter.timers.ConstantTimer",
        "org.apache.jmeter.config.CSVDataSet",
        "org.apache.jmeter.protocol.http.control.HeaderManager",
    ];
    let names: Vec<String> = names
        .iter()
        .chain(&more)
        .map(|it| (*it).to_owned())
        .collect();
    let said = describe(&options, &names).unwrap();
    let said: Vec<(&str, ForeignKind)> = said.iter().map(|(name, kind)| (&**name, *kind)).collect();
    let wanted = [
        ("own.Echo", ForeignKind::Sampler),
        ("__twice", ForeignKind::Function),
        (more[0], ForeignKind::ThreadGroup),
        (more[1], ForeignKind::Controller),
        (more[2], ForeignKind::Timer),
        (more[3], ForeignKind::Pass),
        (more[4], ForeignKind::Config),
    ];
    assert_eq!(said, wanted);
}
