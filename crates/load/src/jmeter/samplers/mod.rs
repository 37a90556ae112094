//! Native samplers other than HTTP. One file a class, one line in [`bind`].

mod debug;
mod dummy;
mod java_test;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Fault, Fields};
use plimsoll_plan::program::ElementProgram;

use super::sampled::{Sampled, Times};
use crate::functions::EvalContext;
use crate::user::User;
use crate::user::request::Cut;

/// A native sampler, bound.
pub enum Native {
    /// JMeter's own Java samplers, `JavaTest` and `SleepTest`.
    Java(java_test::JavaSampler),
    /// Shows variables and properties.
    Debug(debug::DebugSampler),
    /// The plugin's Dummy Sampler.
    Dummy(dummy::DummySampler),
}

/// Binds an element, if its class (and what it is to run) is native.
#[must_use]
pub fn bind(element: &ElementProgram) -> Option<Native> {
    let fields = Fields(element);
    Some(match element.class.as_str() {
        "JavaSampler" => Native::Java(java_test::JavaSampler::bind(fields)?),
        "DebugSampler" => Native::Debug(debug::DebugSampler::bind(fields)),
        "DummySampler" | "kg.apc.jmeter.samplers.DummySampler" => {
            Native::Dummy(dummy::DummySampler::bind(fields))
        }
        _ => return None,
    })
}

/// Makes a sample.
pub(super) async fn sample(user: &mut User, sampler: &Native, label: &str) -> Result<Sampled, Cut> {
    match sampler {
        Native::Java(sampler) => sampler.sample(user, label).await,
        Native::Debug(sampler) => Ok(sampler.sample(user, label).await),
        Native::Dummy(sampler) => sampler.sample(user, label).await,
    }
}

/// The texts of fields, in their order; a text that cannot be computed is empty.
async fn texts<const N: usize>(user: &mut User, fields: [&Field; N]) -> [String; N] {
    let work = |cx: &mut EvalContext<'_>| {
        let mut texts = [const { String::new() }; N];
        for (text, field) in texts.iter_mut().zip(fields) {
            *text = field.text(cx)?.into_owned();
        }
        Ok::<_, Fault>(texts)
    };
    let texts = user.work(work, |fault| *fault == Fault::Remote).await;
    texts.unwrap_or([const { String::new() }; N])
}

/// Waits on purpose within a sample.
async fn sleep(user: &mut User, wait_ms: u64) -> Result<(), Cut> {
    let until = user
        .thread
        .clock
        .now_ns()
        .saturating_add(wait_ms.saturating_mul(1_000_000));
    let cut_ns = user.scenario.cut_ns;
    user.thread.timers.sleep_until(until.min(cut_ns)).await;
    if until > cut_ns { Err(Cut) } else { Ok(()) }
}

/// The times of a sample that began then and ends now.
fn until_now(user: &User, start_ns: u64) -> Times {
    Times {
        start_ns,
        end_ns: user.thread.clock.now_ns(),
        ..Times::default()
    }
}
