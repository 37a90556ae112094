//! HTTP requests with everything that holds for them.

use plimsoll_stats::LabelKind;
use plimsoll_text::Message;
use url::Url;

use super::compiler::Compiler;
use super::exchange;
use super::flow::ScenarioFlow;
use super::scope::{self, Holds};
use super::url as address;
use super::url::UrlForm;
use crate::model::{
    Action, Auth, Body, CheckOf, Extractor, HttpRequest, HttpSettings, PartContent, Text, defaults,
};
use crate::program::{
    AuthTemplate, BodyTemplate, Keep, Label, Op, PartTemplate, Profile, Request, Template,
};

impl<'p> ScenarioFlow<'_, 'p> {
    /// A request: what comes before it, itself, what its failure does.
    pub(super) fn http(&mut self, request: &'p HttpRequest) {
        let mut holds = scope::resolve(&self.scopes, Some(request));
        if request.exchange.is_some() {
            exchange::own_only(&mut holds, request);
        }
        self.before_sampler();
        for scope in self.scopes.clone() {
            scope.elements.iter().for_each(|e| self.stray_element(e));
        }
        self.processors_before(&holds.before);
        self.pauses(&holds.pauses);
        if let Some(think) = &request.think {
            let pause = self.compiler.pause(think);
            self.code.op(Op::Think(pause));
        }
        let (compiled, on_failure) = self.compiler.http(request, holds);
        let is_exchange = compiled.exchange.is_some();
        let id = self.compiler.request(compiled);
        self.code.op(match is_exchange {
            true => Op::Exchange(id),
            false => Op::Request(id),
        });
        self.act_on_error(on_failure);
        self.yield_turn();
    }
}

impl<'p> Compiler<'p> {
    /// The request, and what its failure does before its checks are made.
    fn http(&mut self, request: &'p HttpRequest, holds: Holds<'p>) -> (Request, Option<Action>) {
        let settings = &holds.settings;
        let mut auth = settings.auth.as_ref().map(|auth| self.auth(auth));
        let label = self.request_label(request);
        let method = self.template(&request.method);
        let mut query = self.pairs(&request.query);
        let (url, base) = match &request.exchange {
            Some(exchange) if !exchange.has_url => (Template::default(), None),
            _ => {
                let (url, base) = self.url(request, settings, &mut auth);
                (self.checked_url(url, &mut query, request), base)
            }
        };
        let body = self.body(&request.body);
        let headers = self.headers(&holds.headers, request, settings);
        let mut keep = Keep::default();
        let (after, on_failure) = self.after(&holds.after, request, &mut keep);
        let checks = holds
            .checks
            .iter()
            .map(|check| self.check(check, &mut keep))
            .collect();
        let speaks_of_status = holds
            .checks
            .iter()
            .any(|c| matches!(c.of, CheckOf::Status | CheckOf::Value(Extractor::Status)));
        let profile = self.profile_of(settings);
        let compiled = Request {
            label,
            method,
            url,
            base,
            query,
            headers,
            body,
            redirects: settings.redirects.unwrap_or(defaults::REDIRECTS),
            cookies: settings.cookies.unwrap_or(defaults::COOKIES),
            auth,
            profile: self.profile(profile),
            timeout: settings.timeout.unwrap_or(defaults::TIMEOUT),
            keep_alive: settings.keep_alive.unwrap_or(defaults::KEEP_ALIVE),
            max_body_bytes: settings.max_body_bytes.unwrap_or(defaults::MAX_BODY_BYTES),
            max_head_bytes: usize::try_from(
                settings.max_head_bytes.unwrap_or(defaults::MAX_HEAD_BYTES),
            )
            .unwrap_or(usize::MAX),
            keep,
            after,
            checks,
            discard: request.discard,
            status_below_400: !(request.any_status_ok || speaks_of_status),
            exchange: request.exchange.as_ref().map(|it| self.exchange(it)),
            at: request.at,
        };
        (compiled, on_failure)
    }

