//! The samplers that are native and may wait.

use plimsoll_plan::program::{ElementId, Package, Program};
use plimsoll_text::Message;

use super::bound::{BoundPackage, Needs};
use super::http;
use super::sampled::Sampled;
use crate::user::User;
use crate::user::request::Cut;

/// A sampler, bound once for the run.
pub enum BoundSampler {
    /// None: only the pre-processors and timers of its package work.
    None,
    /// HTTP.
    Http(Box<http::HttpSampler>),
    /// The companion's.
    Remote(ElementId),
}

impl BoundSampler {
    /// Binds the sampler of a package.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(program: &Program, package: &Package, needs: Needs) -> Result<Self, Message> {
        let Some(id) = package.sampler else {
            return Ok(Self::None);
        };
        let element = &program.elements[id.0 as usize];
        Ok(match element.class.as_str() {
            class if http::is_http(class) => {
                Self::Http(Box::new(http::HttpSampler::bind(program, package, needs)?))
            }
            _ => Self::Remote(id),
        })
    }
}

/// Whether samplers of this class are native.
#[must_use]
pub fn is_native(class: &str) -> bool {
    http::is_http(class)
}

/// Makes a sample. None: the sampler has none to give (JMeter: a null result).
pub(crate) async fn sample(
    user: &mut User,
    package: &BoundPackage,
    label: &str,
) -> Result<Option<Sampled>, Cut> {
    match &package.sampler {
        BoundSampler::None | BoundSampler::Remote(_) => Ok(None),
        BoundSampler::Http(sampler) => http::sample(user, sampler, label).await.map(Some),
    }
}
