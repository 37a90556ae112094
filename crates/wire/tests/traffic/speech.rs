//! Protocols as they are spoken.

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    Http1,
    Http2,
    Redis,
    Mysql,
    Postgres,
    Tls,
    FastCgi,
    Memcached,
    Unknown,
}

fn mysql(number: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    [&length[..3], &[number], content].concat()
}

fn postgres(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32 + 4).to_be_bytes();
    [&[kind], &length[..], content].concat()
}

fn frame(kind: u8, flags: u8, stream: u32, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), content].concat()
}

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u16).to_be_bytes();
    [&[kind, 3, 3], &length[..], content].concat()
}

impl Speech {
    pub const ALL: [Self; 9] = [
        Self::Http1,
        Self::Http2,
        Self::Redis,
        Self::Mysql,
        Self::Postgres,
        Self::Tls,
        Self::FastCgi,
        Self::Memcached,
        Self::Unknown,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http2 => "http2",
            Self::Redis => "redis",
            Self::Mysql => "mysql",
            Self::Postgres => "postgres",
            Self::Tls => "tls",
            Self::FastCgi => "fastcgi",
            Self::Memcached => "memcached",
            Self::Unknown => "unknown",
        }
    }

    /// Whether requests may be sent before earlier ones have their response.
    pub fn may_pipeline(self) -> bool {
        !matches!(self, Self::Tls | Self::FastCgi | Self::Unknown)
    }

    /// Whether it can be read exactly only from its beginning.
    pub fn wants_whole(self) -> bool {
        self == Self::Http2
    }

    /// What is said before the first request: by which side, and what.
    pub fn greeting(self) -> Vec<(usize, Vec<u8>)> {
        match self {
            Self::Mysql => vec![
                (1, mysql(0, b"\x0a11.4.2-MariaDB\0")),
                (0, mysql(1, &[0x0d, 0xa2, 0, 0, 0, 0, 0, 1, 33, 0, 0, 0])),
                (1, mysql(2, &[0, 0, 0, 2, 0, 0, 0])),
            ],
            Self::Postgres => vec![
                (0, [&[0, 0, 0, 16, 0, 3, 0, 0][..], b"user\0me\0"].concat()),
                (1, [postgres(b'R', &[0; 4]), postgres(b'Z', b"I")].concat()),
            ],
            Self::Http2 => vec![
                (
                    0,
                    [
                        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
                        &frame(4, 0, 0, &[]),
                    ]
                    .concat(),
                ),
                (1, [frame(4, 0, 0, &[0; 6]), frame(4, 1, 0, &[])].concat()),
            ],
            _ => Vec::new(),
        }
    }

    pub fn request(self, number: usize, size: usize) -> Vec<u8> {
        let filling = vec![b'q'; size];
        match self {
            Self::Http1 if size == 0 => b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
            Self::Http1 => {
                let head = format!("POST /x HTTP/1.1\r\ncontent-LENGTH:{size}\r\n\r\n");
                [head.as_bytes(), &filling].concat()
            }
            Self::Redis => {
                let head = format!("*2\r\n$3\r\nGET\r\n${size}\r\n");
                [head.as_bytes(), &filling, b"\r\n"].concat()
            }
            Self::Mysql => mysql(0, &[&[3, b's'], &filling[..]].concat()),
            Self::Postgres if size.is_multiple_of(2) => {
                postgres(b'Q', &[&filling[..], &[0]].concat())
            }
            Self::Postgres => [
                postgres(b'P', &filling),
                postgres(b'B', &[0; 8]),
                postgres(b'E', &[0; 5]),
                postgres(b'S', &[]),
            ]
            .concat(),
            Self::Http2 => {
                let stream = 2 * number as u32 + 1;
                let head = frame(1, if size == 0 { 5 } else { 4 }, stream, &[0x82; 12]);
                match size {
                    0 => head,
                    _ => [head, frame(0, 1, stream, &filling)].concat(),
                }
            }
            Self::Tls => record(23, &vec![7; size + 100]),
            Self::FastCgi => {
                let begins = b"\x01\x01\0\x01\0\x08\0\0\0\x01\x01\0\0\0\0\0";
                [&begins[..], &fastcgi_records(4, &filling)].concat()
            }
            Self::Memcached => match size % 3 {
                0 => format!("get {}\r\n", "k".repeat(size.max(1))).into_bytes(),
                1 => format!("gets a b c {}\r\n", "k ".repeat(size)).into_bytes(),
                _ => {
                    let head = format!("set k 0 60 {size}\r\n");
                    [head.as_bytes(), &filling, b"\r\n"].concat()
                }
            },
            Self::Unknown => [&[0xff, 1, 2], &filling[..]].concat(),
        }
    }

    pub fn response(self, number: usize, size: usize) -> Vec<u8> {
        let filling = vec![b'r'; size];
        match self {
            Self::Http1 if size.is_multiple_of(3) => {
                let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
                let chunk = format!("{size:x};x=y\r\n");
                let end: &[u8] = b"0\r\nTrailer: a\r\n\r\n";
                match size {
                    0 => [&head[..], end].concat(),
                    _ => [head, chunk.as_bytes(), &filling, b"\r\n", end].concat(),
                }
            }
            Self::Http1 if size % 3 == 1 => {
                let head = format!(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: {size}\r\n\r\n"
                );
                [head.as_bytes(), &filling].concat()
            }
            Self::Http1 => b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n".to_vec(),
            Self::Redis if size.is_multiple_of(2) => {
                format!("*2\r\n${size}\r\n{}\r\n*-1\r\n", "r".repeat(size)).into()
            }
            Self::Redis => b"+OK\r\n".to_vec(),
            // Rows, more than there are numbers. Where the last has the number 0, the next response
            // looks like a row behind it.
            Self::Mysql => {
                let rows = size / 8 + 1;
                let rows = rows + usize::from(rows.is_multiple_of(256));
                let numbers = (1..=rows).map(|row| row as u8);
                numbers.flat_map(|number| mysql(number, b"row")).collect()
            }
            Self::Postgres => [
                postgres(b'D', &filling),
                postgres(b'C', b"SELECT 1\0"),
                postgres(b'Z', b"I"),
            ]
            .concat(),
            Self::Http2 => {
                let stream = 2 * number as u32 + 1;
                [
                    frame(1, 4, stream, &[0x88; 7]),
                    frame(6, 0, 0, &[0; 8]),
                    frame(0, 0, stream, &filling),
                    frame(0, 1, stream, &[]),
                ]
                .concat()
            }
            Self::Tls => record(23, &vec![7; size + 100]),
            Self::FastCgi => {
                let ends = b"\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0";
                [&fastcgi_records(6, &filling)[..], ends].concat()
            }
            Self::Memcached => match size % 3 {
                0 => b"SERVER_ERROR object too large for cache\r\n".to_vec(),
                1 => {
                    // Two, which are kept whole with those of other requests.
                    let half = &filling[..size / 2];
                    let head = format!("VALUE k 0 {}\r\n", half.len());
                    let value = [head.as_bytes(), half, b"\r\n"].concat();
                    [&value[..], &value[..], b"END\r\n"].concat()
                }
                _ => b"STORED\r\n".to_vec(),
            },
            Self::Unknown => [&[0xfe, 1, 2], &filling[..]].concat(),
        }
    }
}

/// Records of FastCGI of one kind, as many as that much content takes, and the empty one behind them.
fn fastcgi_records(kind: u8, content: &[u8]) -> Vec<u8> {
    let pieces = content.chunks(usize::from(u16::MAX)).chain([&[][..]]);
    let records = pieces.flat_map(|piece| {
        let length = (piece.len() as u16).to_be_bytes();
        [&[1, kind, 0, 1], &length[..], &[0, 0], piece].concat()
    });
    records.collect()
}
