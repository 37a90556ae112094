//! Which hosts may be loaded.

use std::net::SocketAddr;

use plimsoll_access::Reach;
use plimsoll_plan::compile::host_of_address;
use url::Url;

/// The hosts that a run may send requests to.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    /// `host` or `host:port`, lower case.
    allowed: Vec<String>,
    /// Around it: whoever runs the plan for others allows these alone.
    reach: Option<Reach>,
}

impl Hosts {
    /// Only these.
    #[must_use]
    pub fn new(allowed: &[String]) -> Self {
        Self {
            allowed: allowed
                .iter()
                .map(|host| host.to_ascii_lowercase())
                .collect(),
            reach: None,
        }
    }

    /// These too: addresses, or hosts as such. What is neither is left out.
    #[must_use]
    pub fn with(mut self, texts: &[String]) -> Self {
        let host = |text: &String| {
            let text = text.trim();
            let text = text.strip_prefix("jdbc:").unwrap_or(text);
            let address = match text.contains("://") {
                true => text.to_owned(),
                false if text.parse::<std::net::Ipv6Addr>().is_ok() => format!("http://[{text}]"),
                false => format!("http://{text}"),
            };
            let host = Url::parse(&address).ok()?.host_str()?.to_ascii_lowercase();
            Some(host)
        };
        self.allowed.extend(texts.iter().filter_map(host));
        self
    }

    /// And of all these only what a list has; none: all.
    #[must_use]
    pub fn within(mut self, reach: Option<&Reach>) -> Self {
        self.reach = reach.cloned();
        self
    }

    /// The list around the plan's, if there is one.
    #[must_use]
    pub fn reach(&self) -> Option<&Reach> {
        self.reach.as_ref()
    }

    /// Whether a list around the plan's, if there is one, has this host on this port.
    #[must_use]
    pub fn is_within_reach(&self, host: &str, port: u16) -> bool {
        let reach = self.reach.as_ref();
        reach.is_none_or(|reach| reach.names(host, port))
    }

    /// Whether that list lets a host that was asked for lead to an address.
    #[must_use]
    pub fn leads(&self, host: &str, to: SocketAddr) -> bool {
        let reach = self.reach.as_ref();
        reach.is_none_or(|reach| reach.leads(host, to))
    }

    /// Whether this URL's host may be loaded.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else {
            return false;
        };
        self.allows_place(host, url.port_or_known_default().unwrap_or(0))
    }

    /// Whether this host may be sent to on some port; an IPv6 address is in brackets.
    #[must_use]
    pub fn allows_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let names = |allowed: &String| match allowed.strip_prefix(host.as_str()) {
            Some(rest) => rest.is_empty() || rest.starts_with(':'),
            None => false,
        };
        let reach = self.reach.as_ref();
        self.allowed.iter().any(names) && reach.is_none_or(|reach| reach.names_host(&host))
    }

    /// Whether what an element names as its server may be reached: an address, or a host with or
    /// without a port. What names no host leads to none.
    #[must_use]
    pub fn allows_address(&self, text: &str) -> bool {
        let Some(host) = host_of_address(text) else {
            return true;
        };
        match host.rsplit_once(':') {
            Some((name, port)) if !host.ends_with(']') => {
                self.allows_place(name, port.parse().unwrap_or(0))
            }
            _ => self.allows_host(&host),
        }
    }

    /// Whether this host may be loaded on this port; an IPv6 address is in brackets.
    #[must_use]
    pub fn allows_place(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        let reach = self.reach.as_ref();
        reach.is_none_or(|reach| reach.names(&host, port))
            && self.allowed.iter().any(|allowed| {
                *allowed == host
                    || allowed
                        .strip_prefix(host.as_str())
                        .and_then(|rest| rest.strip_prefix(':'))
                        .is_some_and(|named| named.parse() == Ok(port))
            })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_host_with_a_port_allows_that_port_only() {
        let hosts = Hosts::new(&[
            "Shop.test".into(),
            "127.0.0.1:8080".into(),
            "[::1]:80".into(),
        ]);
        let allows = |url: &str| hosts.allows(&Url::parse(url).unwrap());
        assert!(allows("http://shop.test/") && allows("https://shop.TEST:444/x"));
        assert!(allows("http://127.0.0.1:8080/") && allows("http://[::1]/"));
        assert!(!allows("http://127.0.0.1/") && !allows("http://127.0.0.1:18080/"));
        let reaches = |text: &str| hosts.allows_address(text);
        assert!(reaches("shop.test:21") && reaches("127.0.0.1:8080") && reaches("::1"));
        assert!(reaches("jdbc:mysql://shop.test/x") && reaches("jdbc:h2:mem:x"));
        assert!(!reaches("evil.test") && !reaches("jdbc:mysql://evil.test/x"));
        assert!(!reaches("127.0.0.1:81"));
        assert!(!allows("http://evil.test/") && !allows("http://shop.test.evil/"));
    }

    #[test]
    fn a_list_around_the_plans_own_narrows_it() {
        let reach = Reach::parse(["shop.test:80"]).unwrap();
        let hosts = Hosts::new(&["shop.test".into(), "evil.test".into()]).within(Some(&reach));
        let allows = |url: &str| hosts.allows(&Url::parse(url).unwrap());
        assert!(allows("http://shop.test/") && !allows("https://shop.test/"));
        assert!(!allows("http://evil.test/") && !hosts.allows_host("evil.test"));
        let none = Hosts::new(&[]).within(Some(&reach));
        assert!(
            !none.allows_place("shop.test", 80),
            "the plan's own list holds, too"
        );
    }
}
