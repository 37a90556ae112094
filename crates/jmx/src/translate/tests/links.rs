use super::*;

fn module(path: &[&str]) -> String {
    let names: String = path
        .iter()
        .map(|name| format!("<stringProp name='1'>{name}</stringProp>"))
        .collect();
    format!(
        "<ModuleController testname='m'><collectionProp name='ModuleController.node_path'>{names}</collectionProp>\
         </ModuleController><hashTree/>"
    )
}

#[test]
fn a_module_runs_its_target_even_when_that_is_off() {
    let target = "<LoopController testname='m' enabled='false'><stringProp name='LoopController.loops'>2</stringProp></LoopController>\
        <hashTree><HTTPSamplerProxy testname='s'/><hashTree/><HTTPSamplerProxy testname='off' enabled='false'/></hashTree>";
    let steps = target.to_owned() + &module(&["Test Plan", "plan", "tg", "m"]);
    assert_eq!(outline(&steps), "{ repeat 2 None{ s } }");
}

#[test]
fn what_a_module_leads_to_counts_though_it_is_off() {
    let udv = "<Arguments testname='v'><collectionProp name='Arguments.arguments'>\
        <elementProp name='a' elementType='Argument'><stringProp name='Argument.name'>a</stringProp></elementProp>\
        </collectionProp></Arguments><hashTree/>";
    let off = format!(
        "<TestFragmentController testname='f' enabled='false'/><hashTree>{udv}<a.B testname='x'/></hashTree>"
    );
    let inner = off.clone() + &group("");
    let alone = given(&inner);
    assert!(alone.plan().variables.is_empty());
    let inner = off + &group(&module(&["", "plan", "f"]));
    let mut led_to = given(&inner);
    assert_eq!(led_to.problems(), ["jmeter-unsupported-element"]);
    led_to.allow_unsupported = true;
    assert_eq!(led_to.plan().variables[0].name, "a");
}

#[test]
fn of_several_targets_the_last_is_taken() {
    let fragment = |name: &str| {
        el(
            "TestFragmentController",
            "f",
            &[],
            &el("GenericController", "g", &[], &sampler(name)),
        )
    };
    let inner = fragment("first") + &fragment("last") + &group(&module(&["", "plan", "f", "g"]));
    let plan = given(&inner).plan();
    let mut out = String::new();
    block(&plan.scenarios[0].body, &mut out);
    assert_eq!(out, "{ { last } } ");
}

#[test]
fn modules_without_target_or_end() {
    let steps = group(&module(&["", "plan", "tg", "nobody"]));
    assert_eq!(given(&steps).problems(), ["jmeter-module-target"]);
    let around = group(&el(
        "GenericController",
        "g",
        &[],
        &module(&["", "plan", "tg", "g"]),
    ));
    assert_eq!(given(&around).problems(), ["jmeter-module-in-itself"]);
}

#[test]
fn modules_that_multiply_are_stopped() {
    let mut fragments = String::new();
    for n in 0..40 {
        let next = format!("f{}", n + 1);
        let twice = module(&["", "plan", &next]) + &module(&["", "plan", &next]);
        fragments += &el("TestFragmentController", &format!("f{n}"), &[], &twice);
    }
    fragments += &el("TestFragmentController", "f40", &[], &sampler("s"));
    let inner = fragments + &group(&module(&["", "plan", "f0"]));
    assert_eq!(given(&inner).problems(), ["jmeter-too-many"]);
}

fn include(path: &str) -> String {
    el(
        "IncludeController",
        "i",
        &[("IncludeController.includepath", path)],
        "",
    )
}

#[test]
fn includes_are_looked_for_by_prefix_and_in_the_folder() {
    let part = |name: &str| file("", &el("TestFragmentController", "f", &[], &sampler(name)));
    let nested = file(
        "",
        &el(
            "TestFragmentController",
            "f",
            &[],
            &(include("c.jmx") + &sampler("b")),
        ),
    );
    let inner = group(&(include("a.jmx") + &include("b.jmx")));
    let mut plan = given(&inner);
    plan.properties = "includecontroller.prefix=lib/";
    plan.files = HashMap::from([
        ("lib/a.jmx", part("a")),
        ("dir/b.jmx", nested),
        ("dir/c.jmx", part("c")),
    ]);
    let translated = plan.translate().unwrap();
    let mut out = String::new();
    block(&translated.plan.scenarios[0].body, &mut out);
    assert_eq!(out, "{ a } { { c } b } ");
    let rows: Vec<_> = translated
        .table
        .iter()
        .map(|row| row.file.as_str())
        .collect();
    assert!(
        rows.contains(&"lib/a.jmx") && rows.contains(&"dir/c.jmx"),
        "{rows:?}"
    );
}

#[test]
fn includes_that_cannot_be() {
    let inner = group(&include("a.jmx"));
    let mut plan = given(&inner);
    assert_eq!(plan.problems(), ["jmeter-include-missing"]);
    plan.files = HashMap::from([("a.jmx", file("", &sampler("s")))]);
    assert_eq!(plan.problems(), ["jmeter-include-no-fragment"]);
    let fragment = |inner: &str| file("", &el("TestFragmentController", "f", &[], inner));
    plan.files = HashMap::from([("a.jmx", fragment(&include("a.jmx")))]);
    assert_eq!(plan.problems(), ["jmeter-include-in-itself"]);
    plan.files = HashMap::from([("a.jmx", fragment(&module(&["", "plan"])))]);
    assert_eq!(plan.problems(), ["jmeter-module-in-include"]);
    plan.files = HashMap::from([("a.jmx", "<broken".to_owned())]);
    assert_eq!(plan.problems(), ["jmeter-xml-syntax"]);
    plan.files = HashMap::from([("a.jmx", fragment("<a.B testname='x'/>"))]);
    let problems = plan.translate().unwrap_err();
    assert_eq!(problems[0].message.id, "jmeter-unsupported-element");
    assert_eq!(problems[0].file, "a.jmx");
    let csv = el("CSVDataSet", "d", &[("delimiter", "${__UUID}")], "");
    plan.files = HashMap::from([("a.jmx", fragment(&csv))]);
    let problems = plan.translate().unwrap_err();
    assert_eq!(problems[0].message.id, "jmeter-not-fixed");
    assert_eq!(problems[0].file, "a.jmx");
}
