//! `DebugPostProcessor`: variables and properties as a sub-sample.

use plimsoll_plan::program::Template;

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PostProcessor};
use crate::order::alphanumeric;
use crate::result::{DataType, SampleResult};

struct Debug {
    name: Template,
    sampler: Field,
    variables: Field,
    properties: Field,
    system: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Post(Box::new(Debug {
        name: fields.0.name.clone(),
        sampler: fields.field("displaySamplerProperties"),
        variables: fields.field("displayJMeterVariables"),
        properties: fields.field("displayJMeterProperties"),
        system: fields.field("displaySystemProperties"),
    }))
}

impl PostProcessor for Debug {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let start_unix_ms = cx.unix_ms();
        let mut shown = DebugShown::default();
        if self.sampler.truth(cx, false)? {
            shown.add("SamplerProperties", cx.sampler_properties()?);
        }
        if self.variables.truth(cx, false)? {
            shown.add("JMeterVariables", cx.listed());
        }
        if self.properties.truth(cx, false)? {
            let all = cx.properties().all();
            shown.add("JMeterProperties", all.into_iter().collect());
        }
        if self.system.truth(cx, false)? {
            // There is no Java machine whose properties these would be.
            shown.add("SystemProperties", Vec::new());
        }
        let thread = cx.thread();
        let body = shown.text.into_bytes();
        let encoding = cx.properties().get("sampleresult.default.encoding");
        let mut part = SampleResult {
            data_type: DataType::Text,
            encoding: Some(encoding.unwrap_or_else(|| "UTF-8".to_owned())),
            thread_name: thread.name.to_string(),
            group_threads: thread.group_threads,
            all_threads: thread.all_threads,
            start_unix_ms,
            end_unix_ms: cx.unix_ms(),
            elapsed_ms: cx.unix_ms().saturating_sub(start_unix_ms),
            sampler_data: Some(shown.asked),
            body_bytes: body.len() as u64,
            received_bytes: body.len() as u64,
            body,
            ..SampleResult::new(cx.text(&self.name)?)
        };
        part.ok();
        sample.add_part(part, thread.renames_parts);
        Ok(())
    }
}

/// What is shown, and what was asked for.
#[derive(Default)]
struct DebugShown {
    asked: String,
    text: String,
}

impl DebugShown {
    fn add(&mut self, what: &str, mut pairs: Vec<(String, String)>) {
        pairs.sort_by(|(one, _), (other, _)| alphanumeric(one, other));
        self.asked += &format!("{what}\n");
        self.text += &format!("{what}:\n");
        for (name, value) in pairs {
            self.text += &format!("{name}={value}\n");
        }
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::super::testing::process;
    use super::*;
    use crate::context::testing::TestContext;
    use crate::testing::keyed;

    #[test]
    fn variables_become_a_part_of_the_sample() {
        let properties = keyed(
            "display",
            &[("JMeterVariables", "true"), ("SystemProperties", "false")],
        );
        let mut sample = SampleResult::new("label");
        sample.received_bytes = 5;
        let mut cx = TestContext::with(&[("b_10", "x"), ("b_9", "y")]);
        cx.set_null("b_11");
        process("DebugPostProcessor", &properties, &mut cx, &mut sample).unwrap();
        let part = &sample.parts[0];
        assert_eq!(
            part.text(),
            "JMeterVariables:\nb_9=y\nb_10=x\nb_11=null\n\n"
        );
        assert_eq!(part.sampler_data.as_deref(), Some("JMeterVariables\n"));
        assert_eq!(part.encoding.as_deref(), Some("UTF-8"));
        assert_eq!(
            (&*part.label, &*part.code, part.success),
            ("label-0", "200", true)
        );
        assert_eq!(sample.received_bytes, 5 + part.received_bytes);
    }

    #[test]
    fn in_functional_mode_the_part_keeps_its_name() {
        let mut sample = SampleResult::new("label");
        let mut cx = TestContext::with(&[]);
        cx.thread.renames_parts = false;
        process("DebugPostProcessor", &[], &mut cx, &mut sample).unwrap();
        let part = &sample.parts[0];
        assert_eq!(
            (&*part.label, part.sampler_data.as_deref()),
            ("the name", Some(""))
        );
    }
}
