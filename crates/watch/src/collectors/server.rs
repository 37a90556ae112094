//! Where a server is that is no HTTP endpoint, and how to get in.

use plimsoll_text::Message;

use crate::collector::Trouble;
use crate::http::{TlsOptions, decoded, secret, tls_options};
use crate::source::Spec;

/// What opens a server, and whom to trust: the options that [`ServerAddress::of`] reads.
pub(crate) const SERVER_OPTIONS: &[&str] = &[
    "user",
    "password-env",
    "password-file",
    "tls",
    "ca-file",
    "insecure",
];

/// Where it listens.
#[derive(Clone)]
pub(crate) enum ServerPlace {
    /// A host and a port.
    Tcp(String, u16),
    /// The path of a Unix socket.
    Unix(String),
}

/// A server's address with what opens it.
pub(crate) struct ServerAddress {
    pub(crate) place: ServerPlace,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    /// TLS is wanted, in that way.
    pub(crate) tls: Option<TlsOptions>,
    /// As it may be shown, without user and password.
    pub(crate) shown: String,
    /// `host:port`; of a socket that of `localhost` and the usual port.
    pub(crate) authority: String,
}

impl ServerAddress {
    /// Reads `host:port`, a URL or the path of a Unix socket, and [`SERVER_OPTIONS`]. `secure` is
    /// how a URL begins that wants TLS.
    ///
    /// # Errors
    /// An address that is none, a secret that is not there.
    pub(crate) fn of(spec: &Spec, usual_port: u16, secure: Option<&str>) -> Result<Self, Trouble> {
        let text = spec.address.trim();
        let socket = text.strip_prefix("unix:").unwrap_or(text);
        let user = spec.options.get("user").cloned();
        let password = secret(spec, "password")?;
        let tls = tls_options(spec);
        let wants = spec.options.get("tls").is_some_and(|yes| yes == "true")
            || secure.is_some_and(|scheme| text.starts_with(scheme))
            || tls.insecure
            || tls.ca_file.is_some();
        let tls = wants.then_some(tls);
        if socket.starts_with('/') {
            return Ok(Self {
                place: ServerPlace::Unix(socket.to_owned()),
                user,
                password,
                tls,
                shown: socket.to_owned(),
                authority: format!("localhost:{usual_port}"),
            });
        }
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        // The scheme is only there so that a URL it is.
        let url = url::Url::parse(&format!("tcp://{rest}")).map_err(|_| wrong(spec))?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| wrong(spec))?.to_owned();
        let port = url.port().unwrap_or(usual_port);
        let given = Some(url.username()).filter(|user| !user.is_empty());
        let authority = format!("{host}:{port}");
        Ok(Self {
            place: ServerPlace::Tcp(host, port),
            user: user.or(given.map(decoded)),
            password: password.or(url.password().map(decoded)),
            tls,
            shown: authority.clone(),
            authority,
        })
    }
}

fn wrong(spec: &Spec) -> Trouble {
    let address = plimsoll_secrets::text(&spec.address).into_owned();
    let message = Message::new("watch-server-address-wrong")
        .with("source", spec.source.as_str())
        .with("address", address);
    Trouble::new(message)
}
