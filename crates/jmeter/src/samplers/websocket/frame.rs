//! A frame that came, in the plugin's words.

use plimsoll_elements::binary_text::text_of;
use std::borrow::Cow;

/// How many bytes of a binary frame messages show.
const SHOWN_BYTES: usize = 16;

/// What a frame is; more of a message is of its message's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameType {
    /// Text.
    Text,
    /// Bytes.
    Binary,
    /// The server closes.
    Close,
    /// A ping.
    Ping,
    /// A pong.
    Pong,
}

/// A frame that came.
#[derive(Debug, Clone)]
pub(crate) struct ReadFrame {
    pub(crate) kind: FrameType,
    pub(crate) is_final: bool,
    /// It is more of the message before it.
    pub(crate) continues: bool,
    /// Its payload, decompressed.
    pub(crate) payload: Vec<u8>,
    /// Bytes on the wire.
    pub(crate) wire_bytes: u64,
}

impl ReadFrame {
    /// Whether it is of a message.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self.kind, FrameType::Text | FrameType::Binary)
    }

    /// Its payload as text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.payload)
    }

    /// Bytes of its head.
    pub(crate) fn head_bytes(&self) -> u64 {
        self.wire_bytes.saturating_sub(self.payload.len() as u64)
    }

    /// Code and reason of a close frame, as far as they are there.
    pub(crate) fn close(&self) -> (Option<i32>, Option<Cow<'_, str>>) {
        let Some((code, reason)) = self.payload.split_first_chunk::<2>() else {
            return (None, None);
        };
        let code = i32::from(i16::from_be_bytes(*code));
        let reason = (!reason.is_empty()).then(|| String::from_utf8_lossy(reason));
        (Some(code), reason)
    }

    /// The plugin's word for its type.
    pub(crate) const fn word(&self) -> &'static str {
        match (self.kind, self.continues, self.is_final) {
            (FrameType::Text | FrameType::Binary, true, true) => "final continuation",
            (FrameType::Text | FrameType::Binary, true, false) => "continuation",
            (FrameType::Text, false, true) => "text",
            (FrameType::Text, false, false) => "non-final text",
            (FrameType::Binary, false, true) => "binary",
            (FrameType::Binary, false, false) => "non-final binary",
            (FrameType::Close, ..) => "close",
            (FrameType::Ping, ..) => "ping",
            (FrameType::Pong, ..) => "pong",
        }
    }

    /// As the plugin shows it in messages.
    pub(crate) fn shown(&self) -> String {
        let data = |what: &str| match self.payload.as_slice() {
            [] => format!("{what} frame with no application data"),
            _ => format!("{what} frame with application data '{}'", self.text()),
        };
        match self.kind {
            FrameType::Text => format!("Text frame with text '{}'", self.text()),
            FrameType::Binary => match self.payload.len() {
                0 => "Binary frame, empty payload".to_owned(),
                bytes => format!(
                    "Binary frame, payload (length {bytes}): {}",
                    text_of(&self.payload, SHOWN_BYTES, " ...")
                ),
            },
            FrameType::Ping => data("Ping"),
            FrameType::Pong => data("Pong"),
            FrameType::Close => {
                let (code, reason) = self.close();
                let code = code.map_or_else(|| "null".to_owned(), |code| code.to_string());
                let reason = reason.unwrap_or(Cow::Borrowed("null"));
                format!("Close frame with status code {code} and close reason '{reason}'")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: FrameType, payload: &[u8]) -> ReadFrame {
        ReadFrame {
            kind,
            is_final: true,
            continues: false,
            payload: payload.to_vec(),
            wire_bytes: payload.len() as u64 + 2,
        }
    }

    #[test]
    fn frames_are_shown_as_the_plugin_shows_them() {
        let shown = |kind, payload: &[u8]| frame(kind, payload).shown();
        assert_eq!(shown(FrameType::Text, b"hi"), "Text frame with text 'hi'");
        assert_eq!(
            shown(FrameType::Binary, &[1; 17]),
            format!(
                "Binary frame, payload (length 17): {} ...",
                ["0x01"; 16].join(" ")
            )
        );
        assert_eq!(shown(FrameType::Binary, b""), "Binary frame, empty payload");
        assert_eq!(
            shown(FrameType::Ping, b""),
            "Ping frame with no application data"
        );
        assert_eq!(
            shown(FrameType::Pong, b"p"),
            "Pong frame with application data 'p'"
        );
        assert_eq!(
            shown(FrameType::Close, b"\x03\xe8bye"),
            "Close frame with status code 1000 and close reason 'bye'"
        );
        assert_eq!(
            shown(FrameType::Close, b""),
            "Close frame with status code null and close reason 'null'"
        );
        let more = ReadFrame {
            continues: true,
            is_final: false,
            ..frame(FrameType::Text, b"x")
        };
        assert_eq!((more.word(), more.head_bytes()), ("continuation", 2));
    }
}
