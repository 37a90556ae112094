//! `SHOW ENGINE INNODB STATUS`, without the literals and rows in it.

use plimsoll_text::Message;

use super::server_report::{ReportText, ServerReport};
use crate::collector::{Pending, Trouble};
use crate::collectors::mysql::connection::MysqlConnection;
use crate::rows::text;
use crate::statement::{SqlDialect, without_literals};

/// Takes InnoDB's status of one server.
pub(crate) struct InnodbStatus {
    connection: MysqlConnection,
}

impl InnodbStatus {
    pub(crate) fn new(connection: MysqlConnection) -> Self {
        Self { connection }
    }
}

impl ServerReport for InnodbStatus {
    const KIND: &'static str = "innodb_status";

    fn ask(&mut self) -> Pending<'_, ReportText> {
        Box::pin(async move {
            let rows = self.connection.rows("SHOW ENGINE INNODB STATUS").await?;
            let Some(row) = rows.first() else {
                let message = Message::new("watch-mysql-no-innodb");
                return Err(Trouble::new(
                    message.with("address", self.connection.shown()),
                ));
            };
            Ok(ReportText::Plain(cleaned(text(row, 2))))
        })
    }
}

/// Statements lose their literals, records their contents.
fn cleaned(status: &str) -> String {
    let mut shown = String::with_capacity(status.len());
    let mut statement: Option<String> = None;
    for line in status.lines() {
        if statement.is_some() && ends_statement(line) {
            flush(&mut statement, &mut shown);
        }
        if let Some(statement) = &mut statement {
            statement.push_str(line);
            statement.push('\n');
        } else if begins_statement(line) {
            statement = Some(format!("{line}\n"));
        } else {
            // ` 0: len 4; hex 8000000a; asc     ;;`
            let record = line
                .split_once("; hex ")
                .filter(|(len, _)| len.contains(": len "));
            shown.push_str(record.map_or(line, |(len, _)| len));
            shown.push('\n');
        }
    }
    flush(&mut statement, &mut shown);
    shown
}

fn flush(statement: &mut Option<String>, shown: &mut String) {
    if let Some(statement) = statement.take() {
        shown.push_str(without_literals(&statement, SqlDialect::MySql).trim_end());
        shown.push('\n');
    }
}

/// Words that a statement begins with.
const BEGINS: &[&str] = &[
    "select", "insert", "update", "delete", "replace", "with", "call", "set", "load", "create",
    "alter", "drop", "grant", "prepare", "execute", "truncate", "explain", "/*", "(",
];

fn begins_statement(line: &str) -> bool {
    let word: String = line.trim_start().chars().take(10).collect();
    let word = word.to_ascii_lowercase();
    BEGINS.iter().any(|begin| {
        word.strip_prefix(begin)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// Lines of the status itself.
const ENDS: &[&str] = &[
    "---",
    "***",
    "===",
    "RECORD LOCKS",
    "TABLE LOCK",
    "Trx ",
    "Record lock",
    "Foreign key",
];

fn ends_statement(line: &str) -> bool {
    ENDS.iter().any(|begin| line.starts_with(begin))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_row_is_left() {
        let status = "\
---TRANSACTION 421, ACTIVE 5 sec starting index read
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MySQL thread id 7, OS thread handle 1, query id 99 127.0.0.1 app Updating
update users set name = 'Ann
Lee' where id = 5
------- TRX HAS BEEN WAITING 5 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 72 index PRIMARY of table `shop`.`users`
Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0
 0: len 4; hex 416e6e00; asc Ann ;;
";
        let shown = cleaned(status);
        assert!(!shown.contains("Ann") && !shown.contains("Lee") && !shown.contains("416e"));
        assert!(
            shown.contains("update users set name = ? where id = ?\n-------"),
            "{shown}"
        );
        assert!(shown.contains("LOCK WAIT 2 lock") && shown.contains("\n 0: len 4\n"));
        assert_eq!(shown.lines().count(), status.lines().count() - 1);
    }
}
