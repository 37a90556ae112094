//! Makes trials on a real target.

mod beginning;
mod leaving;
mod measured;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use plimsoll_knobs::write::assign;
use plimsoll_run::measure::capacity::CapacityLoad;
use plimsoll_run::{Interrupt, Listener, ReadyPlan};
use plimsoll_text::Message;

use super::changes::{Fragment, fragments_of, start_with};
use super::component::{CannotStop, Component, ComponentFailure};
use super::files::{contents, put, unwritten};
use super::journal::{Entry, Journal};
use super::measure::Load;
use super::place::{Place, TargetKnob};
use super::readback::{ComponentSeen, Shown, as_found, listens, look, look_by_name};
use super::resolve::{COMMAND, Prepared};
use super::{commands, marks, originals};
use crate::engine::Record;
use crate::space::{Configuration, Domain};
use crate::trial::{FailedTrial, Measured, SeenValue, TrialAsk, TrialBench, TrialEnd};

/// Asks whether a change may be made.
pub type Approve<'a> = &'a dyn Fn(&[Fragment]) -> bool;

/// What trials are made with.
pub struct BenchSettings<'a> {
    /// Folder of the runs.
    pub runs: PathBuf,
    /// Ends the study.
    pub interrupt: Interrupt,
    /// Who hears of each run that counts.
    pub listen: &'a dyn Fn(&ReadyPlan) -> Box<dyn Listener>,
    /// Who is told what is done next.
    pub tell: &'a dyn Fn(&Message),
    /// Asks whether a change may be made; none: all may.
    pub approve: Option<Approve<'a>>,
}

/// A real target.
pub struct TargetBench<'a> {
    prepared: &'a Prepared,
    settings: BenchSettings<'a>,
    load: Load,
    components: Vec<Component>,
    journal: &'a mut Journal,
    kept: BTreeSet<PathBuf>,
    touched: BTreeSet<usize>,
    /// The capacity that was found last: the next search begins near it.
    near: Option<CapacityLoad>,
    /// Knobs that a command has set.
    set: BTreeSet<usize>,
    started: bool,
}

/// Why a trial was not measured.
enum Stopped {
    /// That is its result.
    End(TrialEnd),
    /// Nothing more can be done.
    Broken(Message),
}

impl From<Message> for Stopped {
    fn from(message: Message) -> Self {
        Self::Broken(message)
    }
}

impl From<ComponentFailure> for Stopped {
    fn from(failure: ComponentFailure) -> Self {
        Self::End(TrialEnd::Failed {
            what: failure.what,
            detail: failure.detail,
        })
    }
}

impl<'a> TargetBench<'a> {
    /// Of a study whose processes carry a mark.
    #[must_use]
    pub fn new(
        prepared: &'a Prepared,
        load: Load,
        journal: &'a mut Journal,
        mark: &str,
        settings: BenchSettings<'a>,
    ) -> Self {
        let component = |spec| Component::new(spec, &prepared.folder, mark, journal.folder());
        Self {
            components: prepared.study.components.iter().map(component).collect(),
            prepared,
            settings,
            load,
            journal,
            kept: BTreeSet::new(),
            touched: BTreeSet::new(),
            near: None,
            set: BTreeSet::new(),
            started: false,
        }
    }

    /// Whether a component takes part in what is changed, so that each trial gives it anew.
    fn is_turned(&self, component: usize) -> bool {
        let mut knobs = self.prepared.knobs.iter();
        knobs.any(|knob| knob.component == component)
    }

    fn reload_does(&self, component: usize) -> bool {
        let spec = &self.prepared.study.components[component];
        let mut own = self
            .prepared
            .knobs
            .iter()
            .filter(|knob| knob.component == component);
        spec.reload.is_some() && own.all(|knob| knob.by_reload)
    }

    fn write_down(&mut self, entry: Entry) -> Result<(), Message> {
        let folder = self.journal.folder().to_owned();
        self.journal
            .write(entry)
            .map_err(|error| unwritten(&folder, &error))
    }

    /// Writes the files of a configuration; each original is kept before.
    fn write_files(&mut self, of: &Configuration) -> Result<(), Message> {
        for (path, content) in contents(&self.prepared.knobs, of)? {
            if !self.kept.contains(&path) {
                self.write_down(Entry::Kept { path: path.clone() })?;
                originals::keep(&path).map_err(|error| match error.kind() {
                    std::io::ErrorKind::AlreadyExists => {
                        Message::new("tune-not-restored").with("path", path.display().to_string())
                    }
                    _ => unwritten(&path, &error),
                })?;
                self.kept.insert(path.clone());
            }
            put(&path, &content)?;
        }
        Ok(())
    }

