//! A peer that speaks TLS.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, LazyLock};

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};

use super::script::{Act, Deed, Peer};
use crate::clock::Nanos;

static CONFIG: LazyLock<Arc<ServerConfig>> = LazyLock::new(|| {
    let made = rcgen::generate_simple_self_signed(["h.test".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    Arc::new(config)
});

/// Another peer behind TLS, with a certificate of nobody for `h.test`.
pub struct TlsPeer<P> {
    peer: P,
    session: ServerConnection,
}

impl<P: Peer> TlsPeer<P> {
    /// The same peer over TLS.
    pub fn new(peer: P) -> Self {
        let mut session = ServerConnection::new(Arc::clone(&CONFIG)).unwrap();
        session.set_buffer_limit(None);
        Self { peer, session }
    }

    /// What is for the wire now.
    fn wire(&mut self) -> Vec<u8> {
        let mut wire = Vec::new();
        while self.session.wants_write() {
            self.session.write_tls(&mut wire).unwrap();
        }
        wire
    }
}

impl<P: Peer> Peer for TlsPeer<P> {
    fn hear(&mut self, mut bytes: &[u8], at_ns: Nanos) -> Vec<Act> {
        let mut plain = Vec::new();
        while !bytes.is_empty() {
            self.session.read_tls(&mut bytes).unwrap();
            if self.session.process_new_packets().is_err() {
                return vec![
                    Act::after(0, Deed::Say(self.wire())),
                    Act::after(0, Deed::Close),
                ];
            }
            // Nothing more is there now, or ever.
            let _ = self.session.reader().read_to_end(&mut plain);
        }
        let mut acts = Vec::new();
        let wire = self.wire();
        if !wire.is_empty() {
            acts.push(Act::after(0, Deed::Say(wire)));
        }
        if plain.is_empty() {
            return acts;
        }
        for mut act in self.peer.hear(&plain, at_ns) {
            match &mut act.deed {
                Deed::Say(bytes) => {
                    self.session.writer().write_all(bytes).unwrap();
                    *bytes = self.wire();
                }
                Deed::HalfClose | Deed::Close => {
                    self.session.send_close_notify();
                    acts.push(Act::after(act.after_ns, Deed::Say(self.wire())));
                    act.after_ns = 0;
                }
                Deed::Reset => {}
            }
            acts.push(act);
        }
        acts
    }

    fn left(&mut self, at_ns: Nanos) {
        self.peer.left(at_ns);
    }
}
