//! HTTP requests.

use plimsoll_text::Message;

use super::base::*;
use super::checks::Checks;
use super::json_body::json_text;
use super::saves::Saves;
use super::scope::{After, Before};
use super::settings::TargetKey;
use super::texts::Texts;
use crate::model::{
    Body, HttpRequest, HttpSettings, MultipartPart, OnError, PartContent, Pause, Step, Text,
};
use crate::yaml::node::shown;

/// Keys that send a request, each the method it names.
pub(crate) const METHODS: &[&str] = &[
    "get", "head", "post", "put", "patch", "delete", "options", "trace",
];

/// Keys that a request is known by.
pub(super) const REQUEST_TAGS: &[&str] = &[
    "get", "head", "post", "put", "patch", "delete", "options", "trace", "request",
];

object! { impl HttpRequest = "request", {
    [..RequestLine => *]
    ["label" => label: Maybe<AnyText>, "label"]
    [.. @2 TargetKey => settings]
    ["query" => query: Filled<Texts>, "query"]
    ["headers" => headers: Filled<Texts>, "headers"]
    [..Body => body]
    [.. @3 Around => *]
    ["any-status" @3 => any_status_ok: Flag = "false", "any-status"]
    ["discard" @3 => discard: Flag = "false", "discard"]
    ["on-error": Maybe<OnError>, "on-error-request"]
    [.. @2 HttpSettings => settings]
    [..Enabled]
    [at]
} exclude &[exactly_one(REQUEST_TAGS), at_most_one(&["body", "json", "form", "multipart", "file"])]; }

keys! {
    /// What is done before and after a sample.
    struct Around: HttpRequest, {
        ["think" => think: Maybe<Pause>, "think-request"]
        ["before" => before: Filled<Before>, "before-request"]
        ["save" => save: Filled<Saves>, "save"]
        ["after" => after: Filled<After>, "after-request"]
        ["check" => checks: Filled<Checks>, "check"]
    }
}

keys! {
    /// Every step can be switched off.
    struct Enabled: Step, { ["enabled" => enabled: Flag = "true", "enabled"] }
}

/// The method and the address.
struct RequestLine;

impl Keys for RequestLine {
    type Of = HttpRequest;
    const PARTS: &'static [Part] = &parts!(
        ["get": Maybe<AnyText>, "method"]
        ["head": Maybe<AnyText>, "method"]
        ["post": Maybe<AnyText>, "method"]
        ["put": Maybe<AnyText>, "method"]
        ["patch": Maybe<AnyText>, "method"]
        ["delete": Maybe<AnyText>, "method"]
        ["options": Maybe<AnyText>, "method"]
        ["trace": Maybe<AnyText>, "method"]
        ["request": Maybe<MethodAndUrl>, "request"]
    );

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, request: &mut HttpRequest) {
        let short = |method: &&str| {
            let (key, url) = node.map()?.iter().find(|(key, _)| key.name == *method)?;
            let raw = method.to_uppercase();
            Some((Text { raw, at: key.at }, url.text()?))
        };
        let line = present::<MethodAndUrl>(decoder, node, "request");
        match line.or_else(|| METHODS.iter().find_map(short)) {
            Some((method, url)) => (request.method, request.url) = (method, url),
            None => decoder.broken(node),
        }
        check_method(decoder, &request.method);
        check_url(decoder, &request.url);
    }

    fn write_keys(request: &HttpRequest, map: &mut Map) {
        let method = METHODS
            .iter()
            .find(|known| known.to_uppercase() == request.method.raw);
        match method {
            Some(method) => map.put(*method, &request.url),
            None => map.put(
                "request",
                MethodAndUrl::write(&(request.method.clone(), request.url.clone())),
            ),
        }
    }
}

pattern! {
    /// A method that has no key of its own, and the address.
    struct MethodAndUrl: (Text, Text) = "request-line" => (method, url), {
        ["method" => method: AnyText, "request-method"]
        ["url" => url: AnyText, "request-url"]
    }
}

/// A method that can be none: it would break out of its place in the request line.
fn check_method(decoder: &mut Decoder<'_>, method: &Text) {
    let raw = method.raw.as_str();
    if !raw.is_empty() && !raw.contains("${") && !crate::url_plan::is_token(raw) {
        let message = Message::new("plan-bad-method").with("method", shown(raw));
        decoder.tell(method.at, message);
    }
}

