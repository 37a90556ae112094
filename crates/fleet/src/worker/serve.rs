//! What a worker does as long as it lives.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plimsoll_text::Message;
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use super::duty::{Duty, DutyPhase, Once};
use super::identity::{WorkerError, WorkerSettings, check_name};
use super::{Engine, PreparedRun, ShareTold, Task};
use crate::link::{self, Link, LinkError, LinkJournal};
use crate::wire::control::{
    DISCOVER, is_found_subject, is_token, life_subject, name_subject, worker_subject,
};
use crate::wire::{
    self, Announce, ClockResponse, Discover, Prepare, Said, Start, WorkerFound, WorkerOrder,
    WorkerResponse, WorkerState,
};

/// Signs of life come so often.
const LIFE_EVERY: Duration = Duration::from_millis(500);

/// A worker that ends waits so long for its reports to be confirmed.
const LAST_REPORTS: Duration = Duration::from_secs(30);

/// A run that is ready, and where its reports go.
type Made = (Arc<dyn PreparedRun>, Arc<dyn LinkJournal>);

/// What goes on in a worker beside orders.
enum ServeInner {
    /// Getting ready has ended.
    Ready {
        run: String,
        reply: Option<String>,
        made: Result<Made, Message>,
    },
    /// Setup or teardown has ended.
    Done {
        run: String,
        phase: DutyPhase,
        reply: Option<String>,
        made: Result<Vec<String>, Message>,
    },
}

/// Works until `ending` says so; `tell` hears what a person may want to know.
///
/// # Errors
/// A name that cannot be used or is taken, or a link that does not work.
pub async fn serve(
    link: Arc<dyn Link>,
    engine: Arc<dyn Engine>,
    settings: WorkerSettings,
    mut ending: watch::Receiver<bool>,
    tell: &dyn Fn(&Message),
) -> Result<(), WorkerError> {
    check_name(&*link, &settings).await?;
    let own = worker_subject(&settings.name, &settings.instance);
    let mut orders = link.subscribe(&own).await?;
    let mut names = link.subscribe(&name_subject(&settings.name)).await?;
    let mut questions = link.subscribe(DISCOVER).await?;
    let (inner_in, mut inner) = mpsc::unbounded_channel();
    let (told_in, mut told) = mpsc::unbounded_channel();
    let mut worker = ServingWorker {
        link,
        engine,
        settings,
        duty: None,
        leaving: false,
        inner: inner_in,
        told: told_in,
        tell,
    };
    tell(&Message::new("fleet-worker-ready").with("name", worker.settings.name.clone()));
    let mut beats = tokio::time::interval(LIFE_EVERY);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last_ns = None;
    loop {
        tokio::select! {
            biased;
            order = orders.recv() => worker.order(order.ok_or(WorkerError::Ended)?).await,
            Some(done) = inner.recv() => worker.inner(done).await,
            Some((assignment, what)) = told.recv() => worker.told(assignment, what),
            question = questions.recv() => {
                worker.question(&question.ok_or(WorkerError::Ended)?).await;
            }
            name = names.recv() => {
                let response = WorkerResponse::Announce(Box::new(worker.announce()));
                worker.response(name.ok_or(WorkerError::Ended)?.reply, &response).await;
            }
            _ = beats.tick() => worker.beat().await,
            _ = ending.wait_for(|ending| *ending), if !worker.leaving => {
                worker.leave();
                last_ns = Some(worker.engine.now_ns() + link_ns(LAST_REPORTS));
            }
        }
        let waited = last_ns.is_some_and(|last| worker.engine.now_ns() > last);
        if worker.leaving && (waited || worker.duty.as_ref().is_none_or(Duty::is_done)) {
            return Ok(());
        }
    }
}

fn link_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

struct ServingWorker<'a> {
    link: Arc<dyn Link>,
    engine: Arc<dyn Engine>,
    settings: WorkerSettings,
    duty: Option<Duty>,
    leaving: bool,
    inner: mpsc::UnboundedSender<ServeInner>,
    told: mpsc::UnboundedSender<(u32, ShareTold)>,
    tell: &'a dyn Fn(&Message),
}

