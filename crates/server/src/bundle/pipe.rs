//! Bytes between a thread that waits for files and a task that waits for the network, a few pieces at a time.

use std::io::{self, Read, Write};

use bytes::{Buf as _, Bytes};
use tokio::sync::mpsc;

/// Pieces that are under way, and their length.
const PIECES: usize = 4;
const PIECE: usize = 64 << 10;

/// What is sent: a piece, or why no more comes.
pub(crate) type PipePiece = io::Result<Bytes>;

/// A pipe's ends.
pub(crate) fn pipe() -> (mpsc::Sender<PipePiece>, mpsc::Receiver<PipePiece>) {
    mpsc::channel(PIECES)
}

/// The end that a thread writes to.
pub(crate) struct PipeWriter {
    to: mpsc::Sender<PipePiece>,
    piece: Vec<u8>,
}

impl PipeWriter {
    /// Writes to that end.
    pub fn new(to: mpsc::Sender<PipePiece>) -> Self {
        Self {
            to,
            piece: Vec::with_capacity(PIECE),
        }
    }

    /// Says that it ended well or not. Whoever reads then knows what is whole.
    pub fn done(mut self, written: io::Result<()>) {
        let result = written.and_then(|()| self.flush());
        if let Err(error) = result {
            // Nobody may be there any more to hear it.
            let _ = self.to.blocking_send(Err(error));
        }
    }
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = PIECE - self.piece.len();
        let taken = bytes.len().min(room);
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.flush()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let sent = self.to.blocking_send(Ok(piece.into()));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The end that a thread reads from.
pub(crate) struct PipeReader {
    from: mpsc::Receiver<PipePiece>,
    piece: Bytes,
    /// Bytes that came.
    pub came: u64,
    /// Why the network gave no more, if it did not end well.
    pub lost: Option<String>,
}

impl PipeReader {
    /// Reads from that end.
    pub fn new(from: mpsc::Receiver<PipePiece>) -> Self {
        Self {
            from,
            piece: Bytes::new(),
            came: 0,
            lost: None,
        }
    }
}

impl Read for PipeReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.from.blocking_recv() {
                Some(Ok(piece)) => {
                    self.came += piece.len() as u64;
                    self.piece = piece;
                }
                Some(Err(error)) => {
                    self.lost = Some(error.to_string());
                    return Err(error);
                }
                None => return Ok(0),
            }
        }
        let taken = to.len().min(self.piece.len());
        to[..taken].copy_from_slice(&self.piece[..taken]);
        self.piece.advance(taken);
        Ok(taken)
    }
}
