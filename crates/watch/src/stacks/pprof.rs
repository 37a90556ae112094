//! Profiles in the form of github.com/google/pprof (proto/profile.proto), as far as stacks need it: samples of
//! locations, their lines with functions, and texts. It is read field by field; what is not known is passed over.

use std::collections::HashMap;

/// More samples, and calls of one, are not read.
const MAX_SAMPLES: usize = 100_000;
const MAX_LOCATIONS: usize = 256;

/// A field of a message.
enum ProtoValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of a fixed length, which no field here has.
    Fixed,
}

/// The fields of a message in their order.
struct ProtoFields<'a> {
    bytes: &'a [u8],
    /// It ended within a field.
    broken: bool,
}

impl<'a> ProtoFields<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            broken: false,
        }
    }

    fn field(&mut self) -> Option<(u64, ProtoValue<'a>)> {
        let key = varint(&mut self.bytes)?;
        let value = match key & 7 {
            0 => ProtoValue::Number(varint(&mut self.bytes)?),
            2 => {
                let length = usize::try_from(varint(&mut self.bytes)?).ok()?;
                let (value, rest) = self.bytes.split_at_checked(length)?;
                self.bytes = rest;
                ProtoValue::Bytes(value)
            }
            kind @ (1 | 5) => {
                let length = if kind == 1 { 8 } else { 4 };
                self.bytes = self.bytes.get(length..)?;
                ProtoValue::Fixed
            }
            _ => return None,
        };
        Some((key >> 3, value))
    }
}

