//! Arguments and paths that a sampler is given while the plan runs.

use std::borrow::Cow;

use plimsoll_elements::fields::Field;
use plimsoll_plan::program::Template;

use super::charset::{Charset, decoded, put_encoded};
use super::sampler::HttpSampler;
use super::settings::{Eval, HttpArgument, Setting};
use crate::element_user::ElementUser;

/// A field that never changes.
pub fn fixed(text: &str) -> Field {
    Template::text(text).into()
}

/// An argument whose name and value are known.
pub fn argument(name: &str, value: &str, metadata: &str, encode: bool) -> HttpArgument {
    HttpArgument {
        name: fixed(name),
        value: fixed(value),
        metadata: fixed(metadata),
        encode: fixed(if encode { "true" } else { "false" }),
        always: false,
        content_type: Field::default(),
    }
}

/// An argument that is encoded already (`HTTPSamplerBase.addEncodedArgument`).
pub fn encoded_argument(name: &str, value: &str, metadata: &str) -> HttpArgument {
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
pub fn arguments_of(query: &str, decodes: bool) -> Vec<HttpArgument> {
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
