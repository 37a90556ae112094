//! What `docs/outputs.md` shows can be done as it stands there.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use plimsoll_outputs::{OUTPUTS, OutputSpec, open};
use plimsoll_run::{LoadSettings, PlanSource, ready};

const GUIDES: [&str; 2] = [
    include_str!("../../../docs/outputs.md"),
    include_str!("../../../docs/outputs.zh-CN.md"),
];

/// Lines that are shown as they are typed.
fn shown(guide: &str) -> impl Iterator<Item = &str> {
    guide.lines().filter_map(|line| line.strip_prefix("    "))
}

/// Opens an output; files go where the test's own are.
fn opens(mut spec: OutputSpec, folder: &tempfile::TempDir) -> Result<(), String> {
    if spec.name == "jsonl" {
        spec.address = folder.path().join(&spec.address).display().to_string();
    }
    open(&spec).map(|_| ()).map_err(|message| message.id)
}

#[test]
fn the_commands_open_their_outputs() {
    let folder = tempfile::tempdir().unwrap();
    for guide in GUIDES {
        let commands = shown(guide).filter(|line| line.starts_with("plimsoll run"));
        let texts: Vec<&str> = commands
            .flat_map(|line| line.split("--output ").skip(1))
            .map(str::trim)
            .collect();
        assert!(texts.len() >= 4, "{texts:?}");
        for text in texts {
            assert_eq!(opens(OutputSpec::parse(text), &folder), Ok(()), "{text}");
        }
    }
}

#[test]
fn the_plan_names_its_outputs() {
    let folder = tempfile::tempdir().unwrap();
    for guide in GUIDES {
        let yaml: Vec<&str> = shown(guide)
            .skip_while(|line| *line != "outputs:")
            .collect();
        let yaml = yaml.join("\n");
        let plan = folder.path().join("plan.yaml");
        let rest = "target: http://127.0.0.1:1\nusers: 1\nduration: 1s\nsteps: [{get: /}]";
        std::fs::write(&plan, format!("{rest}\n{yaml}\n")).unwrap();
        let source = PlanSource::new(plan.to_str().unwrap());
        let ready = ready::load(&source, &LoadSettings::default());
        let ready = ready
            .map_err(|rejected| rejected.in_words(plimsoll_text::Lang::En))
            .unwrap();
        let names: Vec<&str> = ready
            .outputs
            .iter()
            .map(|spec| spec.name.as_str())
            .collect();
        assert_eq!(names, ["influxdb", "jsonl"]);
        assert_eq!(ready.outputs[0].setting("token-env"), Some("INFLUX_TOKEN"));
        assert!(!ready.outputs[0].tags.is_empty());
        assert_eq!(opens(ready.outputs[1].clone(), &folder), Ok(()));
    }
}

#[test]
fn the_table_has_all_outputs() {
    let all: BTreeSet<&str> = OUTPUTS.iter().map(|kind| kind.name).collect();
    for guide in GUIDES {
        let rows = guide.lines().filter_map(|line| line.strip_prefix("| `"));
        let named = rows.filter_map(|row| row.split('`').next());
        let named: BTreeSet<&str> = named.filter(|name| all.contains(name)).collect();
        assert_eq!(named, all);
    }
}
