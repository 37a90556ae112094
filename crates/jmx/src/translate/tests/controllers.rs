use super::*;

#[test]
fn loops_and_their_once_only() {
    let once = el("OnceOnlyController", "o", &[], &sampler("s"));
    let looped = el(
        "LoopController",
        "l",
        &[("LoopController.loops", "3")],
        &once,
    );
    assert_eq!(outline(&looped), "repeat 3 None{ first-pass { s } }");
    let simple = el("GenericController", "g", &[], &once);
    assert_eq!(outline(&simple), "{ once { s } }");
    assert_eq!(outline(&once), "once { s }");
    for (written, times) in [("-1", "ever"), ("", "0"), ("many", "0"), ("${n}", "${n}")] {
        let looped = el(
            "LoopController",
            "l",
            &[("LoopController.loops", written)],
            "",
        );
        assert_eq!(outline(&looped), format!("repeat {times} None{{ }}"));
    }
}

#[test]
fn while_has_three_forms() {
    let of = |condition: &str| {
        let written = [("WhileController.condition", condition)];
        outline(&el("WhileController", "w", &written, &sampler("s")))
    };
    assert_eq!(of(" ${go} "), "while not false?${go} None{ s }");
    assert_eq!(of("last"), "while LastOk None{ s }");
    assert_eq!(of(""), "repeat ever None{ s if not LastOk { Break } }");
}

#[test]
fn if_has_two_forms() {
    let of = |condition: &str, expression: &str| {
        let written = [
            ("IfController.condition", condition),
            ("IfController.useExpression", expression),
        ];
        outline(&el("IfController", "i", &written, &sampler("s")))
    };
    assert_eq!(of(" ${ok} ", "true"), "if true?${ok} { s }");
    assert_eq!(
        of("\"${a}\" == f(1,2)", "false"),
        "if true?${__javaScript(\"${a}\" == f(1\\,2))} { s }"
    );
    let broken = el(
        "IfController",
        "i",
        &[("IfController.condition", "(1 == 1")],
        "",
    );
    assert_eq!(given(&group(&broken)).problems(), ["jmeter-if-condition"]);
}

#[test]
fn an_if_may_ask_before_each_sampler() {
    let inner = sampler("a")
        + &el(
            "LoopController",
            "l",
            &[("LoopController.loops", "2")],
            &sampler("b"),
        );
    let written = [
        ("IfController.condition", "${ok}"),
        ("IfController.useExpression", "true"),
        ("IfController.evaluateAll", "true"),
    ];
    assert_eq!(
        outline(&el("IfController", "i", &written, &inner)),
        "{ if true?${ok} { a } repeat 2 None{ if not true?${ok} { Break } if true?${ok} { b } } }"
    );
}

#[test]
fn choosing_controllers() {
    let two = sampler("a") + &el("GenericController", "g", &[], &sampler("b"));
    let of = |class: &str, style: &str, across: &str| {
        let written = [
            ("InterleaveControl.style", style),
            ("InterleaveControl.accrossThreads", across),
        ];
        let outline = outline(&el(class, "c", &written, &two));
        assert!(outline.ends_with("a={ a } g={ { b } }"), "{outline}");
        outline.replace(" a={ a } g={ { b } }", "")
    };
    assert_eq!(
        of("InterleaveControl", "1", "false"),
        "choose InTurn { shared_by: User }"
    );
    assert_eq!(
        of("InterleaveControl", "0", "false"),
        "choose InTurnByRequest { shared_by: User }"
    );
    assert_eq!(
        of("InterleaveControl", "1", "true"),
        "choose InTurnFromUser"
    );
    assert_eq!(
        of("InterleaveControl", "0", "true"),
        "choose InTurnByRequestFromUser"
    );
    assert_eq!(of("RandomController", "1", "false"), "choose Random");
    assert_eq!(
        of("RandomController", "0", "false"),
        "choose RandomByRequest"
    );
    let plain = el(
        "InterleaveControl",
        "c",
        &[],
        &(sampler("a") + &sampler("b")),
    );
    assert!(outline(&plain).starts_with("choose InTurn {"));
    let switch = el(
        "SwitchController",
        "c",
        &[("SwitchController.value", " ${x} ")],
        &two,
    );
    assert_eq!(outline(&switch), "choose switch ${x} a={ a } g={ { b } }");
    let with_timer = el(
        "RandomController",
        "c",
        &[],
        &(el("ConstantTimer", "t", &[], "") + &two),
    );
    assert!(
        outline(&with_timer).starts_with("{ [timer t] choose"),
        "{}",
        outline(&with_timer)
    );
}

