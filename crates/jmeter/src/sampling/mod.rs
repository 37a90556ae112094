//! Samplers at work for a user: they may wait.

mod debug;
mod dial;
mod dummy;
mod http_raw;
mod http_raw_parsed;
mod java_test;
mod left;
mod parallel;
mod process;
mod program;
mod set_variables;
mod tcp;
mod tcp_exchange;
mod waits;
mod websocket;

use std::rc::Rc;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use super::bound::BoundPackage;
use super::http::{self, replay};
use super::sampled::{SampleTimes, Sampled};
use super::sampler::BoundSampler;
use super::samplers::Native;
use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::InFlight;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;
use waits::unless_cut;

/// Makes a sample. None: the sampler has none to give (JMeter: a null result), or an exception
/// ended it. What the run's end cuts off fails (JMeter 5.6.3, `JMeterThread.interrupt`).
pub(crate) async fn sample(
    user: &mut ElementUser<'_>,
    package: &BoundPackage,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    user.begin_interruption();
    let changed = user.changed_sampler(package);
    let sampled = match changed.as_ref().unwrap_or(&package.sampler) {
        BoundSampler::None => None,
        BoundSampler::Http(sampler) => {
            let asked = user.jm().asked;
            let sampled = http::sample(user, sampler, label).await?;
            // It makes a failed sample of any exception, also of those that stop a thread
            // (JMeter 5.6.3, `HTTPSamplerBase.sample`).
            if user.jm().thrown.take().is_some() {
                user.jm().asked = asked;
            }
            sampled
        }
        BoundSampler::AccessLog(sampler) => replay::sample(user, sampler, label).await?,
        other => {
            let thread = Rc::clone(&user.thread);
            let start_ns = thread.clock.now_ns();
            let in_flight = InFlight::new(&thread, None);
            let watch = Watch::cuttable(&thread.timers);
            let made = unless_cut(&watch, by(user, other, package, label)).await;
            drop(in_flight);
            match made {
                Some(made) => made?,
                None => Some(cut_off(label, start_ns, thread.clock.now_ns())),
            }
        }
    };
    Ok(sampled.filter(|_| user.jm().thrown.is_none()))
}

/// Makes a sample that is not HTTP.
async fn by(
    user: &mut ElementUser<'_>,
    sampler: &BoundSampler,
    package: &BoundPackage,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    match sampler {
        BoundSampler::None | BoundSampler::Http(_) | BoundSampler::AccessLog(_) => Ok(None),
        BoundSampler::Remote(_) => user.remote_sample(package, label).await,
        BoundSampler::Jdbc(query) => query.sample(user, label).await.map(Some),
        BoundSampler::Native(sampler) => native(user, sampler, label).await,
    }
}

/// What is recorded of a sample that the run's end cut off.
fn cut_off(label: &str, start_ns: Nanos, end_ns: Nanos) -> Sampled {
    let result = SampleResult {
        code: "500".to_owned(),
        message: "java.lang.InterruptedException: the test was stopped".to_owned(),
        data_type: DataType::Text,
        ..SampleResult::new(label)
    };
    let times = SampleTimes {
        start_ns,
        end_ns,
        error: Some(ErrorKind::CutOff),
        ..SampleTimes::default()
    };
    Sampled::new(result, times)
}

/// Makes a sample of another native sampler, if there is one.
async fn native(
    user: &mut ElementUser<'_>,
    sampler: &Native,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    match sampler {
        Native::Java(sampler) => sampler.sample(user, label).await.map(Some),
        Native::Debug(sampler) => Ok(Some(sampler.sample(user, label).await)),
        Native::Dummy(sampler) => sampler.sample(user, label).await.map(Some),
        Native::SetVariables(sampler) => {
            sampler.set(user).await;
            Ok(None)
        }
        Native::Parallel(sampler) => {
            sampler.tell(user).await;
            Ok(None)
        }
        Native::Process(sampler) => sampler.sample(user, label).await,
        Native::Tcp(sampler) => sampler.sample(user, label).await,
        Native::HttpRaw(sampler) => sampler.sample(user, label).await,
        Native::WebSocket(sampler) => sampler.sample(user, label).await,
    }
}
