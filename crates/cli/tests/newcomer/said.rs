//! What plans and runs are told of: what a plan will do, why nothing was done, which step ended a
//! run, that two runs are not the same thing.

use crate::common::{Server, Told, folder, plimsoll, write};

fn run(plan: &str) -> Told {
    let (dir, server) = (folder(), Server::start());
    let target = server.url("");
    write(&dir, "plan.yaml", &format!("target: {target}\n{plan}"));
    plimsoll(&dir, &["run", "plan.yaml"])
}

/// The text as if no line had been broken.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_step_that_ended_the_run_is_named() {
    let told = run(
        "users: 3\niterations: 5\non-error: stop-run\nsteps:\n  - get: /hello\n  - get: /fail\n    check: {status: 200}\n  - get: /login\n",
    );
    let (out, err) = (flat(&told.out), flat(&told.err));
    let words = "ended the run, in scenario main: at the step “GET /fail”";
    assert!(err.contains(words), "{told:?}");
    assert!(out.contains(words), "the summary says it too: {told:?}");
}

#[test]
fn the_step_of_a_jmeter_plan_that_ended_the_run_is_named() {
    let (dir, server) = (folder(), Server::start());
    let plan = crate::common::jmeter_plan(&server.url("/"))
        .replace(
            "ThreadGroup.num_threads\">",
            "ThreadGroup.on_sample_error\">stoptest</stringProp><stringProp name=\"ThreadGroup.num_threads\">",
        )
        .replace("HTTPSampler.path\">/", "HTTPSampler.path\">/fail")
        .replace("testname=\"HTTPSamplerProxy\"", "testname=\"pay\"");
    write(&dir, "plan.jmx", &plan);
    let told = plimsoll(&dir, &["run", "plan.jmx"]);
    assert!(flat(&told.err).contains("at the step “pay”"), "{told:?}");
}

#[test]
fn why_no_request_was_made_is_in_the_output() {
    for (plan, words) in [
        (
            "users: 1\niterations: 2\nvariables: {a: 1}\nsteps:\n  - if: ${a} == 2\n    then: [{get: /hello}]\n",
            "stands inside if (line 6)",
        ),
        (
            "users: 1\niterations: 1\nsteps:\n  - think: 1ms\n",
            "no enabled step that sends one",
        ),
        (
            "users: 1\niterations: 2\nwarm-up: 5s\nsteps:\n  - get: /hello\n",
            "fell into the warm-up of 5 s",
        ),
    ] {
        let told = run(plan);
        let (out, err) = (flat(&told.out), flat(&told.err));
        assert!(out.contains(words), "{words}: {told:?}");
        assert!(err.contains(words), "{words}: {told:?}");
    }
}

#[test]
fn check_shows_what_a_plan_will_do_and_operations_only_if_asked() {
    let dir = folder();
    let plan = "name: shop\ntarget: http://127.0.0.1:1\nusers: 20\nramp-up: 10s\nduration: 5m\n\
                goals: [p95 < 300 ms, errors < 1 %]\nsteps:\n  - get: /cart\n";
    write(&dir, "plan.yaml", plan);
    let told = plimsoll(&dir, &["check", "plan.yaml"]);
    assert_eq!(told.code, 0, "{told:?}");
    let out = flat(&told.out);
    for part in [
        "Users at most 20",
        "Duration 5 min",
        "p95 < 300 ms",
        "errors < 1 %",
        "GET /cart",
    ] {
        assert!(out.contains(part), "{part}: {told:?}");
    }
    assert!(!told.out.contains("plan \"shop\""), "{told:?}");
    let all = plimsoll(&dir, &["check", "--operations", "plan.yaml"]);
    assert!(all.out.contains("plan \"shop\""), "{all:?}");
    let first = |text: &str| all.out.find(text).unwrap();
    assert!(first("Users at most") < first("plan \"shop\""));
}

#[test]
fn unlike_runs_are_not_compared_without_a_word() {
    let (dir, server) = (folder(), Server::start());
    for (path, users) in [("/hello", "1"), ("/login", "1"), ("/login", "2")] {
        let url = server.url(path);
        let told = plimsoll(&dir, &["run", &url, "-c", users, "--iterations", "5"]);
        assert!(matches!(told.code, 0 | 4), "{told:?}");
    }
    let unrelated = plimsoll(&dir, &["compare", "last~2", "--", "last~1"]);
    assert!(
        unrelated.err.contains("no request in common"),
        "{unrelated:?}"
    );
    let load = plimsoll(&dir, &["compare", "last~1", "--", "last"]);
    assert!(load.err.contains("loaded differently"), "{load:?}");
    assert!(!load.err.contains("in common"), "{load:?}");
    let same = plimsoll(&dir, &["compare", "last", "--", "last"]);
    assert!(!same.err.contains("in common") && !same.err.contains("differently"));
}

#[test]
fn equal_problems_of_a_jmeter_plan_are_told_once() {
    let dir = folder();
    let plan = crate::common::jmeter_plan("http://127.0.0.1:1");
    let timers: String = (0..470)
        .map(|number| {
            format!(
                "<a.b.LostTimer testname=\"wait {number} ${{__toLowerCase(A)}}\"/>\n<hashTree/>\n"
            )
        })
        .collect();
    let end = plan.rfind("</hashTree></jmeterTestPlan>").unwrap();
    let plan = format!("{}{timers}{}", &plan[..end], &plan[end..]);
    write(&dir, "plan.jmx", &plan);
    let told = plimsoll(&dir, &["check", "plan.jmx"]);
    assert_eq!(told.code, 2, "{told:?}");
    let lines = told.err.lines().count() + told.out.lines().count();
    assert!(lines < 60, "{lines} lines: {told:?}");
    assert!(told.err.contains("469 more"), "{told:?}");
    assert!(told.err.contains("__changeCase(text,LOWER)"), "{told:?}");
    assert!(told.out.contains("470"), "{}", told.out);
}
