//! Queues of texts by name, for all users of the run (the plugin jpgc-fifo 0.2, `FifoMap`): `__fifoPut`,
//! `__fifoGet`, `__fifoPop`, `__fifoSize`. A user that takes from an empty queue waits, which is the engine's
//! work: it is handed the queues.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use plimsoll_plan::program::Call;

use super::args::{count, text, trimmed};
use super::keep::for_run;
use crate::context::{Context, Fault};

/// The function that waits.
pub const POP: &str = "__fifoPop";

/// The property with the seconds that [`POP`] waits at most.
pub const TIMEOUT_PROPERTY: &str = "kg.apc.jmeter.functions.FifoTimeout";

/// The property with the most texts that a queue takes.
const CAPACITY_PROPERTY: &str = "kg.apc.jmeter.functions.FifoCapacity";

/// The queues of a run, by name.
#[derive(Default)]
pub struct FifoQueues(Mutex<HashMap<String, FifoQueue>>);

#[derive(Default)]
struct FifoQueue {
    texts: VecDeque<String>,
    /// Users that wait for one.
    waiting: Vec<Waker>,
}

impl FifoQueues {
    /// The queues of the run.
    pub fn of(cx: &dyn Context) -> Arc<Self> {
        for_run(cx)
    }

    fn with<T>(&self, name: &str, work: impl FnOnce(&mut FifoQueue) -> T) -> T {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queues.get_mut(name) {
            Some(queue) => work(queue),
            None => work(queues.entry(name.to_owned()).or_default()),
        }
    }

    /// Puts a text at the end of a queue, unless it holds `most` already; whether it did.
    pub fn put(&self, name: &str, text: &str, most: usize) -> bool {
        let woken = self.with(name, |queue| {
            if queue.texts.len() >= most {
                return None;
            }
            queue.texts.push_back(text.to_owned());
            Some(std::mem::take(&mut queue.waiting))
        });
        let put = woken.is_some();
        // Who finds it taken waits again.
        woken.into_iter().flatten().for_each(Waker::wake);
        put
    }

    /// Takes the first text of a queue; if there is none, this waker is woken when one comes.
    pub fn poll_pop(&self, name: &str, waker: &Waker) -> Option<String> {
        self.with(name, |queue| {
            let text = queue.texts.pop_front();
            if text.is_none() && !queue.waiting.iter().any(|known| known.will_wake(waker)) {
                queue.waiting.push(waker.clone());
            }
            text
        })
    }
}

/// Puts a text into a queue. A full one (by a property that few set) does not take it, where the plugin's waits.
///
/// # Errors
/// When the queue is full.
pub(crate) fn put_text(cx: &dyn Context, name: &str, text: &str) -> Result<(), Fault> {
    let most = cx.properties().get(CAPACITY_PROPERTY);
    let most = most.and_then(|most| most.trim().parse().ok());
    match FifoQueues::of(cx).put(name, text, most.unwrap_or(usize::MAX)) {
        true => Ok(()),
        false => Err(Fault::new(format!(
            "the queue {name} is full: it takes as many texts as the property {CAPACITY_PROPERTY} says"
        ))),
    }
}

/// `__fifoPut(queue, text)`: the text.
pub(super) fn put(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let value = text(call, 1, cx)?;
    put_text(cx, &name, &value)?;
    Ok(value.into_owned())
}

/// `__fifoGet(queue[, variable])`: the first text, which stays; empty when there is none.
pub(super) fn get(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let first = FifoQueues::of(cx).with(&name, |queue| queue.texts.front().cloned());
    saved(call, first.unwrap_or_default(), cx)
}

/// `__fifoSize(queue[, variable])`.
pub(super) fn size(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let size = FifoQueues::of(cx).with(&name, |queue| queue.texts.len());
    saved(call, size.to_string(), cx)
}

/// `__fifoPop(queue[, variable])`: takes the first text; the engine waits for one.
pub(super) fn pop(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?.into_owned();
    let response = cx.remote(POP, call.site, &[name])?;
    match response.strip_prefix(FOUND) {
        Some(value) => saved(call, value.to_owned(), cx),
        // None came in time: the variable has no value, and Java writes `null`.
        None => {
            let variable = trimmed(call, 1, cx)?;
            if count(call) > 1 {
                cx.set_null(&variable);
            }
            Ok("null".to_owned())
        }
    }
}

/// What stands before a text that came.
const FOUND: char = '=';

/// What the engine responds to a call of [`POP`], by the text that came, if one did.
#[must_use]
pub fn popped(text: Option<String>) -> String {
    text.map_or_else(String::new, |text| format!("{FOUND}{text}"))
}

/// A value, kept in the variable that the second argument names, if it is there.
fn saved(call: &Call, value: String, cx: &mut dyn Context) -> Result<String, Fault> {
    if count(call) > 1 {
        let name = trimmed(call, 1, cx)?;
        cx.set(&name, &value);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};

    #[test]
    fn texts_come_out_in_their_order() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__fifoGet", &["q", "v"], &mut cx), "");
        assert_eq!(*cx.vars["v"], *"");
        assert_eq!(run("__fifoPut", &["q", "一"], &mut cx), "一");
        assert_eq!(run("__fifoPut", &["q", ""], &mut cx), "");
        assert_eq!(run("__fifoSize", &["q", " n "], &mut cx), "2");
        assert_eq!(*cx.vars["n"], *"2");
        assert_eq!(run("__fifoGet", &["q"], &mut cx), "一");
        assert_eq!(run("__fifoSize", &["other"], &mut cx), "0");
        let queues = FifoQueues::of(&cx);
        let taken: Vec<_> = (0..3)
            .map(|_| queues.poll_pop("q", Waker::noop()))
            .collect();
        assert_eq!(taken, [Some("一".to_owned()), Some(String::new()), None]);
    }

    #[test]
    fn a_full_queue_says_so() {
        let mut cx = TestContext::with(&[]);
        cx.properties.set(CAPACITY_PROPERTY, "1");
        assert_eq!(run("__fifoPut", &["q", "a"], &mut cx), "a");
        assert!(fault("__fifoPut", &["q", "b"], &mut cx).contains("full"));
        assert_eq!(run("__fifoSize", &["q"], &mut cx), "1");
    }

    #[test]
    fn who_waits_is_woken_once_for_each_text() {
        use std::sync::atomic::{AtomicU32, Ordering};
        use std::task::Wake;
        struct Count(AtomicU32);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let count = Arc::new(Count(AtomicU32::new(0)));
        let waker = Waker::from(Arc::clone(&count));
        let queues = FifoQueues::default();
        assert_eq!(queues.poll_pop("q", &waker), None);
        assert_eq!(queues.poll_pop("q", &waker), None);
        assert!(queues.put("q", "a", usize::MAX) && queues.put("q", "b", usize::MAX));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert_eq!(queues.poll_pop("q", &waker).as_deref(), Some("a"));
    }
}
