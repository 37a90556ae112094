//! What is seen of a configuration with captures, in a run of its own that does not count.

use std::collections::HashMap;

use crate::space::Configuration;
use crate::trial::{Advised, Limits, Measured, Reason, TrialLook};

/// What limited a configuration when it was looked at.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub(super) run: String,
    pub(super) limits: Option<Limits>,
    pub(super) advice: Vec<Advised>,
}

/// The looks of a study.
#[derive(Debug, Default)]
pub(super) struct Looks {
    seen: HashMap<Configuration, Look>,
}

impl Looks {
    /// Whether a configuration is still to be looked at: where it matters for what is tried next, or for what the study
    /// tells, what limits in such a trial.
    pub(super) fn lacks(&self, of: &Configuration, reason: &Reason) -> bool {
        let matters = match reason {
            Reason::Baseline | Reason::Incumbent | Reason::Advice { .. } | Reason::Final => true,
            Reason::Search | Reason::PutBack { .. } => false,
        };
        matters && !self.seen.contains_key(of)
    }

    pub(super) fn add(&mut self, of: &Configuration, look: Look) {
        self.seen.insert(of.clone(), look);
    }

    /// What was seen with captures comes before what the run that counts shows without them. `seconds`: what looking
    /// took now.
    pub(super) fn tell(&self, of: &Configuration, seconds: f64, measured: &mut Measured) {
        let Some(look) = self.seen.get(of) else {
            return;
        };
        let mut advice = look.advice.clone();
        let own = measured.advice.drain(..);
        let beside: Vec<Advised> = own.filter(|it| !advice.contains(it)).collect();
        advice.extend(beside);
        measured.advice = advice;
        measured.limits = look.limits.clone().or(measured.limits.take());
        measured.look = Some(TrialLook {
            run: look.run.clone(),
            seconds,
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn advised(knob: usize, value: &str) -> Advised {
        Advised {
            knob,
            value: value.to_owned(),
            finding: "pool".to_owned(),
        }
    }

    #[test]
    fn what_captures_show_comes_first_and_is_told_of_that_configuration_alone() {
        let of = Configuration(vec![None, None]);
        let other = of.with(0, Some("7".to_owned()));
        let mut looks = Looks::default();
        looks.add(
            &of,
            Look {
                run: "look".to_owned(),
                limits: None,
                advice: vec![advised(1, "9")],
            },
        );
        let plain = Measured {
            advice: vec![advised(0, "4"), advised(1, "9")],
            ..Measured::default()
        };
        let mut measured = plain.clone();
        looks.tell(&of, 12.0, &mut measured);
        assert_eq!(measured.advice, [advised(1, "9"), advised(0, "4")]);
        let look = measured.look.unwrap();
        assert_eq!((look.run.as_str(), look.seconds), ("look", 12.0));
        let mut measured = plain.clone();
        looks.tell(&other, 0.0, &mut measured);
        assert_eq!(measured, plain);
        let lacks = |of, reason| looks.lacks(of, &reason);
        assert!(!lacks(&of, Reason::Final) && lacks(&other, Reason::Incumbent));
        assert!(!lacks(&other, Reason::Search));
    }
}
