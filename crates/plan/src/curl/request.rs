//! What a command line asks for, option by option.

use plimsoll_text::Message;

use super::mistake::mistake;
use super::options::Meaning;
use super::words::Word;
use crate::error::Problem;
use crate::model::Span;

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CurlData {
    /// As it is.
    Raw(String),
    /// As it is, right behind what is there: pieces of one JSON text.
    Json(String),
    /// Percent-encoded by the plan: name (perhaps empty) and value.
    Encoded(String, String),
    /// A file's bytes.
    File(String),
}

/// A part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CurlPart {
    pub name: String,
    pub text: String,
    pub is_file: bool,
    pub file_name: Option<String>,
    pub content_type: Option<String>,
}

/// The types that curl knows files by (`Curl_mime_contenttype`, `lib/mime.c`); others are
/// `application/octet-stream`, which is the plan's own.
const TYPES: &[(&str, &str)] = &[
    (".gif", "image/gif"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain"),
    (".htm", "text/html"),
    (".html", "text/html"),
    (".pdf", "application/pdf"),
    (".xml", "application/xml"),
];

impl CurlPart {
    /// The type of a file by its name, if nobody gave it one.
    pub fn usual_type(&self) -> Option<&'static str> {
        let of = |name: &str| {
            let name = name.to_ascii_lowercase();
            let mut types = TYPES.iter();
            types
                .find(|(end, _)| name.ends_with(end))
                .map(|(_, kind)| *kind)
        };
        let by_name = self.file_name.as_deref().and_then(of);
        by_name.or_else(|| of(&self.text)).filter(|_| self.is_file)
    }
}

/// Everything a command line says.
#[derive(Debug, Default)]
pub(super) struct Curl {
    /// Where it begins.
    pub at: Span,
    pub urls: Vec<Word>,
    pub method: Option<String>,
    pub headers: Vec<(String, String)>,
    pub data: Vec<CurlData>,
    pub parts: Vec<CurlPart>,
    pub user: Option<String>,
    pub digest: bool,
    pub bearer: Option<String>,
    pub insecure: bool,
    /// Of `-b`, in their order.
    pub cookies: Vec<String>,
    /// Of a header, which stands in their place.
    pub cookie_header: Option<String>,
    pub compressed: bool,
    pub follow: bool,
    pub max_redirects: Option<u32>,
    pub proxy: Option<String>,
    /// Seconds, checked to be a decimal number.
    pub timeout_s: Option<String>,
    pub connect_timeout_s: Option<String>,
    pub ca: Option<String>,
    pub certificate: Option<String>,
    pub key: Option<String>,
    pub proxy_user: Option<String>,
    /// What follows the addresses' own queries.
    pub query: Vec<CurlData>,
    /// `Content-Type:` takes the usual one away.
    pub untyped: bool,
    pub get: bool,
    pub head: bool,
    pub unix_socket: Option<String>,
    pub resolve: Vec<(String, Vec<String>)>,
    pub upload: Option<String>,
    pub no_keep_alive: bool,
    pub source: Option<String>,
    /// `[1-3]` and `{a,b}` in addresses mean themselves.
    pub glob_off: bool,
    /// Where it is said that paths keep their `..`.
    pub path_as_is: Option<Span>,
}

