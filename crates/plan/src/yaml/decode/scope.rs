//! What holds for all requests of a block: settings, headers, data, pauses, processors.

use super::Decoder;
use crate::model::{
    Action, AtEnd, Auth, CookieMode, Counter, CsvData, DataOrder, Headers, HttpSettings, Language,
    OnError, Pause, PauseTime, Processor, Rendezvous, Scope, ScopePause, Script, SharedBy, Span,
    Text, TlsSettings, Variable,
};
use crate::units::{parse_duration, parse_size};
use crate::yaml::node::{Key, Node};
use crate::yaml::table;

/// Who shares a thing.
pub(in crate::yaml) const SHARED_BY: &[(&str, SharedBy)] = &[
    ("user", SharedBy::User),
    ("scenario", SharedBy::Scenario),
    ("all", SharedBy::All),
];

pub(in crate::yaml) const ON_ERROR: &[(&str, OnError)] = &[
    ("continue", OnError::GoOn),
    ("next-pass", OnError::Act(Action::Continue)),
    ("leave-loop", OnError::Act(Action::Break)),
    ("next-iteration", OnError::Act(Action::NextIteration)),
    ("stop-user", OnError::Act(Action::StopUser)),
    ("stop-scenario", OnError::Act(Action::StopScenario)),
    ("stop-run", OnError::Act(Action::StopRun)),
    ("stop-run-now", OnError::Act(Action::StopRunNow)),
];

