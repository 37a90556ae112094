//! Values taken from responses: one file a way to find them.
//!
//! Patterns are made ready once ([`bind_extract`]); the response is parsed at most once for all
//! extractions and checks over it ([`ResponseView`]).

mod css;
mod json;
mod json_cost;
mod json_scan;
mod matching;
mod regex;
mod response;
mod text;
mod tree;
mod xpath;

use std::ops::ControlFlow;
use std::rc::Rc;

use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::model::{Span, Which};
use plimsoll_plan::program::{ExtractProgram, ExtractorProgram, Slot, Template};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use crate::functions::{EvalContext, EvalError, eval_text, eval_value};

pub use crate::bind_error::BindError;
use matching::{Each, unreadable};
pub use regex::RegexPattern;
pub(crate) use regex::matches;
pub use response::{ResponseView, headers};

/// What a variable costs beside its text, about.
const VARIABLE_BYTES: usize = 100;

/// A way to find values, made ready.
pub(crate) enum Finder {
    Json(json::JsonPath),
    Regex(regex::RegexFinder),
    Css(css::Css),
    XPath(xpath::XPath),
    Header(String),
    Cookie(String),
    Boundary(Template, Template),
    Body,
    Status,
    Url,
}

impl Finder {
    /// Makes a way ready.
    pub(crate) fn bind(program: &ExtractorProgram, at: Span) -> Result<Self, BindError> {
        let bound = match program {
            ExtractorProgram::JsonPath(path) => json::JsonPath::new(path).map(Self::Json),
            ExtractorProgram::Regex {
                pattern,
                group,
                in_headers,
            } => regex::RegexFinder::new(pattern, *group, *in_headers).map(Self::Regex),
            ExtractorProgram::Css {
                selector,
                attribute,
            } => css::Css::new(selector, attribute.as_deref()).map(Self::Css),
            ExtractorProgram::XPath(path) => xpath::XPath::new(path).map(Self::XPath),
            ExtractorProgram::Header(name) => Ok(Self::Header(name.clone())),
            ExtractorProgram::Cookie(name) => Ok(Self::Cookie(name.clone())),
            ExtractorProgram::Boundary(left, right) => {
                Ok(Self::Boundary(left.clone(), right.clone()))
            }
            ExtractorProgram::Body => Ok(Self::Body),
            ExtractorProgram::Status => Ok(Self::Status),
            ExtractorProgram::Url => Ok(Self::Url),
        };
        bound.map_err(|message| BindError { at, message })
    }

    /// Gives the matches in their order.
    ///
    /// # Errors
    /// When the response cannot be looked at in this way, such as JSONPath over what is not JSON.
    pub(crate) fn find(
        &self,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
        each: Each<'_>,
    ) -> Result<(), EvalError> {
        match self {
            Self::Json(path) => path.find(response, each)?,
            Self::Regex(regex) => regex.find(response, each)?,
            Self::Css(css) => css.find(response, each).map_err(|refused| {
                unreadable(Message::new("extract-css-failed").with("reason", refused.to_string()))
            })?,
            Self::XPath(path) => path.find(response, each)?,
            Self::Header(name) => text::header(response, name, each),
            Self::Cookie(name) => text::cookie(response, name, each),
            Self::Boundary(left, right) => {
                let (left, right) = (eval_text(left, ctx)?, eval_text(right, ctx)?);
                text::boundary(response.text(), &left, &right, each);
            }
            // Whoever wants one match has it.
            Self::Body => _ = each(response.text()),
            Self::Status => _ = each(response.status().to_string().as_str()),
            Self::Url => _ = each(response.url()),
        }
        Ok(())
    }

