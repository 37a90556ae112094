//! Frames: limited in length, read as they come, never trusted.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// Bytes that are no frame of this protocol.
#[derive(Debug, thiserror::Error)]
pub enum AgentFrameError {
    /// A length that is beyond the limit.
    #[error("a frame of {length} bytes; at most {limit} are allowed")]
    TooLong {
        /// The length it says.
        length: u64,
        /// The limit here.
        limit: u32,
    },
    /// It ends before what it says it holds.
    #[error("a frame that is shorter than it says")]
    Short,
    /// The head is not what it should be.
    #[error("{0}")]
    Head(#[from] serde_json::Error),
}

/// A frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The connection failed or ended within a frame.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The peer does not speak this protocol.
    #[error("{0}")]
    Wire(#[from] AgentFrameError),
    /// The peer was too slow.
    #[error("no byte for {} s", .0.as_secs())]
    Slow(Duration),
}

/// A whole frame, its length before it.
///
/// # Errors
/// When it would be longer than a length can say.
pub fn encode(head: &impl Serialize, tail: &[u8]) -> Result<Vec<u8>, AgentFrameError> {
    let mut frame = vec![0; 8];
    serde_json::to_writer(&mut frame, head)?;
    let head = length(frame.len() - 8)?;
    frame.extend_from_slice(tail);
    let all = length(frame.len() - 4)?;
    frame[..4].copy_from_slice(&all.to_be_bytes());
    frame[4..8].copy_from_slice(&head.to_be_bytes());
    Ok(frame)
}

fn length(bytes: usize) -> Result<u32, AgentFrameError> {
    u32::try_from(bytes).map_err(|_| AgentFrameError::TooLong {
        length: bytes as u64,
        limit: u32::MAX,
    })
}

/// Reads what [`encode`] wrote, but for the frame's length: the head, and the tail.
///
/// # Errors
/// Bytes that are cut off or make no sense.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<(T, &[u8]), AgentFrameError> {
    let (length, rest) = body
        .split_first_chunk::<4>()
        .ok_or(AgentFrameError::Short)?;
    let length = u32::from_be_bytes(*length) as usize;
    let (head, tail) = rest
        .split_at_checked(length)
        .ok_or(AgentFrameError::Short)?;
    Ok((serde_json::from_slice(head)?, tail))
}

/// Reads a frame's body. Waits `idle` for its first byte and `rest` for each further piece.
/// None: the peer has closed.
pub(crate) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    limit: u32,
    idle: Duration,
    rest: Duration,
) -> Result<Option<Vec<u8>>, FrameError> {
    let mut head = [0; 4];
    if within(idle, stream.read(&mut head[..1])).await? == 0 {
        return Ok(None);
    }
    within(rest, stream.read_exact(&mut head[1..])).await?;
    let length = u32::from_be_bytes(head);
    if length > limit {
        let length = u64::from(length);
        return Err(AgentFrameError::TooLong { length, limit }.into());
    }
    // Grows with what comes, not with what is promised.
    let mut body = Vec::new();
    let mut left = u64::from(length);
    while left > 0 {
        body.reserve(usize::try_from(left.min(64 << 10)).unwrap_or(0));
        let read = within(rest, (&mut *stream).take(left).read_buf(&mut body)).await?;
        if read == 0 {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        left -= read as u64;
    }
    Ok(Some(body))
}

/// Writes a frame; each piece must be taken within `limit`.
pub(crate) async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    frame: &[u8],
    limit: Duration,
) -> Result<(), FrameError> {
    for piece in frame.chunks(64 << 10) {
        within(limit, stream.write_all(piece)).await?;
    }
    within(limit, stream.flush()).await
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = std::io::Result<T>>,
) -> Result<T, FrameError> {
    match timeout(limit, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(FrameError::Slow(limit)),
    }
}
