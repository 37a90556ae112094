//! One component of the target: started, stopped, reloaded, and known to be ready.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_knobs::Address;
use plimsoll_knobs::formats::command::set_argument;
use plimsoll_plan::study::StudyComponent;
use plimsoll_run::Interrupt;

use super::arguments;
use super::commands::{CommandEnd, last_lines, run, words};
use super::fetch::{accepts, fetch};
use super::marks;
use super::resolve::{COMMAND, url};
use crate::trial::FailedTrial;

/// How often it is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(50);
/// How long one question may take.
const QUESTION: Duration = Duration::from_secs(5);
const READY_WITHIN: Duration = Duration::from_secs(60);
const STOP_WITHIN: Duration = Duration::from_secs(20);
/// As much of its log is read when it does not start.
const LOG_BYTES: u64 = 16 << 10;

/// How a component failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentFailure {
    /// What happened.
    pub what: FailedTrial,
    /// What was said of it, without secrets.
    pub detail: String,
}

/// A component that cannot be stopped: nothing more can be tried.
#[derive(Debug)]
pub struct CannotStop;

/// An argument of a start command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartArgument {
    /// With `{}` for the value.
    Template(String),
    /// An option that a knob by name knows.
    Option(Address),
}

/// What a configuration wants of a start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartWith {
    /// Arguments with their values.
    pub arguments: Vec<(StartArgument, String)>,
    /// Variables.
    pub environment: Vec<(String, String)>,
}

/// A component at work.
pub struct Component {
    spec: StudyComponent,
    folder: PathBuf,
    mark: String,
    state: PathBuf,
    log: PathBuf,
    child: Option<Child>,
}

/// The command lines of a component that Plimsoll does not start itself: start, restart.
#[must_use]
pub fn planned_commands(spec: &StudyComponent) -> Option<[String; 2]> {
    if let Some(unit) = &spec.systemd {
        let unit = quoted(&unit.raw);
        // What was changed in a unit's files is read by then.
        return Some(
            ["start", "restart"]
                .map(|verb| format!("systemctl daemon-reload && systemctl {verb} {unit}")),
        );
    }
    let service = quoted(&spec.compose.as_ref()?.raw);
    let file = spec.compose_file.as_ref();
    let file = file.map_or_else(String::new, |file| format!(" --file {}", quoted(&file.raw)));
    let compose = format!("docker compose{file}");
    Some([
        format!("{compose} up --detach --no-deps {service}"),
        // A restart would keep the environment and the command of the old container.
        format!("{compose} up --detach --no-deps --force-recreate {service}"),
    ])
}

