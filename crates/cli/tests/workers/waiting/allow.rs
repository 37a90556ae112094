//! What a plan does on a load host beyond sending requests is refused, with what does it and the
//! option that allows it; and happens where it is allowed.

use std::path::Path;

use crate::fleet::Fleet;
use crate::support::{Told, eventually};

/// A plan that a worker refuses for that reason, and that one with the option makes.
fn only_with(flag: &str, name: &str, plan: &str, says: &[&str], fleet: &mut Fleet) -> Told {
    let told = fleet.begin_file(name, plan, &["--workers", "1"]).end();
    assert_eq!(told.code, Some(2), "{told:?}");
    let option = format!("--allow {flag}");
    for says in says.iter().chain(&["w1", &option]) {
        assert!(told.err.contains(says), "{says}: {told:?}");
    }
    assert!(fleet.target.seen().is_empty());
    fleet.worker("w2", &["--allow", flag, "--labels", "allows=yes"]);
    fleet.wait_for(2);
    let with = ["--workers", "1", "--workers-with", "allows=yes"];
    let told = fleet.begin_file(name, plan, &with).end();
    told.assert_code(0);
    told
}

#[test]
fn scripts() {
    let mut fleet = Fleet::start(&["w1"]);
    let url = fleet.target.url();
    let plan = format!(
        "target: {url}\nusers: 1\niterations: 1\nsteps:\n  - js: vars.x = 1\n  - get: /hello\n"
    );
    let says = ["vars.x = 1"];
    only_with("scripts", "plan.yaml", &plan, &says, &mut fleet).assert_all_ok(1);
    fleet.end();
}

/// An element of a JMeter plan.
fn element(class: &str, name: &str, inside: &str, below: &str) -> String {
    format!(
        "<{class} testclass=\"{class}\" testname=\"{name}\">{inside}</{class}><hashTree>{below}</hashTree>"
    )
}

fn text(name: &str, value: &str) -> String {
    format!("<stringProp name=\"{name}\">{value}</stringProp>")
}

/// A JMeter plan of one thread and one loop.
fn jmx(below: &str) -> String {
    let group = "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">\
         <boolProp name=\"LoopController.continue_forever\">false</boolProp>\
         <stringProp name=\"LoopController.loops\">1</stringProp></elementProp>\
         <stringProp name=\"ThreadGroup.num_threads\">1</stringProp>\
         <stringProp name=\"ThreadGroup.ramp_time\">0</stringProp>";
    let group = element("ThreadGroup", "users", group, below);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <jmeterTestPlan version=\"1.2\" properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>{}\
         </hashTree></jmeterTestPlan>\n",
        element("TestPlan", "plan", "", &group)
    )
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn processes() {
    let mut fleet = Fleet::start(&["w1"]);
    let made = fleet.bench.path("made-by-a-process");
    let argument = format!(
        "<elementProp name=\"SystemSampler.arguments\" elementType=\"Arguments\">\
         <collectionProp name=\"Arguments.arguments\"><elementProp name=\"\" elementType=\"Argument\">\
         {}{}</elementProp></collectionProp></elementProp>",
        text("Argument.name", ""),
        text("Argument.value", &shown(&made))
    );
    let command = [
        argument,
        text("SystemSampler.command", "touch"),
        "<boolProp name=\"SystemSampler.checkReturnCode\">true</boolProp>".to_owned(),
        text("SystemSampler.expectedReturnCode", "0"),
    ];
    let plan = jmx(&element(
        "SystemSampler",
        "make a file",
        &command.concat(),
        "",
    ));
    let says = ["SystemSampler “make a file”"];
    let told = only_with("processes", "plan.jmx", &plan, &says, &mut fleet);
    told.assert_all_ok(1);
    assert!(made.exists(), "{told:?}");
    fleet.end();
}

