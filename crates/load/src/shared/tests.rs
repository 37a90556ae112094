#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use plimsoll_plan::model::{Load, OnError};
use plimsoll_plan::program::{Op, Program, ScenarioProgram, SharedDef, Template};

use super::*;
use crate::driver::Driver;
use crate::driver::event_loop::EventLoop;
use crate::driver::simulated::{HttpPeer, World};
use plimsoll_plan::share::Share;

fn scenario(rendezvous: &[u32]) -> ScenarioProgram {
    ScenarioProgram {
        name: String::new(),
        load: Load::once(),
        start_delay: Duration::ZERO,
        end_after: None,
        grace: Duration::ZERO,
        pace: None,
        same_user_each_iteration: true,
        left_out_before: 0,
        named_by_starter: false,
        ops: rendezvous
            .iter()
            .map(|id| Op::Rendezvous(SharedId(*id)))
            .collect(),
        registers: 0,
        on_error: OnError::GoOn,
    }
}

fn meeting(users: u32, timeout: Option<Duration>) -> SharedDef {
    SharedDef::Rendezvous {
        name: "start".into(),
        users,
        timeout,
    }
}

/// Two scenarios that come to the first thing, and one that does not.
fn shared(things: Vec<SharedDef>) -> Arc<LocalShared> {
    let scenarios = vec![scenario(&[0]), scenario(&[0]), scenario(&[])];
    let program = Program {
        shared: things,
        scenarios,
        ..Program::default()
    };
    Arc::new(LocalShared::new(&program, Share::WHOLE))
}

const FIRST: SharedId = SharedId(0);

fn poll<F: Future + ?Sized>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A loop in virtual time, and its timers.
fn in_virtual_time() -> (EventLoop, Rc<Timers>) {
    let driver = Driver::Simulated(World::of_peers(|_| HttpPeer::new(|_| Vec::new())));
    let clock = driver.clock_in(Duration::ZERO);
    let event_loop = driver.event_loop(|| {}).unwrap();
    let alarm = event_loop.alarm(clock).unwrap();
    (event_loop, Timers::new(clock, alarm))
}

/// The timers of nobody, where no time is over.
fn nobody() -> &'static Rc<Timers> {
    Box::leak(Box::new(in_virtual_time().1))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Runs on two threads, each with a runtime of its own; gives what each returned.
fn on_two_threads<T: Send, F: Future<Output = T>>(run: impl Fn(u32) -> F + Sync) -> [T; 2] {
    std::thread::scope(|scope| {
        let run = &run;
        let threads = [0, 1].map(|n| scope.spawn(move || runtime().block_on(run(n))));
        threads.map(|thread| thread.join().unwrap())
    })
}

#[test]
fn counters_start_again_after_their_end() {
    let values = |start, step, end| {
        (0..6)
            .map(|n| counter_value(start, step, end, n))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(1, 1, None), [1, 2, 3, 4, 5, 6]);
    assert_eq!(values(0, 3, Some(10)), [0, 3, 6, 9, 0, 3]);
    assert_eq!(values(10, -3, Some(3)), [10, 7, 4, 10, 7, 4]);
    assert_eq!(values(5, 1, Some(1)), [5; 6], "the end is behind");
    assert_eq!(values(5, 0, Some(9)), [5; 6]);
    assert_eq!(values(i64::MAX, 1, None)[..2], [i64::MAX, i64::MIN]);
    assert_eq!(
        counter_value(i64::MIN, 1, Some(i64::MAX), u64::MAX),
        i64::MAX
    );
}

#[test]
fn two_threads_count_each_number_once() {
    let shared = shared(vec![
        SharedDef::Counter {
            start: 7,
            step: 2,
            end: None,
        },
        SharedDef::Passes,
    ]);
    let [mut a, b] =
        on_two_threads(|_| async { (0..10_000).map(|_| shared.next(FIRST)).collect::<Vec<_>>() });
    assert!(a.is_sorted() && b.is_sorted());
    a.extend(b);
    a.sort_unstable();
    assert_eq!(a, (0..20_000).map(|n| 7 + 2 * n).collect::<Vec<_>>());
    assert_eq!((shared.next(SharedId(1)), shared.next(SharedId(1))), (0, 1));
    assert_eq!(shared.next(SharedId(99)), 0);
}

#[test]
fn turns_are_apart_and_not_made_up_for() {
    let shared = shared(vec![SharedDef::Throughput]);
    assert_eq!(shared.turn(FIRST, 1_000, 100), 1_000);
    assert_eq!(shared.turn(FIRST, 1_000, 100), 1_100);
    assert_eq!(shared.turn(FIRST, 1_050, 100), 1_200);
    assert_eq!(
        shared.turn(FIRST, 5_000, 100),
        5_000,
        "nobody came for a while"
    );
    assert_eq!(shared.turn(FIRST, 5_000, 100), 5_100);
    assert_eq!(shared.turn(SharedId(9), 3, 100), 3);
}

