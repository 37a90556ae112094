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
/// And responses take hardly longer: in an open load, or where users think for long, requests may pile up while nearly as
/// many end as come.
const LONGER: f64 = 1.25;

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
        .filter(|(_, brought)| brought.gain < GAIN)
        .map(|(plateau, _)| plateau)
}

/// Whether throughput rose with the run's loads, and responses took as long, as it is where nothing limits.
#[must_use]
pub fn rises(scene: &Scene<'_>) -> bool {
    compared(scene).is_some_and(|(_, brought)| brought.gain >= RISES && brought.longer < LONGER)
}

/// What a heavier load brought.
struct Brought {
    /// Throughput, of what it would be in proportion.
    gain: f64,
    /// So many times the response time.
    longer: f64,
}

/// The heaviest load and a lighter one, with what the load brought.
fn compared(scene: &Scene<'_>) -> Option<(Plateau, Brought)> {
    let (last, before) = scene.load().steps.split_last()?;
    let lighter = before
        .iter()
        .rev()
        .find(|step| step.load > 0.0 && step.load * APART <= last.load)?;
    let ((reached, now_ms), (had, before_ms)) = (served(scene, last)?, served(scene, lighter)?);
    let in_proportion = last.load / lighter.load - 1.0;
    let brought = Brought {
        gain: (reached / had - 1.0) / in_proportion,
        longer: now_ms / before_ms.max(1e-9),
    };
    let plateau = Plateau {
        from: lighter.load,
        to: last.load,
        throughput_per_s: reached,
    };
    Some((plateau, brought))
}

/// Requests a second that ended well in the later half of a load, and how long responses took, ms; none if there were
/// none.
#[expect(clippy::cast_precision_loss, reason = "counts of a load")]
fn served(scene: &Scene<'_>, step: &EvidenceStep) -> Option<(f64, f64)> {
    let half = step.from_s + (step.to_s.saturating_sub(step.from_s)) / 2;
    let (mut count, mut served, mut ended, mut sum_ms) = (0.0, 0.0, 0.0, 0.0);
    let seconds = scene.load().seconds.iter();
    for second in seconds.filter(|second| (half..step.to_s).contains(&second.second)) {
        count += 1.0;
        served += second.served();
        ended += second.samples as f64;
        sum_ms += second.samples as f64 * second.response_ms;
    }
    (served > 0.0).then(|| (served / count, sum_ms / ended))
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
    use super::rises;
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

    #[test]
    fn a_load_under_which_requests_pile_up_or_fail_does_not_rise() {
        for capacity in [93.0, 96.0, 99.0] {
            let steps = || {
                Made::load(capacity, 100.0).steps(&[(25.0, 25.0), (50.0, 50.0), (100.0, capacity)])
            };
            assert!(rises(&steps().responds(|_| 100.0).scene()), "{capacity}");
            // More come than end: each takes longer than the one before. Users who think bring it to a stand.
            let piles = |second: u32| 100.0 + f64::from(second.saturating_sub(12)) * 50.0;
            let stands = |second: u32| if second < 12 { 100.0 } else { 500.0 };
            assert!(!rises(&steps().responds(piles).scene()), "{capacity}");
            assert!(!rises(&steps().responds(stands).scene()), "{capacity}");
            // Those that fail at once are no throughput.
            let failing = steps().fails_in(&[15, 16, 17], 40);
            assert!(!rises(&failing.scene()), "{capacity}");
        }
    }
}
