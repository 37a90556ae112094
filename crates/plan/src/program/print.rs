//! The compiled operations as text, for `plimsoll check`: a line each, the requests with all
//! that holds for them below. Values of secret variables never appear: templates are shown
//! with their names.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::{
    After, AuthTemplate, BodyTemplate, Call, CheckOfProgram, CheckProgram, ChooseBy, Condition,
    ExtractProgram, ExtractorProgram, Items, Label, Op, Part, PauseTemplate, Profile, Program,
    Request, ScenarioProgram, SharedDef, SharedId, Slot, Template, TestProgram,
};
use crate::functions::FUNCTIONS;
use crate::model::{Comparison, CookieMode, OnError, PauseTime, Which, defaults};

/// What stands for a secret.
const MASK: &str = "***";

/// Longest text shown, in characters.
const LONGEST: usize = 100;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = Shown { program: self };
        writeln!(f, "plan {:?}", self.name)?;
        shown.variables(f)?;
        for (index, shared) in self.shared.iter().enumerate() {
            writeln!(f, "shared {index}: {}", shown.shared(shared))?;
        }
        writeln!(f, "hosts: {}", self.allowed_hosts.join(" "))?;
        let parts = [
            ("setup", &self.setup),
            ("scenario", &self.scenarios),
            ("teardown", &self.teardown),
        ];
        for (part, scenarios) in parts {
            for scenario in scenarios {
                shown.scenario(f, part, scenario)?;
            }
        }
        Ok(())
    }
}

/// A program and how its parts are shown.
struct Shown<'p> {
    program: &'p Program,
}

