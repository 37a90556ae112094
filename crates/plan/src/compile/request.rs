//! HTTP requests with everything that holds for them.

use plimsoll_stats::LabelKind;
use plimsoll_text::Message;
use url::Url;

use super::flow::Flow;
use super::scope::{self, Holds};
use super::url as address;
use super::{Compiler, url::Form};
use crate::model::{
    Action, Auth, Body, Check, CheckOf, Comparison, Extract, Extractor, HttpRequest, HttpSettings,
    OnError, PartContent, Processor, Test, Text, Which, defaults,
};
use crate::program::{
    After, AuthTemplate, BodyTemplate, CheckOfProgram, CheckProgram, ExtractProgram,
    ExtractorProgram, Keep, Label, Op, PartTemplate, Profile, Request, Template, TestProgram,
};

impl<'p> Flow<'_, 'p> {
    /// A request: what comes before it, itself, what its failure does.
    pub(super) fn http(&mut self, request: &'p HttpRequest) {
        let holds = scope::resolve(&self.scopes, Some(request));
        self.check_runtimes();
        self.processors_before(&holds.before);
        self.pauses(&holds.pauses);
        if let Some(think) = &request.think {
            let pause = self.compiler.pause(think);
            self.code.op(Op::Think(pause));
        }
        let on_error = scope::on_error(&self.scopes, self.on_error);
        let (compiled, on_failure) = self.compiler.http(request, holds, on_error);
        let id = self.compiler.request(compiled);
        self.code.op(Op::Request(id));
        self.act_on_error(on_failure);
        self.yield_turn();
    }
}

