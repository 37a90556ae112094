//! Holm's adjustment of p-values.

/// The adjusted p-values, in the order given. Rejecting those up to alpha
/// keeps the chance of any false rejection at alpha, whatever the dependence.
pub(super) fn adjust(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|x, y| p_values[*x].total_cmp(&p_values[*y]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        highest = highest.max((p_values[index] * factor).min(1.0));
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::adjust;

    #[test]
    fn steps_down_and_never_decreases() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        let adjusted = adjust(&[0.01, 0.04, 0.03, 0.005]);
        for (seen, truth) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((seen - truth).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(adjust(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(adjust(&[]).is_empty());
    }
}
