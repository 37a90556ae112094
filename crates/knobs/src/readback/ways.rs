//! Each way that a target shows a value.

use super::actuator::{BeanSays, in_configprops, in_env, in_metric};
use super::sight::{NotSeen, Sight};
use crate::formats::command::in_arguments;
use crate::formats::{Address, Format, get};
use crate::knob::{ReadWay, Spelling};

/// A value as a target shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) spelling: Spelling,
    pub(super) by: String,
}

impl Shown {
    pub(super) fn plain(text: String, by: impl Into<String>) -> Self {
        Self {
            text,
            spelling: Spelling::Plain,
            by: by.into(),
        }
    }
}

/// What is there, or that it is hidden.
pub(super) fn there(found: Option<String>, by: String) -> Result<Shown, NotSeen> {
    match found {
        Some(text) => Ok(Shown::plain(text, by)),
        None => Err(NotSeen::hidden(by)),
    }
}

/// Where and how the value was written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) address: &'a Address,
    pub(super) spelling: Spelling,
}

/// What one way shows.
pub(super) fn look(
    way: ReadWay,
    written: Written<'_>,
    sight: &mut dyn Sight,
) -> Result<Shown, NotSeen> {
    match way {
        ReadWay::Actuator(property) | ReadWay::ActuatorEnvironment(property) => {
            property_of(sight, property)
        }
        ReadWay::Meter(name) => {
            let page = format!("metrics/{name}");
            let found = in_metric(&sight.actuator(&page)?);
            there(found, format!("/actuator/{page}"))
        }
        ReadWay::JvmFlag(name) => jvm_flag(sight, name),
        ReadWay::Argument(option) => {
            let found = in_arguments(&sight.arguments()?, &Address::new(option));
            there(found.ok().flatten(), "/proc/PID/cmdline".to_owned())
        }
        ReadWay::Environment(name) => there(
            sight.variable_of_process(name)?,
            "/proc/PID/environ".to_owned(),
        ),
        ReadWay::Variable(name) => variable(sight, name),
        ReadWay::PostgresSetting(name) => postgres_setting(sight, name),
        ReadWay::RedisConfig(name) => redis_config(sight, name),
        ReadWay::KernelFile(path) => Ok(Shown::plain(chosen(&sight.kernel_file(path)?), path)),
        ReadWay::CgroupFile(name) => {
            let text = sight.cgroup_file(name)?;
            Ok(Shown::plain(
                text.trim().to_owned(),
                format!("cgroup {name}"),
            ))
        }
        ReadWay::OpenFiles => Ok(Shown::plain(
            sight.open_files()?.to_string(),
            "/proc/PID/limits",
        )),
        ReadWay::Backlog => backlog(sight),
        ReadWay::NginxWorkers => {
            let workers = sight.workers()?.len();
            Ok(Shown::plain(workers.to_string(), "nginx: worker process"))
        }
        ReadWay::NginxOpenFiles => nginx_open_files(sight),
        ReadWay::NginxConfig => look_at_nginx(sight, written),
    }
}

/// Where the actuator shows the beans of a service.
const BEANS: &str = "/actuator/configprops";

impl ReadWay {
    /// The property of Spring that it shows.
    pub(super) const fn property(self) -> Option<&'static str> {
        match self {
            Self::Actuator(name) | Self::ActuatorEnvironment(name) => Some(name),
            _ => None,
        }
    }
}

/// What the beans of a service were made of.
pub(super) struct Beans {
    /// What they have of the property, by any of its names.
    pub(super) shown: Result<Shown, NotSeen>,
    /// The page was read, and no bean has a property of such a name.
    pub(super) have_none: bool,
}

/// Looks at the beans of a service for a property by any of a knob's names: a name that no bean has is of another
/// version, and its own is read back.
pub(super) fn look_at_beans(reads: &[ReadWay], sight: &mut dyn Sight) -> Beans {
    let page = match sight.actuator("configprops") {
        Ok(page) => page,
        Err(unseen) => {
            return Beans {
                shown: Err(unseen),
                have_none: false,
            };
        }
    };
    let mut have_none = true;
    for property in reads.iter().filter_map(|way| way.property()) {
        match in_configprops(&page, property) {
            BeanSays::Value(text) => {
                return Beans {
                    shown: Ok(Shown::plain(text, BEANS)),
                    have_none: false,
                };
            }
            BeanSays::Hidden => have_none = false,
            BeanSays::Nothing => {}
        }
    }
    Beans {
        shown: Err(NotSeen::hidden(BEANS)),
        have_none,
    }
}

