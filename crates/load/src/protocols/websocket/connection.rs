//! An open connection of a user. A task of its own takes what comes, so that messages have the
//! time at which they came and pings are responded to while the user thinks.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use url::Url;

use super::frames::{Frames, FramingError, Incoming, close, pong};
use crate::clock::Nanos;
use crate::driver::{Connection, StreamState};
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::protocols::http::exchange::poll_send;

/// Messages that nobody has waited for and that are kept; older ones are let go.
const MAX_KEPT: usize = 1024;
/// The same in bytes.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// Pieces taken before others run.
const PIECES_A_TURN: u32 = 16;

/// Says that all was done (RFC 6455, 7.4.1).
const NORMAL: u16 = 1000;
/// Says that the user goes away (RFC 6455, 7.4.1).
const GOING_AWAY: u16 = 1001;

/// A message that came.
#[derive(Debug)]
pub struct Arrived {
    /// What it is.
    pub incoming: Incoming,
    /// When it was whole.
    pub at_ns: Nanos,
    /// Bytes on the wire since what came before it, without TLS.
    pub wire_bytes: u64,
}

/// A connection that is open; dropped, it is closed.
pub struct WebSocket {
    link: Rc<SocketLink>,
    reader: JoinHandle<()>,
}

/// A user's open connection.
pub struct NamedSocket {
    /// Its name in the plan.
    pub name: Box<str>,
    /// The connection.
    pub socket: WebSocket,
    /// Where it was opened.
    pub url: Url,
}

/// What the user and the task share.
struct SocketLink {
    thread: Rc<Thread>,
    connection: RefCell<Connection>,
    frames: RefCell<Frames>,
    /// Bytes that the kernel has not taken.
    unsent: RefCell<Vec<u8>>,
    arrived: RefCell<VecDeque<Arrived>>,
    arrived_bytes: Cell<usize>,
    /// Bytes of the message that is not whole.
    wire_bytes: Cell<u64>,
    /// Why nothing more comes.
    ended: RefCell<Option<Failure>>,
    /// This side has said that it closes.
    closes: Cell<bool>,
    /// Something came, or was sent, or it ended.
    changed: Notify,
    task: RefCell<Option<Waker>>,
    masks: RefCell<fastrand::Rng>,
}

impl WebSocket {
    /// A connection that has switched protocols; `first` came right behind the response.
    #[must_use]
    pub fn new(
        thread: &Rc<Thread>,
        connection: Connection,
        frames: Frames,
        first: &[u8],
        seed: u64,
    ) -> Self {
        let link = Rc::new(SocketLink {
            thread: Rc::clone(thread),
            connection: RefCell::new(connection),
            frames: RefCell::new(frames),
            unsent: RefCell::default(),
            arrived: RefCell::default(),
            arrived_bytes: Cell::new(0),
            wire_bytes: Cell::new(0),
            ended: RefCell::new(None),
            closes: Cell::new(false),
            changed: Notify::new(),
            task: RefCell::default(),
            masks: RefCell::new(fastrand::Rng::with_seed(seed)),
        });
        if !first.is_empty() {
            link.take(first, thread.clock.now_ns());
        }
        let task = Rc::clone(&link);
        let reader = tokio::task::spawn_local(async move {
            poll_fn(|cx| task.poll(cx)).await;
        });
        Self { link, reader }
    }

    /// Sends what `write` puts behind the bytes it is given; it gets the frames and a mask.
    pub fn send(&self, write: impl FnOnce(&mut Frames, [u8; 4], &mut Vec<u8>)) -> u64 {
        let link = &self.link;
        let before = link.unsent.borrow().len();
        let mask = link.mask();
        write(
            &mut link.frames.borrow_mut(),
            mask,
            &mut link.unsent.borrow_mut(),
        );
        let bytes = link.unsent.borrow().len() - before;
        link.flush();
        bytes as u64
    }

