//! What is watched, from the plan and from `--watch`.

use plimsoll_outputs::split_option;
use plimsoll_plan::Problem;
use plimsoll_plan::model::{Plan, WatchSource};
use plimsoll_text::Message;
use plimsoll_watch::{Level, Spec, named_once};

use crate::LoadSettings;

/// No more addresses that a plan loads are looked for.
const MOST_TARGETS: usize = 8;

/// Everything that the plan and the options name for a load of these addresses, the target first, checked as far as it
/// can be without looking.
///
/// # Errors
/// Names, settings and addresses that make no sense, each where it is written.
pub fn specs(
    plan: &Plan,
    file: &str,
    load: &LoadSettings,
    targets: &[&str],
) -> Result<Vec<Spec>, Vec<Problem>> {
    let (mut specs, mut problems) = (Vec::new(), Vec::new());
    let from_options = load.watch.iter().map(|text| from_option(text));
    for source in plan.watch.iter().cloned().chain(from_options) {
        for spec in at_each(&spec(&source), targets, load.watch_allow_capture) {
            if let Err(error) = spec.check() {
                problems.push(Problem {
                    file: file.to_owned(),
                    ..Problem::error(source.at, error.0)
                });
            }
            specs.push(spec);
        }
    }
    if problems.is_empty() {
        Ok(named_once(specs))
    } else {
        Err(problems)
    }
}

/// A source for a load of these addresses: `auto` looks at each of them.
fn at_each(spec: &Spec, targets: &[&str], captures: bool) -> Vec<Spec> {
    let wanted = match spec.source == "auto" && spec.address.is_empty() {
        true => MOST_TARGETS,
        false => 1,
    };
    let targets = targets.iter().take(wanted);
    targets
        .map(|target| placed(spec.clone(), target, captures))
        .collect()
}

/// A source for a load of `target`: `auto` looks there unless it is told where, and captures may be
/// allowed altogether.
pub(super) fn placed(mut spec: Spec, target: &str, captures: bool) -> Spec {
    if spec.source == "auto" && spec.address.is_empty() {
        spec.address = host_and_port(target);
    }
    if captures {
        spec.level = Level::Capture;
    }
    spec
}

/// `host:port` of a URL, or what is in that form already.
fn host_and_port(target: &str) -> String {
    let url = url::Url::parse(target).ok();
    let parts = url
        .as_ref()
        .and_then(|url| url.host_str().zip(url.port_or_known_default()));
    parts.map_or_else(
        || target.to_owned(),
        |(host, port)| format!("{host}:{port}"),
    )
}

/// The same without a plan: what `plimsoll watch` and `plimsoll agent` name.
///
/// # Errors
/// The first that makes no sense.
pub fn from_texts(texts: &[String], level: Level) -> Result<Vec<Spec>, Message> {
    checked(texts, |mut spec| {
        spec.level = spec.level.max(level);
        spec
    })
}

/// What the command line names for a load of `target` whose plan is not at hand.
///
/// # Errors
/// The first that makes no sense.
pub(super) fn for_target(load: &LoadSettings, target: &str) -> Result<Vec<Spec>, Message> {
    let captures = load.watch_allow_capture;
    checked(&load.watch, |spec| placed(spec, target, captures))
}

fn checked(texts: &[String], adjust: impl Fn(Spec) -> Spec) -> Result<Vec<Spec>, Message> {
    let specs = texts.iter().map(|text| {
        let spec = adjust(spec(&from_option(text)));
        spec.check().map(|()| spec).map_err(|error| error.0)
    });
    specs.collect::<Result<_, _>>().map(named_once)
}

/// `SOURCE[=ADDRESS][,KEY=VALUE]…`, the keys as in a plan.
fn from_option(text: &str) -> WatchSource {
    let (source, address, options) = split_option(text, is_key);
    WatchSource {
        source: source.to_owned(),
        address,
        options: options.into_iter().collect(),
        ..WatchSource::default()
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

fn spec(source: &WatchSource) -> Spec {
    let mut options = source.options.clone();
    let host = options.remove("on");
    let level = match options.remove("allow").as_deref() {
        Some("capture") => Level::Capture,
        _ => Level::Observe,
    };
    Spec {
        source: source.source.clone(),
        address: source.address.clone(),
        host,
        options,
        level,
        reach: None,
    }
}

/// A source that could not be opened or found, in words.
pub(super) fn not_opened(spec: &Spec, reason: Message) -> Message {
    Message::new("event-watch-not-opened")
        .with("source", spec.to_string())
        .with("reason", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of every source, beside those that this file takes out.
    const OF_ALL: [&str; 2] = ["on", "allow"];

    #[test]
    fn plans_and_sources_know_the_same_keys() {
        let plan: Vec<_> = plimsoll_plan::watch_sources();
        for source in plimsoll_watch::SOURCES {
            let named = plan.iter().find(|(name, _)| *name == source.name);
            let (_, keys) = named.unwrap_or_else(|| panic!("plans do not know {}", source.name));
            let mut keys: Vec<_> = keys
                .iter()
                .filter(|key| **key != source.name && !OF_ALL.contains(key))
                .copied()
                .collect();
            let mut options = source.options.concat();
            keys.sort_unstable();
            options.sort_unstable();
            assert_eq!(keys, options, "{}", source.name);
        }
    }

    #[test]
    fn what_the_plan_and_an_option_both_name_is_watched_once() {
        let of_plan = |source: &str, options: &[(&str, &str)]| WatchSource {
            source: source.to_owned(),
            options: options
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..WatchSource::default()
        };
        let plan = Plan {
            watch: vec![of_plan("host", &[]), of_plan("auto", &[("on", "app1")])],
            ..Plan::default()
        };
        let load = LoadSettings {
            watch: vec!["auto".to_owned(), "auto,allow=capture".to_owned()],
            ..LoadSettings::default()
        };
        let targets = ["http://127.0.0.1:8080/x"];
        let specs = specs(&plan, "", &load, &targets).unwrap_or_default();
        let shown: Vec<_> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["host", "auto 127.0.0.1:8080"]);
        assert_eq!(specs[1].host.as_deref(), Some("app1"));
        assert_eq!(
            [specs[0].level, specs[1].level],
            [Level::Observe, Level::Capture]
        );
    }

    #[test]
    fn auto_looks_at_each_address_that_is_loaded() {
        let load = LoadSettings {
            watch: vec!["auto".to_owned(), "host".to_owned(), "auto=db:1".to_owned()],
            ..LoadSettings::default()
        };
        let targets = ["http://one:8080", "https://two", "http://one:8080"];
        let specs = specs(&Plan::default(), "", &load, &targets).unwrap_or_default();
        let shown: Vec<_> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["auto one:8080", "auto two:443", "host", "auto db:1"]
        );
    }

    #[test]
    fn options_are_read_as_in_a_plan() {
        let source = from_option("mysql=mysql://db:3306,user=root,password-env=PW,on=db1");
        let spec = spec(&source);
        assert_eq!(
            (&*spec.source, &*spec.address),
            ("mysql", "mysql://db:3306")
        );
        assert_eq!(spec.host.as_deref(), Some("db1"));
        assert_eq!(spec.options["password-env"], "PW");
        let source = from_option("prometheus=http://h/metrics?match=a,b&x=1");
        assert_eq!(source.address, "http://h/metrics?match=a,b&x=1");
        assert_eq!(from_option("auto").source, "auto");
        assert_eq!(host_and_port("http://[::1]:8080"), "[::1]:8080");
        assert_eq!(host_and_port("https://shop"), "shop:443");
        assert_eq!(host_and_port("localhost:8080"), "localhost:8080");
    }
}
