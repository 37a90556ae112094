//! Calling functions in tests.

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::{Call, ElementProgram, Part, SiteId, Slot, Template, ValueProgram};

use crate::context::Fault;
use crate::context::testing::TestContext;

/// A call at site 0. An argument `${name}` is a variable.
pub(crate) fn call(name: &'static str, args: &[&str]) -> Call {
    Call {
        function: Function::JMeter(name),
        args: args.iter().map(|text| template(text)).collect(),
        shared: None,
        site: SiteId(0),
        raw: name.into(),
    }
}

/// A fixed text, or one variable.
pub(crate) fn template(text: &str) -> Template {
    if text.starts_with("${") && text.ends_with('}') {
        return Template {
            parts: vec![Part::Slot {
                slot: Slot(0),
                literal: text.into(),
            }],
        };
    }
    Template::text(text)
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

/// An element at site 1 with these properties. A value `${name}` is a variable.
pub(crate) fn element(class: &str, properties: &[(&str, &str)]) -> ElementProgram {
    let property = |(name, value): &(&str, &str)| {
        let value = ValueProgram::Text(template(value));
        ((*name).into(), value)
    };
    ElementProgram {
        class: class.to_owned(),
        name: Template::text("the name"),
        properties: properties.iter().map(property).collect(),
        site: SiteId(1),
        at: plimsoll_plan::model::Span::default(),
    }
}