    fn stop(&mut self, component: usize) -> Result<(), Message> {
        let name = &self.prepared.study.components[component].name;
        let message = || Message::new("tune-cannot-stop").with("name", name.as_str());
        self.components[component]
            .stop()
            .map_err(|CannotStop| message())
    }

    /// Brings the target to a configuration.
    fn apply(&mut self, of: &Configuration) -> Result<(), Stopped> {
        let count = self.components.len();
        let anew: Vec<usize> = (0..count)
            .filter(|at| !self.started || self.is_turned(*at) && !self.reload_does(*at))
            .collect();
        for at in anew.iter().rev() {
            self.stop(*at)?;
        }
        self.write_files(of)?;
        self.set_values(of, true)?;
        let interrupt = self.settings.interrupt.clone();
        for at in 0..count {
            let with = start_with(&self.prepared.knobs, of, at);
            let ours = self.components[at].is_ours();
            if ours && (anew.contains(&at) || !self.components[at].is_alive()) {
                self.components[at].start(&with, &interrupt)?;
            } else if self.is_turned(at) {
                let name = self.prepared.study.components[at].name.clone();
                if !ours && self.touched.insert(at) {
                    self.write_down(Entry::Touched { component: name })?;
                }
                self.components[at].renew(&interrupt)?;
            } else if !self.started {
                self.components[at].start(&with, &interrupt)?;
            }
            if interrupt.is_hit() {
                return Err(Stopped::End(TrialEnd::Interrupted));
            }
        }
        self.started = true;
        self.set_values(of, false)?;
        if let Some(reset) = &self.prepared.study.reset {
            self.command(&reset.raw)?;
        }
        Ok(())
    }

    fn command(&self, line: &str) -> Result<(), Stopped> {
        match commands::run(line, &self.prepared.folder, COMMAND).failure() {
            None => Ok(()),
            Some(detail) => Err(failed_command(detail)),
        }
    }

