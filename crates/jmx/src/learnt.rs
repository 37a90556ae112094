//! Classes of other people's jars that this process has been told of: what a class is does not depend on the plan.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::category::Category;

/// What is known of a class.
#[derive(Clone, Copy)]
struct LearntClass {
    category: Category,
    on_pass: bool,
}

static LEARNT: RwLock<Option<HashMap<String, LearntClass>>> = RwLock::new(None);

/// Learns what a class is.
pub(crate) fn learn(class: &str, category: Category, on_pass: bool) {
    let mut learnt = LEARNT.write().unwrap_or_else(PoisonError::into_inner);
    let class = class.to_owned();
    let known = LearntClass { category, on_pass };
    learnt.get_or_insert_default().insert(class, known);
}

fn known(class: &str) -> Option<LearntClass> {
    let learnt = LEARNT.read().unwrap_or_else(PoisonError::into_inner);
    learnt.as_ref()?.get(class).copied()
}

/// The category of a class that was learnt.
pub(crate) fn category(class: &str) -> Option<Category> {
    known(class).map(|known| known.category)
}

/// Whether a class that was learnt works each time its scope is entered.
pub(crate) fn works_on_pass(class: &str) -> bool {
    known(class).is_some_and(|known| known.on_pass)
}
