//! A session over workers: seconds come merged out of reports, some late, and are confirmed once
//! they are on disk; a session may be taken up again.

use std::collections::BTreeMap;

use plimsoll_fleet::controller::Note;
use plimsoll_fleet::merge::Merged;
use plimsoll_load::engine::Second;
use plimsoll_stats::summary::FleetSummary;
use plimsoll_stats::{Aggregate, Histogram, Window};
use plimsoll_store::{Contains, Run, RunWriter, StoreError};

use super::probe::Probe;
use super::{Session, SessionParts};
use crate::watching::LoadSum;

/// Notes with the send lateness and the receive lag of all measured seconds so far.
const LATENESS: &str = "lateness";
const RECEIVE_LAG: &str = "receive_lag";

impl Session {
    /// Begins a session whose seconds come from workers. Unlike that of one machine it needs its
    /// folder.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn over_workers(parts: SessionParts) -> Result<Self, StoreError> {
        let writer = RunWriter::create(&parts.root, &parts.meta)?.over_workers()?;
        let mut session = Self::with_writer(parts, writer);
        session.hearers.store.is_quiet = true;
        session.probe.iter_mut().for_each(Probe::over_workers);
        Ok(session)
    }

    /// Takes a session up again: what is stored is what it knew.
    ///
    /// # Errors
    /// A run that cannot be read or gone on with.
    pub fn taken_up(parts: SessionParts, run: Run, writer: RunWriter) -> Result<Self, StoreError> {
        let mut session = Self::with_writer(parts, writer);
        session.hearers.store.is_quiet = true;
        let window = Window::new(f64::from(session.meta.warm_up_s), f64::INFINITY);
        let mut sum = Aggregate::with_tail(window);
        let mut sums: BTreeMap<u64, LoadSum> = BTreeMap::new();
        let (from_s, to_s) = run.span_s()?;
        let probe_from_s = run.meta().probe_from_s;
        if let Some(from_s) = probe_from_s {
            session.hearers.sums.ends(u64::from(from_s));
        }
        let to_s = probe_from_s.map_or(to_s, |from_s| to_s.min(from_s));
        run.labels().iter().for_each(|label| sum.add_label(label));
        run.for_each_second(from_s, to_s, |part| {
            let second = u64::from(part.second);
            if part.after_load {
                sum.add_tail(part.label, part.interval);
            } else {
                sum.add(second, part.label, part.interval);
                let of = sums.entry(second).or_default();
                of.add(part.label, part.interval);
            }
        })?;
        let own = &mut session.hearers.sums;
        own.sum = sum;
        own.seconds = run.generator()?;
        session.labels = run.labels().to_vec();
        if let Some(target) = &mut session.target {
            for seen in &session.hearers.sums.seconds {
                let of = sums.get_mut(&seen.second);
                of.into_iter().for_each(|of| of.at_work(seen));
            }
            let load = sums.iter().map(|(second, of)| (*second, of.second()));
            target.knew(&load.collect());
        }
        let own = &mut session.hearers.sums;
        own.seconds.retain(|second| window.contains(second.second));
        let notes = run.notes()?;
        let kept = [
            (LATENESS, &mut own.lateness),
            (RECEIVE_LAG, &mut own.receive_lag),
        ];
        for (name, histogram) in kept {
            if let Some(bytes) = notes.get(name) {
                // What is damaged says nothing; the run's own seconds do.
                let _ = histogram.merge_encoded(bytes);
            }
        }
        Ok(session)
    }

    /// A second made of reports, or what came late of one: on disk with the numbers of the
    /// reports, or nothing of it has happened.
    ///
    /// # Errors
    /// If the disk failed.
    pub fn part(&mut self, merged: &Merged, notes: &[Note]) -> Result<(), StoreError> {
        let sums = &self.hearers.sums;
        let measured = sums.sum.window().contains(merged.second)
            && !merged.after_load
            && !sums.is_over(merged.second);
        let (mut lateness, mut receive_lag) = (Vec::new(), Vec::new());
        let mut notes: Vec<(&str, &[u8])> = notes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        if measured {
            encode_sum(&sums.lateness, &merged.lateness, &mut lateness);
            encode_sum(&sums.receive_lag, &merged.receive_lag, &mut receive_lag);
            notes.push((LATENESS, &lateness));
            notes.push((RECEIVE_LAG, &receive_lag));
        }
        let second = Second {
            second: merged.second,
            labels: &merged.labels,
            generator: &merged.generator,
            lateness: &merged.lateness,
            receive_lag: &merged.receive_lag,
            samples: &[],
            after_load: merged.after_load,
        };
        let number = u32::try_from(merged.second).unwrap_or(u32::MAX);
        let labels: Vec<_> = merged.labels.iter().collect();
        let contains = Contains {
            reports: &merged.contains,
            notes: &notes,
        };
        self.hearers.store.writer.write_part(
            number,
            merged.after_load,
            &labels,
            &merged.generator,
            &contains,
        )?;
        if merged.late {
            // It counts in the sums; what is looked at as it happens has gone on.
            self.hear_second(&second, true, true);
        } else {
            self.take(&second, true);
        }
        Ok(())
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &plimsoll_plan::program::Program {
        &self.program
    }

    /// Keeps notes for a controller that takes the run up again.
    ///
    /// # Errors
    /// If the disk failed.
    pub fn note(&mut self, notes: &[Note]) -> Result<(), StoreError> {
        let notes: Vec<(&str, &[u8])> = notes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        self.hearers.store.writer.put_notes(&notes)
    }

    /// What the generators of the workers saw in the measured seconds.
    pub fn measured(&self) -> &[plimsoll_stats::GeneratorSecond] {
        &self.hearers.sums.seconds
    }

    /// What the summary says of the workers.
    pub fn set_fleet(&mut self, fleet: FleetSummary) {
        self.fleet = Some(fleet);
    }
}

fn encode_sum(sum: &Histogram, more: &Histogram, out: &mut Vec<u8>) {
    let mut all = sum.clone();
    all.merge(more);
    all.encode(out);
}
