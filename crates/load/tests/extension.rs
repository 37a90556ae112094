//! What an engine says that was given nothing to run a plan's elements with.

#![allow(clippy::unwrap_used)]

use plimsoll_access::Access;
use plimsoll_load::engine::{RunError, check};
use plimsoll_plan::program::{ElementProgram, Program, SiteId, Template};

#[test]
fn elements_without_an_extension_are_refused_before_the_run() {
    let element = ElementProgram {
        class: "JavaSampler".to_owned(),
        name: Template::text("says"),
        properties: Vec::new(),
        site: SiteId(0),
        at: plimsoll_plan::model::Span::default(),
    };
    let program = Program {
        elements: vec![std::sync::Arc::new(element)],
        sites: 1,
        ..Program::default()
    };
    let Err(RunError::Bind(mistakes)) = check(&program, None, &Access::of_user()) else {
        panic!("it was not refused");
    };
    let text = mistakes[0].to_string();
    assert!(
        text.contains("nothing was given that runs JavaSampler"),
        "{text}"
    );
    assert!(check(&Program::default(), None, &Access::of_user()).is_ok());
}
