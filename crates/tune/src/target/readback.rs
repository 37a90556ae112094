//! Whether values arrived: what the running target shows of them. Nothing that is watched is executed for it.

use std::cell::OnceCell;
use std::path::Path;

use plimsoll_knobs::readback::{Readback, Sight as _, read_back, read_back_key, shown_now};
use plimsoll_knobs::{Address, Format};
use plimsoll_plan::study::ReadBackSpec;
use plimsoll_run::Interrupt;
use plimsoll_watch::settings::TargetSight;
use plimsoll_watch::{Level, Spec, around};

use super::addresses::{listener, port_of};
use super::arguments::value_in;
use super::asked::{QUESTION, await_actuators, of_all_behind, of_command};
use super::database::ComponentDatabase;
use super::marks::{self, MarkedProcess};
use super::place::{NamedSetting, Place, TargetKnob};
use crate::space::{Domain, reads_as};
use crate::trial::{NotArrived, SeenValue};

/// Sources that show settings.
const SHOWING: [&str; 4] = ["actuator", "mysql", "postgresql", "redis"];
/// As much of what a target shows is kept.
const KEPT_CHARS: usize = 200;

/// What a target shows of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// It has it.
    Arrived(SeenValue),
    /// It has something else.
    Other(NotArrived),
    /// It shows nothing where it should: why.
    Nothing(NotArrived),
    /// Nothing can show it.
    NotConfirmed,
}

/// A component as it is asked for its settings.
pub struct ComponentSeen<'a> {
    /// What its processes carry; none where the study does not start it.
    pub mark: Option<&'a str>,
    /// The study's folder.
    pub folder: &'a Path,
    /// What the study says shows its settings.
    pub sources: &'a [Spec],
    /// What shows its settings, once that was looked for.
    pub found: OnceCell<Vec<Spec>>,
    /// Where it listens, as far as that is known.
    pub listens: Option<String>,
    /// The processes that listen there: the first one stands for the others.
    pub listeners: Vec<u32>,
    /// Where it takes statements.
    pub database: Option<ComponentDatabase>,
    /// Ends what is asked.
    pub interrupt: Interrupt,
}

impl ComponentSeen<'_> {
    /// What shows its settings: as the study says it, else what is found where it listens.
    fn found_sources(&self) -> &[Spec] {
        self.found.get_or_init(|| self.look_for_sources())
    }

    fn look_for_sources(&self) -> Vec<Spec> {
        let shows = |spec: &Spec| SHOWING.contains(&spec.source.as_str());
        let mut sources: Vec<Spec> = self
            .sources
            .iter()
            .filter(|it| shows(it))
            .cloned()
            .collect();
        self.leave_out_others(&mut sources);
        if self.mark.is_some() {
            await_actuators(&sources);
        }
        if let Some(address) = &self.listens {
            let mut found = around(address, Level::Observe).specs;
            found.retain(|spec| {
                let is_known = sources.iter().any(|known| known.source == spec.source);
                shows(spec) && !is_known
            });
            sources.extend(found);
        }
        sources
    }

    /// Of several of a kind those of others are no sources of this component, where it is known whose they are: what the
    /// whole run watches may be of other services.
    fn leave_out_others(&self, sources: &mut Vec<Spec>) {
        let own = self.processes();
        let is_own = |spec: &Spec| {
            let process = listener(&spec.address);
            process.is_some() && own.contains(&process)
        };
        for kind in SHOWING {
            let of_kind = |spec: &&Spec| spec.source == kind;
            let several = sources.iter().filter(of_kind).count() > 1;
            if several && sources.iter().filter(of_kind).any(is_own) {
                sources.retain(|spec| spec.source != kind || is_own(spec));
            }
        }
    }

    /// Its processes, the one that listens first: what has started it may have kept a value for itself.
    fn processes(&self) -> Vec<Option<u32>> {
        let Some(mark) = self.mark else {
            return vec![None];
        };
        let pids = marks::marked(mark).into_iter();
        let pids = pids.map(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
        let mut pids: Vec<Option<u32>> = pids.collect();
        pids.sort_by_key(|pid| pid.is_none() || *pid != self.listener());
        pids
    }

    /// What the one that listens has, else the first that has it; none where no process shows such things, or the one
    /// that listens shows that it has none: others may have kept the value for themselves.
    fn shown_by(
        &self,
        of: &dyn Fn(&MarkedProcess) -> Option<String>,
        shows: &dyn Fn(&MarkedProcess) -> bool,
    ) -> Option<Result<String, String>> {
        let mut seen = marks::seen(self.mark.unwrap_or_default());
        let listens = |it: &MarkedProcess| Some(it.pid) == self.listener();
        seen.sort_by_key(|it| !listens(it));
        let first = seen.first().filter(|it| listens(it) && shows(it));
        let others_have = || seen.iter().find_map(of);
        match first.map_or_else(others_have, of) {
            Some(value) => Some(Ok(self.with_others(value, &seen, of))),
            None if first.is_some() && others_have().is_some() => None,
            None if !seen.iter().any(shows) => None,
            None => Some(Err(String::new())),
        }
    }

    /// What all of those who listen have, where several share a port: each must have the value.
    fn with_others(
        &self,
        value: String,
        seen: &[MarkedProcess],
        of: &dyn Fn(&MarkedProcess) -> Option<String>,
    ) -> String {
        let listen = seen.iter().filter(|it| self.listeners.contains(&it.pid));
        match listen.filter_map(of).find(|other| *other != value) {
            Some(other) => format!("{value}, {other}"),
            None => value,
        }
    }

    /// The process that listens.
    fn listener(&self) -> Option<u32> {
        self.listeners.first().copied()
    }

    fn port(&self) -> Option<u16> {
        port_of(self.listens.as_ref()?)
    }
}

