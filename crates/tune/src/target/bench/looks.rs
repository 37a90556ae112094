//! What is seen of a configuration with captures, in a run of its own that does not count.

use std::collections::HashMap;

use super::TargetBench;
use crate::space::Configuration;
use crate::target::advice;
use crate::trial::{Advised, Limits, Measured, Reason, Stopped, TrialEnd};

/// What limited a configuration when it was looked at.
#[derive(Debug, Clone)]
struct Look {
    run: String,
    limits: Option<Limits>,
    advice: Vec<Advised>,
}

/// The looks of a study.
#[derive(Debug, Default)]
pub(super) struct Looks {
    seen: HashMap<Configuration, Look>,
}

impl Looks {
    /// What was seen with captures comes before what the run that counts shows without them.
    pub(super) fn tell(&self, of: &Configuration, measured: &mut Measured) {
        let Some(look) = self.seen.get(of) else {
            return;
        };
        let mut advice = look.advice.clone();
        let own = measured.advice.drain(..);
        let beside: Vec<Advised> = own.filter(|it| !advice.contains(it)).collect();
        advice.extend(beside);
        measured.advice = advice;
        measured.limits = look.limits.clone().or(measured.limits.take());
        measured.looked = Some(look.run.clone());
    }
}

/// Whether it matters for what is tried next, or for what the study tells, what limits in such a trial.
const fn is_looked_at(reason: &Reason) -> bool {
    match reason {
        Reason::Baseline | Reason::Incumbent | Reason::Advice { .. } | Reason::Final => true,
        Reason::Search | Reason::PutBack { .. } => false,
    }
}

impl TargetBench<'_> {
    /// Looks at a configuration with captures, where that is allowed, matters, and was not done.
    pub(super) fn look(&mut self, of: &Configuration, reason: &Reason) -> Result<(), Stopped> {
        if !self.load.has_look() || !is_looked_at(reason) || self.looks.seen.contains_key(of) {
            return Ok(());
        }
        let interrupt = self.settings.interrupt.clone();
        let made = self.load.look(&self.settings.runs, &interrupt)?;
        if interrupt.is_hit() {
            return Err(Stopped::End(TrialEnd::Interrupted));
        }
        self.still_there()?;
        if let Some(made) = made {
            let (limits, advice) =
                advice::of_run(&made.run, &self.prepared.space, &self.prepared.knobs);
            let run = made.run.id();
            let look = Look {
                run,
                limits,
                advice,
            };
            self.looks.seen.insert(of.clone(), look);
        }
        Ok(())
    }
}

#[cfg(test)]
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
        looks.seen.insert(
            of.clone(),
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
        looks.tell(&of, &mut measured);
        assert_eq!(measured.advice, [advised(1, "9"), advised(0, "4")]);
        assert_eq!(measured.looked.as_deref(), Some("look"));
        let mut measured = plain.clone();
        looks.tell(&other, &mut measured);
        assert_eq!(measured, plain);
    }
}