    /// How many there are: matches, or the elements of one array.
    pub(crate) fn count(
        &self,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<u64, EvalError> {
        if let Self::Json(path) = self
            && let Some(elements) = path.elements(response)?
        {
            return Ok(elements);
        }
        let mut count = 0;
        self.find(response, ctx, &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// What it is, for people: `JSONPath $.id`.
    pub(crate) fn describe(&self) -> Message {
        let (id, what) = match self {
            Self::Json(path) => ("extract-json-path", path.written()),
            Self::Regex(regex) => ("extract-regex", regex.written()),
            Self::Css(css) => ("extract-css", css.written()),
            Self::XPath(path) => ("extract-xpath", path.written()),
            Self::Header(name) => ("extract-header", name.as_str()),
            Self::Cookie(name) => ("extract-cookie", name.as_str()),
            Self::Boundary(..) => return Message::new("extract-boundary"),
            Self::Body => return Message::new("extract-body"),
            Self::Status => return Message::new("extract-status"),
            Self::Url => return Message::new("extract-url"),
        };
        Message::new(id).with("what", what)
    }
}

/// An extraction, made ready.
pub struct BoundExtract {
    finder: Finder,
    which: Which,
    variable: Slot,
    name: Box<str>,
    default: Option<Template>,
}

/// Makes an extraction ready.
///
/// # Errors
/// A pattern that is wrong, with what is wrong in it.
pub fn bind_extract(program: &ExtractProgram) -> Result<BoundExtract, BindError> {
    Ok(BoundExtract {
        finder: Finder::bind(&program.how, program.at)?,
        which: program.which,
        variable: program.variable,
        name: program.name.clone(),
        default: program.default.clone(),
    })
}

impl BoundExtract {
    /// The variable that takes the value.
    #[must_use]
    pub fn variable(&self) -> &str {
        &self.name
    }

    /// Takes the value from the response into the user's variable.
    ///
    /// # Errors
    /// When there is no match and no default: the sample fails.
    pub fn run(
        &self,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<(), EvalError> {
        let found = match self.which {
            Which::Nth(n) => self.nth(n, response, ctx),
            Which::Random => self.random(response, ctx),
            Which::All => return self.all(response, ctx),
        };
        let value = match found {
            Ok(Some(value)) => value,
            nothing => self.default_value(nothing.err(), ctx)?,
        };
        ctx.vars.set(self.variable, value);
        Ok(())
    }

    /// The `n`-th match, from 1; 0 means the first too.
    fn nth(
        &self,
        n: u32,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<Option<Rc<str>>, EvalError> {
        let (mut found, mut left) = (None, n.max(1));
        self.finder.find(response, ctx, &mut |value| {
            left -= 1;
            if left > 0 {
                return ControlFlow::Continue(());
            }
            found = Some(Rc::from(value));
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// One of the matches, each equally likely.
    fn random(
        &self,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<Option<Rc<str>>, EvalError> {
        let (mut found, mut seen) = (None, 0);
        let mut rng = ctx.rng.clone();
        self.finder.find(response, ctx, &mut |value| {
            seen += 1;
            // The k-th takes the place with probability 1/k (Vitter's algorithm R).
            if rng.below(seen) == 0 {
                found = Some(Rc::from(value));
            }
            ControlFlow::Continue(())
        })?;
        *ctx.rng = rng;
        Ok(found)
    }

    /// All matches: `NAME_1` … and `NAME_matchNr`. Those of a longer list before are taken away.
    fn all(&self, response: &ResponseView<'_>, ctx: &mut EvalContext<'_>) -> Result<(), EvalError> {
        let mut values = Vec::<Rc<str>>::new();
        let mut bytes = 0;
        let found = self.finder.find(response, ctx, &mut |value| {
            // A variable's own name and place count, too.
            bytes += value.len() + VARIABLE_BYTES;
            if bytes > TEXT_BYTES {
                return ControlFlow::Break(());
            }
            values.push(Rc::from(value));
            ControlFlow::Continue(())
        });
        if bytes > TEXT_BYTES {
            return Err(unreadable(
                Message::new("extract-too-much")
                    .with("name", &*self.name)
                    .with("limit_mib", TEXT_BYTES >> 20),
            ));
        }
        let (name, count) = (&self.name, values.len());
        let count_name = format!("{name}_matchNr");
        let before = ctx
            .vars
            .get_by_name(&count_name)
            .and_then(|count| count.parse().ok());
        for (number, value) in (1usize..).zip(values) {
            ctx.vars.set_by_name(&format!("{name}_{number}"), value);
        }
        for number in count + 1..=before.unwrap_or(0usize) {
            ctx.vars.unset_by_name(&format!("{name}_{number}"));
        }
        ctx.vars.set_by_name(&count_name, count.to_string());
        if count == 0 {
            let value = self.default_value(found.err(), ctx)?;
            ctx.vars.set(self.variable, value);
        }
        Ok(())
    }

    fn default_value(
        &self,
        why: Option<EvalError>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<Rc<str>, EvalError> {
        if let Some(default) = &self.default {
            return eval_value(default, ctx);
        }
        let how = self.finder.describe();
        let message = match why {
            // A boundary's script that failed is not a matter of the response.
            Some(error) if error.kind != ErrorKind::CheckFailed => return Err(error),
            Some(error) => Message::new("extract-impossible").with("why", *error.message),
            None => Message::new("extract-nothing"),
        };
        let message = message.with("name", &*self.name).with("how", how);
        Err(EvalError {
            message: Box::new(message),
            kind: ErrorKind::CheckFailed,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