/// What a knob by name is in a component: the process that shows it.
#[must_use]
pub fn look_by_name(
    knob: &TargetKnob,
    setting: &NamedSetting,
    wanted: &str,
    component: &ComponentSeen<'_>,
) -> Shown {
    let address = match &knob.place {
        Place::File {
            format: Format::Nginx,
            address,
            ..
        } => Some(address),
        _ => None,
    };
    let value = setting.value(wanted);
    by_any_process(knob, wanted, component, &|sight| {
        read_back(setting.knob, &value, address, sight)
    })
}

/// What a key of a file is in a component, as far as the file's format says who shows it.
fn look_by_key(
    knob: &TargetKnob,
    (format, address): (Format, &Address),
    wanted: &str,
    component: &ComponentSeen<'_>,
) -> Shown {
    by_any_process(knob, wanted, component, &|sight| {
        read_back_key(format, address, wanted, sight)
    })
}

/// What the processes of a component show: one that has the value is enough, the one that listens decides.
fn by_any_process(
    knob: &TargetKnob,
    wanted: &str,
    component: &ComponentSeen<'_>,
    ask: &dyn Fn(&mut TargetSight) -> Readback,
) -> Shown {
    let mut shown = Shown::NotConfirmed;
    for process in component.processes() {
        let Some(mut sight) = sight(process, component) else {
            continue;
        };
        match ask(&mut sight) {
            Readback::Confirmed { has, by } => {
                return match others_differ(knob, process, component, ask) {
                    Some(others) => other(knob, wanted, &format!("{has}, {others}")),
                    None => arrived(knob, &has, &by),
                };
            }
            // Others may have the value for themselves alone.
            Readback::Differs { has, .. }
                if process.is_some() && process == component.listener() =>
            {
                return other(knob, wanted, &has);
            }
            Readback::Differs { has, .. } if shown == Shown::NotConfirmed => {
                shown = other(knob, wanted, &has);
            }
            // It was started without it, whatever others have for themselves.
            Readback::NotVisible { .. }
                if process.is_some()
                    && process == component.listener()
                    && shows_its_start(knob, &mut sight) =>
            {
                return Shown::NotConfirmed;
            }
            Readback::Differs { .. } | Readback::NotVisible { .. } => {}
        }
    }
    shown
}

/// What another one that listens has instead, of what it was started with.
fn others_differ(
    knob: &TargetKnob,
    first: Option<u32>,
    component: &ComponentSeen<'_>,
    ask: &dyn Fn(&mut TargetSight) -> Readback,
) -> Option<String> {
    if !matches!(knob.place, Place::Option(_) | Place::Environment(_)) {
        return None;
    }
    let listens = |pid: &Option<u32>| pid.is_some_and(|pid| component.listeners.contains(&pid));
    let others = component.processes().into_iter().filter(listens);
    let mut others = others.filter(|pid| *pid != first);
    others.find_map(|pid| match ask(&mut sight(pid, component)?) {
        Readback::Differs { has, .. } => Some(has),
        Readback::Confirmed { .. } | Readback::NotVisible { .. } => None,
    })
}

