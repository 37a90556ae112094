//! What a page wants loaded with it: links in HTML and CSS as JMeter 5.6.3 finds them
//! (`LagartoBasedHtmlParser`, `CssParser`). Pages are read by html5ever's tokenizer: tags as
//! they come, not as a browser would mend them.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use plimsoll_elements::SampleResult;
use plimsoll_elements::html::pieces;
use plimsoll_elements::work::CpuPatience;

use super::legal::BadUrl;
use super::url::JavaUrl;

/// Most resources of one page; JMeter has no limit.
const MAX_RESOURCES: usize = 10_000;

/// What a document is to the parsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// HTML or XML.
    Html,
    /// A style sheet.
    Css,
}

/// The kind of a document, if its resources are loaded at all.
#[must_use]
pub fn kind_of(content_type: &str) -> Option<DocumentKind> {
    let media = content_type
        .split([' ', ';'])
        .find(|part| !part.is_empty())?;
    match media.to_ascii_lowercase().as_str() {
        "text/html"
        | "application/xhtml+xml"
        | "application/xml"
        | "text/xml"
        | "text/vnd.wap.wml" => Some(DocumentKind::Html),
        "text/css" => Some(DocumentKind::Css),
        _ => None,
    }
}

/// The resources of a document, in its order.
///
/// # Errors
/// An address of the document's base that cannot be read.
pub fn find(
    kind: DocumentKind,
    result: &SampleResult,
    base: &JavaUrl,
) -> Result<Vec<JavaUrl>, BadUrl> {
    let text = result.text();
    match kind {
        DocumentKind::Html => in_html(&text, base),
        DocumentKind::Css => Ok(in_css(&text, base)),
    }
}

fn in_html(text: &str, base: &JavaUrl) -> Result<Vec<JavaUrl>, BadUrl> {
    let finder = ResourceFinder(RefCell::new(FoundResources {
        base: base.clone(),
        urls: Vec::new(),
        known: std::collections::HashSet::new(),
        bad: None,
    }));
    let input = BufferQueue::default();
    let tokenizer = Tokenizer::new(finder, TokenizerOpts::default());
    let patience = CpuPatience::new();
    for piece in pieces(text) {
        input.push_back(StrTendril::from_slice(piece));
        // Scripts are not run: the tokenizer never waits for one.
        let _ = tokenizer.feed(&input);
        // Of a page that takes too long the beginning counts.
        if patience.check().is_err() {
            break;
        }
    }
    tokenizer.end();
    let found = tokenizer.sink.0.into_inner();
    match found.bad {
        Some(bad) => Err(bad),
        None => Ok(found.urls),
    }
}

struct FoundResources {
    base: JavaUrl,
    urls: Vec<JavaUrl>,
    /// Each address counts once.
    known: std::collections::HashSet<String>,
    bad: Option<BadUrl>,
}

struct ResourceFinder(RefCell<FoundResources>);

impl TokenSink for ResourceFinder {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let TagToken(tag) = token else {
            return TokenSinkResult::Continue;
        };
        if tag.kind != StartTag {
            return TokenSinkResult::Continue;
        }
        self.0.borrow_mut().tag(&tag);
        // Also where the tag closes itself, as in HTML.
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    let found = tag
        .attrs
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

impl FoundResources {
    fn tag(&mut self, tag: &Tag) {
        match &*tag.name {
            "body" => self.attribute(tag, "background"),
            "base" => {
                if let Some(href) = attribute(tag, "href").filter(|href| !href.is_empty()) {
                    match self.base.join(href) {
                        Ok(base) => self.base = base,
                        Err(bad) => self.bad = Some(bad),
                    }
                }
            }
            "img" | "script" | "frame" | "iframe" | "embed" | "bgsound" => {
                self.attribute(tag, "src");
            }
            "applet" => self.applet(tag),
            "object" => {
                self.attribute(tag, "codebase");
                self.attribute(tag, "data");
            }
            "input" => {
                if attribute(tag, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("image")) {
                    self.attribute(tag, "src");
                }
            }
            "link" => {
                let loads = ["stylesheet", "icon", "shortcut icon", "preload"];
                let relation = attribute(tag, "rel").unwrap_or_default();
                if loads
                    .iter()
                    .any(|loads| relation.eq_ignore_ascii_case(loads))
                {
                    self.attribute(tag, "href");
                }
            }
            _ => self.attribute(tag, "background"),
        }
        if let Some(style) = attribute(tag, "style") {
            self.style(style);
        }
    }

