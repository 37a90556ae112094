//! JDBC: the sampler, the two processors, and the data sources they share (JMeter 5.6.3,
//! `AbstractJDBCTestElement`, `DataSourceElement`).
//!
//! MySQL, MariaDB and PostgreSQL are spoken to natively. A plan that needs more of JDBC
//! (another database, callable statements, rows kept as Java objects) has all of its JDBC
//! elements run by the companion, so that they share its data sources.

mod arguments;
mod failure;
mod query;
mod source;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_elements::{Context, DataType, Fault, SampleResult};
use plimsoll_sql::{Done, SqlError, SqlOrder, SqlResponse, Statement};

use super::sampled::{SampleTimes, Sampled};
use crate::element_user::ElementUser;
use failure::QueryFailure;
use plimsoll_load::kit::user::Cut;
use plimsoll_stats::ErrorKind;
use source::{Closed, DataSource};

pub use query::{Query, is_all_native, is_jdbc};

/// What a query says for a user now.
#[derive(Default)]
struct AskedQuery {
    source: String,
    kind: String,
    query: String,
    arguments: String,
    types: String,
    variables: String,
    timeout: String,
    max_rows: String,
}

/// What a query gave, and what it took.
struct QueryOutcome {
    connect: Duration,
    latency: Duration,
    /// What JMeter says of the connection.
    connection: String,
    text: Result<String, QueryFailure>,
}

impl Query {
    fn asked(&self, cx: &mut dyn Context) -> Result<AskedQuery, Fault> {
        Ok(AskedQuery {
            source: self.source.text(cx)?.into_owned(),
            kind: self.kind.text_or(cx, "Select Statement")?.into_owned(),
            query: self.query.text(cx)?.into_owned(),
            arguments: self.arguments.text(cx)?.into_owned(),
            types: self.types.text(cx)?.into_owned(),
            variables: self.variables.text(cx)?.into_owned(),
            timeout: self.timeout.text(cx)?.into_owned(),
            max_rows: self.max_rows.text(cx)?.into_owned(),
        })
    }

    async fn ask(&self, user: &mut ElementUser<'_>) -> AskedQuery {
        let asked = user
            .work(|cx| self.asked(cx), |fault| *fault == Fault::Remote)
            .await;
        asked.unwrap_or_default()
    }

    /// Makes the sample of the sampler.
    ///
    /// # Errors
    /// The run's end cut it off.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Sampled, Cut> {
        let asked = self.ask(user).await;
        let start_ns = user.thread.clock.now_ns();
        let outcome = self.run(user, &asked).await;
        let mut times = SampleTimes {
            start_ns,
            connect_ns: ns(outcome.connect),
            first_byte_ns: start_ns + ns(outcome.latency),
            end_ns: user.thread.clock.now_ns(),
            ..SampleTimes::default()
        };
        let mut result = SampleResult {
            sampler_data: Some(format!(
                "[{}] {}\n{}\n{}",
                asked.kind, asked.query, asked.arguments, asked.types
            )),
            data_type: DataType::Text,
            content_type: "text/plain".to_owned(),
            encoding: Some("UTF-8".to_owned()),
            response_headers: outcome.connection,
            ..SampleResult::new(label)
        };
        result.ok();
        match outcome.text {
            Ok(text) => result.body = text.into_bytes(),
            Err(failure) => {
                result.success = false;
                times.error = Some(match &failure {
                    QueryFailure::Host(_) => ErrorKind::HostNotAllowed,
                    _ => ErrorKind::Other,
                });
                fill_failure(&mut result, failure);
            }
        }
        result.body_bytes = result.body.len() as u64;
        result.received_bytes = result.body_bytes;
        Ok(Sampled::new(result, times))
    }

    /// Does the work of a processor: its variables are all that stays.
    ///
    /// # Errors
    /// Why there was no response.
    pub(crate) async fn process(&self, user: &mut ElementUser<'_>) -> Result<(), Fault> {
        let asked = self.ask(user).await;
        match self.run(user, &asked).await.text {
            Ok(_) => Ok(()),
            Err(QueryFailure::Sql(error)) => Err(Fault::new(error.to_string())),
            Err(QueryFailure::Host(host)) => Err(Fault::new(host_not_allowed(&host))),
            Err(QueryFailure::Java(class, message)) => {
                Err(Fault::new(format!("{class}: {message}")))
            }
        }
    }

    async fn run(&self, user: &mut ElementUser<'_>, asked: &AskedQuery) -> QueryOutcome {
        let failed = |failure: QueryFailure| QueryOutcome {
            connect: Duration::ZERO,
            latency: Duration::ZERO,
            connection: String::new(),
            text: Err(failure),
        };
        let source = match self.source_of(user, &asked.source).await {
            Ok(source) => source,
            Err(failure) => return failed(failure),
        };
        let null = user.thread.jmeter.properties.get("jdbcsampler.nullmarker");
        let order = match order_of(asked, null.as_deref().unwrap_or(arguments::NULL)) {
            Ok(order) => order,
            Err(failure) => return failed(failure),
        };
        let owner = (u64::from(user.scenario.index) << 32) | (u64::from(user.number) + 1);
        let Done {
            connect,
            latency,
            response,
        } = source.source.run(owner, order).await;
        let text = response.map(|response| user.evaluate(|cx| text_of(&response, asked, cx)));
        QueryOutcome {
            connect,
            latency,
            connection: source.description.clone(),
            text: text.map_err(QueryFailure::Sql),
        }
    }

    async fn source_of(
        &self,
        user: &mut ElementUser<'_>,
        name: &str,
    ) -> Result<Arc<DataSource>, QueryFailure> {
        if name.trim().is_empty() {
            let message = "Name for DataSoure must not be empty".to_owned();
            return Err(QueryFailure::Java(
                "java.lang.IllegalArgumentException",
                message,
            ));
        }
        let hosts = Arc::clone(&user.thread.hosts);
        let find = |cx: &mut crate::context::ElementContext<'_, '_>| {
            for element in &self.sources {
                if let Some(found) = source::named(element, name, &hosts, cx)? {
                    return Ok(Some(found));
                }
            }
            Ok::<_, Fault>(None)
        };
        match user
            .work(find, |fault: &Fault| *fault == Fault::Remote)
            .await
        {
            Ok(Some(Ok(source))) => Ok(source),
            Ok(Some(Err(Closed::Host(host)))) => Err(QueryFailure::Host(host)),
            Ok(Some(Err(Closed::Other(reason)))) => {
                Err(QueryFailure::Java("java.sql.SQLException", reason))
            }
            Ok(None) => Err(no_pool(name).into()),
            Err(fault) => Err(QueryFailure::Java(
                "java.lang.IllegalStateException",
                fault.to_string(),
            )),
        }
    }
}