impl Shown<'_> {
    fn variables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for def in self.program.slots.iter() {
            let Some(initial) = &def.initial else {
                continue;
            };
            let value = if def.secret {
                MASK.to_owned()
            } else {
                self.text(initial)
            };
            let kind = if def.constant { "constant" } else { "variable" };
            writeln!(f, "{kind} {} = {value}", def.name)?;
        }
        Ok(())
    }

    fn shared(&self, shared: &SharedDef) -> String {
        match shared {
            SharedDef::Counter { start, step, end } => {
                let end = end.map(|end| format!(" to {end}")).unwrap_or_default();
                format!("counter from {start} by {step}{end}")
            }
            SharedDef::Rows { data, path } => {
                format!("rows of {} ({:?})", self.text(path), data.order)
            }
            SharedDef::Rendezvous {
                name,
                users,
                timeout,
            } => {
                let users = if *users == 0 {
                    "all".to_owned()
                } else {
                    users.to_string()
                };
                let timeout = timeout
                    .map(|t| format!(", at most {t:?}"))
                    .unwrap_or_default();
                format!("rendezvous {name} of {users} users{timeout}")
            }
            SharedDef::Lock { name } => format!("lock {name}"),
            SharedDef::Passes => "passes".to_owned(),
            SharedDef::Throughput => "throughput".to_owned(),
        }
    }

    fn scenario(
        &self,
        f: &mut Formatter<'_>,
        part: &str,
        scenario: &ScenarioProgram,
    ) -> fmt::Result {
        writeln!(f, "\n{part} {:?}", scenario.name)?;
        if let Some(pace) = &scenario.pace {
            writeln!(f, "      pace {}", self.pause(pace))?;
        }
        for (pc, op) in scenario.ops.iter().enumerate() {
            writeln!(f, "{pc:>4}  {}", self.op(op))?;
            if let Op::Request(id) = op {
                self.request(f, &self.program.requests[id.0 as usize])?;
            }
        }
        Ok(())
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Request(id) => {
                let request = &self.program.requests[id.0 as usize];
                let (method, url) = (self.text(&request.method), self.text(&request.url));
                format!("request {:?}  {method} {url}", self.label(&request.label))
            }
            Op::Think(pause) => format!("think {}", self.pause(pause)),
            Op::Jump(to) => format!("jump → {to}"),
            Op::JumpUnless { condition, to } => {
                format!("unless {} → {to}", self.condition(condition))
            }
            Op::SetRegister(register, value) => format!("r{} = {value}", register.0),
            Op::Repeat {
                passes,
                times,
                index,
                exit,
            } => {
                let times = times
                    .as_ref()
                    .map_or_else(|| "for ever".to_owned(), |t| self.text(t));
                let index = self.index(*index);
                format!("repeat {times} (r{}){index}, then → {exit}", passes.0)
            }
            Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit,
            } => format!(
                "for each {} in {} (r{}){}, then → {exit}",
                self.name(*variable),
                self.items(items),
                passes.0,
                self.index(*index)
            ),
            Op::Runtime {
                since,
                seconds,
                exit,
            } => {
                format!("for {} s (r{}), then → {exit}", self.text(seconds), since.0)
            }
            Op::OnceOnly { done, to } => format!("once (r{}), else → {to}", done.0),
            Op::Percent {
                percent,
                passes,
                shared,
                to,
            } => {
                let of = self.passes(passes.0, *shared);
                format!("in {} % of {of}, else → {to}", self.text(percent))
            }
            Op::FirstTimes {
                times,
                passes,
                shared,
                to,
            } => {
                let of = self.passes(passes.0, *shared);
                format!("in the first {} of {of}, else → {to}", self.text(times))
            }
            Op::Resume { at } => format!("resume at r{}", at.0),
            Op::Yield { at, to } => format!("r{} = next, jump → {to}", at.0),
            Op::Choose { by, branches, exit } => self.choose(by, branches, *exit),
            Op::RandomOrder {
                done,
                branches,
                exit,
            } => {
                let places: Vec<String> = branches.iter().map(|to| format!("→ {to}")).collect();
                format!(
                    "random order (r{}): {}, then → {exit}",
                    done.0,
                    places.join(", ")
                )
            }
            Op::Script(id) => format!("script {}", self.script(*id)),
            Op::Action(action) => format!("{action:?}"),
            Op::End => "end".to_owned(),
            _ => self.other_op(op),
        }
    }

    fn other_op(&self, op: &Op) -> String {
        match op {
            Op::TransactionStart {
                label,
                include_pauses,
                as_parent,
            } => {
                let pauses = if *include_pauses { ", with pauses" } else { "" };
                let parent = if *as_parent { ", as parent" } else { "" };
                format!("transaction {:?}{pauses}{parent}", self.label(label))
            }
            Op::TransactionEnd => "transaction ends".to_owned(),
            Op::Lock(id) => format!("lock {}", self.shared_name(*id)),
            Op::Unlock(id) => format!("unlock {}", self.shared_name(*id)),
            Op::Rendezvous(id) => format!("rendezvous {}", self.shared_name(*id)),
            Op::PaceThroughput {
                per_minute,
                shared,
                last,
            } => {
                let of = self.passes(last.0, *shared);
                format!("throughput {} a minute of {of}", self.text(per_minute))
            }
            Op::NextRow { rows, columns, .. } => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                let names = if names.is_empty() {
                    "its columns".to_owned()
                } else {
                    names.join(", ")
                };
                format!("next row of shared {} into {names}", rows.0)
            }
            Op::Count {
                shared,
                own,
                start,
                step,
                end,
                variable,
                ..
            } => {
                let end = end.map(|end| format!(" to {end}")).unwrap_or_default();
                let of = self.passes(own.0, *shared);
                format!(
                    "{} = count from {start} by {step}{end} of {of}",
                    self.name(*variable)
                )
            }
            Op::Set { variable, value } => {
                format!(
                    "{} = {}",
                    self.name(*variable),
                    self.secret_text(*variable, value)
                )
            }
            other => format!("{other:?}"),
        }
    }

    fn choose(
        &self,
        by: &ChooseBy,
        branches: &[(u32, Option<Template>, u32)],
        exit: u32,
    ) -> String {
        let how = match by {
            ChooseBy::Random => "at random".to_owned(),
            ChooseBy::MixOfUsers => "by user".to_owned(),
            ChooseBy::MixOfIterations(id) => format!("by shared {}", id.0),
            ChooseBy::InTurn { passes, shared } => {
                format!("in turn of {}", self.passes(passes.0, *shared))
            }
            ChooseBy::Switch(value) => format!("switch {}", self.text(value)),
        };
        let branch = |(weight, value, to): &(u32, Option<Template>, u32)| {
            let value = value
                .as_ref()
                .map(|value| format!("{:?} ", self.text(value)));
            let weight = if matches!(by, ChooseBy::Switch(_)) {
                String::new()
            } else {
                format!("{weight} ")
            };
            format!("{}{weight}→ {to}", value.unwrap_or_default())
        };
        let branches: Vec<String> = branches.iter().map(branch).collect();
        format!("choose {how}: {}, else → {exit}", branches.join(", "))
    }

    fn request(&self, f: &mut Formatter<'_>, request: &Request) -> fmt::Result {
        let mut line = |text: String| writeln!(f, "        {text}");
        if let Some(base) = &request.base {
            line(format!("joined to {}", self.text(base)))?;
        }
        for (name, value) in &request.query {
            line(format!("query {} = {}", self.text(name), self.text(value)))?;
        }
        for (name, value) in &request.headers {
            let name = self.text(name);
            let value = if is_secret_header(&name) {
                self.masked(value)
            } else {
                self.text(value)
            };
            line(format!("header {name}: {value}"))?;
        }
        if let Some(auth) = &request.auth {
            line(self.auth(auth))?;
        }
        if let Some(body) = self.body(&request.body) {
            line(body)?;
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
        match request.on_error {
            OnError::GoOn => Ok(()),
            OnError::Act(action) => line(format!("on error {action:?}")),
        }
    }

    fn settings(&self, request: &Request) -> String {
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

    fn auth(&self, auth: &AuthTemplate) -> String {
        match auth {
            AuthTemplate::Basic(user, _) => format!("auth basic {} {MASK}", self.text(user)),
            AuthTemplate::Digest(user, _) => format!("auth digest {} {MASK}", self.text(user)),
            AuthTemplate::Bearer(_) => format!("auth bearer {MASK}"),
        }
    }

    fn body(&self, body: &BodyTemplate) -> Option<String> {
        Some(match body {
            BodyTemplate::Empty => return None,
            BodyTemplate::Text(text) => format!("body {}", self.text(text)),
            BodyTemplate::File(path) => format!("body from file {}", self.text(path)),
            BodyTemplate::Form(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(n, v)| format!("{}={}", self.text(n), self.text(v)))
                    .collect();
                format!("form {}", fields.join("&"))
            }
            BodyTemplate::Multipart(parts) => {
                let part = |part: &super::PartTemplate| {
                    let file = if part.is_file { "file " } else { "" };
                    format!(
                        "{}={file}{}",
                        self.text(&part.name),
                        self.text(&part.content)
                    )
                };
                let parts: Vec<String> = parts.iter().map(part).collect();
                format!("multipart {}", parts.join(", "))
            }
        })
    }

    fn after(&self, after: &After) -> String {
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
            After::OnError(OnError::GoOn) => "on error before checks: nothing".to_owned(),
            After::OnError(OnError::Act(action)) => format!("on error before checks {action:?}"),
        }
    }

    fn extract(&self, extract: &ExtractProgram) -> String {
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

    fn extractor(&self, how: &ExtractorProgram) -> String {
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

    fn check(&self, check: &CheckProgram) -> String {
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

    fn test(&self, test: &TestProgram) -> String {
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

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Script(id) => format!("script {}", self.script(*id)),
            Condition::IsTrue(text) => format!("{} is true", self.text(text)),
            Condition::Compare { left, op, right } => {
                format!(
                    "{:?} {} {:?}",
                    self.text(left),
                    comparison(*op),
                    self.text(right)
                )
            }
            Condition::Defined(slot) => format!("{} is set", self.name(*slot)),
            Condition::LastOk => "last ok".to_owned(),
            Condition::LastOkBeforeChecks => "last ok before checks".to_owned(),
            Condition::Not(inner) => format!("not {}", self.condition(inner)),
        }
    }

    fn items(&self, items: &Items) -> String {
        match items {
            Items::List(list) => {
                let list: Vec<String> = list.iter().map(|text| self.text(text)).collect();
                format!("[{}]", list.join(", "))
            }
            Items::Matches {
                prefix,
                after,
                until,
            } => {
                let until = until
                    .map(|until| format!(" to {until}"))
                    .unwrap_or_default();
                format!("{prefix}{}…{until}", after + 1)
            }
            Items::Json(text) => format!("json {}", self.text(text)),
        }
    }

    fn pause(&self, pause: &PauseTemplate) -> String {
        if let Some(text) = &pause.template_ms {
            return format!("{} ms", self.text(text));
        }
        match pause.time {
            PauseTime::Fixed(time) => format!("{time:?}"),
            PauseTime::Uniform(from, to) => format!("{from:?} to {to:?}"),
            PauseTime::Normal(mean, deviation) => format!("normal {mean:?} ± {deviation:?}"),
            PauseTime::Exponential(mean) => format!("exponential, mean {mean:?}"),
            PauseTime::Poisson { lambda, offset } => format!("{offset:?} + poisson {lambda:?}"),
        }
    }

    fn index(&self, index: Option<Slot>) -> String {
        index
            .map(|slot| format!(" as {}", self.name(slot)))
            .unwrap_or_default()
    }

    fn passes(&self, register: u16, shared: Option<SharedId>) -> String {
        match shared {
            Some(id) => format!("shared {}", id.0),
            None => format!("r{register}"),
        }
    }

    fn shared_name(&self, id: SharedId) -> String {
        match self.program.shared.get(id.0 as usize) {
            Some(SharedDef::Lock { name } | SharedDef::Rendezvous { name, .. }) => name.clone(),
            _ => format!("shared {}", id.0),
        }
    }

    fn name(&self, slot: Slot) -> &str {
        self.program
            .slots
            .get(slot.0 as usize)
            .map_or("?", |def| def.name.as_str())
    }

    fn label(&self, label: &Label) -> String {
        match label {
            Label::Fixed(id) => self
                .program
                .labels
                .get(id.index())
                .map(|l| self.without_secrets(&l.name))
                .unwrap_or_default(),
            Label::Made(template) => self.text(template),
        }
    }

    fn script(&self, id: super::ScriptId) -> String {
        let source = self
            .program
            .scripts
            .get(id.0 as usize)
            .map_or("", |s| s.source.as_str());
        shorten(&self.without_secrets(source))
    }

    /// The value of a variable, hidden when the variable is secret.
    fn secret_text(&self, slot: Slot, value: &Template) -> String {
        let secret = self
            .program
            .slots
            .get(slot.0 as usize)
            .is_some_and(|def| def.secret);
        if secret {
            MASK.to_owned()
        } else {
            self.text(value)
        }
    }

    /// A value whose fixed text is hidden; names of variables may be seen.
    fn masked(&self, value: &Template) -> String {
        let part = |part: &Part| match part {
            Part::Text(_) => MASK.to_owned(),
            other => self.part(other),
        };
        value.parts.iter().map(part).collect()
    }

    /// A template as it was written, shortened.
    fn text(&self, template: &Template) -> String {
        let whole: String = template.parts.iter().map(|part| self.part(part)).collect();
        shorten(&whole)
    }

    fn part(&self, part: &Part) -> String {
        match part {
            Part::Text(text) => self.without_secrets(text),
            Part::Slot { slot, .. } => format!("${{{}}}", self.name(*slot)),
            Part::Call(call) => self.call(call),
            Part::Script(id) => format!("${{= {} }}", self.script(*id)),
        }
    }

    fn call(&self, call: &Call) -> String {
        let def = FUNCTIONS.iter().find(|def| def.function == call.function);
        let args: Vec<String> = call.args.iter().map(|arg| self.text(arg)).collect();
        format!(
            "${{{}({})}}",
            def.map_or("?", |def| def.name),
            args.join(", ")
        )
    }

    /// Secrets that never change were put into the texts; they are taken out again.
    fn without_secrets(&self, text: &str) -> String {
        let secrets = self.program.slots.iter().filter(|def| def.secret);
        let values = secrets.filter_map(|def| def.initial.as_ref()?.as_text());
        let mut shown = text.to_owned();
        for value in values.filter(|value| !value.is_empty()) {
            shown = shown.replace(value, MASK);
            // As it stands in addresses and forms.
            let encoded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            shown = shown.replace(&encoded, MASK);
        }
        shown
    }
}

fn profile_lines(shown: &Shown<'_>, profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    if profile.connect_timeout != defaults::CONNECT_TIMEOUT {
        lines.push(format!(
            "connect timeout {}",
            seconds(profile.connect_timeout)
        ));
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

fn seconds(time: Duration) -> String {
    format!("{time:?}")
}

fn is_secret_header(name: &str) -> bool {
    [
        "authorization",
        "proxy-authorization",
        "cookie",
        "x-api-key",
    ]
    .iter()
    .any(|secret| name.eq_ignore_ascii_case(secret))
}

fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
        Comparison::Contains => "contains",
        Comparison::Matches => "matches",
    }
}

/// One line, not too long.
fn shorten(text: &str) -> String {
    let one_line = text.replace('\n', "⏎");
    if one_line.chars().count() <= LONGEST {
        return one_line;
    }
    let start: String = one_line.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}
