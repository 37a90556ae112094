//! Numbers of users over time, put together from trapezoids.

use std::time::Duration;

use plimsoll_plan::model::{UserLoad, UserStage};

/// Users that come evenly, stay, and go evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trapezoid {
    /// How many.
    pub users: u32,
    /// Seconds before the first comes.
    pub delay_s: f64,
    /// Seconds until all are there.
    pub up_s: f64,
    /// Seconds all stay.
    pub hold_s: f64,
    /// Seconds until all are gone.
    pub down_s: f64,
}

impl Trapezoid {
    /// Users at a time, a moment before a jump or after it.
    fn at(&self, seconds: f64, after: bool) -> f64 {
        let users = f64::from(self.users);
        let into = seconds - self.delay_s;
        let reached = |edge: f64| if after { into >= edge } else { into > edge };
        let gone = self.up_s + self.hold_s + self.down_s;
        if !reached(0.0) || reached(gone) {
            0.0
        } else if !reached(self.up_s) {
            users * into / self.up_s
        } else if !reached(self.up_s + self.hold_s) {
            users
        } else {
            users * (gone - into) / self.down_s
        }
    }
}

/// The sum of trapezoids as stages; it ends when the last user is gone.
pub(super) fn sum(rows: &[Trapezoid]) -> UserLoad {
    let mut edges: Vec<f64> = rows
        .iter()
        .flat_map(|row| {
            let up = row.delay_s + row.up_s;
            let down = up + row.hold_s;
            [row.delay_s, up, down, down + row.down_s]
        })
        .chain([0.0])
        .collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let users =
        |seconds: f64, after: bool| whole(rows.iter().map(|row| row.at(seconds, after)).sum());
    let mut stages = Vec::new();
    let mut now = 0;
    for pair in edges.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let jump = users(from, true);
        if jump != now {
            stages.push(stage(jump, 0.0, 0.0));
        }
        now = users(to, false);
        let lasts = to - from;
        stages.push(match now == jump {
            true => stage(now, 0.0, lasts),
            false => stage(now, lasts, 0.0),
        });
    }
    if now != 0 {
        stages.push(stage(0, 0.0, 0.0));
    }
    UserLoad {
        stages,
        iterations_per_user: None,
        iterations_total: None,
        ends_with_stages: true,
        new_users: false,
    }
}

/// A stage of so many seconds.
pub(super) fn stage(users: u32, ramp_s: f64, hold_s: f64) -> UserStage {
    UserStage {
        users,
        ramp: seconds(ramp_s),
        hold: seconds(hold_s),
    }
}

/// A time; what is no time is none, and what is too long is as long as can be said (a
/// hundred years, so that sums of them are still times).
pub(super) fn seconds(seconds: f64) -> Duration {
    const LONGEST_S: f64 = 100.0 * 365.0 * 86_400.0;
    Duration::try_from_secs_f64(seconds.min(LONGEST_S)).unwrap_or(Duration::ZERO)
}

/// The nearest whole number of users.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Float casts saturate.
pub(super) fn whole(users: f64) -> u32 {
    users.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(users: u32, delay_s: f64, up_s: f64, hold_s: f64, down_s: f64) -> Trapezoid {
        Trapezoid {
            users,
            delay_s,
            up_s,
            hold_s,
            down_s,
        }
    }

    #[test]
    fn trapezoids_add_up() {
        let one = sum(&[row(10, 5.0, 20.0, 60.0, 10.0)]);
        let expected = [
            stage(0, 0.0, 5.0),
            stage(10, 20.0, 0.0),
            stage(10, 0.0, 60.0),
            stage(0, 10.0, 0.0),
        ];
        assert_eq!(one.stages, expected);
        let two = sum(&[row(4, 0.0, 0.0, 10.0, 0.0), row(6, 5.0, 0.0, 10.0, 5.0)]);
        let expected = [
            stage(4, 0.0, 0.0),
            stage(4, 0.0, 5.0),
            stage(10, 0.0, 0.0),
            stage(10, 0.0, 5.0),
            stage(6, 0.0, 0.0),
            stage(6, 0.0, 5.0),
            stage(0, 5.0, 0.0),
        ];
        assert_eq!(two.stages, expected);
        assert_eq!(sum(&[]).stages, []);
    }
}
