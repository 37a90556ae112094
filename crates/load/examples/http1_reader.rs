//! What reading one response costs: `cargo run --release --example http1_reader`.
//!
//! Prints nanoseconds for a response as nginx sends it for a small page, in one
//! piece, cut within the head, and chunked. Nothing here touches a socket.

use std::hint::black_box;
use std::time::Instant;

use plimsoll_load::kit::http1::{
    Head, Progress, RequestMethod, ResponseLimits, ResponseReader, Sink,
};

const PLAIN: &[u8] = b"HTTP/1.1 200 OK\r\n\
    Server: nginx/1.22.1\r\n\
    Date: Sat, 01 Aug 2026 12:00:00 GMT\r\n\
    Content-Type: text/plain\r\n\
    Content-Length: 12\r\n\
    Last-Modified: Fri, 31 Jul 2026 08:00:00 GMT\r\n\
    Connection: keep-alive\r\n\
    \r\n\
    Hello world\n";

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\n\
    Server: nginx/1.22.1\r\n\
    Date: Sat, 01 Aug 2026 12:00:00 GMT\r\n\
    Content-Type: text/plain\r\n\
    Transfer-Encoding: chunked\r\n\
    Connection: keep-alive\r\n\
    \r\n\
    c\r\nHello world\n\r\n0\r\n\r\n";

#[derive(Default)]
struct Count {
    responses: u64,
    body_bytes: u64,
}

impl Sink for Count {
    fn head(&mut self, head: &Head<'_>) {
        self.responses += u64::from(head.status == 200);
    }
    fn body(&mut self, piece: &[u8]) {
        self.body_bytes += piece.len() as u64;
    }
}

/// Nanoseconds for each response: the best of several rounds, since everything
/// that disturbs a round makes it longer.
fn measure(response: &[u8], cut: usize) -> f64 {
    const RESPONSES: u32 = 200_000;
    const ROUNDS: u32 = 9;
    let limits = ResponseLimits::default();
    let mut reader = ResponseReader::new();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut count = Count::default();
        let begin = Instant::now();
        for _ in 0..RESPONSES {
            reader.start(RequestMethod::Other, &limits);
            let (first, second) = black_box(response).split_at(cut);
            if cut > 0 {
                black_box(reader.feed(first, &mut count)).ok();
            }
            let progress = black_box(reader.feed(second, &mut count));
            let whole = Progress::Done {
                consumed: second.len(),
                keep_alive: true,
            };
            assert_eq!(progress, Ok(whole));
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e9 / f64::from(RESPONSES));
        assert_eq!(count.responses, u64::from(RESPONSES));
        assert_eq!(count.body_bytes, 12 * u64::from(RESPONSES));
    }
    best
}

fn main() {
    for (name, response, cut) in [
        ("plain, in one piece", PLAIN, 0),
        ("plain, cut within the head", PLAIN, 100),
        ("chunked, in one piece", CHUNKED, 0),
    ] {
        let cost_ns = measure(response, cut);
        println!("{name:28} {:4} bytes {cost_ns:7.1} ns", response.len());
    }
}
