//! How requests are sent: what can be set for a plan, a scenario, a block of steps and a request
//! alike.

use super::base::*;
use crate::model::{Auth, CookieMode, HttpSettings, Text, TlsSettings, defaults};

keys! { impl HttpSettings, shared "settings" {
    ["redirects" => redirects: Maybe<Redirects> = "10", "redirects"]
    ["connect-timeout" => connect_timeout: Maybe<TimeOut> = "10s", "connect-timeout"]
    ["timeout" => timeout: Maybe<TimeOut> = "30s", "timeout"]
    ["auth" => auth: Maybe<Auth>, "auth"]
    ["cookies" => cookies: Maybe<CookieMode> = "keep", "cookies"]
    ["keep-alive" => keep_alive: Maybe<Flag> = "true", "keep-alive"]
    ["compression" => compression: Maybe<Flag> = "false", "compression"]
    ["share-connections" => share_connections: Maybe<Flag> = "false", "share-connections"]
    ["tls" => tls: Maybe<TlsSettings>, "tls"]
    ["proxy" => proxy: Maybe<AnyText>, "proxy"]
    ["source-addresses" => source_addresses: Filled<List<Ip>>, "source-addresses"]
    ["dns" => dns: Filled<MapEntries<Named<OneOrMore<Ip>>>>, "dns"]
    ["dns-servers" => dns_servers: Filled<List<NameServer>>, "dns-servers"]
    ["unix-socket" => unix_socket: Maybe<AnyText>, "unix-socket"]
    ["max-body" => max_body_bytes: Maybe<Size> = "64MiB", "max-body"]
    ["max-head" => max_head_bytes: Maybe<Size> = "64KiB", "max-head"]
} }

keys! {
    /// Where relative addresses lead: apart from the settings, since a request has its own place for it.
    struct TargetKey: HttpSettings, { ["target" => target: Maybe<Url>, "target"] }
}

/// A number, or whether redirects are followed at all.
pub(crate) struct Redirects;

impl Form for Redirects {
    type Of = u32;

    fn kind() -> Kind {
        Kind::OneOf(&[RedirectCount::kind, Flag::kind])
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<u32> {
        match node.plain()? {
            "true" => Some(defaults::REDIRECTS),
            "false" => Some(0),
            _ => RedirectCount::read(decoder, node),
        }
    }

    fn write(redirects: &u32) -> Yaml {
        plain(redirects)
    }
}

words! { impl CookieMode {
    "keep" = CookieMode::Keep,
    "clear-each-iteration" = CookieMode::ClearEachIteration,
    "off" = CookieMode::Off,
} }

tagged! { impl Auth = "auth", {
    "auth-basic" => (Auth::Basic { user, password }), { ["basic" => (user, password): LoginKeys, "auth-basic"] }
    "auth-digest" => (Auth::Digest { user, password }), { ["digest" => (user, password): LoginKeys, "auth-digest"] }
    "auth-bearer" => (Auth::Bearer(token)), { ["bearer" => token: AnyText, "auth-bearer"] }
} }

pattern! {
    /// A user's name and password.
    struct LoginKeys: (Text, Text) = "login" => (user, password), {
        ["user" => user: AnyText, "login-user"]
        ["password" => password: AnyText, "login-password"]
    }
}

object! { impl TlsSettings = "tls", {
    ["insecure" => insecure: Flag = "false", "tls-insecure"]
    ["ca" => ca_file: Maybe<AnyString>, "tls-ca"]
    ["certificate" => certificate_file: Maybe<AnyString>, "tls-certificate"]
    ["key" => key_file: Maybe<AnyString>, "tls-key"]
    ["server-name" => server_name: Maybe<AnyString>, "tls-server-name"]
} then certificate_and_key; }

fn certificate_and_key(decoder: &mut Decoder<'_>, node: &Node, tls: &mut TlsSettings) {
    if tls.certificate_file.is_some() != tls.key_file.is_some() {
        decoder.error(node.at, "plan-tls-certificate-and-key");
    }
}
