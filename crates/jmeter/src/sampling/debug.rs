//! Variables and properties as a sample.

use plimsoll_elements::order::alphanumeric;
use plimsoll_elements::{Context, DataType, SampleResult};

use super::waits::{texts, until_now};
use crate::element_user::ElementUser;
use crate::sampled::Sampled;
use crate::samplers::debug::DebugSampler;

impl DebugSampler {
    /// Makes the sample.
    pub(crate) async fn sample(&self, user: &mut ElementUser<'_>, label: &str) -> Sampled {
        let shows = texts(user, [&self.variables, &self.properties, &self.system]).await;
        let [variables, properties, system] = shows.map(|it| it.eq_ignore_ascii_case("true"));
        let start_ns = user.thread.clock.now_ns();
        let (mut asked, mut text) = (String::new(), String::new());
        let mut show = |what: &str, pairs: Vec<(String, String)>| {
            asked += &format!("{what}\n");
            text += &format!("{what}:\n");
            for (name, value) in pairs {
                text += &format!("{name}={value}\n");
            }
            text.push('\n');
        };
        if variables {
            show("JMeterVariables", sorted(user.evaluate(|cx| cx.listed())));
        }
        if properties {
            let all = user.thread.jmeter.properties.all();
            show("JMeterProperties", sorted(all.into_iter().collect()));
        }
        if system {
            // There is no Java machine whose properties these would be.
            show("SystemProperties", Vec::new());
        }
        let body = text.into_bytes();
        let mut result = SampleResult {
            data_type: DataType::Text,
            encoding: Some(user.thread.jmeter.default_encoding()),
            sampler_data: Some(asked),
            received_bytes: body.len() as u64,
            body_bytes: body.len() as u64,
            body,
            ..SampleResult::new(label)
        };
        result.ok();
        let times = until_now(user, start_ns);
        Sampled::new(result, times)
    }
}

/// By name, numbers within names as numbers.
fn sorted(mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.sort_by(|(a, _), (b, _)| alphanumeric(a, b));
    pairs
}
