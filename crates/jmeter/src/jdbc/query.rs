//! A query, bound once for the run.

use std::sync::Arc;

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_elements::jdbc::{DATA_SOURCE, KnownText, QUERIES};
use plimsoll_plan::program::{ElementProgram, Program};

/// Whether an element is one of these.
#[must_use]
pub fn is_jdbc(class: &str) -> bool {
    QUERIES.contains(&class)
}

/// Whether all JDBC elements of a program can be run natively.
#[must_use]
pub fn is_all_native(program: &Program) -> bool {
    program.elements.iter().all(|element| {
        plimsoll_elements::jdbc::is_native(&element.class, |name| match element.text(name) {
            None => KnownText::Missing,
            Some(text) => text.as_text().map_or(KnownText::Changing, KnownText::Text),
        })
    })
}

/// A query, as the sampler and the processors have it.
#[derive(Debug)]
pub struct Query {
    pub(super) sources: Vec<Arc<ElementProgram>>,
    pub(super) source: Field,
    pub(super) kind: Field,
    pub(super) query: Field,
    pub(super) arguments: Field,
    pub(super) types: Field,
    pub(super) variables: Field,
    pub(super) timeout: Field,
    pub(super) max_rows: Field,
}

impl Query {
    /// Binds an element.
    #[must_use]
    pub fn bind(program: &Program, element: &ElementProgram) -> Self {
        let fields = Fields(element);
        let sources = program
            .elements
            .iter()
            .filter(|element| element.class == DATA_SOURCE);
        Self {
            sources: sources.cloned().collect(),
            source: fields.field("dataSource"),
            kind: fields.field("queryType"),
            query: fields.field("query"),
            arguments: fields.field("queryArguments"),
            types: fields.field("queryArgumentsTypes"),
            variables: fields.field("variableNames"),
            timeout: fields.field("queryTimeout"),
            max_rows: fields.field("resultSetMaxRows"),
        }
    }
}
