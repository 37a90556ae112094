//! The kernel's ring under real traffic on the loopback. Needs `CAP_NET_RAW`, and says so without.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use plimsoll_wire::{
    EndOwner, FollowedShare, Owners, Ring, RingSize, SeenPacket, Wire, WireHop, WireLimits,
    WireReport,
};

struct Nobody;

impl Owners for Nobody {
    fn owner(&self, _: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        None
    }
}

/// A ring, if it may be had here.
fn ring() -> Option<Ring> {
    match Ring::open(FollowedShare::ALL, RingSize::LARGE, 0) {
        Ok(ring) => Some(ring),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            eprintln!("skipped: needs CAP_NET_RAW");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn now_ns() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_nanos() as u64
}

/// What is seen while something goes on in other threads.
fn seen<T>(
    mut ring: Ring,
    port: u16,
    start: impl FnOnce() -> Vec<JoinHandle<T>>,
) -> (WireReport, Vec<T>) {
    let mut wire = Wire::new(now_ns(), [port].into(), WireLimits::default());
    let work = start();
    while !work.iter().all(JoinHandle::is_finished) {
        ring.read(Duration::from_millis(20), |packet| wire.packet(packet))
            .unwrap();
    }
    let (until, end) = (now_ns(), Instant::now() + ring.delay());
    while Instant::now() < end {
        ring.read(Duration::from_millis(20), |packet| wire.packet(packet))
            .unwrap();
    }
    assert_eq!(ring.counts().dropped, 0);
    let done = work.into_iter().map(|thread| thread.join().unwrap());
    (wire.finish(until, &Nobody), done.collect())
}

fn hop(report: &WireReport, port: u16) -> &WireHop {
    let suffix = format!(":{port}");
    let mut hops = report
        .hops
        .iter()
        .filter(|hop| hop.server.address.ends_with(&suffix));
    let found = hops
        .next()
        .unwrap_or_else(|| panic!("{port} in {report:#?}"));
    assert!(hops.next().is_none(), "{report:#?}");
    found
}

/// Takes connections and responds on each, after a pause, with `pong` to each `ping`.
fn server(address: &str, pause: Duration) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = move |mut stream: TcpStream| {
        let mut request = [0; 4];
        while stream.read_exact(&mut request).is_ok() {
            if &request == b"stop" {
                return true;
            }
            std::thread::sleep(pause);
            stream.write_all(b"pong").unwrap();
        }
        false
    };
    let thread = std::thread::spawn(move || {
        std::thread::scope(|scope| {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut first = [0; 1];
                stream.read_exact(&mut first).unwrap();
                if first == *b"x" {
                    return;
                }
                stream.write_all(b"!").unwrap();
                scope.spawn(move || serve(stream));
            }
        });
    });
    (address, thread)
}

/// A connection that has been used once.
fn connected(server: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all(b"a").unwrap();
    stream.read_exact(&mut [0]).unwrap();
    stream
}

#[test]
fn requests_times_and_how_many_are_in_flight_are_as_the_clients_saw_them() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Some(ring) = ring() else { return };
        let (server, thread) = server(address, Duration::from_millis(20));
        let clients: Vec<TcpStream> = (0..3).map(|_| connected(server)).collect();
        // What went on before was not looked at: the ring is opened anew.
        drop(ring);
        let ring = self::ring().unwrap();
        let work = clients.into_iter().map(|mut stream| {
            std::thread::spawn(move || {
                let mut took = Vec::new();
                for _ in 0..20 {
                    let began = Instant::now();
                    stream.write_all(b"ping").unwrap();
                    stream.read_exact(&mut [0; 4]).unwrap();
                    took.push(began.elapsed());
                }
                took
            })
        });
        let (report, took) = seen(ring, server.port(), || work.collect());
        TcpStream::connect(server).unwrap().write_all(b"x").unwrap();
        thread.join().unwrap();
        let hop = hop(&report, server.port());
        assert_eq!(
            (hop.protocol.as_str(), hop.decided),
            ("unknown", true),
            "{hop:#?}"
        );
        assert_eq!((hop.connections, hop.opened), (3, 0));
        assert_eq!(
            (hop.requests, hop.unfinished),
            (Some(60), Some(0)),
            "{hop:#?}"
        );
        let took: Vec<f64> = took
            .concat()
            .iter()
            .map(|took| took.as_secs_f64() * 1e3)
            .collect();
        let mean = took.iter().sum::<f64>() / took.len() as f64;
        let times = hop.response_ms.unwrap();
        // The clients' own time before and after a call is theirs.
        assert!(
            times.mean >= 20.0 && times.mean <= mean + 0.01,
            "{times:?} {mean}"
        );
        assert!(mean - times.mean < 5.0, "{times:?} {mean}");
        let in_flight = hop.in_flight.clone().unwrap();
        assert!(in_flight.max.unwrap() <= 3);
        let law = hop.requests_per_s.unwrap() * times.mean / 1e3;
        assert!((in_flight.mean - law).abs() < 1e-6, "{in_flight:?} {law}");
        let shares = in_flight.shares.unwrap();
        let whole: f64 = shares.iter().map(|(_, share)| share).sum();
        assert!((whole - 1.0).abs() < 1e-9);
        assert_eq!((hop.bytes_sent, hop.bytes_received), (240, 240));
    }
}

