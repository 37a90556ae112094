//! Whether throughput stopped rising with the load: then something limits, also where nothing that
//! was watched is exhausted.

use plimsoll_text::Message;

use crate::evidence::EvidenceStep;
use crate::figures::tenths;
use crate::scene::Scene;

/// Loads that are compared are apart by this factor at least.
const APART: f64 = 1.5;
/// A plateau brings less than this of what throughput in proportion to the load would.
const GAIN: f64 = 0.25;

/// Throughput rises with the load where it brings so much of that.
const RISES: f64 = 0.85;

/// Throughput that stays while the load rises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// The lighter load: users, or arrivals a second.
    pub from: f64,
    /// The heaviest load.
    pub to: f64,
    /// Throughput at the heaviest load.
    pub throughput_per_s: f64,
}

/// The plateau of a stepped run, if it ends on one.
#[must_use]
pub fn of(scene: &Scene<'_>) -> Option<Plateau> {
    compared(scene)
        .filter(|(_, gain)| *gain < GAIN)
        .map(|(plateau, _)| plateau)
}

/// Whether throughput rose with the run's loads, as it does where nothing limits.
#[must_use]
pub fn rises(scene: &Scene<'_>) -> bool {
    compared(scene).is_some_and(|(_, gain)| gain >= RISES)
}

/// The heaviest load and a lighter one, with what the load brought of what it would in proportion.
fn compared(scene: &Scene<'_>) -> Option<(Plateau, f64)> {
    let (last, before) = scene.load().steps.split_last()?;
    let lighter = before
        .iter()
        .rev()
        .find(|step| step.load > 0.0 && step.load * APART <= last.load)?;
    let (reached, had) = (rate_per_s(scene, last)?, rate_per_s(scene, lighter)?);
    let in_proportion = last.load / lighter.load - 1.0;
    let gain = (reached / had - 1.0) / in_proportion;
    let plateau = Plateau {
        from: lighter.load,
        to: last.load,
        throughput_per_s: reached,
    };
    Some((plateau, gain))
}

/// Requests a second that ended in the later half of a load; none if there were none.
#[expect(clippy::cast_precision_loss, reason = "counts of a load")]
fn rate_per_s(scene: &Scene<'_>, step: &EvidenceStep) -> Option<f64> {
    let half = step.from_s + (step.to_s.saturating_sub(step.from_s)) / 2;
    let seconds = scene.load().seconds.iter();
    let (count, samples) = seconds
        .filter(|second| (half..step.to_s).contains(&second.second))
        .fold((0_u32, 0), |(count, sum), second| {
            (count + 1, sum + second.samples)
        });
    (samples > 0).then(|| samples as f64 / f64::from(count))
}

impl Plateau {
    /// That something limits which nobody looked at.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new("diagnosis-missing-plateau")
            .with("from", self.from)
            .with("to", self.to)
            .with("rate", tenths(self.throughput_per_s))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use crate::DiagnosisOutcome;
    use crate::testing::Made;

    fn outcome(rates: [f64; 3], used: f64) -> (DiagnosisOutcome, bool) {
        let [one, four, sixteen] = rates;
        let diagnosis = Made::load(sixteen, 100.0)
            .steps(&[(1.0, one), (4.0, four), (16.0, sixteen)])
            .process("shopd[80]", used, 2.0)
            .diagnose();
        let mut missing = diagnosis.missing.iter();
        let told = missing.any(|missing| missing.id == "diagnosis-missing-plateau");
        (diagnosis.outcome, told)
    }

    #[test]
    fn a_plateau_with_nothing_exhausted_is_not_nothing() {
        assert_eq!(
            outcome([50.0, 100.0, 101.0], 0.1),
            (DiagnosisOutcome::Insufficient, true)
        );
        assert_eq!(
            outcome([25.0, 100.0, 400.0], 0.1),
            (DiagnosisOutcome::Nothing, false)
        );
        // What is exhausted explains it.
        assert_eq!(
            outcome([50.0, 100.0, 101.0], 1.95),
            (DiagnosisOutcome::Healthy, false)
        );
    }
}