/// Whether a process shows what it was started with, where that is what the knob is.
fn shows_its_start(knob: &TargetKnob, sight: &mut TargetSight) -> bool {
    match &knob.place {
        Place::Option(_) => sight.arguments().is_ok_and(|words| words.len() > 1),
        Place::Environment(_) => {
            let mark = sight.variable_of_process(marks::VARIABLE);
            mark.is_ok_and(|mark| mark.is_some())
        }
        _ => false,
    }
}

/// What the running target has of knobs by name, as far as it shows it.
#[must_use]
pub fn as_found(
    knobs: &[(&TargetKnob, &NamedSetting)],
    component: &ComponentSeen<'_>,
) -> Vec<SeenValue> {
    let mut seen: Vec<SeenValue> = Vec::new();
    for process in component.processes() {
        let Some(mut sight) = sight(process, component) else {
            continue;
        };
        for (knob, setting) in knobs {
            let known = seen.iter().any(|value| value.knob == knob.name);
            if let (false, Some((has, by))) = (known, shown_now(setting.knob, &mut sight)) {
                seen.push(value_seen(knob, &has, &by));
            }
        }
    }
    seen
}

fn sight(process: Option<u32>, component: &ComponentSeen<'_>) -> Option<TargetSight> {
    let mut sight = TargetSight::new().ok()?;
    for spec in component.found_sources() {
        sight = sight.with(spec).ok()?;
    }
    Some(match (process, component.port()) {
        (Some(pid), _) => sight.of_process(pid),
        (None, Some(port)) => sight.listening_at(port),
        (None, None) => sight,
    })
}

fn arrived(knob: &TargetKnob, has: &str, by: &str) -> Shown {
    Shown::Arrived(value_seen(knob, has, by))
}

/// What is shown, as it is kept: without secrets, and no longer than a person reads it.
fn kept(knob: &TargetKnob, value: &str) -> String {
    let value = knob.shown(value.trim());
    let mut kept: String = value.chars().take(KEPT_CHARS).collect();
    if kept.len() < value.len() {
        kept.push('…');
    }
    kept
}

fn value_seen(knob: &TargetKnob, has: &str, by: &str) -> SeenValue {
    SeenValue {
        knob: knob.name.clone(),
        has: kept(knob, has),
        by: plimsoll_secrets::text(by).into_owned(),
    }
}

fn other(knob: &TargetKnob, wanted: &str, has: &str) -> Shown {
    Shown::Other(not_arrived(knob, wanted, has))
}

fn not_arrived(knob: &TargetKnob, wanted: &str, has: &str) -> NotArrived {
    NotArrived {
        knob: knob.name.clone(),
        wanted: knob.shown(wanted).into_owned(),
        has: kept(knob, has),
    }
}