#[test]
fn the_kernel_follows_the_same_share_of_connections() {
    let Some(mut ring) = ring() else { return };
    let share = FollowedShare::ALL
        .halved()
        .and_then(FollowedShare::halved)
        .unwrap();
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let listener = TcpListener::bind(address).unwrap();
        let server = listener.local_addr().unwrap();
        ring.set_share(share).unwrap();
        // What came in before is of all connections.
        ring.read(Duration::ZERO, |_| ()).unwrap();
        std::thread::sleep(ring.delay());
        ring.read(Duration::ZERO, |_| ()).unwrap();
        let clients: Vec<TcpStream> = (0..64)
            .map(|_| TcpStream::connect(server).unwrap())
            .collect();
        let followed = clients
            .iter()
            .map(|client| client.local_addr().unwrap())
            .filter(|client| share.has(*client, server));
        let mut wanted: Vec<SocketAddr> = followed.collect();
        let mut seen = Vec::new();
        let end = Instant::now() + ring.delay() * 2;
        while Instant::now() < end {
            ring.read(Duration::from_millis(20), |packet| {
                if packet.segment.target == server && packet.segment.begins {
                    seen.push(packet.segment.source);
                }
            })
            .unwrap();
        }
        wanted.sort_unstable();
        seen.sort_unstable();
        assert_eq!(seen, wanted);
    }
}

