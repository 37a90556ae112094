//! Requests and answers in full, for who looks on.

use std::collections::HashMap;
use std::rc::Rc;

use plimsoll_stats::LabelId;
use url::Url;

use super::User;
use super::conclude::without_credentials;
use super::request::Hop;
use crate::bound::{BoundAfter, BoundRequest};
use crate::trace::{Piece, Traced};

/// What stands for a secret.
const MASK: &str = "•••";

/// The values of a user's variables by name.
pub(crate) type Values = HashMap<String, Rc<str>>;

impl User {
    /// The values of all variables now.
    pub(crate) fn values_now(&self) -> Values {
        let value = |name: &str| Some((name.to_owned(), Rc::clone(self.vars.get_by_name(name)?)));
        self.vars.names_set().filter_map(value).collect()
    }

    /// What extractions, scripts and settings made of the variables, by name.
    pub(crate) fn saved_since(
        &self,
        before: &Values,
        bound: &BoundRequest,
    ) -> Vec<(String, String)> {
        let extracted = |name: &str| {
            bound.after.iter().any(|after| match after {
                BoundAfter::Extract(extract) => extract.variable() == name,
                _ => false,
            })
        };
        self.saved(|name, value| extracted(name) || before.get(name) != Some(value))
    }

    /// The variables that have changed, but for some.
    pub(crate) fn changed_since(
        &self,
        before: &Values,
        but: impl Fn(&str) -> bool,
    ) -> Vec<(String, String)> {
        self.saved(|name, value| before.get(name) != Some(value) && !but(name))
    }

    fn saved(&self, shown: impl Fn(&str, &Rc<str>) -> bool) -> Vec<(String, String)> {
        let now = self.values_now();
        let changed = now.iter().filter(|(name, value)| shown(name, value));
        let mut saved: Vec<(String, String)> = changed
            .map(|(name, value)| {
                let secret = self.vars.names().is_secret(name);
                let shown = if secret {
                    MASK.to_owned()
                } else {
                    self.vars.redact(value)
                };
                (name.clone(), shown)
            })
            .collect();
        saved.sort();
        saved
    }

    /// Tells of a request that ended.
    pub(crate) fn trace(
        &self,
        label: LabelId,
        hop: &Hop,
        url: &Url,
        sent: &[u8],
        saved: Vec<(String, String)>,
    ) {
        let traced = Traced {
            saved,
            ..self.traced(label, hop, url, sent)
        };
        self.tell(traced);
    }

    /// Tells of a request whose answer leads to another.
    pub(crate) fn trace_hop(&self, label: LabelId, hop: &Hop, url: &Url, sent: &[u8]) {
        if self.thread.tracer.is_some() {
            self.tell(Traced {
                piece: Piece::Hop,
                ..self.traced(label, hop, url, sent)
            });
        }
    }

    /// Tells of lines that scripts logged after the last request.
    pub(crate) fn trace_log(&self) {
        let log = self.log_lines();
        if !log.is_empty() {
            self.tell(Traced {
                log,
                piece: Piece::Log,
                ..Traced::default()
            });
        }
    }

    fn traced(&self, label: LabelId, hop: &Hop, url: &Url, sent: &[u8]) -> Traced {
        let secrets: Vec<String> = self.vars.secrets();
        let redact = |bytes: &[u8]| redact(bytes, &secrets);
        Traced {
            label: self.vars.redact(&self.thread.labels.name(label)),
            url: self.vars.redact(&without_credentials(url.as_str())),
            request: redact(sent),
            head: redact(&hop.answer.head),
            body: redact(&hop.answer.body),
            error: hop
                .failure
                .as_ref()
                .map(|f| (f.kind, self.vars.redact(&f.detail))),
            service_ns: hop.answer.end_ns.saturating_sub(hop.start_ns),
            log: self.log_lines(),
            ..Traced::default()
        }
    }

    fn log_lines(&self) -> Vec<String> {
        let lines = self.thread.scripts.take_log().lines;
        lines.iter().map(|line| self.vars.redact(line)).collect()
    }

    pub(crate) fn tell(&self, traced: Traced) {
        if let Some(tracer) = &self.thread.tracer {
            // Whoever looks on may have gone.
            let _ = tracer.0.send(traced);
        }
    }
}

/// The bytes with every secret blotted out.
pub(crate) fn redact(bytes: &[u8], secrets: &[String]) -> Vec<u8> {
    let mut shown = bytes.to_vec();
    for secret in secrets {
        let mut out = Vec::with_capacity(shown.len());
        let mut rest = &shown[..];
        while let Some(at) = memchr::memmem::find(rest, secret.as_bytes()) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(MASK.as_bytes());
            rest = &rest[at + secret.len()..];
        }
        out.extend_from_slice(rest);
        shown = out;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_blotted_out_in_bytes_that_are_no_text() {
        let shown = redact(
            b"\xff hunter2 \xfe hunter",
            &["hunter2".to_owned(), "hunter".to_owned()],
        );
        assert_eq!(
            shown,
            [
                b"\xff ".as_slice(),
                MASK.as_bytes(),
                b" \xfe ",
                MASK.as_bytes()
            ]
            .concat()
        );
    }
}
