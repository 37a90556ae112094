//! What the interpreters have in common: limits, and why one cannot be read.

/// Calls that are told of one stack: the innermost.
pub(super) const MAX_CALLS: usize = 192;

/// Why the calls of an interpreter cannot be told: how its structures are laid out is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpreterRefused {
    /// A version of Python that is not known here.
    #[error("Python {found}")]
    Python {
        /// The version, or what is known of it.
        found: String,
    },
    /// A version of PHP that is not known here, or one built for threads.
    #[error("PHP {found}")]
    Php {
        /// The version, or what is known of it.
        found: String,
    },
}