    /// Ready when the kernel has taken all that was sent, or will take nothing any more.
    ///
    /// # Errors
    /// Why it takes no more.
    pub async fn sent(&self) -> Result<(), Failure> {
        while self.link.has_unsent() {
            if let Some(failure) = &*self.link.ended.borrow() {
                return Err(failure.clone());
            }
            self.link.changed.notified().await;
        }
        Ok(())
    }

    /// The next message or control frame that came.
    ///
    /// # Errors
    /// Why none comes any more.
    pub async fn next(&self) -> Result<Arrived, Failure> {
        loop {
            if let Some(arrived) = self.try_next() {
                return Ok(arrived);
            }
            if let Some(failure) = &*self.link.ended.borrow() {
                return Err(failure.clone());
            }
            self.link.changed.notified().await;
        }
    }

    /// What came already.
    fn try_next(&self) -> Option<Arrived> {
        let arrived = self.link.arrived.borrow_mut().pop_front()?;
        let kept = &self.link.arrived_bytes;
        kept.set(kept.get() - size(&arrived.incoming));
        Some(arrived)
    }

    /// Whether something can still be sent.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn is_open(&self) -> Result<(), Failure> {
        self.link.ended.borrow().clone().map_or(Ok(()), Err)
    }

    /// Says that this side closes; gives the bytes.
    pub fn close(&self, code: u16, reason: &str) -> u64 {
        self.link.closes.set(true);
        self.send(|_, mask, out| close(code, reason, mask, out))
    }

    /// Lets go of what came so far.
    pub fn forget_arrived(&self) {
        self.link.arrived.borrow_mut().clear();
        self.link.arrived_bytes.set(0);
    }
}

impl Drop for WebSocket {
    fn drop(&mut self) {
        self.reader.abort();
        if self.is_open().is_ok() && !self.link.closes.get() {
            // The server is told if that can be done at once.
            self.send(|_, mask, out| close(GOING_AWAY, "", mask, out));
        }
    }
}

impl SocketLink {
    fn mask(&self) -> [u8; 4] {
        self.masks.borrow_mut().u32(..).to_ne_bytes()
    }

    fn has_unsent(&self) -> bool {
        !self.unsent.borrow().is_empty() || self.connection.borrow().wants_flush()
    }

