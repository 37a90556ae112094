//! The database of a component: its statements set knobs and read them back.

use std::fmt;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use plimsoll_sql::{DatabaseAddress, Source, SqlOrder, SqlSettings, Statement};
use plimsoll_text::Message;

/// How often it is looked whether the database has said something, and whether somebody still waits for it.
const LOOK: Duration = Duration::from_millis(10);

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

    /// Does a statement. When somebody ends the study it is waited for no more, and its connection goes.
    ///
    /// # Errors
    /// What the database says.
    pub fn set(
        &self,
        statement: &str,
        within: Duration,
        interrupt: &Interrupt,
    ) -> Result<(), String> {
        let statement = Statement::Update(statement.to_owned());
        self.order(statement, within, interrupt)?;
        Ok(())
    }

    /// Asks for a value: the last column of the first row, as `SELECT @@name` and `SHOW VARIABLES LIKE …` have it.
    ///
    /// # Errors
    /// What the database says; an empty text: it has no row.
    pub fn ask(
        &self,
        question: &str,
        within: Duration,
        interrupt: &Interrupt,
    ) -> Result<String, String> {
        let question = Statement::Select(question.to_owned());
        let rows = self.order(question, within, interrupt)?;
        let first = rows.into_iter().next().and_then(|mut row| row.pop());
        first.flatten().ok_or_else(String::new)
    }

    fn order(
        &self,
        statement: Statement,
        within: Duration,
        interrupt: &Interrupt,
    ) -> Result<Vec<Vec<Option<String>>>, String> {
        let source = Source::open(self.0.clone()).map_err(|error| error.to_string())?;
        let order = SqlOrder {
            statement,
            timeout: Some(within),
            max_rows: Some(1),
        };
        let until = Instant::now() + within;
        let mut work = pin!(source.run(0, order));
        let mut context = Context::from_waker(Waker::noop());
        // Where this ends without a response the source goes, and with it its connection.
        loop {
            if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
                let response = done.response.map_err(|error| error.to_string());
                return response.map(|it| it.rows);
            }
            if interrupt.is_hit() {
                return Err("…".to_owned());
            }
            if Instant::now() >= until {
                return Err(format!("no response within {} s", within.as_secs_f64()));
            }
            std::thread::sleep(LOOK);
        }
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
    use std::io::Read as _;
    use std::net::TcpListener;
    use std::sync::mpsc;

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

    /// A server that never greets, and its database.
    fn silent() -> (TcpListener, ComponentDatabase) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("mysql://{}", listener.local_addr().unwrap());
        let database = ComponentDatabase::parse(&address, Path::new(".")).unwrap();
        (listener, database)
    }

    #[test]
    fn a_statement_ends_with_its_study_and_its_connection_goes() {
        let (listener, database) = silent();
        let interrupt = Interrupt::default();
        let until = interrupt.clone();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            until.stop();
            // Until its client goes.
            tell.send(matches!(stream.read(&mut [0; 64]), Ok(0) | Err(_)))
        });
        let ended = database.set("SET GLOBAL x = 1", Duration::from_secs(600), &interrupt);
        assert_eq!(ended, Err("…".to_owned()));
        assert!(told.recv_timeout(Duration::from_secs(60)).unwrap());
    }

    #[test]
    fn a_statement_has_its_time() {
        let (_listener, database) = silent();
        let within = Duration::from_millis(50);
        let ended = database.ask("SELECT 1", within, &Interrupt::default());
        assert_eq!(ended, Err("no response within 0.05 s".to_owned()));
    }
}
