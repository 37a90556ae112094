//! The outputs of one run.

use plimsoll_outputs::{Feed, OutputSpec, Pace, open};
use plimsoll_plan::model::Plan;
use plimsoll_text::Message;

use crate::LoadSettings;

/// What the plan and the options name.
pub(crate) fn specs(plan: &Plan, load: &LoadSettings) -> Vec<OutputSpec> {
    let from_plan = plan.outputs.iter().map(|output| OutputSpec {
        name: output.output.clone(),
        address: output.address.clone(),
        settings: output.settings.clone().into_iter().collect(),
        tags: output.tags.clone().into_iter().collect(),
    });
    let from_options = load.outputs.iter().map(|text| OutputSpec::parse(text));
    from_plan.chain(from_options).collect()
}

/// Opens what is asked for.
///
/// # Errors
/// The first that cannot be opened.
pub(crate) fn open_all(specs: &[OutputSpec]) -> Result<Vec<Feed>, Message> {
    let feed = |spec: &OutputSpec| {
        let feed = Feed::start(spec.shown(), open(spec)?, Pace::default());
        feed.map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))
    };
    specs.iter().map(feed).collect()
}