/// Looks for the value of a knob of the study's own in its component.
#[must_use]
pub fn look(
    knob: &TargetKnob,
    domain: &Domain,
    wanted: &str,
    component: &ComponentSeen<'_>,
) -> Shown {
    let folder = component.folder;
    let mut by = String::new();
    let has = match (&knob.read_back, &knob.place) {
        (Some(ReadBackSpec::Nothing(_)), _) => return Shown::NotConfirmed,
        (Some(ReadBackSpec::Http(address, pointer)), _) => {
            by.clone_from(&address.raw);
            of_all_behind(&address.raw, pointer.as_ref(), &component.interrupt)
        }
        (Some(ReadBackSpec::Command(command)), _) => {
            by.clone_from(&command.raw);
            of_command(&command.raw, folder, &component.interrupt)
        }
        (Some(ReadBackSpec::Sql(question)), _) => {
            by.clone_from(&question.raw);
            match &component.database {
                Some(it) => it.ask(&question.raw, QUESTION, &component.interrupt),
                None => Err(String::new()),
            }
        }
        (None, Place::Argument(template)) => {
            by.push_str("/proc/*/cmdline");
            // A program that sets its title shows no arguments.
            let shows = |process: &MarkedProcess| process.command.len() >= 2;
            match component.shown_by(&|it| value_in(&it.command, template), &shows) {
                Some(shown) => shown,
                None => return Shown::NotConfirmed,
            }
        }
        (None, Place::Environment(name)) => {
            by.push_str("/proc/*/environ");
            // A program that writes over its environment shows none.
            let shows = |process: &MarkedProcess| process.environment.contains_key(marks::VARIABLE);
            match component.shown_by(&|it| it.environment.get(name).cloned(), &shows) {
                Some(shown) => shown,
                None => return Shown::NotConfirmed,
            }
        }
        (
            None,
            Place::File {
                format, address, ..
            },
        ) => return look_by_key(knob, (*format, address), wanted, component),
        (None, _) => return Shown::NotConfirmed,
    };
    let same = |has: &str| match &knob.setting {
        Some(setting) => setting.value(has).same(&setting.value(wanted)),
        None => domain.same(has, wanted) || reads_as(wanted, has),
    };
    match has {
        Ok(has) if same(&has) => arrived(knob, &has, &by),
        Ok(has) => other(knob, wanted, &has),
        Err(why) => Shown::Nothing(not_arrived(knob, wanted, &why)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    fn knob(place: Place) -> TargetKnob {
        TargetKnob {
            name: "workers".to_owned(),
            place,
            component: 0,
            by_reload: false,
            read_back: None,
            setting: None,
            gives: None,
        }
    }

    /// A process that carries a mark and ends with its standard input.
    fn process(mark: &str, words: &[&str]) -> Child {
        let mut command = Command::new(words[0]);
        let command = command.args(&words[1..]).env(marks::VARIABLE, mark);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.spawn().unwrap()
    }

    #[test]
    fn what_another_process_has_for_itself_is_not_confirmed() {
        let mark = format!("{:016x}", fastrand::u64(..));
        let own = |value: &str| {
            let value = format!("--workers={value}");
            process(&mark, &["sh", "-c", "read x", "sh", &value])
        };
        let without = process(&mark, &["cat", "-u"]);
        let alone = process(&mark, &["cat"]);
        let all = [own("8"), own("4"), without, alone];
        let (knob, domain) = (
            knob(Place::Argument("--workers={}".to_owned())),
            Domain::numbers(1.0, 8.0, 1.0, false, ""),
        );
        let with_listeners = |listeners: Vec<u32>| {
            let component = ComponentSeen {
                mark: Some(&mark),
                folder: Path::new("."),
                sources: &[],
                found: OnceCell::new(),
                listens: None,
                listeners,
                database: None,
                interrupt: Interrupt::default(),
            };
            look(&knob, &domain, "8", &component)
        };
        let has = |shown: &Shown| match shown {
            Shown::Arrived(value) => value.has.clone(),
            Shown::Other(other) | Shown::Nothing(other) => format!("not {}", other.has),
            Shown::NotConfirmed => "nothing".to_owned(),
        };
        let of = |at: usize| has(&with_listeners(vec![all[at].id()]));
        assert_eq!(
            (of(0), of(1), of(2)),
            ("8".into(), "not 4".into(), "nothing".into())
        );
        // One that sets its title shows nothing of it: another one may know.
        assert!(["8", "not 4"].contains(&of(3).as_str()));
        assert!(["8", "not 4"].contains(&has(&with_listeners(Vec::new())).as_str()));
        // Two that listen at one port, of which one was given something else.
        let both = with_listeners(vec![all[0].id(), all[1].id()]);
        assert_eq!(has(&both), "not 8, 4");
        let one_shows_nothing = with_listeners(vec![all[0].id(), all[3].id()]);
        assert_eq!(has(&one_shows_nothing), "8");
        for mut child in all {
            drop(child.stdin.take());
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_of_a_value_is_short(value in "\\PC{0,600}") {
            let knob = knob(Place::Environment("A".to_owned()));
            for shown in [arrived(&knob, &value, "b"), other(&knob, "1", &value)] {
                let has = match shown {
                    Shown::Arrived(seen) => seen.has,
                    Shown::Other(other) | Shown::Nothing(other) => other.has,
                    Shown::NotConfirmed => String::new(),
                };
                prop_assert!(has.chars().count() <= KEPT_CHARS + 1);
                let begins = has.strip_suffix('…').unwrap_or(&has);
                prop_assert!(value.trim().starts_with(begins) || has.contains('*') || has.contains('['));
            }
        }
    }
}
