//! A call on a stack, named.

use serde::{Deserialize, Serialize};

/// What runs a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// The kernel.
    Kernel,
    /// The CPU, compiled before or while running.
    Native,
    /// An interpreter.
    Interpreted,
}

/// A call on a stack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NamedFrame {
    /// The function as its language writes it; `nginx+0x4a310` where only its address is known.
    pub function: String,
    /// Its source file, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The library, package, program or platform that it belongs to; none: the user's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// What runs it.
    pub kind: FrameKind,
}

/// Names are no longer than this; C++ has some of thousands of letters.
const MAX_NAME: usize = 300;

/// A name that can be told: without control characters, and cut where it is endless.
pub(crate) fn tellable(name: &str) -> String {
    let plain = name
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut told: String = plain.clone().take(MAX_NAME).collect();
    if plain.count() > MAX_NAME {
        told.push('…');
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_clean() {
        assert_eq!(tellable("a\nb\u{1b}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(tellable(&"é".repeat(MAX_NAME)).chars().count(), MAX_NAME);
        assert_eq!(
            tellable(&"é".repeat(MAX_NAME + 1)).chars().count(),
            MAX_NAME + 1
        );
    }
}