impl Curl {
    /// Takes in one option with its value (empty for switches).
    pub fn option(&mut self, meaning: Meaning, value: Word, problems: &mut Vec<Problem>) {
        let Word { text, at } = value;
        match meaning {
            Meaning::Method => self.method = method(text, at, problems),
            Meaning::Header => self.header(&text, at, problems),
            Meaning::Data => self.data(text, true, at, problems),
            Meaning::DataBinary => self.data(text, false, at, problems),
            Meaning::DataRaw => self.data.push(CurlData::Raw(text)),
            Meaning::DataUrlencode => self.data.extend(urlencoded(&text, at, problems)),
            Meaning::Json => self.json(text, at, problems),
            Meaning::Form => self.form(&text, at, problems),
            Meaning::FormString => match text.split_once('=') {
                Some((name, text)) => self.part(name, text),
                None => problems.push(mistake(at, "plan-curl-form")),
            },
            Meaning::User => self.user = Some(text),
            Meaning::Digest => self.digest = true,
            Meaning::Basic => self.digest = false,
            Meaning::Bearer => self.bearer = Some(text),
            Meaning::Insecure => self.insecure = true,
            Meaning::Cookie if text.contains('=') => self.cookies.push(text),
            Meaning::Cookie => problems.push(mistake(at, "plan-curl-cookie-file")),
            Meaning::Agent => self.headers.push(("User-Agent".into(), text)),
            Meaning::Referer => self.headers.push(("Referer".into(), text)),
            Meaning::Compressed => self.compressed = true,
            Meaning::Location => self.follow = true,
            Meaning::MaxRedirects => {
                let number = text.parse().map_err(|_| not_a_number(&text, at));
                self.max_redirects = number.map_err(|problem| problems.push(problem)).ok();
            }
            Meaning::Proxy => self.proxy = Some(text),
            Meaning::MaxTime => self.timeout_s = seconds(text, at, problems),
            Meaning::ConnectTimeout => self.connect_timeout_s = seconds(text, at, problems),
            Meaning::CaCert => self.ca = Some(text),
            Meaning::Cert => self.certificate = certificate(&text, at, problems),
            Meaning::KeyPassword => problems.push(mistake(at, "plan-curl-key-password")),
            Meaning::GlobOff => self.glob_off = true,
            Meaning::PathAsIs => self.path_as_is = Some(at),
            Meaning::Key => self.key = Some(text),
            Meaning::Get => self.get = true,
            Meaning::Head => self.head = true,
            Meaning::UnixSocket => self.unix_socket = Some(text),
            Meaning::Resolve => self.resolve(&text, at, problems),
            Meaning::Upload => self.upload = Some(text),
            Meaning::Url => self.urls.push(Word { text, at }),
            Meaning::NoKeepAlive => self.no_keep_alive = true,
            Meaning::Interface => match text.parse::<std::net::IpAddr>() {
                Ok(_) => self.source = Some(text),
                Err(_) => problems.push(mistake(at, "plan-curl-interface")),
            },
            Meaning::Range => self.headers.push(("Range".into(), format!("bytes={text}"))),
            Meaning::ProxyUser => self.proxy_user = Some(text),
            Meaning::UrlQuery => match text.strip_prefix('+') {
                Some(raw) => self.query.push(CurlData::Raw(raw.to_owned())),
                None => self.query.extend(urlencoded(&text, at, problems)),
            },
            Meaning::Ignored | Meaning::Unsaid => {}
        }
    }

    fn header(&mut self, text: &str, at: Span, problems: &mut Vec<Problem>) {
        // `Name;` sends the name without a value; `Name:` sends nothing.
        if let Some(name) = text.strip_suffix(';').filter(|name| !name.contains(':')) {
            self.headers.push((name.to_owned(), String::new()));
            return;
        }
        match crate::url_plan::header_pair(text) {
            Some((_, value)) if value.raw.is_empty() => {
                self.untyped |= text.to_ascii_lowercase().starts_with("content-type");
                let message = Message::new("plan-curl-header-removed").with("header", text);
                problems.push(Problem::warning(at, message));
            }
            Some((name, value)) if name.raw.eq_ignore_ascii_case("cookie") => {
                self.cookie_header = Some(value.raw);
            }
            Some((name, value)) => {
                let token = value.raw.get(..7).filter(|scheme| {
                    name.raw.eq_ignore_ascii_case("authorization")
                        && scheme.eq_ignore_ascii_case("bearer ")
                });
                match token {
                    Some(_) => self.bearer = Some(value.raw[7..].trim().to_owned()),
                    None => self.headers.push((name.raw, value.raw)),
                }
            }
            None => {
                let message = Message::new("plan-bad-header").with("header", text);
                problems.push(Problem::mistake(at, message));
            }
        }
    }

    /// What is sent as cookies.
    pub fn cookie(&self) -> Option<String> {
        let all = (!self.cookies.is_empty()).then(|| self.cookies.join(";"));
        self.cookie_header.clone().or(all)
    }

