use super::*;

fn arguments(pairs: &[(&str, &str)]) -> String {
    let items: String = pairs
        .iter()
        .map(|(name, value)| {
            format!(
                "<elementProp name='{name}' elementType='Argument'><stringProp name='Argument.name'>{name}</stringProp>\
                 <stringProp name='Argument.value'>{value}</stringProp></elementProp>"
            )
        })
        .collect();
    format!("<collectionProp name='Arguments.arguments'>{items}</collectionProp>")
}

fn element(pairs: &[(&str, &str)], enabled: bool) -> String {
    format!(
        "<Arguments testname='v' enabled='{enabled}'>{}</Arguments><hashTree/>",
        arguments(pairs)
    )
}

fn values(own: &[(&str, &str)], inner: &str) -> Vec<(String, String)> {
    let own = format!(
        "<elementProp name='TestPlan.user_defined_variables' elementType='Arguments'>{}</elementProp>",
        arguments(own)
    );
    let mut given = given(inner);
    given.attributes = &own;
    let variables = given.plan().variables;
    assert!(variables.iter().all(|variable| variable.once_per_run));
    variables
        .into_iter()
        .map(|it| (it.name, it.value.raw))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[test]
fn variables_are_lifted_from_everywhere_that_is_on() {
    let below = el("HTTPSamplerProxy", "s", &[], &element(&[("c", "3")], true));
    let inner = element(&[("b", "2")], true) + &group(&(below + &element(&[("d", "4")], false)));
    assert_eq!(
        values(&[("a", "1")], &inner),
        pairs(&[("a", "1"), ("b", "2"), ("c", "3")])
    );
}

#[test]
fn a_later_one_wins_and_an_earlier_one_stays_only_while_it_is_used() {
    let inner =
        element(&[("b", "${a}")], true) + &element(&[("a", "2"), ("c", "x")], true) + &group("");
    let expected = pairs(&[("b", "1"), ("a", "2"), ("c", "x")]);
    assert_eq!(values(&[("a", "1"), ("c", "0")], &inner), expected);
}

#[test]
fn variables_of_one_element_do_not_see_each_other() {
    let expected = pairs(&[("b", "${a} ${other}"), ("a", "1")]);
    assert_eq!(
        values(&[("a", "1"), ("b", "${a} ${other}")], &group("")),
        expected
    );
    let inner = element(&[("a", "${a}2")], true) + &group("");
    assert_eq!(values(&[("a", "1")], &inner), pairs(&[("a", "12")]));
    let made = [("a", "${__UUID()}")];
    let expected = pairs(&[("a#0", "${__UUID()}"), ("a", "${a#0}2")]);
    assert_eq!(values(&made, &inner), expected);
    let circle = [("a", "${b}"), ("b", "${a}"), ("c", "${a}")];
    let expected = pairs(&[("c", "${a}"), ("a", "${b}"), ("b", "${a}")]);
    assert_eq!(values(&circle, &group("")), expected);
}

#[test]
fn numbers_of_threads_may_come_from_variables_and_properties() {
    let threads = "<ThreadGroup testname='t'><stringProp name='ThreadGroup.num_threads'>${n}</stringProp></ThreadGroup><hashTree/>";
    let inner = element(&[("n", "${__P(users,3)}")], true) + threads;
    let mut plan = given(&inner);
    let users = |plan: &Plan| match &plan.scenarios[0].load {
        plimsoll_plan::model::Load::Users(load) => load.stages[0].users,
        other => panic!("{other:?}"),
    };
    assert_eq!(users(&plan.plan()), 3);
    plan.properties = "users=8";
    assert_eq!(users(&plan.plan()), 8);
    let unknown = threads.replace("${n}", "${__time()}");
    assert_eq!(given(&unknown).problems()[0], "jmeter-not-fixed");
    let made = element(&[("n", "${__time()}")], true);
    assert_eq!(given(&(made + threads)).problems()[0], "jmeter-not-fixed");
}

#[test]
fn what_is_no_number_of_threads_counts_as_none_and_is_told() {
    let of = |threads: &str| {
        let groups = ["${n}", "1", "2"].map(|n| {
            let n = n.replace("${n}", threads);
            format!("<ThreadGroup testname='t'><stringProp name='ThreadGroup.num_threads'>{n}</stringProp></ThreadGroup><hashTree/>")
        });
        groups.concat()
    };
    for none in [
        "many",
        "${unset}",
        "1.5",
        " 2",
        "99999999999",
        "${__P(x,${unset})}",
    ] {
        let written = of(none);
        let found = given(&written);
        let told = ["jmeter-counts-as-zero"];
        assert_eq!(found.problems(), told, "{none}");
        // JMeter numbers the group all the same.
        let left_out: Vec<u32> = found
            .plan()
            .scenarios
            .iter()
            .map(|it| it.left_out_before)
            .collect();
        assert_eq!(left_out, [1, 1]);
    }
    assert_eq!(given(&of("")).problems(), ["jmeter-no-threads"]);
    assert_eq!(given(&of("-3")).problems(), ["jmeter-no-threads"]);
    assert!(given(&of("+3")).problems().is_empty());
}

#[test]
fn what_jmeter_does_not_run_or_open_is_told() {
    let text = file("", &group(&sampler("s"))).replace(
        "</hashTree></hashTree></jmeterTestPlan>",
        "</hashTree><TestPlan testname='other'/><hashTree/></hashTree></jmeterTestPlan>",
    );
    let tree = read(text.as_bytes()).unwrap();
    assert_eq!(tree.roots.len(), 2);
    let properties = properties::parse(b"");
    let options = TranslateOptions {
        properties: &properties,
        folder: "dir".into(),
        plan_file: "p.jmx".to_owned(),
        allow_unsupported: false,
        read_file: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let told = translate(&tree, &options).unwrap().warnings;
    assert_eq!(told[0].message.id, "jmeter-second-test-plan");

    let mut strange = given("");
    strange.attributes = "<fooProp name='a'>1</fooProp>";
    assert!(
        strange
            .problems()
            .contains(&"jmeter-strange-property".to_owned())
    );
}

#[test]
fn scripts_that_want_java_are_refused() {
    let of = |script: &str| group(&el("DebugSampler", "s", &[("a", script)], ""));
    let java = of("${__jexl3(new(&quot;java.util.Date&quot;).time)}");
    assert_eq!(given(&java).problems(), ["jmeter-unsupported-function"]);
    let mut allowed = given(&java);
    allowed.allow_unsupported = true;
    assert!(allowed.translate().is_ok());
    assert!(given(&of("${__jexl3(1+1)} new (1)")).problems().is_empty());
}