#[test]
fn files_of_bodies() {
    let mut fleet = Fleet::start(&["w1"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("body.txt");
    std::fs::write(&file, "from outside").unwrap();
    let (url, file) = (fleet.target.url(), shown(&file));
    let plan = format!(
        "target: {url}\nusers: 1\niterations: 1\nsteps:\n  - post: /upload\n    file: {file}\n"
    );
    let says = ["/upload", &file];
    only_with("files", "plan.yaml", &plan, &says, &mut fleet).assert_all_ok(1);
    assert_eq!(fleet.target.seen()[0].text(), "from outside");
    fleet.end();
}

#[test]
fn files_of_elements() {
    let mut fleet = Fleet::start(&["w1"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("rows.csv");
    std::fs::write(&file, "row\nfrom-outside\n").unwrap();
    let file = shown(&file);
    let rows = [text("filename", &file), text("delimiter", ",")].concat();
    let request = [
        text("HTTPSampler.domain", "127.0.0.1"),
        text("HTTPSampler.port", fleet.target.port()),
        text("HTTPSampler.path", "/${row}"),
        text("HTTPSampler.method", "GET"),
    ];
    let below = [
        element("CSVDataSet", "who buys", &rows, ""),
        element("HTTPSamplerProxy", "get", &request.concat(), ""),
    ];
    let plan = jmx(&below.concat());
    let says = ["who buys", &file];
    only_with("files", "plan.jmx", &plan, &says, &mut fleet).assert_all_ok(1);
    eventually("the request", || {
        fleet.target.targets() == ["/from-outside"]
    });
    fleet.end();
}

/// What shows only while the plan runs is refused then, and is told.
#[test]
fn what_is_named_while_the_plan_runs() {
    let fleet = Fleet::start(&["w1"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let (made, secret) = (
        elsewhere.path().join("made"),
        elsewhere.path().join("secret"),
    );
    std::fs::write(&secret, "secret-of-the-host").unwrap();
    let request = |path: &str| {
        let properties = [
            text("HTTPSampler.domain", "127.0.0.1"),
            text("HTTPSampler.port", fleet.target.port()),
            text("HTTPSampler.path", path),
            text("HTTPSampler.method", "GET"),
        ];
        element("HTTPSamplerProxy", path, &properties.concat(), "")
    };
    let call = |function: &str, more: &str, file: &Path| {
        format!(
            "/${{__eval(${{__char(36)}}{{{function}({}{more})}})}}",
            file.display()
        )
    };
    let below = [
        request(&call("__FileToString", "", &secret)),
        request(&call("__StringToFile", "\\,x", &made)),
        request("/hello"),
    ];
    let plan = jmx(&below.concat());
    let told = fleet
        .begin_file("plan.jmx", &plan, &["--workers", "1"])
        .end();
    for says in ["__FileToString", "__StringToFile", "--allow files"] {
        assert!(told.err.contains(says), "{says}: {told:?}");
    }
    assert!(!made.exists(), "{told:?}");
    let seen = format!("{:?}", fleet.target.targets());
    assert!(
        seen.contains("/hello") && !seen.contains("secret"),
        "{seen}"
    );
    assert!(!told.out.contains("secret-of-the-host") && !told.err.contains("secret-of-the-host"));
    fleet.end();
}

/// A plan's folder is somebody else's work, too: what its links lead to is not the worker's to get.
#[test]
fn links_out_of_the_plans_folder() {
    let fleet = Fleet::start(&["w1"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("own.txt");
    std::fs::write(&file, "not for workers").unwrap();
    std::os::unix::fs::symlink(&file, fleet.bench.path("link")).unwrap();
    std::fs::write(fleet.bench.path("inside.txt"), "inside").unwrap();
    std::os::unix::fs::symlink("inside.txt", fleet.bench.path("near")).unwrap();
    let url = fleet.target.url();
    let plan = |name: &str| {
        format!(
            "target: {url}\nusers: 1\niterations: 1\nsteps:\n  - post: /upload\n    file: {name}\n"
        )
    };
    let one = ["--workers", "1"];
    let told = fleet.begin_file("plan.yaml", &plan("link"), &one).end();
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.err.contains("outside the plan's folder"), "{told:?}");
    assert!(fleet.target.seen().is_empty());
    // Who starts the run may mean it; and a link within the folder leads nowhere else.
    let named = ["--workers", "1", "--bundle", "link"];
    fleet
        .begin_file("plan.yaml", &plan("link"), &named)
        .end()
        .assert_code(0);
    fleet
        .begin_file("plan.yaml", &plan("near"), &one)
        .end()
        .assert_code(0);
    let bodies: Vec<String> = fleet.target.seen().iter().map(|seen| seen.text()).collect();
    assert_eq!(bodies, ["not for workers", "inside"]);
    fleet.end();
}
