//! Telling the listeners of samples, and keeping the last result.

use std::sync::Arc;

use plimsoll_elements::SampleResult;
use plimsoll_elements::listeners::SampleEvent;
use tokio::sync::mpsc;

use super::bound::BoundPackage;
use super::listeners::ToldEvent;
use super::sampled::SampleTimes;
use crate::element_user::ElementUser;

impl ElementUser<'_> {
    /// Whether somebody is told of the package's samples.
    pub(crate) fn tells(&self, package: &BoundPackage) -> bool {
        !package.remote_listeners.is_empty()
            || !package.listeners.is_empty() && self.thread.outlet.is_some()
    }

    /// Hands an event to listeners; waits while they lag.
    pub(crate) async fn tell_listeners(
        &mut self,
        result: Arc<SampleResult>,
        to: Arc<[u32]>,
        transaction: bool,
        told_before: Option<bool>,
    ) {
        if to.is_empty() {
            return;
        }
        let Some(outlet) = self.thread.outlet.clone() else {
            return;
        };
        let event = SampleEvent {
            result,
            group: Arc::clone(&self.jm().group),
            variables: self.told_variables(),
            transaction,
            told_before,
        };
        // Its thread is gone only when it panicked, which is told at the end.
        if let Err(mpsc::error::TrySendError::Full(told)) = outlet.try_send(ToldEvent { event, to })
        {
            let _ = outlet.send(told).await;
        }
    }

    fn told_variables(&self) -> Arc<[Option<String>]> {
        let names = &self.thread.jmeter.sample_variables;
        let value = |name: &String| self.vars.get_by_name(name).map(|it| it.to_string());
        names.iter().map(value).collect()
    }

    /// Tells the listeners of a sampler's result, adds it to the transaction around it, and
    /// keeps it as the last one where something looks at that.
    pub(crate) async fn tell_and_keep(
        &mut self,
        package: &BoundPackage,
        mut result: SampleResult,
        times: SampleTimes,
        told: bool,
    ) {
        for id in &package.remote_listeners {
            self.remote_listener(*id, &mut result).await;
        }
        let to = self.listeners_outside(&package.listeners);
        self.run_namers(&to, &mut result);
        self.jm().last_listeners = Some(Arc::clone(&package.listeners));
        self.tell_transactions(&result, &times);
        let keeps = self.thread.jmeter.bound.keeps_previous;
        let within = self.parent_transaction().is_some();
        if !told && !keeps {
            if within {
                self.add_part(result, times);
            }
            return;
        }
        let result = Arc::new(result);
        self.tell_listeners(Arc::clone(&result), to, false, None)
            .await;
        if keeps {
            self.jm().previous = Some(Arc::clone(&result));
        }
        if within {
            let result = Arc::try_unwrap(result).unwrap_or_else(|shared| (*shared).clone());
            self.add_part(result, times);
        }
    }

    /// Lets listeners do what they do on the user's own thread.
    pub(crate) fn run_namers(&mut self, listeners: &[u32], result: &mut SampleResult) {
        let thread = std::rc::Rc::clone(&self.thread);
        let Some(namers) = thread.jmeter.namers.get() else {
            return;
        };
        let of = |number: &u32| namers.get(*number as usize)?.as_ref();
        for namer in listeners.iter().filter_map(of) {
            if let Err(fault) = self.evaluate(|cx| namer.name(cx, result)) {
                let text = self.vars.redact(&fault.to_string());
                thread.jmeter.log(thread.clock.now_ns(), &text);
            }
        }
    }

    /// Keeps a result as the last one, where something looks at that.
    pub(crate) fn keep_previous(&mut self, result: SampleResult) {
        if self.thread.jmeter.bound.keeps_previous {
            self.jm().previous = Some(Arc::new(result));
        }
    }
}
