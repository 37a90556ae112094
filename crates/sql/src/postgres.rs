//! PostgreSQL.

use std::collections::HashMap;
use std::error::Error;

use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Statement as Prepared};

use crate::{Argument, SqlError, SqlResponse, SqlSettings, Statement};

mod decode;

/// Statements kept prepared for a connection.
const MOST_PREPARED: usize = 64;

/// A connection.
pub struct Postgres {
    client: Client,
    prepared: HashMap<String, Prepared>,
    autocommit: bool,
    in_transaction: bool,
}

impl Postgres {
    #[expect(
        clippy::disallowed_methods,
        reason = "who opens a source has asked for its host"
    )]
    pub async fn connect(settings: &SqlSettings) -> Result<Self, SqlError> {
        let address = &settings.address;
        let given = |own: &str, name: &str| match own {
            "" => address.property(name).to_owned(),
            own => own.to_owned(),
        };
        let mut config = Config::new();
        match settings.allowed_addresses().await? {
            None => _ = config.host(&address.host),
            Some(allowed) => allowed
                .into_iter()
                .for_each(|ip| _ = config.host(&address.host).hostaddr(ip)),
        }
        config
            .port(address.port)
            .user(given(&settings.user, "user"))
            .password(given(&settings.password, "password"))
            .application_name("plimsoll");
        if !address.database.is_empty() {
            config.dbname(&address.database);
        }
        let (client, connection) = config
            .connect(NoTls)
            .await
            .map_err(|error| failed(&error))?;
        tokio::task::spawn_local(async move {
            // Its end shows in the next statement.
            let _ = connection.await;
        });
        Ok(Self {
            client,
            prepared: HashMap::new(),
            autocommit: true,
            in_transaction: false,
        })
    }

    pub async fn autocommit(&mut self, on: bool) -> Result<(), SqlError> {
        if on && self.in_transaction {
            self.end("COMMIT").await?;
        }
        self.autocommit = on;
        Ok(())
    }

    async fn end(&mut self, sql: &str) -> Result<(), SqlError> {
        if self.in_transaction {
            self.in_transaction = false;
            self.client
                .batch_execute(sql)
                .await
                .map_err(|error| failed(&error))?;
        }
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), SqlError> {
        if !self.autocommit && !self.in_transaction {
            self.client
                .batch_execute("BEGIN")
                .await
                .map_err(|error| failed(&error))?;
            self.in_transaction = true;
        }
        Ok(())
    }

    pub async fn statement(
        &mut self,
        statement: &Statement,
        max_rows: Option<usize>,
    ) -> Result<SqlResponse, SqlError> {
        match statement {
            Statement::Commit => self.end("COMMIT").await.map(|()| SqlResponse::default()),
            Statement::Rollback => self.end("ROLLBACK").await.map(|()| SqlResponse::default()),
            Statement::AutoCommit(on) => {
                self.autocommit(*on).await.map(|()| SqlResponse::default())
            }
            Statement::Select(sql) => self.rows(sql, &[], max_rows).await,
            Statement::PreparedSelect(sql, arguments) => self.rows(sql, arguments, max_rows).await,
            Statement::Update(sql) => self.update(sql, &[]).await,
            Statement::PreparedUpdate(sql, arguments) => self.update(sql, arguments).await,
        }
    }

    /// The statement, with `?` of JDBC as `$1` …, prepared once for the connection.
    async fn prepare(&mut self, sql: &str) -> Result<Prepared, SqlError> {
        if let Some(known) = self.prepared.get(sql) {
            return Ok(known.clone());
        }
        let made = self
            .client
            .prepare(&numbered(sql))
            .await
            .map_err(|error| failed(&error))?;
        if self.prepared.len() >= MOST_PREPARED {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), made.clone());
        Ok(made)
    }

    async fn rows(
        &mut self,
        sql: &str,
        arguments: &[Argument],
        max_rows: Option<usize>,
    ) -> Result<SqlResponse, SqlError> {
        self.begin().await?;
        let statement = self.prepare(sql).await?;
        let mut response = SqlResponse {
            columns: statement
                .columns()
                .iter()
                .map(|column| column.name().to_owned())
                .collect(),
            ..SqlResponse::default()
        };
        let stream = self.client.query_raw(&statement, arguments).await;
        let stream = stream.map_err(|error| failed(&error))?;
        pin_mut!(stream);
        while let Some(row) = stream.try_next().await.map_err(|error| failed(&error))? {
            if max_rows.is_some_and(|most| most > 0 && response.rows.len() >= most) {
                continue;
            }
            let value = |index| {
                row.try_get::<_, Option<ShownValue>>(index)
                    .map(|v| v.map(|v| v.0))
            };
            let values: Result<Vec<_>, _> = (0..row.len()).map(value).collect();
            response.rows.push(values.map_err(|error| failed(&error))?);
        }
        response.updates = stream.rows_affected().unwrap_or(0);
        Ok(response)
    }

    async fn update(&mut self, sql: &str, arguments: &[Argument]) -> Result<SqlResponse, SqlError> {
        self.begin().await?;
        let statement = self.prepare(sql).await?;
        let updates = self.client.execute_raw(&statement, arguments).await;
        let updates = updates.map_err(|error| failed(&error))?;
        Ok(SqlResponse {
            updates,
            ..SqlResponse::default()
        })
    }
}

/// `?` outside of quotes and comments becomes `$1`, `$2` …; `??` is an operator's `?`
/// (PgJDBC's rule).
fn numbered(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 8);
    let mut chars = sql.chars().peekable();
    let mut quote = None;
    let mut count = 0;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '?') if chars.peek() == Some(&'?') => {
                chars.next();
            }
            (None, '?') => {
                count += 1;
                out.push_str(&format!("${count}"));
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

impl ToSql for Argument {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        // All are sent as text: the server knows what its parameters are.
        let text = match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Truth(truth) => truth.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Bytes(bytes) if *kind == Type::BYTEA => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("\\x{hex}")
            }
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}

/// A value as Java's driver writes it.
struct ShownValue(String);

impl<'a> FromSql<'a> for ShownValue {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        decode::text(kind, raw).map(Self)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn failed(error: &tokio_postgres::Error) -> SqlError {
    match error.as_db_error() {
        Some(server) => {
            let severity = server.severity();
            let mut message = format!("{severity}: {}", server.message());
            if let Some(tokio_postgres::error::ErrorPosition::Original(at)) = server.position() {
                message.push_str(&format!("\n  Position: {at}"));
            }
            SqlError {
                class: "org.postgresql.util.PSQLException",
                ..SqlError::server(message, server.code().code(), 0)
            }
        }
        None => SqlError {
            class: "org.postgresql.util.PSQLException",
            state: "08001".to_owned(),
            ..SqlError::connection(reasons(error))
        },
    }
}

/// An error with what caused it.
fn reasons(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn parameters_are_numbered() {
        assert_eq!(
            numbered("select * from t where a = ? and b = '?' and c ?? 'x' and \"d?\" = ?"),
            "select * from t where a = $1 and b = '?' and c ? 'x' and \"d?\" = $2"
        );
    }
}
