//! Data sources: one for each configuration element and run, opened when it is first used.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_elements::{Context, Fault, Fields};
use plimsoll_plan::program::ElementProgram;
use plimsoll_sql::{DatabaseAddress, Source, SqlSettings};

use plimsoll_load::engine::hosts::Hosts;

/// JMeter's wait for a connection when the plan says none.
const MAX_WAIT_MS: i64 = 10_000;

/// An open data source.
pub struct DataSource {
    /// The connections.
    pub source: Source,
    /// What is told of the connection in a result.
    pub description: String,
}

/// Why a data source cannot be opened.
#[derive(Clone)]
pub enum Closed {
    /// Its host may not be reached.
    Host(String),
    /// Anything else.
    Other(String),
}

/// A data source, or why it cannot be opened.
type Opened = Result<Arc<DataSource>, Closed>;

/// The data source of an element, if it has this name.
pub fn named(
    element: &ElementProgram,
    name: &str,
    hosts: &Hosts,
    cx: &mut dyn Context,
) -> Result<Option<Opened>, Fault> {
    let fields = Fields(element);
    if fields.field("dataSource").text(cx)?.trim() != name.trim() {
        return Ok(None);
    }
    if let Some(known) = cx.shared(element.site).get() {
        return Ok(known.downcast_ref::<Opened>().cloned());
    }
    let opened = open(fields, hosts, cx)?;
    // Another thread may have opened it meanwhile; then its source is the one.
    let kept = cx.shared(element.site).get_or_init(|| Box::new(opened));
    Ok(kept.downcast_ref::<Opened>().cloned())
}

fn open(fields: Fields<'_>, hosts: &Hosts, cx: &mut dyn Context) -> Result<Opened, Fault> {
    let url = fields.field("dbUrl").text(cx)?.into_owned();
    let Some(address) = DatabaseAddress::parse(&url) else {
        return Ok(Err(Closed::Other(format!(
            "the address of the database is not known before the run, and is none of MySQL, \
             MariaDB or PostgreSQL: {}",
            plimsoll_secrets::text(&url)
        ))));
    };
    let host = match address.host.contains(':') {
        true => format!("[{}]", address.host),
        false => address.host.clone(),
    };
    if !hosts.allows_place(&host, address.port) {
        return Ok(Err(Closed::Host(format!("{host}:{}", address.port))));
    }
    let user = fields.field("username").text(cx)?.into_owned();
    let init = fields.field("initQuery").text(cx)?.into_owned();
    let isolation = fields.field("transactionIsolation").text(cx)?.into_owned();
    let max_wait_ms = fields.field("timeout").whole(cx, MAX_WAIT_MS)?;
    let pool_max = fields.field("poolMax").whole(cx, 0)?;
    let driver = fields.field("driver").text(cx)?.into_owned();
    let description = format!(
        "shared:{}, driver:{driver}, url:{}, user:{}",
        pool_max != 0,
        plimsoll_secrets::text(without_properties(&url)),
        if user.is_empty() { "null" } else { &user },
    );
    let settings = SqlSettings {
        reach: hosts.reach().cloned(),
        address,
        password: fields.field("password").text(cx)?.into_owned(),
        pool_max: usize::try_from(pool_max).unwrap_or(0),
        max_wait: Duration::from_millis(u64::try_from(max_wait_ms).unwrap_or(0)),
        autocommit: fields.field("autocommit").truth(cx, true)?,
        isolation: isolation_of(&isolation),
        init: init
            .lines()
            .filter(|sql| !sql.trim().is_empty())
            .map(str::to_owned)
            .collect(),
        numbered_errors: driver.contains("mariadb"),
        user,
    };
    let opened = Source::open(settings).map_err(|error| Closed::Other(error.to_string()));
    Ok(opened.map(|source| {
        Arc::new(DataSource {
            source,
            description,
        })
    }))
}

/// JMeter's name of an isolation in SQL's words; none: the database's own.
fn isolation_of(name: &str) -> Option<String> {
    let known = [
        "READ_UNCOMMITTED",
        "READ_COMMITTED",
        "REPEATABLE_READ",
        "SERIALIZABLE",
    ];
    let name = name.trim().trim_start_matches("TRANSACTION_");
    known.contains(&name).then(|| name.replace('_', " "))
}

/// An address without its properties.
fn without_properties(url: &str) -> &str {
    url.split(['?', ';']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolations_have_names() {
        assert_eq!(
            isolation_of("TRANSACTION_READ_COMMITTED").as_deref(),
            Some("READ COMMITTED")
        );
        assert_eq!(isolation_of("DEFAULT"), None);
    }

    #[test]
    fn addresses_are_told_without_properties() {
        assert_eq!(
            without_properties("jdbc:mysql://h/db?password=x"),
            "jdbc:mysql://h/db"
        );
    }
}
