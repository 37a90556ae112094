//! How to reach NATS, and who one is there.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_text::Message as Text;
use url::Url;

use super::error::ConnectError;
use crate::link::subject;

/// The port that NATS listens on unless told otherwise.
const PORT: u16 = 4222;

/// Text that is shown nowhere.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Keeps the text secret.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How to reach NATS. Of user with password, token, nkey and credentials at most one is given;
/// what stands in a server's URL counts as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsOptions {
    /// `nats://HOST:PORT`, or `tls://…` if the connection must be encrypted; several servers of
    /// one cluster may be given. `nats://` and `:4222` may be left out.
    pub servers: Vec<Secret>,
    /// What every subject, journal and store begins with.
    pub prefix: String,
    /// What the server's lists of connections call this one.
    pub name: String,
    /// The user, with `password`.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<Secret>,
    /// A token that the server knows.
    pub token: Option<Secret>,
    /// The file with the seed of an nkey.
    pub nkey_file: Option<PathBuf>,
    /// A credentials file, as `nsc` makes it: a user's JWT and seed.
    pub credentials_file: Option<PathBuf>,
    /// Certificates (PEM) to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// This side's certificate (PEM), with `key_file`.
    pub certificate_file: Option<PathBuf>,
    /// The key of this side's certificate (PEM).
    pub key_file: Option<PathBuf>,
    /// How long an append, an object or a change of a run waits for a way that is broken.
    pub patience: Duration,
}

impl Default for NatsOptions {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            prefix: "plimsoll".to_owned(),
            name: "plimsoll".to_owned(),
            user: None,
            password: None,
            token: None,
            nkey_file: None,
            credentials_file: None,
            ca_file: None,
            certificate_file: None,
            key_file: None,
            patience: Duration::from_secs(120),
        }
    }
}

/// The environment variables that [`NatsOptions::or_from`] reads. Those that end in `_FILE` are
/// paths; of a password's or token's file the first line counts.
pub const VARIABLES: [&str; 13] = [
    "PLIMSOLL_NATS",
    "PLIMSOLL_NATS_PREFIX",
    "PLIMSOLL_NATS_USER",
    "PLIMSOLL_NATS_PASSWORD",
    "PLIMSOLL_NATS_PASSWORD_FILE",
    "PLIMSOLL_NATS_TOKEN",
    "PLIMSOLL_NATS_TOKEN_FILE",
    "PLIMSOLL_NATS_NKEY_FILE",
    "PLIMSOLL_NATS_CREDENTIALS_FILE",
    "PLIMSOLL_NATS_CA_FILE",
    "PLIMSOLL_NATS_CERTIFICATE_FILE",
    "PLIMSOLL_NATS_KEY_FILE",
    "PLIMSOLL_NATS_NAME",
];

impl NatsOptions {
    /// Fills what is not given from the environment ([`VARIABLES`]). Who one is (user, token,
    /// nkey, credentials) is taken from there only if none of it is given.
    ///
    /// # Errors
    /// A file of a password or token that cannot be read.
    pub fn or_from(
        mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConnectError> {
        let given = |name: &str| {
            variable(&format!("PLIMSOLL_NATS{name}")).filter(|value| !value.is_empty())
        };
        let path = |name: &str| given(name).map(PathBuf::from);
        let default = Self::default();
        if self.servers.is_empty() {
            let listed = given("").unwrap_or_default();
            self.servers = listed
                .split(',')
                .map(str::trim)
                .filter(|s| !s.is_empty())
                .map(Secret::new)
                .collect();
        }
        if self.prefix == default.prefix {
            self.prefix = given("_PREFIX").unwrap_or(self.prefix);
        }
        if self.name == default.name {
            self.name = given("_NAME").unwrap_or(self.name);
        }
        if self.ways().is_empty() {
            self.user = given("_USER");
            self.token = secret(given("_TOKEN"), path("_TOKEN_FILE"))?;
            self.nkey_file = path("_NKEY_FILE");
            self.credentials_file = path("_CREDENTIALS_FILE");
        }
        if self.user.is_some() && self.password.is_none() {
            self.password = secret(given("_PASSWORD"), path("_PASSWORD_FILE"))?;
        }
        self.ca_file = self.ca_file.or_else(|| path("_CA_FILE"));
        if self.certificate_file.is_none() && self.key_file.is_none() {
            self.certificate_file = path("_CERTIFICATE_FILE");
            self.key_file = path("_KEY_FILE");
        }
        Ok(self)
    }

    /// Which ways to say who one is are given.
    fn ways(&self) -> Vec<&'static str> {
        [
            ("user", self.user.is_some()),
            ("token", self.token.is_some()),
            ("nkey", self.nkey_file.is_some()),
            ("credentials", self.credentials_file.is_some()),
        ]
        .into_iter()
        .filter_map(|(way, given)| given.then_some(way))
        .collect()
    }

