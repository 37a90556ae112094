//! A study made ready: its names, files and values are looked at before anything is done.

mod elsewhere;
mod guards;
#[cfg(test)]
mod tests;
mod vain;
mod written;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_knobs::{Address, Format};
use plimsoll_plan::Problem;
use plimsoll_plan::model::{Span, Text};
use plimsoll_plan::study::{ReadBackSpec, Study, StudyComponent, StudyKnob};
use plimsoll_run::watching::from_texts;
use plimsoll_text::Message;
use plimsoll_watch::{Level, Spec};

use super::addresses::{listens, url};
use super::command_line::not_a_command;
use super::database::ComponentDatabase;
use super::named::{self, Located};
use super::originals;
use super::place::{Place, TargetKnob, Wrong};
use super::prepared::{AskAgent, Prepared};
use super::standing::{self, Beside};
use crate::remote::TuneAgent;
use crate::space::{Domain, Relation, RelationError, Space, SpaceKnob};

/// How long a command of the study may take.
pub const COMMAND: Duration = Duration::from_secs(300);

pub use guards::never_of_nothing;
pub use vain::options_in_vain;

struct Resolver<'a> {
    study: &'a Study,
    agents: Vec<Arc<TuneAgent>>,
    agent_of: Vec<Option<usize>>,
    folder: &'a Path,
    problems: Vec<Problem>,
}

/// Looks at all that a study names. Its paths start from a folder, or else from its file's.
///
/// # Errors
/// All that is wrong with it.
pub fn prepare(study: Study, file: &Path, folder: Option<&Path>) -> Result<Prepared, Vec<Problem>> {
    let nobody = |_: &str, _: &Path| Err(Message::new("tune-agent-not-here"));
    prepare_asking(study, file, folder, &nobody)
}

