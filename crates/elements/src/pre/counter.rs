//! `CounterConfig`: the next number in a variable, each time the scope is entered.

use std::sync::{Mutex, PoisonError};

use plimsoll_plan::program::SiteId;

use super::number::{NumberFormat, whole};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::leaf::{Bound, PassListener};

struct CounterElement {
    start: Field,
    end: Field,
    step: Field,
    name: Field,
    format: NumberFormat,
    per_user: bool,
    anew_each_iteration: bool,
    site: SiteId,
}

/// A user's own count.
struct OwnCount {
    next: i64,
    iteration: u64,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Pass(Box::new(CounterElement {
        start: fields.field("CounterConfig.start"),
        end: fields.field("CounterConfig.end"),
        step: fields.field("CounterConfig.incr"),
        name: fields.field("CounterConfig.name"),
        format: NumberFormat::new(fields.field("CounterConfig.format")),
        per_user: fields.fixed_truth("CounterConfig.per_user", false),
        anew_each_iteration: fields.fixed_truth("CounterConfig.reset_on_tg_iteration", false),
        site: fields.0.site,
    }))
}

impl PassListener for CounterElement {
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        let start = whole(&self.start, cx)?;
        let end = match self.end.text(cx)? {
            text if text.is_empty() => i64::MAX,
            text => text.parse().unwrap_or(0),
        };
        let step = whole(&self.step, cx)?;
        let value = if self.per_user {
            self.own(start, end, step, cx)
        } else {
            let next = keep::shared(cx, self.site, || Mutex::new(None::<i64>));
            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
            let share = cx.thread().share;
            let mut value = next.filter(|next| *next <= end).unwrap_or(start);
            for _ in 0..share.skipped_before(u64::from(next.is_some())) {
                value = Some(value.wrapping_add(step))
                    .filter(|next| *next <= end)
                    .unwrap_or(start);
            }
            *next = Some(value.wrapping_add(step));
            value
        };
        self.format.set(&self.name, value, cx)
    }
}

impl CounterElement {
    fn own(&self, start: i64, end: i64, step: i64, cx: &mut dyn Context) -> i64 {
        let iteration = cx.thread().iteration;
        let kept = keep::own(cx, self.site, || OwnCount {
            next: start,
            iteration: 1,
        });
        if self.anew_each_iteration {
            if kept.iteration != iteration {
                kept.next = start;
            }
            kept.iteration = iteration;
        }
        let value = kept.next;
        let next = value.wrapping_add(step);
        kept.next = if next > end { start } else { next };
        value
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use plimsoll_plan::share::Share;

    use crate::context::testing::TestContext;
    use crate::pre::testing::passes;

    #[test]
    fn a_counter_for_all_begins_anew_beyond_its_end() {
        let mut cx = TestContext::with(&[("last", "7")]);
        let counter = [
            ("CounterConfig.start", "3"),
            ("CounterConfig.end", "${last}"),
            ("CounterConfig.incr", "2"),
            ("CounterConfig.name", "c"),
        ];
        let values = passes("CounterConfig", &counter, &mut cx, "c", 5);
        assert_eq!(values, ["3", "5", "7", "3", "5"]);
    }

    #[test]
    fn shares_of_the_load_count_together() {
        let counter = [
            ("CounterConfig.start", "1"),
            ("CounterConfig.end", "9"),
            ("CounterConfig.incr", "2"),
            ("CounterConfig.name", "c"),
        ];
        let mut values = Vec::new();
        for index in 0..3 {
            let mut cx = TestContext::with(&[]);
            cx.thread.share = Share::new(index, 3).unwrap();
            values.push(passes("CounterConfig", &counter, &mut cx, "c", 3));
        }
        assert_eq!(values, [["1", "7", "3"], ["3", "9", "5"], ["5", "1", "7"]]);
    }

    #[test]
    fn a_format_is_javas() {
        let mut cx = TestContext::with(&[]);
        for (format, expected) in [
            ("000", "012"),
            ("user_#", "user_12"),
            ("0#", "12"),
            ("", "12"),
        ] {
            let counter = [
                ("CounterConfig.start", "12"),
                ("CounterConfig.incr", "1"),
                ("CounterConfig.name", "c"),
                ("CounterConfig.format", format),
            ];
            cx = TestContext::with(&[]);
            assert_eq!(
                passes("CounterConfig", &counter, &mut cx, "c", 1),
                [expected]
            );
        }
        assert!(cx.logged.is_empty());
    }

    #[test]
    fn a_user_has_its_own_count_which_may_begin_anew() {
        let mut cx = TestContext::with(&[]);
        let mut counter = vec![
            ("CounterConfig.start", "1"),
            ("CounterConfig.end", "3"),
            ("CounterConfig.incr", "1"),
            ("CounterConfig.name", "c"),
            ("CounterConfig.per_user", "true"),
        ];
        cx.thread.iteration = 1;
        let values = passes("CounterConfig", &counter, &mut cx, "c", 4);
        assert_eq!(values, ["1", "2", "3", "1"]);
        counter.push(("CounterConfig.reset_on_tg_iteration", "true"));
        let mut cx = TestContext::with(&[]);
        cx.thread.iteration = 1;
        assert_eq!(
            passes("CounterConfig", &counter, &mut cx, "c", 2),
            ["1", "2"]
        );
        cx.thread.iteration = 2;
        assert_eq!(
            passes("CounterConfig", &counter, &mut cx, "c", 2),
            ["1", "2"]
        );
    }
}
