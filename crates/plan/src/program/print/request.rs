//! Requests as text.

use std::fmt::{self, Formatter};

use plimsoll_secrets::MASK;

use super::ShownProgram;
use super::values::comparison;
use crate::model::{CookieMode, Which, defaults};
use crate::program::{
    After, AuthTemplate, BodyTemplate, CheckOfProgram, CheckProgram, ExtractProgram,
    ExtractorProgram, FieldProgram, PartTemplate, Profile, Request, TestProgram,
};

impl ShownProgram<'_> {
    pub(super) fn request(&self, f: &mut Formatter<'_>, request: &Request) -> fmt::Result {
        let mut line = |text: String| writeln!(f, "        {text}");
        if let Some(base) = &request.base {
            line(format!("joined to {}", self.text(base)))?;
        }
        for (name, value) in &request.query {
            let name = self.text(name);
            line(format!("query {name} = {}", self.named(&name, value)))?;
        }
        for (name, value) in &request.headers {
            let name = self.text(name);
            line(format!("header {name}: {}", self.named(&name, value)))?;
        }
        if let Some(auth) = &request.auth {
            line(self.auth(auth))?;
        }
        if let Some(body) = self.body(&request.body) {
            line(body)?;
        }
        for (name, field) in request.exchange.iter().flat_map(|it| &it.fields) {
            line(format!("{name} {}", self.field(field)))?;
        }
        line(self.settings(request))?;
        if let Some(profile) = self.program.profiles.get(request.profile as usize) {
            profile_lines(self, profile)
                .into_iter()
                .try_for_each(&mut line)?;
        }
        for after in &request.after {
            line(self.after(after))?;
        }
        if request.status_below_400 {
            line("check status below 400".to_owned())?;
        }
        for check in &request.checks {
            line(self.check(check))?;
        }
        Ok(())
    }

    fn field(&self, field: &FieldProgram) -> String {
        let list = |all: Vec<String>| all.join(", ");
        match field {
            FieldProgram::Text(text) => self.text(text),
            FieldProgram::Texts(texts) => list(texts.iter().map(|it| self.text(it)).collect()),
            FieldProgram::Word(word) => word.clone(),
            FieldProgram::Flag(flag) => flag.to_string(),
            FieldProgram::Count(count) => count.to_string(),
            FieldProgram::Time(time) => format!("{time:?}"),
            FieldProgram::Rate(rate) => format!("{:.3}/s", rate.as_per_second()),
            FieldProgram::Checks(all) => list(all.iter().map(|it| self.check(it)).collect()),
        }
    }

    pub(super) fn settings(&self, request: &Request) -> String {
        let cookies = match request.cookies {
            CookieMode::Off => "no cookies",
            CookieMode::Keep => "cookies kept",
            CookieMode::ClearEachIteration => "cookies of the iteration",
        };
        let kept = if request.keep_alive {
            ""
        } else {
            ", connection closed"
        };
        let redirects = request.redirects;
        format!(
            "timeout {:?}, redirects {redirects}, {cookies}{kept}",
            request.timeout
        )
    }

    pub(super) fn auth(&self, auth: &AuthTemplate) -> String {
        match auth {
            AuthTemplate::Basic(user, _) => format!("auth basic {} {MASK}", self.text(user)),
            AuthTemplate::Digest(user, _) => format!("auth digest {} {MASK}", self.text(user)),
            AuthTemplate::Bearer(_) => format!("auth bearer {MASK}"),
        }
    }

    pub(super) fn body(&self, body: &BodyTemplate) -> Option<String> {
        Some(match body {
            BodyTemplate::Empty => return None,
            BodyTemplate::Text(text) => format!("body {}", self.text(text)),
            BodyTemplate::File(path) => format!("body from file {}", self.text(path)),
            BodyTemplate::Form(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| {
                        let name = self.text(name);
                        format!("{name}={}", self.named(&name, value))
                    })
                    .collect();
                format!("form {}", fields.join("&"))
            }
            BodyTemplate::Multipart(parts) => {
                let part = |part: &PartTemplate| {
                    let file = if part.is_file { "file " } else { "" };
                    let name = self.text(&part.name);
                    format!("{name}={file}{}", self.named(&name, &part.content))
                };
                let parts: Vec<String> = parts.iter().map(part).collect();
                format!("multipart {}", parts.join(", "))
            }
        })
    }

    pub(super) fn after(&self, after: &After) -> String {
        match after {
            After::Extract(extract) => self.extract(extract),
            After::Script(id) => format!("then script {}", self.script(*id)),
            After::Set(slot, value) => {
                format!(
                    "then {} = {}",
                    self.name(*slot),
                    self.secret_text(*slot, value)
                )
            }
        }
    }

    pub(super) fn extract(&self, extract: &ExtractProgram) -> String {
        let which = match extract.which {
            Which::Nth(1) => String::new(),
            Which::Nth(n) => format!(", match {n}"),
            Which::Random => ", any match".to_owned(),
            Which::All => ", all matches".to_owned(),
        };
        let default = extract.default.as_ref();
        let default = default
            .map(|text| format!(", else {:?}", self.text(text)))
            .unwrap_or_default();
        format!(
            "save {} = {}{which}{default}",
            extract.name,
            self.extractor(&extract.how)
        )
    }

    pub(super) fn extractor(&self, how: &ExtractorProgram) -> String {
        match how {
            ExtractorProgram::JsonPath(path) => format!("json {path}"),
            ExtractorProgram::Regex {
                pattern,
                group,
                in_headers,
            } => {
                let place = if *in_headers { " in headers" } else { "" };
                format!("regex {pattern} group {group}{place}")
            }
            ExtractorProgram::Css {
                selector,
                attribute,
            } => {
                let attribute = attribute
                    .as_ref()
                    .map(|a| format!(" @{a}"))
                    .unwrap_or_default();
                format!("css {selector}{attribute}")
            }
            ExtractorProgram::XPath(path) => format!("xpath {path}"),
            ExtractorProgram::Header(name) => format!("header {name}"),
            ExtractorProgram::Cookie(name) => format!("cookie {name}"),
            ExtractorProgram::Boundary(left, right) => {
                format!("between {:?} and {:?}", self.text(left), self.text(right))
            }
            ExtractorProgram::Body => "body".to_owned(),
            ExtractorProgram::Status => "status".to_owned(),
            ExtractorProgram::Url => "url".to_owned(),
        }
    }

    pub(super) fn check(&self, check: &CheckProgram) -> String {
        let of = match &check.of {
            CheckOfProgram::Status => "status".to_owned(),
            CheckOfProgram::Value(how) => self.extractor(how),
            CheckOfProgram::Count(how) => format!("count of {}", self.extractor(how)),
            CheckOfProgram::SizeBytes => "size in bytes".to_owned(),
            CheckOfProgram::TimeMs => "time in ms".to_owned(),
            CheckOfProgram::Script(id) => format!("script {}", self.script(*id)),
        };
        format!("check {of} {}", self.test(&check.test))
    }

    pub(super) fn test(&self, test: &TestProgram) -> String {
        match test {
            TestProgram::StatusIn(ranges) => {
                let range = |(from, to): &(u16, u16)| {
                    if from == to {
                        from.to_string()
                    } else {
                        format!("{from}-{to}")
                    }
                };
                format!(
                    "in {}",
                    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
                )
            }
            TestProgram::Compare(op, with) => format!("{} {:?}", comparison(*op), self.text(with)),
            TestProgram::Exists => "exists".to_owned(),
            TestProgram::Not(inner) => format!("not {}", self.test(inner)),
            TestProgram::Truthy => "is true".to_owned(),
        }
    }
}

