//! Frame filters: configuration that takes frames away before samplers see them.

use plimsoll_elements::binary_text::{bytes_of, holds};
use plimsoll_elements::fields::Field;
use plimsoll_elements::pattern::{Dialect, Pattern};
use plimsoll_elements::{Context, Fault, Fields};
use plimsoll_plan::program::{ElementProgram, ValueProgram};

use super::frame::{FrameType, ReadFrame};
use super::package::PACKAGE;

/// Which frames a filter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterKind {
    /// Frames of text.
    Text,
    /// Frames of bytes.
    Binary,
    /// Pings and pongs.
    Ping,
}

const KINDS: [(&str, FilterKind); 3] = [
    ("BinaryFrameFilter", FilterKind::Binary),
    ("PingFrameFilter", FilterKind::Ping),
    ("TextFrameFilter", FilterKind::Text),
];

/// How a payload is compared, without a leading `Not`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Not at all: all of its kind are taken.
    IsPlain,
    /// The whole.
    Equals,
    /// The whole, by a pattern.
    EqualsRegex,
    /// Anywhere.
    Contains,
    /// Anywhere, by a pattern.
    ContainsRegex,
    /// At the beginning.
    StartsWith,
    /// At the end.
    EndsWith,
}

const COMPARISONS: [(&str, Comparison); 7] = [
    ("IsPlain", Comparison::IsPlain),
    ("Equals", Comparison::Equals),
    ("EqualsRegex", Comparison::EqualsRegex),
    ("Contains", Comparison::Contains),
    ("ContainsRegex", Comparison::ContainsRegex),
    ("StartsWith", Comparison::StartsWith),
    ("EndsWith", Comparison::EndsWith),
];

/// A filter, bound.
pub(crate) struct FrameFilter {
    kind: FilterKind,
    name: Field,
    how: Field,
    wanted: Field,
    position: Field,
    which: Field,
    responds: Field,
}

/// Whether a ping that was taken is responded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PongSending {
    /// It is not.
    No,
    /// By a pong with what it held.
    Yes,
}

/// A filter with its texts; a text that is wrong is an exception of Java's at its first use.
pub(crate) struct ReadyFilter {
    pub(crate) name: String,
    kind: FilterKind,
    takes: Result<Takes, String>,
    pub(crate) pongs: PongSending,
}

/// What a filter takes.
enum Takes {
    All,
    Pings,
    Pongs,
    Text(Comparison, bool, String),
    Pattern(Comparison, bool, Box<Pattern>),
    Bytes(Comparison, bool, Vec<u8>, Option<i32>),
    /// What the plugin finds out about with the first frame of bytes.
    Unknown,
}

impl FrameFilter {
    /// Whether an element is one.
    pub(crate) fn is_one(element: &ElementProgram) -> bool {
        Self::kind(element).is_some()
    }

    fn kind(element: &ElementProgram) -> Option<FilterKind> {
        let class = element.class.strip_prefix(PACKAGE)?;
        let known = KINDS.iter().find(|(known, _)| *known == class);
        known.map(|(_, kind)| *kind)
    }

    /// Whether two are the same to the plugin.
    pub(crate) fn are_equal(one: &ElementProgram, other: &ElementProgram) -> bool {
        let text = |value: &ValueProgram| match value {
            ValueProgram::Text(template) => template.as_text().map(str::to_owned),
            _ => None,
        };
        let all = |element: &ElementProgram| {
            let name = element.name.as_text().map(|name| vec![name.to_owned()]);
            let texts = element.properties.iter();
            let texts = texts.map(|(name, value)| Some(format!("{name}={}", text(value)?)));
            let texts: Option<Vec<String>> = texts.collect();
            name.zip(texts)
        };
        one.class == other.class && all(one).is_some_and(|one| Some(one) == all(other))
    }

    pub(crate) fn bind(fields: Fields<'_>) -> Self {
        Self {
            kind: Self::kind(fields.0).unwrap_or(FilterKind::Ping),
            name: Field::from(fields.0.name.clone()),
            how: fields.field("comparisonType"),
            wanted: fields.field("matchValue"),
            position: fields.field("matchPosition"),
            which: fields.field("filterType"),
            responds: fields.field("replyToPing"),
        }
    }

    /// Its texts for a user.
    pub(crate) fn ready(&self, cx: &mut dyn Context) -> Result<ReadyFilter, Fault> {
        let name = self.name.text(cx)?.into_owned();
        let responds = self.responds.truth(cx, false)?;
        let takes = match self.kind {
            FilterKind::Ping => pings(&self.which.text_or(cx, "FilterAll")?),
            FilterKind::Text | FilterKind::Binary => {
                let how = self.how.text_or(cx, "IsPlain")?.into_owned();
                let wanted = self.wanted.text(cx)?.into_owned();
                let position = self.position.text(cx)?.parse().ok();
                compared(self.kind, &how, &wanted, position)
            }
        };
        Ok(ReadyFilter {
            name,
            kind: self.kind,
            takes,
            pongs: match responds && self.kind == FilterKind::Ping {
                true => PongSending::Yes,
                false => PongSending::No,
            },
        })
    }
}