impl Decoder<'_> {
    /// What an object says for all requests below it. Its `variables` are left out when the
    /// caller keeps them elsewhere.
    pub(super) fn scope(&mut self, node: &Node, with_variables: bool) -> Scope {
        let mut scope = Scope::default();
        let mut settings = self.settings(node);
        settings.target = self.text(node, "target");
        if !is_default(&settings) {
            scope.http.push(settings);
        }
        let headers = self.pairs(node, "headers");
        if !headers.is_empty() {
            scope.headers.push(Headers(headers));
        }
        if with_variables {
            scope.variables = self.variables(node);
        }
        scope.data = self.data(node);
        scope.counters = self.counters(node);
        scope.pauses = self.pauses(node);
        scope.before = self.processors(node, "before");
        scope
            .after
            .extend(self.saves(node).into_iter().map(Processor::Extract));
        scope.after.extend(self.processors(node, "after"));
        scope.checks = self.checks(node);
        scope.on_error = self.on_error(node);
        scope.elements = self.elements(node, "elements");
        scope.on_pass = self.elements(node, "on-pass");
        scope
    }

    pub(super) fn settings(&mut self, node: &Node) -> HttpSettings {
        let size = |node: &Node| parse_size(node.scalar()?);
        let cookies = [
            ("keep", CookieMode::Keep),
            ("clear-each-iteration", CookieMode::ClearEachIteration),
            ("off", CookieMode::Off),
        ];
        HttpSettings {
            target: None,
            redirects: self.value(node, "redirects", |node| match node.plain()? {
                "true" => Some(crate::model::defaults::REDIRECTS),
                "false" => Some(0),
                _ => super::int_of(node),
            }),
            connect_timeout: self.positive_duration(node, "connect-timeout"),
            timeout: self.positive_duration(node, "timeout"),
            auth: self.auth(node),
            cookies: self.word(node, "cookies", &cookies),
            keep_alive: self.bool(node, "keep-alive"),
            compression: self.bool(node, "compression"),
            share_connections: self.bool(node, "share-connections"),
            tls: node.get("tls").map(|node| self.tls(node)),
            proxy: self.text(node, "proxy"),
            source_addresses: self.parsed_list(node, "source-addresses", |t| t.parse().ok()),
            dns: self.dns(node),
            dns_servers: self.parsed_list(node, "dns-servers", table::name_server),
            unix_socket: self.text(node, "unix-socket"),
            max_body_bytes: self.value(node, "max-body", size),
            max_head_bytes: self.value(node, "max-head", size),
        }
    }

    /// A time-out of zero would fail every request.
    fn positive_duration(&mut self, node: &Node, key: &str) -> Option<std::time::Duration> {
        let duration = self.duration(node, key)?;
        if duration.is_zero() {
            let at = node.get(key).map(|node| node.at).unwrap_or_default();
            self.error(at, "plan-timeout-zero");
        }
        Some(duration)
    }

    fn parsed_list<T>(
        &mut self,
        node: &Node,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let Some(node) = node.get(key) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        for item in node.one_or_many() {
            match item.scalar().and_then(&read) {
                Some(value) => values.push(value),
                None => self.broken(item),
            }
        }
        values
    }

    fn dns(&mut self, node: &Node) -> Vec<(String, Vec<std::net::IpAddr>)> {
        let Some(dns) = node.get("dns") else {
            return Vec::new();
        };
        let Some(entries) = dns.map() else {
            self.broken(dns);
            return Vec::new();
        };
        let names = entries.iter().map(|(host, _)| host.name.clone());
        let names: Vec<String> = names.collect();
        let responses = names.into_iter().map(|host| {
            let addresses = self.parsed_list(dns, &host, |t| t.parse().ok());
            (host, addresses)
        });
        responses.collect()
    }

    fn tls(&mut self, node: &Node) -> TlsSettings {
        let tls = TlsSettings {
            insecure: self.bool(node, "insecure").unwrap_or(false),
            ca_file: self.string(node, "ca"),
            certificate_file: self.string(node, "certificate"),
            key_file: self.string(node, "key"),
            server_name: self.string(node, "server-name"),
        };
        if tls.certificate_file.is_some() != tls.key_file.is_some() {
            self.error(node.at, "plan-tls-certificate-and-key");
        }
        tls
    }

    fn auth(&mut self, node: &Node) -> Option<Auth> {
        let auth = node.get("auth")?;
        if let Some(token) = self.text(auth, "bearer") {
            return Some(Auth::Bearer(token));
        }
        for (key, basic) in [("basic", true), ("digest", false)] {
            let Some(login) = auth.get(key) else { continue };
            let user = self.text(login, "user").unwrap_or_default();
            let password = self.text(login, "password").unwrap_or_default();
            return Some(match basic {
                true => Auth::Basic { user, password },
                false => Auth::Digest { user, password },
            });
        }
        self.broken(auth);
        None
    }

    /// The variables of a plan or a block.
    pub(super) fn variables(&mut self, node: &Node) -> Vec<Variable> {
        let entries = self
            .value(node, "variables", Node::map_entries)
            .unwrap_or_default();
        entries
            .iter()
            .map(|(name, value)| self.variable(name, value))
            .collect()
    }

    fn variable(&mut self, name: &Key, value: &Node) -> Variable {
        self.check_name(&name.name, name.at);
        let mut variable = Variable {
            name: name.name.clone(),
            value: Text {
                raw: String::new(),
                at: value.at,
            },
            at: name.at,
            ..Variable::default()
        };
        if value.map().is_none() {
            match value.text() {
                Some(text) => variable.value = text,
                None => self.broken(value),
            }
            return variable;
        }
        variable.env = self.string(value, "env");
        variable.secret = self.bool(value, "secret").unwrap_or(false);
        variable.once_per_run = self.bool(value, "once-per-run").unwrap_or(false);
        match self.text(value, "default") {
            Some(text) => variable.value = text,
            // Nowhere: it has no value but what the environment gives.
            None if variable.env.is_some() => variable.value.at = Span::default(),
            None => self.error(value.at, "plan-variable-without-value"),
        }
        variable
    }

    /// Whether `${…}` can take a name.
    pub(super) fn check_name(&mut self, name: &str, at: Span) {
        if !self.any_name && !table::is_variable_name(name) {
            let message = plimsoll_text::Message::new("plan-bad-variable-name")
                .with("name", crate::yaml::check::shown(name));
            let remedy = plimsoll_text::Message::new("plan-bad-variable-name.remedy");
            self.problems
                .push(crate::Problem::error(at, message).remedy(remedy));
        }
    }

    /// Variables to set: a mapping of names to texts.
    pub(super) fn set_values(&mut self, node: &Node, key: &str) -> Vec<Variable> {
        let entries = self.value(node, key, Node::map_entries).unwrap_or_default();
        entries
            .iter()
            .map(|(name, value)| self.variable(name, value))
            .collect()
    }

    fn data(&mut self, node: &Node) -> Vec<CsvData> {
        let Some(node) = node.get("data") else {
            return Vec::new();
        };
        node.one_or_many()
            .iter()
            .map(|node| self.csv(node))
            .collect()
    }

    fn csv(&mut self, node: &Node) -> CsvData {
        let path = match node.map() {
            Some(_) => self.text(node, "csv"),
            None => node.text(),
        };
        let path = path.unwrap_or_default();
        let columns = self.parsed_list(node, "columns", |t| Some(t.to_owned()));
        for name in node
            .get("columns")
            .map(Node::one_or_many)
            .unwrap_or_default()
        {
            self.check_name(name.scalar().unwrap_or_default(), name.at);
        }
        let order = [
            ("sequential", DataOrder::Sequential),
            ("random", DataOrder::Random),
            ("unique", DataOrder::UniquePerUser),
        ];
        let at_end = [
            ("recycle", AtEnd::Recycle),
            ("stop", AtEnd::StopUser),
            ("marker", AtEnd::Marker),
        ];
        let data = CsvData {
            name: self
                .string(node, "name")
                .unwrap_or_else(|| path.raw.clone()),
            has_header: self.bool(node, "header").unwrap_or(columns.is_empty()),
            columns,
            delimiter: self
                .value(node, "delimiter", |node| table::delimiter(node.scalar()?))
                .unwrap_or(b','),
            encoding: self
                .string(node, "encoding")
                .unwrap_or_else(|| "utf-8".into()),
            order: self.word(node, "order", &order).unwrap_or_default(),
            at_end: self.word(node, "at-end", &at_end).unwrap_or_default(),
            shared_by: self.word(node, "shared-by", SHARED_BY).unwrap_or_default(),
            group: self.string(node, "group"),
            quoted: self.bool(node, "quoted").unwrap_or(true),
            path,
            at: node.at,
        };
        if data.columns.is_empty() && !data.has_header {
            self.error(node.at, "plan-data-without-names");
        }
        data
    }

    fn counters(&mut self, node: &Node) -> Vec<Counter> {
        let entries = self
            .value(node, "counters", Node::map_entries)
            .unwrap_or_default();
        let counters = entries.iter().map(|(name, value)| {
            self.check_name(&name.name, name.at);
            let start = match value.map() {
                Some(_) => self.int(value, "start"),
                None => super::int_of(value),
            };
            Counter {
                variable: name.name.clone(),
                start: start.unwrap_or(1),
                step: self.int(value, "step").unwrap_or(1),
                end: self.int(value, "end"),
                digits: self.int(value, "digits").unwrap_or(0),
                format: self.string(value, "format"),
                reset_each_iteration: self.bool(value, "reset-each-iteration").unwrap_or(false),
                shared_by: self.word(value, "shared-by", SHARED_BY).unwrap_or_default(),
                at: name.at,
            }
        });
        counters.collect()
    }

    fn pauses(&mut self, node: &Node) -> Vec<ScopePause> {
        let mut pauses = Vec::new();
        pauses.extend(self.pause(node, "think").map(ScopePause::Think));
        let Some(list) = node.get("pauses") else {
            return pauses;
        };
        for item in list.one_or_many() {
            if let Some(pause) = self.pause(item, "think") {
                pauses.push(ScopePause::Think(pause));
            } else if let Some(meeting) = self.rendezvous(item) {
                pauses.push(ScopePause::Rendezvous(meeting));
            } else if let Some(per_minute) = self.text(item, "throughput") {
                let shared_by = self.word(item, "shared-by", SHARED_BY).unwrap_or_default();
                pauses.push(ScopePause::Throughput {
                    per_minute,
                    shared_by,
                });
            } else if let Some(element) = self.element(item) {
                pauses.push(ScopePause::Element(element));
            } else {
                self.broken(item);
            }
        }
        pauses
    }

    /// A pause under a key.
    pub(super) fn pause(&mut self, node: &Node, key: &str) -> Option<Pause> {
        let node = node.get(key)?;
        let at = node.at;
        if let Some(text) = node.scalar() {
            if table::is_template(text) {
                let time = PauseTime::Fixed(std::time::Duration::ZERO);
                return Some(Pause {
                    time,
                    template_ms: node.text(),
                    at,
                });
            }
            let Some((from, to)) = table::pause_range(text) else {
                self.broken(node);
                return None;
            };
            let time = match from == to {
                true => PauseTime::Fixed(from),
                false => PauseTime::Uniform(from, to),
            };
            return Some(Pause {
                time,
                template_ms: None,
                at,
            });
        }
        if let Some(text) = self.text(node, "ms") {
            let time = PauseTime::Fixed(std::time::Duration::ZERO);
            return Some(Pause {
                time,
                template_ms: Some(text),
                at,
            });
        }
        let time = self.distribution(node)?;
        Some(Pause {
            time,
            template_ms: None,
            at,
        })
    }

    fn distribution(&mut self, node: &Node) -> Option<PauseTime> {
        if let Some(mean) = self.duration(node, "exponential") {
            return Some(PauseTime::Exponential(mean));
        }
        if let Some(lambda) = self.duration(node, "poisson") {
            let offset = self.duration(node, "plus").unwrap_or_default();
            return Some(PauseTime::Poisson { lambda, offset });
        }
        for key in ["uniform", "normal"] {
            let Some(list) = node.get(key) else { continue };
            let values = self.parsed_list(node, key, parse_duration);
            return match (key, values.as_slice()) {
                ("uniform", [from, to]) if from <= to => Some(PauseTime::Uniform(*from, *to)),
                ("normal", [mean, deviation]) => Some(PauseTime::Normal(*mean, *deviation)),
                _ => {
                    self.error(list.at, "plan-two-durations");
                    None
                }
            };
        }
        self.broken(node);
        None
    }

    /// A rendezvous under the key `rendezvous`.
    pub(super) fn rendezvous(&mut self, node: &Node) -> Option<Rendezvous> {
        let node = node.get("rendezvous")?;
        let name = match node.map() {
            Some(_) => self.string(node, "name"),
            None => node.scalar().map(str::to_owned),
        };
        Some(Rendezvous {
            name: name.unwrap_or_default(),
            users: self.int(node, "users").unwrap_or(0),
            timeout: self.duration(node, "timeout"),
            at: node.at,
        })
    }

    /// Processors under a key.
    pub(super) fn processors(&mut self, node: &Node, key: &str) -> Vec<Processor> {
        let Some(list) = node.get(key) else {
            return Vec::new();
        };
        let mut processors = Vec::new();
        for item in list.one_or_many() {
            if let Some(script) = self.script(item, "js") {
                processors.push(Processor::Script(script));
            } else if item.get("set").is_some() {
                processors.extend(self.set_values(item, "set").into_iter().map(Processor::Set));
            } else if item.get("save").is_some() {
                processors.extend(self.saves(item).into_iter().map(Processor::Extract));
            } else if let Some(element) = self.element(item) {
                processors.push(Processor::Element(element));
            } else if let Some(on_error) = self.on_error(item) {
                processors.push(Processor::OnError(on_error));
            } else {
                self.broken(item);
            }
        }
        processors
    }

    /// A script under a key.
    pub(super) fn script(&mut self, node: &Node, key: &str) -> Option<Script> {
        let Text { raw, at } = self.text(node, key)?;
        Some(Script {
            language: Language::JavaScript,
            source: raw,
            at,
        })
    }

    /// The rule for failed samples.
    pub(super) fn on_error(&mut self, node: &Node) -> Option<OnError> {
        self.word(node, "on-error", ON_ERROR)
    }
}

/// Whether nothing is set.
fn is_default(settings: &HttpSettings) -> bool {
    let HttpSettings {
        target,
        redirects,
        connect_timeout,
        timeout,
        auth,
        cookies,
        keep_alive,
        compression,
        share_connections,
        tls,
        proxy,
        source_addresses,
        dns,
        dns_servers,
        unix_socket,
        max_body_bytes,
        max_head_bytes,
    } = settings;
    target.is_none()
        && redirects.is_none()
        && connect_timeout.is_none()
        && timeout.is_none()
        && auth.is_none()
        && cookies.is_none()
        && keep_alive.is_none()
        && compression.is_none()
        && share_connections.is_none()
        && tls.is_none()
        && proxy.is_none()
        && source_addresses.is_empty()
        && dns.is_empty()
        && dns_servers.is_empty()
        && unix_socket.is_none()
        && max_body_bytes.is_none()
        && max_head_bytes.is_none()
}
