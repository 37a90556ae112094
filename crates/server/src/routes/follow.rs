//! What happens in an undertaking, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::unfold;

use crate::blocking::blocking;
use crate::problem::ApiError;

/// How often it is looked what is new, and how long a quiet connection is left so.
const LOOK: Duration = Duration::from_millis(250);
const QUIET_LOOKS: u32 = 60;

/// What one who watches has heard of an undertaking.
pub(super) trait StreamFollowed: Send + 'static {
    /// The events that he has not heard; empty: nothing is new.
    ///
    /// # Errors
    /// It has gone.
    fn fresh(&mut self) -> Result<String, ApiError>;

    /// He has heard its end.
    fn is_over(&self) -> bool;
}

/// The next that is sent; none: it is over, or has gone.
async fn next<F: StreamFollowed>(mut followed: F) -> Option<(Bytes, F)> {
    let mut quiet = 0;
    while !followed.is_over() {
        let looked = blocking(move || {
            let text = followed.fresh()?;
            Ok((followed, text))
        });
        let text;
        (followed, text) = looked.await.ok()?;
        if !text.is_empty() {
            return Some((text.into(), followed));
        }
        quiet += 1;
        if quiet >= QUIET_LOOKS {
            return Some((Bytes::from_static(b":\n\n"), followed));
        }
        tokio::time::sleep(LOOK).await;
    }
    None
}

/// What was before comes first, then what is new, until the end.
pub(super) fn follow(followed: impl StreamFollowed) -> Response {
    let events = unfold(followed, |followed| async move {
        let (text, followed) = next(followed).await?;
        Some((Ok::<_, Infallible>(text), followed))
    });
    let head = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
    ];
    (head, Body::from_stream(events)).into_response()
}