fn no_constant(of: &str, word: &str) -> String {
    format!("java.lang.IllegalArgumentException: No enum constant {PACKAGE}{of}.{word}")
}

fn pings(which: &str) -> Result<Takes, String> {
    match which {
        "FilterAll" => Ok(Takes::All),
        "FilterPingOnly" => Ok(Takes::Pings),
        "FilterPongOnly" => Ok(Takes::Pongs),
        word => Err(no_constant("PingFrameFilter.PingFilterType", word)),
    }
}

fn compared(
    kind: FilterKind,
    how: &str,
    wanted: &str,
    position: Option<i32>,
) -> Result<Takes, String> {
    let (word, not) = match how.strip_prefix("Not") {
        Some(word) => (word, true),
        None => (how, false),
    };
    let known = COMPARISONS.iter().find(|(known, _)| *known == word);
    let Some((_, comparison)) = known.filter(|(known, _)| !(not && *known == "IsPlain")) else {
        return Err(no_constant("ComparisonType", how));
    };
    let by_pattern = matches!(
        comparison,
        Comparison::EqualsRegex | Comparison::ContainsRegex
    );
    Ok(match (kind, comparison) {
        (_, Comparison::IsPlain) => Takes::All,
        (FilterKind::Text, _) if by_pattern => {
            let pattern = Pattern::new(wanted, Dialect::Java)
                .map_err(|why| format!("java.util.regex.PatternSyntaxException: {why}"))?;
            Takes::Pattern(*comparison, not, Box::new(pattern))
        }
        (FilterKind::Text, _) => Takes::Text(*comparison, not, wanted.to_owned()),
        // What is no number is said to take nothing, and is compared as nothing.
        _ if !by_pattern => {
            let bytes = bytes_of(wanted).unwrap_or_default();
            Takes::Bytes(*comparison, not, bytes, position)
        }
        _ => Takes::Unknown,
    })
}

impl ReadyFilter {
    /// What is wrong with it before any frame came.
    ///
    /// # Errors
    /// An exception, as Java shows it.
    pub(crate) fn prepared(&self) -> Result<(), String> {
        match (&self.takes, self.kind) {
            (Err(why), FilterKind::Text | FilterKind::Binary) => Err(why.clone()),
            _ => Ok(()),
        }
    }

    /// Whether a frame is taken.
    ///
    /// # Errors
    /// An exception, as Java shows it.
    pub(crate) fn takes(&self, frame: &ReadFrame) -> Result<bool, String> {
        let is_its = match self.kind {
            FilterKind::Text => frame.kind == FrameType::Text,
            FilterKind::Binary => frame.kind == FrameType::Binary,
            FilterKind::Ping => matches!(frame.kind, FrameType::Ping | FrameType::Pong),
        };
        // The type of a ping filter is looked at whatever came.
        let takes = self.takes.as_ref().map_err(String::clone)?;
        if !is_its {
            return Ok(false);
        }
        match takes {
            Takes::All => Ok(true),
            Takes::Pings => Ok(frame.kind == FrameType::Ping),
            Takes::Pongs => Ok(frame.kind == FrameType::Pong),
            Takes::Text(how, not, wanted) => Ok(is_text(*how, &frame.text(), wanted) != *not),
            Takes::Pattern(how, not, pattern) => {
                let text = frame.text();
                let found = match how {
                    Comparison::EqualsRegex => pattern.matches(&text),
                    _ => pattern.is_in(&text),
                };
                Ok(found != *not)
            }
            Takes::Unknown => Err("java.lang.RuntimeException: unknown comparison type".to_owned()),
            Takes::Bytes(how, not, wanted, position) => {
                is_bytes(*how, &frame.payload, wanted, *position).map(|found| found != *not)
            }
        }
    }
}

fn is_text(how: Comparison, text: &str, wanted: &str) -> bool {
    match how {
        Comparison::Equals => text == wanted,
        Comparison::StartsWith => text.starts_with(wanted),
        Comparison::EndsWith => text.ends_with(wanted),
        _ => text.contains(wanted),
    }
}

