//! The stream of events (the HTML standard, 9.2.6), without input and output.

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamEvent {
    /// Its type; empty: `message`.
    pub name: String,
    /// Its data, lines joined by line breaks.
    pub data: String,
    /// The last id that was sent.
    pub id: String,
}

/// Reads events from pieces of any size.
#[derive(Debug, Default)]
pub struct StreamEvents {
    /// A line that has not ended.
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed behind it belongs to it.
    after_return: bool,
    /// A line was read: no byte order mark may come any more.
    begun: bool,
    name: String,
    data: Option<String>,
    id: String,
    /// Bytes of the event so far.
    bytes: usize,
    max_bytes: usize,
}

/// An event, or a line of one, is longer than what is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

impl StreamEvents {
    /// A stream of events of at most so many bytes each.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
            ..Self::default()
        }
    }

    /// Takes bytes that came, and gives the events that are whole with them.
    ///
    /// # Errors
    /// An event is too long.
    pub fn feed(
        &mut self,
        piece: &[u8],
        take: &mut impl FnMut(StreamEvent),
    ) -> Result<(), TooLong> {
        let mut rest = piece;
        if std::mem::take(&mut self.after_return) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = piece.is_empty();
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&rest[..end])?;
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_return {
                match rest.first() {
                    Some(b'\n') => rest = &rest[1..],
                    Some(_) => {}
                    None => self.after_return = true,
                }
            }
            self.end_of_line(take);
        }
        self.extend(rest)
    }

    fn extend(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        self.bytes += piece.len();
        if self.bytes > self.max_bytes {
            return Err(TooLong);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_of_line(&mut self, take: &mut impl FnMut(StreamEvent)) {
        let line = std::mem::take(&mut self.line);
        let mut line = &line[..];
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_of_event(take);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"event" => self.name = value.into_owned(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.data = Some(value.into_owned()),
            },
            b"id" if !value.contains('\0') => self.id = value.into_owned(),
            // Comments, `retry`, and what no standard knows.
            _ => {}
        }
    }

    fn end_of_event(&mut self, take: &mut impl FnMut(StreamEvent)) {
        self.bytes = 0;
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            take(StreamEvent {
                name,
                data,
                id: self.id.clone(),
            });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<StreamEvent> {
        let mut events = StreamEvents::new(1 << 20);
        let mut all = Vec::new();
        for piece in pieces {
            events.feed(piece, &mut |event| all.push(event)).unwrap();
        }
        all
    }

    fn event(name: &str, data: &str, id: &str) -> StreamEvent {
        StreamEvent {
            name: name.into(),
            data: data.into(),
            id: id.into(),
        }
    }

    #[test]
    fn the_standards_own_examples() {
        // The HTML standard, 9.2.6.
        assert_eq!(
            read(&[b"data: YHOO\ndata: +2\ndata: 10\n\n"]),
            [event("", "YHOO\n+2\n10", "")]
        );
        let stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\ndata: last";
        assert_eq!(
            read(&[stream]),
            [
                event("", "first event", "1"),
                event("", "second event", ""),
                event("", " third event", ""),
            ]
        );
        assert_eq!(
            read(&[b"data\n\ndata\ndata\n\ndata:"]),
            [event("", "", ""), event("", "\n", "")]
        );
        assert_eq!(
            read(&[b"\xef\xbb\xbfdata:test\n\ndata: test\n\nevent: only\n\n"]),
            [event("", "test", ""), event("", "test", "")]
        );
    }

    #[test]
    fn an_event_that_is_too_long_is_an_error() {
        let mut events = StreamEvents::new(10);
        let mut none = |_| unreachable!();
        assert_eq!(events.feed(b"data: 1234", &mut none), Ok(()));
        assert_eq!(events.feed(b"5", &mut none), Err(TooLong));
        let mut events = StreamEvents::new(10);
        let mut count = 0;
        for _ in 0..100 {
            events.feed(b"data: 1\n\n", &mut |_| count += 1).unwrap();
        }
        assert_eq!(count, 100);
    }

    proptest! {
        #[test]
        fn the_pieces_do_not_matter(
            lines in prop::collection::vec(
                prop_oneof!["", "data: [a-z]{0,5}", "data:[^\r\n]{0,8}", "event: [a-z]{1,3}", "id: [0-9]{1,2}", ":[a-z]*", "[a-z:]{0,4}"],
                0..30,
            ),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut whole = String::new();
            for line in &lines {
                whole.push_str(line);
                whole.push_str(end);
            }
            let bytes = whole.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[bytes]));
            // What line ends are does not matter either.
            let plain: String = lines.iter().map(|line| format!("{line}\n")).collect();
            prop_assert_eq!(read(&[plain.as_bytes()]), read(&[bytes]));
        }
    }
}
