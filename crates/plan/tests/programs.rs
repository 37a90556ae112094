//! Plans and what they compile to, as `plimsoll check` shows it: `programs/*.yaml` beside
//! `programs/*.txt`. With `PLIMSOLL_BLESS=1` the texts are written anew.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use plimsoll_plan::{CompileOptions, compile, parse_yaml};

#[test]
fn plans_compile_to_their_listings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let (plan, _) = parse_yaml(&source, "plan.yaml").unwrap();
        let program = compile(&plan, &CompileOptions::default()).unwrap();
        let listing = program.to_string();
        let wanted = path.with_extension("txt");
        if std::env::var_os("PLIMSOLL_BLESS").is_some() {
            std::fs::write(&wanted, &listing).unwrap();
        }
        assert_eq!(
            listing,
            std::fs::read_to_string(&wanted).unwrap(),
            "{}",
            path.display()
        );
        compared += 1;
    }
    assert!(compared > 0, "no plans in {}", folder.display());
}
