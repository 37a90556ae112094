//! Class histograms of a JVM's heap, read.

use std::collections::BTreeMap;

/// What a heap has of a class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClassCount {
    /// Objects.
    pub objects: f64,
    /// Their bytes, without what they refer to.
    pub bytes: f64,
}

/// What a heap has of each class, of `   1:   98659   10405040  [B (java.base@17.0.15)`. Lines of another form
/// are passed over.
#[must_use]
pub fn class_counts(text: &str) -> BTreeMap<String, ClassCount> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let _number = words.next()?.strip_suffix(':')?;
        let (objects, bytes) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((words.next()?.to_owned(), ClassCount { objects, bytes }))
    };
    text.lines().filter_map(line).collect()
}
