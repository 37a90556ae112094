//! Each way that a target shows a value.

use super::actuator::{in_configprops, in_env, in_metric};
use super::{NotSeen, Shown, Sight};
use crate::formats::{Address, Format, get};
use crate::knob::{ReadWay, Spelling};

/// What one way shows.
pub(super) fn look(way: ReadWay, sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let plain = |text: String, by: String| Shown {
        text,
        spelling: Spelling::Plain,
        by,
    };
    match way {
        ReadWay::Actuator(property) => property_of(sight, property),
        ReadWay::Meter(name) => {
            let page = format!("metrics/{name}");
            let by = format!("/actuator/{page}");
            let shown = in_metric(&sight.actuator(&page)?);
            shown
                .map(|text| plain(text, by.clone()))
                .ok_or_else(|| NotSeen::hidden(by))
        }
        ReadWay::Bean(bean) => {
            let (name, attribute) = bean.rsplit_once(' ').unwrap_or((bean, ""));
            Ok(plain(sight.bean(name, attribute)?, format!("JMX {bean}")))
        }
        ReadWay::JvmFlag(name) => Ok(plain(sight.jvm_flag(name)?, format!("JVM {name}"))),
        ReadWay::Environment(name) => {
            let by = "/proc/PID/environ".to_owned();
            let found = sight.variable_of_process(name)?;
            found
                .map(|text| plain(text, by.clone()))
                .ok_or_else(|| NotSeen::hidden(by))
        }
        ReadWay::Variable(name) => {
            let text = sight.database_variable(name)?;
            Ok(plain(text, format!("SHOW GLOBAL VARIABLES LIKE '{name}'")))
        }
        ReadWay::PostgresSetting(name) => Ok(plain(
            sight.database_variable(name)?,
            format!("SHOW {name}"),
        )),
        ReadWay::RedisConfig(name) => Ok(plain(
            sight.redis_config(name)?,
            format!("CONFIG GET {name}"),
        )),
        ReadWay::KernelFile(path) => Ok(plain(chosen(&sight.kernel_file(path)?), path.to_owned())),
        ReadWay::CgroupFile(name) => Ok(plain(sight.cgroup_file(name)?, format!("cgroup {name}"))),
        ReadWay::OpenFiles => {
            let limit = sight.open_files()?;
            Ok(plain(limit.to_string(), "/proc/PID/limits".to_owned()))
        }
        ReadWay::Backlog => backlog(sight),
        ReadWay::NginxWorkers => {
            let workers = sight.workers()?.len();
            Ok(plain(
                workers.to_string(),
                "nginx: worker process".to_owned(),
            ))
        }
        ReadWay::NginxOpenFiles => nginx_open_files(sight),
        ReadWay::NginxConfig => nginx_config(sight),
        ReadWay::Argument(_) => Err(NotSeen::NoWay),
    }
}

/// `configprops` first: it is what beans were made of; `env` is what they would be made of.
fn property_of(sight: &mut dyn Sight, property: &str) -> Result<Shown, NotSeen> {
    let shown = |text, by: &str| Shown {
        text,
        spelling: Spelling::Plain,
        by: by.to_owned(),
    };
    let first = sight.actuator("configprops");
    if let Ok(page) = &first
        && let Some(text) = in_configprops(page, property)
    {
        return Ok(shown(text, "/actuator/configprops"));
    }
    let by = format!("/actuator/env/{property}");
    match sight.actuator(&format!("env/{property}")) {
        Ok(page) => match in_env(&page) {
            Some(text) => Ok(shown(text, &by)),
            None => Err(NotSeen::hidden(by)),
        },
        Err(second) => Err(first.err().unwrap_or(second)),
    }
}

/// `always [madvise] never`: what the kernel marks.
fn chosen(text: &str) -> String {
    let found = get(Format::Whole, text.as_bytes(), &Address::new(""))
        .ok()
        .flatten();
    found.map_or_else(String::new, |found| found.value)
}

/// All listening sockets have it, or the least is told.
fn backlog(sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let all = sight.backlogs()?;
    let least = all.iter().min_by_key(|one| one.limit);
    let least = least.ok_or_else(|| NotSeen::hidden("listening sockets"))?;
    Ok(Shown {
        text: least.limit.to_string(),
        spelling: Spelling::Plain,
        by: format!("listen {}", least.address),
    })
}

fn nginx_open_files(sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let workers = sight.workers()?;
    let least = workers.iter().map(|worker| worker.open_files).min();
    let least = least.ok_or_else(|| NotSeen::hidden("nginx: worker process"))?;
    Ok(Shown {
        text: least.to_string(),
        spelling: Spelling::Plain,
        by: "/proc/PID/limits (nginx: worker process)".to_owned(),
    })
}

/// The files say it, and each worker began after they were changed: it has read no others.
fn nginx_config(sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let (text, changed) = sight.configured()?;
    let workers = sight.workers()?;
    match !workers.is_empty() && workers.iter().all(|worker| worker.began >= changed) {
        true => Ok(Shown {
            text,
            spelling: Spelling::Seconds,
            by: "nginx.conf".to_owned(),
        }),
        false => Err(NotSeen::hidden("nginx: worker process")),
    }
}