    /// The label given, or the method and the path as written.
    fn request_label(&mut self, request: &HttpRequest) -> Label {
        if let Some(label) = &request.label {
            return self.label_of(label, self.request_kind());
        }
        let (method, _) = match &request.exchange {
            Some(exchange) if !exchange.has_url => {
                let label = Label::Fixed(self.label(exchange.step, self.request_kind()));
                return label;
            }
            Some(exchange) => (exchange.step.to_owned(), Vec::new()),
            None => self.half_resolved(&request.method),
        };
        let (url, plain) = self.half_resolved(&request.url);
        let name = format!("{method} {}", address::label_path(&url, &plain));
        Label::Fixed(self.label(&name, self.request_kind()))
    }

    /// What the samples of a request are here: parts of a transaction that is itself the
    /// sample, or samples.
    pub(super) fn request_kind(&self) -> LabelKind {
        if self.parents > 0 {
            LabelKind::SubRequest
        } else {
            LabelKind::Request
        }
    }

    /// The absolute URL; a base too when it cannot be told whether it is absolute.
    fn url(
        &mut self,
        request: &HttpRequest,
        settings: &HttpSettings,
        auth: &mut Option<AuthTemplate>,
    ) -> (Template, Option<Template>) {
        let url = address::without_fragment(self.template(&request.url));
        let target = settings.target.as_ref().map(|target| self.template(target));
        match (address::form(&url), target) {
            (UrlForm::Absolute, _) | (UrlForm::Unknown, None) => {
                (self.note_host(url, auth, request.at), None)
            }
            (UrlForm::Relative, Some(target)) => {
                let joined = address::without_fragment(address::join(&target, &url));
                (self.note_host(joined, auth, request.at), None)
            }
            (UrlForm::Unknown, Some(target)) => {
                let target = self.note_host(target, auth, request.at);
                (url, Some(target))
            }
            (UrlForm::Relative, None) => {
                if self.known.is_some() {
                    let message =
                        Message::new("compile-no-target").with("url", request.url.raw.as_str());
                    self.mistake(request.at, message);
                }
                (url, None)
            }
        }
    }

    /// A URL that is known is checked and brought to its normal form, its query put in.
    fn checked_url(
        &mut self,
        url: Template,
        query: &mut Vec<(Template, Template)>,
        request: &HttpRequest,
    ) -> Template {
        let Some(text) = url.as_text().filter(|text| address::is_absolute(text)) else {
            return url;
        };
        let Ok(mut parsed) = Url::parse(text) else {
            // An authority that is wrong was told before.
            if matches!(address::authority(&url), Ok(Some(_))) {
                let message = Message::new("compile-bad-address").with("address", text);
                self.mistake(request.at, message);
            }
            return url;
        };
        let known: Option<Vec<(&str, &str)>> = query
            .iter()
            .map(|(name, value)| Some((name.as_text()?, value.as_text()?)))
            .collect();
        match known {
            Some(pairs) if !pairs.is_empty() => {
                parsed.query_pairs_mut().extend_pairs(pairs);
                query.clear();
            }
            // Imported plans are sent as they are written where that can be sent.
            _ if self.lenient() && text.bytes().all(|b| b.is_ascii_graphic()) => return url,
            _ => {}
        }
        Template::text(parsed.as_str())
    }

    fn auth(&mut self, auth: &Auth) -> AuthTemplate {
        match auth {
            Auth::Basic { user, password } => {
                AuthTemplate::Basic(self.template(user), self.template(password))
            }
            Auth::Digest { user, password } => {
                AuthTemplate::Digest(self.template(user), self.template(password))
            }
            Auth::Bearer(token) => AuthTemplate::Bearer(self.template(token)),
        }
    }

