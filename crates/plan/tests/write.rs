//! Plans written as YAML and read again compile to the same program.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod write_made;

use std::path::Path;
use std::sync::LazyLock;

use plimsoll_plan::model::Plan;
use plimsoll_plan::{CompileOptions, compile, parse_yaml, to_yaml};
use proptest::prelude::*;
use regex::Regex;

/// What differs and may: places in the source; the time of a rate of zero.
static MAY_DIFFER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"Span \{ line: \d+, column: \d+ \}|arrivals: 0, per_ns: \d+").unwrap()
});

/// A program as text, all of it but the warnings, which have the order of the source.
fn shown(plan: &Plan) -> Result<String, Vec<String>> {
    let program = compile(plan, &CompileOptions::default());
    let mut program = program.map_err(|problems| {
        let ids = problems.into_iter().map(|problem| problem.message.id);
        let mut ids: Vec<String> = ids.collect();
        ids.sort_unstable();
        // How often one is said hangs on the order of the source, as warnings do.
        ids.dedup();
        ids
    })?;
    program.warnings.clear();
    let text = format!("{program:?}");
    Ok(MAY_DIFFER.replace_all(&text, "_").into_owned())
}

/// The first place where two texts differ.
fn difference(a: &str, b: &str) -> Option<(String, String)> {
    let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b);
    let at = at.or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())))?;
    let part = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(80)..(at + 80).min(text.len())];
        String::from_utf8_lossy(bytes).into_owned()
    };
    Some((part(a), part(b)))
}

fn assert_round_trip(plan: &Plan, name: &str) {
    let written = to_yaml(plan);
    let (read, _) = parse_yaml(&written, "w")
        .unwrap_or_else(|problems| panic!("{name}: {problems:#?}\n{written}"));
    match (shown(plan), shown(&read)) {
        (Ok(first), Ok(second)) => {
            if let Some((a, b)) = difference(&first, &second) {
                panic!("{name}:\n{a}\n{b}\n{written}");
            }
        }
        (first, second) => assert_eq!(first.err(), second.err(), "{name}: {written}"),
    }
}

#[test]
fn plans_of_the_tests_are_written_and_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in ["tests/plans/good", "tests/programs", "../../examples"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let (plan, _) = parse_yaml(&source, "p").unwrap();
            assert_round_trip(&plan, &path.display().to_string());
            count += 1;
        }
    }
    assert!(count >= 5, "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn made_up_plans_are_written_and_read(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let plan = write_made::plan(&bytes);
        assert_round_trip(&plan, "made up");
    }
}

#[test]
fn a_plan_as_it_is_written() {
    let source = "\
name: cart
undefined: keep-literal
variables: {host: {default: \"${__P(host,localhost)}\", once-per-run: true}}
elements:
  - class: HeaderManager
    name: headers
    properties:
      HeaderManager.headers:
        - class: Header
          properties: {Header.name: Accept, Header.value: text/html}
scenarios:
  Thread Group:
    users: 5
    ramp-up: 10s
    iterations: 2
    steps:
      - while: {not: {is-false: \"${more}\"}}
        steps:
          - sample: GET cart
            element:
              class: HTTPSamplerProxy
              name: GET cart
              properties: {HTTPSampler.domain: \"${host}\", HTTPSampler.path: /cart}
            after:
              - element:
                  class: JSR223PostProcessor
                  properties:
                    script: |-
                      vars.put('more', 'false')
                      log.info('done')
";
    let (plan, problems) = parse_yaml(source, "p").unwrap();
    assert_eq!(problems, []);
    assert_eq!(to_yaml(&plan), source);
}
