//! Keys that a study names itself, without a knob: whose they are, and how that shows them, is said by their file's
//! format.

use super::actuator::{in_env, logger_level};
use super::sight::{NotSeen, Sight};
use super::ways::{Shown, Written, look_at_nginx, there};
use super::{Address, Format, Readback, Spelling};
use crate::value::{Amount, amount, is_switched};

/// Numbers from here on are taken for sizes in bytes, which servers round.
const LEAST_SIZE: f64 = 65_536.0;
/// Servers' sections of MySQL's and MariaDB's options; others are of their clients.
const SERVERS: [&str; 4] = ["mysqld", "mariadb", "mariadbd", "server"];

/// Reads back a key of a file: by the actuator of who reads properties and YAML, by the server's own word for its
/// options, by the kernel for `sysctl`, by the environment or the JVM's flags.
pub fn read_back_key(
    format: Format,
    address: &Address,
    wanted: &str,
    sight: &mut dyn Sight,
) -> Readback {
    let why = match look_at_key(format, address, sight) {
        Ok(shown) => match is_met(wanted, &shown.text) {
            Some(true) => {
                return Readback::Confirmed {
                    has: shown.text,
                    by: shown.by,
                };
            }
            Some(false) => {
                return Readback::Differs {
                    has: shown.text,
                    by: shown.by,
                };
            }
            None => NotSeen::hidden(shown.by),
        },
        Err(unseen) => unseen,
    };
    Readback::NotVisible {
        why: vec![why.message()],
    }
}

fn look_at_key(format: Format, address: &Address, sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let key = address.path.trim();
    match format {
        Format::Properties | Format::SpringProperties | Format::Yaml | Format::SpringYaml => {
            property(sight, key)
        }
        Format::MyCnf => {
            let name = of_server(key).ok_or(NotSeen::NoWay)?.replace('-', "_");
            let by = format!("SHOW GLOBAL VARIABLES LIKE '{name}'");
            Ok(Shown::plain(sight.database_variable(&name)?, by))
        }
        Format::PostgresConf => {
            let by = format!("SHOW {key}");
            Ok(Shown::plain(sight.database_variable(key)?, by))
        }
        Format::RedisConf => {
            let by = format!("CONFIG GET {key}");
            Ok(Shown::plain(sight.redis_config(key)?, by))
        }
        Format::Sysctl => {
            let path = format!("/proc/sys/{}", of_kernel(key));
            Ok(Shown::plain(sight.kernel_file(&path)?, path))
        }
        Format::Nginx => look_at_nginx(
            sight,
            Written {
                address,
                spelling: Spelling::Plain,
            },
        ),
        Format::EnvFile => there(
            sight.variable_of_process(key)?,
            "/proc/PID/environ".to_owned(),
        ),
        Format::JvmOptions => {
            let flag = key.strip_prefix("-XX:").ok_or(NotSeen::NoWay)?;
            Ok(Shown::plain(sight.jvm_flag(flag)?, format!("JVM {flag}")))
        }
        _ => Err(NotSeen::NoWay),
    }
}

/// What the environment of Spring has for a property as it is written; of a logger its level in force. The beans
/// that were made of it spell it in their own way.
fn property(sight: &mut dyn Sight, key: &str) -> Result<Shown, NotSeen> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']');
    if key.is_empty() || !key.chars().all(word) {
        return Err(NotSeen::NoWay);
    }
    if let Some(logger) = key.strip_prefix("logging.level.") {
        let page = format!("loggers/{logger}");
        if let Ok(found) = sight.actuator(&page)
            && let Some(level) = logger_level(&found)
        {
            return Ok(Shown::plain(level, format!("/actuator/{page}")));
        }
    }
    let page = format!("env/{key}");
    there(in_env(&sight.actuator(&page)?), format!("/actuator/{page}"))
}

/// The option of `[mysqld] option`; `None` in a section that no server reads.
fn of_server(key: &str) -> Option<&str> {
    let (section, option) = key.strip_prefix('[')?.split_once(']')?;
    let section = section.trim();
    let is = |known: &str| {
        let rest = section.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let of_server = SERVERS.iter().any(|known| is(known));
    of_server.then(|| option.trim())
}

/// `net.ipv4.ip_forward` and `net/ipv4/ip_forward` below `/proc/sys`: a name with a separator of the other kind
/// has that for its own dots (`sysctl(8)`).
fn of_kernel(key: &str) -> String {
    let first = key.find(['.', '/']);
    if first.is_some_and(|at| key[at..].starts_with('/')) {
        return key.to_owned();
    }
    let swapped = key.chars().map(|c| match c {
        '.' => '/',
        '/' => '.',
        other => other,
    });
    swapped.collect()
}

/// Whether what a target has is what was wanted; `None` where they cannot be compared: a number whose unit only one of
/// both says, a list whose order is the server's.
fn is_met(wanted: &str, has: &str) -> Option<bool> {
    let plain = |text: &str| {
        let text = text.trim().trim_matches(['"', '\'']);
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    let (wanted, has) = (plain(wanted), plain(has));
    if wanted == has {
        return Some(true);
    }
    if let (Some(wanted), Some(has)) = (is_switched(&wanted), is_switched(&has)) {
        return Some(wanted == has);
    }
    match (amount(&wanted), amount(&has)) {
        (Some(wanted), Some(has)) => is_met_by(wanted, has),
        _ if wanted.contains([',', ' ']) => None,
        _ => Some(false),
    }
}

/// The same of numbers. Servers round sizes to what they can take, and show them in bytes.
fn is_met_by(wanted: Amount, has: Amount) -> Option<bool> {
    let same = |wanted: f64, has: f64| (wanted - has).abs() <= 1e-9 * wanted.abs().max(has.abs());
    let rounded = |wanted: f64, has: f64| (wanted * 0.5..=wanted * 2.0).contains(&has);
    match (wanted, has) {
        (Amount::Plain(wanted), Amount::Plain(has)) if wanted < LEAST_SIZE => {
            Some(same(wanted, has))
        }
        (Amount::Plain(wanted), Amount::Plain(has))
        | (Amount::Bytes(wanted), Amount::Plain(has) | Amount::Bytes(has)) => {
            Some(rounded(wanted, has))
        }
        (Amount::Milliseconds(wanted), Amount::Milliseconds(has)) => Some(same(wanted, has)),
        _ => None,
    }
}
