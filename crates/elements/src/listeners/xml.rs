//! Results as XML: the attributes, elements and layout of JMeter 5.6.3
//! (`SampleResultConverter`, `HTTPResultConverter` and XStream's pretty printer).

use std::fmt::Write as _;

use crate::result::{DataType, SampleResult, decode};

use super::SampleEvent;
use super::save_config::SaveConfig;

/// The opening tag of a file, with the version of JMeter's own form.
pub(super) const START: &str = "<testResults version=\"1.2\">\n";

/// What samples need beside the event.
pub(super) struct SampleContext<'c> {
    pub config: &'c SaveConfig,
    pub host: &'c str,
    pub variables: &'c [String],
    pub default_encoding: &'c str,
    pub stamps_start: bool,
    /// The plan runs in functional mode.
    pub functional: bool,
}

/// A sample with its parts, and the line end after it.
pub(super) fn sample(out: &mut String, cx: &SampleContext<'_>, event: &SampleEvent) {
    element(out, cx, event, &event.result, 0);
    out.push('\n');
}

fn element(
    out: &mut String,
    cx: &SampleContext<'_>,
    event: &SampleEvent,
    result: &SampleResult,
    depth: usize,
) {
    let tag = if result.http { "httpSample" } else { "sample" };
    let _ = write!(out, "<{tag}");
    attributes(out, cx, event, result);
    let mut children = Children {
        out,
        depth: depth + 1,
        any: false,
    };
    contents(&mut children, cx, event, result);
    let any = children.any;
    if any {
        out.push('\n');
        indent(out, depth);
        let _ = write!(out, "</{tag}>");
    } else {
        out.push_str("/>");
    }
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// What stands within an element, a line each.
struct Children<'o> {
    out: &'o mut String,
    depth: usize,
    any: bool,
}

impl Children<'_> {
    /// The beginning of the next line.
    fn next(&mut self) {
        if !self.any {
            self.any = true;
            self.out.push('>');
        }
        self.out.push('\n');
        indent(self.out, self.depth);
    }

    /// A text of class `java.lang.String`. An empty one is written as JMeter's own suite of
    /// plans expects it; the XStream of JMeter 5.6.3 writes its end apart, which is the same.
    fn text(&mut self, tag: &str, text: &str) {
        self.next();
        let _ = write!(self.out, "<{tag} class=\"java.lang.String\"");
        if text.is_empty() {
            self.out.push_str("/>");
            return;
        }
        self.out.push('>');
        escape(self.out, text, false);
        let _ = write!(self.out, "</{tag}>");
    }

    /// A text that is left out when there is none.
    fn text_if_any(&mut self, tag: &str, text: &str) {
        if !text.is_empty() {
            self.text(tag, text);
        }
    }

    /// A bare value.
    fn value(&mut self, tag: &str, text: &str) {
        self.next();
        let _ = write!(self.out, "<{tag}>");
        escape(self.out, text, false);
        let _ = write!(self.out, "</{tag}>");
    }
}

fn contents(
    children: &mut Children<'_>,
    cx: &SampleContext<'_>,
    event: &SampleEvent,
    result: &SampleResult,
) {
    let config = cx.config;
    if config.assertions {
        assertions(children, result);
    }
    if config.subresults {
        for part in &result.parts {
            children.next();
            element(children.out, cx, event, part, children.depth);
        }
    }
    if config.response_headers {
        children.text("responseHeader", &result.response_headers);
    }
    if config.request_headers {
        children.text("requestHeader", &result.request_headers);
    }
    let in_full = cx.functional || (config.response_data_on_error && !result.success);
    if config.response_data || in_full {
        body(children, cx, result);
    }
    if config.file_name {
        children.text("responseFile", &result.file_name);
    }
    if config.sampler_data || in_full {
        sent(children, result);
    }
    if config.url {
        match (&result.url, result.http) {
            (Some(url), _) => children.value("java.net.URL", url),
            (None, true) => {
                children.next();
                children.out.push_str("<null/>");
            }
            (None, false) => {}
        }
    }
}

