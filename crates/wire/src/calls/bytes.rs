//! Bytes of one direction between two sockets of a host, by the calls at both ends.

/// How many were sent and received so far. A call that sends is told when it is done: whoever receives may be told of
/// before, but nothing that the same end does next.
#[derive(Debug, Default)]
pub(super) struct SentBytes {
    sent: u64,
    received: u64,
    sight: Sight,
}

/// What is known of what was sent before anybody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Sight {
    /// Some of it may still be received.
    #[default]
    Partial,
    /// All of it was received, and perhaps something that was sent since, of which nobody was told yet.
    Settling,
    /// Nothing of it is left.
    Whole,
}

impl SentBytes {
    /// Those of a direction; `whole`: nothing was on its way when the looking began.
    pub(super) fn new(whole: bool) -> Self {
        Self {
            sight: if whole { Sight::Whole } else { Sight::Partial },
            ..Self::default()
        }
    }

    /// How many were sent, as far as is known.
    pub(super) fn known(&self) -> u64 {
        self.sent.max(self.received)
    }

    /// So many were sent; gives how many of these were not known of.
    pub(super) fn send(&mut self, count: u32) -> u64 {
        let before = self.known();
        self.sent += u64::from(count);
        match self.sight {
            // It was received before it was told of.
            Sight::Settling => 0,
            _ => self.known() - before,
        }
    }

    /// So many were received, and whether more can be; gives how many of these were not known of, and whether they may have
    /// been sent before anybody looked.
    pub(super) fn receive(&mut self, count: u32, more: bool) -> (u64, bool) {
        let before = self.known();
        self.received += u64::from(count);
        let new = self.known() - before;
        let is_whole = self.sight == Sight::Whole;
        if !is_whole {
            self.sight = if more {
                Sight::Partial
            } else {
                Sight::Settling
            };
        }
        (new, !is_whole)
    }

    /// The end that sends does something else: all that it sent was told.
    pub(super) fn settle(&mut self) {
        if self.sight == Sight::Settling {
            self.sight = Sight::Whole;
            self.sent = self.known();
            self.received = self.sent;
        }
    }
}
