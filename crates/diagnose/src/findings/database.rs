//! Databases: statements that read whole tables, that are sent again and again for one request,
//! that wait for locks or simply take long.

mod at_database;
mod full_scan;
mod lock_titles;
mod many_queries;
mod plans;
mod row_locks;
mod slow;
mod statement;
mod table_locks;
mod waiting;

use super::Rule;
use crate::model::Finding;
use crate::scene::Scene;

use at_database::AtDatabase;
pub(super) use waiting::held_up;

pub const RULE: Rule = Rule {
    ids: &[
        "full_scan",
        "many_queries",
        "row_locks",
        "table_locks",
        "slow_statement",
        "slow_database",
    ],
    refuted_by: "a statement that hardly takes of the connections' time, or that waits for a lock, a disk or a CPU instead",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let statements = statement::all(scene);
    let at = AtDatabase::new(scene, &statements);
    let mut found = full_scan::find(scene, &statements, &at);
    found.extend(many_queries::find(scene, &statements, &at));
    found.extend(row_locks::find(scene, &at));
    found.extend(table_locks::find(scene, &at));
    found.extend(lock_titles::find(scene));
    found.extend(slow::statement(scene, &statements, &at));
    if found.is_empty() && statements.is_empty() {
        found.extend(slow::database(scene));
    }
    found
}

#[cfg(test)]
mod tests;
