//! The reader of JMeter's plans: whatever the bytes, reading, translating, compiling and
//! writing as YAML neither panic nor hang, and what is refused is refused with a reason.

#![no_main]
#![allow(missing_docs)]

use std::io;

use libfuzzer_sys::fuzz_target;
use plimsoll_jmx::{properties::Properties, read, translate};
use plimsoll_plan::{CompileOptions, compile, to_yaml};

fuzz_target!(|bytes: &[u8]| {
    let Ok(tree) = read::read(bytes) else { return };
    let options = translate::TranslateOptions {
        properties: &Properties::new(),
        folder: "plans".into(),
        plan_file: "plan.jmx".to_owned(),
        allow_unsupported: true,
        read_file: &|_| Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    match translate::translate(&tree, &options) {
        Err(problems) => assert!(!problems.is_empty()),
        Ok(translated) => {
            if let Err(problems) = compile(&translated.plan, &CompileOptions::default()) {
                assert!(!problems.is_empty());
            }
            assert!(!to_yaml(&translated.plan).is_empty());
        }
    }
});
