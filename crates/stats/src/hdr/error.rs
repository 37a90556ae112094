//! Why bytes are no HdrHistogram.

/// Why bytes are no HdrHistogram that can be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HdrError {
    /// The bytes end too early.
    #[error("the HdrHistogram data ends too early")]
    Truncated,
    /// The first four bytes are no known cookie.
    #[error(
        "not an HdrHistogram of version 2: cookie {cookie:#010x}; export it in the V2 encoding, \
         plain or compressed"
    )]
    UnknownCookie {
        /// The cookie without its lowest bits.
        cookie: u32,
    },
    /// The text is not base64.
    #[error("the HdrHistogram text is not base64")]
    NotBase64,
    /// The compressed part cannot be inflated, or is absurdly large.
    #[error("the compressed HdrHistogram cannot be inflated: {what}")]
    NotZlib {
        /// What the decompressor says.
        what: String,
    },
    /// A field has a value that is wrong or not supported.
    #[error("HdrHistogram field '{field}' has a value that is not supported")]
    Field {
        /// Which.
        field: &'static str,
    },
    /// The counts do not fit the layout or their type.
    #[error("the HdrHistogram counts are damaged: {what}")]
    Counts {
        /// What does not hold.
        what: &'static str,
    },
}
