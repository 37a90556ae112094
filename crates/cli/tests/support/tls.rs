//! A TLS server that responds to every request with "hello".

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use super::http::{Request, read_head};

/// A server's configuration with a certificate that nobody else signed, and both as PEM.
pub struct Made {
    pub config: Arc<ServerConfig>,
    pub certificate: String,
    pub key: String,
}

/// Makes one for these names and versions of TLS.
pub fn make(names: &[&str], versions: &[&'static SupportedProtocolVersion]) -> Made {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    Made {
        config: Arc::new(config),
        certificate: made.cert.pem(),
        key: made.signing_key.serialize_pem(),
    }
}

/// A configuration with a certificate that nobody else signed.
pub fn config(names: &[&str]) -> Arc<ServerConfig> {
    make(names, rustls::ALL_VERSIONS).config
}

/// The same, and the certificate, to be trusted.
pub fn config_with_pem(names: &[&str]) -> (Arc<ServerConfig>, String) {
    let made = make(names, rustls::ALL_VERSIONS);
    (made.config, made.certificate)
}

/// A connection of a server: read from it, and write to what it reads from.
pub type Tls = BufReader<StreamOwned<ServerConnection, TcpStream>>;

/// Serves a connection of a [`super::raw::RawServer`] as `response` says, which tells whether to
/// go on. It reads the body itself.
pub fn serve_as(
    config: Arc<ServerConfig>,
    response: impl Fn(&Request, &mut Tls) -> std::io::Result<bool>,
) -> impl Fn(TcpStream) -> std::io::Result<()> {
    move |stream| {
        stream.set_nodelay(true)?;
        let connection =
            ServerConnection::new(Arc::clone(&config)).map_err(std::io::Error::other)?;
        let mut tls = BufReader::new(StreamOwned::new(connection, stream));
        while let Some(request) = read_head(&mut tls)? {
            if !response(&request, &mut tls)? {
                break;
            }
        }
        Ok(())
    }
}

/// Serves a connection of a [`super::raw::RawServer`].
pub fn serve(config: Arc<ServerConfig>) -> impl Fn(TcpStream) -> std::io::Result<()> {
    serve_as(config, |_, tls| {
        tls.get_mut()
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")?;
        Ok(true)
    })
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
