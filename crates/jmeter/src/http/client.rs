//! Which of JMeter's HTTP clients makes a sampler's requests.

use super::failure::HttpProblem;
use super::settings::{Eval, SamplerSettings};

/// The client that makes a sampler's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Client {
    /// Apache's HttpClient 4.5.
    #[default]
    HttpClient,
    /// Java's `HttpURLConnection`.
    Java,
}

impl Client {
    /// The client of this name; none: there is no such.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "Java" | "HTTPSampler" => Some(Self::Java),
            "HttpClient4" | "HttpClient3.1" => Some(Self::HttpClient),
            _ if name.trim().is_empty() => Some(Self::HttpClient),
            _ => None,
        }
    }
}

impl SamplerSettings {
    /// The client that the sampler names, or else this one (`jmeter.httpsampler`).
    ///
    /// # Errors
    /// A name that JMeter does not know; a text without a value.
    pub fn client(&self, by: &mut Eval<'_>, usual: &str) -> Result<Client, HttpProblem> {
        let own = self.implementation.text(by)?;
        let name = if own.trim().is_empty() { usual } else { &own };
        Client::of(name).ok_or_else(|| {
            let message = format!("Unknown implementation type: '{name}'");
            HttpProblem::new("java.lang.IllegalArgumentException", message).bare()
        })
    }
}
