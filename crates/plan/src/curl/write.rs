//! A plan's text for what a command line asks.

use std::fmt::Write as _;

use plimsoll_text::Message;
use url::Url;

use super::address::{addresses, login, origin, path_of};
use super::mistake::mistake;
use super::request::{Curl, CurlData};
use crate::error::Problem;
use crate::model::Span;
use crate::moved::{self, FoundSecret, MovedSecrets, is_likely};

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

/// A request of a command line: what holds for its connection, and its step.
struct WrittenStep {
    /// Keys and values; those that all steps have in common stand at the plan's head.
    settings: Vec<(&'static str, String)>,
    method: String,
    request: String,
}

/// The plan. Mistakes are added to `problems`; the text is then of no use.
pub(super) fn plan(
    curls: Vec<Curl>,
    paths: &dyn Fn(&str) -> String,
    problems: &mut Vec<Problem>,
) -> CurlPlan {
    let mut writer = CurlWriter {
        secrets: MovedSecrets::default(),
        paths,
    };
    let mut target = None;
    let mut steps = Vec::new();
    for mut curl in curls {
        if curl.urls.is_empty() {
            problems.push(mistake(curl.at, "plan-curl-no-url"));
        }
        let user = curl.user.clone();
        for (url, text) in addresses(&curl, problems) {
            let target = target.get_or_insert_with(|| origin(&url));
            curl.user = user.clone().or_else(|| login(&url));
            steps.push(writer.step(&curl, &url, &text, target, problems));
        }
    }
    let Some(target) = target else {
        return CurlPlan::default();
    };
    let secrets = writer.secrets;
    for env in secrets.envs() {
        let message = Message::new("plan-curl-secret").with("env", env);
        problems.push(Problem::warning(Span { line: 1, column: 1 }, message));
    }
    let (settings, steps) = in_text(&steps);
    let mut head = format!("target: {}\n", quote(&target));
    if !secrets.is_empty() {
        head.push_str("variables:\n");
        for (name, env) in secrets.variables() {
            let _ = writeln!(head, "  {name}: {{env: {env}, secret: true}}");
        }
    }
    CurlPlan {
        head: head + &settings,
        steps,
        secrets: secrets.envs(),
    }
}

/// The settings that all steps have in common, and the steps with the others.
fn in_text(steps: &[WrittenStep]) -> (String, String) {
    let first = steps.first().map(|step| step.settings.clone());
    let mut common = first.unwrap_or_default();
    common.retain(|one| steps.iter().all(|step| step.settings.contains(one)));
    let mut head = String::new();
    for (key, value) in &common {
        let _ = writeln!(head, "{key}: {value}");
    }
    let mut text = String::from("steps:\n");
    for step in steps {
        let _ = write!(text, "  - {}", step.method);
        for (key, value) in step.settings.iter().filter(|one| !common.contains(one)) {
            let _ = writeln!(text, "    {key}: {value}");
        }
        text.push_str(&step.request);
    }
    (head, text)
}

/// All data in one text.
fn joined(data: &[CurlData]) -> String {
    let mut text = String::new();
    for (number, data) in data.iter().enumerate() {
        if number > 0 && !matches!(data, CurlData::Json(_)) {
            text.push('&');
        }
        text.push_str(&encoded(data));
    }
    text
}

/// Data as it stands in an address or a body.
fn encoded(data: &CurlData) -> String {
    match data {
        CurlData::Raw(text) | CurlData::Json(text) => text.clone(),
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

/// `--url-query`, and with `-G` the data: they follow the address's own query.
fn with_query(path: &str, curl: &Curl) -> String {
    let in_path = curl.get && named_pairs(&curl.data).is_none();
    let of_data = in_path
        .then(|| joined(&curl.data))
        .filter(|data| !data.is_empty());
    let of_query = (!curl.query.is_empty()).then(|| joined(&curl.query));
    let more: Vec<String> = of_data.into_iter().chain(of_query).collect();
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

struct CurlWriter<'a> {
    secrets: MovedSecrets,
    /// How the plan names a file.
    paths: &'a dyn Fn(&str) -> String,
}

impl CurlWriter<'_> {
    /// The request of an address.
    fn step(
        &mut self,
        curl: &Curl,
        url: &Url,
        text: &str,
        target: &str,
        problems: &mut Vec<Problem>,
    ) -> WrittenStep {
        let mut settings = self.common(curl);
        settings.extend(self.network(curl));
        let request = self.request(curl, problems);
        let mut path = path_of(url, text);
        if origin(url) != target {
            path = format!("{}{path}", origin(url));
        }
        WrittenStep {
            settings,
            method: method_line(curl, &self.path(&path, curl)),
            request,
        }
    }

    /// A variable in the place of a secret, as a YAML scalar.
    fn secret(&mut self, name: &str, value: &str) -> String {
        format!("\"${{{}}}\"", self.secrets.variable(name, value))
    }

    /// A text with variables in the places of its secrets, as a YAML scalar.
    fn hiding(&mut self, text: &str, secrets: Vec<FoundSecret>) -> String {
        crate::yaml::scalar(&self.secrets.moved(text, secrets, escape))
    }

    /// The name of a file, as a YAML scalar.
    fn file(&self, path: &str) -> String {
        quote(&(self.paths)(path))
    }

    /// A path with its query, as a YAML scalar.
    fn path(&mut self, path: &str, curl: &Curl) -> String {
        let path = with_query(path, curl);
        let secrets = moved::in_address(&path);
        self.hiding(&path, secrets)
    }

    /// What holds for a request and all that are like it.
    fn common(&mut self, curl: &Curl) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(user) = &curl.user {
            let kind = if curl.digest { "digest" } else { "basic" };
            lines.push(("auth", format!("{{{kind}: {{{}}}}}", self.login(user))));
        } else if let Some(token) = &curl.bearer {
            let token = self.secret("token", token);
            lines.push(("auth", format!("{{bearer: {token}}}")));
        }
        let redirects = match (curl.follow, curl.max_redirects) {
            (false, _) => "false".to_owned(),
            (true, Some(most)) => most.min(100).to_string(),
            (true, None) => "true".to_owned(),
        };
        lines.push(("redirects", redirects));
        let time = curl
            .timeout_s
            .iter()
            .map(|time| ("timeout", format!("{time}s")));
        lines.extend(time);
        let time = curl.connect_timeout_s.iter();
        lines.extend(time.map(|time| ("connect-timeout", format!("{time}s"))));
        if curl.compressed {
            lines.push(("compression", "true".into()));
        }
        if curl.no_keep_alive {
            lines.push(("keep-alive", "false".into()));
        }
        lines
    }

    /// User and password. A user without a password is a token.
    fn login(&mut self, login: &str) -> String {
        match login.split_once(':').unwrap_or((login, "")) {
            ("", "") => "user: \"\", password: \"\"".to_owned(),
            (user, "") => format!("user: {}, password: \"\"", self.secret("token", user)),
            (user, password) => {
                let password = self.secret("password", password);
                format!("user: {}, password: {password}", quote(user))
            }
        }
    }

    /// What holds for connections.
    fn network(&mut self, curl: &Curl) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        lines.extend(self.tls(curl).map(|tls| ("tls", tls)));
        if let Some(proxy) = &curl.proxy {
            lines.push(("proxy", self.proxy(proxy, curl.proxy_user.as_deref())));
        }
        lines.extend(
            curl.unix_socket
                .iter()
                .map(|path| ("unix-socket", quote(path))),
        );
        let source = curl.source.iter();
        lines.extend(source.map(|source| ("source-addresses", format!("[{}]", quote(source)))));
        if !curl.resolve.is_empty() {
            let hosts = curl.resolve.iter().map(|(host, addresses)| {
                let addresses: Vec<String> = addresses.iter().map(|a| quote(a)).collect();
                format!("{}: [{}]", quote(host), addresses.join(", "))
            });
            let hosts: Vec<String> = hosts.collect();
            lines.push(("dns", format!("{{{}}}", hosts.join(", "))));
        }
        lines
    }

