//! Reading and writing the pieces of a report.

use super::WireError;

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a block with its length.
pub(super) fn put_block(out: &mut Vec<u8>, block: &[u8]) {
    put_varint(out, block.len() as u64);
    out.extend_from_slice(block);
}

/// Reads from the front.
pub(super) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn byte(&mut self) -> Result<u8, WireError> {
        let (byte, rest) = self.rest.split_first().ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::damaged("a number is too long"))
    }

    pub fn u32(&mut self) -> Result<u32, WireError> {
        let value = self.varint()?;
        u32::try_from(value).map_err(|_| WireError::damaged("a number is too large"))
    }

    pub fn block(&mut self) -> Result<&'a [u8], WireError> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let (block, rest) = self.rest.split_at_checked(length).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(block)
    }

    pub fn text(&mut self) -> Result<String, WireError> {
        let text = std::str::from_utf8(self.block()?);
        text.map(str::to_owned).map_err(WireError::damaged)
    }

    pub fn end(self) -> Result<(), WireError> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(WireError::damaged(format!("{more} bytes too many"))),
        }
    }
}

fn ends_early() -> WireError {
    WireError::damaged("it ends early")
}
