//! HTTP requests and their settings.

use std::time::Duration;

use super::{Check, Exchange, Extract, Pause, Processor, Span, Text};

/// HTTP settings; what is `None` is inherited from further out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HttpSettings {
    /// Base address that relative URLs are joined to.
    pub target: Option<Text>,
    /// Redirects followed as sub-samples; 0: none.
    pub redirects: Option<u32>,
    /// Time-out of making a connection (DNS, TCP, TLS).
    pub connect_timeout: Option<Duration>,
    /// Time-out of the whole request.
    pub timeout: Option<Duration>,
    /// Credentials.
    pub auth: Option<Auth>,
    /// Whether cookies are kept.
    pub cookies: Option<CookieMode>,
    /// Whether connections are kept open.
    pub keep_alive: Option<bool>,
    /// Whether responses may come compressed; adds `Accept-Encoding`.
    pub compression: Option<bool>,
    /// Whether connections belong to each user or are shared by a core's users.
    pub share_connections: Option<bool>,
    /// TLS settings.
    pub tls: Option<TlsSettings>,
    /// Proxy address, `http://[user:password@]host:port`.
    pub proxy: Option<Text>,
    /// Local addresses connections start from, taken in turn.
    pub source_addresses: Vec<std::net::IpAddr>,
    /// Host names resolved here and not by DNS.
    pub dns: Vec<(String, Vec<std::net::IpAddr>)>,
    /// Name servers to ask instead of the system's.
    pub dns_servers: Vec<std::net::SocketAddr>,
    /// A Unix socket to connect to, whatever the host.
    pub unix_socket: Option<Text>,
    /// Longest response body that is accepted, bytes.
    pub max_body_bytes: Option<u64>,
    /// Longest header section that is accepted, bytes.
    pub max_head_bytes: Option<u64>,
}

/// Cookie handling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieMode {
    /// No cookies.
    Off,
    /// As a browser, for the user's whole life.
    Keep,
    /// As a browser, forgotten at each iteration.
    ClearEachIteration,
}

/// TLS settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Certificates are not checked.
    pub insecure: bool,
    /// A PEM file of certificate authorities, beside the usual ones.
    pub ca_file: Option<String>,
    /// A PEM file with the client's certificate chain.
    pub certificate_file: Option<String>,
    /// A PEM file with the client's key.
    pub key_file: Option<String>,
    /// Name to ask for and check instead of the host.
    pub server_name: Option<String>,
}

/// Credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// RFC 7617, sent with every request.
    Basic {
        /// User name.
        user: Text,
        /// Password.
        password: Text,
    },
    /// RFC 7616, after the server's challenge.
    Digest {
        /// User name.
        user: Text,
        /// Password.
        password: Text,
    },
    /// RFC 6750.
    Bearer(Text),
}

/// Headers set for all requests in scope; a nearer one of the same name wins.
#[derive(Debug, Clone, Default)]
pub struct Headers(pub Vec<(Text, Text)>);

/// An HTTP request, or one that carries an exchange of another protocol.
#[derive(Debug, Clone, Default)]
pub struct HttpRequest {
    /// Label; by default the method and the path as written.
    pub label: Option<Text>,
    /// Method.
    pub method: Text,
    /// Absolute URL, or a path joined to the target.
    pub url: Text,
    /// Query parameters added to the URL, percent-encoded.
    pub query: Vec<(Text, Text)>,
    /// Headers of this request.
    pub headers: Vec<(Text, Text)>,
    /// Body.
    pub body: Body,
    /// Settings of this request.
    pub settings: HttpSettings,
    /// Run before this request, after those of the scope.
    pub before: Vec<Processor>,
    /// Waited for before this request.
    pub think: Option<Pause>,
    /// Values to save.
    pub save: Vec<Extract>,
    /// Run after the values are saved and before the checks, after those of the scope.
    pub after: Vec<Processor>,
    /// Checks of this request.
    pub checks: Vec<Check>,
    /// Its sample is left out of the result: it only prepares what is measured.
    pub discard: bool,
    /// Statuses that are success when no check speaks of the status: below 400.
    pub any_status_ok: bool,
    /// What another protocol makes of it; none: it is HTTP and nothing else.
    pub exchange: Option<Exchange>,
    /// Where it is written.
    pub at: Span,
}

/// A request body.
#[derive(Debug, Clone, Default)]
pub enum Body {
    /// None.
    #[default]
    Empty,
    /// Text, sent as it is; the type is sent unless a header says otherwise.
    Text {
        /// The text.
        text: Text,
        /// `Content-Type`.
        content_type: Option<String>,
    },
    /// A file's bytes.
    File {
        /// Its path, from the plan's folder.
        path: Text,
        /// `Content-Type`.
        content_type: Option<String>,
    },
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(Text, Text)>),
    /// `multipart/form-data`.
    Multipart(Vec<MultipartPart>),
}

/// A part of a multipart body.
#[derive(Debug, Clone)]
pub struct MultipartPart {
    /// Field name.
    pub name: Text,
    /// What it holds.
    pub content: PartContent,
    /// `Content-Type` of the part.
    pub content_type: Option<String>,
}

/// What a part holds.
#[derive(Debug, Clone)]
pub enum PartContent {
    /// Text.
    Text(Text),
    /// A file.
    File {
        /// Its path, from the plan's folder.
        path: Text,
        /// The name sent; by default the path's last part.
        file_name: Option<Text>,
    },
}