    /// Servers on other hosts to which the connection need not be encrypted, as they may be shown:
    /// whoever sits on the way could read passwords, and whatever is not sealed.
    #[must_use]
    pub fn unencrypted(&self) -> Vec<String> {
        let mut own = self.clone();
        let all = self.servers.iter().filter_map(|text| own.server(text).ok());
        all.filter(|server| !server.starts_with("tls://") && !is_on_this_host(server))
            .collect()
    }

    /// The options made consistent: users and tokens taken out of URLs.
    pub(super) fn checked(&self) -> Result<Checked, ConnectError> {
        if self.servers.is_empty() {
            return Err(ConnectError(
                Text::new("nats-no-server").with("variable", VARIABLES[0]),
            ));
        }
        if !self.prefix.split('.').all(subject::is_token) || self.prefix.len() > 64 {
            return Err(ConnectError(
                Text::new("nats-prefix").with("prefix", self.prefix.as_str()),
            ));
        }
        let mut options = self.clone();
        let mut servers = Vec::new();
        for server in &self.servers {
            servers.push(options.server(server)?);
        }
        let ways = options.ways();
        if ways.len() > 1 {
            return Err(ConnectError(
                Text::new("nats-several-ways").with("ways", ways.join(", ")),
            ));
        }
        if options.certificate_file.is_some() != options.key_file.is_some() {
            return Err(ConnectError(Text::new("nats-half-certificate")));
        }
        for file in [
            &options.nkey_file,
            &options.credentials_file,
            &options.ca_file,
            &options.certificate_file,
            &options.key_file,
        ]
        .into_iter()
        .flatten()
        {
            std::fs::File::open(file).map_err(|error| unreadable(file, &error))?;
        }
        Ok(Checked { options, servers })
    }

    /// A server's address without secrets; a user or token in it is put where it belongs.
    fn server(&mut self, text: &Secret) -> Result<String, ConnectError> {
        let text = text.reveal();
        let full = if text.contains("://") {
            text.to_owned()
        } else {
            format!("nats://{text}")
        };
        let url = Url::parse(&full).ok();
        let url = url.filter(|url| {
            matches!(url.scheme(), "nats" | "tls")
                && matches!(url.path(), "" | "/")
                && url.query().is_none()
                && url.fragment().is_none()
        });
        let host = url
            .as_ref()
            .and_then(Url::host_str)
            .filter(|host| !host.is_empty());
        let (Some(url), Some(host)) = (&url, host) else {
            return Err(ConnectError(
                Text::new("nats-address").with("server", without_user(text)),
            ));
        };
        let decoded = |part: &str| {
            percent_encoding::percent_decode_str(part)
                .decode_utf8_lossy()
                .into_owned()
        };
        match (url.username(), url.password()) {
            ("", None) => {}
            (token, None) => self.token = Some(Secret::new(decoded(token))),
            (user, Some(password)) => {
                self.user = Some(decoded(user));
                self.password = Some(Secret::new(decoded(password)));
            }
        }
        Ok(format!(
            "{}://{host}:{}",
            url.scheme(),
            url.port().unwrap_or(PORT)
        ))
    }
}

/// Options that fit together.
pub(super) struct Checked {
    /// Without what stood in URLs.
    pub options: NatsOptions,
    /// `SCHEME://HOST:PORT` each.
    pub servers: Vec<String>,
}