fn assertions(children: &mut Children<'_>, result: &SampleResult) {
    for found in &result.assertions {
        children.next();
        let mut inner = Children {
            out: &mut *children.out,
            depth: children.depth + 1,
            any: false,
        };
        inner.out.push_str("<assertionResult");
        inner.value("name", &found.name);
        inner.value("failure", if found.failure { "true" } else { "false" });
        inner.value("error", if found.error { "true" } else { "false" });
        if let Some(message) = &found.message {
            inner.value("failureMessage", message);
        }
        children.out.push('\n');
        indent(children.out, children.depth);
        children.out.push_str("</assertionResult>");
    }
}

fn body(children: &mut Children<'_>, cx: &SampleContext<'_>, result: &SampleResult) {
    if result.data_type == DataType::Text {
        let named = result.encoding.as_deref().filter(|name| !name.is_empty());
        let text = decode(&result.body, Some(named.unwrap_or(cx.default_encoding)));
        children.text("responseData", &text);
    } else {
        let word = result.data_type.word();
        let text = format!("Non-TEXT response data, cannot record: ({word})");
        children.text("responseData", &text);
    }
}

fn sent(children: &mut Children<'_>, result: &SampleResult) {
    if result.http {
        children.text("cookies", &result.cookies);
        children.text_if_any("method", &result.method);
        children.text("queryString", &result.query);
        children.text_if_any("redirectLocation", &result.redirect_location);
    } else {
        if let Some(sent) = &result.sampler_data {
            children.text("samplerData", sent);
        }
    }
}

fn attributes(
    out: &mut String,
    cx: &SampleContext<'_>,
    event: &SampleEvent,
    result: &SampleResult,
) {
    let config = cx.config;
    let stamp_ms = match cx.stamps_start {
        true => result.start_unix_ms,
        false => result.end_unix_ms,
    };
    number(out, config.time, "t", result.elapsed_ms);
    number(out, config.idle_time, "it", result.idle_ms);
    number(out, config.latency, "lt", result.latency_ms);
    number(out, config.connect_time, "ct", result.connect_ms);
    number(out, config.timestamp, "ts", stamp_ms);
    number(out, config.success, "s", result.success);
    text(out, config.label, "lb", &result.label);
    text(out, config.code, "rc", &result.code);
    text(out, config.message, "rm", &result.message);
    text(out, config.thread_name, "tn", &result.thread_name);
    text(out, config.data_type, "dt", result.data_type.word());
    let encoding = result.encoding.as_deref().unwrap_or_default();
    text(out, config.encoding, "de", encoding);
    number(out, config.bytes, "by", result.received_bytes);
    number(out, config.sent_bytes, "sby", result.sent_bytes);
    number(out, config.sample_count, "sc", result.samples);
    number(out, config.sample_count, "ec", result.error_count());
    number(out, config.thread_counts, "ng", result.group_threads);
    number(out, config.thread_counts, "na", result.all_threads);
    text(out, config.hostname, "hn", cx.host);
    for (name, value) in cx.variables.iter().zip(event.variables.iter()) {
        text(out, true, name, value.as_deref().unwrap_or_default());
    }
}

fn number(out: &mut String, is_saved: bool, name: &str, value: impl std::fmt::Display) {
    if is_saved {
        let _ = write!(out, " {name}=\"{value}\"");
    }
}

fn text(out: &mut String, is_saved: bool, name: &str, value: &str) {
    if is_saved {
        let _ = write!(out, " {name}=\"");
        escape(out, value, true);
        out.push('"');
    }
}

/// Text as XStream's pretty printer writes it: control characters and code points that no
/// text has become references (not all of which XML 1.0 allows; JMeter writes them even so).
fn escape(out: &mut String, text: &str, in_attribute: bool) {
    let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '&' | '<' | '>' | '"' | '\'');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| !is_plain(c)) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        if let Some(c) = chars.next() {
            escape_char(out, c, in_attribute);
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

fn escape_char(out: &mut String, c: char, in_attribute: bool) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&apos;"),
        '\t' | '\n' if !in_attribute => out.push(c),
        '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' => {
            let _ = write!(out, "&#x{:x};", u32::from(c));
        }
        _ if c.is_control() => {
            let _ = write!(out, "&#x{:x};", u32::from(c));
        }
        _ => out.push(c),
    }
}
