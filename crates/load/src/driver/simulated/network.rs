//! What happens in a simulated world, and the loop that lets time pass.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use plimsoll_stats::ErrorKind;

use super::World;
use super::script::{Act, Admission, Deed, Servers};
use super::stream::{Pipe, SimulatedStream};
use crate::clock::Nanos;
use crate::failure::Failure;

/// What takes its way takes at least this.
const WAY_NS: Nanos = 1_000;
/// Rounds of the loop after which time passes though tasks can go on: a task that waits for time
/// by looking at the clock would wait for ever.
const ROUNDS: u32 = 1_000;
/// A world that gets this old hangs: a year.
const OLD_NS: Nanos = 365 * 24 * 3_600 * 1_000_000_000;

/// The network of one load thread.
pub struct Network {
    time: &'static AtomicU64,
    woke: Box<dyn Fn()>,
    servers: RefCell<Box<dyn Servers>>,
    events: RefCell<BinaryHeap<Reverse<Event>>>,
    number: Cell<u64>,
    alarm_ns: Cell<Option<Nanos>>,
    alarm_waker: RefCell<Option<Waker>>,
}

/// Something that will happen.
struct Event {
    at_ns: Nanos,
    /// What is said first happens first.
    number: u64,
    what: What,
}

enum What {
    /// Bytes come to the peer.
    Heard(Rc<RefCell<Pipe>>, Vec<u8>),
    /// The peer does something.
    Done(Rc<RefCell<Pipe>>, Deed),
    /// The peer takes more.
    Room(Rc<RefCell<Pipe>>),
    /// Somebody waits for this.
    Woken(Waker),
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at_ns, self.number).cmp(&(other.at_ns, other.number))
    }
}

/// Whether the main future is to be polled.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Network {
    /// The network of a load thread in this world; `woke` is told when time has passed.
    pub(crate) fn new(world: &World, woke: Box<dyn Fn()>) -> Rc<Self> {
        Rc::new(Self {
            time: world.time,
            woke,
            servers: RefCell::new((world.servers)()),
            events: RefCell::default(),
            number: Cell::new(0),
            alarm_ns: Cell::new(None),
            alarm_waker: RefCell::default(),
        })
    }

    pub(super) fn now_ns(&self) -> Nanos {
        self.time.load(Ordering::Relaxed)
    }

    /// Runs to the end of `main`; time passes when nothing can go on.
    ///
    /// # Panics
    /// When nothing will ever happen any more, or the world grows very old.
    pub(crate) fn run<T>(&self, main: impl Future<Output = T>) -> T {
        let mut main = pin!(main);
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        let mut rounds = 0;
        loop {
            self.happen();
            if flag.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(value) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return value;
                }
                rounds += 1;
                if rounds % ROUNDS == 0 {
                    self.time.fetch_add(WAY_NS, Ordering::Relaxed);
                }
                continue;
            }
            rounds = 0;
            let next = self.events.borrow().peek().map(|event| event.0.at_ns);
            let next = next.into_iter().chain(self.alarm_ns.get()).min();
            let next = next.expect("nothing will happen any more, and the run goes on");
            assert!(next < OLD_NS, "the run does not end");
            self.time.fetch_max(next, Ordering::Relaxed);
            (self.woke)();
        }
    }

    /// Lets all happen whose time has come.
    fn happen(&self) {
        let now = self.now_ns();
        if self.alarm_ns.get().is_some_and(|at| at <= now)
            && let Some(waker) = self.alarm_waker.take()
        {
            waker.wake();
        }
        loop {
            let mut events = self.events.borrow_mut();
            if events.peek().is_none_or(|event| event.0.at_ns > now) {
                return;
            }
            let event = events.pop();
            drop(events);
            if let Some(Reverse(event)) = event {
                self.one(event);
            }
        }
    }

    fn one(&self, event: Event) {
        match event.what {
            What::Heard(pipe, bytes) => {
                let acts = pipe.borrow_mut().heard(&bytes, event.at_ns);
                self.will_act(&pipe, acts, event.at_ns);
            }
            What::Done(pipe, deed) => pipe.borrow_mut().done(deed, event.at_ns),
            What::Room(pipe) => pipe.borrow_mut().has_room(),
            What::Woken(waker) => waker.wake(),
        }
    }

    fn will_act(&self, pipe: &Rc<RefCell<Pipe>>, acts: Vec<Act>, heard_ns: Nanos) {
        let mut at_ns = heard_ns;
        for act in acts {
            at_ns += act.after_ns;
            let at_ns = pipe.borrow_mut().in_order(at_ns + WAY_NS);
            self.later(at_ns, What::Done(Rc::clone(pipe), act.deed));
        }
    }

    fn later(&self, at_ns: Nanos, what: What) {
        let number = self.number.get();
        self.number.set(number + 1);
        let event = Event {
            at_ns,
            number,
            what,
        };
        self.events.borrow_mut().push(Reverse(event));
    }

    /// The bytes are on their way to the peer.
    pub(super) fn will_hear(&self, pipe: &Rc<RefCell<Pipe>>, bytes: Vec<u8>) {
        self.later(self.now_ns() + WAY_NS, What::Heard(Rc::clone(pipe), bytes));
    }

    /// The peer takes more after this time.
    pub(super) fn will_have_room(&self, pipe: &Rc<RefCell<Pipe>>, after_ns: Nanos) {
        let at_ns = self.now_ns() + after_ns.max(WAY_NS);
        self.later(at_ns, What::Room(Rc::clone(pipe)));
    }

    /// Sets the alarm of the thread's timers.
    pub(crate) fn set_alarm(&self, at_ns: Nanos) {
        self.alarm_ns.set(Some(at_ns));
    }

    /// Waits for the alarm.
    pub(crate) async fn alarm_rings(&self) {
        poll_fn(|cx| {
            if self.alarm_ns.get().is_some_and(|at| at <= self.now_ns()) {
                self.alarm_ns.set(None);
                return Poll::Ready(());
            }
            self.alarm_waker.replace(Some(cx.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    async fn pass(&self, after_ns: Nanos) {
        let until_ns = self.now_ns() + after_ns.max(WAY_NS);
        poll_fn(|cx| {
            if self.now_ns() >= until_ns {
                return Poll::Ready(());
            }
            self.later(until_ns, What::Woken(cx.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// The address of a name.
    pub(crate) async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, Failure> {
        let (after_ns, address) = self.servers.borrow_mut().address(name);
        self.pass(after_ns).await;
        let unknown = || Failure::new(ErrorKind::UnknownHost, format!("{name}: no such name"));
        address.map(|address| vec![address]).ok_or_else(unknown)
    }

    /// Connects.
    pub(crate) async fn open(self: &Rc<Self>, to: SocketAddr) -> io::Result<SimulatedStream> {
        let admission = self.servers.borrow_mut().admit(to, self.now_ns());
        match admission {
            Admission::Taken(after_ns, peer) => {
                self.pass(after_ns).await;
                Ok(SimulatedStream::new(self, peer))
            }
            Admission::Refused(after_ns) => {
                self.pass(after_ns).await;
                Err(io::Error::from_raw_os_error(libc::ECONNREFUSED))
            }
            Admission::Silence => std::future::pending().await,
        }
    }
}
