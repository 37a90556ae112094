//! `SampleTimeout`: cuts a sampler off after a time. The engine cuts; this says when.

use super::number::whole;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};

/// How long samplers may take.
#[derive(Debug)]
pub struct SampleTimeout {
    timeout: Field,
}

impl SampleTimeout {
    pub(super) fn new(fields: Fields<'_>) -> Self {
        Self {
            timeout: fields.field("InterruptTimer.timeout"),
        }
    }

    /// Milliseconds from the start of the sampler; none: no limit. Asked before each sample,
    /// since it may be a variable. Of several the shortest counts.
    ///
    /// # Errors
    /// When the property cannot be evaluated.
    pub fn timeout_ms(&self, cx: &mut dyn Context) -> Result<Option<u64>, Fault> {
        let timeout_ms = whole(&self.timeout, cx)?;
        Ok(u64::try_from(timeout_ms).ok().filter(|ms| *ms > 0))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::registry::{Bound, bind};
    use crate::testing::element;

    #[test]
    fn a_timeout_is_a_number_above_zero() {
        let mut cx = TestContext::with(&[("ms", "70")]);
        for (text, expected) in [
            ("300", Some(300)),
            ("${ms}", Some(70)),
            ("0", None),
            ("-1", None),
            ("x", None),
        ] {
            let element = element("SampleTimeout", &[("InterruptTimer.timeout", text)]);
            let Some(Bound::Timeout(timeout)) = bind(&element) else {
                panic!("a timeout");
            };
            assert_eq!(timeout.timeout_ms(&mut cx), Ok(expected), "{text}");
        }
    }
}
