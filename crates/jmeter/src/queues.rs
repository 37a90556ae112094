//! Users that wait for a text in a queue (jpgc-fifo): `__fifoPop` and the pre-processor of the same name.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use plimsoll_elements::Fault;
use plimsoll_elements::fields::Field;
use plimsoll_elements::functions::fifo::{FifoQueues, TIMEOUT_PROPERTY};
use plimsoll_load::clock::Nanos;

use crate::context::ElementContext;
use crate::element_user::ElementUser;
use crate::fifo_pop::FifoPop;

impl FifoPop {
    /// Waits for a text and puts it into the variable; nothing, when none comes in time.
    pub(crate) async fn process(&self, user: &mut ElementUser<'_>) -> Result<(), Fault> {
        let texts = |cx: &mut ElementContext<'_, '_>| {
            let of = |field: &Field, cx: &mut ElementContext<'_, '_>| {
                Ok::<_, Fault>(field.text(cx)?.into_owned())
            };
            Ok::<_, Fault>((
                of(&self.queue, cx)?,
                of(&self.variable, cx)?,
                of(&self.timeout, cx)?,
            ))
        };
        let waits = |fault: &Fault| *fault == Fault::Remote;
        let (queue, variable, timeout) = user.work(texts, waits).await?;
        let timeout_s = match (self.timeout.is_there(), timeout.as_str()) {
            (false, _) => user.usual_timeout_s(),
            (true, "") => None,
            (true, text) => Some(text.parse::<i64>().map_err(|_| {
                Fault::new(format!(
                    "java.lang.NumberFormatException: For input string: \"{text}\""
                ))
            })?),
        };
        match user.pop(&queue, timeout_s).await {
            Some(text) => user.vars.set_by_name(&variable, text),
            None => user.vars.set_null_by_name(&variable),
        }
        Ok(())
    }
}

impl ElementUser<'_> {
    /// The seconds that the plan's properties say; none: for ever.
    pub(crate) fn usual_timeout_s(&self) -> Option<i64> {
        let set = self.thread.jmeter.properties.get(TIMEOUT_PROPERTY)?;
        set.trim().parse().ok()
    }

    /// Takes the first text of a queue; waits for one until then, or until the user's end.
    pub(crate) async fn pop(&mut self, queue: &str, timeout_s: Option<i64>) -> Option<String> {
        let thread = Rc::clone(&self.thread);
        let queues = self.evaluate(|cx| FifoQueues::of(cx));
        let until_ns = match timeout_s {
            None => Nanos::MAX,
            Some(seconds) => {
                let seconds = u64::try_from(seconds).unwrap_or(0);
                let now_ns = thread.clock.now_ns();
                now_ns.saturating_add(seconds.saturating_mul(1_000_000_000))
            }
        };
        let mut taken = pin!(poll_fn(|cx| match queues.poll_pop(queue, cx.waker()) {
            Some(text) => Poll::Ready(text),
            None => Poll::Pending,
        }));
        self.watch.set(self.stop_ns().min(until_ns));
        let text = loop {
            tokio::select! {
                biased;
                text = &mut taken => break Some(text),
                // It may be for the users of another scenario, or the load may have changed.
                () = thread.stopping.notified() => {
                    if self.stopping() {
                        break None;
                    }
                    self.watch.set(self.stop_ns().min(until_ns));
                }
                () = self.watch.expired() => break None,
            }
        };
        self.watch.clear();
        text
    }
}
