//! Responses that never end, memory, and what a reader does between responses.

use plimsoll_load::kit::http1::{
    Head, Progress, ReadError, RequestMethod, ResponseLimits, ResponseReader, Sink, unfold,
};

#[derive(Default)]
struct Count {
    informational: usize,
    status: u16,
    body_bytes: u64,
}

impl Sink for Count {
    fn informational(&mut self, _: &Head<'_>) {
        self.informational += 1;
    }
    fn head(&mut self, head: &Head<'_>) {
        self.status = head.status;
    }
    fn body(&mut self, piece: &[u8]) {
        self.body_bytes += piece.len() as u64;
    }
}

/// Feeds `start`, then `again` without end, until the reader gives up.
fn endless(start: &[u8], again: &[u8]) -> (ReadError, Count, u64) {
    let limits = ResponseLimits {
        body_bytes: 1 << 20,
        ..ResponseLimits::default()
    };
    let mut reader = ResponseReader::new();
    let mut count = Count::default();
    let mut fed = start.len() as u64;
    reader.start(RequestMethod::Other, &limits);
    let mut result = reader.feed(start, &mut count);
    while result == Ok(Progress::NeedMore) {
        assert!(fed < 4 << 20, "no limit stops this");
        fed += again.len() as u64;
        result = reader.feed(again, &mut count);
    }
    (result.unwrap_err(), count, fed)
}

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn endless_heads_reach_the_header_limit() {
    let start = b"HTTP/1.1 200 OK\r\n";
    for (start, again) in [
        (&start[..], &b"X: "[..]),
        (
            start,
            b"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n",
        ),
        (start, b"X"),
        (b"HTTP/1.1 200 ", b"O"),
        (b"", b"\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
        (CHUNKED, b"0\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            b"X: y\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            b"x",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5",
            b" ",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
            b"x",
        ),
        (CHUNKED, b"1;extension\r\na\r\n"),
    ] {
        let (error, count, fed) = endless(start, again);
        let what = again.escape_ascii();
        assert!(
            matches!(error, ReadError::HeaderLimit { .. }),
            "{what}: {error}"
        );
        assert!(fed <= 512 * 1024, "{what} after {fed} bytes");
        assert!(count.informational < 20_000);
    }
}

#[test]
fn endless_bodies_reach_the_body_limit() {
    for (start, again) in [
        (&b"HTTP/1.1 200 OK\r\n\r\n"[..], &b"0123456789"[..]),
        (CHUNKED, b"a\r\n0123456789\r\n"),
    ] {
        let (error, count, _) = endless(start, again);
        assert_eq!(error, ReadError::BodyLimit { limit: 1 << 20 });
        assert!(count.body_bytes <= 1 << 20);
        assert!(count.body_bytes > (1 << 20) - 10);
    }
}

#[test]
fn garbage_is_reported_before_it_ends() {
    let (error, _, fed) = endless(b"", b"220 smtp.example ESMTP ");
    assert!(
        matches!(error, ReadError::Malformed { offset: 0, .. }),
        "{error}"
    );
    assert!(fed < 100);
    let (error, _, fed) = endless(b"HTTP/1.1 200 OK\r\nX y: z\r\n", b"X: y\r\n");
    assert!(
        matches!(error, ReadError::Malformed { offset: 18, .. }),
        "{error}"
    );
    assert!(fed < 100);
}

#[test]
fn a_garbled_first_line_is_quoted() {
    let mut reader = ResponseReader::new();
    reader.start(RequestMethod::Other, &ResponseLimits::default());
    let error = reader
        .feed(b"SSH-2.0-OpenSSH_9.2\r\n", &mut Count::default())
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("not an HTTP/1 response at byte 0, near \"SSH-2.0-OpenSSH_9.2\""),
        "{text}"
    );
}

#[test]
fn one_reader_reads_many_responses() {
    let mut reader = ResponseReader::new();
    let responses = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
    let mut rest = &responses[..];
    for status in [200, 404] {
        assert!(reader.is_idle());
        let mut count = Count::default();
        reader.start(RequestMethod::Other, &ResponseLimits::default());
        assert!(!reader.is_idle() && !reader.started());
        match reader.feed(rest, &mut count).unwrap() {
            Progress::Done {
                consumed,
                keep_alive: true,
            } => rest = &rest[consumed..],
            other => panic!("{other:?}"),
        }
        assert_eq!(count.status, status);
    }
    assert!(rest.is_empty());
}

#[test]
fn an_idle_reader_takes_nothing() {
    let unusable = Ok(Progress::Done {
        consumed: 0,
        keep_alive: false,
    });
    let mut reader = ResponseReader::new();
    let mut count = Count::default();
    assert_eq!(
        reader.feed(b"HTTP/1.1 408 Timeout\r\n\r\n", &mut count),
        unusable
    );
    assert_eq!(reader.end_of_stream(&mut count), unusable);
    reader.start(RequestMethod::Other, &ResponseLimits::default());
    reader
        .feed(b"garbage, long enough to be sure", &mut count)
        .unwrap_err();
    assert_eq!(
        reader.feed(b"HTTP/1.1 200 OK\r\n\r\n", &mut count),
        unusable
    );
    assert_eq!(count.status, 0);
}

#[test]
fn a_reader_is_small() {
    assert!(
        size_of::<ResponseReader>() <= 128,
        "{}",
        size_of::<ResponseReader>()
    );
}

#[test]
fn folds_become_one_space() {
    assert_eq!(&*unfold(b"a b"), b"a b");
    assert_eq!(&*unfold(b"a,\r\n\t b \n c"), b"a, b c");
}
