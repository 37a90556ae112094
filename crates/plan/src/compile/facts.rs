//! What the first pass learns of a plan's variables.

use std::collections::{BTreeSet, HashMap, HashSet};

use strsim::osa_distance;

/// Who sets what.
#[derive(Default)]
pub(super) struct Facts {
    /// Names that something sets while the plan runs.
    set: BTreeSet<String>,
    /// Names that a scope sets when it is entered, and by how many scopes.
    by_scopes: HashMap<String, u32>,
    /// Names that extractions of all matches number: `NAME_1`, `NAME_matchNr`.
    numbered: HashSet<String>,
    /// Beginnings of names that elements set: `NAME`, `NAME_1`, `NAME_g1` …
    beginnings: BTreeSet<String>,
    /// Names that templates and conditions look at.
    used: BTreeSet<String>,
    /// All scripts.
    pub scripts: String,
    /// There is data whose columns are not known: any name may be one.
    pub unknown_columns: bool,
    /// Something may set variables of any name.
    pub anything_is_set: bool,
}

impl Facts {
    pub fn set(&mut self, name: &str) {
        self.set.insert(name.to_owned());
    }

    pub fn set_by_scope(&mut self, name: &str) {
        *self.by_scopes.entry(name.to_owned()).or_default() += 1;
    }

    pub fn set_all_matches(&mut self, name: &str) {
        self.numbered.insert(name.to_owned());
    }

    pub fn set_all_beginning_with(&mut self, name: &str) {
        self.beginnings.insert(name.to_owned());
    }

    pub fn look_at(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }

    pub fn uses(&self, name: &str) -> bool {
        self.used.contains(name) || mentions(&self.scripts, name)
    }

    /// Whether nothing but a single place gives the name its value.
    pub fn never_set(&self, name: &str) -> bool {
        !self.changes(name) && !self.by_scopes.contains_key(name)
    }

    /// Whether one scope alone gives the name its value.
    pub fn set_by_one_scope_only(&self, name: &str) -> bool {
        !self.changes(name) && self.by_scopes.get(name) == Some(&1)
    }

    fn changes(&self, name: &str) -> bool {
        self.anything_is_set
            || self.set.contains(name)
            || self.is_numbered(name)
            || self
                .beginnings
                .iter()
                .any(|begin| name.starts_with(begin.as_str()))
            || mentions(&self.scripts, name)
    }

    /// Whether the name has a value somewhere, the plan's own variables aside.
    pub fn defines(&self, name: &str) -> bool {
        self.set.contains(name) || self.by_scopes.contains_key(name) || self.is_numbered(name)
    }

    fn is_numbered(&self, name: &str) -> bool {
        let Some((base, end)) = name.rsplit_once('_') else {
            return false;
        };
        let number = !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit());
        (number || end == "matchNr") && self.numbered.contains(base)
    }

    /// The names that are looked at and that nothing is known to set.
    pub fn unexplained(&self) -> impl Iterator<Item = &str> {
        let used = self.used.iter().map(String::as_str);
        used.filter(|name| !self.defines(name))
    }

    /// The names that are set, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set
            .iter()
            .map(String::as_str)
            .chain(self.by_scopes.keys().map(String::as_str))
    }
}

/// Whether a text holds the name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The known names nearest to a wrong one, best first, at most three.
pub(super) fn near_names<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // Names may be any texts, and the distance takes time by the product of both lengths.
    let fold = |name: &str| name.chars().take(64).collect::<String>().to_lowercase();
    let folded = fold(wrong);
    let longest = wrong.to_lowercase().chars().count().max(3);
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (osa_distance(&folded, &fold(name)), name))
        .filter(|(distance, _)| *distance <= longest.div_ceil(3))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_near() {
        let known = || ["user", "user_id", "token", "basket"].into_iter();
        assert_eq!(near_names("usre", known()), ["user"]);
        assert_eq!(near_names("userid", known()), ["user_id", "user"]);
        assert_eq!(near_names("TOKEN", known()), ["token"]);
        assert!(near_names("xyz", known()).is_empty());
    }

    #[test]
    fn a_word_is_mentioned_as_a_word() {
        assert!(mentions("vars.id = 1", "id"));
        assert!(!mentions("vars.idle = 1", "id"));
        assert!(mentions("idle, id", "id"));
    }

    #[test]
    fn all_matches_are_numbered() {
        let mut facts = Facts::default();
        facts.set_all_matches("id");
        assert!(facts.defines("id_1") && facts.defines("id_matchNr") && !facts.never_set("id_22"));
        assert!(!facts.defines("id") && !facts.defines("id_x") && !facts.defines("id_"));
    }
}
