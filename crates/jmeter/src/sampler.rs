//! The samplers that are native and may wait.

use std::rc::Rc;

use plimsoll_elements::{DataType, Properties, SampleResult};
use plimsoll_plan::program::{ElementId, ElementProgram, Package, Program};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use super::bound::BoundPackage;
use super::http::{self, access_log};
use super::needs::Needs;
use super::sampled::{Sampled, Times};
use super::{jdbc, samplers};
use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;
use plimsoll_load::timer::Watch;
use plimsoll_load::user::Cut;
use plimsoll_load::user::exchange::InFlight;

/// A sampler, bound once for the run.
pub enum BoundSampler {
    /// None: only the pre-processors and timers of its package work.
    None,
    /// HTTP.
    Http(Box<http::HttpSampler>),
    /// A query to a database.
    Jdbc(Box<jdbc::Query>),
    /// Another native one.
    Native(Box<samplers::Native>),
    /// The lines of a server's log.
    AccessLog(Box<access_log::AccessLog>),
    /// The companion's.
    Remote(ElementId),
}

impl BoundSampler {
    /// Binds the sampler of a package.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(
        program: &Program,
        package: &Package,
        needs: Needs,
        properties: &Properties,
    ) -> Result<Self, Message> {
        let Some(id) = package.sampler else {
            return Ok(Self::None);
        };
        let element = &program.elements[id.0 as usize];
        Ok(match element.class.as_str() {
            class if http::is_http(class) => {
                Self::Http(Box::new(http::HttpSampler::bind(program, package, needs)?))
            }
            _ if access_log::is_access_log(element) => Self::AccessLog(Box::new(
                access_log::AccessLog::bind(program, package, needs)?,
            )),
            class if jdbc::is_jdbc(class) && jdbc::is_native(program) => {
                Self::Jdbc(Box::new(jdbc::Query::bind(program, element)))
            }
            _ => match native(program, package, element, properties) {
                Some(native) => Self::Native(Box::new(native)),
                None => Self::Remote(id),
            },
        })
    }
}

/// Whether the sampler of a package, if it has one, is native.
#[must_use]
pub fn is_native(program: &Program, package: &Package, properties: &Properties) -> bool {
    let Some(id) = package.sampler else {
        return true;
    };
    let element = &program.elements[id.0 as usize];
    http::is_http(&element.class)
        || access_log::is_access_log(element)
        || jdbc::is_jdbc(&element.class) && jdbc::is_native(program)
        || native(program, package, element, properties).is_some()
}

fn native(
    program: &Program,
    package: &Package,
    element: &ElementProgram,
    properties: &Properties,
) -> Option<samplers::Native> {
    let configs = package.configs.iter();
    let configs: Vec<_> = configs
        .map(|id| program.elements[id.0 as usize].as_ref())
        .collect();
    samplers::bind(element, &configs, properties)
}

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
        BoundSampler::AccessLog(sampler) => access_log::sample(user, sampler, label).await?,
        other => {
            let thread = Rc::clone(&user.thread);
            let start_ns = thread.clock.now_ns();
            let in_flight = InFlight::new(&thread, None);
            let watch = Watch::cuttable(&thread.timers);
            let made = samplers::unless_cut(&watch, by(user, other, package, label)).await;
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
        BoundSampler::Native(sampler) => samplers::sample(user, sampler, label).await,
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
    let times = Times {
        start_ns,
        end_ns,
        error: Some(ErrorKind::CutOff),
        ..Times::default()
    };
    Sampled::new(result, times)
}
