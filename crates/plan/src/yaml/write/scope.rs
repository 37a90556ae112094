//! What holds for all requests of a block.

use super::element::{element, elements};
use super::emit::{Map, Yaml, plain};
use super::responses;
use super::time::{duration, pause};
use crate::model::{
    AtEnd, Auth, CookieMode, Counter, CsvData, DataOrder, Headers, HttpSettings, Processor,
    Rendezvous, Scope, ScopePause, Text, TlsSettings, Variable,
};
pub(super) use crate::yaml::decode::{ACTIONS, ON_ERROR, SHARED_BY};

/// The word that stands for a value.
pub(super) fn word<T: PartialEq>(words: &[(&str, T)], value: T) -> Yaml {
    let found = words.iter().find(|(_, meaning)| *meaning == value);
    plain(found.map_or("", |(word, _)| word))
}

/// The keys of a scope. Its rule for failures and, at the top, its variables are written by
/// the caller.
pub(super) fn scope_keys(scope: &Scope, map: &mut Map, with_variables: bool) {
    for settings in &scope.http {
        settings_keys(settings, map);
    }
    map.put_map("headers", headers(&scope.headers));
    if with_variables {
        map.put_map("variables", variables(&scope.variables));
    }
    map.put_list("data", scope.data.iter().map(csv).collect());
    let mut counters = Map::default();
    for each in &scope.counters {
        counters.put(each.variable.as_str(), counter(each));
    }
    map.put_map("counters", counters);
    map.put_list("pauses", scope.pauses.iter().map(scope_pause).collect());
    map.put_list("before", processors(&scope.before));
    map.put_list("after", processors(&scope.after));
    map.put_list("check", responses::checks(&scope.checks));
    map.put_list("elements", elements(&scope.elements));
    map.put_list("on-pass", elements(&scope.on_pass));
}

/// The scope of a block that has a rule of its own for failures.
pub(super) fn block_keys(scope: &Scope, map: &mut Map) {
    scope_keys(scope, map, true);
    map.put_some("on-error", scope.on_error.map(|rule| word(ON_ERROR, rule)));
}

pub(super) fn settings_keys(settings: &HttpSettings, map: &mut Map) {
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
    let cookie_word = |mode: &CookieMode| match mode {
        CookieMode::Keep => plain("keep"),
        CookieMode::ClearEachIteration => plain("clear-each-iteration"),
        CookieMode::Off => plain("off"),
    };
    map.put_some("target", target.as_ref());
    map.put_some("redirects", redirects.map(plain));
    map.put_some("connect-timeout", connect_timeout.map(duration));
    map.put_some("timeout", timeout.map(duration));
    map.put_some("auth", auth.as_ref().map(authorization));
    map.put_some("cookies", cookies.as_ref().map(cookie_word));
    map.put_some("keep-alive", keep_alive.map(plain));
    map.put_some("compression", compression.map(plain));
    map.put_some("share-connections", share_connections.map(plain));
    map.put_some("tls", tls.as_ref().map(tls_settings));
    map.put_some("proxy", proxy.as_ref());
    let shown = |text: String| Yaml::Text(text);
    let sources = source_addresses
        .iter()
        .map(|address| shown(address.to_string()));
    map.put_list("source-addresses", sources.collect());
    let mut names = Map::default();
    for (host, addresses) in dns {
        let addresses = addresses.iter().map(|address| shown(address.to_string()));
        names.put(host.as_str(), addresses.collect::<Vec<_>>());
    }
    map.put_map("dns", names);
    let servers = dns_servers.iter().map(|server| shown(server.to_string()));
    map.put_list("dns-servers", servers.collect());
    map.put_some("unix-socket", unix_socket.as_ref());
    map.put_some("max-body", max_body_bytes.map(plain));
    map.put_some("max-head", max_head_bytes.map(plain));
}

fn authorization(auth: &Auth) -> Yaml {
    let mut map = Map::default();
    let login = |user: &Text, password: &Text| {
        let mut login = Map::default();
        login.put("user", user);
        login.put("password", password);
        login
    };
    match auth {
        Auth::Basic { user, password } => map.put("basic", login(user, password)),
        Auth::Digest { user, password } => map.put("digest", login(user, password)),
        Auth::Bearer(token) => map.put("bearer", token),
    }
    map.into()
}

fn tls_settings(tls: &TlsSettings) -> Yaml {
    let mut map = Map::default();
    map.put_bool("insecure", tls.insecure, false);
    map.put_some("ca", tls.ca_file.as_ref());
    map.put_some("certificate", tls.certificate_file.as_ref());
    map.put_some("key", tls.key_file.as_ref());
    map.put_some("server-name", tls.server_name.as_ref());
    map.into()
}

/// Lists of headers in one: a later list takes the names of an earlier one.
fn headers(lists: &[Headers]) -> Map {
    let mut all: Vec<&(Text, Text)> = Vec::new();
    for Headers(list) in lists {
        let again = |name: &Text| {
            list.iter()
                .any(|(n, _)| n.raw.eq_ignore_ascii_case(&name.raw))
        };
        all.retain(|(name, _)| !again(name));
        all.extend(list);
    }
    grouped(all)
}