impl<'p> Compiler<'p> {
    /// The request, and what its failure does before its checks are made.
    fn http(
        &mut self,
        request: &'p HttpRequest,
        holds: Holds<'p>,
        on_error: OnError,
    ) -> (Request, Option<Action>) {
        let settings = &holds.settings;
        let mut auth = settings.auth.as_ref().map(|auth| self.auth(auth));
        let label = self.request_label(request);
        let method = self.template(&request.method);
        let (url, base) = self.url(request, settings, &mut auth);
        let mut query = self.pairs(&request.query);
        let url = self.checked_url(url, &mut query, request);
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
            before: Vec::new(),
            after,
            checks,
            discard: request.discard,
            status_below_400: !(request.any_status_ok || speaks_of_status),
            on_error,
            at: request.at,
        };
        (compiled, on_failure)
    }

    /// The label given, or the method and the path as written.
    fn request_label(&mut self, request: &HttpRequest) -> Label {
        if let Some(label) = &request.label {
            return self.label_of(label, LabelKind::Request);
        }
        let (method, _) = self.half_resolved(&request.method);
        let (url, plain) = self.half_resolved(&request.url);
        let name = format!("{method} {}", address::label_path(&url, &plain));
        Label::Fixed(self.label(&name, LabelKind::Request))
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
            (Form::Absolute, _) | (Form::Unknown, None) => {
                (self.note_host(url, auth, request.at), None)
            }
            (Form::Relative, Some(target)) => {
                let joined = address::without_fragment(address::join(&target, &url));
                (self.note_host(joined, auth, request.at), None)
            }
            (Form::Unknown, Some(target)) => {
                let target = self.note_host(target, auth, request.at);
                (url, Some(target))
            }
            (Form::Relative, None) => {
                if self.known.is_some() {
                    let message =
                        Message::new("compile-no-target").with("url", request.url.raw.as_str());
                    self.error_with(
                        request.at,
                        message,
                        Message::new("compile-no-target.remedy"),
                    );
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
                self.error_with(
                    request.at,
                    message,
                    Message::new("compile-bad-address.remedy"),
                );
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

    /// What is done with the answer before the checks: the scope's processors, the request's
    /// values to save, the request's processors.
    fn after(
        &mut self,
        of_scope: &[&'p Processor],
        request: &'p HttpRequest,
        keep: &mut Keep,
    ) -> (Vec<After>, Option<Action>) {
        let mut after = Vec::new();
        let mut on_failure = None;
        for processor in of_scope {
            self.processor_after(processor, keep, &mut after, &mut on_failure);
        }
        for save in &request.save {
            after.push(After::Extract(self.extract(save, keep)));
        }
        for processor in &request.after {
            self.processor_after(processor, keep, &mut after, &mut on_failure);
        }
        (after, on_failure)
    }

    fn processor_after(
        &mut self,
        processor: &'p Processor,
        keep: &mut Keep,
        after: &mut Vec<After>,
        on_failure: &mut Option<Action>,
    ) {
        match processor {
            Processor::Extract(extract) => after.push(After::Extract(self.extract(extract, keep))),
            Processor::Script(script) => {
                (keep.head, keep.body) = (true, true);
                after.push(After::Script(self.script(&script.source, false, script.at)));
            }
            Processor::Set(variable) => {
                let value = self.template(&variable.value);
                let slot = self.slot_to_set(&variable.name);
                self.mark_secret(slot, variable);
                after.push(After::Set(slot, value));
            }
            Processor::OnError(rule) => {
                if let OnError::Act(action) = rule {
                    *on_failure = Some(*action);
                }
                after.push(After::OnError(*rule));
            }
            Processor::Foreign(element) => {
                let message = Message::new("compile-foreign").with("class", element.class.as_str());
                self.error(element.at, message);
            }
        }
    }

    fn extract(&mut self, extract: &'p Extract, keep: &mut Keep) -> ExtractProgram {
        let name = &extract.variable;
        if extract.which == Which::All {
            self.facts.set_all_matches(name);
        }
        // All matches set the name itself only when there is a default to set it to.
        let variable = if extract.which == Which::All && extract.default.is_none() {
            self.slot(name)
        } else {
            self.slot_to_set(name)
        };
        ExtractProgram {
            how: self.extractor(&extract.how, keep, extract.at),
            which: extract.which,
            variable,
            name: name.as_str().into(),
            default: extract.default.as_ref().map(|text| self.template(text)),
            at: extract.at,
        }
    }

    fn extractor(
        &mut self,
        how: &Extractor,
        keep: &mut Keep,
        at: crate::model::Span,
    ) -> ExtractorProgram {
        match how {
            Extractor::Header(_) | Extractor::Cookie(_) => keep.head = true,
            Extractor::Regex {
                in_headers: true, ..
            } => keep.head = true,
            Extractor::Status | Extractor::Url => {}
            _ => keep.body = true,
        }
        match how {
            Extractor::JsonPath(path) => ExtractorProgram::JsonPath(path.clone()),
            Extractor::Regex {
                pattern,
                group,
                in_headers,
            } => {
                self.check_regex(pattern, *group, at);
                let (pattern, group, in_headers) = (pattern.clone(), *group, *in_headers);
                ExtractorProgram::Regex {
                    pattern,
                    group,
                    in_headers,
                }
            }
            Extractor::Css {
                selector,
                attribute,
            } => ExtractorProgram::Css {
                selector: selector.clone(),
                attribute: attribute.clone(),
            },
            Extractor::XPath(path) => ExtractorProgram::XPath(path.clone()),
            Extractor::Header(name) => ExtractorProgram::Header(name.clone()),
            Extractor::Cookie(name) => ExtractorProgram::Cookie(name.clone()),
            Extractor::Boundary { left, right } => {
                ExtractorProgram::Boundary(self.template(left), self.template(right))
            }
            Extractor::Body => ExtractorProgram::Body,
            Extractor::Status => ExtractorProgram::Status,
            Extractor::Url => ExtractorProgram::Url,
        }
    }

    fn check_regex(&mut self, pattern: &str, group: u32, at: crate::model::Span) {
        match regex::Regex::new(pattern) {
            Ok(regex) if (group as usize) < regex.captures_len() => {}
            Ok(regex) => {
                let message = Message::new("compile-regex-group")
                    .with("group", group)
                    .with("groups", regex.captures_len() - 1);
                self.error(at, message);
            }
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().to_owned();
                let message = Message::new("compile-regex")
                    .with("pattern", pattern)
                    .with("reason", reason);
                self.error(at, message);
            }
        }
    }

    fn check(&mut self, check: &'p Check, keep: &mut Keep) -> CheckProgram {
        let of = match &check.of {
            CheckOf::Status => CheckOfProgram::Status,
            CheckOf::Value(how) => CheckOfProgram::Value(self.extractor(how, keep, check.at)),
            CheckOf::Count(how) => CheckOfProgram::Count(self.extractor(how, keep, check.at)),
            CheckOf::SizeBytes => CheckOfProgram::SizeBytes,
            CheckOf::TimeMs => CheckOfProgram::TimeMs,
            CheckOf::Script(script) => {
                (keep.head, keep.body) = (true, true);
                CheckOfProgram::Script(self.script(&script.source, true, script.at))
            }
            CheckOf::Foreign(element) => {
                let message = Message::new("compile-foreign").with("class", element.class.as_str());
                self.error(element.at, message);
                CheckOfProgram::Status
            }
        };
        CheckProgram {
            of,
            test: self.test(&check.test),
            at: check.at,
        }
    }

    fn test(&mut self, test: &Test) -> TestProgram {
        match test {
            Test::StatusIn(ranges) => TestProgram::StatusIn(ranges.clone()),
            Test::Compare { op, with } => TestProgram::Compare(*op, self.template_for(*op, with)),
            Test::Exists => TestProgram::Exists,
            Test::Not(inner) => TestProgram::Not(Box::new(self.test(inner))),
            Test::Truthy => TestProgram::Truthy,
        }
    }

    /// The right side of a comparison; a regular expression that is known is checked.
    pub(super) fn template_for(&mut self, op: Comparison, text: &Text) -> Template {
        let template = self.template(text);
        if let (Comparison::Matches, Some(pattern)) = (op, template.as_text()) {
            self.check_regex(pattern, 0, text.at);
        }
        template
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
