//! The same statement, sent again and again for one request.

use plimsoll_stats::names;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::at_database::AtDatabase;
use super::full_scan::scans;
use super::statement::StatementUse;
use crate::about::object;
use crate::figures::tenths;
use crate::model::{Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// One form of statement must be sent so often for a request.
const MANY: f64 = 8.0;
/// All forms together, where they are not told apart.
const MANY_OF_ALL: f64 = 15.0;
/// So much of the requests must be in calls to the database.
const SHARE_IN_CALLS: f64 = 0.3;

/// Statements that are sent so often that the calls make up much of the response time.
pub(super) fn find(
    scene: &Scene<'_>,
    statements: &[StatementUse],
    at: &AtDatabase<'_>,
) -> Option<Finding> {
    let throughput = scene.throughput_per_s();
    if throughput <= 0.0 {
        return None;
    }
    if statements.is_empty() {
        return by_count(scene, at);
    }
    let often = statements
        .iter()
        .filter(|statement| statement.rate_per_s >= MANY * throughput && !scans(statement));
    let most = often.max_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s))?;
    // Each costs about a round trip, whatever the time in the database.
    let of_all = most.rate_per_s / at.rate_per_s.max(1e-9);
    let share = at.share * of_all.max(most.running / at.running.max(1e-9));
    if share < SHARE_IN_CALLS {
        return None;
    }
    let per_request = most.rate_per_s / throughput;
    let finding = made(most.object(), share, per_request).shows(most.exhibit());
    let finding = at.with_code(finding);
    Some(Finding {
        confidence: 0.95,
        ..finding.advises(at.advice("advice-many-queries"))
    })
}

/// Where the database does not tell statements apart: all of them for each request.
fn by_count(scene: &Scene<'_>, at: &AtDatabase<'_>) -> Option<Finding> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let counted = databases.filter_map(|database| {
        let rate = scene.of(&database, names::mysql::QUERIES).mean()?;
        Some((database, rate / scene.throughput_per_s()))
    });
    let (database, per_request) = counted.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if per_request < MANY_OF_ALL || at.share < SHARE_IN_CALLS {
        return None;
    }
    let about = object("database", database.name.as_str(), &database);
    let text = Message::new("exhibit-queries-per-request").with("count", tenths(per_request));
    let finding =
        made(about, at.share, per_request).shows(Exhibit::new(text).series(names::mysql::QUERIES));
    let finding = at.with_code(finding);
    Some(Finding {
        confidence: 0.7,
        ..finding.advises(at.advice("advice-many-queries"))
    })
}

fn made(about: crate::model::FindingObject, share: f64, per_request: f64) -> Finding {
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("many_queries", Layer::Cause, about, explains)
        .with("count", tenths(per_request));
    Finding {
        source: "one query for each row (N+1); field case F18",
        ..finding
    }
}