/// The start command with what a configuration wants.
#[must_use]
pub fn command_of(spec: &StudyComponent, with: &StartWith) -> Option<Vec<String>> {
    let mut command = words(&spec.start.as_ref()?.raw)?;
    for (argument, value) in &with.arguments {
        match argument {
            StartArgument::Template(template) => arguments::put(&mut command, template, value),
            StartArgument::Option(address) => {
                // An address that names no option was refused before anything was done.
                command = set_argument(&command, address, value).unwrap_or(command);
            }
        }
    }
    Some(command)
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./@:".contains(c);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

impl Component {
    /// A component of a study whose processes carry a mark.
    #[must_use]
    pub fn new(spec: &StudyComponent, folder: &Path, mark: &str, state: &Path) -> Self {
        let own = spec
            .folder
            .as_ref()
            .map_or("", |folder| folder.raw.as_str());
        // No name may be the beginning of another's, nor two be one.
        let name = spec
            .name
            .replace('%', "%25")
            .replace('/', "%2F")
            .replace('.', "%2E");
        Self {
            folder: folder.join(own),
            mark: format!("{mark}/{name}/"),
            state: state.to_owned(),
            log: state.join(format!("{name}.log")),
            spec: spec.clone(),
            child: None,
        }
    }

    /// Whether Plimsoll starts it itself.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.spec.start.is_some()
    }

    /// The mark of its processes.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Starts it and waits until it is ready.
    ///
    /// # Errors
    /// How it failed; then nothing of it is left, if it can be stopped.
    pub fn start(
        &mut self,
        with: &StartWith,
        interrupt: &Interrupt,
    ) -> Result<(), ComponentFailure> {
        if let Some([start, ..]) = planned_commands(&self.spec) {
            self.run(&start)?;
        } else if let Some(command) = command_of(&self.spec, with) {
            self.spawn(&command, with)?;
        }
        self.wait_until_ready(interrupt)
    }

    /// Has it take new values: by whoever runs it, or by a reload where that is enough or all there is.
    ///
    /// # Errors
    /// How it failed.
    pub fn renew(
        &mut self,
        by_reload: bool,
        interrupt: &Interrupt,
    ) -> Result<(), ComponentFailure> {
        let reload = self.spec.reload.as_ref().map(|reload| reload.raw.clone());
        let restart = planned_commands(&self.spec).map(|[_, restart]| restart);
        let command = match by_reload {
            true => reload.or(restart),
            false => restart.or(reload),
        };
        if let Some(command) = command {
            self.run(&command)?;
        }
        self.wait_until_ready(interrupt)
    }

    fn run(&self, command: &str) -> Result<(), ComponentFailure> {
        match run(command, &self.folder, COMMAND).failure() {
            None => Ok(()),
            Some(detail) => Err(ComponentFailure {
                what: FailedTrial::CommandFailed,
                detail,
            }),
        }
    }

    fn spawn(&mut self, command: &[String], with: &StartWith) -> Result<(), ComponentFailure> {
        let failed = |detail: String| ComponentFailure {
            what: FailedTrial::DoesNotStart,
            detail,
        };
        let log = plimsoll_store::private::write(&self.log, b"")
            .and_then(|()| File::options().append(true).open(&self.log))
            .map_err(|error| failed(format!("{}: {error}", self.log.display())))?;
        let errors = log.try_clone().map_err(|error| failed(error.to_string()))?;
        let mark = marks::file(&self.mark, &self.state);
        let mark = mark.map_err(|error| failed(format!("{}: {error}", self.state.display())))?;
        let own = self.spec.environment.iter();
        let child = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(&self.folder)
            .envs(own.map(|(name, value)| (name, &value.raw)))
            .envs(with.environment.iter().map(|(name, value)| (name, value)))
            .env(marks::VARIABLE, &self.mark)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn();
        // The child has it now.
        drop(mark);
        match child {
            Ok(child) => {
                self.child = Some(child);
                Ok(())
            }
            Err(error) => Err(failed(format!("{}: {error}", command[0]))),
        }
    }

    /// Whether it is ready now.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let Some(ready) = &self.spec.ready else {
            return true;
        };
        let text = ready.raw.trim();
        if let Some(url) = url(text) {
            return fetch(&url, QUESTION).is_ok_and(|response| response.status < 400);
        }
        let is_address = !text.contains(char::is_whitespace)
            && text
                .rsplit_once(':')
                .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        match is_address {
            true => accepts(text, QUESTION),
            false => matches!(run(text, &self.folder, QUESTION), CommandEnd::Done(_)),
        }
    }

    fn wait_until_ready(&mut self, interrupt: &Interrupt) -> Result<(), ComponentFailure> {
        let until = Instant::now() + self.spec.ready_within.unwrap_or(READY_WITHIN);
        loop {
            // In this order: what has ended by now may have been seen ready by another's socket.
            let ready = self.is_ready();
            if !self.is_alive() {
                return Err(ComponentFailure {
                    what: FailedTrial::DoesNotStart,
                    detail: self.last_words(),
                });
            }
            if ready || interrupt.is_hit() {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(ComponentFailure {
                    what: FailedTrial::HangsInStart,
                    detail: self.last_words(),
                });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether any process of it is left; one that Plimsoll did not start is taken for alive.
    pub fn is_alive(&mut self) -> bool {
        self.reap();
        !self.is_ours() || self.child.is_some() || !marks::marked(&self.mark).is_empty()
    }

    /// A child that has ended is asked for, so that it does not stay.
    fn reap(&mut self) {
        let ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        if self.child.as_mut().is_some_and(ended) {
            self.child = None;
        }
    }

    /// What it wrote last, without secrets.
    #[must_use]
    pub fn last_words(&self) -> String {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let read = || {
            let mut file = File::open(&self.log)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
            let mut bytes = Vec::new();
            file.take(LOG_BYTES).read_to_end(&mut bytes)?;
            std::io::Result::Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        last_lines(&String::from_utf8_lossy(&bytes))
    }

    /// Stops it, if Plimsoll started it.
    ///
    /// # Errors
    /// If something of it is left whatever is done.
    pub fn stop(&mut self) -> Result<(), CannotStop> {
        if !self.is_ours() {
            return Ok(());
        }
        let within = self.spec.stop_within.unwrap_or(STOP_WITHIN);
        let mark = self.mark.clone();
        if let Some(stop) = self.spec.stop.clone()
            && self.is_alive()
        {
            // What it does not end is ended by signals.
            let _ = run(&stop.raw, &self.folder, within);
            if marks::wait_for_end(&mark, within, &mut || self.reap()) {
                return Ok(());
            }
        }
        match marks::end(&mark, within, &mut || self.reap()) {
            true => Ok(()),
            false => Err(CannotStop),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use plimsoll_plan::model::Text;

    #[test]
    fn units_and_services_have_their_command_lines() {
        let spec = StudyComponent {
            systemd: Some(Text::of("tomcat@a.service")),
            ..StudyComponent::default()
        };
        assert_eq!(
            planned_commands(&spec).unwrap(),
            [
                "systemctl daemon-reload && systemctl start tomcat@a.service",
                "systemctl daemon-reload && systemctl restart tomcat@a.service"
            ]
        );
        let spec = StudyComponent {
            compose: Some(Text::of("web")),
            compose_file: Some(Text::of("my files/compose.yaml")),
            ..StudyComponent::default()
        };
        let lines = planned_commands(&spec).unwrap();
        assert_eq!(
            words(&lines[1]).unwrap(),
            [
                "docker",
                "compose",
                "--file",
                "my files/compose.yaml",
                "up",
                "--detach",
                "--no-deps",
                "--force-recreate",
                "web"
            ]
        );
        assert_eq!(planned_commands(&StudyComponent::default()), None);
    }
}
