//! Credentials: Basic (RFC 7617), Bearer (RFC 6750), Digest (RFC 7616).

mod challenge;

use std::fmt::Write as _;

use base64::Engine as _;
use sha2::Digest as _;

use crate::functions::hex;

pub use challenge::{Algorithm, Challenge};

/// The `Authorization` of Basic.
#[must_use]
pub fn basic(user: &str, password: &str) -> String {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    format!("Basic {pair}")
}

/// A user's state of Digest: the server's last challenge, and how often it was met.
///
/// The first request goes out without credentials. After a 401, [`challenged`](Self::challenged)
/// says whether it is worth a second try; later requests carry credentials at once, with the
/// same nonce and the next count, until the server sends another challenge.
#[derive(Debug, Default)]
pub struct DigestAuth {
    challenge: Option<Box<Challenge>>,
    /// Requests made with this nonce.
    count: u32,
}

impl DigestAuth {
    /// Takes the values of `WWW-Authenticate` of a 401. True: there is a challenge that can be
    /// met. Whoever already met one within the same request should not try again,
    /// unless [`is_stale`](Self::is_stale): the credentials are wrong.
    pub fn challenged<'h>(&mut self, headers: impl IntoIterator<Item = &'h str>) -> bool {
        let Some(challenge) = headers.into_iter().find_map(Challenge::first_digest) else {
            return false;
        };
        self.challenge = Some(Box::new(challenge));
        self.count = 0;
        true
    }

    /// Whether the last challenge only said that the nonce is too old.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.challenge
            .as_ref()
            .is_some_and(|challenge| challenge.stale)
    }

    /// The `Authorization` for the next request, once there was a challenge. `target` is the
    /// request target as sent (path and query), `cnonce` any random number.
    pub fn header(
        &mut self,
        method: &str,
        target: &str,
        user: &str,
        password: &str,
        cnonce: u64,
    ) -> Option<String> {
        let challenge = self.challenge.as_deref()?;
        self.count = self.count.checked_add(1).unwrap_or(1);
        let cnonce = format!("{cnonce:016x}");
        let who = DigestCredentials { user, password };
        Some(respond(
            challenge, &who, method, target, self.count, &cnonce,
        ))
    }
}

struct DigestCredentials<'a> {
    user: &'a str,
    password: &'a str,
}

/// RFC 7616, 3.4.
fn respond(
    challenge: &Challenge,
    who: &DigestCredentials<'_>,
    method: &str,
    target: &str,
    count: u32,
    cnonce: &str,
) -> String {
    let Challenge {
        realm,
        nonce,
        algorithm,
        ..
    } = challenge;
    let hash = |text: &str| algorithm.hash(text);
    let mut secret = hash(&format!("{}:{realm}:{}", who.user, who.password));
    if challenge.session {
        secret = hash(&format!("{secret}:{nonce}:{cnonce}"));
    }
    let what = hash(&format!("{method}:{target}"));
    let response = match challenge.qop_auth {
        true => hash(&format!(
            "{secret}:{nonce}:{count:08x}:{cnonce}:auth:{what}"
        )),
        // As in RFC 2069, which some old servers still speak.
        false => hash(&format!("{secret}:{nonce}:{what}")),
    };
    let user = match challenge.userhash {
        true => hash(&format!("{}:{realm}", who.user)),
        false => who.user.to_owned(),
    };
    let mut header = format!(
        "Digest username={}, realm={}, nonce={}, uri={}, response=\"{response}\"",
        quoted(&user),
        quoted(realm),
        quoted(nonce),
        quoted(target),
    );
    // Writing to a string cannot fail. The order is that of Apache HttpClient, so that plans
    // of JMeter's send the same.
    if challenge.qop_auth {
        let _ = write!(header, ", qop=auth, nc={count:08x}, cnonce=\"{cnonce}\"");
    } else if challenge.session {
        let _ = write!(header, ", cnonce=\"{cnonce}\"");
    }
    if let Some(name) = &challenge.algorithm_as_sent {
        let _ = write!(header, ", algorithm={name}");
    }
    if let Some(opaque) = &challenge.opaque {
        let _ = write!(header, ", opaque={}", quoted(opaque));
    }
    if challenge.userhash {
        header.push_str(", userhash=true");
    }
    header
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Algorithm {
    fn hash(self, text: &str) -> String {
        match self {
            Self::Md5 => hex(&md5::Md5::digest(text.as_bytes())),
            Self::Sha256 => hex(&sha2::Sha256::digest(text.as_bytes())),
            Self::Sha512Trunc256 => hex(&sha2::Sha512_256::digest(text.as_bytes())),
        }
    }
}

#[cfg(test)]
mod tests;
