//! Statements that read a whole table to give back a little.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::at_database::{AtDatabase, SHARE_AT_STATEMENT};
use super::plans;
use super::statement::{StatementUse, table_or_database};
use crate::model::{Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// An execution must look at so many rows: small tables are read whole for good reasons.
const MANY_ROWS: f64 = 1_000.0;
/// So much of the executions must have used no index.
const WITHOUT_INDEX: f64 = 0.5;

/// Whether a statement reads tables that are not small without an index.
pub(super) fn scans(statement: &StatementUse) -> bool {
    let much_for_little = statement.examined >= 10.0 * statement.sent;
    statement.examined >= MANY_ROWS && statement.no_index >= WITHOUT_INDEX && much_for_little
}

/// Statements that scan and take much of the response time.
pub(super) fn find(
    scene: &Scene<'_>,
    statements: &[StatementUse],
    at: &AtDatabase<'_>,
) -> Vec<Finding> {
    if statements.is_empty() {
        return by_handlers(scene, at).into_iter().collect();
    }
    let scanning = statements.iter().filter(|statement| scans(statement));
    let limiting = scanning.filter(|statement| at.because_of(statement) >= SHARE_AT_STATEMENT);
    limiting
        .map(|statement| finding(scene, statement, at))
        .collect()
}

fn finding(scene: &Scene<'_>, statement: &StatementUse, at: &AtDatabase<'_>) -> Finding {
    let explains = Explains::new(at.because_of(statement), ShareOf::ResponseTime);
    let finding = Finding::new("full_scan", Layer::Cause, statement.object(), explains)
        .with("examined", statement.examined.round())
        .shows(statement.exhibit())
        .shows_all(plans::plan(scene, statement));
    let finding = at.with_code(finding);
    Finding {
        confidence: 0.95,
        source: "performance_schema's statement digests, SUM_NO_INDEX_USED; field case F17",
        ..finding.advises(at.advice("advice-full-scan"))
    }
}

/// Where the database keeps no statistics of statements: its counts of rows read by scans, and
/// what was seen running.
fn by_handlers(scene: &Scene<'_>, at: &AtDatabase<'_>) -> Option<Finding> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let scanned = databases.filter_map(|database| {
        let handlers = scene.of(&database, names::mysql::HANDLERS);
        let rows = handlers
            .with(attributes::MYSQL_HANDLER, "read_rnd_next")
            .mean()?;
        let scans = scene
            .of(&database, names::mysql::SCANS)
            .mean()
            .unwrap_or(0.0);
        let per_scan = rows / scans.max(0.1);
        (per_scan >= MANY_ROWS).then_some((database, rows, per_scan))
    });
    let (database, rows, per_scan) = scanned.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if at.share < SHARE_AT_STATEMENT || rows < MANY_ROWS * scene.throughput_per_s() * 0.5 {
        return None;
    }
    let explains = Explains::new(at.share, ShareOf::ResponseTime);
    let (table, running) = plans::running(scene).unzip();
    let about = table_or_database(table, &database);
    let text = Message::new("exhibit-rows-scanned")
        .with("rows", rows.round())
        .with("per_scan", per_scan.round());
    let finding = Finding::new("full_scan", Layer::Cause, about, explains)
        .with("examined", per_scan.round())
        .shows(Exhibit::new(text).series(names::mysql::HANDLERS))
        .shows_all(running);
    let finding = at.with_code(finding);
    Some(Finding {
        confidence: 0.75,
        source: "Handler_read_rnd_next and Select_scan; field case F17",
        ..finding.advises(at.advice("advice-full-scan"))
    })
}
