//! What somebody wants of results. What nobody wants is not built.

use plimsoll_elements::listeners::Wants;
use plimsoll_plan::functions::Function;
use plimsoll_plan::model::CsvData;
use plimsoll_plan::program::{
    Call, ChooseBy, Condition, ElementProgram, Items, Label, Op, Part, Program, SharedDef, SiteId,
    Template,
};

/// What somebody wants of the result of a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// The body.
    pub body: bool,
    /// The header text of the response.
    pub response_headers: bool,
    /// What was sent: header text, body or query, cookies, sampler data.
    pub request: bool,
    /// Sub-results (redirects, embedded resources) in full; they are always timed.
    pub parts: bool,
}

impl Needs {
    /// Everything.
    pub const ALL: Self = Self {
        body: true,
        response_headers: true,
        request: true,
        parts: true,
    };

    /// The body alone.
    const BODY: Self = Self {
        body: true,
        response_headers: false,
        request: false,
        parts: false,
    };

    /// Both together.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            body: self.body | other.body,
            response_headers: self.response_headers | other.response_headers,
            request: self.request | other.request,
            parts: self.parts | other.parts,
        }
    }

    /// What an element wants. Of classes that are not known here it is everything.
    #[must_use]
    pub fn of(element: &ElementProgram) -> Self {
        let fixed = |name: &str| element.text(name).and_then(Template::as_text);
        let scope = fixed("Sample.scope").or(fixed("Assertion.scope"));
        let parts = !matches!(scope, None | Some("" | "parent" | "variable"));
        let own = match element.class.as_str() {
            "DurationAssertion"
            | "ResultAction"
            | "ResultStatusActionHandler"
            | "Summariser"
            | "BackendListener"
            | "kg.apc.jmeter.modifiers.FifoPutPostProcessor" => Self::default(),
            "JSONPostProcessor"
            | "JMESPathExtractor"
            | "HtmlExtractor"
            | "XPathExtractor"
            | "XPath2Extractor"
            | "JSONPathAssertion"
            | "JMESPathAssertion"
            | "XPathAssertion"
            | "XPath2Assertion"
            | "XMLAssertion"
            | "HTMLAssertion"
            | "MD5HexAssertion"
            | "XMLSchemaAssertion"
            | "com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter"
            | "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion"
            | "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor"
            | "eu.luminis.jmeter.assertions.BinaryContentAssertion" => Self::BODY,
            class @ ("RegexExtractor" | "BoundaryExtractor") => {
                match fixed(&format!("{class}.useHeaders")) {
                    Some("" | "false" | "unescaped" | "as_document") => Self::BODY,
                    Some("true") => Self {
                        response_headers: true,
                        ..Self::default()
                    },
                    Some("URL" | "code" | "message") => Self::default(),
                    _ => Self::ALL,
                }
            }
            "ResponseAssertion" => match fixed("Assertion.test_field") {
                Some("Assertion.response_data" | "Assertion.response_data_as_document") => {
                    Self::BODY
                }
                Some("Assertion.response_code" | "Assertion.response_message") => Self::default(),
                Some("Assertion.sample_label") => Self::default(),
                Some("Assertion.response_headers") => Self {
                    response_headers: true,
                    ..Self::default()
                },
                _ => Self::ALL,
            },
            _ => Self::ALL,
        };
        Self { parts, ..own }
    }
}

impl From<Wants> for Needs {
    fn from(wants: Wants) -> Self {
        Self {
            body: wants.body,
            response_headers: wants.response_headers,
            request: wants.request,
            parts: wants.parts,
        }
    }
}

/// Whether elements of a class look at the result of the sample before.
pub(super) fn looks_at_previous(class: &str) -> bool {
    matches!(
        class,
        "AnchorModifier" | "URLRewritingModifier" | "RegExUserParameters"
    )
}

/// Whether a function looks at the last result; `raw` is the call as written.
pub(super) fn function_looks_back(name: &str, raw: &str) -> bool {
    match name {
        "__regexFunction" => true,
        "__javaScript" | "__jexl2" | "__jexl3" => {
            raw.contains("sampleResult") || raw.contains("ctx")
        }
        _ => !plimsoll_elements::functions::is_native(name),
    }
}

/// The names of a program's files of rows, and the data that they are for.
pub(super) fn data_files(program: &Program) -> impl Iterator<Item = (&Template, &CsvData)> {
    program.shared.iter().filter_map(|def| match def {
        SharedDef::Rows { path, data, .. } => Some((path, data)),
        _ => None,
    })
}

/// The texts of an operation.
pub(super) fn texts_of<'p>(op: &'p Op, into: &mut Vec<&'p Template>) {
    match op {
        Op::JumpUnless { condition, .. } => texts_of_condition(condition, into),
        Op::Repeat { times, .. } => into.extend(times),
        Op::ForEach { items, .. } => match items {
            Items::List(list) => into.extend(list),
            Items::Json(template) => into.push(template),
            Items::Matches {
                prefix,
                after,
                until,
            } => into.extend([prefix, after].into_iter().chain(until)),
        },
        Op::Runtime { seconds, .. } => into.push(seconds),
        Op::Percent { percent, .. } => into.push(percent),
        Op::FirstTimes { times, .. } => into.push(times),
        Op::Choose {
            by: ChooseBy::Switch(value),
            ..
        } => into.push(value),
        Op::TransactionStart {
            label: Label::Made(label),
            ..
        } => into.push(label),
        Op::PaceThroughput { per_minute, .. } => into.push(per_minute),
        Op::Set { value, .. } => into.push(value),
        Op::LockNamed { name, .. } => into.push(name),
        Op::Think(pause) => into.extend(&pause.template_ms),
        _ => {}
    }
}

fn texts_of_condition<'p>(condition: &'p Condition, into: &mut Vec<&'p Template>) {
    match condition {
        Condition::IsTrue(template) | Condition::IsFalse(template) => into.push(template),
        Condition::Compare { left, right, .. } => into.extend([left, right]),
        Condition::Not(inner) => texts_of_condition(inner, into),
        _ => {}
    }
}

/// Whether a text calls a function of the companion's.
#[must_use]
pub fn calls_companion(template: &Template) -> bool {
    template.parts.iter().any(|part| match part {
        Part::Call(call) => {
            let own = match call.function {
                Function::JMeter(name) => !plimsoll_elements::functions::is_native(name),
                _ => false,
            };
            own || call.args.iter().any(calls_companion)
        }
        _ => false,
    })
}

/// The site by which a text that must wait is known: that of its first call for the
/// companion, or that waits for another user.
#[must_use]
pub fn waiting_site(template: &Template) -> Option<SiteId> {
    template.parts.iter().find_map(|part| match part {
        Part::Call(call) => waiting_call(call),
        _ => None,
    })
}

fn waiting_call(call: &Call) -> Option<SiteId> {
    let own = match call.function {
        Function::JMeter(name) => plimsoll_elements::functions::waits(name),
        _ => false,
    };
    if own {
        return Some(call.site);
    }
    call.args.iter().find_map(waiting_site)
}
