//! Keys that a study names itself, without a knob: whose they are, and how that shows them, is said by their file's
//! format.

use super::actuator::logger_level;
use super::sight::{NotSeen, Sight};
use super::ways::{Shown, Written, look_at_nginx, there};
use super::{Address, Format, Readback, Spelling, ways};
use crate::formats::command::flag_of_short;
use crate::formats::{SERVERS, path_of};
use crate::quantity::{Amount, amount, same_number};
use crate::value::is_switched;

/// Servers that round a size change it by no more than this share of it, or by a block; smaller numbers are no sizes.
const ROUNDED: f64 = 0.01;
const BLOCK_BYTES: f64 = 4_096.0;
const LEAST_SIZE_BYTES: f64 = 65_536.0;

/// How a value is shown beside how it was written.
#[derive(Clone, Copy, PartialEq)]
enum Echo {
    /// As it was written.
    Verbatim,
    /// The same, in any case.
    AnyCase,
    /// A number as a number; words, lists and units in words of the server's own.
    Numbers,
    /// The same, with sizes that are rounded.
    RoundedNumbers,
}

/// Reads back a key of a file: by the actuator of who reads properties and YAML, by the server's own word for its
/// options, by the kernel for `sysctl`, by the environment or the JVM's flags.
pub fn read_back_key(
    format: Format,
    address: &Address,
    wanted: &str,
    sight: &mut dyn Sight,
) -> Readback {
    let why = match look_at_key(format, address, sight) {
        Ok(shown) => {
            let (has, by) = (shown.text, shown.by);
            match is_met(wanted, &has, format) {
                Some(true) => return Readback::Confirmed { has, by },
                Some(false) => return Readback::Differs { has, by },
                None => NotSeen::hidden(by),
            }
        }
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
            let name = of_server(key).ok_or(NotSeen::NoWay)?;
            ways::variable(sight, &name.replace('-', "_"))
        }
        Format::PostgresConf => ways::postgres_setting(sight, key),
        Format::RedisConf => ways::redis_config(sight, key),
        Format::Sysctl => {
            let path = format!("/proc/sys/{}", path_of(key));
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
        Format::JvmOptions => ways::jvm_flag(sight, of_jvm(key).ok_or(NotSeen::NoWay)?),
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
    ways::property_of(sight, key)
}

/// The option of `[mysqld] option`; `None` in a section that no server reads, of whatever version.
fn of_server(key: &str) -> Option<&str> {
    let (section, option) = key.strip_prefix('[')?.split_once(']')?;
    let section = section.trim();
    let is = |known: &str| {
        let rest = section.strip_prefix(known);
        let version = |rest: &str| rest.strip_prefix('-')?.chars().next();
        rest.is_some_and(|rest| {
            rest.is_empty() || version(rest).is_some_and(|first| first.is_ascii_digit())
        })
    };
    let of_server = SERVERS.iter().any(|known| is(known));
    of_server.then(|| option.trim())
}

/// The flag of an option of the JVM.
fn of_jvm(key: &str) -> Option<&str> {
    let long = || Some(key.strip_prefix("-XX:")?.trim_start_matches(['+', '-']));
    flag_of_short(key).or_else(long)
}

const fn echo(format: Format) -> Echo {
    match format {
        Format::Properties | Format::SpringProperties | Format::Yaml | Format::SpringYaml => {
            Echo::AnyCase
        }
        Format::Nginx | Format::EnvFile => Echo::Verbatim,
        Format::MyCnf | Format::JvmOptions => Echo::RoundedNumbers,
        _ => Echo::Numbers,
    }
}

/// Whether what a target has is what was wanted; `None` where that cannot be told: a number whose unit only one of both
/// says, words for which a server has others.
fn is_met(wanted: &str, has: &str, format: Format) -> Option<bool> {
    let echo = echo(format);
    let plain = |text: &str| {
        let text = text.trim().trim_matches(['"', '\'']);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (wanted, has) = (plain(wanted), plain(has));
    let is_same = match echo {
        Echo::Verbatim => wanted == has,
        _ => wanted.eq_ignore_ascii_case(&has),
    };
    if is_same {
        return Some(true);
    }
    if let Echo::Verbatim | Echo::AnyCase = echo {
        let numbers = wanted.parse::<f64>().ok().zip(has.parse::<f64>().ok());
        return Some(numbers.is_some_and(|(wanted, has)| same_number(wanted, has)));
    }
    if let (Some(wanted), Some(has)) = (is_switched(&wanted), is_switched(&has)) {
        return Some(wanted == has);
    }
    let spelling = match format {
        // Redis' `64m` are millions.
        Format::RedisConf => Spelling::RedisSize,
        _ => Spelling::Size,
    };
    let (wanted, has) = (amount(&wanted, spelling)?, amount(&has, spelling)?);
    is_met_by(wanted, has, echo == Echo::RoundedNumbers)
}

/// The same of numbers. Sizes are shown in bytes, whatever their unit was; between one that is rounded and one that is
/// another lies what nobody can tell.
fn is_met_by(wanted: Amount, has: Amount, rounds: bool) -> Option<bool> {
    match (wanted, has) {
        (Amount::Milliseconds(wanted), Amount::Milliseconds(has)) => Some(same_number(wanted, has)),
        (Amount::Plain(wanted), Amount::Plain(has))
        | (Amount::Bytes(wanted), Amount::Plain(has) | Amount::Bytes(has)) => {
            if same_number(wanted, has) {
                return Some(true);
            }
            if !rounds || wanted < LEAST_SIZE_BYTES {
                return Some(false);
            }
            let apart = (wanted - has).abs();
            match apart <= (ROUNDED * wanted).max(BLOCK_BYTES) {
                true => Some(true),
                false if has > wanted * 0.5 && has < wanted * 2.0 => None,
                false => Some(false),
            }
        }
        _ => None,
    }
}