/// An address that can be none whatever its variables hold.
pub(super) fn check_url(decoder: &mut Decoder<'_>, url: &Text) {
    let raw = url.raw.as_str();
    let absolute = raw.starts_with("http://") || raw.starts_with("https://");
    let relative = raw.starts_with(['/', '?']) || raw.starts_with("${");
    let fixed = absolute && !raw.contains("${");
    let wrong =
        (!absolute && !relative) || (fixed && url::Url::parse(raw).is_err()) || raw.contains('\0');
    if wrong && !raw.is_empty() {
        decoder.tell(
            url.at,
            Message::new("plan-bad-request-url").with("url", shown(raw)),
        );
    }
}

kinds! {
    /// Any value, which becomes JSON.
    AnyJson = Kind::Any;
}

impl Keys for Body {
    type Of = Self;
    const PARTS: &'static [Part] = &parts!(
        ["body": Maybe<AnyText>, "body"]
        ["json": Maybe<AnyJson>, "json"]
        ["form": Maybe<Texts>, "form"]
        ["multipart": Maybe<MapEntries<MultipartPart>>, "multipart"]
        ["file": Maybe<PathText>, "file"]
        ["content-type": Maybe<AnyString>, "content-type"]
    );

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, body: &mut Self) {
        let content_type = present::<AnyString>(decoder, node, "content-type");
        let unused = content_type.is_some();
        if let Some(json) = node.get("json") {
            let raw = json_text(json, !decoder.any_name);
            *body = Self::Text {
                text: Text { raw, at: json.at },
                content_type: content_type.or_else(|| Some("application/json".to_owned())),
            };
        } else if let Some(text) = present::<AnyText>(decoder, node, "body") {
            *body = Self::Text { text, content_type };
        } else if let Some(path) = present::<PathText>(decoder, node, "file") {
            *body = Self::File { path, content_type };
        } else {
            if node.get("form").is_some() {
                *body = Self::Form(present::<Texts>(decoder, node, "form").unwrap_or_default());
            } else if node.get("multipart").is_some() {
                let parts = present::<MapEntries<MultipartPart>>(decoder, node, "multipart");
                *body = Self::Multipart(parts.unwrap_or_default());
            }
            if unused {
                let at = node.get("content-type").map_or(node.at, |node| node.at);
                decoder.error(at, "plan-content-type-unused");
            }
        }
    }

    fn write_keys(body: &Self, map: &mut Map) {
        match body {
            Self::Empty => {}
            Self::Text { text, content_type } => {
                map.put("body", text);
                map.put_some("content-type", content_type.as_ref());
            }
            Self::File { path, content_type } => {
                map.put("file", path);
                map.put_some("content-type", content_type.as_ref());
            }
            Self::Form(fields) => map.put_some("form", Filled::<Texts>::put(fields, "")),
            Self::Multipart(parts) => {
                map.put("multipart", MapEntries::<MultipartPart>::write(parts))
            }
        }
    }
}

tagged! {
    /// What a part holds and its type.
    struct TypedPart: (PartContent, Option<String>) = "part", {
        "file-part" => (PartContent::File { path, file_name }, content_type), {
            ["file" => path: PathText, "part-file"]
            ["file-name" => file_name: Maybe<AnyText>, "part-file-name"]
            ["content-type" => content_type: Maybe<AnyString>, "part-content-type"]
        }
        "text-part" => (PartContent::Text(text), content_type), {
            ["text" => text: AnyText, "part-text"]
            ["content-type" => content_type: Maybe<AnyString>, "part-content-type"]
        }
    }
}

impl MapEntry for MultipartPart {
    type Of = Self;

    fn entry_kind() -> Kind {
        Kind::OneOf(&[AnyText::kind, TypedPart::kind])
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<Self> {
        let (content, content_type) = match node.map() {
            None => (PartContent::Text(node.text().unwrap_or_default()), None),
            Some(_) => TypedPart::read(decoder, node)?,
        };
        Some(Self {
            name: name.text(),
            content,
            content_type,
        })
    }

    fn write_entry(part: &Self) -> (String, Yaml) {
        let value = match (&part.content, &part.content_type) {
            (PartContent::Text(text), None) => text.into(),
            (content, content_type) => TypedPart::write(&(content.clone(), content_type.clone())),
        };
        (part.name.raw.clone(), value)
    }
}
