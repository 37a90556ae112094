//! Before the first trial is made: nothing may be there already where the study is to start it.

use plimsoll_knobs::readback::Sight as _;
use plimsoll_plan::study::StudyComponent;
use plimsoll_text::Message;
use plimsoll_watch::agent::is_this_host;
use plimsoll_watch::settings::TargetSight;

use super::Hands;
use crate::target::addresses::listens;

/// As much of a command line is shown.
const SHOWN_CHARS: usize = 120;

impl Hands<'_> {
    /// Says what stands in the way before anything is done: something that is ready already where the study is
    /// to start it.
    ///
    /// # Errors
    /// What it is, and what is to be done.
    pub fn check_free(&self) -> Result<(), Message> {
        let specs = &self.prepared.study.components;
        let all = self
            .mine
            .iter()
            .map(|at| (&self.components[*at], &specs[*at]));
        let there = all
            .into_iter()
            .find(|(component, _)| component.is_ours() && component.is_ready());
        let Some((_, spec)) = there else {
            return Ok(());
        };
        let id = match self.prepared.of_start {
            true => "tune-ready-before-start-command",
            false => "tune-ready-before-start",
        };
        let ready = spec.ready.as_ref().map_or("", |ready| ready.raw.as_str());
        let (pid, command) = who(spec).unwrap_or_default();
        let message = Message::new(id)
            .with("name", spec.name.as_str())
            .with("ready", ready)
            .with("known", if pid == 0 { "no" } else { "yes" })
            .with("pid", pid.to_string())
            .with("command", command);
        Err(self.secrets.message(message))
    }

    /// Who listens where components that were stopped are to be ready: what has lost their mark, and would answer in
    /// their place.
    pub(super) fn stranger(&self, stopped: &[usize]) -> Option<Message> {
        let own = self.pids();
        let specs = stopped.iter().filter(|at| self.components[**at].is_ours());
        let mut specs = specs.map(|at| &self.prepared.study.components[*at]);
        specs.find_map(|spec| {
            let (pid, command) = who(spec)?;
            let is_own = own.iter().any(|it| it.as_raw_pid().cast_unsigned() == pid);
            let ready = spec.ready.as_ref().map_or("", |ready| ready.raw.as_str());
            let message = Message::new("tune-still-answers")
                .with("name", spec.name.as_str())
                .with("ready", ready)
                .with("pid", pid.to_string())
                .with("command", command);
            (!is_own).then(|| self.secrets.message(message))
        })
    }
}

/// The process that listens where a component is to be ready, and its command line without secrets; none where it
/// is on another host or another user's.
fn who(spec: &StudyComponent) -> Option<(u32, String)> {
    let address = listens(&spec.ready.as_ref()?.raw)?;
    let (host, port) = address.rsplit_once(':')?;
    if !is_this_host(host) {
        return None;
    }
    let mut sight = TargetSight::new().ok()?.listening_at(port.parse().ok()?);
    let pid = sight.process()?;
    let words = sight.arguments().unwrap_or_default();
    let line = plimsoll_secrets::command_line(&words);
    let mut short: String = line.chars().take(SHOWN_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    Some((pid, short))
}
