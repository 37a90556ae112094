//! What an agent of JMeter's PerfMon plugin says of the target, for the plan's listeners that write it.

use plimsoll_elements::listeners::{TargetReading, TargetReadings};
use plimsoll_store::TargetPoints;

use super::hearer::Hearer;

/// The attribute by which such series are known.
const LABEL: &str = "perfmon.label";

/// Tells the plan's listeners.
pub(super) struct ReadingsHearer(pub TargetReadings);

impl Hearer for ReadingsHearer {
    fn target(&mut self, moments: &[TargetPoints]) {
        for (at_unix_ns, points) in moments {
            for (key, value) in points {
                let mut attributes = key.attributes.iter();
                if let Some((_, label)) = attributes.find(|(name, _)| name == LABEL) {
                    self.0.tell(&TargetReading {
                        label: label.as_str().into(),
                        value: *value,
                        unix_ms: at_unix_ns / 1_000_000,
                    });
                }
            }
        }
    }
}
