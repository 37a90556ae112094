//! How long a request's body may take.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody as _};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use plimsoll_text::Message;
use tokio::time::Instant;

use crate::problem::ApiError;

/// What is waited for a body, and as long again for so many bytes of it a second.
const WITHIN: Duration = Duration::from_secs(30);
const BYTES_PER_S: u64 = 1_024;

/// A body that comes.
struct Paced {
    body: BodyDataStream,
    came: u64,
    waited: Duration,
    is_late: Arc<AtomicBool>,
}

impl Paced {
    /// The next piece of it; none: there is no more.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        // What the server takes for its own work is nobody's delay.
        let allowed = WITHIN + Duration::from_millis(self.came * 1_000 / BYTES_PER_S);
        let began = Instant::now();
        let left = allowed.saturating_sub(self.waited);
        let piece = tokio::time::timeout(left, self.body.next()).await;
        self.waited += began.elapsed();
        match piece {
            Ok(piece) => {
                let piece = piece?.map_err(io::Error::other);
                self.came += piece.as_ref().map_or(0, |piece| piece.len() as u64);
                Some(piece)
            }
            Err(_) => {
                self.is_late.store(true, Ordering::Relaxed);
                Some(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    /// Its pieces; nothing comes behind a failure.
    fn pieces(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::unfold(Some(self), |paced| async {
            let mut paced = paced?;
            let piece = paced.next().await?;
            let rest = piece.is_ok().then_some(paced);
            Some((piece, rest))
        })
    }
}

/// Refuses a body that comes too slowly.
pub(crate) async fn paced(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let is_late: Arc<AtomicBool> = Arc::default();
    let paced = Paced {
        body: body.into_data_stream(),
        came: 0,
        waited: Duration::ZERO,
        is_late: Arc::clone(&is_late),
    };
    let body = Body::from_stream(paced.pieces());
    let response = next.run(Request::from_parts(parts, body)).await;
    match is_late.load(Ordering::Relaxed) {
        true => {
            let message = Message::new("server-too-slow").with("seconds", WITHIN.as_secs());
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "too-slow", message).into_response()
        }
        false => response,
    }
}
