//! Scripts and functions in the companion.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Tester, run, start};

#[test]
fn a_groovy_expression_has_its_value() {
    let Some(companion) = start(&[("answer", "42")]) else {
        return;
    };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.variables.insert("a".into(), "2".into());
        assert_eq!(user.function("__groovy", 1, &["1 + 1"]).await, "2");
        let sum = "vars.get('a').toInteger() + props.get('answer').toInteger()";
        assert_eq!(user.function("__groovy", 2, &[sum]).await, "44");
    });
}
