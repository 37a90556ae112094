//! Until when something may take, and how it ends when that is over.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use plimsoll_stats::ErrorKind;

use crate::clock::Nanos;
use crate::failure::Failure;
use crate::timer::Watch;

/// How an exchange ended without a response.
#[derive(Debug)]
pub enum Broken {
    /// A failure; a sample.
    Failed(Failure),
    /// The run's end cut it off; no sample.
    CutOff,
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Until when something may take.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When the request has had its time.
    pub timeout_ns: Nanos,
    /// When the run's end cuts it off.
    pub cut_ns: Nanos,
}

impl Deadline {
    /// The nearer of the two.
    #[must_use]
    pub fn nearest_ns(self) -> Nanos {
        self.timeout_ns.min(self.cut_ns)
    }

    /// How what was bounded by it ends when it is over.
    pub(crate) fn passed(self, watch: &Watch, kind: ErrorKind, detail: &str) -> Broken {
        let by_end = self.cut_ns <= self.timeout_ns;
        if watch.is_cut() || by_end && watch.is_cuttable() {
            return Broken::Failed(Failure::new(ErrorKind::CutOff, ""));
        }
        if by_end {
            return Broken::CutOff;
        }
        Broken::Failed(Failure::new(kind, detail))
    }
}

/// Bounds a future by a deadline. It is pinned where it is: moved into this one, it would be there
/// twice in what each user takes.
pub async fn within<T>(
    watch: &Watch,
    deadline: Deadline,
    kind: ErrorKind,
    detail: &str,
    mut future: Pin<&mut impl Future<Output = Result<T, Failure>>>,
) -> Result<T, Broken> {
    watch.set(deadline.nearest_ns());
    let result = poll_fn(|cx| {
        if let Poll::Ready(result) = future.as_mut().poll(cx) {
            return Poll::Ready(result.map_err(Broken::Failed));
        }
        if watch.is_over() {
            return Poll::Ready(Err(deadline.passed(watch, kind, detail)));
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await;
    watch.clear();
    result
}
