//! Through proxies.

use super::*;
use crate::driver::simulated::{InPieces, Peer, TlsPeer};

/// A proxy that opens a tunnel to a peer behind it.
struct Proxy<P> {
    asked: Noted,
    head: Vec<u8>,
    behind: Option<P>,
    is_open: bool,
}

impl<P: Peer> Peer for Proxy<P> {
    fn hear(&mut self, bytes: &[u8], at_ns: u64) -> Vec<Act> {
        if self.is_open {
            return self.behind.as_mut().unwrap().hear(bytes, at_ns);
        }
        self.head.extend_from_slice(bytes);
        if !self.head.ends_with(b"\r\n\r\n") {
            return Vec::new();
        }
        let line = String::from_utf8_lossy(&self.head).into_owned();
        self.asked.note(line.lines().next().unwrap());
        self.is_open = self.behind.is_some();
        let responds = match self.is_open {
            true => b"HTTP/1.1 200 X\r\n\r\n".to_vec(),
            false => response(403, "", b""),
        };
        after(MS, responds)
    }
}

const YAML: &str = "proxy: http://192.0.2.9:3128\ntls: {insecure: true}\n\
    iterations: 2\nsteps: [{get: \"https://h.test/\"}]\n";

fn behind_a_proxy(asked: &Noted, longest: usize, open: bool) -> World {
    let asked = asked.clone();
    World::of_peers(move |connection| {
        let http = HttpPeer::new(|_: &HttpRequest| after(MS, response(200, "", b"hello")));
        let proxy = Proxy {
            asked: asked.clone(),
            head: Vec::new(),
            behind: open.then(|| TlsPeer::new(http)),
            is_open: false,
        };
        InPieces::new(proxy, connection, longest, MS)
    })
}

#[test]
fn tls_goes_through_a_tunnel_whatever_its_pieces() {
    for longest in [1, 7, 100, 100_000] {
        let asked = Noted::default();
        let (heard, _) = simulate(YAML, behind_a_proxy(&asked, longest, true));
        assert_eq!(heard.errors(), [""; 0]);
        assert_eq!(asked.all(), ["CONNECT h.test:443 HTTP/1.1"]);
    }
}

#[test]
fn a_proxy_that_refuses_is_the_one_to_blame() {
    let asked = Noted::default();
    let (heard, _) = simulate(YAML, behind_a_proxy(&asked, 3, false));
    assert_eq!(heard.errors(), ["proxy", "proxy"]);
}
