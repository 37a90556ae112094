//! Which redirects are followed, and how: each maker of requests has rules of its own.

use super::response::Response;

/// What is done with redirects.
pub struct RedirectRules {
    /// Whether a response with this status to a request of this method is followed.
    pub follows: fn(status: u16, method: &str) -> bool,
    /// Whether the next request is a bare GET then.
    pub becomes_get: fn(status: u16, method: &str) -> bool,
}

impl RedirectRules {
    /// Where a response leads, as it says it, if it is followed.
    #[must_use]
    pub fn location<'r>(&self, response: &'r Response, method: &str) -> Option<&'r str> {
        let location = response.location.as_deref()?;
        (self.follows)(response.status, method).then_some(location)
    }
}

/// The rules of plans in YAML (RFC 9110, 15.4, and the Fetch standard: 301 and 302 turn POST into GET, 303 anything but
/// HEAD).
pub(super) const BY_STANDARD: RedirectRules = RedirectRules {
    follows: |status, _| matches!(status, 301 | 302 | 303 | 307 | 308),
    becomes_get: |status, method| match status {
        301 | 302 => method == "POST",
        303 => method != "HEAD" && method != "GET",
        _ => false,
    },
};
