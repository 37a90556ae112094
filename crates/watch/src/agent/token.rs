//! The secret that a controller shows to an agent.

use std::fmt;
use std::path::Path;

use plimsoll_text::Message;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{AgentError, file_error};

/// Where a token is looked for if no file is named.
pub const VARIABLE: &str = "PLIMSOLL_AGENT_TOKEN";
/// Shortest token that may guard a port beyond loopback, bytes.
pub const LEAST_BYTES: usize = 16;
/// Longest token, bytes.
const MOST_BYTES: usize = 1024;

/// A secret. Never printed.
#[derive(Clone)]
pub struct AgentToken(String);

impl fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl AgentToken {
    /// The token that a file holds, without blanks around it.
    ///
    /// # Errors
    /// A file that cannot be read, is empty or too long.
    pub fn from_file(path: &Path) -> Result<Self, AgentError> {
        let text = std::fs::read_to_string(path).map_err(|error| file_error(path, &error))?;
        Self::checked(&text, &path.display().to_string())
    }

    /// The token of a variable of the environment; none if there is no such variable.
    ///
    /// # Errors
    /// An empty or too long one.
    pub fn from_env(variable: &str) -> Result<Option<Self>, AgentError> {
        match std::env::var(variable) {
            Ok(text) => Self::checked(&text, variable).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn checked(text: &str, place: &str) -> Result<Self, AgentError> {
        let token = text.trim();
        if token.is_empty() || token.len() > MOST_BYTES || token.contains(char::is_control) {
            return Err(AgentError(
                Message::new("agent-token-unusable")
                    .with("place", place)
                    .with("most", MOST_BYTES),
            ));
        }
        Ok(Self(token.to_owned()))
    }

    /// Whether it is long enough to guard a port beyond loopback.
    #[must_use]
    pub fn is_strong(&self) -> bool {
        self.0.len() >= LEAST_BYTES
    }

    /// Whether somebody showed this token. Takes as long for every wrong one.
    #[must_use]
    pub fn is(&self, shown: &str) -> bool {
        // Digests have one length, so that not even the length is told.
        let (own, shown) = (Sha256::digest(&self.0), Sha256::digest(shown));
        own.as_slice().ct_eq(shown.as_slice()).into()
    }

    /// For `hello`.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_is_the_token() {
        let token = AgentToken::checked(" secret-of-the-agent\n", "here").unwrap();
        assert!(token.is("secret-of-the-agent"));
        for wrong in [
            "",
            "secret-of-the-agen",
            "secret-of-the-agent ",
            "Secret-of-the-agent",
        ] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(!format!("{token:?}").contains("secret"));
    }

    #[test]
    fn useless_tokens_say_where_they_are_from() {
        for text in ["", " \n", "two\nlines", &"x".repeat(2000)] {
            let error = AgentToken::checked(text, "agent.token").unwrap_err();
            assert!(error.to_string().contains("agent.token"), "{error}");
        }
    }
}
