//! Sends something to an address that somebody else has named: never to this host or its networks unless whoever
//! started the server allows it, never further to where the receiver points.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::{Reach, RuledResolver};
use plimsoll_text::Message;
use ureq::unversioned::transport::DefaultConnector;
use url::Url;

use super::book::{VARIABLES, WebhookKept};
use super::delivery::{ReceiverResponse, SendFailure};
use super::message::{refusal_in_body, request};
use crate::problem::ApiError;

/// An attempt takes so long at most, all in all.
const WITHIN: Duration = Duration::from_secs(10);
/// Of a response at most so much is read, and so many characters told.
const MOST_BYTES: u64 = 64 << 10;
const TOLD: usize = 200;

/// Which addresses may be sent to.
#[derive(Debug, Clone)]
pub(super) struct SendRule {
    /// Hosts of this host and its networks that may be, too.
    pub allowed: Arc<Reach>,
}

impl SendRule {
    /// Whether a host may be sent to at an address that it leads to.
    fn may(&self, host: &str, to: SocketAddr) -> bool {
        is_public(to.ip()) || self.allowed.leads(host, to)
    }
}

/// Whether an address is of the internet, and of nobody's own network (the registries of special addresses of IANA,
/// RFC 6890). What carries an address of IPv4 is what it carries.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => {
            let parts = v6.segments();
            let carried = |high: u16, low: u16| {
                let [a, b] = high.to_be_bytes();
                let [c, d] = low.to_be_bytes();
                is_public_v4(Ipv4Addr::new(a, b, c, d))
            };
            match parts {
                // Translated (RFC 6052), and 6to4.
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carried(high, low),
                [0x2002, high, low, ..] => carried(high, low),
                [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
                [first, ..] => first & 0xe000 == 0x2000 && v6 != Ipv6Addr::LOCALHOST,
            }
        }
    }
}

fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let is_special = v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_broadcast()
        || v4.is_multicast()
        || v4.is_documentation()
        || a == 0
        || a >= 240
        || a == 100 && (64..128).contains(&b)
        || a == 192 && b == 0 && c == 0
        || a == 198 && (b == 18 || b == 19);
    !is_special
}

/// The address with what the environment has of it.
fn address(text: &str) -> Result<Url, SendFailure> {
    let mut whole = text.to_owned();
    while let Some((before, from)) = whole.split_once("${") {
        let (name, behind) = from.split_once('}').unwrap_or((from, ""));
        whole = format!("{before}{}{behind}", variable(name)?);
    }
    let never = || SendFailure::Never(None, Message::new("server-webhook-no-address"));
    let url = Url::parse(&whole).map_err(|_| never())?;
    match ["http", "https"].contains(&url.scheme()) && url.has_host() {
        true => Ok(url),
        false => Err(never()),
    }
}

/// A variable of the environment; one that is not set may be when the server is started anew.
fn variable(name: &str) -> Result<String, SendFailure> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    match value {
        Some(value) if name.starts_with(VARIABLES) => Ok(value),
        _ => Err(SendFailure::Never(
            None,
            Message::new("server-webhook-no-variable").with("name", name),
        )),
    }
}

/// Whether a place may be sent to by what it leads to now.
fn check(url: &Url, rule: &SendRule) -> Result<(), SendFailure> {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let later = |error: std::io::Error| {
        let message = Message::new("server-webhook-no-host").with("name", host);
        SendFailure::Later(None, message.with("reason", error.to_string()))
    };
    let mut found = (bare, port).to_socket_addrs().map_err(later)?;
    match found.any(|to| rule.may(host, to)) {
        true => Ok(()),
        false => Err(SendFailure::Never(
            None,
            Message::new("server-webhook-own-network").with("name", host),
        )),
    }
}

/// Whether something could be sent by what is known now: what could never be is refused before it is kept. A name
/// that leads nowhere may lead somewhere later.
///
/// # Errors
/// Why not, with the field that says so.
pub(super) fn may_send(to: &WebhookKept, rule: &SendRule) -> Result<(), ApiError> {
    let at = |field: &'static str| {
        move |failure: SendFailure| match failure {
            SendFailure::Never(_, reason) => Err(ApiError::bad_field(field, reason)),
            SendFailure::Later(..) => Ok(()),
        }
    };
    let leads = address(&to.url).and_then(|url| check(&url, rule));
    leads.or_else(at("url"))?;
    let secret = to
        .secret_env
        .as_deref()
        .map_or(Ok(()), |name| variable(name).map(drop));
    secret.or_else(at("secret_env"))
}

