//! The hops of a chain on the page.

use super::elements::{paragraphs, section as framed, table};
use crate::data::RunData;
use crate::hops::{grid, sentences};

/// The section; empty for a run whose hops were not loaded alone.
pub(super) fn section(data: &RunData<'_>) -> String {
    let (say, Some(times)) = (data.say, &data.hops) else {
        return String::new();
    };
    let html = table(&grid(say, times), "") + &paragraphs(&sentences(say, times));
    framed(&say.text("hops-title"), &html)
}
