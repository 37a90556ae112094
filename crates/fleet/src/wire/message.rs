//! Messages for people on their way: an id and its arguments, rendered where somebody reads them.

use std::borrow::Cow;

use plimsoll_text::{Arg, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message for people as it travels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The id of the text.
    pub id: String,
    /// Its arguments: texts, whole numbers, or messages with `id` and `args`.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Messages in messages beyond this depth are left out.
const MAX_DEPTH: u32 = 4;

impl From<&Message> for Said {
    fn from(message: &Message) -> Self {
        let args = message.args.iter().map(|(name, value)| {
            let value = match value {
                Arg::Text(text) => Value::from(text.clone()),
                Arg::Number(number) => Value::from(*number),
                Arg::Message(inner) => {
                    let inner = Self::from(&**inner);
                    serde_json::json!({"id": inner.id, "args": inner.args})
                }
            };
            (name.clone().into_owned(), value)
        });
        Self {
            id: message.id.clone(),
            args: args.collect(),
        }
    }
}

impl From<&Said> for Message {
    fn from(said: &Said) -> Self {
        message(&said.id, &said.args, 0)
    }
}

fn message(id: &str, args: &Map<String, Value>, depth: u32) -> Message {
    let mut made = Message::new(id);
    for (name, value) in args {
        let arg = match value {
            Value::Number(number) => Arg::Number(number.as_f64().unwrap_or_default()),
            Value::Object(inner) => match inner_of(inner) {
                Some((id, args)) if depth < MAX_DEPTH => {
                    Arg::Message(Box::new(message(id, args, depth + 1)))
                }
                _ => continue,
            },
            Value::String(text) => Arg::Text(text.clone()),
            other => Arg::Text(other.to_string()),
        };
        made.args.push((Cow::Owned(name.clone()), arg));
    }
    made
}

fn inner_of(inner: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    Some((inner.get("id")?.as_str()?, inner.get("args")?.as_object()?))
}
