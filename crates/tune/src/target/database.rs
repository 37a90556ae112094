//! The database of a component: its statements set knobs and read them back.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use plimsoll_sql::{DatabaseAddress, Source, SqlOrder, SqlSettings, Statement};
use plimsoll_text::Message;

/// Where a component's database is, and as whom it is asked.
pub struct ComponentDatabase(SqlSettings);

impl fmt::Debug for ComponentDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.address.authority())
    }
}

impl ComponentDatabase {
    /// Reads `mysql://HOST[:PORT][/DATABASE][,user=NAME][,password-env=NAME | password-file=FILE]`, or the same with
    /// `postgresql`. Files start from a folder.
    ///
    /// # Errors
    /// What is wrong with it; a password is not repeated.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Message> {
        let mut parts = text.split(',');
        let address = parts.next().unwrap_or_default().trim();
        let plain = !address.contains('@');
        let address = DatabaseAddress::parse(&format!("jdbc:{address}")).filter(|_| plain);
        let address = address.ok_or_else(|| bad("tune-bad-database", address_only(text)))?;
        let (mut user, mut password) = (String::new(), String::new());
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim() {
                "user" => value.clone_into(&mut user),
                "password-env" => {
                    password = std::env::var(value)
                        .map_err(|_| bad("tune-database-password", value.to_owned()))?;
                }
                "password-file" => {
                    let read = std::fs::read_to_string(folder.join(value));
                    let read = read.map_err(|_| bad("tune-database-password", value.to_owned()))?;
                    read.trim_end_matches(['\n', '\r'])
                        .clone_into(&mut password);
                }
                other => return Err(bad("tune-bad-database-key", other.to_owned())),
            }
        }
        Ok(Self(SqlSettings {
            address,
            reach: None,
            user,
            password,
            pool_max: 1,
            max_wait: Duration::ZERO,
            autocommit: true,
            isolation: None,
            init: Vec::new(),
            numbered_errors: false,
        }))
    }

    /// Does a statement.
    ///
    /// # Errors
    /// What the database says.
    pub fn set(&self, statement: &str, within: Duration) -> Result<(), String> {
        self.order(Statement::Update(statement.to_owned()), within)?;
        Ok(())
    }

    /// Asks for a value: the last column of the first row, as `SELECT @@name` and `SHOW VARIABLES LIKE …` have it.
    ///
    /// # Errors
    /// What the database says; an empty text: it has no row.
    pub fn ask(&self, question: &str, within: Duration) -> Result<String, String> {
        let rows = self.order(Statement::Select(question.to_owned()), within)?;
        let first = rows.into_iter().next().and_then(|mut row| row.pop());
        first.flatten().ok_or_else(String::new)
    }

    fn order(
        &self,
        statement: Statement,
        within: Duration,
    ) -> Result<Vec<Vec<Option<String>>>, String> {
        let source = Source::open(self.0.clone()).map_err(|error| error.to_string())?;
        let order = SqlOrder {
            statement,
            timeout: Some(within),
            max_rows: Some(1),
        };
        let said = source
            .run_blocking(order)
            .map_err(|error| error.to_string());
        said.map(|response| response.rows)
    }
}

fn bad(id: &'static str, text: String) -> Message {
    Message::new(id).with("text", text)
}

/// Nothing of what may be a secret.
fn address_only(text: &str) -> String {
    let address = text.split(',').next().unwrap_or_default();
    plimsoll_secrets::text(address).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pw"), "s3cret\n").unwrap();
        match ComponentDatabase::parse(text, folder.path()) {
            Ok(ComponentDatabase(it)) => format!(
                "{:?} {}:{}/{} {} {}",
                it.address.kind,
                it.address.host,
                it.address.port,
                it.address.database,
                it.user,
                it.password
            ),
            Err(message) => plimsoll_text::render(plimsoll_text::Lang::En, &message),
        }
    }

    #[test]
    fn addresses_are_read_and_secrets_are_never_repeated() {
        assert_eq!(said("mysql://127.0.0.1"), "MySql 127.0.0.1:3306/  ");
        assert_eq!(
            said("postgresql://db:5433/shop, user=me, password-file=pw"),
            "Postgres db:5433/shop me s3cret"
        );
        for (text, part) in [
            ("", "database"),
            ("redis://db", "redis://db"),
            ("mysql://db,pw=x", "pw"),
            ("mysql://db,user=me,password-file=none", "none"),
            (
                "mysql://db,password-env=PLIMSOLL_NOT_THERE",
                "PLIMSOLL_NOT_THERE",
            ),
        ] {
            assert!(said(text).contains(part), "{text}: {}", said(text));
        }
        let secret = said("mysql://me:hunter2@db");
        assert!(!secret.contains("hunter2"), "{secret}");
    }
}
