//! What the regular expression and boundary extractors look at.

use std::borrow::Cow;

use crate::context::Fault;
use crate::document;
use crate::functions::escaping::unescaped_html;
use crate::result::SampleResult;

/// Where the text comes from (`useHeaders` of the element).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The body.
    Body,
    /// The body with its HTML entities read.
    BodyUnescaped,
    /// The body's text as a document.
    BodyAsDocument,
    /// The response's headers.
    ResponseHeaders,
    /// The request's headers.
    RequestHeaders,
    /// The address.
    Url,
    /// The response code.
    Code,
    /// The response message.
    Message,
}

impl Subject {
    /// By JMeter's word for it, in any case; all others mean the body.
    pub(super) fn named(word: &str) -> Self {
        const WORDS: &[(&str, Subject)] = &[
            ("true", Subject::ResponseHeaders),
            ("request_headers", Subject::RequestHeaders),
            ("URL", Subject::Url),
            ("code", Subject::Code),
            ("message", Subject::Message),
            ("unescaped", Subject::BodyUnescaped),
            ("as_document", Subject::BodyAsDocument),
        ];
        let found = WORDS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(word));
        found.map_or(Self::Body, |(_, subject)| *subject)
    }

    /// The text in a sample.
    ///
    /// # Errors
    /// An entity that is no character.
    pub(super) fn of(self, sample: &SampleResult) -> Result<Cow<'_, str>, Fault> {
        Ok(Cow::Borrowed(match self {
            Self::Body => return Ok(sample.text()),
            Self::BodyUnescaped => {
                let text = sample.text();
                return Ok(match text.contains('&') {
                    true => Cow::Owned(unescaped_html(&text)?),
                    false => text,
                });
            }
            Self::BodyAsDocument => return Ok(document::text_of(sample)),
            Self::ResponseHeaders => &sample.response_headers,
            Self::RequestHeaders => &sample.request_headers,
            Self::Url => sample.url.as_deref().unwrap_or_default(),
            Self::Code => &sample.code,
            Self::Message => &sample.message,
        }))
    }
}
