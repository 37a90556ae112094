//! What a study says and nobody can make sense of: relations that no values fulfil or nobody could judge, and a plan in a
//! study's place.

use plimsoll_plan::Problem;
use plimsoll_plan::model::{Span, Text};
use plimsoll_text::Message;

use crate::space::Relation;
use crate::target::Prepared;

/// Conditions and relations of a study that nobody could judge, or that hold for nothing that may be tried.
pub(crate) fn senseless(prepared: &Prepared) -> impl Iterator<Item = Problem> + '_ {
    let space = &prepared.space;
    let units = space.relations_of_strange_units().map(|relation| {
        let message = Message::new("tune-relation-units").with("text", relation.text());
        Problem::mistake(place_of(prepared, relation), message)
    });
    let relations = space.relations.iter();
    let broken = relations
        .filter(|it| space.never_holds(it))
        .map(|relation| {
            let message = Message::new("tune-relation-never").with("text", relation.text());
            Problem::mistake(place_of(prepared, relation), message)
        });
    let conditions = space.knobs.iter().zip(&prepared.study.knobs);
    let idle = conditions.filter_map(|(knob, written)| {
        let only_if = knob.only_if.as_ref().filter(|it| space.never_holds(it))?;
        let message = Message::new("tune-only-if-never")
            .with("name", knob.name.as_str())
            .with("text", only_if.text());
        let at = written.only_if.as_ref().map_or(written.at, |text| text.at);
        Some(Problem::mistake(at, message))
    });
    units.chain(broken).chain(idle)
}

/// Where a relation is written, if it is the study's.
fn place_of(prepared: &Prepared, relation: &Relation) -> Span {
    let mut written = prepared.study.relations.iter();
    let at = written.find(|text: &&Text| text.raw.trim() == relation.text());
    at.map_or_else(Span::default, |text| text.at)
}

/// That a file is a plan and no study, where it is one.
pub(crate) fn no_study(text: &str) -> Option<Problem> {
    let has = |key: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(key));
        lines.any(|rest| rest.trim_start().starts_with(':'))
    };
    let is_jmeter = text.contains("<jmeterTestPlan");
    let is_plan = ["steps", "scenarios"].iter().any(|key| has(key));
    let is_study = ["components", "knobs", "plan"].iter().any(|key| has(key));
    let is_no_study = is_jmeter || is_plan && !is_study;
    is_no_study
        .then(|| Problem::error(Span::default(), Message::new("tune-plan-no-study")))
        .map(|it| it.remedy(Message::new("tune-plan-no-study.remedy")))
}
