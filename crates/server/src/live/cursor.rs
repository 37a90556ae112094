//! How far somebody has heard of a run: the id of an event. It outlives the server.

use std::fmt;
use std::str::FromStr;

use plimsoll_store::{Run, StoreError};

/// Places in the order of writing, and a moment: all behind them is new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LiveCursor {
    /// The last second's place.
    pub second: i64,
    /// The last event's place.
    pub event: i64,
    /// The last moment of the target, Unix milliseconds.
    pub moment: i64,
}

impl LiveCursor {
    /// All that is written of a run.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn end_of(run: &Run) -> Result<Self, StoreError> {
        let end = run.written_so_far()?;
        Ok(Self {
            second: end.second,
            event: end.event,
            moment: end.at_unix_ms,
        })
    }
}

impl fmt::Display for LiveCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.second, self.event, self.moment)
    }
}

impl FromStr for LiveCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let numbers: Option<Vec<i64>> = text
            .split('.')
            .map(|part| part.parse().ok().filter(|number| *number >= 0))
            .collect();
        match numbers.as_deref() {
            Some(&[second, event, moment]) => Ok(Self {
                second,
                event,
                moment,
            }),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_and_nothing_else_is_one() {
        let cursor = LiveCursor {
            second: 7,
            event: 0,
            moment: 1_700_000_000_000,
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "-1.2.3",
            "a.b.c",
            "1.2.99999999999999999999",
        ] {
            assert_eq!(text.parse::<LiveCursor>(), Err(()), "{text}");
        }
    }
}
