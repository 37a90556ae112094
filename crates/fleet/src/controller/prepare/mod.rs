//! From chosen workers to a run that begins: clocks, bundle, setup, and one moment for all.

mod there;

use std::time::Duration;

use bytes::Bytes;
use plimsoll_text::Message;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::clocks::{self, ClockFix, EXCHANGES};
use super::stored::{StoredRun, StoredWorker};
use super::{Desk, FleetError, RunPackage, Settings, refusal};
use crate::link::LinkError;
use crate::share::Assignment;
use crate::wire::control::worker_subject;
use crate::wire::{self, Announce, Prepare, Start, WorkerOrder, WorkerResponse};

/// Name of the bundle's object.
const BUNDLE: &str = "bundle";

/// A worker gets so long to get ready, or to run setup.
const READY_WAIT: Duration = Duration::from_secs(300);

/// A worker that is to be free again responds within this time, or frees itself later.
const FINISH_WAIT: Duration = Duration::from_secs(2);

/// Removing what a run kept on the server takes no longer, or it is left there.
const REMOVE_WAIT: Duration = Duration::from_secs(5);

/// An order that is only taken in is confirmed within this time.
pub(super) const ORDER_WAIT: Duration = Duration::from_secs(5);

/// The run begins so much after the last worker is ready, so that the order reaches all before.
const LEAD_NS: u64 = 1_500_000_000;

/// Sends an order to a worker and waits for what it says.
pub(super) async fn order(
    desk: &Desk,
    subject: &str,
    order: &WorkerOrder,
    wait: Duration,
) -> Result<WorkerResponse, FleetError> {
    let bytes = wire::encode(order)?;
    let response: Bytes = desk.link.request(subject, bytes, wait).await?;
    Ok(wire::decode(&response)?)
}

/// Has the chosen workers get ready and begin together; gives the run that goes on then.
/// When it cannot begin, the workers are free again.
///
/// # Errors
/// Why it cannot: a worker refuses or is not there any more, its clock is not known well enough,
/// the link fails.
pub async fn begin(
    desk: &Desk,
    settings: &Settings,
    workers: Vec<Announce>,
    package: &RunPackage,
    to_unix_ns: i64,
) -> Result<StoredRun, FleetError> {
    let clocks = measure_all(desk, settings, &workers, to_unix_ns).await?;
    let stored = |(worker, clock): (Announce, ClockFix)| StoredWorker {
        worker,
        clock,
        worst_error_ns: clock.error_ns,
    };
    let workers: Vec<StoredWorker> = workers.into_iter().zip(clocks).map(stored).collect();
    desk.link.make_run(&settings.run).await?;
    let objects = desk.link.objects(&settings.run).await?;
    let begun = async {
        objects.put(BUNDLE, package.bundle.clone()).await?;
        let ready = async {
            prepare_all(desk, settings, &workers, package).await?;
            set_up(desk, settings, &workers).await
        };
        let values = tokio::select! {
            values = ready => values?,
            never = there::keep_waiting(desk, &settings.run, &workers) => match never {},
        };
        start_all(desk, settings, &workers, values).await
    };
    match begun.await {
        Ok(run) => Ok(run),
        Err(error) => {
            finish_all(desk, &settings.run, &workers).await;
            Err(error)
        }
    }
}

/// Measures all clocks; refuses those that are not known well enough.
async fn measure_all(
    desk: &Desk,
    settings: &Settings,
    workers: &[Announce],
    to_unix_ns: i64,
) -> Result<Vec<ClockFix>, FleetError> {
    let mut tasks = JoinSet::new();
    for (at, worker) in workers.iter().enumerate() {
        let desk = desk.clone();
        let subject = worker_subject(&worker.name, &worker.instance);
        tasks.spawn(async move {
            let measure = clocks::measure(&desk, &subject, EXCHANGES, to_unix_ns);
            let fix = there::while_there(&desk, &subject, measure).await;
            (at, fix)
        });
    }
    let mut fixes = vec![ClockFix::default(); workers.len()];
    while let Some(done) = tasks.join_next().await {
        let Ok((at, fix)) = done else { continue };
        fixes[at] = of_one_there(&workers[at].name, false, fix)?;
    }
    for (worker, fix) in workers.iter().zip(&fixes) {
        if fix.error_ns > settings.clock_error_ns {
            return Err(Message::new("fleet-clock-unknown")
                .with("name", worker.name.clone())
                .with("error_ms", milliseconds(fix.error_ns))
                .with("limit_ms", milliseconds(settings.clock_error_ns))
                .into());
        }
    }
    Ok(fixes)
}

/// Milliseconds with one decimal.
pub(super) fn milliseconds(ns: u64) -> String {
    #[expect(clippy::cast_precision_loss)]
    let ms = ns as f64 / 1e6;
    format!("{ms:.1}")
}

async fn prepare_all(
    desk: &Desk,
    settings: &Settings,
    workers: &[StoredWorker],
    package: &RunPackage,
) -> Result<(), FleetError> {
    let mut orders = Vec::new();
    for worker in workers {
        orders.push(WorkerOrder::Prepare(Box::new(Prepare {
            run: settings.run.clone(),
            object: BUNDLE.to_owned(),
            key: (package.seal)(&worker.worker.public_key)?,
            lease_ns: settings.lease_ns,
            give_up_ns: settings.give_up_ns,
        })));
    }
    all(desk, workers, orders, READY_WAIT, false).await
}

