//! A plan's text for what a command line asks.

use std::fmt::Write as _;

use plimsoll_text::Message;
use url::Url;

use super::mistake::mistake;
use super::request::{Curl, Data};
use crate::error::Problem;
use crate::model::Span;

/// The plan. Mistakes are added to `problems`; the text is then of no use.
pub(super) fn plan(mut curl: Curl, problems: &mut Vec<Problem>) -> String {
    let at = Span { line: 1, column: 1 };
    if curl.urls.is_empty() {
        problems.push(mistake(at, "plan-curl-no-url"));
        return String::new();
    }
    let addresses = addresses(&curl, problems);
    let Some((first, _)) = addresses.first() else {
        return String::new();
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
    let steps: String = addresses
        .iter()
        .map(|(url, text)| {
            let path = if origin(url) == target {
                path_of(url, text)
            } else {
                strip_user(url)
            };
            let path = with_query(path, &curl);
            format!("  - {}{request}", method_line(&curl, &path))
        })
        .collect();
    let mut out = String::from("# Converted from a curl command line.\n");
    let _ = writeln!(out, "target: {}", quote(&target));
    if !writer.secrets.is_empty() {
        out.push_str("variables:\n");
        for (name, env) in &writer.secrets {
            let _ = writeln!(out, "  {name}: {{env: {env}, secret: true}}");
            let message = Message::new("plan-curl-secret").with("env", env.as_str());
            problems.push(Problem::warning(at, message));
        }
    }
    out + &common + "users: 1\niterations: 1\nsteps:\n" + &steps
}

/// The addresses, each with its text.
fn addresses(curl: &Curl, problems: &mut Vec<Problem>) -> Vec<(Url, String)> {
    let mut addresses = Vec::new();
    for word in &curl.urls {
        let scheme = word.text.contains("://");
        // As curl does: http when no scheme is written.
        let text = if scheme {
            word.text.clone()
        } else {
            format!("http://{}", word.text)
        };
        match Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                addresses.push((url, text));
            }
            _ => {
                let message = Message::new("plan-bad-url").with("url", word.text.as_str());
                problems.push(Problem::mistake(word.at, message));
            }
        }
    }
    addresses
}

/// Scheme, host and port.
fn origin(url: &Url) -> String {
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    format!(
        "{}://{}{port}",
        url.scheme(),
        url.host_str().unwrap_or_default()
    )
}

/// The path and query as they were written, not as the URL standard would write them.
fn path_of(url: &Url, text: &str) -> String {
    let after_scheme = text.find("://").map_or(0, |at| at + 3);
    let rest = &text[after_scheme..];
    let start = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let path = rest[start..].split('#').next().unwrap_or_default();
    match path.is_empty() {
        true => url.path().to_owned(),
        false if path.starts_with('?') => format!("/{path}"),
        false => path.to_owned(),
    }
}

fn strip_user(url: &Url) -> String {
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    format!("{}{}{query}", origin(url), url.path())
}

/// `-G`: the data go into the address.
fn with_query(path: String, curl: &Curl) -> String {
    if !curl.get {
        return path;
    }
    let raw: Vec<&str> = curl.data.iter().filter_map(raw_text).collect();
    if raw.is_empty() {
        return path;
    }
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}{}", raw.join("&"))
}

fn raw_text(data: &Data) -> Option<&str> {
    match data {
        Data::Raw(text) => Some(text),
        _ => None,
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
        Some(known) => format!("{known}: {}\n", quote(path)),
        None => format!(
            "request: {{method: {}, url: {}}}\n",
            quote(method),
            quote(path)
        ),
    }
}

struct CurlWriter {
    /// Variable and environment variable of each secret.
    secrets: Vec<(&'static str, String)>,
}

impl CurlWriter {
    /// A variable in the place of a secret.
    fn secret(&mut self, name: &'static str) -> String {
        if !self.secrets.iter().any(|(known, _)| *known == name) {
            self.secrets
                .push((name, name.to_uppercase().replace('-', "_")));
        }
        format!("\"${{{name}}}\"")
    }