impl<'a> Iterator for ProtoFields<'a> {
    type Item = (u64, ProtoValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() || self.broken {
            return None;
        }
        let field = self.field();
        self.broken = field.is_none();
        field
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Numbers of a repeated field, which stand alone or together.
fn numbers(value: &ProtoValue<'_>, out: &mut Vec<u64>) {
    match value {
        ProtoValue::Number(number) => out.push(*number),
        ProtoValue::Bytes(bytes) => {
            let mut bytes = *bytes;
            while out.len() < MAX_LOCATIONS
                && let Some(number) = varint(&mut bytes)
            {
                out.push(number);
            }
        }
        ProtoValue::Fixed => {}
    }
    out.truncate(MAX_LOCATIONS);
}

/// A profile that was read.
pub(super) struct PprofProfile<'a> {
    /// Locations, innermost first, with how often they were seen.
    pub(super) samples: Vec<(Vec<u64>, u64)>,
    /// Lines of a location: functions with line numbers, the innermost of inlined calls first.
    locations: HashMap<u64, Vec<(u64, u64)>>,
    /// Names and files of functions, as places in `texts`.
    functions: HashMap<u64, (u64, u64)>,
    texts: Vec<&'a [u8]>,
}

impl<'a> PprofProfile<'a> {
    /// Reads a profile that is unpacked; none where it is none, or damaged.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut profile = Self {
            samples: Vec::new(),
            locations: HashMap::new(),
            functions: HashMap::new(),
            texts: Vec::new(),
        };
        let mut fields = ProtoFields::of(bytes);
        for (field, value) in &mut fields {
            match (field, value) {
                (2, ProtoValue::Bytes(sample)) if profile.samples.len() < MAX_SAMPLES => {
                    profile.sample(sample);
                }
                (4, ProtoValue::Bytes(location)) => profile.location(location),
                (5, ProtoValue::Bytes(function)) => profile.function(function),
                (6, ProtoValue::Bytes(text)) => profile.texts.push(text),
                _ => {}
            }
        }
        (!fields.broken && !profile.texts.is_empty()).then_some(profile)
    }

    fn sample(&mut self, bytes: &[u8]) {
        let (mut locations, mut values) = (Vec::new(), Vec::new());
        for (field, value) in ProtoFields::of(bytes) {
            match field {
                1 => numbers(&value, &mut locations),
                2 => numbers(&value, &mut values),
                _ => {}
            }
        }
        let count = values.first().copied().unwrap_or(0);
        // Numbers below zero are none.
        self.samples
            .push((locations, count.min(u64::from(u32::MAX))));
    }

    fn location(&mut self, bytes: &[u8]) {
        let (mut id, mut lines) = (0, Vec::new());
        for (field, value) in ProtoFields::of(bytes) {
            match (field, value) {
                (1, ProtoValue::Number(number)) => id = number,
                (4, ProtoValue::Bytes(line)) => {
                    let (mut function, mut at) = (0, 0);
                    for (field, value) in ProtoFields::of(line) {
                        match (field, value) {
                            (1, ProtoValue::Number(number)) => function = number,
                            (2, ProtoValue::Number(number)) => at = number,
                            _ => {}
                        }
                    }
                    lines.push((function, at));
                }
                _ => {}
            }
        }
        self.locations.insert(id, lines);
    }

    fn function(&mut self, bytes: &[u8]) {
        let (mut id, mut name, mut file) = (0, 0, 0);
        for (field, value) in ProtoFields::of(bytes) {
            match (field, value) {
                (1, ProtoValue::Number(number)) => id = number,
                (2, ProtoValue::Number(number)) => name = number,
                (4, ProtoValue::Number(number)) => file = number,
                _ => {}
            }
        }
        self.functions.insert(id, (name, file));
    }

    fn text(&self, at: u64) -> &'a str {
        let place = usize::try_from(at).ok();
        let bytes = place.and_then(|place| self.texts.get(place).copied());
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// The calls at a location, innermost first: function, file and line.
    pub(super) fn calls(&self, location: u64) -> impl Iterator<Item = (&'a str, &'a str, u64)> {
        let lines = self.locations.get(&location).into_iter().flatten();
        lines.filter_map(|(function, line)| {
            let (name, file) = self.functions.get(function)?;
            let name = self.text(*name);
            (!name.is_empty()).then(|| (name, self.text(*file), *line))
        })
    }

    /// All functions with their files.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.functions.values();
        all.map(|(name, file)| (self.text(*name), self.text(*file)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// A call as it is put into a profile.
    #[derive(Clone, Copy)]
    pub(in crate::stacks) struct Packed {
        pub(in crate::stacks) function: &'static str,
        pub(in crate::stacks) file: &'static str,
        pub(in crate::stacks) line: u64,
    }

    fn put(mut number: u64, out: &mut Vec<u8>) {
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    fn number(field: u64, number: u64, out: &mut Vec<u8>) {
        put(field << 3, out);
        put(number, out);
    }

    fn bytes(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
        put(field << 3 | 2, out);
        put(bytes.len() as u64, out);
        out.extend(bytes);
    }

    /// A packed profile of stacks with their counts; each call is a location, and locations stand together.
    pub(in crate::stacks) fn packed(stacks: &[(u64, Vec<Packed>)]) -> Vec<u8> {
        let (mut plain, mut texts) = (Vec::new(), vec![""]);
        let mut next = 1;
        for (count, calls) in stacks {
            let mut ids = Vec::new();
            for call in calls {
                texts.extend([call.function, call.file]);
                let name = texts.len() as u64 - 2;
                let (mut function, mut line, mut location) = (Vec::new(), Vec::new(), Vec::new());
                number(1, next, &mut function);
                number(2, name, &mut function);
                number(4, name + 1, &mut function);
                bytes(5, &function, &mut plain);
                number(1, next, &mut line);
                number(2, call.line, &mut line);
                number(1, next, &mut location);
                bytes(4, &line, &mut location);
                bytes(4, &location, &mut plain);
                put(next, &mut ids);
                next += 1;
            }
            let (mut sample, mut values) = (Vec::new(), Vec::new());
            bytes(1, &ids, &mut sample);
            put(*count, &mut values);
            bytes(2, &values, &mut sample);
            bytes(2, &sample, &mut plain);
        }
        for text in texts {
            bytes(6, text.as_bytes(), &mut plain);
        }
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&plain).unwrap();
        packer.finish().unwrap()
    }
}
