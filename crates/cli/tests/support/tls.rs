//! A TLS server that answers every request with "hello".

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A configuration with a certificate that nobody else signed.
pub fn config(names: &[&str]) -> Arc<ServerConfig> {
    config_with_pem(names).0
}

/// The same, and the certificate, to be trusted.
pub fn config_with_pem(names: &[&str]) -> (Arc<ServerConfig>, String) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), made.cert.pem())
}

/// Serves a connection of a [`super::raw::RawServer`].
pub fn serve(config: Arc<ServerConfig>) -> impl Fn(TcpStream) -> std::io::Result<()> {
    move |stream| {
        let connection =
            ServerConnection::new(Arc::clone(&config)).map_err(std::io::Error::other)?;
        let mut tls = StreamOwned::new(connection, stream);
        let mut buffer = [0; 4096];
        let mut request = Vec::new();
        loop {
            let read = tls.read(&mut buffer)?;
            if read == 0 {
                return Ok(());
            }
            request.extend_from_slice(&buffer[..read]);
            if request.ends_with(b"\r\n\r\n") {
                request.clear();
                tls.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")?;
            }
        }
    }
}

/// A configuration that wants a certificate of its clients, and the PEM files of a client it
/// knows: the server's certificate, the client's certificate, the client's key.
pub fn config_for_known_client(names: &[&str]) -> (Arc<ServerConfig>, [String; 3]) {
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        rcgen::generate_simple_self_signed(names).unwrap()
    };
    let (server, client) = (named(names), named(&["client.test"]));
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(server.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut known = rustls::RootCertStore::empty();
    known.add(client.cert.der().clone()).unwrap();
    let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(
        Arc::new(known),
        Arc::clone(&provider),
    );
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(vec![server.cert.der().clone()], key)
        .unwrap();
    let files = [
        server.cert.pem(),
        client.cert.pem(),
        client.signing_key.serialize_pem(),
    ];
    (Arc::new(config), files)
}