/// Sends an event, which is JSON, at a moment, Unix milliseconds; gives what the receiver says.
///
/// # Errors
/// What was not taken, and whether it may be later.
pub(super) fn send(
    to: &WebhookKept,
    event: &str,
    rule: &SendRule,
    unix_ms: i64,
) -> Result<ReceiverResponse, SendFailure> {
    let mut url = address(&to.url)?;
    let secret = to.secret_env.as_deref().map(variable).transpose()?;
    check(&url, rule)?;
    let made = request(to.kind, event, to.lang(), secret.as_deref(), unix_ms);
    if !made.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&made.query);
    }
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(WITHIN))
        // Another place is another host, and a proxy is none that was allowed.
        .max_redirects(0)
        .proxy(None)
        .http_status_as_error(false)
        .user_agent("Plimsoll")
        .build();
    let rule = rule.clone();
    let resolver = RuledResolver::new(Arc::new(move |host, to| rule.may(host, to)));
    let agent = ureq::Agent::with_parts(config, DefaultConnector::default(), resolver);
    let mut post = agent
        .post(url.as_str())
        .header("Content-Type", "application/json");
    for (name, value) in &made.headers {
        post = post.header(*name, value);
    }
    let sent = post.send(made.body.as_bytes());
    let mut response =
        sent.map_err(|error| SendFailure::Later(None, no_response(&error, &url, to)))?;
    let status = response.status().as_u16();
    let reader = response.body_mut().with_config().limit(MOST_BYTES);
    let body = reader.read_to_vec().unwrap_or_default();
    let received = ReceiverResponse {
        status,
        text: told(&String::from_utf8_lossy(&body), to),
    };
    let reason = Message::new("server-webhook-status").with("status", status);
    match status {
        200..=299 => match refusal_in_body(to.kind, &body) {
            Some(said) => {
                let reason = Message::new("server-webhook-chat").with("said", told(&said, to));
                Err(SendFailure::Never(Some(received), reason))
            }
            None => Ok(received),
        },
        408 | 425 | 429 | 500..=599 => Err(SendFailure::Later(Some(received), reason)),
        _ => Err(SendFailure::Never(Some(received), reason)),
    }
}

/// Why there is no response.
fn no_response(error: &ureq::Error, url: &Url, to: &WebhookKept) -> Message {
    let host = url.host_str().unwrap_or_default();
    let reason = |message: Message, reason: &str| message.with("reason", told(reason, to));
    match error {
        ureq::Error::Timeout(_) => {
            Message::new("server-webhook-slow").with("seconds", WITHIN.as_secs())
        }
        ureq::Error::HostNotFound => Message::new("server-webhook-own-network").with("name", host),
        ureq::Error::Io(error) => {
            let message = Message::new("server-webhook-no-connection").with("name", host);
            reason(message, &error.to_string())
        }
        error => reason(
            Message::new("server-webhook-no-response"),
            &error.to_string(),
        ),
    }
}

/// What a receiver said, short, without secrets and without what the address has of them.
fn told(text: &str, to: &WebhookKept) -> String {
    let masked = plimsoll_secrets::text(text).into_owned();
    let masked = match address(&to.url) {
        Ok(url) => masked.replace(url.as_str(), &to.shown()),
        Err(_) => masked,
    };
    let letters = masked.chars().filter(|letter| !letter.is_control());
    letters.take(TOLD).collect::<String>().trim().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn own_networks_are_not_the_internet() {
        for public in [
            "93.184.216.34",
            "1.1.1.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for own in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "::1",
            "::",
            "fe80::1",
            "fd00:ec2::254",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!is_public(own.parse().unwrap()), "{own}");
        }
    }

    #[test]
    fn what_was_allowed_may_be_and_nothing_beside_it() {
        let rule = SendRule {
            allowed: Arc::new(Reach::parse(["127.0.0.1:9000", "10.0.0.0/8"]).unwrap()),
        };
        let may = |url: &str| check(&Url::parse(url).unwrap(), &rule).is_ok();
        assert!(may("http://127.0.0.1:9000/x") && may("https://10.2.3.4/x"));
        for not in [
            "http://127.0.0.1:9001/",
            "http://0x7f.1:9001/",
            "http://[::1]:9000/",
            "http://[::ffff:127.0.0.1]:9001/",
            "http://169.254.169.254/latest/meta-data/",
        ] {
            assert!(!may(not), "{not}");
        }
    }
}
