//! Leaves at work for a user.

use std::rc::Rc;

use plimsoll_elements::{AssertionResult, Bound, Fault, SampleResult};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{ElementId, Template};

use super::bound::BoundElement;
use super::context::ElementContext;
use crate::element_user::ElementUser;
use plimsoll_load::kit::functions::{EvalError, eval_text};

/// The post-processor that shows the properties of the sampler at work.
const SHOWS_SAMPLER: &str = "DebugPostProcessor";

impl ElementUser<'_> {
    /// Lets something work that may have to wait for the companion: it is asked, and the work
    /// is done again, until it has all it needs.
    pub(crate) async fn work<T, E>(
        &mut self,
        mut work: impl FnMut(&mut ElementContext<'_, '_>) -> Result<T, E>,
        waits: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let mut tried = false;
        loop {
            match self.evaluate(&mut work) {
                Err(error) if waits(&error) => {
                    if tried {
                        Box::pin(self.ask_companion()).await;
                    }
                    // The first try kept no values: another one does.
                    tried = true;
                    self.jm().memo.begin();
                }
                other => {
                    if tried {
                        self.jm().memo.end();
                    }
                    return other;
                }
            }
        }
    }

    /// A text that may have to wait for the companion, part by part: what one part does is
    /// never done again for another.
    pub(crate) async fn waiting_text(&mut self, template: &Template) -> Result<String, EvalError> {
        let mut text = String::new();
        for part in &template.parts {
            let part = Template {
                parts: vec![part.clone()],
            };
            let piece = |cx: &mut ElementContext<'_, '_>| {
                cx.begin_memo();
                eval_text(&part, cx.eval).map(std::borrow::Cow::into_owned)
            };
            let piece = loop {
                match self.evaluate(piece) {
                    Err(error) if error.waits() => Box::pin(self.ask_companion()).await,
                    other => break other,
                }
            };
            self.jm().memo.end();
            text.push_str(&piece?);
        }
        Ok(text)
    }

    /// Computes the texts of elements that must wait for the companion, and keeps them for
    /// the leaf.
    pub(crate) async fn wait_for(&mut self, elements: &[ElementId]) {
        let thread = Rc::clone(&self.thread);
        for id in elements {
            let Some(texts) = thread.jmeter.bound.waiting.get(id) else {
                continue;
            };
            for template in texts {
                let site = super::needs::waiting_site(template);
                if site.is_some_and(|site| self.jm().memo.text(site).is_some()) {
                    continue;
                }
                // A text that fails is empty, as a function that fails is.
                let text = self.waiting_text(template).await.unwrap_or_default();
                if let Some(site) = site {
                    self.jm().memo.keep_text(site, text);
                }
            }
        }
    }

    /// Lets a leaf work.
    pub(crate) async fn leaf<T>(
        &mut self,
        id: ElementId,
        work: impl FnMut(&mut ElementContext<'_, '_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.wait_for(&[id]).await;
        let result = self.work(work, |fault| *fault == Fault::Remote).await;
        if self.thread.jmeter.bound.waiting.contains_key(&id) {
            self.jm().memo.forget_texts();
        }
        result
    }

    /// Lets a pre-processor work.
    pub(crate) async fn run_pre(&mut self, id: ElementId) {
        let thread = Rc::clone(&self.thread);
        let result = match &thread.jmeter.bound.elements[id.0 as usize] {
            BoundElement::Leaf(Bound::Pre(pre)) => {
                let done = self.leaf(id, |cx| pre.process(cx)).await;
                if pre.throws() {
                    self.throw(&done);
                }
                done
            }
            BoundElement::Leaf(Bound::Pass(pass)) => self.leaf(id, |cx| pass.pass(cx)).await,
            BoundElement::Jdbc(query) => {
                self.wait_for(&[id]).await;
                query.process(self).await
            }
            BoundElement::Leaf(Bound::Timeout(timeout)) => {
                let timeout_ms = self.leaf(id, |cx| timeout.timeout_ms(cx)).await;
                // Of several the shortest cuts.
                let user = self.jm();
                timeout_ms.map(|ms| user.timeout_ms = user.timeout_ms.into_iter().chain(ms).min())
            }
            BoundElement::Modifier(modifier) => {
                self.jm().http.pending.push(std::sync::Arc::clone(modifier));
                Ok(())
            }
            BoundElement::Pop(pop) => {
                self.wait_for(&[id]).await;
                pop.process(self).await
            }
            BoundElement::Remote => {
                let done = self.remote_pre(id).await;
                self.throw(&done);
                done
            }
            _ => Ok(()),
        };
        self.log_fault(id, result);
    }

    /// Lets an element work because its scope is entered.
    pub(crate) async fn run_pass(&mut self, id: ElementId) {
        let thread = Rc::clone(&self.thread);
        self.jm().asked = None;
        let result = match &thread.jmeter.bound.elements[id.0 as usize] {
            BoundElement::Leaf(Bound::Pass(pass)) => self.leaf(id, |cx| pass.pass(cx)).await,
            BoundElement::Leaf(Bound::Pre(pre)) => self.leaf(id, |cx| pre.process(cx)).await,
            BoundElement::Remote => self.remote_pass(id).await,
            _ => Ok(()),
        };
        // It takes effect where the next sample would begin.
        let ends = self.jm().asked.take() == Some(Action::StopUser);
        self.jm().ended_by_pass |= ends;
        self.log_fault(id, result);
    }

    /// Lets a post-processor work.
    pub(crate) async fn run_post(&mut self, id: ElementId, sample: &mut SampleResult) {
        let thread = Rc::clone(&self.thread);
        let result = match &thread.jmeter.bound.elements[id.0 as usize] {
            BoundElement::Leaf(Bound::Post(post)) => {
                let element = &thread.program.elements[id.0 as usize];
                let shows = element.class == SHOWS_SAMPLER;
                if shows {
                    self.jm().shown = self.shown_sampler().await;
                }
                let done = self.leaf(id, |cx| post.process(cx, sample)).await;
                if shows {
                    self.jm().shown = Vec::new();
                }
                done
            }
            BoundElement::Jdbc(query) => {
                self.wait_for(&[id]).await;
                query.process(self).await
            }
            BoundElement::Remote => {
                let done = self.remote_post(id, sample).await;
                self.throw(&done);
                done
            }
            _ => Ok(()),
        };
        self.log_fault(id, result);
    }

    /// Lets a timer say how long to wait.
    pub(crate) async fn run_timer(&mut self, id: ElementId) -> u64 {
        let thread = Rc::clone(&self.thread);
        let result = match &thread.jmeter.bound.elements[id.0 as usize] {
            BoundElement::Leaf(Bound::Timer(timer)) => self.leaf(id, |cx| timer.delay_ms(cx)).await,
            BoundElement::Remote => {
                let delay_ms = self.remote_timer(id).await;
                self.throw(&delay_ms);
                delay_ms
            }
            _ => Ok(0),
        };
        match result {
            Ok(delay_ms) => delay_ms,
            Err(fault) => {
                self.log_fault(id, Err(fault));
                0
            }
        }
    }

    /// What an assertion finds.
    pub(crate) async fn run_check(
        &mut self,
        id: ElementId,
        sample: &mut SampleResult,
    ) -> Option<AssertionResult> {
        let thread = Rc::clone(&self.thread);
        let BoundElement::Leaf(Bound::Assertion(assertion)) =
            &thread.jmeter.bound.elements[id.0 as usize]
        else {
            return None;
        };
        let check = |cx: &mut ElementContext<'_, '_>| {
            sample.success |= assertion.assumes_success(cx)?;
            assertion.check(cx, sample)
        };
        let found = self.leaf(id, check).await;
        Some(found.unwrap_or_else(|fault| AssertionResult {
            // JMeter 5.6.3, `JMeterThread.processAssertion`.
            name: "Assertion failed! See log file.".to_owned(),
            error: true,
            message: Some(fault.to_string()),
            ..AssertionResult::default()
        }))
    }

    /// What Java's own element does not catch itself ends the package.
    fn throw<T>(&mut self, done: &Result<T, Fault>) {
        if let Err(Fault::Failed(reason)) = done {
            self.jm().thrown = Some(reason.clone());
        }
    }

    pub(crate) fn log_fault(&self, id: ElementId, result: Result<(), Fault>) {
        let Err(fault) = result else { return };
        let element = &self.thread.program.elements[id.0 as usize];
        let name = element.name.as_text().unwrap_or(&element.class);
        let text = self.vars.redact(&format!("{name}: {fault}"));
        self.thread.jmeter.log(self.thread.clock.now_ns(), &text);
    }
}
