//! The chunked transfer coding (RFC 9112, 7.1), read piece by piece.

use super::error::ReadError;

/// Bytes of chunk extensions, padding included, that one response may carry.
const EXTENSION_LIMIT_BYTES: u32 = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkPhase {
    /// Hexadecimal digits of a chunk's size.
    Size,
    /// Blanks after the size.
    Blank,
    Extension,
    /// A line feed must follow the carriage return of the size line.
    SizeLf,
    Data,
    /// The line end after a chunk's data.
    DataEnd,
    DataLf,
    /// At the start of a line of the trailer section.
    TrailerStart,
    Trailer,
    TrailerLf,
}

/// Where in the coding the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunked {
    /// The size being read, then the data bytes of this chunk still to come.
    left: u64,
    extension_bytes: u32,
    digits: u8,
    phase: ChunkPhase,
}

/// Room that is left for the parts of the response that are bounded.
pub(super) struct Room<'a> {
    /// Bytes of header section, for trailers.
    pub head_used: &'a mut usize,
    pub head_limit: usize,
    /// Body bytes announced by chunk sizes so far.
    pub body: &'a mut u64,
    pub body_limit: u64,
    /// Where `input` begins in the response.
    pub offset: u64,
}

impl Chunked {
    pub fn new() -> Self {
        Self {
            left: 0,
            extension_bytes: 0,
            digits: 0,
            phase: ChunkPhase::Size,
        }
    }

    /// Body bytes of the current chunk that have not arrived.
    pub fn missing(&self) -> u64 {
        if self.phase == ChunkPhase::Data {
            self.left
        } else {
            0
        }
    }

    /// Reads as far as `input` goes. Returns the bytes taken and whether the
    /// body ended there; if it did not, all of `input` was taken.
    pub fn advance(
        &mut self,
        input: &[u8],
        room: &mut Room<'_>,
        mut body: impl FnMut(&[u8]),
    ) -> Result<(usize, bool), ReadError> {
        let mut at = 0;
        while at < input.len() {
            match self.phase {
                ChunkPhase::Data => {
                    let piece = usize::try_from(self.left)
                        .unwrap_or(usize::MAX)
                        .min(input.len() - at);
                    body(&input[at..at + piece]);
                    at += piece;
                    self.left -= piece as u64;
                    if self.left == 0 {
                        self.phase = ChunkPhase::DataEnd;
                    }
                }
                ChunkPhase::Extension | ChunkPhase::Trailer => {
                    at += self.skip_line(&input[at..], room)?
                }
                _ => {
                    let done = self.step(input[at], &input[at..], room, at)?;
                    at += 1;
                    if done {
                        return Ok((at, true));
                    }
                }
            }
        }
        Ok((at, false))
    }

    /// Takes the rest of a line nobody needs, within its limit.
    fn skip_line(&mut self, input: &[u8], room: &mut Room<'_>) -> Result<usize, ReadError> {
        let end = memchr::memchr(b'\n', input);
        let taken = end.map_or(input.len(), |i| i + 1);
        if self.phase == ChunkPhase::Extension {
            self.count_extension(taken)?;
            if end.is_some() {
                self.size_line_ended(room)?;
            }
        } else {
            count_trailer(taken, room)?;
            if end.is_some() {
                self.phase = ChunkPhase::TrailerStart;
            }
        }
        Ok(taken)
    }

    /// Takes one byte of the framing. True if it was the last of the body.
    fn step(
        &mut self,
        byte: u8,
        near: &[u8],
        room: &mut Room<'_>,
        at: usize,
    ) -> Result<bool, ReadError> {
        let wrong = |what| Err(ReadError::malformed(what, room.offset + at as u64, near));
        match (self.phase, byte) {
            (ChunkPhase::Size, _) if byte.is_ascii_hexdigit() => {
                if self.digits == 16 {
                    return wrong("chunk size has more than 16 digits");
                }
                self.digits += 1;
                let digit = char::from(byte).to_digit(16).unwrap_or(0);
                self.left = self.left << 4 | u64::from(digit);
            }
            (ChunkPhase::Size, _) if self.digits == 0 => return wrong("chunk size expected"),
            (ChunkPhase::Size | ChunkPhase::Blank, b'\r') => self.phase = ChunkPhase::SizeLf,
            (ChunkPhase::Size | ChunkPhase::Blank | ChunkPhase::SizeLf, b'\n') => {
                self.size_line_ended(room)?
            }
            (ChunkPhase::Size | ChunkPhase::Blank, b';') => self.phase = ChunkPhase::Extension,
            (ChunkPhase::Size | ChunkPhase::Blank, b' ' | b'\t') => {
                self.count_extension(1)?;
                self.phase = ChunkPhase::Blank;
            }
            (ChunkPhase::Size | ChunkPhase::Blank, _) => {
                return wrong("invalid character in a chunk size");
            }
            (ChunkPhase::DataEnd, b'\r') => self.phase = ChunkPhase::DataLf,
            (ChunkPhase::DataEnd | ChunkPhase::DataLf, b'\n') => self.phase = ChunkPhase::Size,
            (ChunkPhase::DataEnd | ChunkPhase::DataLf, _) => {
                return wrong("chunk data is not followed by a line end");
            }
            (ChunkPhase::TrailerStart, b'\r') => {
                count_trailer(1, room)?;
                self.phase = ChunkPhase::TrailerLf;
            }
            (ChunkPhase::TrailerStart | ChunkPhase::TrailerLf, b'\n') => return Ok(true),
            (ChunkPhase::TrailerStart, _) => {
                count_trailer(1, room)?;
                self.phase = ChunkPhase::Trailer;
            }
            _ => return wrong("line feed expected after a carriage return"),
        }
        Ok(false)
    }

    fn size_line_ended(&mut self, room: &mut Room<'_>) -> Result<(), ReadError> {
        self.digits = 0;
        if self.left == 0 {
            self.phase = ChunkPhase::TrailerStart;
            return Ok(());
        }
        let body = room.body.saturating_add(self.left);
        if body > room.body_limit {
            return Err(ReadError::BodyLimit {
                limit: room.body_limit,
            });
        }
        *room.body = body;
        self.phase = ChunkPhase::Data;
        Ok(())
    }

    fn count_extension(&mut self, bytes: usize) -> Result<(), ReadError> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.extension_bytes = self.extension_bytes.saturating_add(bytes);
        if self.extension_bytes > EXTENSION_LIMIT_BYTES {
            return Err(ReadError::HeaderLimit {
                limit: u64::from(EXTENSION_LIMIT_BYTES),
                unit: "bytes of chunk extensions",
            });
        }
        Ok(())
    }
}

fn count_trailer(bytes: usize, room: &mut Room<'_>) -> Result<(), ReadError> {
    *room.head_used = room.head_used.saturating_add(bytes);
    if *room.head_used > room.head_limit {
        return Err(ReadError::HeaderLimit {
            limit: room.head_limit as u64,
            unit: "bytes",
        });
    }
    Ok(())
}
