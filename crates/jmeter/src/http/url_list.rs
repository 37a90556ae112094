//! The plugins' Parallel Sampler (`jmeter-parallel` 0.12, `ParallelHTTPSampler`): a list of addresses, loaded as the frames of
//! a page that nobody asks for.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::ValueProgram;

use super::settings::{SamplerSettings, Setting};

/// The plugin's class.
pub(super) const CLASS: &str = "com.blazemeter.jmeter.http.ParallelHTTPSampler";

/// The addresses of a sampler, if it has a list; its settings are then those of a page with frames.
pub(super) fn bind(fields: Fields<'_>, settings: &mut SamplerSettings) -> Option<Vec<Field>> {
    if fields.0.class != CLASS {
        return None;
    }
    settings.embedded = Setting::fixed("true");
    settings.parallel = Setting::fixed("true");
    let Some(ValueProgram::List(rows)) = fields.0.get("urls") else {
        return Some(Vec::new());
    };
    let rows = rows.iter().map(|row| match row {
        ValueProgram::List(cells) => match cells.first() {
            Some(ValueProgram::Text(text)) => Field::from(text.clone()),
            _ => Field::default(),
        },
        _ => Field::default(),
    });
    Some(rows.collect())
}
