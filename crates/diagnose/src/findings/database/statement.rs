//! Statements by their form, as a database counts them.

use std::sync::Arc;

use plimsoll_stats::names::attributes::AttributeName;
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Exhibit, FindingObject};
use crate::scene::Scene;

/// What the statements of one form did in the judged stretch.
#[derive(Debug, Clone)]
pub(super) struct StatementUse {
    /// The database.
    pub database: Arc<Entity>,
    /// Its short name.
    pub digest: String,
    /// Its text without literals; empty if it is not known.
    pub text: String,
    /// Executions that ended, a second.
    pub rate_per_s: f64,
    /// Executions at once on average: seconds of execution a second.
    pub running: f64,
    /// Rows looked at by an execution.
    pub examined: f64,
    /// Rows given back by an execution.
    pub sent: f64,
    /// Share of the executions that used no index.
    pub no_index: f64,
    /// Whether the database tells what was examined, and without an index.
    pub tells_rows: bool,
    /// The series of its times.
    pub series: SeriesName,
}

/// All forms that ran, those that took most time first.
pub(super) fn all(scene: &Scene<'_>) -> Vec<StatementUse> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let of_all = |each| KINDS.iter().flat_map(move |kind| of(scene, &each, kind));
    let mut found: Vec<StatementUse> = databases.flat_map(of_all).collect();
    found.sort_by(|a, b| b.running.total_cmp(&a.running));
    found
}

/// What a database tells of its statements; none: it does not tell.
struct StatementSeries {
    /// The attribute that tells them apart, and how the facts begin that have their texts.
    id: AttributeName,
    texts: &'static str,
    count: SeriesName,
    time: SeriesName,
    examined: Option<SeriesName>,
    sent: SeriesName,
    no_index: Option<SeriesName>,
}

const KINDS: [StatementSeries; 2] = [
    StatementSeries {
        id: attributes::MYSQL_DIGEST,
        texts: "mysql.digest",
        count: names::mysql::DIGEST_COUNT,
        time: names::mysql::DIGEST_TIME,
        examined: Some(names::mysql::DIGEST_EXAMINED),
        sent: names::mysql::DIGEST_SENT,
        no_index: Some(names::mysql::DIGEST_NO_INDEX),
    },
    StatementSeries {
        id: attributes::POSTGRESQL_QUERY_ID,
        texts: "postgresql.statement",
        count: names::postgresql::STATEMENT_COUNT,
        time: names::postgresql::STATEMENT_TIME,
        examined: None,
        sent: names::postgresql::STATEMENT_ROWS,
        no_index: None,
    },
];

fn of(scene: &Scene<'_>, database: &Arc<Entity>, kind: &StatementSeries) -> Vec<StatementUse> {
    let counts = scene.of(database, kind.count).by(kind.id);
    let ran = counts.into_iter().filter_map(|(digest, count)| {
        let rate_per_s = count.mean().filter(|rate| *rate > 0.0)?;
        let told = |name: SeriesName| scene.of(database, name).with(kind.id, &digest).mean();
        let rate = |name: Option<SeriesName>| name.and_then(told).unwrap_or(0.0);
        let fact = scene.fact(database, &format!("{}.{digest}", kind.texts));
        Some(StatementUse {
            database: Arc::clone(database),
            text: fact.unwrap_or_default().trim().to_owned(),
            rate_per_s,
            running: rate(Some(kind.time)),
            examined: rate(kind.examined) / rate_per_s,
            sent: rate(Some(kind.sent)) / rate_per_s,
            no_index: rate(kind.no_index) / rate_per_s,
            tells_rows: kind.examined.is_some(),
            series: kind.time,
            digest,
        })
    });
    ran.collect()
}

impl StatementUse {
    /// The first table that it names.
    pub(super) fn table(&self) -> Option<String> {
        table(&self.text)
    }

    /// What a finding about it is about: its table, else its text.
    pub(super) fn object(&self) -> FindingObject {
        let (kind, name) = match self.table() {
            Some(table) => ("table", table),
            None => ("statement", self.shown(60)),
        };
        object(kind, name, &self.database)
    }

    /// Its text, cut.
    pub(super) fn shown(&self, letters: usize) -> String {
        let all = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        match all.char_indices().nth(letters) {
            Some((end, _)) => format!("{} …", &all[..end]),
            None => all,
        }
    }

    /// The mean time of an execution, ms.
    pub(super) fn mean_ms(&self) -> f64 {
        self.running / self.rate_per_s.max(1e-9) * 1e3
    }

    /// What it did, and its text.
    pub(super) fn exhibit(&self) -> Exhibit {
        let text = Message::new("exhibit-statement")
            .with("known", if self.tells_rows { "rows" } else { "times" })
            .with("rate", tenths(self.rate_per_s))
            .with("ms", hundredths(self.mean_ms()))
            .with("running", tenths(self.running))
            .with("examined", self.examined.round())
            .with("sent", tenths(self.sent))
            .with("no_index", percent(self.no_index.min(1.0)));
        let mut exhibit = Exhibit::new(text).series(self.series);
        exhibit.lines = vec![self.shown(400)];
        exhibit
    }
}

/// A table of the database, else all of it.
pub(super) fn table_or_database(table: Option<String>, database: &Entity) -> FindingObject {
    match table {
        Some(table) => object("table", table, database),
        None => object("database", database.name.as_str(), database),
    }
}

/// The first table that a statement names, without its schema.
pub(super) fn table(text: &str) -> Option<String> {
    let spaced = text.replace('(', " ( ").replace(',', " , ");
    let mut words = spaced.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let names_one = ["from", "update", "into", "join", "table"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        let Some(mut name) = words.peek().copied().filter(|_| names_one) else {
            continue;
        };
        words.next();
        // `shop` . `orders`, as digests have it.
        while words.peek() == Some(&".") {
            words.next();
            name = words.next()?;
        }
        let bare = name.rsplit('.').next().unwrap_or(name);
        let bare = bare.trim_matches(['`', '"', '\'', ';', ')']);
        let is_name = bare.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        if is_name && !bare.eq_ignore_ascii_case("select") {
            return Some(bare.to_owned());
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_a_statement() {
        for (text, expected) in [
            (
                "SELECT `COUNT` ( * ) FROM `orders` WHERE `a` = ?",
                Some("orders"),
            ),
            ("SELECT * FROM `shop` . `orders` , `b`", Some("orders")),
            ("select a from shop.orders where b", Some("orders")),
            ("INSERT INTO `lines` ( `a` ) VALUES ( ? )", Some("lines")),
            ("UPDATE stock SET a = ?", Some("stock")),
            (
                "SELECT `x` FROM ( SELECT `y` FROM `inner_one` ) AS `t`",
                Some("inner_one"),
            ),
            ("SELECT @@`wait_timeout`", None),
            ("SELECT 1 FROM", None),
            ("", None),
        ] {
            assert_eq!(table(text).as_deref(), expected, "{text}");
        }
    }
}
