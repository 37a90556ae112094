//! Scripts that would take all memory, all time or the stack: each ends, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use crate::context::testing::TestContext;
use crate::functions::testing::run;

/// The value of a script and what was logged, computed on a stack as load threads have it.
fn outcome(script: String) -> (String, String) {
    let work = move || {
        let mut cx = TestContext::with(&[]);
        let value = run("__jexl3", &[script.as_str()], &mut cx);
        (value, cx.logged.concat())
    };
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(work);
    thread.unwrap().join().unwrap()
}

#[test]
fn what_grows_without_bound_is_stopped() {
    for (script, why) in [
        ("var s = 'x'; while (true) { s = s + s } s", "64 MiB"),
        ("var s = 'xy'; while (true) { s = s.concat(s) } s", "64 MiB"),
        (
            "var s = 'x'; while (true) { s = s.replace('x', 'xxxxxxxx') } s",
            "64 MiB",
        ),
        (
            "'x'.repeat(1000000).replaceAll('.+', '$0'.repeat(1000))",
            "64 MiB",
        ),
        ("'x'.repeat(2000000000)", "64 MiB"),
        (
            "var a = ['x']; for (i : 1..60) { a = [a, a] } a",
            "more than 1000000 values",
        ),
        (
            "var a = {1:1}; for (i : 1..60) { a = {1:a,2:a} } a.toString().length()",
            "more than 1000000 values",
        ),
        ("var a = ['x'.repeat(60000000)]; [a, a]", "64 MiB"),
        ("var a = []; a.add(a); a.toString().length()", ""),
        (
            "var a = []; var b = []; a.add(b); b.add(a); a.equals(b)",
            "",
        ),
        ("var f = function(n) { f(n) }; f(1)", "within each other"),
        ("while (true) { }", "more than"),
        ("for (i : 0..99999999999) { }", "range"),
        (
            "size(0 - 170141183460469231731687303715884105727..170141183460469231731687303715884105727)",
            "",
        ),
    ] {
        let (_, logged) = outcome(script.to_owned());
        assert!(logged.contains(why), "{script}: {logged}");
    }
}

#[test]
fn chains_of_lists_are_dropped_without_the_stack() {
    for script in [
        "var a = []; for (i : 1..100000) { a = [a] } 1",
        "var a = {1}; for (i : 1..100000) { a = {a} } 1",
        "var a = []; var b = a; for (i : 1..100000) { var c = []; b.add(c); b = c } 1",
        "var f = 1; for (i : 1..20000) { f = function() { f } } 1",
    ] {
        let (value, logged) = outcome(script.to_owned());
        assert!(
            value == "1" || logged.contains("more than"),
            "{script}: {logged}"
        );
    }
}

#[test]
fn long_chains_of_operators_are_refused() {
    for (piece, end) in [
        ("1+", "1"),
        ("1*", "1"),
        ("1||", "1"),
        ("!", "1"),
        ("-", "1"),
        ("(", "1"),
        ("[", "1"),
        ("a.", "b"),
        ("1?", "1"),
        ("{", "1"),
        ("1&", "1"),
        ("if(1)", "1"),
    ] {
        let (value, logged) = outcome(format!("{}{end}", piece.repeat(100_000)));
        assert_eq!(value, "", "{piece}");
        assert!(
            logged.contains("more than"),
            "{piece}: {:.200}",
            logged.rsplit(':').next().unwrap()
        );
    }
    assert_eq!(outcome(format!("{}1", "1+".repeat(900))).0, "901");
}

proptest! {
    #[test]
    fn no_script_panics(
        pieces in proptest::collection::vec(prop_oneof![
            Just("a"), Just("'x'"), Just("1"), Just("+"), Just("*"), Just("("), Just(")"), Just("["),
            Just("]"), Just("{"), Just("}"), Just(";"), Just("var "), Just("="), Just("=="), Just(".."),
            Just(".add("), Just(".size()"), Just(".repeat("), Just("for(i:"), Just("while("), Just(","),
            Just(":"), Just("?"), Just("-"), Just("170141183460469231731687303715884105727"),
            Just("`${"), Just("`"), Just(".substring("), Just("=~"), Just("function(x){"), Just("->"),
        ], 0..25),
    ) {
        let mut cx = TestContext::with(&[("script", &pieces.concat())]);
        let _ = run("__jexl3", &["${script}"], &mut cx);
        let _ = run("__jexl2", &["${script}"], &mut cx);
    }
}
