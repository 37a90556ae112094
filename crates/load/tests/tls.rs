//! TLS between a session and a server of rustls, both in memory: whatever the sizes of records,
//! of pieces on the wire and of writes, what one side says is what the other hears.

#![allow(clippy::unwrap_used)]

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use plimsoll_load::kit::driver::tls;
use plimsoll_load::kit::driver::{TlsEnding, TlsSession};
use plimsoll_load::kit::failure::tls_error;
use plimsoll_plan::model::TlsSettings;
use proptest::prelude::*;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ServerConfig, ServerConnection, SupportedProtocolVersion};

/// What rustls holds of what is to be sent, and the frames around it.
const HELD_BYTES: usize = 64 * 1024 + 4096;

static CLIENT: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
    let settings = TlsSettings {
        insecure: true,
        ..TlsSettings::default()
    };
    tls::config(
        &settings,
        Path::new("."),
        &plimsoll_access::Access::of_user(),
    )
    .unwrap()
});

static SERVERS: LazyLock<[Arc<ServerConfig>; 2]> = LazyLock::new(|| [&TLS12, &TLS13].map(server));

fn server(version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    let made = rcgen::generate_simple_self_signed(["h.test".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    Arc::new(config)
}

/// What the server has for the wire.
fn wire_of(server: &mut ServerConnection) -> Vec<u8> {
    let mut wire = Vec::new();
    while server.wants_write() {
        server.write_tls(&mut wire).unwrap();
    }
    wire
}

fn hear(server: &mut ServerConnection, mut wire: &[u8], heard: &mut Vec<u8>) {
    while !wire.is_empty() {
        server.read_tls(&mut wire).unwrap();
        server.process_new_packets().unwrap();
        match server.reader().read_to_end(heard) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => drop(result.unwrap()),
        }
    }
}

/// Two ends with the handshake behind them; the server said `early` with its end of it.
fn pair(tls13: bool, early: &[u8]) -> (TlsSession, ServerConnection) {
    let name = ServerName::try_from("h.test").unwrap();
    let mut client = TlsSession::new(&CLIENT, name).unwrap();
    let mut server = ServerConnection::new(Arc::clone(&SERVERS[usize::from(tls13)])).unwrap();
    server.set_buffer_limit(None);
    server.writer().write_all(early).unwrap();
    while client.is_handshaking() || client.wants_write() || server.wants_write() {
        let mut wire = Vec::new();
        client.send(&mut wire).unwrap();
        hear(&mut server, &wire, &mut Vec::new());
        client.shake_hands(&wire_of(&mut server)).unwrap();
    }
    (client, server)
}

/// Some bytes that differ everywhere.
fn text(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 31 + at / 251) as u8).collect()
}

/// Cuts into pieces of these sizes, again and again.
fn pieces<'a>(mut rest: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        let size = (*sizes.next()?).min(rest.len());
        let piece;
        (piece, rest) = rest.split_at(size);
        (size > 0).then_some(piece)
    })
}

/// Takes so many bytes, then none until it is asked again.
struct Narrow {
    wire: Vec<u8>,
    room: usize,
}

impl io::Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        self.wire.extend_from_slice(&bytes[..taken]);
        match taken {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            _ => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sizes from one byte up, small ones as often as large ones.
fn sizes(most: u32) -> impl Strategy<Value = Vec<usize>> {
    let size = (0..=most).prop_flat_map(|bits| (1_usize << bits)..=(2_usize << bits) - 1);
    prop::collection::vec(size, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_the_server_says_is_heard(
        tls13: bool,
        early in 0..4096_usize,
        length in 0..150_000_usize,
        records in sizes(13),
        reads in sizes(16),
        new_keys: bool,
        goodbye: bool,
    ) {
        let said = text(early + length);
        let (early, rest) = said.split_at(early);
        let (mut client, mut server) = pair(tls13, early);
        let mut wire = Vec::new();
        // Records of one byte cost twenty: no more than needed of those.
        let records: Vec<usize> = records.iter().map(|size| (*size).max(rest.len() / 4096)).collect();
        for (at, record) in pieces(rest, &records).enumerate() {
            if new_keys && tls13 && at == 2 {
                server.refresh_traffic_keys().unwrap();
            }
            server.writer().write_all(record).unwrap();
            wire.extend(wire_of(&mut server));
        }
        if goodbye {
            server.send_close_notify();
            wire.extend(wire_of(&mut server));
            wire.extend(b"what comes behind a goodbye is for nobody");
        }
        let mut heard = Vec::new();
        client.feed(&[], &mut |piece| heard.extend_from_slice(piece)).unwrap();
        let reads: Vec<usize> = reads.iter().map(|size| (*size).max(wire.len() / 8192)).collect();
        for read in pieces(&wire, &reads) {
            client.feed(read, &mut |piece| heard.extend_from_slice(piece)).unwrap();
            prop_assert!(!client.holds_plaintext());
        }
        prop_assert!(heard == said, "{} of {} bytes", heard.len(), said.len());
        prop_assert_eq!(client.ending(), if goodbye { TlsEnding::Goodbye } else { TlsEnding::Open });
        client.end_of_wire();
        prop_assert_eq!(client.ending(), if goodbye { TlsEnding::Goodbye } else { TlsEnding::Cut });
    }

    #[test]
    fn what_is_said_is_heard_by_the_server(
        tls13: bool,
        length in 0..300_000_usize,
        rooms in sizes(17),
    ) {
        let (mut client, mut server) = pair(tls13, b"");
        let said = text(length);
        let rooms: Vec<usize> = rooms.iter().map(|size| (*size).max(length / 4096)).collect();
        let (mut rooms, mut heard, mut sent) = (rooms.iter().cycle(), Vec::new(), 0);
        let mut behind = 0;
        while sent < said.len() || client.wants_write() {
            let taken = client.write(&said[sent..]).unwrap();
            sent += taken;
            behind += taken;
            let mut socket = Narrow { wire: Vec::new(), room: *rooms.next().unwrap() };
            let all = client.send(&mut socket);
            prop_assert_eq!(all.is_ok(), !client.wants_write());
            behind = behind.saturating_sub(socket.wire.len());
            prop_assert!(behind <= HELD_BYTES, "{behind} bytes wait");
            hear(&mut server, &socket.wire, &mut heard);
        }
        prop_assert!(heard == said, "{} of {} bytes", heard.len(), said.len());
    }
}

#[test]
fn what_came_before_a_mistake_is_handed_on() {
    let (mut client, mut server) = pair(true, b"");
    server.writer().write_all(b"hello").unwrap();
    let mut wire = wire_of(&mut server);
    wire.extend([23, 3, 3, 0, 20]);
    wire.extend([0; 20]);
    let mut heard = Vec::new();
    let error = client.feed(&wire, &mut |piece| heard.extend_from_slice(piece));
    assert_eq!(heard, b"hello");
    assert_eq!(
        tls_error(&error.unwrap_err()),
        Some(&rustls::Error::DecryptError)
    );
}
