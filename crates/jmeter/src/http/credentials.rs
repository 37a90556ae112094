//! The authorization manager (JMeter 5.6.3, `AuthManager`): Basic is sent at once, Digest
//! responds to the server's challenge within the same sample.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::SiteId;

use super::settings::Eval;
use super::url::JavaUrl;
use plimsoll_load::kit::auth::{self, DigestAuth};

/// An authorization manager.
#[derive(Debug)]
pub struct AuthManager {
    /// Where it is.
    pub site: SiteId,
    entries: Vec<AuthEntry>,
}

#[derive(Debug)]
struct AuthEntry {
    url: Field,
    user: Field,
    password: Field,
    realm: Field,
    mechanism: Field,
}

/// Credentials for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: String,
    realm: String,
    /// They are sent before they are asked for.
    pub at_once: bool,
}

impl AuthManager {
    /// Binds a manager.
    #[must_use]
    pub fn bind(fields: Fields<'_>) -> Self {
        let entry = |entry: Fields<'_>| AuthEntry {
            url: entry.field("Authorization.url"),
            user: entry.field("Authorization.username"),
            password: entry.field("Authorization.password"),
            realm: entry.field("Authorization.realm"),
            mechanism: entry.field("Authorization.mechanism"),
        };
        let entries = fields.elements("AuthManager.auth_list");
        Self {
            site: fields.0.site,
            entries: entries.into_iter().map(entry).collect(),
        }
    }

    /// The first credentials whose address this one begins with.
    pub fn find(&self, url: &JavaUrl, by: &mut Eval<'_>) -> Option<Credentials> {
        let written = url.to_string();
        let other = with_other_port(url);
        let mut text = |field| {
            by.text(field)
                .map(|text| text.into_owned())
                .unwrap_or_default()
        };
        let entry = self.entries.iter().find(|entry| {
            let prefix = text(&entry.url);
            written.starts_with(&prefix)
                || other
                    .as_ref()
                    .is_some_and(|other| other.starts_with(&prefix))
        })?;
        let mechanism = text(&entry.mechanism);
        Some(Credentials {
            user: text(&entry.user),
            password: text(&entry.password),
            realm: text(&entry.realm),
            at_once: matches!(mechanism.as_str(), "" | "BASIC" | "BASIC_DIGEST"),
        })
    }
}

impl Credentials {
    /// `Authorization` of Basic. HttpClient writes it in ASCII.
    #[must_use]
    pub fn basic(&self) -> String {
        let ascii = |text: &str| -> String {
            text.chars()
                .map(|c| if c.is_ascii() { c } else { '?' })
                .collect()
        };
        auth::basic(&ascii(&self.user), &ascii(&self.password))
    }

    /// The response to a challenge, if there is one: Digest, or Basic where it was not sent yet.
    #[must_use]
    pub fn response(
        &self,
        challenges: &[String],
        method: &str,
        target: &str,
        cnonce: u64,
    ) -> Option<String> {
        let mut digest = DigestAuth::default();
        let fits = |challenge: &&String| {
            self.realm.is_empty() || challenge.contains(&format!("realm=\"{}\"", self.realm))
        };
        let fitting: Vec<&str> = challenges.iter().filter(fits).map(String::as_str).collect();
        if digest.challenged(fitting.iter().copied()) {
            return digest.header(method, target, &self.user, &self.password, cnonce);
        }
        let basic = |challenge: &&str| {
            challenge
                .get(..5)
                .is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic"))
        };
        (!self.at_once && fitting.iter().any(basic)).then(|| self.basic())
    }
}

/// The address with the scheme's port written if it is not, and the other way round.
fn with_other_port(url: &JavaUrl) -> Option<String> {
    let usual = if url.scheme == "https" { 443 } else { 80 };
    let port = match url.port {
        None => Some(usual),
        Some(port) if port == usual => None,
        Some(_) => return None,
    };
    let other = JavaUrl {
        scheme: url.scheme.clone(),
        host: url.host.clone(),
        path: url.path.clone(),
        has_authority: true,
        port,
        ..JavaUrl::default()
    };
    Some(other.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn credentials(at_once: bool, realm: &str) -> Credentials {
        Credentials {
            user: "u".to_owned(),
            password: "p".to_owned(),
            realm: realm.to_owned(),
            at_once,
        }
    }

    #[test]
    fn challenges_are_met_once() {
        let basic = ["Basic realm=\"r\"".to_owned()];
        let response =
            |who: &Credentials, challenges: &[String]| who.response(challenges, "GET", "/", 7);
        assert_eq!(credentials(false, "").basic(), "Basic dTpw");
        assert_eq!(
            response(&credentials(false, ""), &basic).unwrap(),
            "Basic dTpw"
        );
        assert_eq!(
            response(&credentials(true, ""), &basic),
            None,
            "it was sent"
        );
        assert_eq!(response(&credentials(false, "other"), &basic), None);
        let digest = ["Digest realm=\"r\", nonce=\"n\", qop=\"auth\"".to_owned()];
        let header = response(&credentials(true, "r"), &digest).unwrap();
        assert!(header.starts_with("Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"/\""));
        assert_eq!(
            response(&credentials(true, ""), &["Negotiate".to_owned()]),
            None
        );
    }

    #[test]
    fn the_schemes_port_may_be_written_or_not() {
        let url = |text| JavaUrl::parse(text).unwrap();
        let other = |text| with_other_port(&url(text));
        assert_eq!(other("http://h/a?b").unwrap(), "http://h:80/a");
        assert_eq!(other("https://h:443/a").unwrap(), "https://h/a");
        assert_eq!(other("http://h:81/a"), None);
    }
}