/// The same, with components that agents change.
///
/// # Errors
/// All that is wrong with it, and agents that do not say what may be changed.
pub fn prepare_asking(
    study: Study,
    file: &Path,
    folder: Option<&Path>,
    ask: AskAgent<'_>,
) -> Result<Prepared, Vec<Problem>> {
    let folder = match folder.or(file.parent()) {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut resolver = Resolver {
        study: &study,
        folder,
        agents: Vec::new(),
        agent_of: Vec::new(),
        problems: Vec::new(),
    };
    study
        .components
        .iter()
        .for_each(|it| resolver.agent(it, ask));
    study
        .components
        .iter()
        .for_each(|it| resolver.component(it));
    let (mut space, knobs) = resolver.knobs();
    let between = std::mem::take(&mut space.relations);
    space.relations = resolver.relations();
    space.relations.extend(between);
    let sources = study.components.iter().map(|it| resolver.sources(it));
    let sources = sources.collect();
    if let Some(reset) = &study.reset {
        resolver.is_command(reset, &reset.raw);
    }
    resolver.allowed_is_known();
    resolver.objective();
    let name = file.display().to_string();
    let (agents, agent_of) = (resolver.agents, resolver.agent_of);
    let mut problems = resolver.problems;
    if problems.is_empty() {
        return Ok(Prepared {
            file: file.to_owned(),
            folder: folder.to_owned(),
            space,
            knobs,
            sources,
            study,
            agents,
            agent_of,
            of_start: false,
            unpacked: None,
        });
    }
    problems
        .iter_mut()
        .for_each(|problem| problem.file.clone_from(&name));
    Err(problems)
}

/// Whether what two knobs change in one file lies within each other, where a pattern finds one of them: what one writes
/// the other would write over.
fn overlap(one: &Place, other: &Place) -> bool {
    let (Some(one), Some(other)) = (one.in_file(), other.in_file()) else {
        return false;
    };
    if one.0 != other.0 {
        return false;
    }
    let Ok(content) = originals::read(one.0) else {
        return false;
    };
    let place = |of: (&Path, Format, &Address)| plimsoll_knobs::place(of.1, &content, of.2);
    let (Some(one), Some(other)) = (place(one), place(other)) else {
        return false;
    };
    one.start == other.start || one.start < other.end && other.start < one.end
}

impl Resolver<'_> {
    /// All knobs, of the space and of the target; beside them what holds between knobs by name.
    fn knobs(&mut self) -> (Space, Vec<TargetKnob>) {
        let (mut space, mut knobs) = (Space::default(), Vec::new());
        let study = self.study;
        for knob in &study.knobs {
            let found = match &knob.knob {
                _ if self.is_elsewhere(knob) => self.of_agent(knob),
                Some(name) if !standing::is_whole_file(knob, name) => {
                    self.by_name(knob, name, &mut space.relations)
                }
                _ => self.knob(knob, &mut space.relations),
            };
            if let Some((of_space, of_target)) = found {
                self.stands_alone(knob, &of_target, &knobs);
                space.knobs.push(of_space);
                knobs.push(of_target);
            }
        }
        (space, knobs)
    }

    /// Two knobs at one place would undo each other, but where each counts only under a condition.
    fn stands_alone(&mut self, knob: &StudyKnob, own: &TargetKnob, others: &[TargetKnob]) {
        let always = |name: &str| {
            let mut all = self.study.knobs.iter();
            all.any(|it| it.name == name && it.only_if.is_none())
        };
        let same = |other: &&TargetKnob| {
            let is_one = other.component == own.component
                || matches!(own.place, Place::File { .. } | Place::Value(_));
            let same_key = is_one && other.place.is_as(&own.place);
            let same_place = same_key || overlap(&other.place, &own.place);
            same_place && (knob.only_if.is_none() || always(&other.name))
        };
        let Some(other) = others.iter().find(same) else {
            return;
        };
        let message = Message::new("tune-same-place")
            .with("name", knob.name.as_str())
            .with("other", other.name.as_str());
        self.wrong(knob.at, message);
    }

    fn wrong(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::mistake(at, message));
    }

    /// A line that is no command is told before anything is done.
    fn is_command(&mut self, text: &Text, line: &str) {
        if let Some(message) = not_a_command(line) {
            self.wrong(text.at, message);
        }
    }

    /// The commands of a knob, with each value that may stand in them.
    fn are_commands(&mut self, knob: &StudyKnob, domain: Option<&Domain>) {
        match &knob.read_back {
            Some(ReadBackSpec::Command(command)) => self.is_command(command, &command.raw),
            Some(ReadBackSpec::Http(address, _)) if address.raw.trim().starts_with("https:") => {
                self.wrong(address.at, Message::new("tune-read-back-https"));
            }
            _ => {}
        }
        let Some(command) = &knob.command else { return };
        let values = match domain {
            Some(Domain::Choice(values)) => values.clone(),
            // Numbers have nothing that a command line would take for something else.
            _ => vec!["0".to_owned()],
        };
        let lines = values.iter().map(|value| command.raw.replace("{}", value));
        if let Some(line) = lines.into_iter().find(|line| not_a_command(line).is_some()) {
            self.is_command(command, &line);
        }
    }

    fn component(&mut self, component: &StudyComponent) {
        // What is ready by a URL or an address is asked otherwise.
        let is_command = |text: &&Text| listens(&text.raw).is_none() && url(&text.raw).is_none();
        let ready = component.ready.as_ref().filter(is_command);
        let commands = [&component.start, &component.stop, &component.reload];
        for command in commands.into_iter().flatten().chain(ready) {
            self.is_command(command, &command.raw);
        }
        if let Some(database) = &component.database
            && let Err(message) = ComponentDatabase::parse(&database.raw, self.folder)
        {
            self.wrong(database.at, message);
        }
        if let Some(ready) = &component.ready
            && ready.raw.starts_with("https:")
        {
            self.wrong(ready.at, Message::new("tune-ready-https"));
        }
        if component.ready.is_none() && (component.start.is_some() || component.running) {
            let message = Message::new("tune-without-ready").with("name", component.name.as_str());
            self.wrong(component.at, message);
        }
    }

    fn knob(
        &mut self,
        knob: &StudyKnob,
        between: &mut Vec<Relation>,
    ) -> Option<(SpaceKnob, TargetKnob)> {
        let component = self.component_of(knob);
        let mut domain = self.domain(knob);
        let place = self.place(knob, component.map(|at| &self.study.components[at]));
        self.are_commands(knob, domain.as_ref());
        let id = standing::id_of(knob);
        self.not_never(knob, id, place.as_ref());
        let known = id.and_then(plimsoll_knobs::find);
        let owner = component.map(|at| &self.study.components[at]);
        let giving = || plimsoll_knobs::find(standing::gives_by_values(knob, owner?)?);
        let known = known
            .filter(|it| it.gives.is_some())
            .or_else(giving)
            .or(known);
        let gives = known.and_then(|known| known.gives);
        let id = known.map_or("", |known| known.id);
        self.is_allowed(knob, id, gives);
        if let Some(domain) = &mut domain {
            self.allowed_values(knob, id, domain);
        }
        let only_if = self.only_if(knob);
        let (component, domain, place) = (component?, domain?, place?);
        let owner = &self.study.components[component];
        self.has_database(knob, owner);
        let is_set_while_it_runs = matches!(place, Place::Command(_) | Place::Sql(_));
        let needs_start = !is_set_while_it_runs && !matches!(place, Place::File { .. });
        if needs_start && owner.start.is_none() {
            let message = Message::new("tune-needs-start").with("name", knob.name.as_str());
            self.wrong(knob.at, message);
            return None;
        }
        if let Some(known) = known.filter(|_| matches!(place, Place::File { .. })) {
            between.extend(self.beside(knob, owner).relations(known));
        }
        let found = self.found(knob, &place, owner);
        if is_set_while_it_runs && found.is_none() {
            let message = Message::new("tune-command-without-default");
            self.wrong(knob.at, message.with("name", knob.name.as_str()));
        }
        let of_space = SpaceKnob {
            name: knob.name.clone(),
            domain,
            found,
            only_if,
            is_hidden: place.is_secret(),
        };
        let of_target = TargetKnob {
            name: knob.name.clone(),
            place,
            component,
            by_reload: knob.by_reload,
            read_back: knob.read_back.clone(),
            setting: None,
            gives,
        };
        Some((of_space, of_target))
    }

    fn only_if(&mut self, knob: &StudyKnob) -> Option<Relation> {
        let text = knob.only_if.as_ref()?;
        self.relation(text, "tune-bad-only-if")
    }

    /// A knob by name.
    fn by_name(
        &mut self,
        knob: &StudyKnob,
        name: &Text,
        between: &mut Vec<Relation>,
    ) -> Option<(SpaceKnob, TargetKnob)> {
        let component = self.component_of(knob)?;
        let owner = &self.study.components[component];
        self.is_of_program(knob, name, owner);
        let located =
            named::known(name).and_then(|known| named::locate(known, knob, owner, self.folder));
        let Located {
            setting,
            place,
            mut domain,
            found,
            by_reload,
        } = self.right(located)?;
        self.is_allowed(knob, setting.knob.id, setting.knob.gives);
        self.allowed_values(knob, setting.knob.id, &mut domain);
        self.are_commands(knob, None);
        self.not_never(knob, Some(setting.knob.id), Some(&place));
        if matches!(place, Place::Value(_)) && found.is_none() {
            let message = Message::new("tune-command-without-default");
            self.wrong(knob.at, message.with("name", knob.name.as_str()));
        }
        between.extend(self.beside(knob, owner).relations(setting.knob));
        let name_of = |id: &str| standing::name_of(self.study, id);
        let only_if = match &knob.only_if {
            Some(text) => self.relation(text, "tune-bad-only-if"),
            None => {
                named::only_if(setting.knob, &name_of).and_then(|text| Relation::parse(&text).ok())
            }
        };
        let of_space = SpaceKnob {
            name: knob.name.clone(),
            domain,
            found,
            only_if,
            is_hidden: place.is_secret(),
        };
        let of_target = TargetKnob {
            name: knob.name.clone(),
            place,
            component,
            by_reload,
            read_back: knob.read_back.clone(),
            setting: Some(setting),
            gives: setting.knob.gives,
        };
        Some((of_space, of_target))
    }

    /// Statements need somewhere to go.
    fn has_database(&mut self, knob: &StudyKnob, owner: &StudyComponent) {
        let asks = matches!(knob.read_back, Some(ReadBackSpec::Sql(_)));
        if (knob.sql.is_some() || asks) && owner.database.is_none() {
            let message = Message::new("tune-sql-without-database")
                .with("name", knob.name.as_str())
                .with("component", owner.name.as_str());
            self.wrong(knob.at, message);
        }
    }

    fn beside<'a>(&'a self, of: &'a StudyKnob, owner: &'a StudyComponent) -> Beside<'a> {
        Beside {
            of,
            owner,
            study: self.study,
            folder: self.folder,
        }
    }

    fn right<T>(&mut self, found: Result<T, Wrong>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err((at, message)) => {
                self.wrong(at, message);
                None
            }
        }
    }

    fn objective(&mut self) {
        let wrong = vain::asked_in_vain(self.study).into_iter();
        let at = self.study.plan.at;
        self.problems
            .extend(wrong.map(|message| Problem::mistake(at, message)));
    }

    /// What shows the settings of a component.
    fn sources(&mut self, component: &StudyComponent) -> Vec<Spec> {
        let mut sources = Vec::new();
        // What is around the plan's target is found when it runs.
        let is_auto = |text: &Text| text.raw.split(',').next() == Some("auto");
        for text in component.watch.iter().filter(|text| !is_auto(text)) {
            let found = from_texts(std::slice::from_ref(&text.raw), Level::Observe);
            match found {
                Ok(found) => sources.extend(found),
                Err(message) => self.problems.push(Problem::error(text.at, message)),
            }
        }
        sources
    }

    fn component_of(&self, knob: &StudyKnob) -> Option<usize> {
        let Some(of) = &knob.of else { return Some(0) };
        let mut all = self.study.components.iter();
        all.position(|component| component.name == of.raw)
    }

    fn domain(&mut self, knob: &StudyKnob) -> Option<Domain> {
        if !knob.values.is_empty() {
            let values = knob.values.iter().map(|value| value.raw.clone());
            return Some(Domain::Choice(values.collect()));
        }
        let Some(range) = &knob.range else {
            self.wrong(knob.at, Message::new("study-knob-without-values"));
            return None;
        };
        let step = knob.step.as_ref().map(|step| step.raw.as_str());
        let unit = knob.unit.as_ref().map_or("", |unit| unit.raw.as_str());
        match Domain::parse(&range.raw, step, knob.by_ratio, unit) {
            Ok(domain) => Some(domain),
            Err(error) => {
                let message = Message::new(error.id()).with("range", range.raw.as_str());
                self.wrong(range.at, message);
                None
            }
        }
    }

    fn relations(&mut self) -> Vec<Relation> {
        let texts: Vec<&Text> = self.study.relations.iter().collect();
        texts
            .into_iter()
            .filter_map(|text| self.relation(text, "tune-bad-relation"))
            .collect()
    }

    fn relation(&mut self, text: &Text, bad: &'static str) -> Option<Relation> {
        let parsed = Relation::parse(&text.raw);
        let relation = match parsed {
            Ok(relation) => relation,
            Err(RelationError { at }) => {
                let at = u32::try_from(at).unwrap_or_default();
                let place = Span {
                    line: text.at.line,
                    column: text.at.column + at,
                };
                let message = Message::new(bad).with("text", text.raw.as_str());
                self.wrong(place, message);
                return None;
            }
        };
        self.names_knobs(text, &relation).then_some(relation)
    }
}