/// No data source has this name (JMeter 5.6.3's words).
fn no_pool(name: &str) -> SqlError {
    let message = format!(
        "No pool found named: '{name}', ensure Variable Name matches Variable Name of JDBC \
         Connection Configuration"
    );
    SqlError {
        class: "java.sql.SQLException",
        message,
        state: String::new(),
        code: 0,
    }
}

/// As samplers of HTTP and TCP say it.
pub(super) fn host_not_allowed(place: &str) -> String {
    format!("Host not allowed: {place}")
}

fn fill_failure(result: &mut SampleResult, failure: QueryFailure) {
    match failure {
        QueryFailure::Sql(error) => {
            let state = if error.state.is_empty() {
                "null"
            } else {
                &error.state
            };
            result.code = format!("{state} {}", error.code);
            result.message = error.to_string();
            result.body = error.message.into_bytes();
        }
        QueryFailure::Host(host) => {
            "000".clone_into(&mut result.code);
            result.message = host_not_allowed(&host);
            result.body = result.message.clone().into_bytes();
        }
        QueryFailure::Java(class, message) => {
            "000".clone_into(&mut result.code);
            result.message = format!("{class}: {message}");
            result.body = message.into_bytes();
        }
    }
}

fn order_of(asked: &AskedQuery, null: &str) -> Result<SqlOrder, QueryFailure> {
    let arguments = || arguments::parse(&asked.arguments, &asked.types, null);
    let query = || asked.query.clone();
    let statement = match asked.kind.as_str() {
        "Select Statement" => Statement::Select(query()),
        "Update Statement" => Statement::Update(query()),
        "Prepared Select Statement" => Statement::PreparedSelect(query(), arguments()?),
        "Prepared Update Statement" => Statement::PreparedUpdate(query(), arguments()?),
        "Commit" => Statement::Commit,
        "Rollback" => Statement::Rollback,
        "AutoCommit(false)" => Statement::AutoCommit(false),
        "AutoCommit(true)" => Statement::AutoCommit(true),
        other => {
            let message = format!("Unexpected query type: {other}");
            return Err(QueryFailure::Java(
                "java.lang.UnsupportedOperationException",
                message,
            ));
        }
    };
    let timeout_s = asked.timeout.parse::<u64>().unwrap_or(0);
    Ok(SqlOrder {
        statement,
        timeout: (timeout_s > 0).then(|| Duration::from_secs(timeout_s)),
        max_rows: asked.max_rows.parse().ok(),
    })
}