/// Gives each worker an order of its own at the same time; the first refusal is the error, and so
/// is a worker that is not there any more. `set_up`: setup has begun.
async fn all(
    desk: &Desk,
    workers: &[StoredWorker],
    orders: Vec<WorkerOrder>,
    wait: Duration,
    set_up: bool,
) -> Result<(), FleetError> {
    let mut tasks = JoinSet::new();
    for (worker, one) in workers.iter().zip(orders) {
        let (desk, worker) = (desk.clone(), worker.worker.clone());
        tasks.spawn(async move { ordered(&desk, &worker, &one, wait, set_up).await });
    }
    while let Some(done) = tasks.join_next().await {
        if let Ok(done) = done {
            done?;
        }
    }
    Ok(())
}

/// Has a worker do something that takes a while; `set_up`: setup has begun.
async fn ordered(
    desk: &Desk,
    worker: &Announce,
    what: &WorkerOrder,
    wait: Duration,
    set_up: bool,
) -> Result<WorkerResponse, FleetError> {
    let subject = worker_subject(&worker.name, &worker.instance);
    let done = order(desk, &subject, what, wait);
    let done = there::while_there(desk, &subject, done).await;
    match of_one_there(&worker.name, set_up, done)? {
        WorkerResponse::Refused { why } => Err(refusal(&worker.name, &why).into()),
        done => Ok(done),
    }
}

/// What a worker has done, if it is still there.
fn of_one_there<T>(
    name: &str,
    set_up: bool,
    done: Option<Result<T, FleetError>>,
) -> Result<T, FleetError> {
    match done {
        None | Some(Err(FleetError::Link(LinkError::Nobody { .. }))) => Err(FleetError::Gone {
            name: name.to_owned(),
            set_up,
        }),
        Some(done) => done,
    }
}

/// Setup runs once, on the worker of share 0.
async fn set_up(
    desk: &Desk,
    settings: &Settings,
    workers: &[StoredWorker],
) -> Result<Vec<String>, FleetError> {
    let Some(first) = workers.first().filter(|_| settings.sets_up) else {
        return Ok(Vec::new());
    };
    let keys = workers
        .iter()
        .map(|worker| worker.worker.public_key.clone());
    let setup = WorkerOrder::SetUp {
        run: settings.run.clone(),
        keys: keys.collect(),
    };
    match ordered(desk, &first.worker, &setup, READY_WAIT, true).await? {
        WorkerResponse::Done { values } => Ok(values),
        _ => Ok(Vec::new()),
    }
}

async fn start_all(
    desk: &Desk,
    settings: &Settings,
    workers: &[StoredWorker],
    values: Vec<String>,
) -> Result<StoredRun, FleetError> {
    let count = u32::try_from(workers.len()).unwrap_or(u32::MAX);
    let zero_ns = (desk.now)() + LEAD_NS;
    let mut run = StoredRun {
        run: settings.run.clone(),
        count,
        each: settings.each,
        seed: settings.seed,
        lease_ns: settings.lease_ns,
        clock_error_ns: settings.clock_error_ns,
        zero_ns,
        load_end_ns: settings.load_end_ns,
        may_move: settings.may_move && !settings.each,
        tears_down: settings.tears_down,
        values,
        workers: workers.to_vec(),
        assignments: Vec::new(),
        missing: Vec::new(),
        withheld: 0,
        changes: Vec::new(),
    };
    for (at, share) in (0..count).enumerate() {
        run.assignments.push(Assignment {
            number: share,
            share,
            worker: at,
            from_ns: 0,
        });
    }
    let orders = run.assignments.iter().map(|of| start(&run, of, None));
    let orders: Vec<WorkerOrder> = orders.collect();
    all(desk, workers, orders, ORDER_WAIT, settings.sets_up).await?;
    if (desk.now)() >= zero_ns {
        return Err(Message::new("fleet-start-too-slow").into());
    }
    Ok(run)
}

/// The order to begin with an assignment.
pub(super) fn start(run: &StoredRun, of: &Assignment, from_ns: Option<u64>) -> WorkerOrder {
    let clock = run.workers.get(of.worker).map(|worker| worker.clock);
    WorkerOrder::Start(Start {
        run: run.run.clone(),
        assignment: of.number,
        share: if run.each { 0 } else { of.share },
        count: if run.each { 1 } else { run.count },
        // The same users everywhere would do the same things at the same times.
        seed: match run.each {
            true => run.seed.wrapping_add(u64::from(of.share)),
            false => run.seed,
        },
        zero_ns: clocks::on_worker(run.zero_ns, clock.unwrap_or_default()),
        from_ns,
        values: run.values.get(of.worker).cloned(),
        changes: run.changes.clone(),
    })
}

/// Frees all workers and removes what the run kept on the server. What cannot be reached frees
/// itself in time: a server that is gone for good holds up nothing.
pub async fn finish_all(desk: &Desk, run: &str, workers: &[StoredWorker]) {
    free(desk, run, workers.iter().map(|worker| &worker.worker)).await;
}

/// The same for workers of a run that has not begun.
pub async fn free(desk: &Desk, run: &str, workers: impl IntoIterator<Item = &Announce>) {
    let mut tasks = JoinSet::new();
    for worker in workers {
        let (desk, run) = (desk.clone(), run.to_owned());
        let subject = worker_subject(&worker.name, &worker.instance);
        tasks.spawn(async move {
            // One that is gone must not keep the others from being free.
            let _ = order(&desk, &subject, &WorkerOrder::Finish { run }, FINISH_WAIT).await;
        });
    }
    while tasks.join_next().await.is_some() {}
    let _ = timeout(REMOVE_WAIT, desk.link.remove_run(run)).await;
}
