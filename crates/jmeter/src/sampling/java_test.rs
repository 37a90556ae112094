//! JMeter's own Java samplers at work.

use plimsoll_elements::{DataType, SampleResult};

use super::waits::{sleep, texts, until_now};
use crate::element_user::ElementUser;
use crate::sampled::Sampled;
use crate::samplers::java_test::{JavaSampler, JavaTestKind};
use plimsoll_load::kit::user::Cut;

impl JavaSampler {
    /// Makes the sample.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Sampled, Cut> {
        let mut given = Vec::with_capacity(self.arguments.len());
        for (name, value) in &self.arguments {
            given.push(texts(user, [name, value]).await);
        }
        let text = |name: &str| {
            let found = given.iter().rev().find(|[known, _]| known == name);
            found.map(|[_, value]| value.as_str())
        };
        let number = |name: &str, default: i64| text(name).and_then(decode).unwrap_or(default);
        let (time, mask) = match self.kind {
            JavaTestKind::JavaTest => (number("Sleep_Time", 100), number("Sleep_Mask", 0xff)),
            JavaTestKind::SleepTest => (number("SleepTime", 1_000), number("SleepMask", 0x3ff)),
        };
        let start_ns = user.thread.clock.now_ns();
        let mut sleep_ms = time;
        if time > 0 && mask > 0 {
            let unix_ms = user.thread.clock.unix_ns(start_ns) / 1_000_000;
            sleep_ms += i64::try_from(unix_ms).unwrap_or(0) % mask;
        }
        let mut result = match self.kind {
            JavaTestKind::JavaTest => {
                let mut result = java_test(label, &text);
                if !result.body.is_empty() {
                    result.encoding = Some(user.thread.jmeter.default_encoding());
                }
                result
            }
            JavaTestKind::SleepTest => SampleResult {
                sampler_data: Some(format!("Sleep Test: time = {sleep_ms}")),
                success: true,
                ..SampleResult::new(label)
            },
        };
        // A label of its own, else the sampler's.
        if result.label.is_empty() {
            label.clone_into(&mut result.label);
        }
        if sleep_ms > 0 && user.jm().thrown.is_none() {
            let sleep_ms = sleep_ms.unsigned_abs();
            if !sleep(user, sleep_ms).await {
                self.interrupted(&mut result);
            }
        }
        let times = until_now(user, start_ns);
        Ok(Sampled::new(result, times))
    }

    fn interrupted(&self, result: &mut SampleResult) {
        result.success = false;
        if self.kind == JavaTestKind::SleepTest {
            "java.lang.InterruptedException: sleep interrupted".clone_into(&mut result.message);
        }
    }
}

fn java_test<'t>(label: &str, text: &impl Fn(&str) -> Option<&'t str>) -> SampleResult {
    let text = |name: &str| text(name).unwrap_or_default().to_owned();
    let own = text("Label");
    let sampler_data = text("SamplerData");
    let body = text("ResultData").into_bytes();
    let status = text("Status");
    SampleResult {
        code: text("ResponseCode"),
        message: text("ResponseMessage"),
        sent_bytes: sampler_data.encode_utf16().count() as u64,
        sampler_data: Some(sampler_data).filter(|text| !text.is_empty()),
        received_bytes: body.len() as u64,
        body_bytes: body.len() as u64,
        body,
        data_type: DataType::Text,
        success: status.eq_ignore_ascii_case("ok"),
        ..SampleResult::new(if own.is_empty() { label } else { &own })
    }
}

/// A number as Java's `Long.decode` reads it: decimal, `0x…` or `#…` hexadecimal, `0…` octal.
fn decode(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = ["0x", "0X", "#"]
        .iter()
        .find_map(|it| digits.strip_prefix(it));
    let number = match (hex, digits.strip_prefix('0')) {
        (Some(hex), _) => i64::from_str_radix(hex, 16),
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8),
        _ => digits.parse(),
    };
    number.ok().map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn numbers_are_read_as_java_decodes_them() {
        for (text, number) in [
            ("100", Some(100)),
            ("0xFF", Some(255)),
            ("#1f", Some(31)),
            ("010", Some(8)),
            ("0", Some(0)),
            ("-0x10", Some(-16)),
            ("", None),
            ("ten", None),
            (" 5", None),
        ] {
            assert_eq!(decode(text), number, "{text}");
        }
    }
}
