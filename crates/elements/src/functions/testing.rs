//! Calling functions in tests.

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::{Call, SiteId};

use crate::context::Fault;
use crate::context::testing::TestContext;
use crate::testing::template;

/// A call at site 0; `${name}` in an argument is a variable.
pub(crate) fn call(name: &'static str, args: &[&str]) -> Call {
    Call {
        function: Function::JMeter(name),
        args: args.iter().map(|text| template(text)).collect(),
        shared: None,
        site: SiteId(0),
        raw: name.into(),
    }
}

/// A function's value, at a site of its own.
pub(crate) fn run(name: &'static str, args: &[&str], cx: &mut TestContext) -> String {
    match attempt(name, args, cx) {
        Ok(value) => value,
        Err(fault) => panic!("{name}: {fault}"),
    }
}

/// A function's failure, at a site of its own.
pub(crate) fn fault(name: &'static str, args: &[&str], cx: &mut TestContext) -> String {
    match attempt(name, args, cx) {
        Ok(value) => panic!("{name} gave {value:?}"),
        Err(fault) => fault.to_string(),
    }
}

fn attempt(name: &'static str, args: &[&str], cx: &mut TestContext) -> Result<String, Fault> {
    let mut call = call(name, args);
    call.site = cx.fresh_site();
    crate::functions::call(&call, cx)
}
