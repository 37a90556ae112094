//! Which hosts may be loaded: those the plan names, and no others.

use plimsoll_text::Message;

use super::compiler::Compiler;
use super::url;
use crate::functions::Function;
use crate::model::Span;
use crate::program::{AuthTemplate, ElementProgram, Part, Template, ValueProgram};

/// The arguments of JMeter's backend listeners that name the host they send to.
const LISTENER_HOSTS: [&str; 2] = ["graphiteHost", "influxdbUrl"];

/// The plugins' sampler that has a list of addresses.
const LIST_OF_ADDRESSES: &str = "com.blazemeter.jmeter.http.ParallelHTTPSampler";

impl Compiler<'_> {
    /// Notes the host of a request; moves a user name in the address to the credentials.
    pub(super) fn note_host(
        &mut self,
        address: Template,
        auth: &mut Option<AuthTemplate>,
        at: Span,
    ) -> Template {
        match url::authority(&address) {
            Ok(Some(known)) => {
                let host = url::host_and_port(&known);
                if !self.program.allowed_hosts.contains(&host) {
                    self.program.allowed_hosts.push(host);
                }
                let Some((user, password)) = url::user_info(&known) else {
                    return address;
                };
                auth.get_or_insert(AuthTemplate::Basic(
                    Template::text(user),
                    Template::text(password),
                ));
                url::without_user_info(address)
            }
            Ok(None) => {
                let listed = !self.plan.hosts.is_empty() || !self.options.allow_hosts.is_empty();
                if !listed && self.known.is_some() {
                    self.caution(at, Message::new("compile-host-unknown"));
                }
                address
            }
            Err(text) => {
                let message = Message::new("compile-bad-address").with("address", text);
                self.mistake(at, message);
                address
            }
        }
    }

    /// The hosts of samplers and their defaults: those that are fixed, and the texts of
    /// those that will be known when the run starts. Others are not allowed by the plan.
    pub(super) fn hosts_of_elements(&mut self) {
        let elements = self.program.elements.clone();
        for element in &elements {
            let names = host_properties(&element.class).iter();
            let hosts = names.filter_map(|name| element.text(name));
            let path = element.text("HTTPSampler.path");
            let path = path.filter(|path| may_begin_with_http(path));
            for text in hosts.chain(path).chain(listed_addresses(element)) {
                self.host_of(text);
            }
        }
    }

    fn host_of(&mut self, text: &Template) {
        if let Some(fixed) = text.as_text() {
            let host = host_of_address(fixed);
            if let Some(host) = host
                && !self.program.allowed_hosts.contains(&host)
            {
                self.program.allowed_hosts.push(host);
            }
        } else if self.is_known_at_start(text, self.program.slots.len())
            && !self.program.host_templates.contains(text)
        {
            self.program.host_templates.push(text.clone());
        }
    }

    /// Whether a text is made of properties and of the plan's variables. A variable's value
    /// uses those before it only; `before` is the number of slots that may be looked at.
    fn is_known_at_start(&self, text: &Template, before: usize) -> bool {
        text.parts.iter().all(|part| match part {
            Part::Text(_) => true,
            Part::Slot { slot, .. } => {
                let def = &self.program.slots[slot.0 as usize];
                let of_plan = self.plan.variables.iter().any(|v| v.name == def.name);
                let initial = def.initial.as_ref();
                let at = slot.0 as usize;
                let known = |initial| at < before && self.is_known_at_start(initial, at);
                of_plan && initial.is_some_and(known)
            }
            Part::Call(call) => {
                let properties = matches!(call.function, Function::JMeter("__P" | "__property"));
                let known = |arg| self.is_known_at_start(arg, before);
                properties && call.args.iter().all(known)
            }
            Part::Script(_) => false,
        })
    }

    /// Warns of backend listeners that send to a host which nobody has allowed: a run refuses them, since a
    /// plan of somebody else's would send its results anywhere.
    pub(super) fn hosts_of_listeners(&mut self) {
        let elements = self.program.elements.clone();
        let listeners = elements.iter().filter(|it| it.class == "BackendListener");
        for listener in listeners {
            let arguments = listener_arguments(listener);
            let address = arguments.filter(|(name, _)| LISTENER_HOSTS.contains(name));
            for host in address.filter_map(|(_, value)| host_of_address(value)) {
                let name = host_name(&host);
                let mut allowed = self.program.allowed_hosts.iter();
                if !allowed.any(|allowed| host_name(allowed) == name) {
                    let message = Message::new("compile-backend-host").with("host", name);
                    self.caution(listener.at, message);
                }
            }
        }
    }

    /// Adds the hosts that the plan and the command line list.
    pub(super) fn hosts(&mut self) {
        for listed in self.plan.hosts.iter().chain(&self.options.allow_hosts) {
            let Some(host) = listed_host(listed) else {
                let message = Message::new("compile-bad-host").with("host", listed.as_str());
                self.mistake(Span::default(), message);
                continue;
            };
            if !self.program.allowed_hosts.contains(&host) {
                self.program.allowed_hosts.push(host);
            }
        }
    }
}

