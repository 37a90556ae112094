//! Texts with JMeter's functions and JEXL in them: whatever they say, computing them neither
//! panics nor hangs nor takes more memory than the limits allow.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_elements::context::testing::TestContext;
use plimsoll_elements::functions;
use plimsoll_plan::compile::jmeter_text;
use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::program::{Part, SiteId};

/// Functions that read or write files, or ask the system: they would do so here.
const OUTSIDE: [&str; 6] = ["File", "CSVRead", "XPath", "machine", "log", "digest"];

fuzz_target!(|text: &str| {
    if OUTSIDE.iter().any(|name| text.contains(name)) {
        return;
    }
    let mut cx = TestContext::with(&[("a", "1"), ("t", "x,y"), ("m_matchNr", "2"), ("m_1", "q")]);
    let values = |name: &str| (name == "a").then(|| "1".to_owned());
    for text in [
        text.to_owned(),
        format!("${{__jexl3({})}}", text.replace(',', "\\,")),
    ] {
        let Some(template) = jmeter_text(&text, SiteId(0), &values) else {
            continue;
        };
        for part in &template.parts {
            let value = match part {
                Part::Call(call) => functions::call(call, &mut cx),
                _ => continue,
            };
            assert!(value.map_or(0, |value| value.len()) <= 8 * TEXT_BYTES);
        }
    }
});
