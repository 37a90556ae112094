//! `PreciseThroughputTimer`: a Poisson process of an exact number of samples in each stretch
//! of time, for each thread group (JMeter 5.6.3, `ConstantPoissonProcessGenerator`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::model::Action;

use crate::context::{Context, Fault, unit};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::functions::numbers::{JavaRandom, double};
use crate::leaf::{Bound, Timer};

/// Rates closer than this are the same.
const PRECISION: f64 = 0.000_01;
/// More samples of a seed than these in one stretch are not kept, bytes for each: 8.
const MOST_KEPT: f64 = 50_000_000.0;

struct PreciseThroughput {
    throughput: Field,
    period_s: Field,
    duration_s: Field,
    batch: Field,
    seed: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Timer(Box::new(PreciseThroughput {
        throughput: fields.field("throughput"),
        period_s: fields.field("throughputPeriod"),
        duration_s: fields.field("duration"),
        batch: fields.field("batchSize"),
        seed: fields.field("randomSeed"),
    }))
}

/// The schedules of the run, by thread group: all timers of a group follow the first one's.
#[derive(Default)]
struct Schedules(Mutex<HashMap<Box<str>, Arc<Mutex<DueSchedule>>>>);

/// When samples are due, seconds from the start of the run.
struct DueSchedule {
    /// Of the seed; none: each user's own stream.
    random: Option<JavaRandom>,
    batch: u32,
    duration_s: f64,
    rate: f64,
    /// Samples that are still to come at the due time that was last taken.
    batch_left: u32,
    last_s: f64,
    stretch_begin_s: f64,
    left: u64,
    /// With a seed: what is due in this stretch, the last first.
    due_s: Vec<f64>,
    /// Without: which part of the stretch has passed.
    passed: f64,
    /// Samples given to users of this share of the load.
    taken: u64,
}

impl Timer for PreciseThroughput {
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault> {
        let rate = number(&self.throughput, 100.0, cx)? / number(&self.period_s, 3600.0, cx)?;
        let schedule = self.schedule(cx)?;
        let due_s = {
            let mut schedule = schedule.lock().unwrap_or_else(PoisonError::into_inner);
            schedule.next_of(rate, cx)?
        };
        let now_ms = cx.unix_ms();
        let thread = cx.thread();
        let since_ms = i128::from(now_ms) - i128::from(thread.run_start_unix_ms);
        #[expect(clippy::cast_possible_truncation)] // Saturates, as Java's.
        let delay_ms = ((due_s * 1000.0) as i128 - since_ms).max(0);
        let delay_ms = u64::try_from(delay_ms).unwrap_or(u64::MAX);
        if let Some(end_ms) = thread.end_unix_ms
            && now_ms.saturating_add(delay_ms) > end_ms
        {
            cx.ask(Action::StopUser);
            return Err(Fault::new(format!(
                "The thread is scheduled to stop in {} ms and the throughput timer generates a \
                 delay of {delay_ms}. Terminating the thread manually.",
                end_ms.saturating_sub(now_ms)
            )));
        }
        Ok(delay_ms)
    }
}

impl PreciseThroughput {
    /// The schedule of the user's group; begun by the first who asks.
    fn schedule(&self, cx: &mut dyn Context) -> Result<Arc<Mutex<DueSchedule>>, Fault> {
        let schedules = keep::for_run::<Schedules>(cx);
        let group = cx.thread().group;
        let known = |schedules: &Schedules| {
            let all = schedules.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.get(&*group).cloned()
        };
        if let Some(schedule) = known(&schedules) {
            return Ok(schedule);
        }
        let mut seed = self.seed.whole(cx, 0)?;
        if seed & 0xFFFF_FFFF == 0 && !cx.thread().share.is_whole() {
            // All shares of the load draw the same samples, and each takes its own.
            seed = common_seed(cx.thread().run_seed, &group);
        }
        let batch = self.batch.whole(cx, 1)?;
        let schedule = DueSchedule {
            random: (seed & 0xFFFF_FFFF != 0).then(|| JavaRandom::new(seed)),
            batch: u32::try_from(batch).unwrap_or(1).max(1),
            duration_s: number(&self.duration_s, 3600.0, cx)?,
            rate: f64::NAN,
            batch_left: 0,
            last_s: 0.0,
            stretch_begin_s: 0.0,
            left: 0,
            due_s: Vec::new(),
            passed: 0.0,
            taken: 0,
        };
        let mut all = schedules.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = all.entry((*group).into());
        Ok(Arc::clone(
            entry.or_insert_with(|| Arc::new(Mutex::new(schedule))),
        ))
    }
}

