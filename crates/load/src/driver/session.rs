//! TLS over bytes that somebody else moves: no input or output of its own.
//!
//! rustls refuses bytes while plaintext waits in it. What it decrypts is therefore handed on
//! at once, before it gets more: nothing waits anywhere, whatever the sizes of records and
//! reads, and memory is bounded by one read.

use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

/// What is known of the end of what the other side sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsEnding {
    /// More may come.
    Open,
    /// It said that this was all (`close_notify`).
    Goodbye,
    /// The bytes ended without a goodbye.
    Cut,
}

/// A client's side of a TLS connection.
pub struct TlsSession(ClientConnection);

impl TlsSession {
    /// A session that has its handshake before it.
    ///
    /// # Errors
    /// When rustls does not take the configuration.
    pub fn new(
        config: &Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> Result<Self, rustls::Error> {
        ClientConnection::new(Arc::clone(config), name).map(Self)
    }

    /// Whether nothing of the application's may be sent yet.
    #[must_use]
    pub fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }

    /// Takes bytes of the handshake from the wire. Plaintext behind its end is kept for
    /// [`TlsSession::feed`]: there is room for one read of at most 16 KiB.
    ///
    /// # Errors
    /// What is wrong with the handshake.
    pub fn shake_hands(&mut self, mut wire: &[u8]) -> io::Result<()> {
        while !wire.is_empty() && self.0.read_tls(&mut wire)? > 0 {
            self.0.process_new_packets().map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Takes all of the bytes from the wire, and gives what they hold to `take`; so it does
    /// with what came before a mistake.
    ///
    /// # Errors
    /// Bytes that are not what they should be, or an alert. The session is of no further use.
    pub fn feed(&mut self, mut wire: &[u8], take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.hand_on(take);
        // Nothing counts behind a goodbye: rustls then takes no byte.
        while !wire.is_empty() && self.0.read_tls(&mut wire)? > 0 {
            let processed = self.0.process_new_packets();
            self.hand_on(take);
            processed.map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Says that no more bytes come from the wire.
    pub fn end_of_wire(&mut self) {
        // An empty source cannot fail, and is refused only while plaintext waits.
        let _ = self.0.read_tls(&mut io::empty());
    }

    fn hand_on(&mut self, take: &mut dyn FnMut(&[u8])) {
        let mut reader = self.0.reader();
        while let Ok(piece) = reader.fill_buf() {
            if piece.is_empty() {
                return;
            }
            take(piece);
            let taken = piece.len();
            reader.consume(taken);
        }
    }

    /// Whether plaintext came with the end of the handshake that [`TlsSession::feed`] has not
    /// handed on.
    pub fn holds_plaintext(&mut self) -> bool {
        matches!(self.0.reader().fill_buf(), Ok([_, ..]))
    }

    /// What is known of the end.
    pub fn ending(&mut self) -> TlsEnding {
        match self.0.reader().fill_buf() {
            Ok([]) => TlsEnding::Goodbye,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => TlsEnding::Cut,
            _ => TlsEnding::Open,
        }
    }

    /// Takes what fits of plaintext to be sent: rustls holds 64 KiB at most.
    ///
    /// # Errors
    /// When the session has failed before.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.writer().write(bytes)
    }

    /// Whether bytes for the wire wait.
    #[must_use]
    pub fn wants_write(&self) -> bool {
        self.0.wants_write()
    }

    /// Writes all that waits.
    ///
    /// # Errors
    /// Those of `wire`; `WouldBlock` leaves the rest for later.
    pub fn send(&mut self, wire: &mut dyn io::Write) -> io::Result<()> {
        while self.0.wants_write() {
            if self.0.write_tls(wire)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }
}