#[test]
fn packets_are_as_many_as_tcpdump_counts() {
    let Some(mut ring) = ring() else { return };
    let (server, thread) = server("127.0.0.1:0", Duration::ZERO);
    let started = Command::new("tcpdump")
        .args(["-i", "lo", "-nn", "-w", "/dev/null", "tcp", "port"])
        .arg(server.port().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut tcpdump = match started {
        Ok(started) => started,
        Err(error) => {
            eprintln!("skipped: tcpdump: {error}");
            TcpStream::connect(server).unwrap().write_all(b"x").unwrap();
            thread.join().unwrap();
            return;
        }
    };
    let mut told = BufReader::new(tcpdump.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("listening on") {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "tcpdump ended");
    }
    let mut stream = connected(server);
    for _ in 0..200 {
        stream.write_all(b"ping").unwrap();
        stream.read_exact(&mut [0; 4]).unwrap();
    }
    drop(stream);
    TcpStream::connect(server).unwrap().write_all(b"x").unwrap();
    thread.join().unwrap();
    let (mut seen, end) = (0_u64, Instant::now() + Duration::from_secs(1));
    while Instant::now() < end {
        ring.read(Duration::from_millis(20), |packet| {
            let ports = [packet.segment.source.port(), packet.segment.target.port()];
            seen += u64::from(ports.contains(&server.port()));
        })
        .unwrap();
    }
    let pid = tcpdump.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().unwrap();
    tcpdump.wait().unwrap();
    let mut text = String::new();
    told.read_to_string(&mut text).unwrap();
    let captured = text
        .lines()
        .find_map(|line| line.strip_suffix(" packets captured"));
    let captured: u64 = captured
        .unwrap_or_else(|| panic!("{text}"))
        .parse()
        .unwrap();
    assert_eq!(seen, captured, "{text}");
    assert!(seen >= 400);
}

#[test]
fn packets_faster_than_the_ring_are_counted_and_make_no_figures_up() {
    if ring().is_none() {
        return;
    }
    let (server, thread) = server("127.0.0.1:0", Duration::ZERO);
    let clients: Vec<TcpStream> = (0..4).map(|_| connected(server)).collect();
    let mut ring = Ring::open(FollowedShare::ALL, RingSize::LEAST, 0).unwrap();
    let mut wire = Wire::new(now_ns(), [server.port()].into(), WireLimits::default());
    let work = clients.into_iter().map(|mut stream| {
        std::thread::spawn(move || {
            let mut longest = Duration::ZERO;
            for _ in 0..4_000 {
                let began = Instant::now();
                stream.write_all(b"ping").unwrap();
                stream.read_exact(&mut [0; 4]).unwrap();
                longest = longest.max(began.elapsed());
            }
            longest
        })
    });
    let work: Vec<_> = work.collect();
    // Nobody reads until half of it must have been lost, and again not until all is over.
    std::thread::sleep(ring.delay());
    ring.read(Duration::ZERO, |packet| wire.packet(packet))
        .unwrap();
    let took = work.into_iter().map(|one| one.join().unwrap());
    let longest = took.max().unwrap().as_secs_f64() * 1e3;
    let (until, end) = (now_ns(), Instant::now() + ring.delay());
    while Instant::now() < end {
        ring.read(Duration::from_millis(20), |packet| wire.packet(packet))
            .unwrap();
    }
    TcpStream::connect(server).unwrap().write_all(b"x").unwrap();
    thread.join().unwrap();
    let counts = ring.counts();
    assert!(counts.dropped > 0, "{counts:?}");
    let report = wire.finish(until, &Nobody);
    let hop = hop(&report, server.port());
    if !hop.decided {
        assert!(hop.requests.is_none() && hop.response_ms.is_none() && hop.in_flight.is_none());
        return;
    }
    assert!(hop.requests.unwrap() < 16_000, "{hop:#?}");
    if let Some(times) = hop.response_ms {
        assert!(times.max <= longest, "{times:?} {longest}");
    }
    assert!(
        hop.in_flight.as_ref().unwrap().max.unwrap() <= 4,
        "{hop:#?}"
    );
}

#[test]
fn a_filter_that_the_kernel_refuses_is_an_error() {
    if ring().is_none() {
        return;
    }
    // In a network namespace of its own this thread may have hardly any memory for filters.
    let tried = std::thread::spawn(|| {
        // SAFETY: moves this thread alone, which ends below.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
            return None;
        }
        let room = "/proc/sys/net/core/optmem_max";
        std::fs::write(room, "16").ok()?;
        let refused = Ring::open(FollowedShare::ALL, RingSize::LEAST, 0).err();
        std::fs::write(room, "131072").unwrap();
        let mut taken = Ring::open(FollowedShare::ALL, RingSize::LEAST, 0).unwrap();
        std::fs::write(room, "16").unwrap();
        let half = FollowedShare::ALL.halved().unwrap();
        Some((refused, taken.set_share(half).err()))
    });
    let Some((opened, changed)) = tried.join().unwrap() else {
        eprintln!("skipped: namespaces need root, and memory for filters a newer kernel");
        return;
    };
    assert_eq!(opened.unwrap().raw_os_error(), Some(libc::ENOMEM));
    // The ring stays as it was, and whoever reads it leaves the others out.
    assert_eq!(changed.unwrap().raw_os_error(), Some(libc::ENOMEM));
}

#[test]
fn lookups_are_seen_with_as_many_sockets_as_ask() {
    let Some(mut ring) = ring() else { return };
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let names = UdpSocket::bind(address).unwrap();
        let server = names.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let mut query = [0; 512];
            for _ in 0..20 {
                let (length, client) = names.recv_from(&mut query).unwrap();
                std::thread::sleep(Duration::from_millis(5));
                query[2] |= 0x80;
                names.send_to(&query[..length], client).unwrap();
            }
        });
        let mut wire = Wire::new(now_ns(), [].into(), WireLimits::default());
        let mut took = Vec::new();
        for id in 0..20_u8 {
            let socket = UdpSocket::bind(address).unwrap();
            socket.connect(server).unwrap();
            let began = Instant::now();
            let head = [1, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
            let query = [&head[..], b"\x05stock\x04shop\0", &[0, 1, 0, 1]].concat();
            socket.send(&query).unwrap();
            socket.recv(&mut [0; 512]).unwrap();
            took.push(began.elapsed().as_secs_f64() * 1e3);
        }
        thread.join().unwrap();
        let (until, end) = (now_ns(), Instant::now() + ring.delay());
        while Instant::now() < end {
            ring.read_all(Duration::from_millis(20), |packet| wire.seen(&packet))
                .unwrap();
        }
        let report = wire.finish(until, &Nobody);
        let hop = hop(&report, server.port());
        assert_eq!(
            (hop.protocol.as_str(), hop.requests),
            ("dns", Some(20)),
            "{hop:#?}"
        );
        assert_eq!((hop.connections, hop.unfinished), (20, Some(0)));
        assert_eq!(hop.lookups[0].name, "stock.shop");
        // The client's own time before and after a lookup is its own.
        let mean = took.iter().sum::<f64>() / took.len() as f64;
        let times = hop.response_ms.unwrap();
        assert!(
            times.mean >= 5.0 && times.mean <= mean + 0.01,
            "{times:?} {mean}"
        );
    }
}

