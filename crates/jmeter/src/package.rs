//! Running a package for a user.

use std::rc::Rc;

use plimsoll_elements::SampleResult;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::PackageId;

use super::bound::BoundPackage;
use super::sampled::Sampled;
use super::sampler::BoundSampler;
use super::sampling;
use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::extension::Ran;
use plimsoll_load::kit::user::{Cut, Due};

impl ElementUser<'_> {
    /// Runs a package (JMeter 5.6.3, `JMeterThread.executeSamplePackage`).
    pub(crate) async fn package(&mut self, id: PackageId) -> Result<Ran, Cut> {
        let thread = Rc::clone(&self.thread);
        let package = &thread.jmeter.packages()[id.0 as usize];
        if self.jm().ended_by_pass {
            return Ok(Ran::Over);
        }
        self.last.asked = None;
        self.jm().asked = None;
        self.jm().package = Some(id);
        self.forget_changes();
        self.jm().timeout_ms = None;
        self.jm().at_work = true;
        self.jm().thrown = None;
        self.name_sampler(package);
        let ended = self.steps(package).await;
        self.jm().at_work = false;
        self.jm().memo.forget_texts();
        match ended {
            Ok(()) => {}
            Err(PackageEnd::Over) => return Ok(Ran::Over),
            Err(PackageEnd::Cut) => return Err(Cut),
            Err(PackageEnd::Thrown) if self.jm().asked == Some(Action::StopUser) => {
                return Ok(Ran::Over);
            }
            Err(PackageEnd::Thrown | PackageEnd::Asked) => {}
        }
        if thread.jmeter.bound.needs_companion {
            // What scripts took after the sample is theirs: the next one is not late for it.
            self.previous_end_ns = thread.clock.now_ns();
        }
        self.last.asked = self.jm().asked.take();
        Ok(Ran::On)
    }

    /// The package's parts, in their order.
    async fn steps(&mut self, package: &BoundPackage) -> Result<(), PackageEnd> {
        let intended_ns = self.before(package).await?;
        self.count_call();
        if matches!(package.sampler, BoundSampler::None) {
            if !package.timers.is_empty() {
                // What its timers waited for is intended: the next sample is not late for it.
                self.intended_ns = Some(intended_ns);
            }
            return Ok(());
        }
        let free_ns = self.previous_end_ns;
        let label = self.sampler_label(package).await;
        self.keep_label(package, &label);
        self.wait_for(&package.configs).await;
        if let Some(id) = package.sampler_id {
            self.wait_for(&[id]).await;
        }
        self.go_on(package)?;
        // Timers and what was asked for may have taken long.
        let now_ns = self.thread.clock.now_ns();
        self.may_begin(now_ns).await.ok_or(PackageEnd::Over)?;
        self.thread.starts.count();
        // It is later than now only after a wait for the lease, which is told apart.
        let was_held = self.previous_end_ns > now_ns;
        let due = match was_held {
            true => Due::of(None, self.previous_end_ns, self.previous_end_ns),
            false => Due::of(Some(intended_ns), free_ns, now_ns),
        };
        self.meet();
        let sampled = sampling::sample(self, package, &label).await;
        self.meet();
        let sampled = sampled.map_err(|Cut| PackageEnd::Cut)?;
        self.jm().memo.forget_texts();
        self.go_on(package)?;
        match sampled {
            Some(sampled) => self.conclude_package(package, sampled, due).await,
            None => Ok(()),
        }
    }

    /// Whether the package goes on: not after an exception, of which the log then tells
    /// (JMeter 5.6.3, `JMeterThread.processSampler`).
    fn go_on(&mut self, package: &BoundPackage) -> Result<(), PackageEnd> {
        let Some(reason) = self.jm().thrown.take() else {
            return Ok(());
        };
        let id = package.sampler_id;
        let name = id.and_then(|id| self.thread.program.elements[id.0 as usize].name.as_text());
        let text = format!(
            "Error while processing sampler: '{}'. {reason}",
            name.unwrap_or_default()
        );
        let thread = &self.thread;
        let now_ns = thread.clock.now_ns();
        thread.jmeter.log(now_ns, &self.vars.redact(&text));
        Err(PackageEnd::Thrown)
    }

    /// Whether the user begins a sample, or was asked not to.
    fn begins(&mut self, package: &BoundPackage) -> Result<(), PackageEnd> {
        self.go_on(package)?;
        match self.jm().asked {
            Some(Action::StopUser) => Err(PackageEnd::Over),
            Some(Action::StopRun | Action::StopRunNow | Action::StopScenario) => {
                Err(PackageEnd::Asked)
            }
            _ => Ok(()),
        }
    }

    /// The sampler's name for its pre-processors, as far as it is fixed.
    fn name_sampler(&mut self, package: &BoundPackage) {
        let known = package.label.as_deref();
        // The same sampler again, as in a loop of one.
        if known.is_none() || known != self.jm().sampler_name.as_deref() {
            self.jm().sampler_name = known.map(Rc::from);
        }
    }

    /// The label; what pre-processors have set may be in it.
    async fn sampler_label(&mut self, package: &BoundPackage) -> Rc<str> {
        if let Some(name) = self.changed_name() {
            self.jm().sampler_name = Some(Rc::clone(&name));
            return name;
        }
        if let Some(name) = &self.jm().sampler_name {
            return Rc::clone(name);
        }
        let label: Rc<str> = match package.sampler_id {
            Some(id) => {
                let thread = Rc::clone(&self.thread);
                let name = &thread.program.elements[id.0 as usize].name;
                let text = self.waiting_text(name).await;
                text.unwrap_or_default().into()
            }
            None => "".into(),
        };
        self.jm().sampler_name = Some(Rc::clone(&label));
        label
    }

    /// A label that had to wait is not computed again with the sampler's other texts.
    fn keep_label(&mut self, package: &BoundPackage, label: &str) {
        let Some(id) = package.sampler_id else { return };
        let name = &self.thread.program.elements[id.0 as usize].name;
        if let Some(site) = super::needs::waiting_site(name) {
            self.jm().memo.keep_text(site, label.to_owned());
        }
    }

    /// Pre-processors and timers; gives the time at which the sampler is meant to begin.
    async fn before(&mut self, package: &BoundPackage) -> Result<Nanos, PackageEnd> {
        for id in &package.before {
            self.run_pre(*id).await;
            self.go_on(package)?;
        }
        self.begins(package)?;
        if self.thread.jmeter.bound.needs_companion {
            self.previous_end_ns = self.thread.clock.now_ns();
        }
        let due_ns = self.intended_ns.take().unwrap_or(self.previous_end_ns);
        if package.timers.is_empty() {
            return Ok(due_ns);
        }
        let begin_ns = self.thread.clock.now_ns();
        let delay_ms = self.delay_ms(&package.timers).await;
        self.begins(package)?;
        let waited_for_others_ns = self.thread.clock.now_ns();
        let mut until_ns = due_ns.max(self.previous_end_ns);
        if package.waits {
            // Others had to be asked or met meanwhile: JMeter's sleep begins after that.
            until_ns = waited_for_others_ns;
        }
        until_ns = until_ns.saturating_add(delay_ms.saturating_mul(1_000_000));
        if delay_ms > 0 {
            if until_ns > self.stop_ns() {
                // It would sleep beyond its end (JMeter's bug 60049).
                return Err(PackageEnd::Over);
            }
            self.wait_until(until_ns).await;
        }
        let now = self.thread.clock.now_ns();
        self.add_pause(now.saturating_sub(begin_ns));
        let to_the_end = std::mem::take(&mut self.jm().waited_to_the_end);
        let is_over = match to_the_end {
            // Its time is over, but it may have been stopped, too.
            true => self.is_over(0),
            false => self.is_over(now),
        };
        if is_over {
            return Err(PackageEnd::Over);
        }
        Ok(until_ns)
    }

    /// Post-processors and assertions on a result.
    pub(crate) async fn conclude_result(
        &mut self,
        package: &BoundPackage,
        result: &mut SampleResult,
    ) -> Result<(), PackageEnd> {
        self.last.ok_before_checks = result.success;
        if package.looks_back {
            self.jm().previous = Some(result.clone().into());
        }
        for id in &package.after {
            self.run_post(*id, result).await;
            self.go_on(package)?;
            if package.looks_back {
                self.jm().previous = Some(result.clone().into());
            }
        }
        for id in &package.assertions {
            let asked = self.jm().asked;
            self.run_assertion(*id, result).await;
            if self.jm().thrown.take().is_some() {
                // It is an error of the assertion, whatever it is.
                self.jm().asked = asked;
            }
        }
        self.set_last_ok(result.success);
        Ok(())
    }

    /// Post-processors, assertions, records, listeners.
    async fn conclude_package(
        &mut self,
        package: &BoundPackage,
        sampled: Sampled,
        due: Due,
    ) -> Result<(), PackageEnd> {
        let Sampled {
            mut result,
            times,
            failed,
        } = sampled;
        let before = self.values_to_trace();
        self.stamp(&mut result, &times);
        self.previous_end_ns = times.end_ns;
        if result.ignored {
            self.set_last_ok(result.success);
            return Ok(());
        }
        let thread = Rc::clone(&self.thread);
        let told = self.tells(package);
        let keeps = thread.jmeter.bound.keeps_previous;
        if told || keeps {
            self.fill_thread(&mut result);
        }
        if let Err(ended) = self.conclude_result(package, &mut result).await {
            // The sample is lost, but seen by what looks back.
            self.keep_previous(result);
            return Err(ended);
        }
        if result.ignored {
            self.keep_previous(result);
            return Ok(());
        }
        if let Some(before) = &before {
            self.trace_sampled(&result, &times, before);
        }
        self.record_sampled(package, &result, &times, failed, due);
        self.tell_and_keep(package, result, times, told).await;
        Ok(())
    }
}

/// Why a package ended before its end.
pub(crate) enum PackageEnd {
    /// The user begins nothing any more.
    Over,
    /// A change of flow was asked for that lets no sample begin.
    Asked,
    /// An exception.
    Thrown,
    /// The run's end cut it off.
    Cut,
}