fn is_bytes(
    how: Comparison,
    bytes: &[u8],
    wanted: &[u8],
    position: Option<i32>,
) -> Result<bool, String> {
    Ok(match (how, position) {
        (Comparison::Equals, _) => bytes == wanted,
        (Comparison::StartsWith, _) => bytes.starts_with(wanted),
        (Comparison::EndsWith, _) => bytes.ends_with(wanted),
        (_, None) => holds(bytes, wanted),
        (_, Some(_)) if wanted.is_empty() => false,
        (_, Some(position)) => match usize::try_from(position) {
            Ok(position) => bytes
                .get(position..)
                .is_some_and(|rest| rest.starts_with(wanted)),
            Err(_) if i64::from(position) + wanted.len() as i64 > bytes.len() as i64 => false,
            Err(_) => {
                let length = bytes.len();
                return Err(format!(
                    "java.lang.ArrayIndexOutOfBoundsException: Index {position} out of bounds for length {length}"
                ));
            }
        },
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn frame(kind: FrameType, payload: &[u8]) -> ReadFrame {
        ReadFrame {
            kind,
            is_final: true,
            continues: false,
            payload: payload.to_vec(),
            wire_bytes: 0,
        }
    }

    fn filter(kind: FilterKind, takes: Result<Takes, String>) -> ReadyFilter {
        ReadyFilter {
            name: "filter".to_owned(),
            kind,
            takes,
            pongs: PongSending::No,
        }
    }

    #[test]
    fn text_is_compared_as_the_plugin_does() {
        let takes = |how: &str, wanted: &str, text: &str| {
            let takes = compared(FilterKind::Text, how, wanted, None);
            filter(FilterKind::Text, takes).takes(&frame(FrameType::Text, text.as_bytes()))
        };
        for (how, wanted, taken, left) in [
            ("Contains", "b", "abc", "acd"),
            ("Equals", "abc", "abc", "abcd"),
            ("StartsWith", "a", "abc", "ba"),
            ("EndsWith", "c", "abc", "cb"),
            ("ContainsRegex", "b.", "abc", "ab"),
            ("EqualsRegex", "a.*", "abc", "ba"),
        ] {
            assert_eq!(takes(how, wanted, taken), Ok(true), "{how}");
            assert_eq!(takes(how, wanted, left), Ok(false), "{how}");
            let not = format!("Not{how}");
            assert_eq!(takes(&not, wanted, taken), Ok(false), "{not}");
            assert_eq!(takes(&not, wanted, left), Ok(true), "{not}");
        }
        assert_eq!(takes("IsPlain", "", "anything"), Ok(true));
        assert!(
            takes("NotIsPlain", "", "x")
                .unwrap_err()
                .contains("ComparisonType.NotIsPlain")
        );
        assert!(
            takes("EqualsRegex", "(", "x")
                .unwrap_err()
                .contains("PatternSyntax")
        );
    }

    #[test]
    fn bytes_are_compared_as_the_plugin_does() {
        let takes = |how: &str, wanted: &str, position: Option<i32>, bytes: &[u8]| {
            let takes = compared(FilterKind::Binary, how, wanted, position);
            filter(FilterKind::Binary, takes).takes(&frame(FrameType::Binary, bytes))
        };
        assert_eq!(takes("Contains", "02", None, &[1, 2, 3]), Ok(true));
        assert_eq!(takes("Contains", "02", Some(1), &[1, 2, 3]), Ok(true));
        assert_eq!(takes("Contains", "02", Some(2), &[1, 2, 3]), Ok(false));
        assert_eq!(takes("NotContains", "02", Some(9), &[1, 2, 3]), Ok(true));
        assert_eq!(takes("EndsWith", "02 03", None, &[1, 2, 3]), Ok(true));
        // A value that is none is in nothing, and at the beginning of everything.
        assert_eq!(takes("Contains", "zz", None, &[1]), Ok(false));
        assert_eq!(takes("StartsWith", "zz", None, &[1]), Ok(true));
        assert!(takes("Contains", "02", Some(-1), &[1, 2]).is_err());
        assert!(
            takes("EqualsRegex", "02", None, &[1])
                .unwrap_err()
                .contains("unknown comparison")
        );
    }

    #[test]
    fn a_filter_is_for_frames_of_its_kind() {
        let text = frame(FrameType::Text, b"x");
        let binary = compared(FilterKind::Binary, "IsPlain", "", None);
        assert_eq!(filter(FilterKind::Binary, binary).takes(&text), Ok(false));
        for (which, ping, pong) in [
            ("FilterAll", true, true),
            ("FilterPingOnly", true, false),
            ("FilterPongOnly", false, true),
        ] {
            let filter = filter(FilterKind::Ping, pings(which));
            assert_eq!(filter.takes(&frame(FrameType::Ping, b"")), Ok(ping));
            assert_eq!(filter.takes(&frame(FrameType::Pong, b"")), Ok(pong));
            assert_eq!(filter.takes(&text), Ok(false));
        }
        assert!(filter(FilterKind::Ping, pings("x")).takes(&text).is_err());
    }
}