fn profile_lines(shown: &ShownProgram<'_>, profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    if profile.connect_timeout != defaults::CONNECT_TIMEOUT {
        lines.push(format!("connect timeout {:?}", profile.connect_timeout));
    }
    if profile.tls.insecure {
        lines.push("tls: certificates are not checked".to_owned());
    }
    let files = [
        ("ca", &profile.tls.ca_file),
        ("certificate", &profile.tls.certificate_file),
        ("server name", &profile.tls.server_name),
    ];
    for (what, value) in files {
        if let Some(value) = value {
            lines.push(format!("tls {what} {value}"));
        }
    }
    if let Some(proxy) = &profile.proxy {
        let proxy = shown.text(proxy);
        // A proxy's address may hold a password.
        let host = proxy
            .rsplit_once('@')
            .map_or(proxy.as_str(), |(_, host)| host);
        lines.push(format!("proxy {host}"));
    }
    if let Some(socket) = &profile.unix_socket {
        lines.push(format!("unix socket {}", shown.text(socket)));
    }
    if !profile.source_addresses.is_empty() {
        lines.push(format!("from {:?}", profile.source_addresses));
    }
    for (name, addresses) in &profile.dns {
        lines.push(format!("dns {name} is {addresses:?}"));
    }
    if !profile.dns_servers.is_empty() {
        lines.push(format!("name servers {:?}", profile.dns_servers));
    }
    if profile.share_connections {
        lines.push("connections shared by a core's users".to_owned());
    }
    lines
}
