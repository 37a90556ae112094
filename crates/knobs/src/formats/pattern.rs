//! A value in a text of any other form: the first group of a regular expression that holds at one place.

use regex::{Regex, RegexBuilder};

use super::address::Address;
use super::editor::{Editor, Splice, Standing};
use super::error::{EditFault, Stop};
use super::lines::exactly;

/// What an address looks like, in any language.
const FORM: &str = r"maxconn (\d+)";
/// The most memory of a compiled expression, bytes.
const MOST_BYTES: usize = 1 << 20;

/// Files whose values are found by expressions.
pub(super) struct PatternEditor;

fn expression(address: &Address) -> Result<Regex, Stop> {
    let mut builder = RegexBuilder::new(&address.path);
    let built = builder.multi_line(true).size_limit(MOST_BYTES).build();
    let has_one_group = |built: &Regex| built.captures_len() == 2;
    let built = built.ok().filter(has_one_group);
    built.ok_or_else(|| Stop::address(&address.path, FORM))
}

impl Editor for PatternEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let expression = expression(address)?;
        let groups = expression.captures_iter(text);
        let found: Vec<_> = groups.filter_map(|groups| groups.get(1)).collect();
        match found.as_slice() {
            [] => Ok(None),
            [value] => Ok(Some(Standing {
                value: value.as_str().to_owned(),
                span: value.range(),
                whole: value.range(),
            })),
            several => {
                let places = several.iter().map(regex::Match::start);
                Err(Stop::nowhere(EditFault::several(text, places)))
            }
        }
    }

    fn replaced(
        &self,
        _: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        exactly(place, value)
    }

    /// Where nothing is like the expression nobody knows where the value belongs.
    fn added(&self, _: &str, address: &Address, _: &str) -> Result<Splice, Stop> {
        Err(Stop::nowhere(EditFault::NoParent(address.path.clone())))
    }
}
