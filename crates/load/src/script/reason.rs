//! Why a script gave no value.

use plimsoll_plan::model::Span;
use plimsoll_text::Message;
use rquickjs::{CaughtError, Coerced, Ctx};

/// Why a script gave no value.
pub(super) struct ScriptReason {
    /// What was thrown.
    thrown: String,
    /// The line within the script, from 1; 0: unknown.
    line: u32,
    timed_out: bool,
}

impl ScriptReason {
    pub fn of(js: &Ctx<'_>, error: rquickjs::Error, timed_out: bool) -> Self {
        match CaughtError::from_error(js, error) {
            CaughtError::Exception(exception) => {
                let name = exception
                    .get::<_, Coerced<String>>("name")
                    .map_or_else(|_| "Error".to_owned(), |name| name.0);
                let message = exception.message().unwrap_or_default();
                let line = line_of(&exception.stack().unwrap_or_default());
                Self {
                    thrown: format!("{name}: {message}"),
                    line,
                    timed_out,
                }
            }
            CaughtError::Value(value) => {
                let thrown = value.get::<Coerced<String>>();
                let thrown = thrown.map_or_else(|_| "(no text)".to_owned(), |text| text.0);
                Self {
                    thrown,
                    line: 0,
                    timed_out,
                }
            }
            CaughtError::Error(error) => Self {
                thrown: error.to_string(),
                line: 0,
                timed_out,
            },
        }
    }

    pub fn message(self, at: Span, show: impl FnOnce(&str) -> String) -> Message {
        let id = if self.timed_out {
            "script-timed-out"
        } else {
            "script-failed"
        };
        let message = Message::new(id)
            .with("plan_line", at.line)
            .with("line", self.line);
        if self.timed_out {
            message
        } else {
            message.with("thrown", show(&self.thrown))
        }
    }
}

/// The line of the script in a stack such as `    at f (script:3:14)`: the innermost.
fn line_of(stack: &str) -> u32 {
    let place = stack.split("script:").nth(1).unwrap_or_default();
    let digits = place
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap_or_default();
    digits.parse().unwrap_or(0)
}
