//! Messages as ids and arguments, so that the controller shows them in its own language.

use std::borrow::Cow;

use plimsoll_text::{Arg, Message};
use serde::{Deserialize, Serialize};

/// A message that travels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireText {
    id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    args: Vec<(String, TextValue)>,
}

/// An argument that travels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TextValue {
    Text(String),
    Number(f64),
    Message(WireText),
}

impl From<&Message> for WireText {
    fn from(message: &Message) -> Self {
        let args = message.args.iter().map(|(name, arg)| {
            let value = match arg {
                Arg::Text(text) => TextValue::Text(text.clone()),
                // JSON has no form for them.
                Arg::Number(number) if !number.is_finite() => TextValue::Text(number.to_string()),
                Arg::Number(number) => TextValue::Number(*number),
                Arg::Message(inner) => TextValue::Message(Self::from(inner.as_ref())),
            };
            (name.clone().into_owned(), value)
        });
        Self {
            id: message.id.clone(),
            args: args.collect(),
        }
    }
}

impl From<WireText> for Message {
    fn from(text: WireText) -> Self {
        let args = text.args.into_iter().map(|(name, value)| {
            let arg = match value {
                TextValue::Text(text) => Arg::Text(text),
                TextValue::Number(number) => Arg::Number(number),
                TextValue::Message(inner) => Arg::Message(Box::new(inner.into())),
            };
            (Cow::Owned(name), arg)
        });
        Self {
            id: text.id,
            args: args.collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_text::{Lang, render};

    use super::*;

    #[test]
    fn a_message_is_the_same_in_both_languages_after_the_way() {
        let inner = Message::new("watch-too-slow").with("seconds", 5);
        let message = Message::new("watch-file-unreadable")
            .with("path", "/proc/stat")
            .with("reason", inner);
        let bytes = serde_json::to_vec(&WireText::from(&message)).unwrap();
        let back = Message::from(serde_json::from_slice::<WireText>(&bytes).unwrap());
        assert_eq!(back, message);
        for lang in Lang::ALL {
            assert_eq!(render(lang, &back), render(lang, &message));
        }
        let odd = Message::new("watch-too-slow").with("seconds", f64::NAN);
        assert!(
            serde_json::to_string(&WireText::from(&odd))
                .unwrap()
                .contains("NaN")
        );
    }
}
