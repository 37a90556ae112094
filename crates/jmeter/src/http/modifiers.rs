//! Pre-processors that change the HTTP sampler they stand before: URL re-writing, parameters
//! found by a regular expression, links of the last page (JMeter 5.6.3,
//! `URLRewritingModifier`, `RegExUserParameters`, `AnchorModifier`).

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Context as _, Fields, SampleResult};
use plimsoll_plan::program::{ElementProgram, SiteId, Template};
use regex::Regex;

use super::HttpSampler;
use super::charset::{Charset, decoded, put_encoded};
use super::links;
use super::settings::{Argument, Eval, Setting};
use crate::element_user::ElementUser;

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
    site: SiteId,
    name: Field,
    in_path: bool,
    no_equals: bool,
    no_question_mark: bool,
    keeps: bool,
    encodes: bool,
}

/// See [`Modifier::Parameters`].
#[derive(Debug)]
pub struct Parameters {
    reference: Field,
    names: Field,
    values: Field,
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

    /// Changes a sampler.
    fn apply(&self, sampler: &mut HttpSampler, user: &mut ElementUser<'_>) {
        match self {
            Self::Rewriting(rewriting) => rewriting.apply(sampler, user),
            Self::Parameters(parameters) => parameters.apply(sampler, user),
            Self::Links => {
                let last = user.jm().previous.clone();
                if let Some(last) = last.filter(|last| last.http) {
                    links::apply(sampler, &last, user);
                }
            }
        }
    }
}

/// The sampler as the pre-processors that worked before it leave it.
pub fn changed<'s>(
    sampler: &'s HttpSampler,
    pending: &[Arc<Modifier>],
    user: &mut ElementUser<'_>,
) -> Cow<'s, HttpSampler> {
    if pending.is_empty() {
        return Cow::Borrowed(sampler);
    }
    let mut own = sampler.clone();
    // What was put together before the run may be another now.
    (own.target, own.entity) = (None, None);
    for modifier in pending {
        modifier.apply(&mut own, user);
    }
    Cow::Owned(own)
}

/// A field that never changes.
pub fn fixed(text: &str) -> Field {
    Template::text(text).into()
}

/// An argument whose name and value are known.
pub fn argument(name: &str, value: &str, metadata: &str, encode: bool) -> Argument {
    Argument {
        name: fixed(name),
        value: fixed(value),
        metadata: fixed(metadata),
        encode: fixed(if encode { "true" } else { "false" }),
        always: false,
        content_type: Field::default(),
    }
}

/// An argument that is encoded already (`HTTPSamplerBase.addEncodedArgument`).
pub fn encoded_argument(name: &str, value: &str, metadata: &str) -> Argument {
    let plain = |text: &str| match decoded(text, Charset::Utf8) {
        Ok(text) => text.into_owned(),
        Err(_) => text.to_owned(),
    };
    let (name, value) = (plain(name), plain(value));
    let changes = |text: &str| {
        let mut encoded = String::new();
        put_encoded(text, Charset::Utf8, &mut encoded);
        encoded != text
    };
    let encode = changes(&name) || changes(&value);
    argument(&name, &value, metadata, encode)
}

/// The arguments of a query; with an encoding they are decoded.
pub fn arguments_of(query: &str, decodes: bool) -> Vec<Argument> {
    let pieces = query.split('&').filter(|piece| !piece.is_empty());
    let argument_of = |piece: &str| {
        let (name, value, metadata) = match piece.split_once('=') {
            Some((name, value)) => (name, value, "="),
            None => (piece, "", ""),
        };
        if name.is_empty() {
            return None;
        }
        Some(match decodes {
            true => encoded_argument(name, value, metadata),
            false => argument(name, value, metadata, false),
        })
    };
    pieces.filter_map(argument_of).collect()
}

/// Sets a sampler's path; a query in it becomes arguments (`HTTPSamplerBase.setPath`).
pub fn set_path(sampler: &mut HttpSampler, path: &str, user: &mut ElementUser<'_>) {
    let method = user.evaluate(|cx| {
        let method = sampler.settings.method_text(&mut Eval(Some(cx)));
        method.map(Cow::into_owned).unwrap_or_default()
    });
    let whole = path.starts_with("http://") || path.starts_with("https://");
    let splits = !whole && matches!(method.as_str(), "GET" | "DELETE");
    match path.split_once('?') {
        Some((path, query)) if splits => {
            sampler.settings.path = Setting::fixed(path);
            sampler.settings.arguments.extend(arguments_of(query, true));
        }
        _ => sampler.settings.path = Setting::fixed(path),
    }
}