/// Whether a server's address never leaves this host.
fn is_on_this_host(server: &str) -> bool {
    let url = Url::parse(server).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    // The URL standard knows nothing of NATS: what is a number stays text.
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            let name = bare.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// An address as it may be shown: nothing of what stands before an `@`.
fn without_user(text: &str) -> String {
    match (text.find("://").map(|at| at + 3), text.rfind('@')) {
        (Some(scheme), Some(at)) if at >= scheme => {
            format!("{}{}", &text[..scheme], &text[at + 1..])
        }
        (None, Some(at)) => text[at + 1..].to_owned(),
        _ => text.to_owned(),
    }
}

fn secret(value: Option<String>, file: Option<PathBuf>) -> Result<Option<Secret>, ConnectError> {
    match (value, file) {
        (Some(value), _) => Ok(Some(Secret::new(value))),
        (None, Some(file)) => Secret::from_file(&file).map(Some),
        (None, None) => Ok(None),
    }
}

impl Secret {
    /// The first line of a file.
    ///
    /// # Errors
    /// A file that cannot be read, or is no text.
    pub fn from_file(file: &Path) -> Result<Self, ConnectError> {
        let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
        Ok(Self::new(text.lines().next().unwrap_or_default()))
    }
}

fn unreadable(file: &Path, error: &std::io::Error) -> ConnectError {
    ConnectError(
        Text::new("watch-file-unreadable")
            .with("path", file.display().to_string())
            .with("reason", error.to_string()),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn options(server: &str) -> NatsOptions {
        NatsOptions {
            servers: vec![Secret::new(server)],
            ..NatsOptions::default()
        }
    }

    #[test]
    fn what_leaves_this_host_without_tls_is_known() {
        for (given, shown) in [
            ("nats://10.0.0.1:4222", Some("nats://10.0.0.1:4222")),
            ("nats://joe:pass@one", Some("nats://one:4222")),
            ("one", Some("nats://one:4222")),
            ("nats://[2001:db8::1]", Some("nats://[2001:db8::1]:4222")),
            ("localhost.example:1", Some("nats://localhost.example:1")),
            ("127.0.0.1.example:1", Some("nats://127.0.0.1.example:1")),
            ("tls://10.0.0.1", None),
            ("nats://127.0.0.1", None),
            ("127.9.8.7:1", None),
            ("localhost", None),
            ("nats://LOCALHOST.:1", None),
            ("nats.localhost:1", None),
            ("nats://[::1]:5", None),
            ("nats://[::ffff:127.0.0.1]:5", None),
        ] {
            let found = options(given).unencrypted();
            assert_eq!(found.first().map(String::as_str), shown, "{given}");
        }
    }

    #[test]
    fn addresses_are_completed_and_cleaned() {
        for (given, address) in [
            ("one", "nats://one:4222"),
            ("one:5000", "nats://one:5000"),
            ("nats://one", "nats://one:4222"),
            ("tls://one:1/", "tls://one:1"),
            ("nats://[::1]:5", "nats://[::1]:5"),
            ("nats://joe:pass@one", "nats://one:4222"),
        ] {
            assert_eq!(
                options(given).checked().unwrap().servers,
                [address],
                "{given}"
            );
        }
    }

    #[test]
    fn who_one_is_may_stand_in_the_address() {
        let checked = options("nats://joe:p%40ss@one").checked().unwrap().options;
        assert_eq!(checked.user.as_deref(), Some("joe"));
        assert_eq!(checked.password, Some(Secret::new("p@ss")));
        let checked = options("nats://t0ken@one").checked().unwrap().options;
        assert_eq!(checked.token, Some(Secret::new("t0ken")));
    }

    #[test]
    fn no_error_shows_a_secret() {
        let mut both = options("nats://joe:hunter2@one");
        both.token = Some(Secret::new("hunter2"));
        for wrong in [
            options("http://joe:hunter2@one"),
            options("nats://joe:hunter2@"),
            options("joe:hunter2@one:notaport"),
            options("nats://joe:hunter2@one/path"),
            both,
        ] {
            let error = wrong.checked().err().unwrap();
            assert!(
                !format!("{error} {error:?} {wrong:?}").contains("hunter2"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_environment_fills_what_is_not_given() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "secret\nmore\n").unwrap();
        let variable = |name: &str| match name {
            "PLIMSOLL_NATS" => Some("one, two".to_owned()),
            "PLIMSOLL_NATS_USER" => Some("joe".to_owned()),
            "PLIMSOLL_NATS_PASSWORD_FILE" => Some(file.display().to_string()),
            _ => None,
        };
        let filled = NatsOptions::default().or_from(variable).unwrap();
        assert_eq!(filled.servers, [Secret::new("one"), Secret::new("two")]);
        assert_eq!(filled.password, Some(Secret::new("secret")));
        let given = NatsOptions {
            token: Some(Secret::new("mine")),
            ..options("three")
        };
        let filled = given.clone().or_from(variable).unwrap();
        assert_eq!(filled, given);
    }

    #[test]
    fn only_one_way_and_whole_certificates() {
        let mut two = options("one");
        two.user = Some("joe".to_owned());
        two.nkey_file = Some("/dev/null".into());
        assert!(
            two.checked()
                .err()
                .unwrap()
                .to_string()
                .contains("user, nkey")
        );
        let mut half = options("one");
        half.certificate_file = Some("/dev/null".into());
        assert!(half.checked().is_err());
        half.certificate_file = None;
        half.ca_file = Some("/nowhere/ca.pem".into());
        assert!(
            half.checked()
                .err()
                .unwrap()
                .to_string()
                .contains("/nowhere/ca.pem")
        );
    }
}
