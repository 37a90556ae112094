//! Parts of a plan with what is usual, for readers and importers to start from.

use std::time::Duration;

use super::{
    Block, Body, HttpRequest, HttpSettings, Load, OnError, SamplerKind, Scenario, Span, Step,
    StepKind, Text, UserLoad, UserStage, defaults,
};

impl Scenario {
    /// A scenario without steps, with the usual end and error rule.
    #[must_use]
    pub fn new(name: impl Into<String>, load: Load) -> Self {
        Self {
            name: name.into(),
            load,
            start_delay: Duration::ZERO,
            end_after: None,
            grace: defaults::GRACE,
            pace: None,
            on_error: OnError::GoOn,
            same_user_each_iteration: true,
            left_out_before: 0,
            named_by_starter: false,
            body: Block::default(),
            at: Span::default(),
        }
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self::new("", Load::once())
    }
}

impl Default for SamplerKind {
    fn default() -> Self {
        Self::Flow {
            pause_ms: None,
            action: None,
        }
    }
}

impl Load {
    /// One user, one iteration.
    #[must_use]
    pub fn once() -> Self {
        Self::Users(UserLoad {
            stages: vec![UserStage {
                users: 1,
                ramp: Duration::ZERO,
                hold: Duration::ZERO,
            }],
            iterations_per_user: Some(1),
            iterations_total: None,
            ends_with_stages: false,
            new_users: false,
        })
    }
}

impl HttpRequest {
    /// A request without anything but its method and address.
    #[must_use]
    pub fn new(method: Text, url: Text, at: Span) -> Self {
        Self {
            label: None,
            method,
            url,
            query: Vec::new(),
            headers: Vec::new(),
            body: Body::Empty,
            settings: HttpSettings::default(),
            before: Vec::new(),
            think: None,
            save: Vec::new(),
            after: Vec::new(),
            checks: Vec::new(),
            discard: false,
            any_status_ok: false,
            exchange: None,
            at,
        }
    }
}

impl Step {
    /// A step that is run.
    #[must_use]
    pub fn new(kind: StepKind, at: Span) -> Self {
        Self {
            kind,
            enabled: true,
            at,
        }
    }
}