#[test]
fn throughput_runtime_order_locks_transactions() {
    let of =
        |class: &str, written: &[(&str, &str)]| outline(&el(class, "c", written, &sampler("s")));
    let class = "ThroughputController";
    let style = ("ThroughputController.style", "1");
    let percent = ("ThroughputController.percentThroughput", "12.5");
    let shared = ("ThroughputController.perThread", "false");
    assert_eq!(
        of(class, &[style, percent, shared]),
        "percent 12.5 Scenario { s }"
    );
    let total = ("ThroughputController.maxThroughput", "${n}");
    assert_eq!(of(class, &[total]), "first ${n} User { s }");
    assert_eq!(
        of("RunTime", &[("RunTime.seconds", "5")]),
        "runtime 5 { s }"
    );
    assert_eq!(of("RandomOrderController", &[]), "any-order { s }");
    let lock = ("CriticalSectionController.lockName", "l");
    assert_eq!(of("CriticalSectionController", &[lock]), "lock l { s }");
    assert_eq!(of("CriticalSectionController", &[]), "{ s }");
    assert_eq!(
        of("TransactionController", &[]),
        "transaction c true false{ s }"
    );
    let written = [
        ("TransactionController.parent", "true"),
        ("TransactionController.includeTimers", "false"),
    ];
    assert_eq!(
        of("TransactionController", &written),
        "transaction c false true{ s }"
    );
    assert_eq!(of("RecordingController", &[]), "{ s }");
}

#[test]
fn numbers_in_the_old_form_of_property() {
    let inner = "<ThroughputController testname='c'><intProp name='ThroughputController.style'>1</intProp>\
        <FloatProperty><name>ThroughputController.percentThroughput</name><value>50.0</value><savedValue>0.0</savedValue></FloatProperty>\
        </ThroughputController><hashTree/>";
    assert_eq!(outline(inner), "percent 50.0 User { }");
}

#[test]
fn for_each_over_matches() {
    let of =
        |written: &[(&str, &str)]| outline(&el("ForeachController", "c", written, &sampler("s")));
    let names = [
        ("ForeachController.inputVal", "in"),
        ("ForeachController.returnVal", "out"),
    ];
    assert_eq!(of(&names), "each in true - - as out{ s }");
    let all = [
        names[0],
        names[1],
        ("ForeachController.startIndex", "2"),
        ("ForeachController.endIndex", "5"),
        ("ForeachController.useSeparator", "false"),
    ];
    assert_eq!(of(&all), "each in false 2 5 as out{ s }");
}

#[test]
fn flow_control_actions() {
    let of = |action: &str, target: &str| {
        let written = [
            ("ActionProcessor.action", action),
            ("ActionProcessor.target", target),
            ("ActionProcessor.duration", "${ms}"),
        ];
        outline(&el("TestAction", "f", &written, ""))
    };
    assert_eq!(of("1", "0"), "flow(Some(\"${ms}\") None)");
    assert_eq!(of("0", "0"), "flow(None Some(StopUser))");
    assert_eq!(of("2", "0"), "flow(None Some(StopUser))");
    assert_eq!(of("0", "2"), "flow(None Some(StopRun))");
    assert_eq!(of("2", "2"), "flow(None Some(StopRunNow))");
    assert_eq!(of("3", "0"), "flow(None Some(NextIteration))");
    assert_eq!(of("4", "0"), "flow(None Some(Continue))");
    assert_eq!(of("5", "0"), "flow(None Some(Break))");
}

#[test]
fn what_is_off_is_not_there() {
    let off = "<GenericController testname='g' enabled='false'/><hashTree><HTTPSamplerProxy testname='s'/></hashTree>";
    assert_eq!(outline(&(off.to_owned() + &sampler("t"))), "t");
}

#[test]
fn a_loop_that_does_not_continue_is_run_once() {
    let settings = [
        ("LoopController.loops", "2"),
        ("LoopController.continue_forever", "false"),
    ];
    let looped = el("LoopController", "l", &settings, &sampler("h"));
    assert_eq!(outline(&looped), "first 1 User { repeat 2 None{ h } }");
}

#[test]
fn passes_are_counted_only_for_who_looks() {
    let looped = |inner: &str| {
        el(
            "LoopController",
            "l",
            &[("LoopController.loops", "2")],
            inner,
        )
    };
    assert_eq!(outline(&looped(&sampler("h"))), "repeat 2 None{ h }");
    assert_eq!(
        outline(&looped(&sampler("${__jm__l__idx}"))),
        "[counter __jm__tg__idx] repeat 2 Some(\"__jm__l__idx\"){ ${__jm__l__idx} }"
    );
}

#[test]
fn an_unknown_controller_runs_its_children_when_that_is_allowed() {
    let inner = group(&el("com.example.Parallel", "p", &[], &sampler("s")));
    let mut plan = given(&inner);
    assert_eq!(plan.problems(), ["jmeter-unsupported-element"]);
    assert!(plan.translate().is_err());
    plan.allow_unsupported = true;
    let mut out = String::new();
    block(&plan.plan().scenarios[0].body, &mut out);
    assert_eq!(out, "{ s } ");
    assert_eq!(plan.problems(), ["jmeter-unsupported-element"]);
}
