//! Workers that are gone or slow before the load begins.

use std::sync::atomic::Ordering;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Instant, sleep};

use super::{S, World, settings, world};
use crate::controller::{FleetError, Settings};
use crate::link::Link;
use crate::link::local::{Faults, LocalLink};
use crate::wire::control::{DISCOVER, worker_subject};
use crate::wire::{
    self, Announce, ClockResponse, Discover, Prepare, WorkerFound, WorkerOrder, WorkerResponse,
};

/// A worker that responds as a test wants: it gets ready after that time, and says nothing any more
/// once it has ended.
async fn made_by_hand(
    world: &World,
    ready_after: Duration,
    set_up_after: Duration,
) -> (JoinHandle<()>, LocalLink) {
    let link = world.hub.link();
    let way = link.clone();
    let now = world.desk.now.clone();
    let me = Announce {
        // It comes before the others, so that setup is its.
        name: "a".to_owned(),
        instance: "a-life".to_owned(),
        version: "1".to_owned(),
        ..Announce::default()
    };
    let mut orders = link
        .subscribe(&worker_subject("a", "a-life"))
        .await
        .unwrap();
    let mut questions = link.subscribe(DISCOVER).await.unwrap();
    let task = spawn_local(async move {
        loop {
            let (order, reply) = tokio::select! {
                order = orders.recv() => {
                    let order = order.unwrap();
                    (wire::decode::<WorkerOrder>(&order.payload).unwrap(), order.reply)
                }
                question = questions.recv() => {
                    let asked: Discover = wire::decode(&question.unwrap().payload).unwrap();
                    let found = wire::encode(&WorkerFound { worker: me.clone() }).unwrap();
                    link.publish(&asked.reply, found).await.unwrap();
                    continue;
                }
            };
            let (wait, response) = match order {
                WorkerOrder::Announce => (
                    Duration::ZERO,
                    WorkerResponse::Announce(Box::new(me.clone())),
                ),
                WorkerOrder::Clock => {
                    let clock = ClockResponse {
                        received_ns: now(),
                        sent_ns: now(),
                        to_unix_ns: 0,
                    };
                    (Duration::ZERO, WorkerResponse::Clock(clock))
                }
                WorkerOrder::Prepare(_) => (ready_after, WorkerResponse::Done { values: vec![] }),
                WorkerOrder::SetUp { keys, .. } => {
                    (set_up_after, WorkerResponse::Done { values: keys })
                }
                _ => (Duration::ZERO, WorkerResponse::Done { values: vec![] }),
            };
            let (Some(reply), link) = (reply, link.clone()) else {
                continue;
            };
            spawn_local(async move {
                sleep(wait).await;
                let _ = link.publish(&reply, wire::encode(&response).unwrap()).await;
            });
        }
    });
    (task, way)
}

const NEVER: Duration = Duration::from_secs(100_000);

/// Begins with a worker made by hand that ends, or whose link is cut, after 7 s; how long the whole
/// takes, and what is said then.
async fn noticed(ready_after: Duration, settings: Settings, cut: bool) -> (Duration, FleetError) {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        let (by_hand, way) = made_by_hand(world, ready_after, NEVER).await;
        let ending = spawn_local(async move {
            sleep(Duration::from_secs(7)).await;
            match cut {
                true => way.cut(true),
                false => by_hand.abort(),
            }
        });
        let begun = Instant::now();
        let error = world.begin(&settings).await.unwrap_err();
        let after = begun.elapsed();
        ending.await.unwrap();
        (after, error)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_while_it_gets_ready_is_noticed_within_seconds() {
    let getting_ready = (NEVER, false);
    let in_setup = (Duration::ZERO, true);
    for ((ready_after, sets_up), cut, most_s) in [
        (getting_ready, false, 15),
        (in_setup, false, 15),
        (getting_ready, true, 30),
        (in_setup, true, 30),
    ] {
        let settings = Settings {
            sets_up,
            ..settings(3)
        };
        let (after, error) = noticed(ready_after, settings, cut).await;
        let FleetError::Gone { name, set_up } = error else {
            panic!("{error}");
        };
        assert_eq!((name.as_str(), set_up), ("a", sets_up));
        assert!(after < Duration::from_secs(most_s), "{after:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_others_are_free_then() {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        let (by_hand, _) = made_by_hand(world, NEVER, NEVER).await;
        let ending = spawn_local(async move {
            sleep(Duration::from_secs(7)).await;
            by_hand.abort();
        });
        let error = world.begin(&settings(3)).await.unwrap_err();
        assert!(matches!(error, FleetError::Gone { .. }), "{error}");
        ending.await.unwrap();
        let again = Settings {
            run: "again".to_owned(),
            ..settings(2)
        };
        let run = world.begin(&again).await.unwrap();
        let names: Vec<&str> = run
            .workers
            .iter()
            .map(|of| of.worker.name.as_str())
            .collect();
        assert_eq!(names, ["w1", "w2"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn who_waits_long_for_another_is_still_there() {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        let slow = Duration::from_secs(120);
        let _by_hand = made_by_hand(world, slow, slow).await;
        let settings = Settings {
            sets_up: true,
            ..settings(3)
        };
        let run = world.begin(&settings).await.unwrap();
        assert_eq!(run.assignments.len(), 3);
    })
    .await;
}

/// A controller whose connection was made anew asks again.
#[tokio::test(start_paused = true)]
async fn what_is_asked_twice_is_done_once_and_told_twice() {
    world(async |world| {
        world.workers(&["w1"]).await;
        let prepare = WorkerOrder::Prepare(Box::new(Prepare {
            run: "r".to_owned(),
            object: "bundle".to_owned(),
            key: String::new(),
            lease_ns: 10 * S,
            give_up_ns: 600 * S,
        }));
        let set_up = WorkerOrder::SetUp {
            run: "r".to_owned(),
            keys: vec!["key".to_owned()],
        };
        let link = &world.desk.link;
        link.make_run("r").await.unwrap();
        let objects = link.objects("r").await.unwrap();
        objects.put("bundle", "plan".into()).await.unwrap();
        let subject = worker_subject("w1", "w1-life");
        let wait = Duration::from_secs(5);
        for (order, values) in [(&prepare, vec![]), (&set_up, vec!["key".to_owned()])] {
            let ask = async || {
                let question = wire::encode(order).unwrap();
                let response = link.request(&subject, question, wait).await.unwrap();
                wire::decode::<WorkerResponse>(&response).unwrap()
            };
            let (one, other) = tokio::join!(ask(), ask());
            let late = ask().await;
            let done = WorkerResponse::Done { values };
            assert_eq!([&one, &other, &late], [&done; 3]);
        }
        assert_eq!(world.setups.load(Ordering::Relaxed), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_clock_is_not_known_well_enough_is_refused() {
    world(async |world| {
        world.workers(&["w1", "w2"]).await;
        world.host("w2").link.set_faults(Faults {
            delay: Duration::from_millis(60),
            ..Faults::default()
        });
        let error = world.begin(&settings(2)).await.unwrap_err();
        let message: Message = error.message();
        assert_eq!(message.id, "fleet-clock-unknown", "{error}");
        assert!(error.to_string().contains("w2"), "{error}");
        let settings = Settings {
            clock_error_ns: S,
            ..settings(2)
        };
        world.begin(&settings).await.unwrap();
    })
    .await;
}
