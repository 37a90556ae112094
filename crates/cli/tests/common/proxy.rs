//! A way to a server that a test cuts and mends.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A way to an agent that can be cut: while it leads nowhere, connections end at once.
pub struct Proxy {
    pub address: SocketAddr,
    way: Arc<Mutex<Way>>,
}

#[derive(Default)]
struct Way {
    to: Option<SocketAddr>,
    open: Vec<TcpStream>,
}

impl Proxy {
    pub fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let way = Arc::new(Mutex::new(Way {
            to: Some(to),
            open: Vec::new(),
        }));
        let shared = Arc::clone(&way);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let mut way = shared.lock().unwrap();
                let far = way.to.and_then(|to| TcpStream::connect(to).ok());
                let Some(far) = far else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || pipe(from, to));
                }
                way.open.extend([near, far]);
            }
        });
        Self { address, way }
    }

    /// From now on it leads there, or nowhere; what is open is closed.
    pub fn lead(&self, to: Option<SocketAddr>) {
        let mut way = self.way.lock().unwrap();
        way.to = to;
        for stream in way.open.drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn pipe(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