    fn tls(&self, curl: &Curl) -> Option<String> {
        let mut fields = Vec::new();
        if curl.insecure {
            fields.push("insecure: true".to_owned());
        }
        fields.extend(
            curl.ca
                .as_ref()
                .map(|path| format!("ca: {}", self.file(path))),
        );
        if let Some(path) = &curl.certificate {
            // A PEM file may hold the key, too.
            let key = self.file(curl.key.as_ref().unwrap_or(path));
            fields.push(format!("certificate: {}, key: {key}", self.file(path)));
        }
        (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(", ")))
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
        let login = match password {
            "" => format!("${{{}}}", self.secrets.variable("proxy-token", user)),
            password => {
                let variable = self.secrets.variable("proxy-password", password);
                format!("{}:${{{variable}}}", escape(user))
            }
        };
        let proxy = format!("{scheme}://{login}@{host}");
        serde_json::Value::String(proxy).to_string()
    }

    /// What follows the method of the request.
    fn request(&mut self, curl: &Curl, problems: &mut Vec<Problem>) -> String {
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
                None => self.hiding(value, moved::in_text(value)),
            };
            headers.push((quote(name), value));
        }
        if let Some(cookie) = curl.cookie() {
            headers.push(("Cookie".into(), self.secret("cookie", &cookie)));
        }
        let typed = curl.untyped
            || curl
                .headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let body = self.body(curl, problems);
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
    fn body(&mut self, curl: &Curl, problems: &mut Vec<Problem>) -> Option<(&'static str, String)> {
        if let Some(path) = &curl.upload {
            return Some(("file", self.file(path)));
        }
        if !curl.parts.is_empty() {
            return Some(("multipart", self.multipart(curl, problems)));
        }
        let is_file = |data: &CurlData| matches!(data, CurlData::File(_));
        match curl.data.as_slice() {
            data if curl.get && data.iter().any(is_file) => {
                problems.push(mistake(curl.at, "plan-curl-file-in-query"));
                None
            }
            data if curl.get => {
                let pairs = named_pairs(data).filter(|pairs| !pairs.is_empty());
                pairs.map(|pairs| ("query", self.fields(&pairs)))
            }
            [] => None,
            [CurlData::File(path)] => Some(("file", self.file(path))),
            data if data.iter().any(is_file) => {
                problems.push(mistake(curl.at, "plan-curl-file-among-data"));
                None
            }
            data => match named_pairs(data) {
                Some(pairs) => Some(("form", self.fields(&pairs))),
                None => {
                    let text = joined(data);
                    let secrets = moved::in_body(&text);
                    Some(("body", self.hiding(&text, secrets)))
                }
            },
        }
    }

    /// Names with their values; a name that comes again gets a list.
    fn fields(&mut self, pairs: &[(&str, &str)]) -> String {
        let mut names: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, value) in pairs {
            let value = self.field(name, value);
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

    /// The value of a field.
    fn field(&mut self, name: &str, value: &str) -> String {
        match is_likely(name) && !value.is_empty() {
            true => self.secret(name, value),
            false => self.hiding(value, moved::in_text(value)),
        }
    }

    fn multipart(&mut self, curl: &Curl, problems: &mut Vec<Problem>) -> String {
        let mut out = String::new();
        let mut names = Vec::new();
        for part in &curl.parts {
            if names.contains(&&part.name) {
                problems.push(mistake(curl.at, "plan-curl-part-twice"));
            }
            names.push(&part.name);
            let text = match part.is_file {
                true => self.file(&part.text),
                false => self.field(&part.name, &part.text),
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

/// Names and values, where all data is to be encoded and has a name. A mapping keeps their order if
/// those of one name stand beside each other.
fn named_pairs(data: &[CurlData]) -> Option<Vec<(&str, &str)>> {
    let pairs = data.iter().map(|data| match data {
        CurlData::Encoded(name, value) if !name.is_empty() => Some((name.as_str(), value.as_str())),
        _ => None,
    });
    let pairs: Vec<(&str, &str)> = pairs.collect::<Option<_>>()?;
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let in_order = names.len();
    names.sort_unstable();
    names.dedup();
    (names.len() == in_order).then_some(pairs)
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
