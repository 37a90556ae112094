//! Requests with everything that holds for them resolved.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::{ExchangeProgram, Label, ScriptId, Slot, Template};
use crate::model::{Comparison, CookieMode, Span, TlsSettings, Which};

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its label.
    pub label: Label,
    /// Method.
    pub method: Template,
    /// Absolute URL without fragment. It may turn out to be relative only with a `base`.
    pub url: Template,
    /// What the URL is joined to if it turns out to be relative; there only when that cannot
    /// be told before the run (it begins with a variable that may change). Joining is putting
    /// together with exactly one `/` between.
    pub base: Option<Template>,
    /// Query parameters to add, percent-encoded when sent.
    pub query: Vec<(Template, Template)>,
    /// Headers in the order they are sent; `Host`, `Content-Length`, `Cookie`,
    /// `Authorization` are made by the engine unless they are here.
    pub headers: Vec<(Template, Template)>,
    /// Body.
    pub body: BodyTemplate,
    /// Redirects followed as sub-samples.
    pub redirects: u32,
    /// Cookie handling.
    pub cookies: CookieMode,
    /// Credentials.
    pub auth: Option<AuthTemplate>,
    /// Index into [`super::Program::profiles`].
    pub profile: u32,
    /// Time-out of the whole request.
    pub timeout: Duration,
    /// Whether the connection is kept open.
    pub keep_alive: bool,
    /// Longest response body that is accepted, bytes.
    pub max_body_bytes: u64,
    /// Longest header section that is accepted, bytes.
    pub max_head_bytes: usize,
    /// What the plan wants of the response; nothing else is kept.
    pub keep: Keep,
    /// What is done with the response, in order: extractions and scripts, then checks.
    pub after: Vec<After>,
    /// Checks.
    pub checks: Vec<CheckProgram>,
    /// Its sample is left out of the result: it only prepares what is measured.
    pub discard: bool,
    /// Statuses of 400 and above are failures (no check speaks of the status).
    pub status_below_400: bool,
    /// What another protocol makes of it; none: it is HTTP and nothing else.
    pub exchange: Option<Box<ExchangeProgram>>,
    /// Where it is written.
    pub at: Span,
}

/// Which parts of a response are kept until the checks are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// The header section.
    pub head: bool,
    /// The body, decoded.
    pub body: bool,
}

/// A body.
#[derive(Debug, Clone, Default)]
pub enum BodyTemplate {
    /// None.
    #[default]
    Empty,
    /// Text.
    Text(Template),
    /// A file's bytes, read once before the run when the path has no variables.
    File(Template),
    /// Form fields, encoded when sent.
    Form(Vec<(Template, Template)>),
    /// Multipart fields.
    Multipart(Vec<PartTemplate>),
}

impl BodyTemplate {
    /// The paths of the files that it is made of.
    #[must_use]
    pub fn files(&self) -> Vec<&Template> {
        match self {
            Self::File(path) => vec![path],
            Self::Multipart(parts) => {
                let files = parts.iter().filter(|part| part.is_file);
                files.map(|part| &part.content).collect()
            }
            Self::Empty | Self::Text(_) | Self::Form(_) => Vec::new(),
        }
    }
}

/// A part of a multipart body.
#[derive(Debug, Clone)]
pub struct PartTemplate {
    /// Field name.
    pub name: Template,
    /// Text, or a file's path.
    pub content: Template,
    /// Whether `content` is a path.
    pub is_file: bool,
    /// File name sent.
    pub file_name: Option<Template>,
    /// `Content-Type` of the part.
    pub content_type: Option<String>,
}

/// Credentials.
#[derive(Debug, Clone)]
pub enum AuthTemplate {
    /// Basic.
    Basic(Template, Template),
    /// Digest.
    Digest(Template, Template),
    /// Bearer.
    Bearer(Template),
}

/// Settings of connections. Two requests with equal profiles may use one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Time-out of DNS, TCP and TLS together.
    pub connect_timeout: Duration,
    /// TLS.
    pub tls: TlsSettings,
    /// Proxy, a template over plan-level variables.
    pub proxy: Option<Template>,
    /// Local addresses, in turn.
    pub source_addresses: Vec<IpAddr>,
    /// Names resolved here.
    pub dns: Vec<(String, Vec<IpAddr>)>,
    /// Name servers.
    pub dns_servers: Vec<SocketAddr>,
    /// Unix socket.
    pub unix_socket: Option<Template>,
    /// Connections are shared by the users of a core.
    pub share_connections: bool,
}

/// Something done with a response.
#[derive(Debug, Clone)]
pub enum After {
    /// Take a value.
    Extract(ExtractProgram),
    /// Run a script.
    Script(ScriptId),
    /// Set a variable.
    Set(Slot, Template),
}

/// A value taken from a response.
#[derive(Debug, Clone)]
pub struct ExtractProgram {
    /// How it is found.
    pub how: ExtractorProgram,
    /// Which match.
    pub which: Which,
    /// Gets the value.
    pub variable: Slot,
    /// Its name: all matches become `NAME_1` … , looked up among the dynamic variables.
    pub name: Box<str>,
    /// Value when there is no match.
    pub default: Option<Template>,
    /// Where it is written.
    pub at: Span,
}

/// How a value is found.
#[derive(Debug, Clone)]
pub enum ExtractorProgram {
    /// JSONPath over the body.
    JsonPath(String),
    /// Regular expression; `group` is saved.
    Regex {
        /// The expression.
        pattern: String,
        /// The group.
        group: u32,
        /// Over the header section.
        in_headers: bool,
    },
    /// CSS selector.
    Css {
        /// The selector.
        selector: String,
        /// The attribute; none: text.
        attribute: Option<String>,
    },
    /// XPath.
    XPath(String),
    /// A header.
    Header(String),
    /// A cookie the response sets.
    Cookie(String),
    /// Between two texts.
    Boundary(Template, Template),
    /// The whole body.
    Body,
    /// The status code.
    Status,
    /// The last address of a redirect chain.
    Url,
}

/// A check.
#[derive(Debug, Clone)]
pub struct CheckProgram {
    /// What is looked at.
    pub of: CheckOfProgram,
    /// How.
    pub test: TestProgram,
    /// Where it is written.
    pub at: Span,
}

/// What a check looks at.
#[derive(Debug, Clone)]
pub enum CheckOfProgram {
    /// The status code.
    Status,
    /// The first match.
    Value(ExtractorProgram),
    /// How many matches.
    Count(ExtractorProgram),
    /// Bytes of the decoded body.
    SizeBytes,
    /// Service time, ms.
    TimeMs,
    /// A script's value.
    Script(ScriptId),
}

/// The test of a check.
#[derive(Debug, Clone)]
pub enum TestProgram {
    /// One of these ranges.
    StatusIn(Vec<(u16, u16)>),
    /// Compared with a text; as numbers when both are.
    Compare(Comparison, Template),
    /// Is there.
    Exists,
    /// The opposite.
    Not(Box<TestProgram>),
    /// Truthy.
    Truthy,
}
