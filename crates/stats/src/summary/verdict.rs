//! How a run ended: verdict and exit code.

use serde::{Deserialize, Serialize};

use super::label::LabelSummary;
use crate::goal::GoalResult;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All goals met.
    Passed,
    /// There were no goals to judge it by.
    NotJudged,
    /// A goal was missed.
    Failed,
    /// No request succeeded, or none was made: it has failed, whatever its goals say.
    NoSuccess,
    /// The generator was the bottleneck: the numbers say little about the target.
    Limited,
    /// A guard ended the run.
    Aborted,
    /// The user ended the run.
    Interrupted,
    /// The run could not be made.
    Error,
}

impl Verdict {
    /// Its name in JSON and in the ids of texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotJudged => "not_judged",
            Self::Failed => "failed",
            Self::NoSuccess => "no_success",
            Self::Limited => "limited",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
        }
    }
}

/// Exit codes of runs from the one that says most to the one that says least.
const PRECEDENCE: [u8; 8] = [2, 3, 130, 5, 4, NO_SUCCESS, 1, NOT_KEPT];

/// No request succeeded, or none was made.
pub const NO_SUCCESS: u8 = 6;
/// All is well but that what came out could not be stored or written.
pub const NOT_KEPT: u8 = 7;

/// Of several exit codes the one that says most.
pub fn worst_exit_code(codes: impl IntoIterator<Item = u8>) -> u8 {
    let place = |code: &u8| PRECEDENCE.iter().position(|each| each == code);
    codes
        .into_iter()
        .min_by_key(|code| place(code).unwrap_or(PRECEDENCE.len()))
        .unwrap_or(0)
}

/// What happened in a run, from which verdict and exit code follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The plan or the arguments are wrong.
    pub bad_plan: bool,
    /// The target could not be reached at all.
    pub unreachable: bool,
    /// The user interrupted it.
    pub interrupted: bool,
    /// A guard ended it.
    pub aborted: bool,
    /// The generator was limited.
    pub limited: bool,
    /// No request succeeded, or none was made.
    pub no_success: bool,
    /// A goal was missed.
    pub goals_missed: bool,
    /// There were goals.
    pub judged: bool,
}

impl Outcome {
    /// Verdict and exit code; of several, precedence is 2, 3, 130, 5, 4, 6, 1.
    pub const fn verdict(self) -> (Verdict, u8) {
        if self.bad_plan {
            (Verdict::Error, 2)
        } else if self.unreachable {
            (Verdict::Error, 3)
        } else if self.interrupted {
            (Verdict::Interrupted, 130)
        } else if self.aborted {
            (Verdict::Aborted, 5)
        } else if self.limited {
            (Verdict::Limited, 4)
        } else if self.no_success {
            (Verdict::NoSuccess, NO_SUCCESS)
        } else if self.goals_missed {
            (Verdict::Failed, 1)
        } else if self.judged {
            (Verdict::Passed, 0)
        } else {
            (Verdict::NotJudged, 0)
        }
    }

    /// The same with what requests and goals say.
    #[must_use]
    pub fn with_results(self, total: &LabelSummary, goals: &[GoalResult]) -> Self {
        Self {
            no_success: !total.any_success(),
            goals_missed: goals.iter().any(|goal| !goal.met),
            judged: !goals.is_empty(),
            ..self
        }
    }
}