    fn profile_of(&mut self, settings: &HttpSettings) -> Profile {
        let mut fixed = |text: &Option<Text>, what: &str| {
            text.as_ref()
                .and_then(|text| self.fixed(text, what))
                .map(Template::text)
        };
        Profile {
            connect_timeout: settings
                .connect_timeout
                .unwrap_or(defaults::CONNECT_TIMEOUT),
            tls: settings.tls.clone().unwrap_or_default(),
            proxy: fixed(&settings.proxy, "proxy"),
            source_addresses: settings.source_addresses.clone(),
            dns: settings.dns.clone(),
            dns_servers: settings.dns_servers.clone(),
            unix_socket: fixed(&settings.unix_socket, "unix_socket"),
            share_connections: settings
                .share_connections
                .unwrap_or(defaults::SHARE_CONNECTIONS),
        }
    }

    fn headers(
        &mut self,
        headers: &[(&'p Text, &'p Text)],
        request: &HttpRequest,
        settings: &HttpSettings,
    ) -> Vec<(Template, Template)> {
        let mut all = Vec::new();
        for (name, value) in headers {
            let (of, to) = (self.template(name), self.template(value));
            self.check_header(&of, &to, name);
            all.push((of, to));
        }
        let mut add = |name: &str, value: &str| {
            let known = all.iter().any(|(n, _): &(Template, Template)| {
                n.as_text().is_some_and(|n| n.eq_ignore_ascii_case(name))
            });
            if !known {
                all.push((Template::text(name), Template::text(value)));
            }
        };
        match &request.body {
            Body::Text {
                content_type: Some(kind),
                ..
            }
            | Body::File {
                content_type: Some(kind),
                ..
            } => {
                add("Content-Type", kind);
            }
            Body::Form(_) => add("Content-Type", "application/x-www-form-urlencoded"),
            _ => {}
        }
        if settings.compression.unwrap_or(defaults::COMPRESSION) {
            add("Accept-Encoding", "gzip, deflate, br, zstd");
        }
        all
    }

    fn check_header(&mut self, name: &Template, value: &Template, written: &Text) {
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        let bad_name = name
            .as_text()
            .is_some_and(|n| n.is_empty() || !n.bytes().all(token));
        let bad_value = value
            .as_text()
            .is_some_and(|v| v.contains(['\r', '\n', '\0']));
        if bad_name || bad_value {
            let id = if bad_name {
                "compile-header-name"
            } else {
                "compile-header-value"
            };
            self.error(
                written.at,
                Message::new(id).with("name", written.raw.as_str()),
            );
        }
    }

    fn body(&mut self, body: &Body) -> BodyTemplate {
        match body {
            Body::Empty => BodyTemplate::Empty,
            Body::Text { text, .. } => BodyTemplate::Text(self.template(text)),
            Body::File { path, .. } => BodyTemplate::File(self.template(path)),
            Body::Form(fields) => {
                let fields = self.pairs(fields);
                match known_form(&fields) {
                    Some(encoded) => BodyTemplate::Text(Template::text(encoded)),
                    None => BodyTemplate::Form(fields),
                }
            }
            Body::Multipart(parts) => {
                let mut compiled = Vec::new();
                for part in parts {
                    let (content, is_file, file_name) = match &part.content {
                        PartContent::Text(text) => (text, false, None),
                        PartContent::File { path, file_name } => (path, true, file_name.as_ref()),
                    };
                    compiled.push(PartTemplate {
                        name: self.template(&part.name),
                        content: self.template(content),
                        is_file,
                        file_name: file_name.map(|name| self.template(name)),
                        content_type: part.content_type.clone(),
                    });
                }
                BodyTemplate::Multipart(compiled)
            }
        }
    }
}

/// A form whose fields are all known, encoded.
fn known_form(fields: &[(Template, Template)]) -> Option<String> {
    let mut encoded = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        encoded.append_pair(name.as_text()?, value.as_text()?);
    }
    Some(encoded.finish())
}