impl ServingWorker<'_> {
    fn announce(&self) -> Announce {
        let state = match &self.duty {
            _ if self.leaving => WorkerState::Ending,
            Some(_) => WorkerState::Busy,
            None => WorkerState::Idle,
        };
        Announce {
            name: self.settings.name.clone(),
            instance: self.settings.instance.clone(),
            labels: self.settings.labels.clone(),
            state,
            run: self.duty.as_ref().map(|duty| duty.run.clone()),
            ..self.engine.announce()
        }
    }

    async fn response(&self, reply: Option<String>, response: &WorkerResponse) {
        let (Some(reply), Ok(bytes)) = (reply, wire::encode(response)) else {
            return;
        };
        // Whoever asked asks again.
        let _ = self.link.publish(&reply, bytes).await;
    }

    async fn refuse(&self, reply: Option<String>, why: &Message) {
        (self.tell)(why);
        let why = Said::from(why);
        self.response(reply, &WorkerResponse::Refused { why }).await;
    }

    async fn question(&self, question: &link::LinkMessage) {
        let asked: Result<Discover, _> = wire::decode(&question.payload);
        let Some(asked) = asked.ok().filter(|asked| is_found_subject(&asked.reply)) else {
            return;
        };
        let worker = self.announce();
        if let Ok(bytes) = wire::encode(&WorkerFound { worker }) {
            let _ = self.link.publish(&asked.reply, bytes).await;
        }
    }

    async fn order(&mut self, message: link::LinkMessage) {
        let received_ns = self.engine.now_ns();
        let reply = message.reply;
        let order: WorkerOrder = match wire::decode(&message.payload) {
            Ok(order) => order,
            Err(error) => {
                let why = Message::new("fleet-bad-order").with("reason", error.to_string());
                return self.refuse(reply, &why).await;
            }
        };
        match order {
            WorkerOrder::Announce => {
                let response = WorkerResponse::Announce(Box::new(self.announce()));
                self.response(reply, &response).await;
            }
            WorkerOrder::Clock => {
                let response = WorkerResponse::Clock(ClockResponse {
                    received_ns,
                    to_unix_ns: self.engine.to_unix_ns(),
                    sent_ns: self.engine.now_ns(),
                });
                self.response(reply, &response).await;
            }
            WorkerOrder::Prepare(prepare) => self.prepare(reply, *prepare).await,
            other => self.of_run(reply, other).await,
        }
    }

    async fn prepare(&mut self, reply: Option<String>, prepare: Prepare) {
        let same = self.duty.as_mut();
        if let Some(duty) = same.filter(|duty| !self.leaving && duty.run == prepare.run) {
            // A controller whose connection was made anew asks again.
            match duty.prepared {
                Some(_) => self.done(reply, Ok(Vec::new())).await,
                None => duty.asked_again = reply,
            }
            return;
        }
        if self.leaving || self.duty.is_some() || !is_token(&prepare.run) {
            let why = Message::new("fleet-worker-busy").with("name", self.settings.name.clone());
            return self.refuse(reply, &why).await;
        }
        let duty = Duty::new(&prepare, self.engine.now_ns(), self.settings.folder.clone());
        self.duty = Some(duty);
        let (link, engine) = (Arc::clone(&self.link), Arc::clone(&self.engine));
        let inner = self.inner.clone();
        tokio::spawn(async move {
            let made = get_ready(&*link, engine, &prepare).await;
            let run = prepare.run;
            // The loop ends only with the worker.
            let _ = inner.send(ServeInner::Ready { run, reply, made });
        });
    }

    async fn inner(&mut self, done: ServeInner) {
        match done {
            ServeInner::Ready { run, reply, made } => {
                let current = self.duty.as_mut().filter(|duty| duty.run == run);
                match (current, made) {
                    (Some(duty), Ok((prepared, journal))) => {
                        duty.ready(prepared, journal);
                        let again = duty.asked_again.take();
                        (self.tell)(&Message::new("fleet-worker-prepared").with("run", run));
                        for reply in [reply, again] {
                            self.done(reply, Ok(Vec::new())).await;
                        }
                    }
                    (current, Err(why)) => {
                        let again = current.and_then(|duty| duty.asked_again.take());
                        self.duty.take_if(|duty| duty.run == run);
                        self.refuse(again.or(reply), &why).await;
                    }
                    (None, Ok(_)) => {}
                }
            }
            ServeInner::Done {
                run,
                phase,
                reply,
                made,
            } => {
                let current = self.duty.as_mut().filter(|duty| duty.run == run);
                let once = current
                    .map(|duty| std::mem::replace(duty.once(phase), Once::Done(made.clone())));
                if let Some(Once::Doing(again @ Some(_))) = once {
                    self.done(again, made.clone()).await;
                }
                self.done(reply, made).await;
            }
        }
    }

    async fn done(&self, reply: Option<String>, made: Result<Vec<String>, Message>) {
        match made {
            Ok(values) => self.response(reply, &WorkerResponse::Done { values }).await,
            Err(why) => self.refuse(reply, &why).await,
        }
    }

    /// An order about the run that this worker is part of.
    async fn of_run(&mut self, reply: Option<String>, order: WorkerOrder) {
        let now_ns = self.engine.now_ns();
        let duty = self.duty.as_mut();
        let Some(duty) = duty.filter(|duty| order.run() == Some(duty.run.as_str())) else {
            let why = Message::new("fleet-other-run").with("name", self.settings.name.clone());
            return match order {
                WorkerOrder::Finish { .. } => {
                    self.done(reply, Ok(Vec::new())).await;
                }
                _ => {
                    let why = Said::from(&why);
                    self.response(reply, &WorkerResponse::Refused { why }).await;
                }
            };
        };
        duty.heard(now_ns);
        match order {
            WorkerOrder::Renew {
                heard_ns,
                assignments,
                ..
            } => duty.renew(heard_ns, now_ns, &assignments),
            WorkerOrder::Stop { cut_off, .. } => {
                duty.stop(cut_off);
                self.done(reply, Ok(Vec::new())).await;
            }
            WorkerOrder::Finish { run } => {
                self.duty = None;
                (self.tell)(&Message::new("fleet-worker-finished").with("run", run));
                self.done(reply, Ok(Vec::new())).await;
            }
            WorkerOrder::Change { changes, .. } => {
                let changed = duty.change(&changes).map(|()| Vec::new());
                self.done(reply, changed).await;
            }
            WorkerOrder::Start(start) => self.start(reply, start).await,
            WorkerOrder::SetUp { keys, .. } => {
                self.once(reply, DutyPhase::SetUp, move |prepared| {
                    prepared.set_up(&keys)
                })
                .await;
            }
            WorkerOrder::TearDown { values, .. } => {
                self.once(reply, DutyPhase::TearDown, move |prepared| {
                    prepared.tear_down(values).map(|()| Vec::new())
                })
                .await;
            }
            WorkerOrder::Announce | WorkerOrder::Clock | WorkerOrder::Prepare(_) => {}
        }
    }

    /// Does what blocks on a thread of its own, once.
    async fn once(
        &mut self,
        reply: Option<String>,
        phase: DutyPhase,
        work: impl FnOnce(&dyn PreparedRun) -> Result<Vec<String>, Message> + Send + 'static,
    ) {
        let Some(duty) = self.duty.as_mut() else {
            return;
        };
        let (run, prepared) = (duty.run.clone(), duty.prepared.clone());
        let once = duty.once(phase);
        match once {
            Once::NotYet => *once = Once::Doing(None),
            Once::Doing(again) => {
                *again = reply;
                return;
            }
            Once::Done(made) => {
                let made = made.clone();
                return self.done(reply, made).await;
            }
        }
        let inner = self.inner.clone();
        tokio::task::spawn_blocking(move || {
            let made = match prepared {
                Some(prepared) => work(&*prepared),
                None => Err(Message::new("fleet-not-ready")),
            };
            // As above.
            let _ = inner.send(ServeInner::Done {
                run,
                phase,
                reply,
                made,
            });
        });
    }

    async fn start(&mut self, reply: Option<String>, start: Start) {
        let Some(duty) = self.duty.as_mut() else {
            return;
        };
        let Some(prepared) = duty.prepared.clone() else {
            return self.refuse(reply, &Message::new("fleet-not-ready")).await;
        };
        if !duty.knows(start.assignment) {
            let changes = start.changes.len();
            let task = Task {
                assignment: start.assignment,
                share: start.share,
                count: start.count,
                seed: start.seed,
                zero_ns: start.zero_ns,
                from_ns: start.from_ns,
                values: start.values,
                changes: start.changes,
                out: self.told.clone(),
            };
            match prepared.begin(task) {
                Ok(running) => duty.began(start.assignment, running, changes),
                Err(why) => return self.refuse(reply, &why).await,
            }
            let message = Message::new("fleet-worker-begins")
                .with("run", start.run)
                .with("share", i64::from(start.share) + 1)
                .with("count", i64::from(start.count));
            (self.tell)(&message);
        }
        self.done(reply, Ok(Vec::new())).await;
    }

    fn told(&mut self, assignment: u32, told: ShareTold) {
        if let Some(duty) = &mut self.duty {
            duty.told(assignment, told);
        }
    }

    /// A sign of life, and a look at whether the controller still gives one.
    async fn beat(&mut self) {
        let now_ns = self.engine.now_ns();
        let Some(duty) = &self.duty else {
            return;
        };
        if duty.is_forsaken(now_ns) {
            (self.tell)(&Message::new("fleet-worker-forsaken").with("run", duty.run.clone()));
            self.duty = None;
            return;
        }
        let life = duty.life(&self.settings.name, &self.settings.instance, now_ns);
        let subject = life_subject(&duty.run);
        if let Ok(bytes) = wire::encode(&life) {
            // The next one comes soon; a link that is cut must not hold up the rest.
            let publish = self.link.publish(&subject, bytes);
            let _ = tokio::time::timeout(LIFE_EVERY, publish).await;
        }
    }

    fn leave(&mut self) {
        self.leaving = true;
        (self.tell)(&Message::new("fleet-worker-leaves"));
        if let Some(duty) = &mut self.duty {
            duty.leave();
        }
    }
}

/// Fetches the bundle and has it made ready.
async fn get_ready(
    link: &dyn Link,
    engine: Arc<dyn Engine>,
    prepare: &Prepare,
) -> Result<Made, Message> {
    let failed =
        |error: LinkError| Message::new("fleet-link-failed").with("reason", error.to_string());
    let objects = link.objects(&prepare.run).await.map_err(failed)?;
    let bundle: Bytes = objects.get(&prepare.object).await.map_err(failed)?;
    let journal = link.journal(&prepare.run).await.map_err(failed)?;
    let (run, key) = (prepare.run.clone(), prepare.key.clone());
    let made = tokio::task::spawn_blocking(move || engine.prepare(&run, bundle, &key));
    let prepared = made.await.unwrap_or_else(|error| {
        Err(Message::new("fleet-engine-failed").with("reason", error.to_string()))
    })?;
    Ok((prepared, journal))
}