fn text(user: &mut ElementUser<'_>, field: &Field) -> String {
    user.evaluate(|cx| Eval(Some(cx)).text(field).map(Cow::into_owned))
        .unwrap_or_default()
}

impl Rewriting {
    fn apply(&self, sampler: &mut HttpSampler, user: &mut ElementUser<'_>) {
        let Some(last) = user.jm().previous.clone() else {
            return;
        };
        let name = text(user, &self.name);
        let mut value = self.find(&name, &last).unwrap_or_default();
        if self.keeps {
            let saved = user.jm().http.saved.of(self.site);
            if value.is_empty() {
                saved.clone_into(&mut value);
            } else {
                value.clone_into(saved);
            }
        }
        if !self.in_path {
            let arguments = std::mem::take(&mut sampler.settings.arguments);
            let others = arguments
                .into_iter()
                .filter(|argument| text(user, &argument.name) != name);
            sampler.settings.arguments = others.collect();
            let plain = match (self.encodes, decoded(&value, Charset::Utf8)) {
                (false, Ok(plain)) => plain.into_owned(),
                _ => value,
            };
            sampler
                .settings
                .arguments
                .push(argument(&name, &plain, "=", true));
            return;
        }
        let path = user.evaluate(|cx| {
            let path = sampler.settings.path.text(&mut Eval(Some(cx)));
            path.unwrap_or_default().replace(' ', "%20")
        });
        let mut path = path;
        if let Some(at) = path.find(&format!(";{name}")) {
            let query = path.find('?').map(|query| path[query..].to_owned());
            path.truncate(at);
            path.push_str(&query.unwrap_or_default());
        }
        let equals = if self.no_equals { "" } else { "=" };
        set_path(sampler, &format!("{path};{name}{equals}{value}"), user);
    }

    /// The session's number in a page.
    fn find(&self, name: &str, last: &SampleResult) -> Option<String> {
        let name = regex::escape(name);
        let pattern = if self.in_path {
            let equals = if self.no_equals { "" } else { "=" };
            let end = if self.no_question_mark { "?" } else { "" };
            format!(r#"(?m);{name}{equals}([^"'<>&\s;{end}]*)"#)
        } else {
            format!(
                r#"(?m)[;?&]{name}=([^"'<>&\s;\\]*)|\s[Nn][Aa][Mm][Ee]\s*=\s*["']{name}["'][^>]*\s[vV][Aa][Ll][Uu][Ee]\s*=\s*["']([^"']*)["']|\s[vV][Aa][Ll][Uu][Ee]\s*=\s*["']([^"']*)["'][^>]*\s[Nn][Aa][Mm][Ee]\s*=\s*["']{name}["']"#
            )
        };
        let text = last.text();
        let found = Regex::new(&pattern).ok()?.captures(&text)?;
        let group = found.iter().skip(1).flatten().next()?;
        Some(group.as_str().to_owned())
    }
}

impl Parameters {
    fn apply(&self, sampler: &mut HttpSampler, user: &mut ElementUser<'_>) {
        let reference = text(user, &self.reference);
        let (names, values) = (text(user, &self.names), text(user, &self.values));
        let pairs: Vec<(String, String)> = user.evaluate(|cx| {
            let count = cx.get(&format!("{reference}_matchNr"));
            let count = count
                .and_then(|count| count.parse::<u32>().ok())
                .unwrap_or(0);
            let pair = |number| {
                let name = cx.get(&format!("{reference}_{number}_g{names}"))?;
                let value = cx.get(&format!("{reference}_{number}_g{values}"))?;
                Some((name.to_string(), value.to_string()))
            };
            (1..=count).filter_map(pair).collect()
        });
        for argument in &mut sampler.settings.arguments {
            let name = text(user, &argument.name);
            // Of several the last counts.
            if let Some((_, value)) = pairs.iter().rev().find(|(known, _)| *known == name) {
                argument.value = fixed(value);
            }
        }
    }
}
