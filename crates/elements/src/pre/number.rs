//! Numbers in variables.

use crate::context::{Context, Fault};
use crate::fields::Field;
use crate::functions::decimal::DecimalPattern;

/// A property as a whole number; what is none is 0.
pub(super) fn whole(field: &Field, cx: &mut dyn Context) -> Result<i64, Fault> {
    Ok(field.text(cx)?.parse().unwrap_or(0))
}

/// A `DecimalFormat`, read once when it is fixed.
pub(super) struct NumberFormat {
    field: Field,
    fixed: Option<Result<DecimalPattern, String>>,
}

impl NumberFormat {
    pub(super) fn new(field: Field) -> Self {
        let fixed = field.fixed().map(DecimalPattern::new);
        Self { field, fixed }
    }

    /// Sets a variable to a number in this format.
    pub(super) fn set(&self, name: &Field, value: i64, cx: &mut dyn Context) -> Result<(), Fault> {
        let text = self.text(value, cx)?;
        let name = name.text(cx)?;
        cx.set(&name, &text);
        Ok(())
    }

    /// A number in this format; as it is where there is none or it is wrong.
    fn text(&self, value: i64, cx: &mut dyn Context) -> Result<String, Fault> {
        let text = self.field.text(cx)?;
        if text.is_empty() {
            return Ok(value.to_string());
        }
        let read;
        let pattern = match &self.fixed {
            Some(pattern) => pattern,
            None => {
                read = DecimalPattern::new(&text);
                &read
            }
        };
        Ok(match pattern {
            Ok(pattern) => pattern.format(value),
            Err(wrong) => {
                cx.log(&format!("WARN format {text} of {value}: {wrong}"));
                value.to_string()
            }
        })
    }
}
