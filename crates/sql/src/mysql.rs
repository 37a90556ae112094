//! MySQL and MariaDB.

use mysql_async::consts::ColumnType;
use mysql_async::prelude::{Protocol, Query, Queryable};
use mysql_async::{Column, Conn, OptsBuilder, Params, QueryResult, Value};

use crate::{Argument, SqlError, SqlResponse, SqlSettings, Statement, java};

/// A connection.
pub struct MySql {
    connection: Conn,
    autocommit: bool,
    numbered_errors: bool,
}

impl MySql {
    #[expect(
        clippy::disallowed_methods,
        reason = "who opens a source has asked for its host"
    )]
    pub async fn connect(settings: &SqlSettings) -> Result<Self, SqlError> {
        let address = &settings.address;
        let given = |own: &str, name: &str| match own {
            "" => Some(address.property(name).to_owned()).filter(|text| !text.is_empty()),
            own => Some(own.to_owned()),
        };
        let options = OptsBuilder::default()
            .ip_or_hostname(address.host.clone())
            .resolved_ips(settings.allowed_addresses().await?)
            .tcp_port(address.port)
            .user(given(&settings.user, "user"))
            .pass(given(&settings.password, "password"))
            .db_name(Some(address.database.clone()).filter(|name| !name.is_empty()))
            // Rows that match count as changed, as JDBC's drivers have it.
            .client_found_rows(true)
            .prefer_socket(false)
            .stmt_cache_size(64);
        let connection = Conn::new(options).await.map_err(|error| refused(&error))?;
        // A new session is in this mode.
        Ok(Self {
            connection,
            autocommit: true,
            numbered_errors: settings.numbered_errors,
        })
    }

    pub async fn autocommit(&mut self, on: bool) -> Result<(), SqlError> {
        if self.autocommit != on {
            self.run(&format!("SET autocommit={}", u8::from(on)))
                .await?;
            self.autocommit = on;
        }
        Ok(())
    }

    async fn run(&mut self, sql: &str) -> Result<SqlResponse, SqlError> {
        let result = sql
            .run(&mut self.connection)
            .await
            .map_err(|error| failed(&error))?;
        collect(result, None).await
    }

    pub async fn statement(
        &mut self,
        statement: &Statement,
        max_rows: Option<usize>,
    ) -> Result<SqlResponse, SqlError> {
        let response = self.response(statement, max_rows).await;
        response.map_err(|mut error| {
            if self.numbered_errors && error.code != 0 {
                error.message = format!("(conn={}) {}", self.connection.id(), error.message);
            }
            error
        })
    }

    async fn response(
        &mut self,
        statement: &Statement,
        max_rows: Option<usize>,
    ) -> Result<SqlResponse, SqlError> {
        match statement {
            Statement::Select(sql) | Statement::Update(sql) => {
                let sql = sql.as_str();
                let result = sql
                    .run(&mut self.connection)
                    .await
                    .map_err(|error| failed(&error))?;
                collect(result, max_rows).await
            }
            Statement::PreparedSelect(sql, arguments)
            | Statement::PreparedUpdate(sql, arguments) => {
                let params = match arguments.is_empty() {
                    true => Params::Empty,
                    false => Params::Positional(arguments.iter().map(value_of).collect()),
                };
                let result = self.connection.exec_iter(sql.as_str(), params).await;
                collect(result.map_err(|error| failed(&error))?, max_rows).await
            }
            Statement::Commit => self.run("COMMIT").await,
            Statement::Rollback => self.run("ROLLBACK").await,
            Statement::AutoCommit(on) => {
                self.autocommit(*on).await?;
                Ok(SqlResponse::default())
            }
        }
    }
}

fn value_of(argument: &Argument) -> Value {
    match argument {
        Argument::Null => Value::NULL,
        Argument::Truth(truth) => Value::Int(i64::from(*truth)),
        Argument::Whole(number) => Value::Int(*number),
        Argument::Number(number) => Value::Double(*number),
        Argument::Text(text) => Value::Bytes(text.clone().into_bytes()),
        Argument::Bytes(bytes) => Value::Bytes(bytes.clone()),
    }
}