#[test]
fn shares_of_a_load_have_numbers_and_turns_of_their_own() {
    let program = Program {
        shared: vec![
            SharedDef::Counter {
                start: 5,
                step: 10,
                end: None,
            },
            SharedDef::Throughput,
        ],
        scenarios: vec![ScenarioProgram {
            load: of_users(4),
            ..scenario(&[])
        }],
        ..Program::default()
    };
    let shares = |count| (0..count).filter_map(move |index| Share::new(index, count));
    let of = |share| LocalShared::new(&program, share);
    let mut values = Vec::new();
    let mut turns = Vec::new();
    for shared in shares(3).map(of) {
        values.extend((0..3).map(|_| shared.next(FIRST)));
        turns.extend((0..3).map(|_| shared.turn(SharedId(1), 1_000, 100)));
    }
    values.sort_unstable();
    turns.sort_unstable();
    assert_eq!(values, (0..9).map(|n| 5 + 10 * n).collect::<Vec<_>>());
    assert_eq!(turns, (0..9).map(|n| 1_000 + 100 * n).collect::<Vec<_>>());
    // Of nine shares four have users, and they leave out no number.
    let with_users = shares(9).map(of).take(4);
    let first: Vec<i64> = with_users.map(|shared| shared.next(FIRST)).collect();
    assert_eq!(first, [5, 15, 25, 35]);
    assert_eq!(of(Share::new(1, 9).unwrap()).share().count(), 4);
}

fn of_users(users: u32) -> Load {
    let mut load = Load::once();
    if let Load::Users(load) = &mut load {
        load.stages[0].users = users;
    }
    load
}

#[test]
fn one_user_at_a_time_holds_a_lock() {
    let shared = shared(vec![SharedDef::Lock { name: "l".into() }]);
    let inside = AtomicU32::new(0);
    let entered = on_two_threads(|_| async {
        let mut entered = 0;
        for _ in 0..1_000 {
            assert_eq!(shared.wait(FIRST, 0, nobody()).await, Waited::Done);
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            tokio::task::yield_now().await;
            assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
            shared.release(FIRST);
            entered += 1;
        }
        entered
    });
    assert_eq!(entered, [1_000, 1_000]);
}

#[test]
fn locks_that_are_named_later_are_one_for_each_name() {
    let shared = shared(vec![SharedDef::Lock { name: "a".into() }]);
    let (a, b) = (shared.named_lock("a"), shared.named_lock("b"));
    assert_eq!((shared.named_lock("a"), shared.named_lock("b")), (a, b));
    assert!(a != b && a != FIRST);
    assert!(poll(shared.wait(a, 0, nobody()).as_mut()).is_ready());
    assert!(poll(shared.wait(b, 0, nobody()).as_mut()).is_ready());
    let mut next = shared.wait(a, 0, nobody());
    assert!(poll(next.as_mut()).is_pending());
    shared.release(b);
    assert!(poll(next.as_mut()).is_pending());
    shared.release(a);
    assert!(poll(next.as_mut()).is_ready());
    shared.release(a);
    shared.release(a);
    assert!(poll(shared.wait(a, 0, nobody()).as_mut()).is_ready());
    assert!(poll(shared.wait(a, 0, nobody()).as_mut()).is_pending());
}

#[test]
fn a_lock_passes_over_who_does_not_wait_any_more() {
    let shared = shared(vec![SharedDef::Lock { name: "l".into() }]);
    assert_eq!(
        poll(shared.wait(FIRST, 0, nobody()).as_mut()),
        Poll::Ready(Waited::Done)
    );
    let mut gone = shared.wait(FIRST, 0, nobody());
    let mut next = shared.wait(FIRST, 0, nobody());
    assert!(poll(gone.as_mut()).is_pending() && poll(next.as_mut()).is_pending());
    shared.release(FIRST);
    // It was its turn, but it never came to know.
    drop(gone);
    assert_eq!(poll(next.as_mut()), Poll::Ready(Waited::Done));
    shared.release(FIRST);
    shared.release(FIRST);
    assert!(poll(shared.wait(FIRST, 0, nobody()).as_mut()).is_ready());
    assert!(
        poll(shared.wait(FIRST, 0, nobody()).as_mut()).is_pending(),
        "a release too many lets nobody in"
    );
}