/// The properties in which elements of a class name the host that they connect to.
#[must_use]
pub fn host_properties(class: &str) -> &'static [&'static str] {
    match class {
        "AccessLogSampler" => &["domain"],
        "ConfigTestElement" => &[
            "HTTPSampler.domain",
            "TCPSampler.server",
            "FTPSampler.server",
            "servername",
        ],
        "FTPSampler" => &["FTPSampler.server"],
        "DataSourceElement" => &["dbUrl"],
        "LDAPSampler" | "LDAPExtSampler" => &["servername"],
        "MailReaderSampler" => &["host"],
        "SmtpSampler" => &["SMTPSampler.server"],
        "TCPSampler" => &["TCPSampler.server"],
        "GraphQLHTTPSampler" | "AjpSampler" => &["HTTPSampler.domain"],
        "kg.apc.jmeter.samplers.HTTPRawSampler" => &["hostname"],
        _ if class.starts_with("eu.luminis.jmeter.wssampler.") => &["server"],
        _ if class.starts_with("HTTPSampler") => &["HTTPSampler.domain"],
        _ => &[],
    }
}

/// The addresses of an element that has a list of them.
fn listed_addresses(element: &ElementProgram) -> Vec<&Template> {
    let rows = match element.get("urls") {
        Some(ValueProgram::List(rows)) if element.class == LIST_OF_ADDRESSES => rows.as_slice(),
        _ => &[],
    };
    let cells = rows.iter().filter_map(|row| match row {
        ValueProgram::List(cells) => cells.first(),
        _ => None,
    });
    let texts = cells.filter_map(|cell| match cell {
        ValueProgram::Text(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// The arguments of a backend listener whose names and values are fixed.
fn listener_arguments(listener: &ElementProgram) -> impl Iterator<Item = (&str, &str)> {
    let list = match listener.get("arguments") {
        Some(ValueProgram::Element(arguments)) => arguments.get("Arguments.arguments"),
        _ => None,
    };
    let rows = match list {
        Some(ValueProgram::List(rows)) => rows.as_slice(),
        _ => &[],
    };
    rows.iter().filter_map(|row| match row {
        ValueProgram::Element(argument) => Some((
            argument.text("Argument.name")?.as_text()?,
            argument.text("Argument.value")?.as_text()?,
        )),
        _ => None,
    })
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, _)) if !host.ends_with(']') => name,
        _ => host,
    }
}

/// Whether a path may be a whole address, as JMeter takes it.
fn may_begin_with_http(path: &Template) -> bool {
    match path.parts.first() {
        Some(Part::Text(text)) => {
            let text = text.trim_start().to_ascii_lowercase();
            text.starts_with("http:") || text.starts_with("https:")
        }
        Some(_) => true,
        None => false,
    }
}

/// The host of an address, or of a text that is only a host, and the port if it is one. An address
/// of JDBC's has the scheme of a driver within.
#[must_use]
pub fn host_of_address(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("jdbc:").unwrap_or(text);
    match text.contains("://") {
        true => {
            let parsed = ::url::Url::parse(text).ok()?;
            Some(parsed.host_str()?.to_ascii_lowercase())
        }
        false => listed_host(text),
    }
}

/// `host` or `host:port` in lower case, IPv6 addresses in brackets.
fn listed_host(listed: &str) -> Option<String> {
    let listed = listed.trim();
    if let Ok(address) = listed.parse::<std::net::Ipv6Addr>() {
        return Some(format!("[{address}]"));
    }
    if listed.is_empty() || listed.contains(['/', '@', '?', '#', '\\']) {
        return None;
    }
    let parsed = ::url::Url::parse(&format!("http://{listed}/")).ok()?;
    let host = parsed.host_str()?;
    // Port 80 is the scheme's own and would be lost in the parsed form.
    let port = listed
        .rsplit_once(':')
        .filter(|(before, _)| !before.is_empty());
    match port.and_then(|(_, port)| port.parse::<u16>().ok()) {
        Some(port) if !listed.ends_with(']') => Some(format!("{host}:{port}")),
        _ => Some(host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{host_of_address, listed_host};

    #[test]
    fn addresses_have_hosts() {
        for (address, host) in [
            ("http://Ex.com:81/x", "ex.com"),
            ("jdbc:mysql://Db:3307/shop?user=a", "db"),
            (" jdbc:postgresql://[::1]/x", "[::1]"),
            ("ex.com:81", "ex.com:81"),
        ] {
            assert_eq!(host_of_address(address).as_deref(), Some(host));
        }
        for none in ["jdbc:h2:mem:x", "jdbc:oracle:thin:@h:1521:x", "http://"] {
            assert_eq!(host_of_address(none), None);
        }
    }

    #[test]
    fn hosts_with_and_without_port() {
        let host = |text: &str| listed_host(text);
        assert_eq!(host("Ex.com").as_deref(), Some("ex.com"));
        assert_eq!(host("ex.com:80").as_deref(), Some("ex.com:80"));
        assert_eq!(host("::1").as_deref(), Some("[::1]"));
        assert_eq!(host("[::1]").as_deref(), Some("[::1]"));
        assert_eq!(host("[::1]:8080").as_deref(), Some("[::1]:8080"));
        for wrong in ["", "http://h", "h/x", "a b", "h:x", "u@h"] {
            assert_eq!(host(wrong), None, "{wrong}");
        }
    }
}
