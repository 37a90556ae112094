//! One quantity has one meaning: each source of a series is told the same truth, in its own
//! format, and must say the same of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod databases;
mod host;
mod jvm;
mod jvm_exporters;
mod jvm_model;
mod meters;
mod said;
mod sources;
mod web_server;

use said::{Shown, truths};

#[test]
fn every_source_of_a_series_was_told_the_same_truth_and_says_the_same() {
    let mut shown = Shown::new();
    for truth in truths() {
        jvm::compare_all(&truth, &mut shown);
        web_server::compare_all(&truth, &mut shown);
        databases::compare_all(&truth, &mut shown);
        host::compare_all(&truth, &mut shown);
    }
    // Whoever adds a source of a series that there is already has it told the truth, too.
    let mut missing = Vec::new();
    for (name, of) in sources::by_name() {
        if of.len() > 1 {
            let left_out = of
                .iter()
                .filter(|source| !shown.contains(&(source, name.clone())));
            missing.extend(left_out.map(|source| format!("{name} of {source}")));
        }
    }
    assert!(missing.is_empty(), "not compared: {missing:#?}");
}
