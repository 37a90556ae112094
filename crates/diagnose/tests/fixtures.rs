//! The rules on recorded evidence of real systems: `tests/diagnose/*.evidence.gz`, with what is
//! true of it beside it (`CASE-SEED.json`). What is known to come out otherwise stands in
//! `tests/diagnose/open.json`, and must leave it as soon as it comes out right. Drawn systems, of which what limits
//! was measured, are in `tests/diagnose/drawn`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use plimsoll_diagnose::{Diagnosis, DiagnosisOutcome, Evidence, Finding, Layer, diagnose};
use plimsoll_text::{Lang, render};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diagnose")
}

fn truths(folder: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_truth = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".json") && name != "open.json"
    };
    let mut found: Vec<PathBuf> = files.filter(is_truth).collect();
    found.sort();
    let read = |path: PathBuf| serde_json::from_reader(File::open(path).unwrap()).unwrap();
    found.into_iter().map(read).collect()
}

fn diagnosed(folder: &Path, truth: &Value, state: &str) -> Option<Diagnosis> {
    let file = truth["states"][state]["run"].as_str()?;
    let file = File::open(folder.join(file)).unwrap();
    Some(diagnose(&Evidence::load(file).unwrap()))
}

/// Whether a finding names what it should: the object or its place, else a port of the tier.
fn names(finding: &Finding, recording: &Value, state: &str) -> bool {
    let (truth, facts) = (&recording["truth"], &recording["states"][state]);
    let texts = texts(finding);
    let told = |wanted: &str| texts.iter().any(|text| text.contains(wanted));
    let wanted = [&truth["object"]["name"], &truth["where"]];
    if wanted
        .iter()
        .any(|wanted| wanted.as_str().is_some_and(told))
    {
        return true;
    }
    if truth["object"]["kind"] == "link" {
        let links = recording["links"].as_array().into_iter().flatten();
        let ends = links.filter_map(|link| link["ends"].as_array()).flatten();
        let mut devices = ends.filter_map(|end| end["device"].as_str());
        return devices.any(told);
    }
    is_of(&texts, facts, &truth["tier"])
}

fn texts(finding: &Finding) -> Vec<String> {
    let mut texts = vec![finding.object.name.clone(), finding.object.process.clone()];
    for exhibit in &finding.evidence {
        texts.push(render(Lang::En, &exhibit.text));
        texts.extend(exhibit.lines.iter().cloned());
    }
    texts
}

/// Whether one of the texts names the tier, by a port or its process.
fn is_of(texts: &[String], facts: &Value, tier: &Value) -> bool {
    let told = |wanted: &str| texts.iter().any(|text| text.contains(wanted));
    let tiers = facts["tiers"].as_array().into_iter().flatten();
    let mut own = tiers.filter(|known| known["name"] == *tier);
    own.any(|tier| {
        let ports = tier["ports"].as_object().into_iter().flatten();
        let mut known = ports.map(|(_, port)| port.to_string());
        known.any(|port| told(&port)) || told(&tier["pid"].to_string())
    })
}

fn limiting(diagnosis: &Diagnosis) -> impl Iterator<Item = &Finding> {
    let limits = |finding: &&Finding| finding.layer != Layer::Hint && !finding.healthy;
    diagnosis.findings.iter().filter(limits)
}

/// What does not come out as it should, as `CASE-SEED: what`.
fn misses(truth: &Value) -> Vec<String> {
    let name = format!("{}-{}", truth["case"].as_str().unwrap(), truth["seed"]);
    let mut missed = Vec::new();
    let wanted = truth["truth"]["finding"].as_str().unwrap();
    if let Some(faulty) = diagnosed(&folder(), truth, "faulty") {
        let first = faulty.findings.first();
        let right = match wanted {
            "none" => {
                matches!(
                    faulty.outcome,
                    DiagnosisOutcome::Nothing | DiagnosisOutcome::Healthy
                ) && limiting(&faulty).next().is_none()
            }
            wanted => {
                first.is_some_and(|first| first.id == wanted && names(first, truth, "faulty"))
            }
        };
        if !right {
            let first = first.map_or("nothing", |first| first.id);
            missed.push(format!("{name}: faulty, {first} for {wanted}"));
        }
    }
    let control = truth["control"] == Value::Bool(true);
    if let Some(cured) = diagnosed(&folder(), truth, "cured")
        && wanted != "none"
        && !control
        && limiting(&cured).any(|finding| finding.id == wanted)
    {
        missed.push(format!("{name}: cured, {wanted} still told"));
    }
    missed
}

#[test]
fn recorded_systems_are_diagnosed_right() {
    let truths = truths(&folder());
    assert!(truths.len() >= 20, "only {} fixtures", truths.len());
    are_as_known(&folder(), truths.iter().flat_map(misses).collect());
}

/// The misses of a folder are those that are known, no more and no fewer.
fn are_as_known(folder: &Path, found: BTreeSet<String>) {
    let open = File::open(folder.join("open.json")).unwrap();
    let open: BTreeSet<String> = serde_json::from_reader(open).unwrap();
    let new: Vec<_> = found.difference(&open).collect();
    let mended: Vec<_> = open.difference(&found).collect();
    assert!(new.is_empty(), "no longer right: {new:#?}");
    assert!(
        mended.is_empty(),
        "right now, take them out of open.json: {mended:#?}"
    );
}

/// What of a drawn system does not come out as it was measured, as `SEED: what`.
fn drawn_misses(folder: &Path, truth: &Value) -> Vec<String> {
    let limits = truth["limits"].as_array().unwrap();
    let is_right = |finding: &Finding, state: &str| {
        limits.iter().any(|limit| {
            let findings = limit["findings"].as_array().unwrap();
            let mut keepers = limit["keepers"].as_array().unwrap().iter();
            let texts = texts(finding);
            findings.iter().any(|id| id == finding.id)
                && keepers.any(|keeper| is_of(&texts, &truth["states"][state], keeper))
        })
    };
    let mut missed = Vec::new();
    let faulty = diagnosed(folder, truth, "faulty").unwrap();
    let first = faulty
        .findings
        .iter()
        .find(|finding| finding.layer != Layer::Hint);
    let right = match limits.is_empty() {
        true => limiting(&faulty).next().is_none(),
        false => faulty
            .findings
            .first()
            .is_some_and(|first| is_right(first, "faulty")),
    };
    if !right {
        let first = first.map_or("nothing", |first| first.id);
        missed.push(format!("{}: faulty, {first} first", truth["seed"]));
    }
    if let Some(cured) = diagnosed(folder, truth, "cured")
        && let Some(left) = limiting(&cured).find(|finding| is_right(finding, "cured"))
    {
        missed.push(format!("{}: cured, {} still told", truth["seed"], left.id));
    }
    missed
}

#[test]
fn drawn_systems_are_diagnosed_as_they_were_measured() {
    let folder = folder().join("drawn");
    let truths = truths(&folder);
    assert!(!truths.is_empty(), "no fixtures");
    let misses = truths.iter().flat_map(|truth| drawn_misses(&folder, truth));
    are_as_known(&folder, misses.collect());
}