/// A client that sends each request in two writes; pieces that were held back, and how long requests took, ms.
fn in_two_writes(without_delay: bool) -> Option<(WireHop, Vec<f64>)> {
    let ring = ring()?;
    let (server, thread) = server("127.0.0.1:0", Duration::ZERO);
    let mut stream = connected(server);
    stream.set_nodelay(without_delay).unwrap();
    let work = std::thread::spawn(move || {
        let mut took = Vec::new();
        // The kernel acknowledges the first ones of a connection at once.
        for _ in 0..60 {
            let began = Instant::now();
            stream.write_all(b"pi").unwrap();
            stream.write_all(b"ng").unwrap();
            stream.read_exact(&mut [0; 4]).unwrap();
            took.push(began.elapsed().as_secs_f64() * 1e3);
        }
        took
    });
    let (report, took) = seen(ring, server.port(), || vec![work]);
    TcpStream::connect(server).unwrap().write_all(b"x").unwrap();
    thread.join().unwrap();
    Some((hop(&report, server.port()).clone(), took.concat()))
}

#[test]
fn pieces_that_wait_for_an_acknowledgement_are_told_as_long_as_the_client_waited() {
    let Some((hop, took)) = in_two_writes(false) else {
        return;
    };
    let held = hop.requests_held.unwrap();
    let waited = took.iter().filter(|ms| **ms >= 25.0);
    let waited: Vec<f64> = waited.copied().collect();
    assert!(waited.len() >= 20, "{took:?}");
    assert_eq!(held.pieces, waited.len() as u64, "{took:?}");
    let mean = waited.iter().sum::<f64>() / waited.len() as f64;
    assert!(
        held.mean_ms <= mean && held.mean_ms >= 25.0,
        "{held:?} {mean}"
    );
    assert_eq!(hop.responses_held, None);
    let (hop, _) = in_two_writes(true).unwrap();
    assert_eq!((hop.requests_held, hop.responses_held), (None, None));
}

#[test]
fn packets_that_come_as_fast_as_they_are_read_let_the_reader_go() {
    if ring().is_none() {
        return;
    }
    let mut ring = Ring::open(FollowedShare::ALL, RingSize::LEAST, 0).unwrap();
    let target = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = target.local_addr().unwrap();
    let from = UdpSocket::bind("127.0.0.1:0").unwrap();
    let send = || from.send_to(&[7; 1_000], to).unwrap();
    // More than the room there is.
    const FILLS: usize = 2_000;
    for _ in 0..FILLS {
        send();
    }
    let mut seen = 0;
    // Whatever is read leaves two behind.
    ring.read_all(Duration::from_secs(5), |_| {
        seen += 1;
        assert!(seen < 4 * FILLS, "it goes on as long as packets come");
        send();
        send();
    })
    .unwrap();
    assert!(seen > 0);
}

#[test]
fn options_before_the_content_of_a_packet_hide_nothing() {
    let Some(mut ring) = ring() else { return };
    let target = UdpSocket::bind("[::1]:0").unwrap();
    let to = target.local_addr().unwrap();
    let from = UdpSocket::bind("[::1]:0").unwrap();
    // Options for each on the way that fill up 8 bytes (RFC 8200, section 4.3).
    let options = [0_u8, 0, 1, 4, 0, 0, 0, 0];
    // SAFETY: the place has the length that is told.
    let told = unsafe {
        libc::setsockopt(
            from.as_raw_fd(),
            libc::IPPROTO_IPV6,
            libc::IPV6_HOPOPTS,
            options.as_ptr().cast(),
            options.len() as libc::socklen_t,
        )
    };
    assert_eq!(told, 0, "{}", std::io::Error::last_os_error());
    from.send_to(b"hello", to).unwrap();
    let mut seen = Vec::new();
    let end = Instant::now() + Duration::from_secs(20);
    while seen.is_empty() && Instant::now() < end {
        ring.read_all(Duration::from_millis(20), |packet| {
            if let SeenPacket::Datagram(packet) = packet
                && packet.datagram.target == to
            {
                seen.push((packet.datagram.source, packet.datagram.bytes.to_vec()));
            }
        })
        .unwrap();
    }
    assert_eq!(seen, [(from.local_addr().unwrap(), b"hello".to_vec())]);
}
