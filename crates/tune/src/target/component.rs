//! One component of the target: started, stopped, reloaded, and known to be ready.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_knobs::Address;
use plimsoll_knobs::formats::command::set_argument;
use plimsoll_plan::study::StudyComponent;
use plimsoll_run::Interrupt;

use super::addresses::{listens, url};
use super::arguments;
use super::command_line::words;
use super::commands::{CommandEnd, last_lines, run, run_unless};
use super::fetch::{accepts, fetch};
use super::log::TargetLog;
use super::marks::{self, StartedChild};
use super::resolve::COMMAND;
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
    /// Looks after it, once something was started.
    looked_after: Option<TargetLog>,
    child: StartedChild,
}

/// The command lines of a component that Plimsoll does not start itself, one after the other: to start it, and to
/// restart it.
#[must_use]
pub fn planned_commands(spec: &StudyComponent) -> Option<[Vec<String>; 2]> {
    if let Some(unit) = &spec.systemd {
        let unit = quoted(&unit.raw);
        // What was changed in a unit's files is read by then.
        return Some(["start", "restart"].map(|verb| {
            vec![
                "systemctl daemon-reload".to_owned(),
                format!("systemctl {verb} {unit}"),
            ]
        }));
    }
    let service = quoted(&spec.compose.as_ref()?.raw);
    let file = spec.compose_file.as_ref();
    let file = file.map_or_else(String::new, |file| format!(" --file {}", quoted(&file.raw)));
    let compose = format!("docker compose{file}");
    Some([
        vec![format!("{compose} up --detach --no-deps {service}")],
        // A restart would keep the environment and the command of the old container.
        vec![format!(
            "{compose} up --detach --no-deps --force-recreate {service}"
        )],
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
            looked_after: None,
            child: StartedChild::default(),
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
            self.run(&start, interrupt)?;
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
        let reload = self.spec.reload.as_ref();
        let reload = reload.map(|reload| vec![reload.raw.clone()]);
        let restart = planned_commands(&self.spec).map(|[_, restart]| restart);
        let commands = match by_reload {
            true => reload.or(restart),
            false => restart.or(reload),
        };
        self.run(&commands.unwrap_or_default(), interrupt)?;
        self.wait_until_ready(interrupt)
    }

    /// Runs commands one after the other, as far as the first that fails.
    fn run(&self, commands: &[String], interrupt: &Interrupt) -> Result<(), ComponentFailure> {
        for command in commands {
            let end = run_unless(command, &self.folder, COMMAND, interrupt);
            if let Some(detail) = end.failure() {
                return Err(ComponentFailure {
                    what: FailedTrial::CommandFailed,
                    detail,
                });
            }
        }
        Ok(())
    }

    fn spawn(&mut self, command: &[String], with: &StartWith) -> Result<(), ComponentFailure> {
        let failed = |detail: String| ComponentFailure {
            what: FailedTrial::DoesNotStart,
            detail,
        };
        let log = plimsoll_store::private::write(&self.log, b"")
            .and_then(|()| File::options().append(true).open(&self.log))
            .map_err(|error| failed(format!("{}: {error}", self.log.display())))?;
        self.looked_after
            .get_or_insert_with(|| TargetLog::begin(&self.log));
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
                self.child = StartedChild::of(child);
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
        match listens(text) {
            Some(address) => accepts(&address, QUESTION),
            None => matches!(run(text, &self.folder, QUESTION), CommandEnd::Done(_)),
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
        let is_child_left = self.child.is_left();
        !self.is_ours() || is_child_left || !marks::marked(&self.mark).is_empty()
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
        if let Some(stop) = self.spec.stop.clone()
            && self.is_alive()
        {
            // What it does not end is ended by signals.
            let _ = run(&stop.raw, &self.folder, within);
            if marks::wait_for_end(&self.mark, &mut self.child, within) {
                return Ok(());
            }
        }
        match marks::end(&self.mark, &mut self.child, within) {
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
                [
                    "systemctl daemon-reload",
                    "systemctl start tomcat@a.service"
                ],
                [
                    "systemctl daemon-reload",
                    "systemctl restart tomcat@a.service"
                ]
            ]
        );
        let spec = StudyComponent {
            compose: Some(Text::of("web")),
            compose_file: Some(Text::of("my files/compose.yaml")),
            ..StudyComponent::default()
        };
        let lines = planned_commands(&spec).unwrap();
        assert_eq!(
            words(&lines[1][0]).unwrap(),
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

    /// A component of one process that has left its mark, so that it is known by its being a child alone, and is ready
    /// once it has said so.
    fn without_mark(folder: &Path, on_term: &str) -> Component {
        let script = format!(
            "import os, signal, time\nos.closerange(3, 4096)\nsignal.signal(signal.SIGTERM, signal.{on_term})\n\
             open('ready', 'w')\nos.execve('/bin/sleep', ['sleep', '600'], {{}})\n"
        );
        std::fs::write(folder.join("unmarked.py"), script).unwrap();
        let spec = StudyComponent {
            name: "app".to_owned(),
            start: Some(Text::of("python3 unmarked.py")),
            ready: Some(Text::of("test -e ready")),
            stop_within: Some(Duration::from_millis(200)),
            ..StudyComponent::default()
        };
        let mark = format!("{:016x}", fastrand::u64(..));
        Component::new(&spec, folder, &mark, folder)
    }

    #[test]
    fn a_child_whose_mark_nobody_can_read_is_stopped_all_the_same() {
        // The second one is not ended by being asked to.
        for on_term in ["SIG_DFL", "SIG_IGN"] {
            let folder = tempfile::tempdir().unwrap();
            let mut component = without_mark(folder.path(), on_term);
            let started = component.start(&StartWith::default(), &Interrupt::default());
            started.unwrap();
            let until = Instant::now() + Duration::from_secs(60);
            while !marks::marked(component.mark()).is_empty() && Instant::now() < until {
                std::thread::sleep(LOOK);
            }
            assert!(component.is_alive());
            component.stop().unwrap();
            assert!(!component.is_alive(), "{on_term}");
        }
    }

    #[test]
    fn commands_end_at_the_first_that_fails() {
        let folder = tempfile::tempdir().unwrap();
        let component =
            Component::new(&StudyComponent::default(), folder.path(), "", folder.path());
        let all = ["touch a", "false", "touch b"].map(str::to_owned);
        for (count, fails) in [(0, false), (1, false), (2, true), (3, true)] {
            assert_eq!(
                component.run(&all[..count], &Interrupt::default()).is_err(),
                fails,
                "{count}"
            );
        }
        assert!(folder.path().join("a").exists() && !folder.path().join("b").exists());
    }
}
