//! One direction of a connection in the order of its bytes, whatever order its packets came in.

/// Segments that wait for what comes before them, at most.
const MAX_WAITING: usize = 64;
/// And their bytes.
const MAX_WAITING_BYTES: usize = 256 << 10;

/// Bytes of a direction, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderedBytes<'a> {
    /// These.
    Seen(&'a [u8]),
    /// So many whose packet was cut.
    Cut(u32),
    /// So many that were never seen, nor when they came.
    Missed(u32),
}

/// What a segment was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It carried what was not there yet.
    New,
    /// All of it had been there.
    Again,
    /// It carried nothing.
    Empty,
}

struct WaitingSegment {
    sequence: u32,
    length: u32,
    bytes: Box<[u8]>,
}

/// The order of one direction.
#[derive(Default)]
pub(crate) struct ByteOrder {
    /// The number of the next byte; none before the first packet.
    next: Option<u32>,
    waiting: Vec<WaitingSegment>,
    /// The number behind the last byte, where that was seen.
    end_at: Option<u32>,
}

/// How far `one` is behind `other` on the circle of numbers; negative: before it.
fn ahead(one: u32, other: u32) -> i32 {
    one.wrapping_sub(other).cast_signed()
}

impl ByteOrder {
    /// The number of the next byte.
    pub(crate) fn next(&self) -> Option<u32> {
        self.next
    }

    /// A connection begins, and this direction with that number.
    pub(crate) fn begin(&mut self, sequence: u32) {
        *self = Self::default();
        self.next = Some(sequence.wrapping_add(1));
    }

