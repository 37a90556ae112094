//! Work that reads files, beside the threads that serve.

use plimsoll_text::Message;

use crate::problem::ApiError;

/// Does what blocks on a thread where that harms nobody.
///
/// # Errors
/// What the work gives; a panic of it is a failure of the server.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(ApiError::internal(Message::new("server-internal"))),
    }
}
