//! Pre-processors that change the HTTP sampler they stand before, at work.

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Context as _, SampleResult};
use regex::Regex;

use super::arguments::{argument, fixed, set_path};
use super::charset::{Charset, decoded};
use super::links;
use super::modifiers::{Modifier, Parameters, Rewriting};
use super::sampler::HttpSampler;
use super::settings::Eval;
use crate::element_user::ElementUser;

impl Modifier {
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