    /// Takes a segment in and hands on what is in order now.
    pub(crate) fn segment(
        &mut self,
        (sequence, length): (u32, u32),
        bytes: &[u8],
        deliver: &mut dyn FnMut(OrderedBytes<'_>),
    ) -> Arrival {
        let over = self.end_at.is_some_and(|end| ahead(sequence, end) >= 0);
        if length == 0 || over {
            return Arrival::Empty;
        }
        let next = *self.next.get_or_insert(sequence);
        let hole = ahead(sequence, next);
        if hole > 0 {
            return self.wait(sequence, length, bytes, deliver);
        }
        let known = hole.unsigned_abs();
        if known >= length {
            // One byte before the next asks whether the other side is still there.
            return match (length, known) {
                (1, 1) => Arrival::Empty,
                _ => Arrival::Again,
            };
        }
        self.hand_on(known, length, bytes, deliver);
        self.hand_on_waiting(deliver);
        Arrival::New
    }

    /// Hands on a segment of which so many bytes are known.
    fn hand_on(
        &mut self,
        known: u32,
        length: u32,
        bytes: &[u8],
        deliver: &mut dyn FnMut(OrderedBytes<'_>),
    ) {
        let seen = bytes.get(known as usize..).unwrap_or_default();
        if !seen.is_empty() {
            deliver(OrderedBytes::Seen(seen));
        }
        let cut = (length - known).saturating_sub(seen.len() as u32);
        if cut > 0 {
            deliver(OrderedBytes::Cut(cut));
        }
        self.next = self.next.map(|next| next.wrapping_add(length - known));
    }

    fn hand_on_waiting(&mut self, deliver: &mut dyn FnMut(OrderedBytes<'_>)) {
        while let (Some(next), Some(at)) = (self.next, self.first_waiting()) {
            if ahead(self.waiting[at].sequence, next) > 0 {
                return;
            }
            let segment = self.waiting.swap_remove(at);
            let known = ahead(next, segment.sequence).unsigned_abs();
            if known < segment.length {
                self.hand_on(known, segment.length, &segment.bytes, deliver);
            }
        }
    }

    fn first_waiting(&self) -> Option<usize> {
        let next = self.next?;
        let all = self.waiting.iter().enumerate();
        all.min_by_key(|(_, segment)| ahead(segment.sequence, next))
            .map(|(at, _)| at)
    }

    fn wait(
        &mut self,
        sequence: u32,
        length: u32,
        bytes: &[u8],
        deliver: &mut dyn FnMut(OrderedBytes<'_>),
    ) -> Arrival {
        let mut same = self.waiting.iter();
        if same.any(|known| known.sequence == sequence && known.length >= length) {
            return Arrival::Again;
        }
        self.waiting.push(WaitingSegment {
            sequence,
            length,
            bytes: bytes.into(),
        });
        if self.waiting.len() > MAX_WAITING || self.kept() > MAX_WAITING_BYTES {
            self.give_up_hole(deliver);
        }
        Arrival::New
    }

    /// What is before the first that waits will not come.
    fn give_up_hole(&mut self, deliver: &mut dyn FnMut(OrderedBytes<'_>)) {
        if let (Some(next), Some(at)) = (self.next, self.first_waiting()) {
            let sequence = self.waiting[at].sequence;
            let missed = ahead(sequence, next).max(0).unsigned_abs();
            deliver(OrderedBytes::Missed(missed));
            self.next = Some(sequence);
            self.hand_on_waiting(deliver);
        }
    }

    /// The other side has all bytes before that number: what is not here of them was not seen.
    pub(crate) fn acknowledged(&mut self, number: u32, deliver: &mut dyn FnMut(OrderedBytes<'_>)) {
        self.next.get_or_insert(number);
        let end = self.end_at.filter(|end| ahead(number, *end) > 0);
        let number = end.unwrap_or(number);
        while let Some(next) = self.next
            && ahead(number, next) > 0
        {
            match self.first_waiting() {
                Some(at) if ahead(number, self.waiting[at].sequence) > 0 => {
                    self.give_up_hole(deliver);
                }
                _ => {
                    deliver(OrderedBytes::Missed(ahead(number, next).unsigned_abs()));
                    self.next = Some(number);
                }
            }
        }
    }

    /// Whether all has come up to the direction's end.
    pub(crate) fn is_over(&self) -> bool {
        let came = |end| self.next.is_none_or(|next| ahead(next, end) >= 0);
        self.end_at.is_some_and(came)
    }

    /// So many bytes wait.
    pub(crate) fn kept(&self) -> usize {
        self.waiting.iter().map(|segment| segment.bytes.len()).sum()
    }

    /// The direction ends with a segment that begins there and has that length: its end has a
    /// number of its own, which is acknowledged as a byte is.
    pub(crate) fn end(&mut self, sequence: u32, length: u32) {
        self.end_at.get_or_insert(sequence.wrapping_add(length));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What was handed on: bytes, cut ones as 0, and how many were missed.
    #[derive(Default)]
    struct Heard {
        bytes: Vec<u8>,
        missed: u32,
    }

    impl Heard {
        fn take(&mut self, stretch: OrderedBytes<'_>) {
            match stretch {
                OrderedBytes::Seen(seen) => self.bytes.extend(seen),
                OrderedBytes::Cut(cut) => self.bytes.extend(std::iter::repeat_n(0, cut as usize)),
                OrderedBytes::Missed(missed) => self.missed += missed,
            }
        }
    }

    #[test]
    fn what_was_acknowledged_without_being_seen_was_missed() {
        let (mut order, mut heard) = (ByteOrder::default(), Heard::default());
        order.begin(u32::MAX);
        let mut take = |stretch: OrderedBytes<'_>| heard.take(stretch);
        assert_eq!(order.segment((0, 3), b"abc", &mut take), Arrival::New);
        assert_eq!(order.segment((1, 2), b"bc", &mut take), Arrival::Again);
        assert_eq!(order.segment((2, 1), b"c", &mut take), Arrival::Empty);
        assert_eq!(order.segment((5, 4), b"fg", &mut take), Arrival::New);
        order.acknowledged(3, &mut take);
        order.acknowledged(6, &mut take);
        order.end(9, 0);
        order.acknowledged(10, &mut take);
        assert_eq!(order.next(), Some(9));
        assert_eq!((&heard.bytes[..], heard.missed), (&b"abcfg\0\0"[..], 2));
    }

    proptest! {
        #[test]
        fn any_order_and_any_repetition_give_the_bytes_once(
            bytes in prop::collection::vec(1..255_u8, 1..400),
            cuts in prop::collection::vec(0..400_usize, 0..30),
            turns in prop::collection::vec((0..40_usize, 0..40_usize), 0..40),
            again in prop::collection::vec(0..40_usize, 0..20),
            first in any::<u32>(),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            cuts.dedup();
            let mut segments: Vec<(usize, &[u8])> = cuts.windows(2)
                .map(|ends| (ends[0], &bytes[ends[0]..ends[1]]))
                .collect();
            let count = segments.len();
            for (one, other) in turns {
                segments.swap(one % count, other % count);
            }
            for at in again {
                segments.push(segments[at % count]);
            }
            let (mut order, mut heard) = (ByteOrder::default(), Heard::default());
            order.begin(first.wrapping_sub(1));
            for (at, segment) in &segments {
                let place = (first.wrapping_add(*at as u32), segment.len() as u32);
                order.segment(place, segment, &mut |stretch| heard.take(stretch));
            }
            prop_assert_eq!(heard.bytes, bytes);
            prop_assert_eq!(heard.missed, 0);
        }

        #[test]
        fn noise_does_no_harm(noise in prop::collection::vec(
            (any::<u32>(), 0..5000_u32, 0..100_usize, 0..4_u8), 0..200))
        {
            let mut order = ByteOrder::default();
            let bytes = [7; 100];
            for (sequence, length, kept, kind) in noise {
                let kept = &bytes[..kept.min(length as usize)];
                match kind {
                    0 => order.acknowledged(sequence, &mut |_| ()),
                    1 => order.end(sequence, length),
                    _ => { order.segment((sequence, length), kept, &mut |_| ()); }
                }
            }
        }
    }
}
