//! The curve of a run: its seconds by load.

use plimsoll_stats::curve::{
    Curve, CurveStep, FEWEST_LOADS, HeldLoad, LabelCounts, LoadModel, MeasuredPoint, SecondLoad,
    SecondSums, from_counts, measure, steps,
};
use plimsoll_stats::{Histogram, LabelKind};

use crate::{Run, StoreError};

/// A load of a run and the seconds in which it was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredLoad {
    /// Users, or arrivals a second.
    pub load: f64,
    /// Whether it is arrivals.
    pub open: bool,
    /// First second that counts, from the run's start.
    pub from_s: u32,
    /// The one after the last.
    pub to_s: u32,
}

impl Run {
    /// The loads of a run with their measured seconds: the steps of a stepped one (of a load
    /// that came back, its longest stretch), else the whole.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn loads_measured(&self) -> Result<Vec<MeasuredLoad>, StoreError> {
        let (from_s, to_s) = self.measured_seconds()?;
        let (model, loads) = self.loads(from_s, to_s)?;
        let sums = self.sums(&loads)?;
        let open = model == LoadModel::Rate;
        let of_step = |step: &plimsoll_stats::curve::CurveStep| {
            let seconds = measure(step, &sums)?.seconds;
            let longest = seconds.into_iter().max_by_key(ExactSizeIterator::len)?;
            Some(MeasuredLoad {
                load: step.load,
                open,
                from_s: longest.start,
                to_s: longest.end,
            })
        };
        let steps: Vec<MeasuredLoad> = steps(&loads).iter().filter_map(of_step).collect();
        if !steps.is_empty() {
            return Ok(steps);
        }
        let load = loads.iter().map(|second| second.load).fold(0.0, f64::max);
        Ok(vec![MeasuredLoad {
            load,
            open,
            from_s,
            to_s,
        }])
    }

    /// Throughput and response time against load, for a run with at least three loads; `None`
    /// for others. Warm-up and the second in which the load ended are left out.
    ///
    /// The load over time is what the plan asked for ([`crate::RunMeta::load_profile`]), else
    /// the users seen at work, second by second.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn curve(&self) -> Result<Option<Curve>, StoreError> {
        let (from_s, to_s) = self.measured_seconds()?;
        let (model, loads) = self.loads(from_s, to_s)?;
        let steps = steps(&loads);
        if steps.len() < FEWEST_LOADS {
            return Ok(None);
        }
        let sums = self.sums(&loads)?;
        let mut points = Vec::with_capacity(steps.len());
        for step in &steps {
            let measured = self.measured(step, &sums)?;
            points.extend(measured.map(|(measured, _)| measured.point));
        }
        Ok(Curve::new(model, points))
    }

    /// What a run that holds one load says of it after its warm-up, with the seconds that are
    /// steady; `None` if nothing ended.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn held_load(&self, load: f64) -> Result<Option<HeldLoad>, StoreError> {
        let (from_s, to_s) = self.measured_seconds()?;
        let second = |second| SecondLoad {
            second,
            load,
            held: true,
        };
        let seconds: Vec<SecondLoad> = (from_s..to_s).map(second).collect();
        let step = CurveStep {
            load,
            held: true,
            parts: std::iter::once(0..seconds.len()).collect(),
        };
        let sums = self.sums(&seconds)?;
        let measured = self.measured(&step, &sums)?;
        Ok(measured.map(|(measured, times)| HeldLoad {
            measured,
            sums,
            times,
        }))
    }

    /// Measures a step, percentiles included; with the response times of the seconds that count.
    fn measured(
        &self,
        step: &CurveStep,
        sums: &[SecondSums],
    ) -> Result<Option<(MeasuredPoint, Histogram)>, StoreError> {
        let Some(mut measured) = measure(step, sums) else {
            return Ok(None);
        };
        let mut times = Histogram::new();
        let mut labels = LabelCounts::new();
        for seconds in &measured.seconds {
            self.for_each_second(seconds.start, seconds.end, |part| {
                if part.label.kind == LabelKind::Request && !part.after_load {
                    times.merge(part.interval.ok_response());
                    times.merge(part.interval.err_response());
                    match labels.get_mut(&part.label.name) {
                        Some(count) => *count += part.interval.samples(),
                        None => {
                            labels.insert(part.label.name.clone(), part.interval.samples());
                        }
                    }
                }
            })?;
        }
        measured.point.set_times(&times);
        measured.point.labels = labels;
        Ok(Some((measured, times)))
    }

    /// The whole seconds after the warm-up in which there was load.
    fn measured_seconds(&self) -> Result<(u32, u32), StoreError> {
        let end_s = match self.summary()? {
            Some(summary) => (summary.warm_up_s + summary.duration_s).max(0.0) as u32,
            None => self.load_span_s()?.1.saturating_sub(1),
        };
        Ok((self.meta().warm_up_s.min(end_s), end_s))
    }

    /// The load of each second; nothing where it is not known.
    fn loads(&self, from_s: u32, to_s: u32) -> Result<(LoadModel, Vec<SecondLoad>), StoreError> {
        let meta = self.meta();
        if let Some(profile) = &meta.load_profile {
            return Ok((profile.model, profile.seconds(from_s, to_s)));
        }
        // Users at work are no load where arrivals are.
        if meta.scenarios.iter().any(|s| s.load.starts_with("rate:")) {
            return Ok((LoadModel::Rate, Vec::new()));
        }
        let inside = |second: &u32| (from_s..to_s).contains(second);
        let counts = self.generator()?.into_iter().filter_map(|generator| {
            let second = u32::try_from(generator.second).ok().filter(inside)?;
            Some((second, generator.users_active as f64))
        });
        let mut counts: Vec<(u32, f64)> = counts.collect();
        // A second that was written in parts counts once, with its last word.
        counts.reverse();
        counts.sort_by_key(|(second, _)| *second);
        counts.dedup_by_key(|(second, _)| *second);
        Ok((LoadModel::Users, from_counts(&counts)))
    }

    /// What all requests did in each of these seconds, which are in the order of time.
    fn sums(&self, loads: &[SecondLoad]) -> Result<Vec<SecondSums>, StoreError> {
        let empty = |load: &SecondLoad| SecondSums {
            second: load.second,
            ..SecondSums::default()
        };
        let mut sums: Vec<SecondSums> = loads.iter().map(empty).collect();
        let (Some(first), Some(last)) = (loads.first(), loads.last()) else {
            return Ok(sums);
        };
        let from_s = first.second;
        let figures = self.figures_between(from_s, last.second + 1)?;
        for (load, sum) in loads.iter().zip(&mut sums) {
            if let Some(second) = figures.get((load.second - from_s) as usize) {
                sum.ok = second.samples.saturating_sub(second.errors);
                sum.errors = second.errors;
                sum.response_ns = second.response_ns as f64;
            }
        }
        Ok(sums)
    }
}
