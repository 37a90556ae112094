//! The hops of the chain that a request goes through, each of which can be loaded alone.

use plimsoll_text::Message;
use url::{Position, Url};

use super::Span;

/// Fewer are no chain.
pub const FEWEST_HOPS: usize = 2;

/// A hop of the chain, told in the order in which a request passes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHop {
    /// Its name.
    pub name: String,
    /// Where it is reached. Without a path it gets the plan's own requests; with one, that
    /// request in place of them.
    pub address: String,
    /// Where it is written.
    pub at: Span,
}

impl ChainHop {
    /// A hop; the error tells what an address must be.
    ///
    /// # Errors
    /// An address that is no `http://` or `https://` address, and one with a password, which
    /// would be shown.
    pub fn new(name: &str, address: &str, at: Span) -> Result<Self, Message> {
        let told = |id: &'static str| Message::new(id).with("name", name).with("address", address);
        let url = parsed(address).ok_or_else(|| told("plan-hop-address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            // The address itself is not repeated: it has the password.
            return Err(Message::new("plan-hop-password").with("name", name));
        }
        if name.trim().is_empty() {
            return Err(told("plan-hop-name"));
        }
        Ok(Self {
            name: name.to_owned(),
            address: address.to_owned(),
            at,
        })
    }

    /// Whether its address has a path or query of its own.
    #[must_use]
    pub fn has_own_request(&self) -> bool {
        let url = parsed(&self.address);
        url.is_some_and(|url| url.path() != "/" || url.query().is_some())
    }

    /// `http://host:port`.
    #[must_use]
    pub fn origin(&self) -> String {
        let url = parsed(&self.address);
        url.map_or_else(String::new, |url| url[..Position::BeforePath].to_owned())
    }

    /// As it may be shown: without the query, which may hold secrets.
    #[must_use]
    pub fn shown(&self) -> String {
        match parsed(&self.address) {
            Some(url) if self.has_own_request() => url[..Position::AfterPath].to_owned(),
            _ => self.origin(),
        }
    }
}

fn parsed(address: &str) -> Option<Url> {
    let url = Url::parse(address).ok()?;
    let known = matches!(url.scheme(), "http" | "https") && url.has_host();
    known.then_some(url)
}

/// What is wrong with hops as a whole, if anything: too few, or two of one name.
#[must_use]
pub fn wrong_chain(hops: &[ChainHop]) -> Option<Message> {
    if hops.len() < FEWEST_HOPS {
        return Some(Message::new("plan-hops-few").with("fewest", FEWEST_HOPS));
    }
    let twice = hops.iter().enumerate().find(|(at, hop)| {
        let mut before = hops.iter().take(*at);
        before.any(|known| known.name == hop.name)
    });
    twice.map(|(_, hop)| Message::new("plan-hop-twice").with("name", hop.name.as_str()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hop(name: &str, address: &str) -> Result<ChainHop, Message> {
        ChainHop::new(name, address, Span::default())
    }

    #[test]
    fn addresses_are_checked_and_shown_without_what_may_be_secret() {
        let plain = hop("a", "http://10.0.0.1:8080/").unwrap();
        assert!(!plain.has_own_request());
        assert_eq!(plain.shown(), "http://10.0.0.1:8080");
        let own = hop("b", "https://b/json?token=s3cret").unwrap();
        assert!(own.has_own_request());
        assert_eq!(
            (own.origin().as_str(), own.shown().as_str()),
            ("https://b", "https://b/json")
        );
        for wrong in ["10.0.0.1:8080", "ftp://h/", "http://", "b.yaml", ""] {
            assert_eq!(hop("c", wrong).unwrap_err().id, "plan-hop-address");
        }
        let secret = hop("c", "http://me:s3cret@h/").unwrap_err();
        assert!(!format!("{secret:?}").contains("s3cret"));
        assert_eq!(hop(" ", "http://h").unwrap_err().id, "plan-hop-name");
    }

    #[test]
    fn a_chain_has_two_hops_and_no_name_twice() {
        let all = |names: &[&str]| -> Vec<ChainHop> {
            let made = names.iter().map(|name| hop(name, "http://h").unwrap());
            made.collect()
        };
        assert_eq!(wrong_chain(&all(&["a"])).unwrap().id, "plan-hops-few");
        assert_eq!(
            wrong_chain(&all(&["a", "b", "a"])).unwrap().id,
            "plan-hop-twice"
        );
        assert_eq!(wrong_chain(&all(&["a", "b"])), None);
    }
}