    /// Sets a header that is not there yet.
    fn usual_header(&mut self, name: &str, value: &str) {
        if !self
            .headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            self.headers.push((name.into(), value.into()));
        }
    }

    fn data(&mut self, text: String, strips: bool, at: Span, problems: &mut Vec<Problem>) {
        match text.strip_prefix('@') {
            Some("-") => problems.push(mistake(at, "plan-curl-stdin")),
            Some(path) => {
                if strips {
                    problems.push(Problem::warning(at, Message::new("plan-curl-line-breaks")));
                }
                self.data.push(CurlData::File(path.to_owned()));
            }
            None => self.data.push(CurlData::Raw(text)),
        }
    }

    fn json(&mut self, text: String, at: Span, problems: &mut Vec<Problem>) {
        self.usual_header("Content-Type", "application/json");
        self.usual_header("Accept", "application/json");
        match text.starts_with('@') {
            true => self.data(text, false, at, problems),
            false => self.data.push(CurlData::Json(text)),
        }
    }

    fn part(&mut self, name: &str, text: &str) {
        self.parts.push(CurlPart {
            name: name.to_owned(),
            text: text.to_owned(),
            is_file: false,
            file_name: None,
            content_type: None,
        });
    }

    /// `name=text`, `name=@file`, with `;type=` and `;filename=` behind.
    fn form(&mut self, text: &str, at: Span, problems: &mut Vec<Problem>) {
        let Some((name, value)) = text.split_once('=') else {
            problems.push(mistake(at, "plan-curl-form"));
            return;
        };
        if value.starts_with('<') {
            problems.push(mistake(at, "plan-curl-form-text-file"));
            return;
        }
        let is_file = value.starts_with('@');
        let mut fields = form_fields(value.strip_prefix('@').unwrap_or(value)).into_iter();
        let mut part = CurlPart {
            name: name.to_owned(),
            is_file,
            text: fields.next().unwrap_or_default(),
            file_name: None,
            content_type: None,
        };
        let mut in_type = false;
        for field in fields {
            match (field.trim_start().split_once('='), &mut part.content_type) {
                (Some(("type", kind)), kept) => *kept = Some(kind.to_owned()),
                (Some(("filename", name)), _) => part.file_name = Some(name.to_owned()),
                // What a type says of itself, such as its character set.
                (_, Some(kind)) if in_type => {
                    kind.push(';');
                    kind.push_str(&field);
                    continue;
                }
                // Curl leaves out what it does not know.
                _ => {}
            }
            in_type = field.trim_start().starts_with("type=");
        }
        self.parts.push(part);
    }

    /// `[+]host:port:address[,address]`.
    fn resolve(&mut self, text: &str, at: Span, problems: &mut Vec<Problem>) {
        let mut fields = text.trim_start_matches('+').splitn(3, ':');
        let host = fields.next().unwrap_or_default();
        let addresses = fields.nth(1).unwrap_or_default();
        let bare = |address: &str| address.trim_matches(['[', ']']).to_owned();
        let addresses: Vec<String> = addresses.split(',').map(bare).collect();
        let good = addresses
            .iter()
            .all(|a| a.parse::<std::net::IpAddr>().is_ok());
        if host.is_empty() || host == "*" || !good {
            problems.push(mistake(at, "plan-curl-resolve"));
        } else {
            self.resolve.push((host.to_owned(), addresses));
        }
    }
}

fn method(text: String, at: Span, problems: &mut Vec<Problem>) -> Option<String> {
    if crate::url_plan::is_token(&text) {
        return Some(text);
    }
    let message = Message::new("plan-bad-method").with("method", text);
    problems.push(Problem::mistake(at, message));
    None
}

/// The file of `file[:password]`; a password is refused. A backslash makes a colon one of the name's.
fn certificate(text: &str, at: Span, problems: &mut Vec<Problem>) -> Option<String> {
    let mut path = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some(':' | '\\')) => path.extend(chars.next()),
            ':' if chars.peek().is_some() => {
                problems.push(mistake(at, "plan-curl-key-password"));
                return None;
            }
            ':' => {}
            c => path.push(c),
        }
    }
    Some(path)
}

/// `name=content`, `=content`, `content`: what is to be encoded.
fn urlencoded(text: &str, at: Span, problems: &mut Vec<Problem>) -> Option<CurlData> {
    match (text.split_once('='), text.contains('@')) {
        (Some((name, value)), _) => Some(CurlData::Encoded(name.to_owned(), value.to_owned())),
        (None, true) => {
            problems.push(mistake(at, "plan-curl-encoded-file"));
            None
        }
        (None, false) => Some(CurlData::Encoded(String::new(), text.to_owned())),
    }
}

/// The fields of a form's part between semicolons; what is in quotes is taken as it is, with
/// backslashes before quotes and backslashes (curl's manual, `--form`).
fn form_fields(text: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    // A quote means something at the begin of a field's value only.
    let mut begins = true;
    while let Some(c) = chars.next() {
        let escaped = quoted && c == '\\' && matches!(chars.peek(), Some('"' | '\\'));
        let Some(field) = fields.last_mut() else {
            break;
        };
        match c {
            '\\' if escaped => field.extend(chars.next()),
            '"' if quoted => quoted = false,
            '"' if begins => quoted = true,
            ';' if !quoted => {
                fields.push(String::new());
                begins = false;
                continue;
            }
            c => field.push(c),
        }
        begins = c == '=' && !quoted && fields.len() > 1;
    }
    fields
}

fn not_a_number(text: &str, at: Span) -> Problem {
    let message = Message::new("plan-curl-not-a-number").with("found", text);
    Problem::mistake(at, message)
}

fn seconds(text: String, at: Span, problems: &mut Vec<Problem>) -> Option<String> {
    match crate::units::parse_duration(&format!("{text}s")) {
        // Zero is curl's way to say: no limit.
        Some(time) => (!time.is_zero()).then_some(text),
        None => {
            problems.push(not_a_number(&text, at));
            None
        }
    }
}
