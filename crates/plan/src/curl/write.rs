//! A plan's text for what a command line asks.

use std::fmt::Write as _;

use plimsoll_text::Message;

use super::address::{addresses, origin, path_of, strip_user};
use super::hidden::{self, HiddenValue};
use super::mistake::mistake;
use super::request::{Curl, CurlData};
use crate::error::Problem;
use crate::model::Span;

/// The parts of a plan made of a command line; its load stands between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CurlPlan {
    /// What holds for all requests: target, variables, settings.
    pub head: String,
    /// The steps.
    pub steps: String,
    /// The environment's variables that give the secrets, in their order.
    pub secrets: Vec<String>,
}

/// The plan. Mistakes are added to `problems`; the text is then of no use.
pub(super) fn plan(mut curl: Curl, problems: &mut Vec<Problem>) -> CurlPlan {
    let at = Span { line: 1, column: 1 };
    if curl.urls.is_empty() {
        problems.push(mistake(at, "plan-curl-no-url"));
        return CurlPlan::default();
    }
    let addresses = addresses(&curl, problems);
    let Some((first, _)) = addresses.first() else {
        return CurlPlan::default();
    };
    let target = origin(first);
    if !first.username().is_empty() && curl.user.is_none() {
        curl.user = Some(format!(
            "{}:{}",
            first.username(),
            first.password().unwrap_or("")
        ));
    }
    let mut writer = CurlWriter {
        secrets: Vec::new(),
    };
    let common = writer.common(&curl);
    let request = writer.request(&curl, problems, at);
    let mut steps = String::from("steps:\n");
    for (url, text) in &addresses {
        let path = match origin(url) == target {
            true => path_of(url, text),
            false => strip_user(url),
        };
        let path = writer.path(&path, &curl);
        let _ = write!(steps, "  - {}{request}", method_line(&curl, &path));
    }
    let mut head = String::new();
    let _ = writeln!(head, "target: {}", quote(&target));
    if !writer.secrets.is_empty() {
        head.push_str("variables:\n");
        for (name, env, _) in &writer.secrets {
            let _ = writeln!(head, "  {name}: {{env: {env}, secret: true}}");
            let message = Message::new("plan-curl-secret").with("env", env.as_str());
            problems.push(Problem::warning(at, message));
        }
    }
    CurlPlan {
        head: head + &common,
        steps,
        secrets: writer.secrets.into_iter().map(|(_, env, _)| env).collect(),
    }
}

/// Data as it stands in an address or a body.
fn encoded(data: &CurlData) -> String {
    match data {
        CurlData::Raw(text) => text.clone(),
        CurlData::Encoded(name, value) => {
            let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            match name.is_empty() {
                true => value,
                false => format!("{name}={value}"),
            }
        }
        CurlData::File(_) => String::new(),
    }
}

/// `--url-query`, and with `-G` the data that has no name to be a key by: they follow the address's
/// own query.
fn with_query(path: &str, curl: &Curl) -> String {
    let of_data = curl.data.iter().filter(|data| curl.get && !is_named(data));
    let more: Vec<String> = of_data.chain(&curl.query).map(encoded).collect();
    match (more.is_empty(), path.contains('?')) {
        (true, _) => path.to_owned(),
        (false, true) => format!("{path}&{}", more.join("&")),
        (false, false) => format!("{path}?{}", more.join("&")),
    }
}

fn method_line(curl: &Curl, path: &str) -> String {
    let has_body = (!curl.data.is_empty() && !curl.get) || !curl.parts.is_empty();
    let usual = match () {
        () if curl.head => "HEAD",
        () if curl.upload.is_some() => "PUT",
        () if has_body => "POST",
        () => "GET",
    };
    let method = curl.method.as_deref().unwrap_or(usual);
    let known = crate::yaml::grammar::METHODS
        .iter()
        .find(|m| m.eq_ignore_ascii_case(method));
    match known.filter(|known| known.to_uppercase() == method) {
        Some(known) => format!("{known}: {path}\n"),
        None => format!("request: {{method: {}, url: {path}}}\n", quote(method)),
    }
}

struct CurlWriter {
    /// Variable, environment variable and value of each secret.
    secrets: Vec<(String, String, String)>,
}

impl CurlWriter {
    /// A variable in the place of a secret, as a YAML scalar.
    fn secret(&mut self, name: &str, value: &str) -> String {
        format!("\"${{{}}}\"", self.variable(name, value))
    }

