//! Failures in Java's own words.

use plimsoll_stats::ErrorKind;

use super::super::failure::HttpProblem;
use super::super::failure::READ;
use super::super::url::JavaUrl;
use plimsoll_load::kit::failure::Failure;

impl HttpProblem {
    /// What became of a connection to this address, as `HttpURLConnection` tells it.
    #[must_use]
    pub fn of_java(failure: &Failure, url: &JavaUrl) -> Self {
        let (class, message) = match failure.kind {
            ErrorKind::ConnectionRefused => ("java.net.ConnectException", "Connection refused"),
            ErrorKind::ConnectTimeout if failure.detail == READ => {
                ("java.net.SocketTimeoutException", READ)
            }
            ErrorKind::ConnectTimeout => ("java.net.SocketTimeoutException", "Connect timed out"),
            ErrorKind::ConnectionClosed => (
                "java.net.SocketException",
                "Unexpected end of file from server",
            ),
            ErrorKind::UnknownHost => ("java.net.UnknownHostException", url.host.as_str()),
            ErrorKind::ClosedInBody => ("java.io.IOException", "Premature EOF"),
            ErrorKind::MalformedResponse => ("java.io.IOException", "Invalid Http response"),
            _ => return Self::of_failure(failure, url),
        };
        Self {
            kind: failure.kind,
            ..Self::new(class, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_javas_own() {
        let url = JavaUrl {
            host: "h.invalid".to_owned(),
            ..JavaUrl::default()
        };
        for (kind, class, message) in [
            (
                ErrorKind::UnknownHost,
                "java.net.UnknownHostException",
                "h.invalid",
            ),
            (
                ErrorKind::ConnectionRefused,
                "java.net.ConnectException",
                "Connection refused",
            ),
            (
                ErrorKind::ClosedInBody,
                "java.io.IOException",
                "Premature EOF",
            ),
        ] {
            let problem = HttpProblem::of_java(&Failure::new(kind, "x"), &url);
            assert_eq!(
                (
                    problem.class.as_str(),
                    problem.message.as_deref(),
                    problem.kind
                ),
                (class, Some(message), kind)
            );
        }
    }
}
