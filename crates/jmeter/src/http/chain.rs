//! What the results of a chain of responses (a page, its redirects and resources) take from one
//! another (JMeter 5.6.3, `HTTPSampleResult` and `HTTPSamplerBase`).

use plimsoll_elements::SampleResult;

use super::failure::HttpProblem;
use crate::sampled::Sampled;

/// A copy without parts, for what stands for a result and more.
pub(super) fn copy(of: &Sampled, with_body: bool) -> Sampled {
    let mut times = of.times.clone();
    times.parts.clear();
    let mut result = summary(&of.result);
    result.samples = 1;
    if with_body || !of.result.body.is_empty() {
        of.result.body.clone_into(&mut result.body);
    }
    of.result
        .response_headers
        .clone_into(&mut result.response_headers);
    Sampled::new(result, times)
}

pub(super) fn failed_copy(of: &Sampled, problem: &HttpProblem) -> Sampled {
    let mut part = copy(of, false);
    problem.put(&mut part.result);
    part.times.error = Some(problem.kind);
    part
}

/// All of a result but its body, parts and assertions.
pub(super) fn summary(of: &SampleResult) -> SampleResult {
    SampleResult {
        label: of.label.clone(),
        http: of.http,
        success: of.success,
        code: of.code.clone(),
        message: of.message.clone(),
        start_unix_ms: of.start_unix_ms,
        end_unix_ms: of.end_unix_ms,
        elapsed_ms: of.elapsed_ms,
        idle_ms: of.idle_ms,
        latency_ms: of.latency_ms,
        connect_ms: of.connect_ms,
        data_type: of.data_type,
        content_type: of.content_type.clone(),
        encoding: of.encoding.clone(),
        request_headers: of.request_headers.clone(),
        method: of.method.clone(),
        query: of.query.clone(),
        cookies: of.cookies.clone(),
        redirect_location: of.redirect_location.clone(),
        url: of.url.clone(),
        received_bytes: of.received_bytes,
        header_bytes: of.header_bytes,
        body_bytes: of.body_bytes,
        sent_bytes: of.sent_bytes,
        samples: of.samples,
        ..SampleResult::default()
    }
}

/// A chain takes over what its last response says.
pub(super) fn take_over(whole: &mut Sampled, hop: &Sampled) {
    let (into, from) = (&mut whole.result, &hop.result);
    from.url.clone_into(&mut into.url);
    from.method.clone_into(&mut into.method);
    from.query.clone_into(&mut into.query);
    from.request_headers.clone_into(&mut into.request_headers);
    from.body.clone_into(&mut into.body);
    from.code.clone_into(&mut into.code);
    into.success = from.success;
    from.message.clone_into(&mut into.message);
    into.data_type = from.data_type;
    from.response_headers.clone_into(&mut into.response_headers);
    from.content_type.clone_into(&mut into.content_type);
    from.encoding.clone_into(&mut into.encoding);
    whole.times.error = hop.times.error;
}

pub(super) fn put_failure(whole: &mut Sampled, problem: &HttpProblem) {
    problem.put(&mut whole.result);
    whole.times.error = Some(problem.kind);
}

/// The message of a page that lacks some of its resources.
pub(super) fn tell(result: &mut SampleResult) {
    use std::fmt::Write as _;
    result.success = false;
    let mut message = "Embedded resource download error:".to_owned();
    for part in result.parts.iter().filter(|part| !part.success) {
        let url = part.url.as_deref().unwrap_or("null");
        // Writing to a String does not fail.
        let _ = write!(
            message,
            "{url} code:{} message:{}, ",
            part.code, part.message
        );
    }
    result.message = message;
}
