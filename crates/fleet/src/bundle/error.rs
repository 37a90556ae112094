//! What is wrong with a bundle.

use plimsoll_text::{Lang, Message as Text, render};

/// A bundle that cannot be made, read or unpacked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", render(Lang::En, .0))]
pub struct BundleError(pub Text);

/// A block that is no bundle, or not a whole one.
pub(super) fn damaged(reason: &str) -> BundleError {
    BundleError(Text::new("bundle-damaged").with("reason", reason))
}
