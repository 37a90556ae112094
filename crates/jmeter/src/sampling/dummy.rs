//! A sample as it is written.

use plimsoll_elements::{DataType, SampleResult};

use super::waits::{sleep, texts, until_now};
use crate::element_user::ElementUser;
use crate::sampled::{SampleTimes, Sampled};
use crate::samplers::dummy::DummySampler;
use plimsoll_load::kit::user::Cut;

/// Nanoseconds of a millisecond.
const MS: u64 = 1_000_000;

impl DummySampler {
    /// Makes the sample.
    pub(crate) async fn sample(
        &self,
        user: &mut ElementUser<'_>,
        label: &str,
    ) -> Result<Sampled, Cut> {
        let time_fields = [&self.waits, &self.time, &self.latency, &self.connect];
        let [waits, time, latency, connect] = texts(user, time_fields).await;
        let number = |text: &str| text.parse::<u32>().unwrap_or(0);
        let time_ms = u64::from(number(&time));
        let start_ns = user.thread.clock.now_ns();
        let mut times = if waits.eq_ignore_ascii_case("true") {
            // Interrupted, it is what it was to be, only earlier.
            sleep(user, time_ms).await;
            until_now(user, start_ns)
        } else {
            // The sample says of itself how long it took, also where the run is younger than that.
            let end_ns = start_ns.max(time_ms * MS);
            SampleTimes {
                start_ns: end_ns - time_ms * MS,
                end_ns,
                ..SampleTimes::default()
            }
        };
        if number(&latency) > 0 {
            times.first_byte_ns = times.start_ns + u64::from(number(&latency)) * MS;
        }
        times.connect_ns = u64::from(number(&connect)) * MS;
        let fields = [&self.success, &self.code, &self.message];
        let [success, code, message] = texts(user, fields).await;
        let fields = [&self.request, &self.response, &self.url];
        let [sampler_data, response, url] = texts(user, fields).await;
        let body = response.into_bytes();
        let result = SampleResult {
            success: success.eq_ignore_ascii_case("true"),
            code,
            message,
            sampler_data: Some(sampler_data),
            data_type: DataType::Text,
            received_bytes: body.len() as u64,
            body_bytes: body.len() as u64,
            body,
            url: url::Url::parse(&url).is_ok().then_some(url),
            ..SampleResult::new(label)
        };
        Ok(Sampled::new(result, times))
    }
}
