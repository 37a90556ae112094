//! Which finding comes first.

use crate::model::{Finding, Layer};

/// Findings below this share of what they explain are hints.
pub(crate) const LEAST_SHARE: f64 = 0.15;

/// What a finding explains, weighted by how sure it is.
pub(crate) fn weight(finding: &Finding) -> f64 {
    finding.explains.share * finding.confidence
}

/// Orders findings: by layer (measurement, cause, resource, hint), what has to wait for another
/// to be lifted after the others, then by what they explain, weighted by how sure they are.
/// A finding of the same id and object counts once.
#[must_use]
pub fn rank(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        if finding.explains.share < LEAST_SHARE && finding.layer != Layer::Measurement {
            finding.layer = Layer::Hint;
        }
    }
    let order = |finding: &Finding| (finding.layer, finding.behind);
    findings.sort_by(|a, b| (order(a).cmp(&order(b))).then(weight(b).total_cmp(&weight(a))));
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let known = |other: &Finding| other.id == finding.id && other.object == finding.object;
        if !kept.iter().any(known) {
            kept.push(finding);
        }
    }
    kept
}
