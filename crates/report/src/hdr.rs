//! The percentile distribution in the text form of HdrHistogram, which its plotter reads.

use std::io::Write;

use plimsoll_stats::Histogram;
use plimsoll_store::Run;

use crate::data::summary_of;
use crate::{ReportError, ReportOptions};

/// Steps within each halving of the distance to 100 %, as HdrHistogram's default.
const TICKS_PER_HALF: u32 = 5;

/// Percentile distribution of the response time of all requests, in ms.
pub(crate) fn export(run: &Run, _: &ReportOptions, out: &mut dyn Write) -> Result<(), ReportError> {
    let (summary, _) = summary_of(run)?;
    let end_s = summary.warm_up_s + summary.duration_s;
    let sum = run.aggregate_with_tail(summary.warm_up_s, end_s)?;
    out.write_all(distribution(&sum.total().all_response()).as_bytes())?;
    Ok(())
}

fn distribution(histogram: &Histogram) -> String {
    let mut text = format!(
        "{:>12} {:>14} {:>10} {:>14}\n\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    let count = histogram.count();
    let mut share = 0.0_f64;
    while count > 0 && (1.0 - share) * count as f64 >= 1.0 {
        let value_ns = histogram.percentile_ns(share);
        text.push_str(&format!(
            "{:12.3} {share:2.12} {:10} {:14.2}\n",
            value_ns as f64 / 1e6,
            count - histogram.count_above_ns(value_ns),
            1.0 / (1.0 - share)
        ));
        let halvings = (1.0 / (1.0 - share)).log2().floor() + 1.0;
        share += 100.0 / (f64::from(TICKS_PER_HALF) * halvings.exp2() * 100.0);
    }
    if count > 0 {
        let max_ms = histogram.max_ns() as f64 / 1e6;
        text.push_str(&format!("{max_ms:12.3} {:2.12} {count:10}\n", 1.0));
    }
    text.push_str(&format!(
        "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]\n\
         #[Max     = {:12.3}, Total count    = {count:12}]\n\
         #[Buckets = {:12}, SubBuckets     = {:12}]\n",
        histogram.mean_ns() / 1e6,
        deviation_ns(histogram) / 1e6,
        histogram.max_ns() as f64 / 1e6,
        32,
        1024
    ));
    text
}

/// Standard deviation, each value taken as the middle of its bucket.
fn deviation_ns(histogram: &Histogram) -> f64 {
    let mean_ns = histogram.mean_ns();
    let square = |(low, high, n): (u64, u64, u64)| {
        let middle = (low as f64 + high as f64) / 2.0;
        (middle - mean_ns).powi(2) * n as f64
    };
    let sum: f64 = histogram.buckets().map(square).sum();
    (sum / histogram.count().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_counts_up_to_all() {
        let mut histogram = Histogram::new();
        (1..=1_000_u64).for_each(|ms| histogram.record(ms * 1_000_000));
        let text = distribution(&histogram);
        let rows: Vec<Vec<f64>> = text
            .lines()
            .skip(2)
            .take_while(|line| !line.starts_with('#'))
            .map(|line| {
                line.split_whitespace()
                    .map(|n| n.parse().unwrap_or(-1.0))
                    .collect()
            })
            .collect();
        assert!(
            rows.windows(2)
                .all(|w| w[0][0] <= w[1][0] && w[0][2] <= w[1][2]),
            "{text}"
        );
        assert_eq!(rows[0][..2], [1.0, 0.0]);
        assert_eq!(rows[rows.len() - 1], [1000.0, 1.0, 1000.0]);
        let half = rows.iter().find(|row| row[1] >= 0.5).map(|row| row[3]);
        assert_eq!(half, Some(2.0));
        assert!(
            text.contains("#[Mean    =      500.500, StdDeviation   =      288.6"),
            "{text}"
        );
        assert!(distribution(&Histogram::new()).contains("Total count    =            0"));
    }
}
