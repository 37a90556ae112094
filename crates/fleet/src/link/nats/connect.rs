//! The first connection: it succeeds at once, or says what is wrong and what to do.

use std::error::Error;
use std::io;
use std::time::Duration;

use async_nats::jetstream::context::RequestErrorKind;
use async_nats::jetstream::response::Response;
use async_nats::rustls::{self, AlertDescription, CertificateError};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use plimsoll_text::Message as Text;
use serde::de::IgnoredAny;

use super::connection::{HeardEvents, NatsConnection, NatsTrouble, trouble};
use super::error::ConnectError;
use super::options::{Checked, NatsOptions, Secret};

/// How long one server may take for the whole of connecting.
const CONNECTING: Duration = Duration::from_secs(5);

/// How often the server is asked whether it is there; after three without a response the
/// connection counts as broken.
const PING: Duration = Duration::from_secs(2);

/// Connects, and makes sure that JetStream is there.
pub(super) async fn connect(checked: Checked) -> Result<NatsConnection, ConnectError> {
    let Checked { options, servers } = checked;
    let shown = servers.join(", ");
    let heard = HeardEvents::default();
    let client = with_identity(&options)?
        .name(&options.name)
        .connection_timeout(CONNECTING)
        .ping_interval(PING)
        .reconnect_delay_callback(pause_before)
        .event_callback({
            let heard = heard.clone();
            move |event| {
                heard.event(&event);
                std::future::ready(())
            }
        })
        .connect(&servers)
        .await
        .map_err(|error| why_not(&shown, &options, &error))?;
    let connection = NatsConnection::new(client, heard, options.patience).await;
    look_for_jetstream(&shown, &connection).await?;
    Ok(connection)
}

/// The pause before a further attempt to connect again: up to 2 s, and not the same for all who
/// lost the same server.
fn pause_before(attempt: usize) -> Duration {
    let Some(doublings) = attempt.checked_sub(2) else {
        return Duration::ZERO;
    };
    let longest_ms = (50_u64 << doublings.min(6)).min(2000);
    Duration::from_millis(fastrand::u64(longest_ms / 2..=longest_ms))
}

fn with_identity(options: &NatsOptions) -> Result<ConnectOptions, ConnectError> {
    let mut connect = ConnectOptions::new();
    if let Some(user) = &options.user {
        let password = options.password.as_ref().map_or("", Secret::reveal);
        connect = connect.user_and_password(user.clone(), password.to_owned());
    }
    if let Some(token) = &options.token {
        connect = connect.token(token.reveal().to_owned());
    }
    if let Some(file) = &options.nkey_file {
        let seed = Secret::from_file(file)?.reveal().trim().to_owned();
        connect = connect.nkey(seed);
    }
    if let Some(file) = &options.credentials_file {
        let unusable = |reason: String| {
            ConnectError(
                Text::new("nats-credentials-file")
                    .with("path", file.display().to_string())
                    .with("reason", reason),
            )
        };
        let text = std::fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
        connect = connect
            .credentials(&text)
            .map_err(|error| unusable(error.to_string()))?;
    }
    if let Some(file) = &options.ca_file {
        connect = connect.add_root_certificates(file.clone());
    }
    if let (Some(certificate), Some(key)) = (&options.certificate_file, &options.key_file) {
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(connect)
}

/// A server without JetStream is told now, not when a run is made.
async fn look_for_jetstream(shown: &str, connection: &NatsConnection) -> Result<(), ConnectError> {
    let without = || ConnectError(Text::new("nats-no-jetstream").with("server", shown));
    match connection.jetstream.request("INFO", &()).await {
        Ok(Response::Err { error }) => match trouble("JetStream", &error) {
            NatsTrouble::Lasting(_) => Err(without()),
            // A cluster that has no leader at this moment.
            _ => Ok(()),
        },
        Ok(Response::<IgnoredAny>::Ok(_)) => Ok(()),
        Err(error) if error.kind() == RequestErrorKind::NoResponders => Err(without()),
        // Who may not ask for it may still be allowed all that a worker needs.
        Err(_) => Ok(()),
    }
}

fn why_not(shown: &str, options: &NatsOptions, error: &async_nats::ConnectError) -> ConnectError {
    let id = match error.kind() {
        ConnectErrorKind::Dns => "nats-unknown-host",
        ConnectErrorKind::TimedOut => "nats-silent",
        ConnectErrorKind::Authentication => "nats-unusable-seed",
        ConnectErrorKind::AuthorizationViolation => refused_id(options),
        _ => match find::<rustls::Error>(error) {
            Some(error) => tls_id(error),
            None if is_refused_by_words(error) => refused_id(options),
            None if find::<io::Error>(error).is_some_and(is_unreachable) => "nats-unreachable",
            None => "nats-no-nats",
        },
    };
    ConnectError(
        Text::new(id)
            .with("server", shown)
            .with("reason", innermost(error)),
    )
}

fn refused_id(options: &NatsOptions) -> &'static str {
    let none = options.user.is_none()
        && options.token.is_none()
        && options.nkey_file.is_none()
        && options.credentials_file.is_none();
    if none {
        "nats-wants-to-know"
    } else {
        "nats-refused"
    }
}

/// Refusals that the server words in another way ("User Authentication Expired").
fn is_refused_by_words(error: &async_nats::ConnectError) -> bool {
    let text = innermost(error).to_lowercase();
    text.contains("authentication") || text.contains("authorization")
}

fn tls_id(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "nats-other-name",
        rustls::Error::InvalidCertificate(_) => "nats-not-trusted",
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::HandshakeFailure,
        ) => "nats-wants-certificate",
        _ => "nats-no-tls",
    }
}

fn is_unreachable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::TimedOut
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::PermissionDenied
    )
}

/// The first cause of that type. What is inside of an `io::Error` is not its source but itself.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        cause = match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Whether the server is one of a cluster.
pub(super) fn in_cluster(client: &Client) -> bool {
    client.server_info().cluster.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_two_seconds() {
        assert_eq!(pause_before(0), Duration::ZERO);
        assert_eq!(pause_before(1), Duration::ZERO);
        for (attempt, longest_ms) in [(2, 50), (4, 200), (20, 2000), (usize::MAX, 2000)] {
            let pause = pause_before(attempt).as_millis();
            assert!(
                (longest_ms / 2..=longest_ms).contains(&pause),
                "{attempt}: {pause}"
            );
        }
    }
}
