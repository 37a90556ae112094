//! Streams end when whoever watches them may not any more.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// How often it is looked whether he may.
const LOOK: Duration = Duration::from_secs(1);

/// A stream that somebody watches.
struct WatchedStream<M> {
    body: BodyDataStream,
    turns: Interval,
    may: Arc<M>,
}

/// Whether a response goes on as long as something happens.
pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The same response, which ends once `may` says no; that is asked once a second, where it may read files.
pub(super) fn while_allowed<M>(response: Response, may: M) -> Response
where
    M: Fn() -> bool + Send + Sync + 'static,
{
    let (parts, body) = response.into_parts();
    let mut turns = interval(LOOK);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watched = WatchedStream {
        body: body.into_data_stream(),
        turns,
        may: Arc::new(may),
    };
    let stream = unfold(watched, |mut watched| async move {
        loop {
            tokio::select! {
                // What happens all the time does not keep him from being asked.
                biased;
                _ = watched.turns.tick() => {
                    let may = Arc::clone(&watched.may);
                    let asked = tokio::task::spawn_blocking(move || may());
                    if !asked.await.unwrap_or(false) {
                        return None;
                    }
                }
                chunk = watched.body.next() => return chunk.map(|chunk| (chunk, watched)),
            }
        }
    });
    Response::from_parts(parts, Body::from_stream(stream))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU32, Ordering};

    use bytes::Bytes;
    use futures_util::stream::{pending, repeat};

    use super::*;

    /// What a watcher hears who may look so many times, by the runtime's own clock.
    async fn heard(response: Response, times: u32) -> (usize, Duration) {
        let asked = AtomicU32::new(0);
        let may = move || asked.fetch_add(1, Ordering::SeqCst) < times;
        let begun = tokio::time::Instant::now();
        let body = while_allowed(response, may).into_body();
        let count = body.into_data_stream().count().await;
        (count, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_ends_whether_something_happens_or_not() {
        let silent = pending::<Result<Bytes, Infallible>>();
        let (count, took) = heard(Response::new(Body::from_stream(silent)), 3).await;
        assert_eq!((count, took), (0, Duration::from_secs(3)));
        let each = || async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            Ok::<_, Infallible>(Bytes::from_static(b"."))
        };
        let busy = repeat(()).then(move |()| each());
        let (count, took) = heard(Response::new(Body::from_stream(busy)), 3).await;
        assert_eq!((count, took), (9, Duration::from_secs(3)));
        // One that ends itself does.
        let short = futures_util::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"."))]);
        let (count, _) = heard(Response::new(Body::from_stream(short)), 3).await;
        assert_eq!(count, 1);
    }
}
