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
        let there = who(spec);
        let known = if there.is_some() { "yes" } else { "no" };
        let message = who_is_there(id, spec, there.unwrap_or_default()).with("known", known);
        Err(self.secrets.message(message))
    }

    /// Who is ready in the place of components that were stopped: what has lost their mark, and would respond for them.
    pub(super) fn stranger(&self, stopped: &[usize]) -> Option<Message> {
        let specs = &self.prepared.study.components;
        // What others run may stand before a component, and be ready without it.
        if self.mine.iter().any(|at| !self.components[*at].is_ours()) {
            return None;
        }
        let own = self.pids();
        let is_own = |pid: u32| own.iter().any(|it| it.as_raw_pid().cast_unsigned() == pid);
        stopped.iter().find_map(|at| {
            let there = who(&specs[*at]).filter(|(pid, _)| !is_own(*pid))?;
            let is_ready = self.components[*at].is_ready();
            let message = is_ready.then(|| who_is_there("tune-still-answers", &specs[*at], there));
            message.map(|it| self.secrets.message(it))
        })
    }
}

fn who_is_there(id: &'static str, spec: &StudyComponent, (pid, command): (u32, String)) -> Message {
    let ready = spec.ready.as_ref().map_or("", |ready| ready.raw.as_str());
    Message::new(id)
        .with("name", spec.name.as_str())
        .with("ready", ready)
        .with("pid", pid.to_string())
        .with("command", command)
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