pub(super) fn jvm_flag(sight: &mut dyn Sight, name: &str) -> Result<Shown, NotSeen> {
    Ok(Shown::plain(sight.jvm_flag(name)?, format!("JVM {name}")))
}

pub(super) fn variable(sight: &mut dyn Sight, name: &str) -> Result<Shown, NotSeen> {
    let by = format!("SHOW GLOBAL VARIABLES LIKE '{name}'");
    Ok(Shown::plain(sight.database_variable(name)?, by))
}

pub(super) fn postgres_setting(sight: &mut dyn Sight, name: &str) -> Result<Shown, NotSeen> {
    let by = format!("SHOW {name}");
    Ok(Shown::plain(sight.database_variable(name)?, by))
}

pub(super) fn redis_config(sight: &mut dyn Sight, name: &str) -> Result<Shown, NotSeen> {
    let by = format!("CONFIG GET {name}");
    Ok(Shown::plain(sight.redis_config(name)?, by))
}

/// What beans would be made of: as it is written, whether one reads it or not.
pub(super) fn property_of(sight: &mut dyn Sight, property: &str) -> Result<Shown, NotSeen> {
    let page = format!("env/{property}");
    there(in_env(&sight.actuator(&page)?), format!("/actuator/{page}"))
}

/// `always [madvise] never`: what the kernel marks.
fn chosen(text: &str) -> String {
    let found = get(Format::Whole, text.as_bytes(), &Address::new(""))
        .ok()
        .flatten();
    found.map_or_else(String::new, |found| found.value)
}

/// All listening sockets have it; where they differ (one for shutdown, for management), nobody knows whose it is.
fn backlog(sight: &mut dyn Sight) -> Result<Shown, NotSeen> {
    let all = sight.backlogs()?;
    let first = all.first();
    let first = first.filter(|first| all.iter().all(|one| one.limit == first.limit));
    let first = first.ok_or_else(|| NotSeen::hidden("listening sockets"))?;
    Ok(Shown {
        text: first.limit.to_string(),
        spelling: Spelling::Plain,
        by: format!("listen {}", first.address),
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

/// How often a directive stands in a configuration, in whatever block.
fn times_in(content: &str, directive: &str) -> usize {
    let plain: String = content
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| [line, "\n"])
        .collect();
    let statements = plain.split([';', '{', '}']);
    let named = statements.filter(|one| one.split_whitespace().next() == Some(directive));
    named.count()
}

/// The files say it, and each worker began after they were changed: it has read no others.
pub(super) fn look_at_nginx(sight: &mut dyn Sight, written: Written<'_>) -> Result<Shown, NotSeen> {
    let by = || "nginx.conf".to_owned();
    let seen = sight.nginx_files()?;
    let workers = sight.workers()?;
    if workers.is_empty() || workers.iter().any(|worker| worker.began < seen.changed) {
        return Err(NotSeen::hidden("nginx: worker process"));
    }
    // A block within has its own: what stands without it does not hold there.
    let directive = written.address.path.rsplit("> ").next().unwrap_or_default();
    let all = seen.files.iter();
    let times: usize = all.map(|(_, content)| times_in(content, directive)).sum();
    if times > 1 {
        return Err(NotSeen::hidden(by()));
    }
    let mut values = Vec::new();
    for (path, content) in &seen.files {
        match get(Format::Nginx, content.as_bytes(), written.address) {
            Ok(found) => values.extend(found),
            Err(error) => return Err(NotSeen::failed(path, error)),
        }
    }
    match values.as_slice() {
        // It is in none of them.
        [] => Ok(Shown {
            text: String::new(),
            spelling: written.spelling,
            by: by(),
        }),
        [one] => Ok(Shown {
            text: one.value.clone(),
            spelling: written.spelling,
            by: by(),
        }),
        _ => Err(NotSeen::hidden(by())),
    }
}
