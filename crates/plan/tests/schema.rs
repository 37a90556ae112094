//! The JSON Schema and the reference are up to date and agree with the reader.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;

use common::{files, good_plans};
use plimsoll_plan::{
    agent_scope_schema, parse_yaml, reference, schema, schema_text, study_schema,
    study_schema_text, yaml_to_json,
};
use plimsoll_text::{Lang, Message, render};

/// Compares a file of the repository with what it must hold; with `UPDATE_EXPECTED=1` writes
/// it instead.
fn up_to_date(path: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is not up to date: UPDATE_EXPECTED=1",
        path.display()
    );
}

#[test]
fn the_schema_file_is_up_to_date() {
    up_to_date("schema/plan.schema.json", &schema_text());
}

const MARK: &str = "<!-- reference: made from the reader's tables -->\n";

#[test]
fn the_reference_is_up_to_date() {
    for (path, lang) in [("docs/plan.md", Lang::En), ("docs/plan.zh-CN.md", Lang::Zh)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let found = std::fs::read_to_string(&file).unwrap();
        let (written, _) = found.split_once(MARK).expect("the mark of the reference");
        up_to_date(path, &format!("{written}{MARK}{}", reference(lang)));
    }
}

#[test]
fn every_part_of_a_plan_has_a_name_in_messages() {
    for lang in Lang::ALL {
        for part in reference(lang)
            .lines()
            .filter_map(|line| line.strip_prefix("### "))
        {
            let id = format!("plan-object-{part}");
            assert_ne!(render(lang, &Message::new(id.as_str())), id);
        }
    }
}

#[test]
fn the_schema_is_a_schema() {
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn the_schema_accepts_every_good_plan() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for path in good_plans() {
        let json = yaml_to_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&json)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
    }
}

/// Plans that only the reader can judge: values that depend on each other or are parsed.
const FOR_THE_READER_ONLY: &str = "reader-";

#[test]
fn schema_and_reader_agree_on_bad_plans() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for path in files("tests/plans/bad") {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = std::fs::read_to_string(&path).unwrap();
        let Some(json) = yaml_to_json(&source) else {
            continue;
        };
        let accepted = validator.is_valid(&json);
        let expected = name.starts_with(FOR_THE_READER_ONLY);
        assert_eq!(accepted, expected, "{name}");
    }
}

/// The grammar's smallest mistakes, one at a time: both must refuse each.
#[test]
fn schema_and_reader_refuse_the_same_values() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let values = [
        "users: 0",
        "users: many",
        "users: \"5\"",
        "users: ${n}",
        "rate: 5",
        "rate: 5/fortnight",
        "duration: 5",
        "duration: soon",
        "duration:",
        "ramp-up: [1s]",
        "think: 5",
        "think: {normal: 5s}",
        "think: {often: 1s}",
        "timeout: -1s",
        "redirects: 1000",
        "keep-alive: yes",
        "cookies: some",
        "max-body: large",
        "tls: true",
        "auth: secret",
        "auth: {basic: {user: x}}",
        "source-addresses: 127.0.0.1",
        "source-addresses: [here]",
        "headers: [a, b]",
        "headers: {a: {b: c}}",
        "data: {path: x}",
        "data: {csv: x, order: backwards}",
        "counters: {n: x}",
        "seed: -1",
        "order: random",
        "goals: {p95: 5}",
        "goals: fast",
        "guards: [{for: 5s}]",
        "check: {status: 20}",
        "check: {stats: 200}",
        "check: {time: fast}",
        "save: {x: items}",
        "save: {x: {json: $.x, which: 0}}",
        "on-error: panic",
        "steps: {get: /}",
        "steps: [get]",
        "steps: [{get: /, post: /}]",
        "steps: [{get: /, body: a, json: b}]",
        "steps: [{repeat: often, steps: []}]",
        "steps: [{percent: 101, steps: []}]",
        "steps: [{for-each: x, steps: []}]",
        "steps: [{if: a}]",
        "steps: [{action: jump}]",
        "stages: [{users: 5, rate: 5/s}]",
        "nonsense: 1",
    ];
    for value in values {
        let key = value.split(':').next().unwrap();
        let steps = if key == "steps" {
            ""
        } else {
            "steps: [{get: /}]\n"
        };
        let source = format!("{steps}{value}\n");
        let json = yaml_to_json(&source).unwrap();
        assert!(!validator.is_valid(&json), "the schema takes {value}");
        assert!(parse_yaml(&source, "").is_err(), "the reader takes {value}");
    }
}

/// The YAML blocks of the documentation, each made a plan by itself.
#[test]
fn the_documentations_examples_are_plans() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for path in ["docs/plan.md", "docs/plan.zh-CN.md"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let text = std::fs::read_to_string(file).unwrap();
        let blocks: Vec<&str> = text.split("```yaml\n").skip(1).collect();
        assert!(blocks.len() > 5);
        for block in blocks {
            let mut source = block.split("```").next().unwrap().to_owned();
            if !source.contains("steps:") {
                source += "\nsteps: [{get: /}]\n";
            }
            if let Err(problems) = parse_yaml(&source, "") {
                panic!("{path}:\n{source}\n{problems:#?}");
            }
            assert!(
                validator.is_valid(&yaml_to_json(&source).unwrap()),
                "{source}"
            );
        }
    }
}

#[test]
fn the_schema_of_an_agents_file_is_up_to_date_and_is_one() {
    let text = format!("{:#}\n", agent_scope_schema());
    up_to_date("schema/agent-scope.schema.json", &text);
    assert!(jsonschema::meta::is_valid(&agent_scope_schema()));
}

#[test]
fn the_schema_of_studies_is_up_to_date_and_is_one() {
    up_to_date("schema/study.schema.json", &study_schema_text());
    assert!(jsonschema::meta::is_valid(&study_schema()));
}
