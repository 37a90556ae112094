//! A message: what is to be said, not yet in any language.

use std::borrow::Cow;

/// An argument of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// Text, put in as it is.
    Text(String),
    /// A number, put in as it is written here (no grouping, so that it can be copied).
    Number(f64),
    /// A message inside a message.
    Message(Box<Message>),
}

/// An id of `locales/*.ftl` with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The Fluent message id.
    pub id: String,
    /// The arguments by name; names that came from another process are owned.
    pub args: Vec<(Cow<'static, str>, Arg)>,
}

impl Message {
    /// A message without arguments so far.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            args: Vec::new(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Self {
        self.args.push((Cow::Borrowed(name), value.into()));
        self
    }

    /// Puts another text in the place of one, in all texts that are not its own words.
    pub fn replace_in_texts(&mut self, from: &str, to: &str) {
        for (_, arg) in &mut self.args {
            match arg {
                Arg::Text(text) if text.contains(from) => *text = text.replace(from, to),
                Arg::Message(inner) => inner.replace_in_texts(from, to),
                Arg::Text(_) | Arg::Number(_) => {}
            }
        }
    }

    /// The texts in it that are not its own words, in messages inside it, too.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        for (_, arg) in &self.args {
            match arg {
                Arg::Text(text) => texts.push(text.as_str()),
                Arg::Message(inner) => texts.extend(inner.texts()),
                Arg::Number(_) => {}
            }
        }
        texts
    }
}

impl From<&str> for Arg {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Arg {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Message> for Arg {
    fn from(value: Message) -> Self {
        Self::Message(Box::new(value))
    }
}

macro_rules! number_args {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Arg {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn from(value: $kind) -> Self {
                Self::Number(value as f64)
            }
        }
    )*};
}
number_args!(u8, u16, u32, u64, usize, i32, i64, f64);