fn number(field: &Field, default: f64, cx: &mut dyn Context) -> Result<f64, Fault> {
    if !field.is_there() {
        return Ok(default);
    }
    let text = field.text(cx)?;
    double(&text)
        .ok_or_else(|| Fault::new(format!("Precise Throughput Timer: {text} is not a number")))
}

/// A seed for a group, from that of the run; not 0 (FNV-1a, 64 bits).
fn common_seed(run_seed: u64, group: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let bytes = run_seed.to_le_bytes().into_iter().chain(group.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
    (hash | 1).cast_signed()
}

impl DueSchedule {
    /// When the next sample of this share of the load is due, at a rate a second.
    fn next_of(&mut self, rate: f64, cx: &mut dyn Context) -> Result<f64, Fault> {
        let thread = cx.thread();
        loop {
            for _ in 0..thread.group_share().skipped_before(self.taken) {
                self.next(rate, cx)?;
            }
            self.taken = self.taken.saturating_add(1);
            let due_s = self.next(rate, cx)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
            let due_ms = thread
                .run_start_unix_ms
                .saturating_add((due_s * 1000.0) as u64);
            // What was withheld, or is from before this process took part, is passed over.
            if due_ms >= thread.due_from_unix_ms {
                return Ok(due_s);
            }
        }
    }

    /// When the next sample is due, at a rate a second.
    fn next(&mut self, rate: f64, cx: &mut dyn Context) -> Result<f64, Fault> {
        let same = (rate - self.rate).abs() < PRECISION;
        if !same || (self.batch_left == 0 && self.left == 0) {
            self.begin_stretch(rate)?;
        }
        if self.batch_left > 0 {
            self.batch_left -= 1;
            return Ok(self.last_s);
        }
        self.batch_left = self.batch - 1;
        self.last_s = self.take(cx);
        Ok(self.last_s)
    }

    /// Draws the samples of the next stretch. Java's generator leaves a stretch that a new
    /// rate cuts short as it is, and so do we: the next one begins at its end.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
    fn begin_stretch(&mut self, rate: f64) -> Result<(), Fault> {
        let samples = (rate / f64::from(self.batch) * self.duration_s).ceil();
        if samples.is_nan() || samples < 1.0 {
            return Err(Fault::new(
                "Precise Throughput Timer: throughput and duration give no sample",
            ));
        }
        if self.rate.is_nan() {
            self.stretch_begin_s = 0.0;
        } else {
            self.stretch_begin_s += self.duration_s;
        }
        self.rate = rate;
        self.batch_left = 0;
        self.left = samples as u64;
        self.passed = 0.0;
        if let Some(random) = &mut self.random {
            if samples > MOST_KEPT {
                return Err(Fault::new(
                    "Precise Throughput Timer: too many samples for a random seed",
                ));
            }
            let begin_s = self.stretch_begin_s;
            let draw = |_| begin_s + random.unit() * self.duration_s;
            self.due_s = (0..self.left).map(draw).collect();
            self.due_s.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        Ok(())
    }

    /// The next of this stretch.
    #[expect(clippy::cast_precision_loss)] // Far fewer than 2^53.
    fn take(&mut self, cx: &mut dyn Context) -> f64 {
        let left = self.left as f64;
        self.left = self.left.saturating_sub(1);
        if self.random.is_some() {
            return self.due_s.pop().unwrap_or(self.last_s);
        }
        // The least of `left` even draws from what is left of the stretch: sorted draws, one
        // by one (Bentley and Saxe 1980).
        let draw = 1.0 - unit(cx.random_bits());
        self.passed = 1.0 - (1.0 - self.passed) * draw.powf(1.0 / left);
        self.stretch_begin_s + self.passed * self.duration_s
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use plimsoll_plan::share::Share;

    use super::*;
    use crate::context::testing::TestContext;
    use crate::timers::testing::timer;

    fn of(properties: &[(&str, &str)]) -> Box<dyn Timer> {
        timer("PreciseThroughputTimer", properties)
    }

    fn user() -> TestContext {
        let mut cx = TestContext::with(&[]);
        cx.unix_ms = 1_000_000;
        cx.thread.run_start_unix_ms = 1_000_000;
        cx.thread.group = "g".into();
        cx
    }

    #[test]
    fn a_seed_gives_the_schedule_that_jmeter_has() {
        // Java 17: 5 draws of new Random(42), sorted, 10 s each stretch.
        let properties = [
            ("throughput", "5"),
            ("throughputPeriod", "10"),
            ("duration", "10"),
            ("batchSize", "1"),
            ("randomSeed", "42"),
        ];
        let timer = of(&properties);
        let mut cx = user();
        let delays: Vec<u64> = (0..7).map(|_| timer.delay_ms(&mut cx).unwrap()).collect();
        assert_eq!(delays, SEED_42);
        // Another timer of the group follows the same schedule.
        let mut later = user();
        later.thread.group = "other".into();
        assert_eq!(timer.delay_ms(&mut later).unwrap(), SEED_42[0]);
    }

    const SEED_42: [u64; 7] = [2770, 3087, 6655, 6832, 7275, 12757, 13687];

    #[test]
    fn each_stretch_has_its_number_of_samples_evenly_spread() {
        let timer = of(&[
            ("throughput", "1000"),
            ("throughputPeriod", "1"),
            ("duration", "2"),
        ]);
        let mut cx = user();
        let due: Vec<u64> = (0..4000)
            .map(|_| timer.delay_ms(&mut cx).unwrap())
            .collect();
        assert!(due.is_sorted());
        assert!(due[1999] < 2000 && due[2000] >= 2000 && due[3999] < 4000);
        // Kolmogorov and Smirnov: 1.63 / sqrt(n) is passed at 1 % (n = 2000).
        #[expect(clippy::cast_precision_loss)]
        let gap = |(at, due): (usize, &u64)| (at as f64 / 2000.0 - *due as f64 / 2000.0).abs();
        let worst = due[..2000].iter().enumerate().map(gap).fold(0.0, f64::max);
        assert!(worst < 0.0365 + 0.0005, "{worst}");
    }

    #[test]
    fn shares_of_the_load_make_the_schedule_together() {
        let schedule_of = |seed: &str, index, count| {
            let properties = [
                ("throughput", "5"),
                ("throughputPeriod", "10"),
                ("duration", "10"),
                ("randomSeed", seed),
            ];
            let timer = of(&properties);
            let mut cx = user();
            cx.thread.share = Share::new(index, count).unwrap();
            cx.thread.group_size = 9;
            let delays = (0..4).map(|_| timer.delay_ms(&mut cx).unwrap());
            delays.collect::<Vec<_>>()
        };
        let all = |seed: &str| {
            let mut all: Vec<u64> = (0..3)
                .flat_map(|index| schedule_of(seed, index, 3))
                .collect();
            all.sort_unstable();
            all
        };
        assert_eq!(all("42")[..7], SEED_42);
        // Without a seed all draw the same from the run's: none is drawn twice.
        let mut drawn = all("0");
        drawn.dedup();
        assert_eq!(drawn.len(), 12, "{drawn:?}");
    }

    #[test]
    fn what_was_due_before_this_process_took_part_is_not_made_up_for() {
        let timer = of(&[
            ("throughput", "10"),
            ("throughputPeriod", "1"),
            ("duration", "10"),
            ("randomSeed", "7"),
        ]);
        let mut cx = user();
        cx.unix_ms += 5_000;
        cx.thread.due_from_unix_ms = cx.unix_ms;
        let delays: Vec<u64> = (0..20).map(|_| timer.delay_ms(&mut cx).unwrap()).collect();
        let at_once = delays.iter().filter(|delay| **delay == 0).count();
        assert!(at_once < 2, "{delays:?}");
    }

    #[test]
    fn a_batch_is_due_at_once() {
        let properties = [
            ("throughput", "12"),
            ("throughputPeriod", "10"),
            ("duration", "10"),
            ("batchSize", "4"),
        ];
        let timer = of(&properties);
        let mut cx = user();
        let due: Vec<u64> = (0..12).map(|_| timer.delay_ms(&mut cx).unwrap()).collect();
        for batch in due.chunks(4) {
            assert!(batch.iter().all(|one| *one == batch[0]), "{due:?}");
        }
        assert!(
            due[0] < due[4] && due[4] < due[8] && due[8] < 10_000,
            "{due:?}"
        );
    }

    #[test]
    fn a_delay_beyond_the_end_stops_the_user() {
        let timer = of(&[
            ("throughput", "1"),
            ("throughputPeriod", "100"),
            ("duration", "100"),
        ]);
        let mut cx = user();
        cx.thread.end_unix_ms = Some(1_000_000);
        assert!(timer.delay_ms(&mut cx).is_err());
        assert_eq!(cx.asked, Some(Action::StopUser));
    }

    #[test]
    fn what_is_behind_is_due_now_and_odd_values_do_no_harm() {
        let mut cx = user();
        cx.unix_ms += 10_000_000;
        assert_eq!(of(&[]).delay_ms(&mut cx), Ok(0));
        for (name, value) in [
            ("throughput", "0"),
            ("throughput", "x"),
            ("throughputPeriod", "0"),
            ("duration", "-1"),
        ] {
            let properties = [(name, value), ("randomSeed", "5")];
            assert!(
                of(&properties).delay_ms(&mut user()).is_err(),
                "{name} {value}"
            );
        }
    }
}