    fn attribute(&mut self, tag: &Tag, name: &str) {
        if let Some(value) = attribute(tag, name) {
            self.add(value);
        }
    }

    fn applet(&mut self, tag: &Tag) {
        let written = |name: &str| attribute(tag, name).filter(|value| !value.trim().is_empty());
        match written("codebase") {
            Some(codebase) => {
                let within = written("archive").or(written("code")).unwrap_or_default();
                self.add(&format!("{codebase}/{within}"));
            }
            None => self.attribute(tag, "code"),
        }
    }

    /// What a `style` attribute loads: from the first quoted address to the last.
    fn style(&mut self, style: &str) {
        let lower = style.to_ascii_lowercase();
        let Some(at) = lower.find("url(") else { return };
        let inner = style[at + 4..].trim_start();
        let Some(inner) = inner.strip_prefix(['\'', '"']) else {
            return;
        };
        let end = inner.char_indices().rev().find(|(at, c)| {
            matches!(c, '\'' | '"') && inner[at + 1..].trim_start().starts_with(')')
        });
        if let Some((end, _)) = end {
            self.add_as_is(&inner[..end]);
        }
    }

    fn add(&mut self, written: &str) {
        let written = written.trim_matches(|c| c <= ' ');
        let written = written.replace(['\n', '\r', '\u{8}', '\u{c}'], "");
        self.add_as_is(&written);
    }

    fn add_as_is(&mut self, written: &str) {
        if written.is_empty() || self.urls.len() >= MAX_RESOURCES {
            return;
        }
        // What Java cannot read is left out.
        if let Ok(url) = relative(&self.base, written)
            && self.known.insert(url.to_string())
        {
            self.urls.push(url);
        }
    }
}

/// An address in a document (`ConversionUtils.makeRelativeURL`): what leads above the root
/// stays in the root.
///
/// # Errors
/// When Java would not read it.
pub fn relative(base: &JavaUrl, written: &str) -> Result<JavaUrl, BadUrl> {
    let joined = base.join(written)?;
    if !written.starts_with("../") {
        return Ok(joined);
    }
    let mut left = written;
    let mut path = joined.path.as_str();
    while let (Some(rest), Some(in_path)) = (left.strip_prefix("../"), path.strip_prefix("/..")) {
        (left, path) = (rest, in_path);
    }
    if left == written {
        return Ok(joined);
    }
    base.join(left)
}

/// The style sheets that a style sheet imports, wherever that stands outside of other rules.
fn in_css(text: &str, base: &JavaUrl) -> Vec<JavaUrl> {
    let mut urls = Vec::new();
    let mut rest = text;
    while urls.len() < MAX_RESOURCES && !rest.is_empty() {
        rest = rest.trim_start().trim_start_matches("<!--").trim_start();
        if begins(rest, "/*") {
            rest = behind_comment(rest);
        } else if begins(rest, "@import") {
            let (written, behind) = import(&rest["@import".len()..]);
            if let Some(url) = written.and_then(|written| relative(base, written).ok()) {
                urls.push(url);
            }
            rest = behind;
        } else {
            rest = behind_rule(rest);
        }
    }
    urls
}

fn behind_comment(text: &str) -> &str {
    text.find("*/").map_or("", |end| &text[end + 2..])
}

/// What follows a rule: its block or its semicolon.
fn behind_rule(text: &str) -> &str {
    let mut rest = text;
    let mut open = 0_usize;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '/' if after.starts_with('*') => behind_comment(rest),
            '\\' => after.get(1..).unwrap_or_default(),
            '"' | '\'' => after.find(c).map_or("", |end| &after[end + 1..]),
            _ => after,
        };
        match c {
            '{' => open += 1,
            '}' if open > 1 => open -= 1,
            '}' => return rest,
            ';' if open == 0 => return rest,
            _ => {}
        }
    }
    ""
}

fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// The address of an import, and what follows it.
fn import(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    let inner = match begins(text, "url(") {
        true => text[4..].trim_start(),
        false => text,
    };
    let (written, rest) = match inner.chars().next() {
        Some(quote @ ('\'' | '"')) => match inner[1..].find(quote) {
            Some(end) => (Some(&inner[1..=end]), &inner[end + 2..]),
            None => (None, ""),
        },
        _ => {
            let end = inner.find([')', ';']).unwrap_or(inner.len());
            (Some(inner[..end].trim()), &inner[end..])
        }
    };
    let behind = rest.find(';').map_or("", |end| &rest[end + 1..]);
    (written.filter(|written| !written.is_empty()), behind)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn found(kind: DocumentKind, text: &str) -> Vec<String> {
        let mut result = SampleResult::new("x");
        result.body = text.as_bytes().to_vec();
        let base = JavaUrl::parse("http://h/a/b.html").unwrap();
        let urls = find(kind, &result, &base).unwrap();
        urls.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_resources_of_a_page() {
        let page = r#"<html><head><link rel=StyleSheet href="s.css"><link rel=next href=no>
            <script src='x.js'>var s = "<img src=no>";</script><style>a{b:url(no.png)}</style>
            </head><body background="bg.gif"><img src="a.png"><IMG SRC=a.png><img src=" b c ">
            <!-- <img src=no> --><iframe src="../../f.html?a=1&amp;b=2"></iframe>
            <input type=IMAGE src=i><input type=text src=no><table background=t>
            <div style="x: URL( 'st.png' )"><object data=d codebase=c></object>
            <applet code=k codebase=cb archive=ar></applet><embed src=e><bgsound src=g>
            <base href="/r/"><img src=z><a href=no><img src=""><img src="javascript:x()">"#;
        assert_eq!(
            found(DocumentKind::Html, page),
            [
                "http://h/a/s.css",
                "http://h/a/x.js",
                "http://h/a/bg.gif",
                "http://h/a/a.png",
                "http://h/a/b c",
                "http://h/f.html?a=1&b=2",
                "http://h/a/i",
                "http://h/a/t",
                "http://h/a/st.png",
                "http://h/a/c",
                "http://h/a/d",
                "http://h/a/cb/ar",
                "http://h/a/e",
                "http://h/a/g",
                "http://h/r/z",
            ]
        );
    }

    #[test]
    fn the_imports_of_a_style_sheet() {
        let sheet = "@charset \"utf-8\"; /* @import 'no'; */ @import url(\"i.css\") screen;\n\
                     @IMPORT 'j.css';@import url( k.css );body{background:url(no.png)} @import 'l.css';\
                     @media print { a{b:\"}\"} @import 'no'; } @namespace x url(no); /* { */ @import 'm.css';\
                     a { color: red @import 'no'; } @import 'n.css' screen; b{ @import 'no';";
        let all = ["i", "j", "k", "l", "m", "n"].map(|name| format!("http://h/a/{name}.css"));
        assert_eq!(found(DocumentKind::Css, sheet), all);
        assert!(found(DocumentKind::Css, "@import").is_empty());
        assert!(found(DocumentKind::Css, "@import url('").is_empty());
        for broken in ["/*", "{", "a{b:'", "\\", "a\\é", ";;;", "}}}", "@media {{{"] {
            assert!(found(DocumentKind::Css, broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn what_is_parsed() {
        assert_eq!(kind_of("text/HTML; charset=x"), Some(DocumentKind::Html));
        assert_eq!(kind_of("text/css"), Some(DocumentKind::Css));
        assert_eq!(kind_of("application/json"), None);
        assert_eq!(kind_of(""), None);
    }
}
