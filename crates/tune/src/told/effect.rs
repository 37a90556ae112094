//! Effects as people read them: by how much the objective rises or falls.

use plimsoll_text::Message;

use crate::effects::MainEffect;
use crate::outcome::{Effect, StudyResult};

/// How the effects of a study are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct EffectForm {
    /// Better is less: shares are written as the objective moves.
    falls: bool,
}

impl EffectForm {
    pub(super) fn of(study: &StudyResult) -> Self {
        Self {
            falls: !study.maximise,
        }
    }

    /// A share of the objective; positive is better.
    pub(super) fn share(self, better: f64) -> String {
        signed(if self.falls { -better } else { better })
    }

    pub(super) fn of_effect(self, effect: &Effect) -> String {
        self.share(effect.share)
    }

    pub(super) fn interval(self, effect: &Effect) -> String {
        self.between(effect.low, effect.high)
    }

    /// The interval of a main effect; a dash where there is none.
    pub(super) fn ends(self, effect: &MainEffect) -> String {
        match (effect.low, effect.high) {
            (Some(_), Some(_)) => self.between(effect.low, effect.high),
            _ => "–".to_owned(),
        }
    }

    fn between(self, low: Option<f64>, high: Option<f64>) -> String {
        let end = |end: Option<f64>| end.map_or_else(|| "…".to_owned(), |it| self.share(it));
        let (first, last) = if self.falls { (high, low) } else { (low, high) };
        format!("{} … {}", end(first), end(last))
    }
}

/// A share with its sign.
pub(super) fn signed(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// What is to become better; `sum` of one with weights.
pub(super) fn metric_name(objective: &str) -> &str {
    let mut words = objective.split_whitespace().skip(1);
    match (words.next(), words.next()) {
        (Some(name), None) => name,
        _ => "sum",
    }
}

/// The same in words.
pub(super) fn metric(study: &StudyResult) -> Message {
    Message::new("tune-metric").with("name", metric_name(&study.objective))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_is_written_as_it_falls() {
        let (rises, falls) = (EffectForm { falls: false }, EffectForm { falls: true });
        assert_eq!(rises.share(0.125), "+12.5 %");
        assert_eq!(falls.share(0.628), "-62.8 %");
        assert_eq!(falls.between(Some(0.5), Some(0.75)), "-75.0 % … -50.0 %");
        assert_eq!(falls.between(None, Some(0.75)), "-75.0 % … …");
        assert_eq!(rises.between(Some(-0.5), None), "-50.0 % … …");
    }
}