/// What JMeter makes of a response: a text, and variables.
fn text_of(response: &SqlResponse, asked: &AskedQuery, cx: &mut dyn Context) -> String {
    match asked.kind.as_str() {
        "Select Statement" | "Prepared Select Statement" => rows_of(response, asked, cx),
        "Update Statement" => format!("{} updates", response.updates),
        "Prepared Update Statement" => format!("{} updates.\n", response.updates),
        // The others answer with their own name.
        other => other.to_owned(),
    }
}

fn rows_of(response: &SqlResponse, asked: &AskedQuery, cx: &mut dyn Context) -> String {
    let mut text = response.columns.join("\t");
    text.push('\n');
    let names: Vec<&str> = asked.variables.split(',').map(str::trim).collect();
    let most = asked.max_rows.parse().unwrap_or(usize::MAX);
    let mut count = 0;
    for row in response.rows.iter().take(most) {
        count += 1;
        let shown: Vec<&str> = row
            .iter()
            .map(|value| value.as_deref().unwrap_or("null"))
            .collect();
        text.push_str(&shown.join("\t"));
        text.push('\n');
        for (name, value) in names.iter().zip(row).filter(|(name, _)| !name.is_empty()) {
            let variable = format!("{name}_{count}");
            match value {
                Some(value) => cx.set(&variable, value),
                None => cx.set_null(&variable),
            }
        }
    }
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let counter = format!("{name}_#");
        let before = cx.get(&counter).and_then(|text| text.parse::<usize>().ok());
        for stale in count + 1..=before.unwrap_or(0) {
            cx.remove(&format!("{name}_{stale}"));
        }
        cx.set(&counter, &count.to_string());
    }
    text
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use plimsoll_elements::context::testing::TestContext;

    use super::*;

    fn response(rows: &[&[Option<&str>]]) -> SqlResponse {
        let text = |value: &Option<&str>| value.map(str::to_owned);
        SqlResponse {
            columns: vec!["id".to_owned(), "name".to_owned()],
            rows: rows
                .iter()
                .map(|row| row.iter().map(text).collect())
                .collect(),
            updates: 0,
        }
    }

    #[test]
    fn rows_become_a_text_and_variables() {
        let asked = AskedQuery {
            kind: "Select Statement".to_owned(),
            variables: "ID, ,X".to_owned(),
            ..AskedQuery::default()
        };
        let mut cx = TestContext::with(&[]);
        let two = response(&[&[Some("1"), Some("a")], &[None, Some("b")]]);
        assert_eq!(text_of(&two, &asked, &mut cx), "id\tname\n1\ta\nnull\tb\n");
        assert_eq!(cx.get("ID_1").as_deref(), Some("1"));
        assert_eq!(
            (cx.get("ID_2"), cx.get("ID_#").as_deref()),
            (None, Some("2"))
        );
        assert_eq!(cx.nulls(), ["ID_2"]);
        let one = response(&[&[Some("9"), Some("c")]]);
        cx.set("ID_2", "stale");
        text_of(&one, &asked, &mut cx);
        assert_eq!(
            (cx.get("ID_1").as_deref(), cx.get("ID_2")),
            (Some("9"), None)
        );
        let none = AskedQuery {
            max_rows: "0".to_owned(),
            ..asked
        };
        assert_eq!(text_of(&one, &none, &mut cx), "id\tname\n");
    }

    #[test]
    fn addresses_with_a_client_are_read_by_it() {
        for (url, known) in [
            ("jdbc:mysql://h/d", true),
            (" jdbc:mariadb://h:3307/d?useSSL=false ", true),
            ("jdbc:postgresql://[::1]/d", true),
            ("jdbc:mysql://one,two/d", false),
            ("jdbc:mysql:loadbalance://one/d", false),
            ("jdbc:mysql://address=(host=h)/d", false),
            ("jdbc:mysql://", false),
            ("jdbc:h2:mem:x", false),
            ("", false),
        ] {
            assert_eq!(plimsoll_elements::jdbc::has_client(url), known, "{url}");
            let is_read = plimsoll_sql::DatabaseAddress::parse(url).is_some();
            assert!(!known || is_read, "{url}");
        }
    }

    #[test]
    fn failures_are_said_as_jmeter_says_them() {
        let mut result = SampleResult::new("q");
        fill_failure(
            &mut result,
            SqlError::server("no such table", "42S02", 1146).into(),
        );
        assert_eq!(result.code, "42S02 1146");
        assert_eq!(
            result.message,
            "java.sql.SQLSyntaxErrorException: no such table"
        );
        fill_failure(&mut result, no_pool("db").into());
        assert_eq!(result.code, "null 0");
    }
}