    /// Knobs that commands set, or that are the kernel's, before what asks for them begins; one that was set
    /// before and is no more gets what it was.
    fn set_values(&mut self, of: &Configuration, of_kernel: bool) -> Result<(), Stopped> {
        for at in 0..self.prepared.knobs.len() {
            let knob = &self.prepared.knobs[at];
            let place = knob.place.clone();
            let is_turn = match place {
                Place::Command(_) => !of_kernel,
                Place::Value(_) => of_kernel,
                _ => false,
            };
            if !is_turn {
                continue;
            }
            let Some(was) = self.prepared.space.knobs[at].found.clone() else {
                continue;
            };
            let value = match &of.0[at] {
                Some(value) => value.clone(),
                None if self.set.contains(&at) => was.clone(),
                None => continue,
            };
            if self.set.insert(at) {
                let knob = knob.name.clone();
                self.write_down(Entry::Set { knob, was })?;
            }
            match place {
                Place::Command(command) => self.command(&command.replace("{}", &value))?,
                Place::Value(path) => assign(&path, &self.prepared.knobs[at].spelled(&value))
                    .map_err(|error| failed_command(format!("{}: {error}", path.display())))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Looks for all values in the running target; gives those that it showed, and the knobs that nothing could
    /// show.
    fn read_back(&self, of: &Configuration) -> Result<(Vec<SeenValue>, Vec<String>), Stopped> {
        let (mut instead, mut seen, mut unseen) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..self.components.len() {
            let component = self.seen(at);
            let mut sources = None;
            for (knob, domain, wanted) in self.changed(of, at) {
                let shown = match (&knob.setting, &knob.read_back) {
                    (Some(setting), None) => {
                        let sources = sources.get_or_insert_with(|| component.found_sources());
                        look_by_name(knob, setting, wanted, &component, sources)
                    }
                    _ => look(knob, domain, wanted, &component),
                };
                match shown {
                    Shown::Arrived(value) => seen.push(value),
                    Shown::Other(other) => instead.push(other),
                    Shown::NotConfirmed => unseen.push(knob.name.clone()),
                }
            }
        }
        match instead.is_empty() {
            true => Ok((seen, unseen)),
            false => Err(Stopped::End(TrialEnd::Void { instead })),
        }
    }

    /// What the target that was just started shows of knobs of which nobody knows yet what they are.
    fn as_found(&self) -> Vec<SeenValue> {
        let mut all = Vec::new();
        for at in 0..self.components.len() {
            let knobs = self.prepared.knobs.iter().zip(&self.prepared.space.knobs);
            let unknown = knobs.filter(|(knob, it)| knob.component == at && it.found.is_none());
            let named = unknown.filter_map(|(knob, _)| Some((knob, knob.setting.as_ref()?)));
            let named: Vec<_> = named.collect();
            if !named.is_empty() {
                let component = self.seen(at);
                all.extend(as_found(&named, &component, &component.found_sources()));
            }
        }
        all
    }

    /// The knobs of a component that a configuration changes.
    fn changed<'c>(
        &'c self,
        of: &'c Configuration,
        component: usize,
    ) -> impl Iterator<Item = (&'c TargetKnob, &'c Domain, &'c str)> {
        let knobs = self.prepared.knobs.iter().zip(&self.prepared.space.knobs);
        let all = knobs.zip(&of.0);
        all.filter_map(move |((knob, in_space), value)| {
            let value = value.as_deref()?;
            (knob.component == component).then_some((knob, &in_space.domain, value))
        })
    }

    /// A component as it is asked for its settings.
    fn seen(&self, at: usize) -> ComponentSeen<'_> {
        let spec = &self.prepared.study.components[at];
        let component = &self.components[at];
        ComponentSeen {
            mark: component.is_ours().then(|| component.mark()),
            folder: &self.prepared.folder,
            sources: &self.prepared.sources[at],
            listens: spec.ready.as_ref().and_then(|ready| listens(&ready.raw)),
        }
    }

    fn attempt(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<Measured, Stopped> {
        if let Some(approve) = self.settings.approve
            && of.changed().next().is_some()
            && !approve(&fragments_of(self.prepared, of)?)
        {
            return Err(Stopped::End(TrialEnd::Failed {
                what: FailedTrial::NotApproved,
                detail: String::new(),
            }));
        }
        self.apply(of)?;
        let (mut seen, not_confirmed) = self.read_back(of)?;
        if ask.number == 1 {
            seen.extend(self.as_found());
        }
        let interrupt = self.settings.interrupt.clone();
        let scratch = self.journal.folder().join("warm-up");
        let warm = self.load.warm_up(&scratch, &interrupt);
        // Nobody looks at it afterwards.
        let _ = std::fs::remove_dir_all(&scratch);
        let warm = warm?;
        self.still_there()?;
        let mut measured = self.measure(ask)?;
        measured.read_back = seen;
        measured.not_confirmed = not_confirmed;
        measured.warm_up_s = warm.seconds;
        measured.steady = warm.steady;
        Ok(measured)
    }

    fn pids(&self) -> Vec<rustix::process::Pid> {
        let all = self.components.iter().filter(|it| it.is_ours());
        all.flat_map(|component| marks::marked(component.mark()))
            .collect()
    }

    /// What died under load died of the configuration.
    fn still_there(&mut self) -> Result<(), Stopped> {
        for component in &mut self.components {
            if !component.is_alive() {
                return Err(Stopped::End(TrialEnd::Failed {
                    what: FailedTrial::Died,
                    detail: component.last_words(),
                }));
            }
        }
        Ok(())
    }
}

impl TrialBench for TargetBench<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        if self.settings.interrupt.is_hit() {
            return Ok((TrialEnd::Interrupted, 0.0));
        }
        let begun = Instant::now();
        let end = match self.attempt(of, ask) {
            Ok(measured) => TrialEnd::Measured(Box::new(measured)),
            // What fails while the user ends the study fails because of that.
            Err(Stopped::End(_)) if self.settings.interrupt.is_hit() => TrialEnd::Interrupted,
            Err(Stopped::End(end)) => end,
            Err(Stopped::Broken(message)) => return Err(message),
        };
        let record = Record {
            number: ask.number,
            why: ask.reason.clone(),
            configuration: of.clone(),
            seconds: begun.elapsed().as_secs_f64(),
            result: end,
        };
        self.write_down(Entry::Trial(Box::new(record.clone())))?;
        Ok((record.result, record.seconds))
    }
}

fn failed_command(detail: String) -> Stopped {
    Stopped::End(TrialEnd::Failed {
        what: FailedTrial::CommandFailed,
        detail,
    })
}
