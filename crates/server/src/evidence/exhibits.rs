//! Which of the evidence belongs to which finding: when to look, at which series, captures and facts.

use plimsoll_diagnose::{Diagnosis, Exhibit, Finding};
use plimsoll_stats::series::fold::{Grid, fold};
use plimsoll_stats::series::{SeriesId, SeriesKey};
use plimsoll_store::{FactRecord, Run};
use plimsoll_text::{Lang, render};
use serde::Serialize;
use utoipa::ToSchema;

use super::capture::{CaptureListed, captures};
use crate::data::target::{SeriesDescribed, SeriesThing, target_name};
use crate::problem::ApiError;

/// Series and facts that are told of a finding.
const SERIES: usize = 30;
const FACTS: usize = 20;

/// A series that shows a finding.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeriesExhibit {
    /// The series.
    #[serde(flatten)]
    series: SeriesDescribed,
    /// The second of the stretch in which it is largest, from the run's start; null: it has no value there.
    at_s: Option<u32>,
}

/// A capture that shows a finding.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaptureExhibit {
    /// The capture.
    #[serde(flatten)]
    capture: CaptureListed,
    /// The lines that matter.
    lines: Vec<String>,
}

/// A fact that a finding is about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactExhibit {
    /// The thing.
    entity: SeriesThing,
    /// What it is.
    name: String,
    /// Its value at the run's end.
    value: String,
}

/// A finding and what shows it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingEvidence {
    /// Which finding: `lock`, `connection_pool` …
    id: String,
    /// Its place in the diagnosis, from 1.
    rank: usize,
    /// The finding in words.
    title: String,
    /// The stretch to look at, seconds from the run's start.
    from_s: f64,
    /// Its end.
    to_s: f64,
    /// The moment to look at: that of its first capture, else where its first series is largest; null: the whole
    /// stretch.
    at_s: Option<f64>,
    /// Series of the target that show it; 30 at most.
    series: Vec<SeriesExhibit>,
    /// Series that are left out.
    series_left_out: usize,
    /// Captures that show it.
    captures: Vec<CaptureExhibit>,
    /// Facts and settings of the target that it is about; 20 at most.
    facts: Vec<FactExhibit>,
}

/// The findings of a run, each with what shows it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingsEvidence {
    /// The findings, the first is the one that limits.
    items: Vec<FindingEvidence>,
}

/// What a run has.
struct RunEvidence<'a> {
    run: &'a Run,
    series: Vec<(SeriesId, SeriesKey)>,
    captures: Vec<CaptureListed>,
    facts: Vec<FactRecord>,
    window_s: (f64, f64),
}

/// Says what shows each finding of a run.
///
/// # Errors
/// If the run cannot be read.
pub(crate) fn findings(
    run: &Run,
    diagnosis: &Diagnosis,
    lang: Lang,
) -> Result<FindingsEvidence, ApiError> {
    let known = RunEvidence {
        run,
        series: run.series()?,
        captures: captures(run)?,
        facts: run.facts()?,
        window_s: diagnosis.window_s,
    };
    let findings = diagnosis.findings.iter().zip(1..);
    let items = findings.map(|(finding, rank)| known.of(finding, rank, lang));
    Ok(FindingsEvidence {
        items: items.collect::<Result<_, _>>()?,
    })
}

