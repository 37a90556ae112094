//! Transactions as JMeter has them (5.6.3, `TransactionController`, `TransactionSampler`):
//! either one sample whose parts are its requests, or a sample beside them.

use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::SampleResult;
use plimsoll_plan::program::PackageId;

use super::open_transaction::OpenTransaction;
use super::sampled::SampleTimes;
use crate::element_user::ElementUser;
use plimsoll_load::kit::extension::{NewTransaction, TransactionEnding};
use plimsoll_load::kit::user::Due;

impl ElementUser<'_> {
    /// Begins a transaction whose sample is JMeter's.
    pub(crate) fn begin_element_transaction(&mut self, new: NewTransaction) {
        let now = self.thread.clock.now_ns();
        let due = match self.intended_ns {
            Some(at_ns) => Due::of(Some(at_ns), self.previous_end_ns, now),
            None => Due::of(None, now, now),
        };
        self.begin_transaction(new.label, new.include_pauses, new.as_parent);
        let open = OpenTransaction::new(new, due, now);
        self.jm().transactions.push(open);
    }

    /// A sampler's turn has come: transactions beside their samples count it, whether or not
    /// it brings a result.
    pub(crate) fn count_call(&mut self) {
        for open in self.jm().transactions.iter_mut().filter(|it| !it.as_parent) {
            open.calls += 1 + std::mem::take(&mut open.ended_steps);
        }
    }

    /// The innermost transaction that is one sample with its requests.
    pub(crate) fn parent_transaction(&mut self) -> Option<&mut OpenTransaction> {
        let open = &mut self.jm().transactions;
        open.iter_mut().rev().find(|open| open.as_parent)
    }

    /// Listeners that are told of a sampler's result: not those that are told of the
    /// transaction that it is a part of.
    pub(crate) fn listeners_outside(&mut self, listeners: &Arc<[u32]>) -> Arc<[u32]> {
        let thread = Rc::clone(&self.thread);
        let Some(parent) = self.parent_transaction() else {
            return Arc::clone(listeners);
        };
        let of_parent = thread.jmeter.listeners_of(parent.package);
        let outside = |number: &&u32| !of_parent.contains(number);
        listeners.iter().filter(outside).copied().collect()
    }

    /// Tells the transactions beside their samples.
    pub(crate) fn tell_transactions(&mut self, result: &SampleResult, times: &SampleTimes) {
        let all = self.jm().transactions.len();
        self.tell_outer_transactions(all, result, times);
    }

    /// Tells so many of them, the outermost.
    fn tell_outer_transactions(
        &mut self,
        number: usize,
        result: &SampleResult,
        times: &SampleTimes,
    ) {
        let around = self.jm().transactions.iter_mut().take(number);
        let mut around: Vec<&mut OpenTransaction> = around.collect();
        // Those around one that is a sample itself, and its child, are told of that one.
        let whole = around.iter().rposition(|open| open.as_parent);
        for open in around.iter_mut().skip(whole.map_or(0, |at| at + 2)) {
            open.tell(result, times);
        }
    }

    /// Adds a result to the transaction that it is a part of.
    pub(crate) fn add_part(&mut self, result: SampleResult, times: SampleTimes) {
        let Some(open) = self.parent_transaction() else {
            return;
        };
        open.add_part(result, times);
    }

    /// Ends transactions in the order of JMeter.
    pub(crate) async fn end_element_transactions(&mut self, ending: TransactionEnding) {
        let all = self.jm().transactions.len();
        let is_parent = |open: &OpenTransaction| open.as_parent;
        match ending {
            TransactionEnding::Done => self.end_transaction_at(all.wrapping_sub(1), ending).await,
            TransactionEnding::Left(number) => {
                let outer = all.saturating_sub(number);
                for at in (outer..all).rev() {
                    let open = &self.jm().transactions;
                    // What is the sample of all others is told of when they have ended.
                    let is_whole = is_parent(&open[at]) && !open[..at].iter().any(is_parent);
                    if !is_whole {
                        self.end_transaction_at(at, ending).await;
                    }
                }
                self.end_transaction_at(outer, ending).await;
            }
            TransactionEnding::Stopped(outer) => {
                for at in (outer..all).rev() {
                    if is_parent(&self.jm().transactions[at]) {
                        self.end_transaction_at(at, ending).await;
                    }
                }
            }
        }
    }

    /// Takes the transaction at a place out of those that are open; there may be others within it, that the
    /// flow has left as well.
    fn take_transaction(
        &mut self,
        at: usize,
    ) -> Option<(Option<plimsoll_load::kit::user::Open>, OpenTransaction)> {
        let open = self.jm().transactions.len();
        if at >= open {
            return None;
        }
        let within = open - at;
        let own = self.transactions.len().checked_sub(within);
        let own = own.map(|own| self.transactions.remove(own));
        Some((own, self.jm().transactions.remove(at)))
    }

    /// Ends the transaction at a place, and records it.
    async fn end_transaction_at(&mut self, at: usize, ending: TransactionEnding) {
        let Some((own, mut open)) = self.take_transaction(at) else {
            return;
        };
        let within = self.jm().transactions.len() - at;
        let left = self.leave_transaction(&mut open, ending);
        let kind = self.transaction_kind(open.as_parent);
        let now = self.thread.clock.now_ns();
        let (label, sampler) = (open.label, open.sampler);
        let (as_parent, package, told) = (open.as_parent, open.package, open.told);
        let fills = open.as_parent || open.has_samples();
        let stopped = matches!(ending, TransactionEnding::Stopped(_)) && open.as_parent;
        let (mut result, times, due) = open.ended(now, self.thread.clock, stopped);
        if left {
            result.code.clear();
        }
        let handed_over = as_parent && sampler.is_none() && self.hands_over(ending);
        if handed_over {
            result.thread_name = self.jm().info.name.to_string();
        } else if fills {
            self.fill_own(&mut result);
        }
        if sampler.is_some() {
            self.fill_parts(&mut result);
        }
        let thread = Rc::clone(&self.thread);
        let package = package.map(|id| &thread.jmeter.packages()[id.0 as usize]);
        if let Some(sampler) = sampler
            && !self.conclude_whole(sampler, &mut result).await
        {
            return;
        }
        if sampler.is_none() && as_parent && !handed_over {
            self.check_transaction(package, &mut result).await;
        }
        if told.is_none() {
            let parent = self.label_around(within);
            let sample = plimsoll_stats::Sample {
                intended_ns: due.intended_ns,
                ready_ns: due.ready_ns,
                lag_ns: own.map_or(0, |own| own.lag_ns()),
                ..self.sample_from(&result, &times, label, kind, parent)
            };
            self.record_transaction(&sample, &result, as_parent && !self.transactions.is_empty());
        }
        match as_parent {
            false => self.tell_last_listeners(result).await,
            true if self.parent_transaction().is_some() => self.add_part(result, times),
            true => {
                self.tell_of_transaction(package, result, &times, (at, told))
                    .await;
            }
        }
    }

    /// What its end changes in a transaction; whether it is left before its end.
    fn leave_transaction(&mut self, open: &mut OpenTransaction, ending: TransactionEnding) -> bool {
        if ending == TransactionEnding::Done && open.as_parent && open.sampler.is_none() {
            // JMeter's controller brings it once more at its end.
            self.count_call();
        }
        let left = ending != TransactionEnding::Done && !open.as_parent;
        if left {
            // It is as the last sample was, and has no code.
            open.result.success = self.last.ok;
        }
        left
    }

    /// The label of the transaction around one that has been taken out, with so many within it.
    fn label_around(&self, within: usize) -> Option<plimsoll_stats::LabelId> {
        let around = self.transactions.len().checked_sub(within + 1)?;
        let around = self.transactions.get(around)?;
        Some(around.label())
    }

    /// What a sampler brings with it has its thread, whichever made it.
    fn fill_parts(&mut self, result: &mut SampleResult) {
        for part in &mut result.parts {
            self.fill_own(part);
        }
    }

    /// Whether its result goes to the one around it as it is: so JMeter does with one within another that is left,
    /// without filling it or looking at its assertions (5.6.3, `TransactionController.triggerEndOfLoop`).
    fn hands_over(&mut self, ending: TransactionEnding) -> bool {
        matches!(ending, TransactionEnding::Left(_)) && self.parent_transaction().is_some()
    }

    /// Tells the listeners of the package that ran last, and no transaction.
    async fn tell_last_listeners(&mut self, result: SampleResult) {
        if let Some(to) = self.jm().last_listeners.clone() {
            self.tell_listeners(Arc::new(result), to, true, None).await;
        }
    }

    /// The assertions on a transaction that is a sample itself.
    async fn check_transaction(
        &mut self,
        package: Option<&super::bound::BoundPackage>,
        result: &mut SampleResult,
    ) {
        for id in package.iter().flat_map(|package| &package.assertions) {
            self.run_assertion(*id, result).await;
        }
        self.set_last_ok(result.success);
    }

    /// Post-processors and assertions on a transaction that is the sample of a sampler, with all that has come of
    /// it; false: nobody is told of it.
    async fn conclude_whole(&mut self, sampler: PackageId, result: &mut SampleResult) -> bool {
        let thread = Rc::clone(&self.thread);
        let package = &thread.jmeter.packages()[sampler.0 as usize];
        // Branches have had packages of their own meanwhile.
        self.jm().package = Some(sampler);
        self.jm().asked = None;
        self.jm().thrown = None;
        self.forget_changes();
        self.jm().at_work = true;
        let is_told = self.conclude_result(package, result).await.is_ok();
        self.jm().at_work = false;
        self.jm().memo.forget_texts();
        self.keep_previous(result.clone());
        self.last.asked = self.jm().asked.take();
        is_told && !result.ignored
    }

    fn record_transaction(
        &mut self,
        sample: &plimsoll_stats::Sample<'_>,
        result: &SampleResult,
        within: bool,
    ) {
        let recorder = &self.thread.recorder;
        recorder.record_masked(sample, |text| self.vars.redact(text));
        if self.thread.recorder.logs() {
            self.log_result(sample, result);
        }
        if within {
            self.add_to_transactions(sample);
        }
    }

    /// Tells the listeners of a transaction that is a sample itself, and the transactions
    /// around it, which are so many.
    async fn tell_of_transaction(
        &mut self,
        package: Option<&super::bound::BoundPackage>,
        mut result: SampleResult,
        times: &SampleTimes,
        (around, told_before): (usize, Option<bool>),
    ) {
        self.tell_outer_transactions(around, &result, times);
        // Its user stopped, and its child is open yet.
        let child = self.jm().transactions.get_mut(around);
        if let Some(child) = child.filter(|child| !child.as_parent) {
            child.tell(&result, times);
        }
        for id in package.iter().flat_map(|package| &package.remote_listeners) {
            self.remote_listener(*id, &mut result).await;
        }
        let to = self.thread.jmeter.listeners_of(package.map(|it| it.id));
        self.run_namers(&to, &mut result);
        self.tell_listeners(Arc::new(result), to, false, told_before)
            .await;
    }

    /// Tells of the outermost transaction that is a sample itself as far as it came: JMeter
    /// does so when the flow changes within it, and again when it ends. Files have it once.
    pub(crate) async fn tell_transaction_so_far(&mut self) {
        let open = &self.jm().transactions;
        let Some(at) = open.iter().position(|open| open.as_parent) else {
            return;
        };
        let open = open[at].clone();
        let (label, told) = (open.label, open.told);
        let thread = Rc::clone(&self.thread);
        let package = open.package;
        let package = package.map(|id| &thread.jmeter.packages()[id.0 as usize]);
        let (mut result, times, due) = open.ended(thread.clock.now_ns(), thread.clock, true);
        self.fill_own(&mut result);
        self.check_transaction(package, &mut result).await;
        if told.is_none() {
            let outer = at.checked_sub(1).and_then(|at| self.transactions.get(at));
            let parent = outer.map(plimsoll_load::kit::user::Open::label);
            let kind = plimsoll_stats::LabelKind::Request;
            let sample = plimsoll_stats::Sample {
                intended_ns: due.intended_ns,
                ready_ns: due.ready_ns,
                lag_ns: self.transactions.get(at).map_or(0, |own| own.lag_ns()),
                ..self.sample_from(&result, &times, label, kind, parent)
            };
            self.record_transaction(&sample, &result, false);
        }
        if let Some(open) = self.jm().transactions.get_mut(at) {
            open.told = told.or(Some(result.success));
            open.result.success = result.success;
            open.result.assertions.clone_from(&result.assertions);
        }
        self.tell_of_transaction(package, result, &times, (at, told))
            .await;
    }

    /// Ends what an iteration that is over has left open: transactions that are samples
    /// themselves are told of as far as they came, others are not.
    pub(crate) async fn end_open_transactions(&mut self) {
        loop {
            match self.jm().transactions.last() {
                None => return,
                Some(open) if open.as_parent => {
                    let at = self.jm().transactions.len() - 1;
                    let ending = TransactionEnding::Stopped(at);
                    self.end_transaction_at(at, ending).await;
                }
                Some(_) => {
                    self.transactions.pop();
                    self.jm().transactions.pop();
                }
            }
        }
    }
}
