//! Heat maps of response times: how many requests took how long, column by column.

use crate::Histogram;

/// Rows for each power of ten.
const ROWS_PER_DECADE: f64 = 10.0;

/// The row of a response time; 0 is up to 10 µs.
#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 19 decades of nanoseconds"
)]
fn row_of(value_ns: u64) -> i32 {
    let decades = (value_ns.max(1) as f64 / 1e4).log10();
    (decades * ROWS_PER_DECADE).ceil().max(0.0) as i32
}

/// A column before its rows are known: rows with how many requests are in them. A row may come more than once.
pub type HeatColumn = Vec<(i32, u64)>;

/// The column of a histogram.
#[must_use]
pub fn heat_column(times: &Histogram) -> HeatColumn {
    let rows = times.buckets();
    rows.map(|(_, to_ns, count)| (row_of(to_ns), count))
        .collect()
}

/// Columns of the same rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatGrid {
    /// The upper ends of the rows, ms; each is 10^(1/10) times the one before.
    pub bounds_ms: Vec<f64>,
    /// For each column the requests in each row.
    pub counts: Vec<Vec<u64>>,
}

impl HeatGrid {
    /// From the lowest row that has a request to the highest.
    #[must_use]
    pub fn of(columns: &[HeatColumn]) -> Self {
        let rows = || columns.iter().flatten().map(|(row, _)| *row);
        let (first, last) = (rows().min().unwrap_or(0), rows().max().unwrap_or(-1));
        let height = usize::try_from(last - first + 1).unwrap_or(0);
        let counts = columns.iter().map(|column| {
            let mut counts = vec![0; height];
            for (row, count) in column {
                let place = usize::try_from(row - first).ok();
                if let Some(cell) = place.and_then(|place| counts.get_mut(place)) {
                    *cell += count;
                }
            }
            counts
        });
        Self {
            counts: counts.collect(),
            bounds_ms: (first..=last)
                .map(|row| 0.01 * 10_f64.powf(f64::from(row) / ROWS_PER_DECADE))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_in_the_row_that_its_time_is_in() {
        let (mut first, mut second) = (Histogram::new(), Histogram::new());
        for ns in [1, 1_000_000, 1_000_001, 2_000_000_000] {
            first.record(ns);
        }
        second.record(5_000_000);
        let columns = [heat_column(&first), Vec::new(), heat_column(&second)];
        let grid = HeatGrid::of(&columns);
        let sums: Vec<u64> = grid
            .counts
            .iter()
            .map(|column| column.iter().sum())
            .collect();
        assert_eq!(sums, [4, 0, 1]);
        let rows: Vec<f64> = grid.counts[2]
            .iter()
            .zip(&grid.bounds_ms)
            .filter(|(count, _)| **count > 0)
            .map(|(_, to_ms)| *to_ms)
            .collect();
        assert!(
            rows.len() == 1 && (5.0..5.0 * 1.3).contains(&rows[0]),
            "{rows:?}"
        );
        assert_eq!(HeatGrid::of(&[]), HeatGrid::default());
        assert_eq!(HeatGrid::of(&[Vec::new()]).counts, [Vec::<u64>::new()]);
    }
}
