//! Pre-processors that change the HTTP sampler they stand before: URL re-writing, parameters
//! found by a regular expression, links of the last page (JMeter 5.6.3,
//! `URLRewritingModifier`, `RegExUserParameters`, `AnchorModifier`).

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::{ElementProgram, SiteId};

/// A pre-processor that changes the sampler.
#[derive(Debug)]
pub enum Modifier {
    /// A session's number is taken from the last page.
    Rewriting(Box<Rewriting>),
    /// Arguments get values from variables.
    Parameters(Box<Parameters>),
    /// A link or form of the last page is followed.
    Links,
}

/// See [`Modifier::Rewriting`].
#[derive(Debug)]
pub struct Rewriting {
    pub(super) site: SiteId,
    pub(super) name: Field,
    pub(super) in_path: bool,
    pub(super) no_equals: bool,
    pub(super) no_question_mark: bool,
    pub(super) keeps: bool,
    pub(super) encodes: bool,
}

/// See [`Modifier::Parameters`].
#[derive(Debug)]
pub struct Parameters {
    pub(super) reference: Field,
    pub(super) names: Field,
    pub(super) values: Field,
}

impl Modifier {
    /// Binds an element; none: it is of another class.
    #[must_use]
    pub fn bind(element: &ElementProgram) -> Option<Self> {
        let fields = Fields(element);
        Some(match element.class.as_str() {
            "URLRewritingModifier" => Self::Rewriting(Box::new(Rewriting {
                site: element.site,
                name: fields.field("argument_name"),
                in_path: fields.fixed_truth("path_extension", false),
                no_equals: fields.fixed_truth("path_extension_no_equals", false),
                no_question_mark: fields.fixed_truth("path_extension_no_questionmark", false),
                keeps: fields.fixed_truth("cache_value", true),
                encodes: fields.fixed_truth("encode", false),
            })),
            "RegExUserParameters" => Self::Parameters(Box::new(Parameters {
                reference: fields.field("RegExUserParameters.regex_ref_name"),
                names: fields.field("RegExUserParameters.param_names_gr_nr"),
                values: fields.field("RegExUserParameters.param_values_gr_nr"),
            })),
            "AnchorModifier" => Self::Links,
            _ => return None,
        })
    }
}
