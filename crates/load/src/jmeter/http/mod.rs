//! The HTTP sampler.

use plimsoll_elements::SampleResult;
use plimsoll_plan::program::{Package, Program};
use plimsoll_text::Message;

use super::bound::Needs;
use super::sampled::{Sampled, Times};
use crate::user::User;
use crate::user::request::Cut;

/// Whether an element of this class is an HTTP sampler.
#[must_use]
pub fn is_http(class: &str) -> bool {
    matches!(class, "HTTPSamplerProxy" | "GraphQLHTTPSampler")
}

/// An HTTP sampler with the configuration of its package, bound once for the run.
pub struct HttpSampler {}

impl HttpSampler {
    /// Binds a package's sampler. Its configuration is in `package.configs`, the nearest
    /// first.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(program: &Program, package: &Package, needs: Needs) -> Result<Self, Message> {
        let _ = (program, package, needs);
        Ok(Self {})
    }
}

/// What HTTP samplers keep for a user: cookies, cached answers, connections, credentials.
#[derive(Debug, Default)]
pub struct HttpUser {}

impl HttpUser {
    /// An iteration of the user's thread group begins; `same_user`: as JMeter's "same user on
    /// each iteration".
    pub fn iteration_begins(&mut self, same_user: bool) {
        let _ = same_user;
    }
}

/// Makes the sample. Texts are had from `user.evaluate(|cx| cx.text(template))`
/// (`plimsoll_elements::Context`); what must wait for the companion was computed before.
pub(crate) async fn sample(
    user: &mut User,
    sampler: &HttpSampler,
    label: &str,
) -> Result<Sampled, Cut> {
    let _ = (&sampler, &user);
    Ok(Sampled {
        result: SampleResult::new(label),
        times: Times::default(),
    })
}