    /// Sends and takes until the connection ends.
    fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let known = self
            .task
            .borrow()
            .as_ref()
            .is_some_and(|it| it.will_wake(cx.waker()));
        if !known {
            *self.task.borrow_mut() = Some(cx.waker().clone());
        }
        let sending = self.poll_send(cx);
        for _ in 0..PIECES_A_TURN {
            match (self.poll_receive(cx), &sending) {
                (Poll::Ready(Ok(())), _) => {}
                (Poll::Ready(Err(failure)), _) => {
                    // What is said back to a server that closes.
                    let _ = self.poll_send(cx);
                    self.end(failure);
                    return Poll::Ready(());
                }
                (Poll::Pending, Poll::Ready(Err(failure))) => {
                    self.end(failure.clone());
                    return Poll::Ready(());
                }
                (Poll::Pending, _) => return Poll::Pending,
            }
        }
        // Others must run, too.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn end(&self, failure: Failure) {
        self.ended.borrow_mut().get_or_insert(failure);
        self.changed.notify_one();
    }

    /// Sends at once what the kernel takes; the task sends the rest.
    fn flush(&self) {
        let waker = self.task.borrow().clone();
        let waker = waker.unwrap_or_else(|| Waker::noop().clone());
        if let Poll::Ready(Err(failure)) = self.poll_send(&mut Context::from_waker(&waker)) {
            self.end(failure);
        }
    }

    fn poll_send(&self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let connection = &mut *self.connection.borrow_mut();
        let unsent = &mut *self.unsent.borrow_mut();
        let mut sent = 0;
        let waited_for = !unsent.is_empty() || connection.wants_flush();
        let result = poll_send(connection, cx, unsent, &mut sent);
        unsent.drain(..sent);
        if waited_for && result.is_ready() {
            self.changed.notify_one();
        }
        result.map_err(|error| Failure::talking(&error))
    }

    /// Takes one piece.
    fn poll_receive(&self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let thread = &self.thread;
        let mut inbox = thread.inbox.borrow_mut();
        let connection = &mut *self.connection.borrow_mut();
        let (received, now_ns) = ready!(thread.poll_receive(cx, connection, &mut inbox))?;
        let mut pieces = |piece: &[u8]| self.take(piece, now_ns);
        let then = connection.deliver(&inbox, received, &mut pieces).then;
        if then.map_err(|error| Failure::talking(&error))? == StreamState::Ended {
            let what = "the server closed the connection";
            return Poll::Ready(Err(Failure::new(ErrorKind::ConnectionClosed, what)));
        }
        match &*self.ended.borrow() {
            Some(failure) => Poll::Ready(Err(failure.clone())),
            None => Poll::Ready(Ok(())),
        }
    }

    /// Takes bytes that came.
    fn take(&self, piece: &[u8], now_ns: Nanos) {
        let mut frames = self.frames.borrow_mut();
        frames.feed(piece);
        self.wire_bytes
            .set(self.wire_bytes.get() + piece.len() as u64);
        loop {
            match frames.take() {
                Ok(Some(Incoming::Ping(payload))) => {
                    pong(&payload, self.mask(), &mut self.unsent.borrow_mut());
                    self.wake();
                }
                Ok(Some(incoming)) => {
                    if let Incoming::Close { code, reason } = &incoming {
                        self.close_back(*code);
                        self.end(closed(*code, reason));
                    }
                    self.keep(incoming, now_ns);
                }
                Ok(None) => break,
                Err(error) => {
                    self.end(failure_of(error));
                    break;
                }
            }
        }
        self.changed.notify_one();
    }

    /// Says that this side closes, too (RFC 6455, 5.5.1), unless it has.
    fn close_back(&self, code: Option<u16>) {
        if !self.closes.replace(true) {
            let code = code.unwrap_or(NORMAL);
            close(code, "", self.mask(), &mut self.unsent.borrow_mut());
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(task) = &*self.task.borrow() {
            task.wake_by_ref();
        }
    }

    fn keep(&self, incoming: Incoming, at_ns: Nanos) {
        let mut arrived = self.arrived.borrow_mut();
        let mut bytes = self.arrived_bytes.get() + size(&incoming);
        arrived.push_back(Arrived {
            incoming,
            at_ns,
            wire_bytes: self.wire_bytes.take(),
        });
        while arrived.len() > MAX_KEPT || bytes > MAX_KEPT_BYTES && arrived.len() > 1 {
            if let Some(oldest) = arrived.pop_front() {
                bytes -= size(&oldest.incoming);
            }
            self.thread.remark(Message::new("exchange-messages-let-go"));
        }
        self.arrived_bytes.set(bytes);
    }
}

/// What is said of a connection that the server has closed.
pub fn closed(code: Option<u16>, reason: &str) -> Failure {
    let code = code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
    let words = if reason.is_empty() { "" } else { ": " };
    let what = format!("the server closed the connection ({code}{words}{reason})");
    Failure::new(ErrorKind::ConnectionClosed, what)
}

fn failure_of(error: FramingError) -> Failure {
    match error {
        FramingError::Malformed(what) => Failure::new(ErrorKind::MalformedResponse, what),
        FramingError::TooLong { most } => {
            let what = format!("a message of more than {most} bytes (max-body)");
            Failure::new(ErrorKind::BodyLimit, what)
        }
    }
}

fn size(incoming: &Incoming) -> usize {
    match incoming {
        Incoming::Message { data, .. } => data.len(),
        _ => 0,
    }
}
