//! What servers say of themselves: Spring's actuator, databases, Redis, a JVM's flags.

use plimsoll_knobs::readback::NotSeen;
use plimsoll_text::{Lang, render};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::attach::{AttachRequest, ask};
use crate::collector::Trouble;
use crate::collectors::jvm::target::{JvmAddress, JvmProcess};
use crate::collectors::mysql::connection::{MysqlAddress, MysqlConnection};
use crate::collectors::postgresql::KIND;
use crate::collectors::redis::connection::{RedisAddress, RedisConnection};
use crate::http::{EndpointAccess, OriginClient};
use crate::pg::{PgAddress, PgConnection};
use crate::source::{Spec, SpecError};

/// The servers of a component.
pub(super) struct ServersSeen {
    runtime: Runtime,
    actuator: Option<OriginClient>,
    mysql: Option<MysqlConnection>,
    postgres: Option<PgConnection>,
    redis: Option<RedisConnection>,
    /// The flags of a JVM that was asked.
    flags: Option<(JvmProcess, Vec<(String, String)>)>,
}

fn trouble(by: &str, trouble: &Trouble) -> NotSeen {
    NotSeen::failed(by, render(Lang::En, &trouble.message))
}

impl ServersSeen {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            actuator: None,
            mysql: None,
            postgres: None,
            redis: None,
            flags: None,
        })
    }

    pub(super) fn add(&mut self, spec: &Spec) -> Result<(), SpecError> {
        let wrong = |trouble: Trouble| SpecError(trouble.message);
        match spec.source.as_str() {
            "actuator" => {
                let access = EndpointAccess::of(spec, "/actuator").map_err(wrong)?;
                self.actuator = Some(OriginClient::new(access));
            }
            "mysql" => {
                let address = MysqlAddress::of(spec).map_err(wrong)?;
                self.mysql = Some(MysqlConnection::new(address));
            }
            "postgresql" => {
                let address = PgAddress::of(spec, KIND).map_err(wrong)?;
                self.postgres = Some(PgConnection::new(address));
            }
            "redis" => {
                let address = RedisAddress::of(spec).map_err(wrong)?;
                self.redis = Some(RedisConnection::new(address));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn actuator(&mut self, page: &str) -> Result<Value, NotSeen> {
        let client = self.actuator.as_mut().ok_or(NotSeen::NoWay)?;
        let by = format!("/actuator/{page}");
        let asked = self
            .runtime
            .block_on(client.try_get(page, "application/json"));
        let response = asked.map_err(|error| trouble(&by, &error))?;
        match response.status {
            200 => {
                serde_json::from_slice(&response.body).map_err(|error| NotSeen::failed(by, error))
            }
            401 | 403 | 404 => Err(NotSeen::hidden(by)),
            status => Err(NotSeen::failed(by, status)),
        }
    }

    pub(super) fn database_variable(&mut self, name: &str) -> Result<String, NotSeen> {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        if name.is_empty() || !name.chars().all(word) {
            return Err(NotSeen::NoWay);
        }
        let (by, rows) = if let Some(mysql) = &mut self.mysql {
            let sql = format!("SHOW GLOBAL VARIABLES WHERE Variable_name = '{name}'");
            let rows = self.runtime.block_on(mysql.rows(&sql));
            (sql, rows)
        } else if let Some(postgres) = &mut self.postgres {
            let sql = format!("SHOW {name}");
            let rows = self.runtime.block_on(postgres.rows(&sql));
            (sql, rows)
        } else {
            return Err(NotSeen::NoWay);
        };
        let rows = rows.map_err(|error| trouble(&by, &error))?;
        let last = rows
            .into_iter()
            .next()
            .and_then(|row| row.into_iter().next_back()?);
        last.ok_or_else(|| NotSeen::hidden(by))
    }

    pub(super) fn redis_config(&mut self, name: &str) -> Result<String, NotSeen> {
        let redis = self.redis.as_mut().ok_or(NotSeen::NoWay)?;
        let by = format!("CONFIG GET {name}");
        let asked = self.runtime.block_on(redis.parameter(name));
        let found = asked.map_err(|error| trouble(&by, &error))?;
        found.ok_or_else(|| NotSeen::hidden(by))
    }

    /// The value in force of a flag; `collector` stands for the one of the collectors that is on.
    pub(super) fn jvm_flag(&mut self, pid: u32, name: &str) -> Result<String, NotSeen> {
        let by = "VM.flags";
        let process =
            JvmProcess::find(JvmAddress::Pid(pid)).map_err(|error| trouble(by, &error))?;
        if self
            .flags
            .as_ref()
            .is_none_or(|(known, _)| *known != process)
        {
            let request = AttachRequest::jcmd("VM.flags -all");
            let asked = self.runtime.block_on(ask(&process, request));
            let response = asked.map_err(|error| trouble(by, &error))?;
            let text = String::from_utf8_lossy(&response.bytes).into_owned();
            self.flags = Some((process, text.lines().filter_map(flag).collect()));
        }
        let all = self.flags.as_ref().map_or(&[][..], |(_, all)| all);
        let found = match name {
            "collector" => all.iter().find_map(|(flag, value)| {
                let on = flag.strip_prefix("Use")?.strip_suffix("GC")?;
                let one = ["Serial", "Parallel", "G1", "Z", "Shenandoah", "Epsilon"].contains(&on);
                (one && value == "true").then(|| on.to_owned())
            }),
            _ => all
                .iter()
                .find(|(flag, _)| flag == name)
                .map(|(_, value)| value.clone()),
        };
        found.ok_or_else(|| NotSeen::hidden(by))
    }
}

/// `   size_t MaxHeapSize   = 536870912   {product} {ergonomic}`
fn flag(line: &str) -> Option<(String, String)> {
    let (left, right) = line.split_once('=')?;
    let name = left
        .trim()
        .trim_end_matches(':')
        .split_whitespace()
        .last()?;
    let value = right.split('{').next()?.trim();
    Some((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_from_their_lines() {
        for (line, expected) in [
            (
                "   size_t MaxHeapSize    = 536870912    {product} {ergonomic}",
                Some(("MaxHeapSize", "536870912")),
            ),
            (
                "     bool UseG1GC    := true    {product}",
                Some(("UseG1GC", "true")),
            ),
            (
                "    ccstr ErrorFile    =     {product} {default}",
                Some(("ErrorFile", "")),
            ),
            ("[Global flags]", None),
        ] {
            let found = flag(line);
            let found = found
                .as_ref()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn names_that_are_none_are_not_asked_for() {
        let mut servers = ServersSeen::new().unwrap_or_else(|error| panic!("{error}"));
        for name in ["", "a b", "a'b", "max_connections"] {
            assert_eq!(servers.database_variable(name), Err(NotSeen::NoWay));
        }
    }
}
