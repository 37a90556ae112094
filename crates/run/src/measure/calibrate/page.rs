//! One number of users on the page.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_load::EchoServer;
use plimsoll_load::monitor::Allowance;
use plimsoll_plan::Problem;
use plimsoll_plan::model::{Plan, StepKind};
use plimsoll_stats::ceiling::CeilingStep;
use plimsoll_stats::curve::CurvePoint;
use plimsoll_stats::{GeneratorSecond, Summary};
use plimsoll_store::Run;
use plimsoll_text::Message;

use super::super::scale::{LoadStep, Shape};
use super::super::series::{MeasureError, RunSeries, UNREACHABLE};
use super::settings::CalibrationSettings;
use crate::{LoadSettings, PlanSource, RunSetting, UrlRequest, ready};

/// A page of which more fails than this is none to calibrate with.
const MOST_ERRORS: f64 = 0.01;
/// Time for the users to begin.
const RAMP: Duration = Duration::from_secs(1);

/// The page and how it is loaded.
pub struct Page {
    source: PlanSource,
    load: LoadSettings,
    keep_alive: bool,
    lasts: Duration,
    server: Option<EchoServer>,
    /// Load threads.
    pub threads: u32,
    /// CPUs that each of them may use, at most one.
    cpu_of_thread: f64,
}

impl Page {
    /// The page that the arguments name, or the built-in one.
    pub fn new(settings: &CalibrationSettings, allowance: &Allowance) -> Result<Self, Message> {
        let (threads, rest) = shared_out(allowance, settings.threads);
        let (threads, server) = match settings.url {
            Some(_) => {
                let usual = u32::try_from(allowance.threads()).unwrap_or(1);
                (settings.threads.unwrap_or(usual), None)
            }
            None => (threads, Some(echo(&rest)?)),
        };
        let count = usize::try_from(threads).unwrap_or(1);
        let built_in = server.as_ref().map(EchoServer::url);
        Ok(Self {
            source: PlanSource {
                url: UrlRequest {
                    insecure: settings.insecure,
                    ..UrlRequest::default()
                },
                ..PlanSource::new(settings.url.clone().or(built_in).unwrap_or_default())
            },
            load: LoadSettings {
                threads: Some(count),
                // Apart from the server, if that has CPUs of its own.
                pin: server.is_some() && !rest.is_empty(),
                ..LoadSettings::default()
            },
            keep_alive: settings.keep_alive,
            lasts: Duration::from_secs(u64::from(settings.step_seconds)),
            server,
            threads,
            cpu_of_thread: allowance.cpu_share_of(count),
        })
    }

    /// Loads it with so many users.
    pub fn measure(
        &self,
        users: u32,
        root: &Path,
        series: &RunSeries<'_>,
    ) -> Result<CeilingStep, MeasureError> {
        let change = |plan: &mut Plan| self.change(plan, users);
        let ready = Arc::new(ready::load_changed(&self.source, &self.load, &change)?);
        let before_ns = self.server.as_ref().map(EchoServer::cpu_ns);
        let made = series.make_as(
            RunSetting::ended_by(root, series.interrupt),
            &ready,
            &self.load,
        )?;
        let run = &made.run;
        let page_ns = self.server.as_ref().zip(before_ns);
        let page_ns = page_ns.map(|(server, before_ns)| server.cpu_ns().saturating_sub(before_ns));
        check(&made.summary)?;
        let held = run.held_load(f64::from(users));
        let Some(held) = held.map_err(|error| error.message())? else {
            return Ok(CeilingStep::default());
        };
        let measured = held.measured;
        let seconds = in_seconds(run, &measured.seconds)?;
        let all = run.aggregate(0.0, f64::INFINITY);
        let requests = all.map_err(|error| error.message())?.total().samples();
        Ok(self.step(
            users,
            &measured.point,
            &seconds,
            page_ns.zip(Some(requests)),
        ))
    }

    fn change(&self, plan: &mut Plan, users: u32) -> Result<(), Vec<Problem>> {
        let keep_alive = self.keep_alive;
        for scenario in &mut plan.scenarios {
            for step in &mut scenario.body.steps {
                if let StepKind::Http(request) = &mut step.kind {
                    request.settings.keep_alive = Some(keep_alive);
                }
            }
        }
        let step = LoadStep {
            load: f64::from(users),
            ramp_up: RAMP,
            lasts: self.lasts,
        };
        // The plan of a URL has one scenario of users.
        Shape::of(plan)
            .map_err(|message| {
                vec![Problem::error(
                    plimsoll_plan::model::Span::default(),
                    message,
                )]
            })?
            .apply(plan, &step)
    }

