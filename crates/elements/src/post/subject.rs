//! What extractors look at.

use std::borrow::Cow;

use crate::context::{Context, Fault};
use crate::document;
use crate::functions::escaping::unescaped_html;
use crate::result::SampleResult;
use crate::scope::ScopeValue;

/// Where the text comes from (`useHeaders` of the element).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PostSubject {
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

impl PostSubject {
    /// By JMeter's word for it, in any case; all others mean the body.
    pub(super) fn named(word: &str) -> Self {
        const WORDS: &[(&str, PostSubject)] = &[
            ("true", PostSubject::ResponseHeaders),
            ("request_headers", PostSubject::RequestHeaders),
            ("URL", PostSubject::Url),
            ("code", PostSubject::Code),
            ("message", PostSubject::Message),
            ("unescaped", PostSubject::BodyUnescaped),
            ("as_document", PostSubject::BodyAsDocument),
        ];
        let found = WORDS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(word));
        found.map_or(Self::Body, |(_, subject)| *subject)
    }

    /// The texts in the samples of a scope.
    ///
    /// # Errors
    /// An entity that is no character.
    pub(super) fn of_all<'s>(
        self,
        which: &ScopeValue<'_>,
        sample: &'s SampleResult,
    ) -> Result<Vec<Cow<'s, str>>, Fault> {
        let samples = which.samples(sample).into_iter();
        samples.map(|sample| self.of(sample)).collect()
    }

    fn of(self, sample: &SampleResult) -> Result<Cow<'_, str>, Fault> {
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

/// Says that the variable an extractor looks at is not there.
pub(super) fn log_missing(cx: &mut dyn Context, variable: &str, kind: &str, own: &str) {
    cx.log(&format!(
        "No variable '{variable}' found to process by {kind} '{own}', skipping processing"
    ));
}

/// The texts that a JSON extractor reads: of the samples that are not blank, or of a variable.
pub(super) fn json_texts<'s>(
    which: &ScopeValue<'_>,
    cx: &mut dyn Context,
    sample: &'s SampleResult,
) -> Vec<Cow<'s, str>> {
    if let ScopeValue::Variable(name) = which {
        // A variable that is not there is an error in JMeter, as an empty text is.
        let value = cx.get(name).unwrap_or_default();
        return vec![value.to_string().into()];
    }
    let texts = which.samples(sample).into_iter().map(SampleResult::text);
    texts.filter(|text| !text.trim().is_empty()).collect()
}
