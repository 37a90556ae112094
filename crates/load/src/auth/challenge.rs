//! The server's challenge (RFC 9110, 11.6.1 and RFC 7616, 3.3).

/// A hash that Digest uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// MD5.
    #[default]
    Md5,
    /// SHA-256.
    Sha256,
    /// SHA-512/256.
    Sha512Trunc256,
}

/// A Digest challenge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Challenge {
    /// Whose credentials are wanted.
    pub realm: String,
    /// The server's number used once.
    pub nonce: String,
    /// Given back as it came.
    pub opaque: Option<String>,
    /// The hash.
    pub algorithm: Algorithm,
    /// The hash's name as the server wrote it; none: it wrote none.
    pub algorithm_as_sent: Option<String>,
    /// `-sess`: the secret is made of the nonces too.
    pub session: bool,
    /// Quality of protection `auth`; else none is offered (RFC 2069).
    pub qop_auth: bool,
    /// Only the nonce was wrong, because it was too old.
    pub stale: bool,
    /// The user's name is to be hashed.
    pub userhash: bool,
}

impl Challenge {
    /// The first Digest challenge of a `WWW-Authenticate` that can be met. Servers send
    /// the one they like best first.
    #[must_use]
    pub fn first_digest(header: &str) -> Option<Self> {
        let mut rest = header;
        let mut digest = None::<Vec<(String, String)>>;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            let name = token(&mut rest);
            if name.is_empty() {
                return digest.and_then(|parameters| Self::of(&parameters));
            }
            let after = rest.trim_start_matches([' ', '\t']);
            if let Some(value) = after.strip_prefix('=') {
                rest = value.trim_start_matches([' ', '\t']);
                let value = value_of(&mut rest);
                if let Some(parameters) = &mut digest {
                    parameters.push((name.to_ascii_lowercase(), value));
                }
                continue;
            }
            // A scheme begins; the one before it is whole.
            if let Some(challenge) = digest.take().and_then(|parameters| Self::of(&parameters)) {
                return Some(challenge);
            }
            if name.eq_ignore_ascii_case("digest") {
                digest = Some(Vec::new());
            }
        }
    }

    fn of(parameters: &[(String, String)]) -> Option<Self> {
        let get = |name: &str| {
            parameters
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.as_str())
        };
        let is_true = |name| get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let sent = get("algorithm");
        let name = sent.unwrap_or("MD5").to_ascii_uppercase();
        let (name, session) = match name.strip_suffix("-SESS") {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        let algorithm = match name {
            "MD5" => Algorithm::Md5,
            "SHA-256" => Algorithm::Sha256,
            "SHA-512-256" => Algorithm::Sha512Trunc256,
            _ => return None,
        };
        let qop_auth = match get("qop") {
            None => false,
            Some(qop)
                if qop
                    .split(',')
                    .any(|q| q.trim().eq_ignore_ascii_case("auth")) =>
            {
                true
            }
            // Only `auth-int`, which nobody implements.
            Some(_) => return None,
        };
        Some(Self {
            realm: get("realm").unwrap_or_default().to_owned(),
            nonce: get("nonce")?.to_owned(),
            opaque: get("opaque").map(str::to_owned),
            algorithm,
            algorithm_as_sent: sent.map(str::to_owned),
            session,
            qop_auth,
            stale: is_true("stale"),
            userhash: is_true("userhash"),
        })
    }
}

/// Takes a token off. A character that cannot be in one ends the header.
fn token<'h>(rest: &mut &'h str) -> &'h str {
    let end = |c: char| !(c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c));
    let (token, after) = rest.split_at(rest.find(end).unwrap_or(rest.len()));
    *rest = after;
    token
}

/// Takes a parameter's value off: a token or a quoted string.
fn value_of(rest: &mut &str) -> String {
    let Some(inside) = rest.strip_prefix('"') else {
        let (value, after) = rest.split_at(rest.find([',', ' ', '\t']).unwrap_or(rest.len()));
        *rest = after;
        return value.to_owned();
    };
    let mut value = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &inside[at + 1..];
                return value;
            }
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    *rest = "";
    value
}