async fn collect<P: Protocol + Send + 'static>(
    mut result: QueryResult<'_, '_, P>,
    max_rows: Option<usize>,
) -> Result<SqlResponse, SqlError> {
    let mut response = SqlResponse::default();
    let columns = result.columns();
    for column in columns.iter().flat_map(|columns| columns.iter()) {
        response.columns.push(column.name_str().into_owned());
    }
    while let Some(row) = result.next().await.map_err(|error| failed(&error))? {
        if max_rows.is_some_and(|most| most > 0 && response.rows.len() >= most) {
            continue;
        }
        let columns = row.columns();
        let values = columns.iter().zip(row.unwrap());
        response.rows.push(
            values
                .map(|(column, value)| text_of(column, value))
                .collect(),
        );
    }
    response.updates = result.affected_rows();
    result.drop_result().await.map_err(|error| failed(&error))?;
    Ok(response)
}

/// A value as MariaDB's Java driver gives it.
fn text_of(column: &Column, value: Value) -> Option<String> {
    use ColumnType::{
        MYSQL_TYPE_BIT, MYSQL_TYPE_DATETIME, MYSQL_TYPE_DOUBLE, MYSQL_TYPE_FLOAT,
        MYSQL_TYPE_TIMESTAMP, MYSQL_TYPE_TINY, MYSQL_TYPE_YEAR,
    };
    let kind = column.column_type();
    let one_wide = column.column_length() == 1;
    Some(match value {
        Value::NULL => return None,
        // One bit, and whole numbers of one digit, are truth values to Java's drivers.
        Value::Bytes(bytes) if kind == MYSQL_TYPE_BIT && one_wide => {
            bytes.iter().any(|byte| *byte != 0).to_string()
        }
        Value::Bytes(bytes) if kind == MYSQL_TYPE_TINY && one_wide => (bytes != b"0").to_string(),
        Value::Int(number) if kind == MYSQL_TYPE_TINY && one_wide => (number != 0).to_string(),
        Value::Bytes(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match kind {
                MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => {
                    let (seconds, fraction) = text.split_once('.').unwrap_or((&text, ""));
                    java::timestamp(seconds, fraction)
                }
                MYSQL_TYPE_DOUBLE => text.parse().map_or(text, java::double),
                MYSQL_TYPE_FLOAT => text.parse().map_or(text, java::float),
                MYSQL_TYPE_YEAR => format!("{text}-01-01"),
                _ => text,
            }
        }
        Value::Int(year) if kind == MYSQL_TYPE_YEAR => format!("{year}-01-01"),
        Value::UInt(year) if kind == MYSQL_TYPE_YEAR => format!("{year}-01-01"),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Float(number) => java::float(number),
        Value::Double(number) => java::double(number),
        Value::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            match kind {
                MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => java::timestamp(
                    &format!("{date} {hour:02}:{minute:02}:{second:02}"),
                    &format!("{micros:06}"),
                ),
                _ => date,
            }
        }
        Value::Time(negative, days, hours, minutes, seconds, _) => {
            let hours = days * 24 + u32::from(hours);
            let sign = if negative { "-" } else { "" };
            format!("{sign}{hours:02}:{minutes:02}:{seconds:02}")
        }
    })
}

fn refused(error: &mysql_async::Error) -> SqlError {
    match error {
        mysql_async::Error::Server(_) => failed(error),
        other => SqlError::connection(other.to_string()),
    }
}

fn failed(error: &mysql_async::Error) -> SqlError {
    match error {
        mysql_async::Error::Server(server) => SqlError::server(
            server.message.clone(),
            &server.state,
            i64::from(server.code),
        ),
        mysql_async::Error::Io(io) => SqlError::connection(io.to_string()),
        other => SqlError::server(other.to_string(), "HY000", 0),
    }
}
