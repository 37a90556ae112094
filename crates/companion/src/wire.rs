//! Frames: big-endian numbers, texts and bytes after their length. `companion/PROTOCOL.md`
//! has the layout.

/// Writes one frame; its length comes first.
#[derive(Debug)]
pub struct FrameWriter(Vec<u8>);

/// A length or a count; frames are far below 4 GB.
fn counted(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl FrameWriter {
    /// A frame of a kind.
    pub fn frame(kind: u8) -> Self {
        let mut writer = Self(Vec::with_capacity(256));
        writer.u32(0);
        writer.u8(kind);
        writer
    }

    /// No frame: something to be hashed or put into one.
    pub const fn part() -> Self {
        Self(Vec::new())
    }

    /// The frame, with its length set.
    pub fn finish(mut self) -> Vec<u8> {
        let length = counted(self.0.len() - 4);
        if let Some(place) = self.0.get_mut(..4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
        self.0
    }

    /// What was written.
    pub fn written(&self) -> &[u8] {
        &self.0
    }

    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn flag(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub fn count(&mut self, value: usize) {
        self.u32(counted(value));
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.count(value.len());
        self.0.extend_from_slice(value);
    }

    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    pub fn maybe_text(&mut self, value: Option<&str>) {
        self.flag(value.is_some());
        if let Some(value) = value {
            self.text(value);
        }
    }

    /// Puts a part into this one.
    pub fn raw(&mut self, part: &[u8]) {
        self.0.extend_from_slice(part);
    }
}

/// A frame that ends too early or says what it must not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedFrame(pub &'static str);

/// Reads a frame's payload.
#[derive(Debug)]
pub struct FrameReader<'b>(&'b [u8]);

impl<'b> FrameReader<'b> {
    pub const fn new(payload: &'b [u8]) -> Self {
        Self(payload)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], MalformedFrame> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(MalformedFrame("too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], MalformedFrame> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or(MalformedFrame("too short"))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, MalformedFrame> {
        self.array::<1>().map(|[value]| value)
    }

    pub fn flag(&mut self) -> Result<bool, MalformedFrame> {
        self.u8().map(|value| value != 0)
    }

    pub fn u32(&mut self) -> Result<u32, MalformedFrame> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, MalformedFrame> {
        self.array().map(u64::from_be_bytes)
    }

    /// A count of things of which each takes at least a byte.
    pub fn count(&mut self) -> Result<usize, MalformedFrame> {
        let count = self.u32()? as usize;
        if count > self.0.len() {
            return Err(MalformedFrame("a count beyond the frame"));
        }
        Ok(count)
    }

    pub fn bytes(&mut self) -> Result<&'b [u8], MalformedFrame> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    pub fn text(&mut self) -> Result<String, MalformedFrame> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    pub fn maybe_text(&mut self) -> Result<Option<String>, MalformedFrame> {
        if self.flag()? {
            self.text().map(Some)
        } else {
            Ok(None)
        }
    }

    pub fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, MalformedFrame>,
    ) -> Result<Vec<T>, MalformedFrame> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }
}
