//! One number of users on the page.

use std::path::Path;
use std::time::Duration;

use plimsoll_load::echo::EchoServer;
use plimsoll_load::monitor::Allowance;
use plimsoll_plan::Problem;
use plimsoll_plan::model::{Plan, StepKind};
use plimsoll_run::jmx::Told;
use plimsoll_run::{Interrupt, LoadSettings, PlanSource, RunSetting, UrlRequest, ready};
use plimsoll_stats::ceiling::CeilingStep;
use plimsoll_stats::curve::CurvePoint;
use plimsoll_stats::{GeneratorSecond, Summary};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use super::{FAILED, UNREACHABLE, echo, shared_out};
use crate::args::CalibrateArgs;
use crate::commands::BAD_USE;
use crate::commands::capacity::scale::{LoadStep, Shape};
use crate::commands::ended::Ended;
use crate::commands::run::{make, setting};
use crate::live::listener;
use crate::problems;

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
    pub fn new(args: &CalibrateArgs, allowance: &Allowance) -> Result<Self, Message> {
        let (threads, rest) = shared_out(allowance, args.threads);
        let (threads, server) = match args.url {
            Some(_) => {
                let usual = u32::try_from(allowance.threads()).unwrap_or(1);
                (args.threads.unwrap_or(usual), None)
            }
            None => (threads, Some(echo(&rest)?)),
        };
        let count = usize::try_from(threads).unwrap_or(1);
        let built_in = server.as_ref().map(EchoServer::url);
        Ok(Self {
            source: PlanSource {
                url: UrlRequest {
                    insecure: args.insecure,
                    ..UrlRequest::default()
                },
                ..PlanSource::new(args.url.clone().or(built_in).unwrap_or_default())
            },
            load: LoadSettings {
                threads: Some(count),
                // Apart from the server, if that has CPUs of its own.
                pin: server.is_some() && !rest.is_empty(),
                ..LoadSettings::default()
            },
            keep_alive: !args.no_keep_alive,
            lasts: Duration::from_secs(u64::from(args.step_seconds)),
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
        interrupt: &Interrupt,
        lang: Lang,
    ) -> Result<CeilingStep, Ended> {
        let change = |plan: &mut Plan| self.change(plan, users);
        let ready = ready::load_changed(&self.source, &self.load, &change);
        let ready = problems::accepted(ready, lang).ok_or(Ended::Said(BAD_USE))?;
        let setting = RunSetting {
            jmeter: ready.jmeter_options(None, Told::Nobody),
            ..setting(root, interrupt)
        };
        let listener = listener(true, Some(&ready), lang);
        let before_ns = self.server.as_ref().map(EchoServer::cpu_ns);
        let (summary, run) = make(&ready, &self.load, &setting, listener, None)?;
        let page_ns = self.server.as_ref().zip(before_ns);
        let page_ns = page_ns.map(|(server, before_ns)| server.cpu_ns().saturating_sub(before_ns));
        check(&summary)?;
        let measured = run
            .held_load(f64::from(users))
            .map_err(|error| error.message())?;
        let Some(measured) = measured else {
            return Ok(CeilingStep::default());
        };
        let seconds = in_seconds(&run, &measured.seconds)?;
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
fn check(summary: &Summary) -> Result<(), Ended> {
    if summary.exit_code == UNREACHABLE {
        return Err(Ended::Say(
            Message::new("calibrate-unreachable"),
            UNREACHABLE,
        ));
    }
    if summary.total.error_rate > MOST_ERRORS {
        let percent = (summary.total.error_rate * 1_000.0).round() / 10.0;
        return Err(Ended::Say(
            Message::new("calibrate-page-fails").with("percent", percent),
            FAILED,
        ));
    }
    Ok(())
}
