//! Where a request goes, prepared for sending.

use std::borrow::Cow;

use super::failure::HttpProblem;
use super::settings::{Eval, SamplerSettings};
use super::url::JavaUrl;

/// An address, prepared.
#[derive(Debug, Clone, Default)]
pub struct HttpTarget {
    /// The address.
    pub url: JavaUrl,
    /// As text.
    pub text: String,
    /// The request target: path and query.
    pub request: Vec<u8>,
    /// The value of `Host`.
    pub host: String,
    /// It cannot be asked for.
    pub bad: Option<HttpProblem>,
}

impl From<JavaUrl> for HttpTarget {
    fn from(url: JavaUrl) -> Self {
        let mut request = Vec::with_capacity(url.path.len() + 16);
        url.put_target(&mut request);
        let mut bad = url.check().err().map(HttpProblem::from);
        let is_http = matches!(url.scheme.as_str(), "http" | "https");
        if bad.is_none() && is_http && url.host.is_empty() {
            let class = "org.apache.http.client.ClientProtocolException";
            let message = format!("URI does not specify a valid host name: {url}");
            bad = Some(HttpProblem::new(class, message));
        }
        if let (None, Some(port @ 65_536..)) = (&bad, url.port) {
            let message = format!("port out of range:{port}");
            bad = Some(HttpProblem::new(
                "java.lang.IllegalArgumentException",
                message,
            ));
        }
        Self {
            text: url.to_string(),
            host: url.authority(),
            request,
            bad,
            url,
        }
    }
}

impl SamplerSettings {
    /// The method.
    ///
    /// # Errors
    /// A text without a value.
    pub fn method_text<'s>(&'s self, by: &mut Eval<'_>) -> Result<Cow<'s, str>, HttpProblem> {
        let method = self.method.text(by)?;
        Ok(if method.is_empty() {
            Cow::Borrowed("GET")
        } else {
            method
        })
    }

    /// The address (JMeter 5.6.3, `HTTPSamplerBase.getUrl`).
    ///
    /// # Errors
    /// What Java would not read.
    pub fn url(&self, by: &mut Eval<'_>, method: &str) -> Result<JavaUrl, HttpProblem> {
        let mut path = self.path.text(by)?;
        if path.contains(' ') {
            path = Cow::Owned(path.replace(' ', "%20"));
        }
        if path.starts_with("http://") || path.starts_with("https://") {
            return Ok(JavaUrl::parse(&path)?);
        }
        let scheme = self.protocol.text(by)?;
        let scheme = if scheme.is_empty() { "http" } else { &scheme };
        let is_file = scheme.eq_ignore_ascii_case("file");
        let mut file = String::with_capacity(path.len() + 32);
        if !is_file && !path.starts_with('/') {
            file.push('/');
        }
        file.push_str(&path);
        if matches!(method, "GET" | "DELETE" | "OPTIONS") {
            let query = self.query(by)?;
            if !query.is_empty() {
                file.push(if path.contains('?') { '&' } else { '?' });
                file.push_str(&query);
            }
        }
        let port = match self.port.text(by)?.trim().parse::<i64>() {
            Err(_) | Ok(0) => None,
            Ok(80) if scheme.eq_ignore_ascii_case("http") => None,
            Ok(443) if scheme.eq_ignore_ascii_case("https") => None,
            Ok(port) => Some(port),
        };
        let domain = self.domain.text(by)?;
        let domain = (!is_file).then_some(&*domain);
        Ok(JavaUrl::of_parts(scheme, domain, port, &file)?)
    }
}