/// Names with their texts; several of one name are a list.
pub(super) fn pairs(pairs: &[(Text, Text)]) -> Map {
    grouped(pairs.iter().collect())
}

fn grouped(pairs: Vec<&(Text, Text)>) -> Map {
    let mut map = Map::default();
    for (name, value) in pairs {
        let value = Yaml::from(value);
        match map.0.iter_mut().find(|(known, _)| *known == name.raw) {
            Some((_, Yaml::List(values))) => values.push(value),
            Some((_, first)) => *first = Yaml::List(vec![first.clone(), value]),
            None => map.put(name.raw.as_str(), value),
        }
    }
    map
}

/// Variables by their names; the last of one name counts, as it does for the compiler, and
/// what was secret once stays so.
pub(super) fn variables(variables: &[Variable]) -> Map {
    let mut map = Map::default();
    for each in Variable::last_of_each_name(variables) {
        let mut same = variables.iter().filter(|other| other.name == each.name);
        let secret = same.any(|other| other.secret);
        let value = variable(&Variable {
            secret,
            ..each.clone()
        });
        map.put(each.name.as_str(), value);
    }
    map
}

pub(super) fn variable(variable: &Variable) -> Yaml {
    if variable.env.is_none() && !variable.secret && !variable.once_per_run {
        return (&variable.value).into();
    }
    let mut map = Map::default();
    let has_value = !variable.value.raw.is_empty() || variable.value.at.line > 0;
    if variable.env.is_none() || has_value {
        map.put("default", &variable.value);
    }
    map.put_some("env", variable.env.as_ref());
    map.put_bool("secret", variable.secret, false);
    map.put_bool("once-per-run", variable.once_per_run, false);
    map.into()
}

fn csv(data: &CsvData) -> Yaml {
    let mut map = Map::default();
    map.put("csv", &data.path);
    if data.name != data.path.raw {
        map.put("name", &data.name);
    }
    map.put_list("columns", data.columns.iter().map(Yaml::from).collect());
    map.put_bool("header", data.has_header, data.columns.is_empty());
    if data.delimiter != b',' {
        let delimiter = match data.delimiter {
            b'\t' => "tab".to_owned(),
            other => char::from(other).to_string(),
        };
        map.put("delimiter", &delimiter);
    }
    if data.encoding != "utf-8" {
        map.put("encoding", &data.encoding);
    }
    match data.order {
        DataOrder::Sequential => {}
        DataOrder::Random => map.put("order", plain("random")),
        DataOrder::UniquePerUser => map.put("order", plain("unique")),
    }
    match data.at_end {
        AtEnd::Recycle => {}
        AtEnd::StopUser => map.put("at-end", plain("stop")),
        AtEnd::Marker => map.put("at-end", plain("marker")),
    }
    map.put("shared-by", word(SHARED_BY, data.shared_by));
    map.put_some("group", data.group.as_ref());
    map.put_bool("quoted", data.quoted, true);
    map.into()
}

fn counter(counter: &Counter) -> Yaml {
    let mut map = Map::default();
    map.put("start", plain(counter.start));
    map.put("step", plain(counter.step));
    map.put_some("end", counter.end.map(plain));
    if counter.digits > 0 {
        map.put("digits", plain(counter.digits));
    }
    map.put_some("format", counter.format.as_ref());
    map.put_bool("reset-each-iteration", counter.reset_each_iteration, false);
    map.put("shared-by", word(SHARED_BY, counter.shared_by));
    map.into()
}

fn scope_pause(each: &ScopePause) -> Yaml {
    let mut map = Map::default();
    match each {
        ScopePause::Think(time) => map.put("think", pause(time)),
        ScopePause::Rendezvous(meeting) => map.put("rendezvous", rendezvous(meeting)),
        ScopePause::Throughput {
            per_minute,
            shared_by,
        } => {
            map.put("throughput", per_minute);
            map.put("shared-by", word(SHARED_BY, *shared_by));
        }
        ScopePause::Element(each) => map.put("element", element(each)),
    }
    map.into()
}

pub(super) fn rendezvous(meeting: &Rendezvous) -> Yaml {
    let mut map = Map::default();
    map.put("name", &meeting.name);
    if meeting.users > 0 {
        map.put("users", plain(meeting.users));
    }
    map.put_some("timeout", meeting.timeout.map(duration));
    map.into()
}

pub(super) fn processors(processors: &[Processor]) -> Vec<Yaml> {
    let items = processors.iter().map(|processor| {
        let mut map = Map::default();
        match processor {
            Processor::Extract(extract) => map.put("save", responses::saves(&[extract])),
            Processor::Script(script) => map.put("js", &script.source),
            Processor::Set(each) => map.put("set", variables(std::slice::from_ref(each))),
            Processor::OnError(rule) => map.put("on-error", word(ON_ERROR, *rule)),
            Processor::Element(each) => map.put("element", element(each)),
        }
        map.into()
    });
    items.collect()
}