    /// The step's figures. `page` is the CPU time that the page's server used in the whole run,
    /// in ns, and the requests of that time.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts and times of a few seconds"
    )]
    fn step(
        &self,
        users: u32,
        point: &CurvePoint,
        seconds: &[GeneratorSecond],
        page: Option<(u64, u64)>,
    ) -> CeilingStep {
        let threads = || seconds.iter().flat_map(|second| &second.threads);
        let count = threads().count().max(1) as f64;
        let share = threads().map(|thread| thread.cpu_share).sum::<f64>() / count;
        let waiting = threads()
            .map(|thread| thread.runqueue_wait_share)
            .sum::<f64>()
            / count;
        let page_cpus = page
            .filter(|(ns, requests)| *ns > 0 && *requests > 0)
            .map(|(ns, requests)| ns as f64 / 1e9 / requests as f64 * point.completed_per_s);
        CeilingStep {
            users,
            throughput_per_s: point.throughput_per_s.value,
            response_time_ms: point.response_time_ms.value,
            generator_cpus: share * self.cpu_of_thread * f64::from(self.threads),
            generator_cpu_share: share,
            waiting_share: waiting,
            page_cpus,
        }
    }
}

/// The generator's own view of those seconds.
fn in_seconds(run: &Run, ranges: &[std::ops::Range<u32>]) -> Result<Vec<GeneratorSecond>, Message> {
    let all = run.generator().map_err(|error| error.message())?;
    let counts = |second: &GeneratorSecond| {
        let number = u32::try_from(second.second).unwrap_or(u32::MAX);
        ranges.iter().any(|range| range.contains(&number))
    };
    Ok(all.into_iter().filter(counts).collect())
}

/// A page that cannot be reached or fails says nothing of the generator.
fn check(summary: &Summary) -> Result<(), MeasureError> {
    if summary.exit_code == UNREACHABLE {
        return Err(MeasureError::Unreachable(Message::new(
            "calibrate-unreachable",
        )));
    }
    if summary.total.error_rate > MOST_ERRORS {
        let percent = (summary.total.error_rate * 1_000.0).round() / 10.0;
        let message = Message::new("calibrate-page-fails").with("percent", percent);
        return Err(MeasureError::Failing(message));
    }
    Ok(())
}

/// How the CPUs are shared out where the built-in page's server needs some of them: the first
/// half is the generator's. One CPU is both's.
fn shared_out(allowance: &Allowance, threads: Option<u32>) -> (u32, Vec<usize>) {
    let cpus = &allowance.cpus;
    let half = u32::try_from((cpus.len() / 2).max(1)).unwrap_or(1);
    let threads = threads.unwrap_or(half);
    let own = usize::try_from(threads).unwrap_or(usize::MAX);
    let rest = cpus.get(own..).filter(|rest| !rest.is_empty());
    // Without a CPU of its own the server runs wherever there is time.
    (threads, rest.map(<[usize]>::to_vec).unwrap_or_default())
}

/// The built-in page.
fn echo(cpus: &[usize]) -> Result<EchoServer, Message> {
    EchoServer::start(cpus)
        .map_err(|error| Message::new("calibrate-no-page").with("reason", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(cpus: usize) -> Allowance {
        Allowance {
            cpus: (0..cpus).collect(),
            quota_cpus: None,
            descriptors: 0,
            ports: 0,
            memory_bytes: 0,
        }
    }

    #[test]
    fn generator_and_page_get_cpus_of_their_own() {
        assert_eq!(shared_out(&allowed(1), None), (1, vec![]));
        assert_eq!(shared_out(&allowed(2), None), (1, vec![1]));
        assert_eq!(shared_out(&allowed(5), None), (2, vec![2, 3, 4]));
        assert_eq!(shared_out(&allowed(4), Some(3)), (3, vec![3]));
        assert_eq!(shared_out(&allowed(2), Some(8)), (8, vec![]));
    }
}
