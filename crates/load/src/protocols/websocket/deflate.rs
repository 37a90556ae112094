//! permessage-deflate (RFC 7692).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// What is offered: any window and context the server likes for what it sends.
pub const OFFER: &str = "permessage-deflate";

/// What a flushed block of deflate ends with, which is left out on the wire (RFC 7692, 7.2.1).
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// Both directions of a connection on which compression was agreed.
#[derive(Debug)]
pub struct Deflate {
    out: Compress,
    incoming: Decompress,
    /// Each message is compressed by itself.
    resets_out: bool,
    resets_incoming: bool,
}

impl Deflate {
    /// What the server agreed to, by its header `Sec-WebSocket-Extensions`; none when it did not.
    ///
    /// # Errors
    /// What it wants that was not offered.
    pub fn agreed<'h>(headers: impl Iterator<Item = &'h str>) -> Result<Option<Self>, String> {
        let mut agreed: Option<Self> = None;
        let extensions = headers.flat_map(|header| header.split(','));
        for extension in extensions.map(str::trim).filter(|it| !it.is_empty()) {
            let mut parts = extension.split(';').map(str::trim);
            if parts.next() != Some(OFFER) || agreed.is_some() {
                return Err(format!("the server wants the extension \"{extension}\""));
            }
            let mut deflate = Self {
                out: Compress::new(Compression::default(), false),
                incoming: Decompress::new(false),
                resets_out: false,
                resets_incoming: false,
            };
            for parameter in parts {
                let (name, value) = match parameter.split_once('=') {
                    Some((name, value)) => (name.trim(), value.trim().trim_matches('"')),
                    None => (parameter, ""),
                };
                match name {
                    "client_no_context_takeover" => deflate.resets_out = true,
                    "server_no_context_takeover" => deflate.resets_incoming = true,
                    // A smaller window of the server's needs nothing here.
                    "server_max_window_bits" if (8..=15).contains(&value.parse().unwrap_or(0)) => {}
                    _ => return Err(format!("the server wants \"{parameter}\" of compression")),
                }
            }
            agreed = Some(deflate);
        }
        Ok(agreed)
    }

    /// Compresses a message; none when it must go as it is.
    pub fn deflate(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        if data.is_empty() {
            // Nothing is flushed a second time: an empty block stands for it (RFC 7692, 7.2.3.6).
            return Some(vec![0]);
        }
        if self.resets_out {
            self.out.reset();
        }
        let mut out = Vec::with_capacity(data.len() / 2 + 64);
        let before = self.out.total_in();
        loop {
            let taken = usize::try_from(self.out.total_in() - before).ok()?;
            let room = out.capacity() - out.len();
            self.out
                .compress_vec(&data[taken..], &mut out, FlushCompress::Sync)
                .ok()?;
            let all = self.out.total_in() - before == data.len() as u64;
            // Room that was left says that the flush is through.
            if all && out.len() < out.capacity() && room > 0 {
                break;
            }
            out.reserve(out.capacity().max(64));
        }
        out.truncate(out.len().saturating_sub(TAIL.len()));
        Some(out)
    }

    /// Restores a message; none when it has more than so many bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn inflate(&mut self, data: &[u8], most: usize) -> Result<Option<Vec<u8>>, String> {
        if data.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let mut out = Vec::with_capacity(data.len().saturating_mul(3).clamp(64, 1 << 20));
        for piece in [data, &TAIL] {
            let before = self.incoming.total_in();
            loop {
                let taken = usize::try_from(self.incoming.total_in() - before).unwrap_or(0);
                let status = self
                    .incoming
                    .decompress_vec(&piece[taken..], &mut out, FlushDecompress::Sync)
                    .map_err(|error| error.to_string())?;
                if out.len() > most {
                    return Ok(None);
                }
                let all = self.incoming.total_in() - before == piece.len() as u64;
                if status == Status::StreamEnd || all && out.len() < out.capacity() {
                    break;
                }
                if status == Status::BufError && out.len() < out.capacity() {
                    return Err("it is cut short".to_owned());
                }
                out.reserve(out.capacity().max(64));
            }
        }
        if self.resets_incoming {
            self.incoming.reset(false);
        }
        Ok(Some(out))
    }
}
