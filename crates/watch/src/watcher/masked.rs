//! The last place where secrets are taken out, whatever a collector or capture says: nothing of a
//! target goes on from here with one.

use std::borrow::Cow;

use plimsoll_text::{Arg, Message};

use crate::capture::Artifact;

/// A message whose arguments hold no secrets.
pub(super) fn message(mut message: Message) -> Message {
    for (_, arg) in &mut message.args {
        match arg {
            Arg::Text(text) => {
                if let Cow::Owned(masked) = plimsoll_secrets::text(text) {
                    *text = masked;
                }
            }
            Arg::Message(inner) => {
                let taken = std::mem::replace(&mut **inner, Message::new(""));
                **inner = self::message(taken);
            }
            Arg::Number(_) => {}
        }
    }
    message
}

/// A capture without secrets, if it is text.
pub(super) fn artifact(mut artifact: Artifact) -> Artifact {
    let kind = artifact.media_type.as_str();
    if (kind.starts_with("text/") || kind.starts_with("application/json"))
        && let Cow::Owned(masked) = plimsoll_secrets::bytes(&artifact.bytes)
    {
        artifact.bytes = masked;
    }
    artifact
}
