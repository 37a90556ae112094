//! Why a sample failed.
//!
//! The sentences for people (what a kind means, where to look) are texts:
//! `error-kind-<slug>`, `…-meaning` and `…-look` in `locales/*/errors.ftl`.

use serde::{Deserialize, Serialize};

macro_rules! error_kinds {
    ($($(#[$meta:meta])* $variant:ident = $number:literal, $name:literal, $slug:literal, $doc:literal;)*) => {
        /// Why a sample failed. The numbers are part of the interval encoding
        /// and never change meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum ErrorKind {
            $(#[doc = $doc] $(#[$meta])* $variant = $number,)*
        }

        impl ErrorKind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in JSON and goals, e.g. `read_timeout`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The name in text ids, e.g. `read-timeout` as in
            /// `error-kind-read-timeout-meaning`.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)* }
            }

            /// The kind of that [`name`](Self::name), if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    // What it was called before.
                    "malformed_answer" => Some(Self::MalformedResponse),
                    _ => None,
                }
            }

            /// The kind of that number. A number this version does not know
            /// (from a newer worker) is [`ErrorKind::Other`].
            pub const fn from_number(number: u8) -> Self {
                match number { $($number => Self::$variant,)* _ => Self::Other }
            }
        }
    };
}

error_kinds! {
    Other = 0, "other", "other", "None of the others.";
    ReadTimeout = 1, "read_timeout", "read-timeout",
        "Connected, but no response in time.";
    ConnectTimeout = 2, "connect_timeout", "connect-timeout",
        "The TCP connection was not made in time.";
    ConnectionRefused = 3, "connection_refused", "connection-refused",
        "The TCP connection was refused.";
    ConnectionClosed = 4, "connection_closed", "connection-closed",
        "The server closed the connection before any byte of the response.";
    ClosedInBody = 5, "closed_in_body", "closed-in-body",
        "The server closed the connection before the response was whole.";
    ConnectionReset = 6, "connection_reset", "connection-reset",
        "The connection was reset by the peer or something in between.";
    UnknownHost = 7, "unknown_host", "unknown-host",
        "The host name does not resolve.";
    IllegalHttp2Header = 8, "illegal_http2_header", "illegal-http2-header",
        "A header that HTTP/2 forbids, such as Connection.";
    NoLocalPort = 9, "no_local_port", "no-local-port",
        "No free local port (EADDRINUSE, EADDRNOTAVAIL).";
    TlsHandshake = 10, "tls_handshake", "tls-handshake",
        "The TLS handshake failed.";
    TlsCertificate = 11, "tls_certificate", "tls-certificate",
        "The server's certificate was not accepted.";
    #[serde(alias = "malformed_answer")]
    MalformedResponse = 12, "malformed_response", "malformed-response",
        "The response is not valid HTTP.";
    HeaderLimit = 13, "header_limit", "header-limit",
        "The response's headers exceed the limit.";
    BodyLimit = 14, "body_limit", "body-limit",
        "The response's body exceeds the limit.";
    Decoding = 15, "decoding", "decoding",
        "The body could not be decompressed or decoded.";
    RedirectLoop = 16, "redirect_loop", "redirect-loop",
        "Too many redirects.";
    Proxy = 17, "proxy", "proxy",
        "The proxy refused or failed.";
    OutOfFileDescriptors = 18, "out_of_file_descriptors", "out-of-file-descriptors",
        "The load generator has no free file descriptor.";
    CheckFailed = 19, "check_failed", "check-failed",
        "A check of the plan failed.";
    HostNotAllowed = 20, "host_not_allowed", "host-not-allowed",
        "The host is not among those that may be loaded.";
    Network = 21, "network", "network",
        "Another I/O error, such as an unreachable network.";
    ScriptFailed = 22, "script_failed", "script-failed",
        "A script or expression of the plan failed.";
    CutOff = 23, "cut_off", "cut-off",
        "The run's end cut the sample off.";
    HttpStatus = 24, "http_status", "http-status",
        "The status is that of an error, and no check of the plan says what it must be.";
}

impl ErrorKind {
    /// Whether the request failed before it was on its way to the target: how long that took
    /// says nothing of the target's responses, and a busy loop of it uses up any CPU.
    pub const fn is_before_sending(self) -> bool {
        matches!(
            self,
            Self::ConnectTimeout
                | Self::ConnectionRefused
                | Self::UnknownHost
                | Self::NoLocalPort
                | Self::TlsHandshake
                | Self::TlsCertificate
                | Self::Proxy
                | Self::OutOfFileDescriptors
                | Self::HostNotAllowed
                | Self::Network
                | Self::ScriptFailed
        )
    }
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_texts_in_both_languages() {
        for texts in [
            include_str!("../../../locales/en/errors.ftl"),
            include_str!("../../../locales/zh/errors.ftl"),
        ] {
            let ids: Vec<_> = texts.lines().filter_map(|l| l.split_once(" = ")).collect();
            for kind in ErrorKind::ALL {
                for suffix in ["", "-meaning", "-look"] {
                    let id = format!("error-kind-{}{suffix}", kind.slug());
                    let found = ids.iter().filter(|(known, _)| *known == id).count();
                    assert_eq!(found, 1, "{id}");
                }
            }
        }
    }

    #[test]
    fn names_numbers_and_json_agree() {
        for (number, kind) in ErrorKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, number);
            assert_eq!(ErrorKind::from_number(number as u8), *kind);
            assert_eq!(ErrorKind::from_name(kind.name()), Some(*kind));
            assert_eq!(kind.slug(), kind.name().replace('_', "-"));
            let json = serde_json::to_string(kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.name()));
            assert_eq!(serde_json::from_str::<ErrorKind>(&json).unwrap(), *kind);
        }
        assert_eq!(ErrorKind::from_number(255), ErrorKind::Other);
        assert_eq!(ErrorKind::from_name("nonsense"), None);
    }

    #[test]
    fn the_name_of_an_older_version_is_read() {
        let kind = ErrorKind::MalformedResponse;
        assert_eq!(ErrorKind::from_name("malformed_answer"), Some(kind));
        let read: ErrorKind = serde_json::from_str("\"malformed_answer\"").unwrap();
        assert_eq!(read, kind);
    }
}