#[test]
fn users_of_two_threads_meet_again_and_again() {
    const USERS: u32 = 5;
    const ROUNDS: u32 = 50;
    let shared = shared(vec![meeting(2 * USERS, None)]);
    shared.users(0, 2 * i64::from(USERS));
    let arrived = AtomicU32::new(0);
    on_two_threads(|_| async {
        let user = || async {
            for round in 1..=ROUNDS {
                arrived.fetch_add(1, Ordering::SeqCst);
                assert_eq!(shared.wait(FIRST, 0, nobody()).await, Waited::Done);
                // Nobody goes on before all have come.
                assert!(arrived.load(Ordering::SeqCst) >= round * 2 * USERS);
            }
        };
        let users = (0..USERS).map(|_| user());
        let mut users = users.map(Box::pin).collect::<Vec<_>>();
        std::future::poll_fn(|cx| {
            users.retain_mut(|user| user.as_mut().poll(cx).is_pending());
            if users.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    });
    assert_eq!(arrived.load(Ordering::SeqCst), ROUNDS * 2 * USERS);
}

#[test]
fn nobody_waits_for_users_who_ended() {
    // All three of the scenario are planned; one ends before, one after the others came.
    let shared = shared(vec![meeting(0, None)]);
    shared.users(0, 3);
    shared.users(1, 1);
    let mut waiting = shared.wait(FIRST, 0, nobody());
    assert!(poll(waiting.as_mut()).is_pending());
    shared.users(0, -1);
    assert!(poll(waiting.as_mut()).is_pending());
    // Another scenario meets apart.
    assert!(poll(shared.wait(FIRST, 1, nobody()).as_mut()).is_ready());
    let ended = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            ended.wait();
            shared.users(0, -1);
        });
        runtime().block_on(async {
            ended.wait();
            assert_eq!(waiting.await, Waited::Done);
        });
    });
    // A scenario that has nothing to do with the meeting does not hold it up.
    assert_eq!(
        poll(shared.wait(FIRST, 2, nobody()).as_mut()),
        Poll::Ready(Waited::Done)
    );
    assert_eq!(
        poll(shared.wait(SharedId(9), 0, nobody()).as_mut()),
        Poll::Ready(Waited::Done)
    );
}

#[test]
fn a_number_of_users_is_never_more_than_are_left() {
    let shared = shared(vec![meeting(3, None)]);
    shared.users(0, 2);
    shared.users(1, 2);
    shared.users(2, 50);
    let (mut a, mut b) = (
        shared.wait(FIRST, 0, nobody()),
        shared.wait(FIRST, 1, nobody()),
    );
    assert!(poll(a.as_mut()).is_pending() && poll(b.as_mut()).is_pending());
    shared.users(0, -1);
    assert!(poll(a.as_mut()).is_pending(), "three are left");
    shared.users(1, -1);
    assert_eq!(poll(a.as_mut()), Poll::Ready(Waited::Done));
    assert_eq!(poll(b.as_mut()), Poll::Ready(Waited::Done));
}

#[test]
fn who_does_not_wait_any_more_does_not_count() {
    let shared = shared(vec![meeting(2, None)]);
    let mut gone = shared.wait(FIRST, 0, nobody());
    assert!(poll(gone.as_mut()).is_pending());
    drop(gone);
    let mut first = shared.wait(FIRST, 0, nobody());
    assert!(
        poll(first.as_mut()).is_pending(),
        "the one who left is not counted"
    );
    let mut second = shared.wait(FIRST, 1, nobody());
    assert!(poll(second.as_mut()).is_ready() && poll(first.as_mut()).is_ready());
    // Who leaves after the meeting was held does not count against the next one.
    let (mut a, mut b) = (
        shared.wait(FIRST, 0, nobody()),
        shared.wait(FIRST, 0, nobody()),
    );
    assert!(poll(a.as_mut()).is_pending() && poll(b.as_mut()).is_ready());
    let mut c = shared.wait(FIRST, 0, nobody());
    assert!(poll(c.as_mut()).is_pending());
    drop((a, b));
    assert!(
        poll(shared.wait(FIRST, 0, nobody()).as_mut()).is_ready() && poll(c.as_mut()).is_ready()
    );
}

#[test]
fn after_the_time_out_all_go_on() {
    let shared = shared(vec![meeting(9, Some(Duration::from_secs(60)))]);
    shared.users(0, 9);
    let (event_loop, timers) = in_virtual_time();
    event_loop.run(async {
        let driving = Rc::clone(&timers);
        tokio::task::spawn_local(async move { driving.drive().await });
        let first = pin!(shared.wait(FIRST, 0, &timers));
        let second = pin!(async {
            timers.sleep(Duration::from_secs(59)).await;
            let waited = shared.wait(FIRST, 1, &timers).await;
            (waited, timers.clock().now_ns())
        });
        let (first, (second, at_ns)) = tokio::join!(first, second);
        assert_eq!((first, second), (Waited::TimedOut, Waited::TimedOut));
        // The second did not wait a minute of its own.
        assert_eq!(at_ns, 60_000_000_000);
        // The next meeting begins anew.
        assert!(poll(shared.wait(FIRST, 0, &timers).as_mut()).is_pending());
    });
}

#[test]
fn a_path_or_row_cursor_counts_passes() {
    let data = crate::data::tests::csv(&[]);
    let rows = SharedDef::Rows {
        cursor: None,
        data,
        path: Template::text("x"),
    };
    let shared = shared(vec![rows]);
    assert_eq!((shared.next(FIRST), shared.next(FIRST)), (0, 1));
}
