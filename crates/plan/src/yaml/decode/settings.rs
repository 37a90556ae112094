//! How requests are sent.

use std::net::IpAddr;
use std::time::Duration;

use super::{Decoder, int_of};
use crate::model::{Auth, CookieMode, HttpSettings, TlsSettings, defaults};
use crate::units::parse_size;
use crate::yaml::node::Node;
use crate::yaml::table;

impl Decoder<'_> {
    /// The settings of an object, without its target.
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
                "true" => Some(defaults::REDIRECTS),
                "false" => Some(0),
                _ => int_of(node),
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
    fn positive_duration(&mut self, node: &Node, key: &str) -> Option<Duration> {
        let duration = self.duration(node, key)?;
        if duration.is_zero() {
            let at = node.get(key).map(|node| node.at).unwrap_or_default();
            self.error(at, "plan-timeout-zero");
        }
        Some(duration)
    }

    fn dns(&mut self, node: &Node) -> Vec<(String, Vec<IpAddr>)> {
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
}
