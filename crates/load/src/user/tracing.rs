//! Requests and responses in full, for who looks on.

use std::collections::HashMap;
use std::rc::Rc;

use plimsoll_secrets::MASK;
use plimsoll_stats::LabelId;
use url::Url;

use super::User;
use crate::bound::{BoundAfter, BoundRequest};
use crate::protocols::http::conclude::without_credentials;
use crate::protocols::http::hop::Hop;
use crate::trace::{Piece, Traced};

/// The values of a user's variables by name.
pub type Values = HashMap<String, Rc<str>>;

impl User {
    /// The values of all variables now.
    pub fn values_now(&self) -> Values {
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
    pub fn changed_since(
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

    /// Tells of a request whose response leads to another.
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
        let known = self.vars.known();
        let redact = |bytes: &[u8]| known.bytes(bytes).into_owned();
        Traced {
            label: self.vars.redact(&self.thread.labels.name(label)),
            url: self.vars.redact(&without_credentials(url.as_str())),
            request: redact(sent),
            head: redact(&hop.response.head),
            body: redact(&hop.response.body),
            error: hop
                .failure
                .as_ref()
                .map(|f| (f.kind, self.vars.redact(&f.detail))),
            service_ns: hop.response.end_ns.saturating_sub(hop.start_ns),
            log: self.log_lines(),
            ..Traced::default()
        }
    }

    fn log_lines(&self) -> Vec<String> {
        let lines = self.thread.scripts.take_log().lines;
        lines.iter().map(|line| self.vars.redact(line)).collect()
    }

    /// Tells whoever looks on, if somebody does.
    pub fn tell(&self, traced: Traced) {
        if let Some(tracer) = &self.thread.tracer {
            // Whoever looks on may have gone.
            let _ = tracer.0.send(traced);
        }
    }
}