    /// What holds for all requests.
    fn common(&mut self, curl: &Curl) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| {
            let _ = writeln!(out, "{key}: {value}");
        };
        if let Some(user) = &curl.user {
            let kind = if curl.digest { "digest" } else { "basic" };
            let user = user.split(':').next().unwrap_or_default();
            let password = self.secret("password");
            line(
                "auth",
                format!(
                    "{{{kind}: {{user: {}, password: {password}}}}}",
                    quote(user)
                ),
            );
        } else if curl.bearer.is_some() {
            let token = self.secret("token");
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
            line("proxy", self.proxy(proxy));
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

    fn proxy(&mut self, proxy: &str) -> String {
        let text = if proxy.contains("://") {
            proxy.to_owned()
        } else {
            format!("http://{proxy}")
        };
        let Some((scheme, rest)) = text.split_once("://") else {
            return quote(&text);
        };
        match rest.rsplit_once('@') {
            Some((login, host)) => {
                let user = escape(login.split(':').next().unwrap_or_default());
                self.secret("proxy-password");
                let proxy = format!("{scheme}://{user}:${{proxy-password}}@{host}");
                serde_json::Value::String(proxy).to_string()
            }
            None => quote(&text),
        }
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
                Some(variable) => self.secret(variable),
                None => quote(value),
            };
            headers.push((quote(name), value));
        }
        if curl.cookie.is_some() {
            headers.push(("Cookie".into(), self.secret("cookie")));
        }
        let typed = curl
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let body = body(curl, problems, at);
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

/// The key of the body and its value in YAML.
fn body(curl: &Curl, problems: &mut Vec<Problem>, at: Span) -> Option<(&'static str, String)> {
    if let Some(path) = &curl.upload {
        return Some(("file", quote(path)));
    }
    if !curl.parts.is_empty() {
        return Some(("multipart", multipart(curl, problems, at)));
    }
    let encoded: Vec<(&str, &str)> = curl
        .data
        .iter()
        .filter_map(|data| match data {
            Data::Encoded(name, value) => Some((name.as_str(), value.as_str())),
            _ => None,
        })
        .collect();
    if curl.get {
        return (!encoded.is_empty()).then(|| ("query", fields(&encoded)));
    }
    match curl.data.as_slice() {
        [] => None,
        [Data::File(path)] => Some(("file", quote(path))),
        data if data.iter().any(|data| matches!(data, Data::File(_))) => {
            problems.push(mistake(at, "plan-curl-file-among-data"));
            None
        }
        data if encoded.len() == data.len() && encoded.iter().all(|(n, _)| !n.is_empty()) => {
            Some(("form", fields(&encoded)))
        }
        data => {
            let texts = data.iter().map(|data| match data {
                Data::Raw(text) => text.clone(),
                Data::Encoded(name, value) => {
                    let value: String =
                        url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
                    if name.is_empty() {
                        value
                    } else {
                        format!("{name}={value}")
                    }
                }
                Data::File(_) => String::new(),
            });
            Some(("body", quote(&texts.collect::<Vec<_>>().join("&"))))
        }
    }
}

/// Names with their values; a name that comes again gets a list.
fn fields(pairs: &[(&str, &str)]) -> String {
    let mut names: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, value) in pairs {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(quote(value)),
            None => names.push((name, vec![quote(value)])),
        }
    }
    let fields = names.iter().map(|(name, values)| match values.as_slice() {
        [value] => format!("{}: {value}", quote(name)),
        values => format!("{}: [{}]", quote(name), values.join(", ")),
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

fn multipart(curl: &Curl, problems: &mut Vec<Problem>, at: Span) -> String {
    let mut out = String::new();
    let mut names = Vec::new();
    for part in &curl.parts {
        if names.contains(&&part.name) {
            problems.push(mistake(at, "plan-curl-part-twice"));
        }
        names.push(&part.name);
        let mut fields = vec![format!(
            "{}: {}",
            if part.is_file { "file" } else { "text" },
            quote(&part.text)
        )];
        fields.extend(
            part.file_name
                .as_ref()
                .map(|name| format!("file-name: {}", quote(name))),
        );
        fields.extend(
            part.content_type
                .as_ref()
                .map(|t| format!("content-type: {}", quote(t))),
        );
        let _ = write!(
            out,
            "\n      {}: {{{}}}",
            quote(&part.name),
            fields.join(", ")
        );
    }
    out
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
