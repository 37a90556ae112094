//! Native samplers other than HTTP. One file a class, one line in [`bind`].

mod child;
mod debug;
mod defaults;
mod dummy;
mod java_test;
mod process;
mod tcp;
mod tcp_client;
mod tcp_status;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Fault, Fields, Properties};
use plimsoll_plan::program::ElementProgram;

use super::sampled::{Sampled, Times};
use crate::context::ElementContext;
use crate::element_user::ElementUser;
use defaults::Sources;
use plimsoll_load::clock::Nanos;
use plimsoll_load::timer::Watch;
use plimsoll_load::user::Cut;

/// A native sampler, bound.
pub enum Native {
    /// JMeter's own Java samplers, `JavaTest` and `SleepTest`.
    Java(java_test::JavaSampler),
    /// Shows variables and properties.
    Debug(debug::DebugSampler),
    /// The plugin's Dummy Sampler.
    Dummy(dummy::DummySampler),
    /// A program of the system.
    Process(process::ProcessSampler),
    /// A text over TCP, and its response.
    Tcp(tcp::TcpSampler),
}

/// What these samplers keep for a user.
#[derive(Default)]
pub struct Kept {
    sockets: Vec<tcp::Kept>,
    /// Programs that were asked to end; they are killed with their user.
    processes: Vec<child::Child>,
}

/// The sampler that starts processes.
pub(super) const PROCESS: &str = "SystemSampler";

/// Binds an element with its configuration, the nearest first, if its class (and what it is to
/// run) is native.
#[must_use]
pub fn bind(
    element: &ElementProgram,
    configs: &[&ElementProgram],
    properties: &Properties,
) -> Option<Native> {
    let fields = Fields(element);
    let sources = |forms: &[&str]| Sources::new(fields, configs, forms);
    Some(match element.class.as_str() {
        "JavaSampler" => Native::Java(java_test::JavaSampler::bind(fields)?),
        "DebugSampler" => Native::Debug(debug::DebugSampler::bind(fields)),
        "DummySampler" | "kg.apc.jmeter.samplers.DummySampler" => {
            Native::Dummy(dummy::DummySampler::bind(fields))
        }
        PROCESS => Native::Process(process::ProcessSampler::bind(&sources(&[
            "SimpleConfigGui",
        ]))),
        "TCPSampler" => Native::Tcp(tcp::TcpSampler::bind(&sources(&tcp::FORMS), properties)?),
        _ => return None,
    })
}

/// Makes a sample, if there is one.
pub(super) async fn sample(
    user: &mut ElementUser<'_>,
    sampler: &Native,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    match sampler {
        Native::Java(sampler) => sampler.sample(user, label).await.map(Some),
        Native::Debug(sampler) => Ok(Some(sampler.sample(user, label).await)),
        Native::Dummy(sampler) => sampler.sample(user, label).await.map(Some),
        Native::Process(sampler) => sampler.sample(user, label).await,
        Native::Tcp(sampler) => sampler.sample(user, label).await,
    }
}

/// The texts of fields, in their order; a text that cannot be computed is empty.
async fn texts<const N: usize>(user: &mut ElementUser<'_>, fields: [&Field; N]) -> [String; N] {
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
async fn all_texts(user: &mut ElementUser<'_>, fields: &[Field]) -> Vec<String> {
    let work = |cx: &mut ElementContext<'_, '_>| {
        let text = |field: &Field| field.text(cx).map(std::borrow::Cow::into_owned);
        fields.iter().map(text).collect::<Result<Vec<_>, Fault>>()
    };
    let texts = user.work(work, |fault| *fault == Fault::Remote).await;
    texts.unwrap_or_else(|_| vec![String::new(); fields.len()])
}

/// Waits for something within a sample, at most until then; none: that came first.
async fn until<T>(
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
async fn sleep(user: &mut ElementUser<'_>, wait_ms: u64) -> bool {
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
fn until_now(user: &ElementUser<'_>, start_ns: u64) -> Times {
    Times {
        start_ns,
        end_ns: user.thread.clock.now_ns(),
        ..Times::default()
    }
}
