//! While a worker does something that takes a while: whether it is still there, and word to the
//! others that the controller is.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::controller::{Desk, StoredWorker};
use crate::link::LinkError;
use crate::wire::control::worker_subject;
use crate::wire::{self, WorkerOrder};

/// A worker at work is asked so often whether it is there, and gets so long to respond.
const ASK_EVERY: Duration = Duration::from_millis(500);
const ASK_WAIT: Duration = Duration::from_secs(1);

/// Nobody takes its orders for this long: its process has ended. A connection that only broke is
/// made again sooner.
const CLOSED: Duration = Duration::from_secs(4);

/// It does not respond for this long: its host or the way to it is gone, or it stands still.
const SILENT: Duration = Duration::from_secs(10);

/// Workers that wait for others hear of the controller so often: without it they would be free again.
const WORD_EVERY: Duration = Duration::from_secs(5);

/// Lets workers know that their run is still to begin. They have no work yet, so that a renewal
/// of none says nothing else.
pub(super) async fn keep_waiting(desk: &Desk, run: &str, workers: &[StoredWorker]) -> Infallible {
    let word = WorkerOrder::Renew {
        run: run.to_owned(),
        heard_ns: 0,
        assignments: Vec::new(),
    };
    let word = wire::encode(&word).unwrap_or_default();
    loop {
        sleep(WORD_EVERY).await;
        for worker in workers {
            let subject = worker_subject(&worker.worker.name, &worker.worker.instance);
            let publish = desk.link.publish(&subject, word.clone());
            // A link that is broken is what others notice.
            let _ = timeout(ASK_WAIT, publish).await;
        }
    }
}

/// Waits for what a worker does; none if the worker is not there any more meanwhile.
pub(super) async fn while_there<T>(
    desk: &Desk,
    subject: &str,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = until_gone(desk, subject) => None,
    }
}

/// Responds once a worker is not there any more.
async fn until_gone(desk: &Desk, subject: &str) {
    let question = wire::encode(&WorkerOrder::Announce).unwrap_or_default();
    let mut heard = Instant::now();
    let mut closed_since = None;
    loop {
        sleep(ASK_EVERY).await;
        let asked = Instant::now();
        match desk.link.request(subject, question.clone(), ASK_WAIT).await {
            Ok(_) => {
                heard = Instant::now();
                closed_since = None;
            }
            Err(LinkError::Nobody { .. }) => {
                closed_since.get_or_insert(asked);
            }
            // While the link itself is broken nothing is known of the worker.
            Err(_) => closed_since = None,
        }
        let closed = closed_since.is_some_and(|since: Instant| since.elapsed() >= CLOSED);
        if closed || heard.elapsed() >= SILENT {
            return;
        }
    }
}
