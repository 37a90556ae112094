//! What samplers wait for: texts, a time, an end.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;

use plimsoll_elements::Fault;
use plimsoll_elements::fields::Field;

use crate::context::ElementContext;
use crate::element_user::ElementUser;
use crate::sampled::SampleTimes;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;

/// The texts of fields, in their order; a text that cannot be computed is empty.
pub(super) async fn texts<const N: usize>(
    user: &mut ElementUser<'_>,
    fields: [&Field; N],
) -> [String; N] {
    let work = |cx: &mut ElementContext<'_, '_>| {
        let mut texts = [const { String::new() }; N];
        for (text, field) in texts.iter_mut().zip(fields) {
            *text = field.text(cx)?.into_owned();
        }
        Ok::<_, Fault>(texts)
    };
    let texts = user.work(work, |fault| *fault == Fault::Remote).await;
    texts.unwrap_or([const { String::new() }; N])
}

/// The texts of a list of fields; a text that cannot be computed is empty.
pub(super) async fn all_texts(user: &mut ElementUser<'_>, fields: &[Field]) -> Vec<String> {
    let work = |cx: &mut ElementContext<'_, '_>| {
        let text = |field: &Field| field.text(cx).map(std::borrow::Cow::into_owned);
        fields.iter().map(text).collect::<Result<Vec<_>, Fault>>()
    };
    let texts = user.work(work, |fault| *fault == Fault::Remote).await;
    texts.unwrap_or_else(|_| vec![String::new(); fields.len()])
}

/// Waits for something within a sample, at most until then; none: that came first.
pub(super) async fn until<T>(
    user: &ElementUser<'_>,
    at_ns: Nanos,
    future: impl Future<Output = T>,
) -> Result<Option<T>, Cut> {
    let cut_ns = user.scenario.cut_ns.get();
    let watch = Watch::new(&user.thread.timers);
    watch.set(at_ns.min(cut_ns));
    let mut future = pin!(future);
    let result = poll_fn(|cx| {
        if let Poll::Ready(value) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        if watch.is_over() {
            return Poll::Ready(None);
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await;
    match result {
        None if cut_ns <= at_ns => Err(Cut),
        result => Ok(result),
    }
}

/// Waits on purpose within a sample, at most until it is interrupted or cut off; `false` when it
/// was.
pub(super) async fn sleep(user: &mut ElementUser<'_>, wait_ms: u64) -> bool {
    let wait_ns = wait_ms.saturating_mul(1_000_000);
    let until_ns = user.thread.clock.now_ns().saturating_add(wait_ns);
    let first_ns = until_ns
        .min(user.interrupt_ns())
        .min(user.scenario.cut_ns.get());
    let watch = Watch::cuttable(&user.thread.timers);
    watch.set(first_ns);
    watch.expired().await;
    !watch.is_cut() && first_ns == until_ns
}

/// A sampler's work, unless the run's cut-off ends it; none then.
pub(super) async fn unless_cut<T>(watch: &Watch, work: impl Future<Output = T>) -> Option<T> {
    watch.set(Nanos::MAX);
    let mut work = pin!(work);
    poll_fn(|cx| {
        if let Poll::Ready(value) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        if watch.is_cut() {
            return Poll::Ready(None);
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await
}

/// The times of a sample that began then and ends now.
pub(super) fn until_now(user: &ElementUser<'_>, start_ns: u64) -> SampleTimes {
    SampleTimes {
        start_ns,
        end_ns: user.thread.clock.now_ns(),
        ..SampleTimes::default()
    }
}

/// What the system says of an error, without Rust's number.
pub(super) fn said(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
