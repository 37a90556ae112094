//! A user, its iterations and its samples begin.

use std::rc::Rc;

use plimsoll_elements::ThreadInfo;

use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;

/// Variables that JMeter takes from its properties when a thread begins (5.6.3,
/// `JMeterVariables`).
const FROM_PROPERTIES: [&str; 4] = ["START.MS", "START.YMD", "START.HMS", "TESTSTART.MS"];

impl ElementUser<'_> {
    /// Makes what elements keep for this user, before its variables have values.
    pub(crate) fn begin_user(&mut self) {
        let thread = Rc::clone(&self.thread);
        let scenario = Rc::clone(&self.scenario);
        let name = scenario.program.name.as_str();
        let number = u64::from(self.number) + 1;
        // casutg 2.10, `AbstractThreadStarter`.
        let starter = match scenario.program.named_by_starter {
            true => "-ThreadStarter",
            false => "",
        };
        let run = &thread.jmeter;
        let end_unix_ms =
            (self.stop_ns() < Nanos::MAX).then(|| thread.clock.unix_ns(self.stop_ns()) / 1_000_000);
        let user = self.jm();
        user.scenario = scenario.index;
        user.group = name.into();
        user.index_name = format!("__jm__{name}__idx").into();
        user.info = ThreadInfo {
            group: name.into(),
            name: format!("{name}{starter} {}-{number}", scenario.group_number).into(),
            number: u32::try_from(number - 1).unwrap_or(u32::MAX),
            group_size: scenario.most_users,
            end_unix_ms,
            plan_file: run.options.plan_file.as_str().into(),
            plan_folder: run.plan_folder.as_path().into(),
            share: thread.shared.share(),
            run_seed: thread.seed,
            renames_parts: !(thread.program.functional || run.keeps_part_names()),
            ..ThreadInfo::default()
        };
        for name in FROM_PROPERTIES {
            if let Some(value) = run.properties.get(name) {
                self.vars.set_by_name(name, value);
            }
        }
        for (name, value) in run.companion.get().iter().flat_map(|it| &it.variables) {
            self.vars.set_by_name(name, value.as_str());
        }
        self.set_last_ok(true);
    }

    /// A sampler begins: from now on counts when it is interrupted.
    pub(crate) fn begin_interruption(&mut self) {
        let now_ns = self.thread.clock.now_ns();
        let user = self.jm();
        user.interrupt_ns = match user.timeout_ms.take() {
            Some(ms) => now_ns.saturating_add(ms.saturating_mul(1_000_000)),
            None => 0,
        };
    }

    /// When the sampler at work is interrupted, if that is still to come.
    pub(crate) fn interrupt_ns(&mut self) -> Nanos {
        let at_ns = self.jm().interrupt_ns;
        match at_ns > self.thread.clock.now_ns() {
            true => at_ns,
            false => Nanos::MAX,
        }
    }

    /// An iteration of the thread group begins.
    pub(crate) fn begin_iteration(&mut self) {
        let iteration = self.iteration;
        let same_user = self.scenario.program.same_user_each_iteration;
        let thread = Rc::clone(&self.thread);
        let resets = same_user || thread.http.options(&thread.jmeter.properties).resets_state;
        let user = self.jm();
        user.info.iteration = iteration + 1;
        user.http.iteration_begins(same_user, resets);
        let name = std::mem::take(&mut user.index_name);
        self.vars.set_by_name(&name, iteration.to_string());
        self.jm().index_name = name;
    }
}