    /// The variable of a secret: one for each value.
    fn variable(&mut self, name: &str, value: &str) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let name: String = name.chars().map(plain).collect();
        let name = match name.trim_matches('-') {
            "" => "secret",
            name if name.starts_with(|c: char| c.is_ascii_digit()) => "secret",
            name => name,
        };
        for number in 1.. {
            let name = match number {
                1 => name.to_owned(),
                number => format!("{name}-{number}"),
            };
            match self.secrets.iter().find(|(known, ..)| *known == name) {
                Some((.., known)) if known == value => return name,
                Some(_) => {}
                None => {
                    let env = name.to_uppercase().replace('-', "_");
                    self.secrets.push((name.clone(), env, value.to_owned()));
                    return name;
                }
            }
        }
        unreachable!("there are more numbers than secrets")
    }

    /// A text with variables in the places of its secrets, as a YAML scalar.
    fn hiding(&mut self, text: &str, secrets: Vec<HiddenValue>) -> String {
        let mut out = String::new();
        let mut done = 0;
        for (name, at) in secrets {
            let variable = self.variable(&name, &text[at.clone()]);
            let _ = write!(out, "{}${{{variable}}}", escape(&text[done..at.start]));
            done = at.end;
        }
        crate::yaml::scalar(&(out + &escape(&text[done..])))
    }

    /// A path with its query, as a YAML scalar.
    fn path(&mut self, path: &str, curl: &Curl) -> String {
        let path = with_query(path, curl);
        let query = path.find('?').map_or(path.len(), |at| at + 1);
        let secrets = hidden::in_form(&path[query..]).into_iter();
        let secrets = secrets.map(|(name, at)| (name, at.start + query..at.end + query));
        self.hiding(&path, secrets.collect())
    }

    /// What holds for all requests.
    fn common(&mut self, curl: &Curl) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| {
            let _ = writeln!(out, "{key}: {value}");
        };
        if let Some(user) = &curl.user {
            let kind = if curl.digest { "digest" } else { "basic" };
            let (user, password) = user.split_once(':').unwrap_or((user, ""));
            let password = self.secret("password", password);
            line(
                "auth",
                format!(
                    "{{{kind}: {{user: {}, password: {password}}}}}",
                    quote(user)
                ),
            );
        } else if let Some(token) = &curl.bearer {
            let token = self.secret("token", token);
            line("auth", format!("{{bearer: {token}}}"));
        }
        let redirects = match (curl.follow, curl.max_redirects) {
            (false, _) => "false".to_owned(),
            (true, Some(most)) => most.min(100).to_string(),
            (true, None) => "true".to_owned(),
        };
        line("redirects", redirects);
        if let Some(time) = &curl.timeout_s {
            line("timeout", format!("{time}s"));
        }
        if let Some(time) = &curl.connect_timeout_s {
            line("connect-timeout", format!("{time}s"));
        }
        if curl.compressed {
            line("compression", "true".into());
        }
        if curl.no_keep_alive {
            line("keep-alive", "false".into());
        }
        out + &self.network(curl)
    }

    /// What holds for all connections.
    fn network(&mut self, curl: &Curl) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| {
            let _ = writeln!(out, "{key}: {value}");
        };
        if let Some(tls) = tls(curl) {
            line("tls", tls);
        }
        if let Some(proxy) = &curl.proxy {
            line("proxy", self.proxy(proxy, curl.proxy_user.as_deref()));
        }
        if let Some(path) = &curl.unix_socket {
            line("unix-socket", quote(path));
        }
        if let Some(source) = &curl.source {
            line("source-addresses", format!("[{}]", quote(source)));
        }
        if !curl.resolve.is_empty() {
            let hosts = curl.resolve.iter().map(|(host, addresses)| {
                let addresses: Vec<String> = addresses.iter().map(|a| quote(a)).collect();
                format!("{}: [{}]", quote(host), addresses.join(", "))
            });
            line(
                "dns",
                format!("{{{}}}", hosts.collect::<Vec<_>>().join(", ")),
            );
        }
        out
    }

    fn proxy(&mut self, proxy: &str, user: Option<&str>) -> String {
        let (scheme, rest) = proxy.split_once("://").unwrap_or(("http", proxy));
        let (own, host) = match rest.rsplit_once('@') {
            Some((own, host)) => (Some(own), host),
            None => (None, rest),
        };
        let Some(login) = user.or(own) else {
            return quote(&format!("{scheme}://{host}"));
        };
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let variable = self.variable("proxy-password", password);
        let proxy = format!("{scheme}://{}:${{{variable}}}@{host}", escape(user));
        serde_json::Value::String(proxy).to_string()
    }

    /// What follows the method of the request.
    fn request(&mut self, curl: &Curl, problems: &mut Vec<Problem>, at: Span) -> String {
        let mut out = String::new();
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in &curl.headers {
            let lower = name.to_ascii_lowercase();
            let hidden = match lower.as_str() {
                "authorization" => Some("authorization"),
                "proxy-authorization" => Some("proxy-authorization"),
                name if name.contains("api-key") || name.contains("apikey") => Some("api-key"),
                name if plimsoll_secrets::is_secret(name) => Some("header-token"),
                _ => None,
            };
            let value = match hidden {
                Some(variable) => self.secret(variable, value),
                None => quote(value),
            };
            headers.push((quote(name), value));
        }
        if let Some(cookie) = &curl.cookie {
            headers.push(("Cookie".into(), self.secret("cookie", cookie)));
        }
        let typed = curl.untyped
            || curl
                .headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let body = self.body(curl, problems, at);
        let form = matches!(body, Some(("body" | "file", _))) && curl.upload.is_none();
        if form && !typed && curl.parts.is_empty() {
            let kind = "application/x-www-form-urlencoded".to_owned();
            headers.push(("Content-Type".into(), kind));
        }
        pairs(&mut out, "headers", &headers);
        if let Some((key, value)) = body {
            let _ = writeln!(out, "    {key}: {value}");
        }
        out
    }

    /// The key of the body and its value in YAML.
    fn body(
        &mut self,
        curl: &Curl,
        problems: &mut Vec<Problem>,
        at: Span,
    ) -> Option<(&'static str, String)> {
        if let Some(path) = &curl.upload {
            return Some(("file", quote(path)));
        }
        if !curl.parts.is_empty() {
            return Some(("multipart", self.multipart(curl, problems, at)));
        }
        match curl.data.as_slice() {
            data if curl.get => {
                let named: Vec<CurlData> =
                    data.iter().filter(|data| is_named(data)).cloned().collect();
                let pairs = named_pairs(&named).filter(|pairs| !pairs.is_empty());
                pairs.map(|pairs| ("query", self.fields(&pairs)))
            }
            [] => None,
            [CurlData::File(path)] => Some(("file", quote(path))),
            data if data.iter().any(|data| matches!(data, CurlData::File(_))) => {
                problems.push(mistake(at, "plan-curl-file-among-data"));
                None
            }
            data => match named_pairs(data) {
                Some(pairs) => Some(("form", self.fields(&pairs))),
                None => {
                    let text = data.iter().map(encoded).collect::<Vec<_>>().join("&");
                    let secrets = hidden::in_body(&text);
                    Some(("body", self.hiding(&text, secrets)))
                }
            },
        }
    }

    /// Names with their values; a name that comes again gets a list.
    fn fields(&mut self, pairs: &[(&str, &str)]) -> String {
        let mut names: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, value) in pairs {
            let value = match plimsoll_secrets::is_secret(name) && !value.is_empty() {
                true => self.secret(name, value),
                false => quote(value),
            };
            match names.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => values.push(value),
                None => names.push((name, vec![value])),
            }
        }
        let fields = names.iter().map(|(name, values)| match values.as_slice() {
            [value] => format!("{}: {value}", quote(name)),
            values => format!("{}: [{}]", quote(name), values.join(", ")),
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn multipart(&mut self, curl: &Curl, problems: &mut Vec<Problem>, at: Span) -> String {
        let mut out = String::new();
        let mut names = Vec::new();
        for part in &curl.parts {
            if names.contains(&&part.name) {
                problems.push(mistake(at, "plan-curl-part-twice"));
            }
            names.push(&part.name);
            let hidden = !part.is_file && plimsoll_secrets::is_secret(&part.name);
            let text = match hidden && !part.text.is_empty() {
                true => self.secret(&part.name, &part.text),
                false => quote(&part.text),
            };
            let key = if part.is_file { "file" } else { "text" };
            let mut fields = vec![format!("{key}: {text}")];
            let name = part.file_name.as_ref();
            fields.extend(name.map(|name| format!("file-name: {}", quote(name))));
            let kind = part.content_type.as_deref().or_else(|| part.usual_type());
            fields.extend(kind.map(|kind| format!("content-type: {}", quote(kind))));
            let _ = write!(
                out,
                "\n      {}: {{{}}}",
                quote(&part.name),
                fields.join(", ")
            );
        }
        out
    }
}

fn is_named(data: &CurlData) -> bool {
    matches!(data, CurlData::Encoded(name, _) if !name.is_empty())
}

/// Names and values, where all data is to be encoded and has a name.
fn named_pairs(data: &[CurlData]) -> Option<Vec<(&str, &str)>> {
    let pairs = data.iter().map(|data| match data {
        CurlData::Encoded(name, value) if !name.is_empty() => Some((name.as_str(), value.as_str())),
        _ => None,
    });
    pairs.collect()
}

fn tls(curl: &Curl) -> Option<String> {
    let mut fields = Vec::new();
    if curl.insecure {
        fields.push("insecure: true".to_owned());
    }
    fields.extend(curl.ca.as_ref().map(|path| format!("ca: {}", quote(path))));
    if let Some(path) = &curl.certificate {
        // A PEM file may hold the key, too.
        let key = curl.key.as_ref().unwrap_or(path);
        fields.push(format!("certificate: {}, key: {}", quote(path), quote(key)));
    }
    (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(", ")))
}

/// A mapping, a line for each name; a name that comes again gets a list.
fn pairs(out: &mut String, key: &str, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    let _ = writeln!(out, "    {key}:");
    let mut done: Vec<&str> = Vec::new();
    for (name, _) in pairs {
        if done.contains(&name.as_str()) {
            continue;
        }
        done.push(name);
        let same = pairs.iter().filter(|(other, _)| other == name);
        let values: Vec<&str> = same.map(|(_, value)| value.as_str()).collect();
        let _ = match values.as_slice() {
            [value] => writeln!(out, "      {name}: {value}"),
            values => writeln!(out, "      {name}: [{}]", values.join(", ")),
        };
    }
}

/// `${` of the command line is no variable of ours.
fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

/// A text as a YAML scalar; `${` in it is no variable.
fn quote(text: &str) -> String {
    crate::yaml::scalar(&escape(text))
}
