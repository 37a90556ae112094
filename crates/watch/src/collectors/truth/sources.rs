//! Which sources tell which series, as their code says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The code of a file, without its tests.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    text[..tests].to_owned()
}

/// Names of series by module and constant.
fn names() -> BTreeMap<(String, String), String> {
    let constant =
        Regex::new(r#"pub const ([A-Z0-9_]+): SeriesName =\s*\w+\(\s*"([^"]+)""#).unwrap();
    let mut names = BTreeMap::new();
    for entry in std::fs::read_dir(source_folder().join("../../stats/src/names")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for found in constant.captures_iter(&code(&path)) {
            names.insert((module.clone(), found[1].to_owned()), found[2].to_owned());
        }
    }
    assert!(names.len() > 200, "{}", names.len());
    names
}

/// The source that a file of `collectors` is a part of; none: it tells nothing of its own.
fn source_of(file: &Path) -> Option<&'static str> {
    let below = file
        .strip_prefix(source_folder().join("collectors"))
        .unwrap();
    let parts: Vec<&str> = below.iter().map(|part| part.to_str().unwrap()).collect();
    Some(match parts[..] {
        // What ServerAgent sends is named by what it was asked for.
        ["truth" | "server_agent", ..]
        | [
            "agent" | "auto.rs" | "entities.rs" | "mod.rs" | "node_inspector.rs" | "places.rs"
            | "pprof.rs" | "server.rs",
            ..,
        ] => return None,
        ["jvm", "gc_log", ..] => "gc log",
        ["jvm", ..] => "hsperfdata",
        ["jolokia", ..] => "jolokia",
        ["actuator", ..] => "actuator",
        ["prometheus", "tables", "jmx.rs"] => "jmx exporter",
        ["prometheus", "tables", "micrometer.rs"] => "micrometer",
        ["prometheus", "tables", "mysqld.rs"] => "mysqld_exporter",
        ["prometheus", "tables", "nginx.rs"] => "nginx exporter",
        ["prometheus", "tables", "node.rs"] => "node_exporter",
        ["prometheus", "tables", "redis.rs"] => "redis_exporter",
        ["prometheus", "tables", "mod.rs"] => return None,
        ["prometheus", "tables", ..] => panic!("{below:?} is a source that has no name here"),
        ["prometheus", ..] => return None,
        ["host", ..] => "host",
        ["haproxy", ..] => "haproxy",
        ["pgbouncer", ..] => "pgbouncer",
        ["php_fpm", ..] => "php-fpm",
        ["postgresql", ..] => "postgresql",
        ["process", ..] => "process",
        ["mysql", ..] => "mysql",
        ["nginx", ..] => "nginx",
        ["redis", ..] => "redis",
        _ => panic!("{below:?} is a source that has no name here"),
    })
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, all),
            false => all.push(path),
        }
    }
}

/// The modules and constants that a file calls by other names: `names` for `jvm`.
fn aliases(code: &str) -> (BTreeMap<String, String>, Vec<(String, String)>) {
    let mut modules = BTreeMap::new();
    let mut constants = Vec::new();
    let one = Regex::new(r"use crate::names::(\w+)(?: as (\w+))?;").unwrap();
    for found in one.captures_iter(code) {
        let alias = found.get(2).map_or(&found[1], |alias| alias.as_str());
        modules.insert(alias.to_owned(), found[1].to_owned());
    }
    let several = Regex::new(r"use crate::names::(?:(\w+)::)?\{([^}]*)\};").unwrap();
    for found in several.captures_iter(code) {
        for part in found[2].split(',').map(str::trim) {
            let (name, alias) = part.split_once(" as ").unwrap_or((part, part));
            match found.get(1) {
                Some(module) => constants.push((module.as_str().to_owned(), name.to_owned())),
                None => drop(modules.insert(alias.to_owned(), name.to_owned())),
            }
        }
    }
    (modules, constants)
}

/// The sources of each series.
pub(super) fn by_name() -> BTreeMap<String, BTreeSet<&'static str>> {
    let names = names();
    let used = Regex::new(r"\b(\w+)::([A-Z][A-Z0-9_]+)\b").unwrap();
    let mut all = Vec::new();
    files(&source_folder().join("collectors"), &mut all);
    let mut by_name: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
    for file in all {
        let Some(source) = source_of(&file) else {
            continue;
        };
        let code = code(&file);
        let (modules, mut constants) = aliases(&code);
        for found in used.captures_iter(&code) {
            if let Some(module) = modules.get(&found[1]) {
                constants.push((module.clone(), found[2].to_owned()));
            }
        }
        for constant in constants {
            if let Some(name) = names.get(&constant) {
                by_name.entry(name.clone()).or_default().insert(source);
            }
        }
    }
    by_name
}

#[test]
fn sources_are_read_from_the_code() {
    let all = by_name();
    let of = |name: &str| all[name].iter().copied().collect::<Vec<_>>();
    assert_eq!(
        of("jvm.memory.allocated"),
        ["gc log", "hsperfdata", "jmx exporter", "micrometer"]
    );
    assert_eq!(of("nginx.requests"), ["nginx", "nginx exporter"]);
    assert_eq!(
        of("db.client.connection.max"),
        ["jolokia", "micrometer", "pgbouncer"]
    );
}
