//! What a statement of SQL does with a transaction, told by its first words. Of the text nothing is kept but the
//! name of the table that it writes to.

use crate::exchanges::WireMark;
use crate::table_names::TableNames;

/// So much of a text is looked at.
const MAX_BYTES: usize = 512;
/// Words between a verb and the table that it writes to.
const BETWEEN: &[&str] = &[
    "INTO",
    "FROM",
    "ONLY",
    "IGNORE",
    "LOW_PRIORITY",
    "DELAYED",
    "HIGH_PRIORITY",
    "QUICK",
];
/// Rows that are read to be written are locked, too.
const LOCKING: &[&str] = &[
    "FOR UPDATE",
    "FOR SHARE",
    "FOR NO KEY UPDATE",
    "LOCK IN SHARE MODE",
];

/// The beginning of a text as it comes.
#[derive(Default)]
pub(super) struct StatementText {
    kept: Vec<u8>,
    is_cut: bool,
}

impl StatementText {
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.is_cut = false;
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = MAX_BYTES.saturating_sub(self.kept.len());
        self.kept.extend(bytes.iter().take(room));
    }

    /// Bytes of it were not seen.
    pub(super) fn cut(&mut self) {
        self.is_cut |= self.kept.len() < MAX_BYTES;
    }

    /// What was kept, if nothing is missing in it.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        (!self.is_cut).then_some(&*self.kept)
    }

    /// What the statement does.
    pub(super) fn mark(&self, tables: &mut TableNames) -> Option<WireMark> {
        mark(self.bytes()?, tables)
    }
}

/// What a statement does.
pub(super) fn mark(text: &[u8], tables: &mut TableNames) -> Option<WireMark> {
    let text = String::from_utf8_lossy(text);
    let text = behind_comments(&text);
    let upper = text.to_ascii_uppercase();
    let mut words = upper
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    match (first, second) {
        ("BEGIN", _) | ("START", Some("TRANSACTION")) => Some(WireMark::Begins),
        ("ROLLBACK", Some("TO")) => None,
        ("COMMIT" | "ROLLBACK" | "END", _) | ("UNLOCK", _) => Some(WireMark::Ends),
        ("LOCK", Some("TABLE" | "TABLES")) => locks(text, &upper, tables),
        ("SET", _) => autocommit(&upper),
        ("UPDATE" | "INSERT" | "REPLACE" | "DELETE" | "MERGE", _) => writes(text, 1, tables),
        ("SELECT", _) if LOCKING.iter().any(|words| upper.contains(words)) => {
            let from = upper.find(" FROM ")?;
            writes(text.get(from..)?, 0, tables)
        }
        _ => None,
    }
}

/// A table that is locked: by MySQL for itself, until `UNLOCK TABLES`; by PostgreSQL in a transaction.
fn locks(text: &str, upper: &str, tables: &mut TableNames) -> Option<WireMark> {
    let (by_mysql, by_postgres) = (upper.contains(" WRITE"), upper.contains("EXCLUSIVE MODE"));
    match writes(text, 2, tables)? {
        WireMark::Writes { table, .. } if by_mysql || by_postgres => Some(WireMark::Writes {
            table,
            begins: by_mysql,
        }),
        _ => None,
    }
}

fn behind_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(comment) = text.strip_prefix("/*") {
        let Some((_, behind)) = comment.split_once("*/") else {
            return "";
        };
        text = behind.trim_start();
    }
    text
}

/// `SET autocommit = 0`, however it is spelt: from then on each statement is in a transaction.
fn autocommit(upper: &str) -> Option<WireMark> {
    let bare: String = upper.chars().filter(|c| !c.is_whitespace()).collect();
    let (_, value) = bare.split_once("AUTOCOMMIT=")?;
    let is_off = ["0", "OFF", "FALSE"]
        .iter()
        .any(|off| value.starts_with(off));
    Some(if is_off {
        WireMark::Keeps
    } else {
        WireMark::Ends
    })
}

/// The table behind the verb.
fn writes(text: &str, verbs: usize, tables: &mut TableNames) -> Option<WireMark> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
    let words = words.filter(|word| !word.is_empty()).skip(verbs);
    let is_between = |word: &&str| BETWEEN.iter().any(|known| word.eq_ignore_ascii_case(known));
    let table = words.skip_while(is_between).map(str::to_owned).next()?;
    let name = table.split('(').next().unwrap_or_default();
    let bare = name.rsplit('.').next().unwrap_or_default();
    let bare = bare.trim_matches(['`', '"', '[', ']', '\'']);
    let is_name = !bare.is_empty()
        && bare
            .chars()
            .all(|c| c.is_alphanumeric() || "_$-".contains(c));
    let table = tables.number(bare).filter(|_| is_name)?;
    Some(WireMark::Writes {
        table,
        begins: false,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> (Option<WireMark>, TableNames) {
        let mut tables = TableNames::default();
        (mark(text, &mut tables), tables)
    }

    fn table(text: &str) -> String {
        match told(text.as_bytes()) {
            (Some(WireMark::Writes { table, .. }), tables) => {
                tables.name(table).unwrap().to_string()
            }
            (other, _) => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn tables_that_are_written_to_are_told() {
        for text in [
            "update stock set n = n + 1 where id = 7",
            "UPDATE `shop`.`stock` SET n=1",
            "/* app:shop */ INSERT INTO stock(id) VALUES (1)",
            "insert ignore into stock values (1)",
            "delete from only \"stock\" where id = $1",
            "REPLACE INTO shop.stock VALUES (1)",
            "select n\n from stock where id = 1 for update",
            "SELECT n FROM stock WHERE id = 1 LOCK IN SHARE MODE",
            "LOCK TABLES stock WRITE, price READ",
            "lock table shop.stock in access exclusive mode",
        ] {
            assert_eq!(table(text), "stock", "{text}");
        }
        // No database has so long a name.
        let long = format!("update {} set a = 1", "x".repeat(70));
        assert_eq!(told(long.as_bytes()).0, None);
    }

    #[test]
    fn transactions_begin_and_end() {
        for (text, expected) in [
            ("BEGIN", WireMark::Begins),
            ("begin isolation level serializable", WireMark::Begins),
            ("start transaction", WireMark::Begins),
            ("COMMIT;", WireMark::Ends),
            ("rollback", WireMark::Ends),
            ("SET autocommit=0", WireMark::Keeps),
            ("set session autocommit = OFF", WireMark::Keeps),
            ("set AUTOCOMMIT = 1", WireMark::Ends),
            ("unlock tables", WireMark::Ends),
        ] {
            assert_eq!(told(text.as_bytes()).0, Some(expected), "{text}");
        }
        for text in [
            "",
            " ",
            "select 1",
            "select updated from stock",
            "rollback to a",
            "set names utf8",
            "/* update x",
            "update",
            "start slave",
            "lock tables stock read",
            "lock instance for backup",
            "update (select 1) set",
            "\u{fffd}\0\0",
        ] {
            assert_eq!(told(text.as_bytes()).0, None, "{text}");
        }
    }
}