impl RunEvidence<'_> {
    fn of(&self, finding: &Finding, rank: usize, lang: Lang) -> Result<FindingEvidence, ApiError> {
        let (series, series_left_out) = self.series_of(finding)?;
        let captures = self.captures_of(&finding.evidence);
        let captured = captures.first().map(|exhibit| exhibit.capture.at_s);
        let largest = series.iter().find_map(|exhibit| exhibit.at_s);
        Ok(FindingEvidence {
            id: finding.id.to_owned(),
            rank,
            title: render(lang, &finding.text("")),
            from_s: self.window_s.0,
            to_s: self.window_s.1,
            at_s: captured.or(largest.map(f64::from)),
            series,
            series_left_out,
            captures,
            facts: self.facts_of(finding),
        })
    }

    /// The series by their names: those of the finding's process or host where there are such, else all.
    fn series_of(&self, finding: &Finding) -> Result<(Vec<SeriesExhibit>, usize), ApiError> {
        let mut chosen: Vec<(SeriesId, SeriesKey)> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for name in finding
            .evidence
            .iter()
            .filter_map(|exhibit| exhibit.series.as_deref())
        {
            if !names.contains(&name) {
                names.push(name);
                chosen.extend(self.named(name, finding));
            }
        }
        if chosen.is_empty() {
            chosen = self.of_object(finding);
        }
        let left_out = chosen.len().saturating_sub(SERIES);
        chosen.truncate(SERIES);
        let ids: Vec<SeriesId> = chosen.iter().map(|(id, _)| *id).collect();
        let grid = Grid {
            from_ms: (self.window_s.0 * 1e3) as i64,
            ..Grid::seconds(1, (self.window_s.1 - self.window_s.0).ceil() as usize)
        };
        let columns = self.run.target(&ids)?;
        let exhibits = chosen.iter().zip(&columns).map(|((id, key), column)| {
            let values = fold(column, key.kind, grid).into_iter().zip(0_u32..);
            let known = values.filter_map(|(value, second)| Some((value?, second)));
            let largest = known.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            SeriesExhibit {
                series: target_name(*id, key),
                at_s: largest.map(|(_, second)| self.window_s.0 as u32 + second),
            }
        });
        Ok((exhibits.collect(), left_out))
    }

    /// Series of the thing that a finding is about, or that have its name among their attributes: for one that
    /// names no series.
    fn of_object(&self, finding: &Finding) -> Vec<(SeriesId, SeriesKey)> {
        let of = &finding.object;
        let names = [of.process.as_str(), of.name.as_str()];
        let is_named = |name: &str| !name.is_empty() && names.contains(&name);
        let is_about = |key: &SeriesKey| {
            let is_there = of.host.is_empty() || key.entity.host == of.host;
            let mut values = key.attributes.iter().map(|(_, value)| value.as_str());
            is_there && (is_named(&key.entity.name) || values.any(is_named))
        };
        let about = self.series.iter().filter(|(_, key)| is_about(key));
        about.cloned().collect()
    }

    fn named(&self, name: &str, finding: &Finding) -> Vec<(SeriesId, SeriesKey)> {
        let of = &finding.object;
        let all = || self.series.iter().filter(|(_, key)| key.name == name);
        let whose = |fits: &dyn Fn(&SeriesKey) -> bool| -> Vec<(SeriesId, SeriesKey)> {
            all().filter(|(_, key)| fits(key)).cloned().collect()
        };
        let is_there = |key: &SeriesKey| of.host.is_empty() || key.entity.host == of.host;
        let process = [of.process.as_str(), of.name.as_str()];
        let own = whose(&|key| {
            let named = process.contains(&key.entity.name.as_str());
            is_there(key) && named && !key.entity.name.is_empty()
        });
        let found = match own.is_empty() {
            true => whose(&is_there),
            false => own,
        };
        match found.is_empty() {
            true => whose(&|_| true),
            false => found,
        }
    }

    fn captures_of(&self, exhibits: &[Exhibit]) -> Vec<CaptureExhibit> {
        let known = |exhibit: &Exhibit| {
            let number = exhibit.capture?;
            let mut captures = self.captures.iter();
            let capture = captures.find(|capture| capture.number == number)?;
            Some(CaptureExhibit {
                capture: capture.clone(),
                lines: exhibit.lines.clone(),
            })
        };
        exhibits.iter().filter_map(known).collect()
    }

    /// Facts whose name is that of a setting that the finding would change.
    fn facts_of(&self, finding: &Finding) -> Vec<FactExhibit> {
        let settings: Vec<&str> = finding
            .advice
            .iter()
            .filter_map(|advice| advice.setting.as_deref())
            .collect();
        let is_about = |record: &&FactRecord| {
            let name = record.fact.name.as_str();
            settings.iter().any(|setting| {
                let below = name.strip_suffix(setting);
                below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            })
        };
        let mut facts: Vec<FactExhibit> = Vec::new();
        // The last word counts.
        for record in self.facts.iter().rev().filter(is_about) {
            let entity = SeriesThing::from(&*record.fact.entity);
            let is_known = facts
                .iter()
                .any(|known| known.name == record.fact.name && known.entity == entity);
            if !is_known && facts.len() < FACTS {
                facts.push(FactExhibit {
                    entity,
                    name: record.fact.name.clone(),
                    value: plimsoll_secrets::text(&record.fact.value).into_owned(),
                });
            }
        }
        facts
    }
}
