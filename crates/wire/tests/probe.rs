//! The program in the kernel beside real sockets. Needs `CAP_BPF`, `CAP_PERFMON`, Linux 6.3 with BTF and clang when it was
//! built, and says so without.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_wire::{FollowedShare, SocketCall, SocketDid, SocketProbe};

/// What fills the ring disturbs the others.
static ALONE: Mutex<()> = Mutex::new(());

/// The program, if it may be had here.
fn probe() -> Option<SocketProbe> {
    match SocketProbe::open() {
        Ok(probe) => Some(probe),
        Err(refusal) => {
            eprintln!("skipped: {refusal:?}");
            None
        }
    }
}

fn now_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_nanos() as u64
}

fn inode(socket: &impl AsRawFd) -> u64 {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
    let link = link.to_string_lossy().into_owned();
    let digits = link.trim_start_matches("socket:[").trim_end_matches(']');
    digits.parse().unwrap()
}

/// The calls at connections of that listener.
fn calls(probe: &mut SocketProbe, path: &str) -> Vec<SocketCall> {
    let mut all = Vec::new();
    probe.read(|call| all.push(*call));
    let names = probe.names();
    all.retain(|call| {
        let name = names.get(&call.name).map(Vec::as_slice).unwrap_or_default();
        name.strip_suffix(b"\0").unwrap_or(name) == path.as_bytes()
    });
    all
}

#[test]
fn each_call_is_told_with_its_end_its_bytes_and_who_made_it() {
    let _alone = ALONE.lock();
    let Some(mut probe) = probe() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let path = path.to_str().unwrap();
    let began_ns = now_ns();
    let mut client = UnixStream::connect(path).unwrap();
    // Before anybody has accepted it.
    client.write_all(b"hello").unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let mut two = [0; 2];
    server.read_exact(&mut two).unwrap();
    server.read_exact(&mut [0; 3]).unwrap();
    server.write_all(&[7; 1_000]).unwrap();
    client.read_exact(&mut [0; 1_000]).unwrap();
    let number = inode(&client);
    drop(client);
    assert_eq!(server.read(&mut two).unwrap(), 0);
    assert!(server.write_all(b"late").is_err());
    // None of these is a connection to a server.
    let (mut one, mut other) = UnixStream::pair().unwrap();
    one.write_all(b"x").unwrap();
    other.read_exact(&mut [0]).unwrap();
    let (one, other) = UnixDatagram::pair().unwrap();
    one.send(b"x").unwrap();
    other.recv(&mut two).unwrap();
    let ended_ns = now_ns();
    let told = calls(&mut probe, path);
    let what: Vec<_> = told
        .iter()
        .map(|call| (call.by_server, call.did, call.unread))
        .collect();
    let expected = [
        (false, SocketDid::Sent(5), false),
        (true, SocketDid::Received(2), true),
        (true, SocketDid::Received(3), false),
        (true, SocketDid::Sent(1_000), false),
        (false, SocketDid::Received(1_000), false),
        (true, SocketDid::Received(0), false),
        (true, SocketDid::Broke, false),
    ];
    assert_eq!(what, expected, "{told:#?}");
    assert!(told.iter().all(|call| call.ends == told[0].ends));
    let numbers: Vec<u64> = told.iter().map(|call| call.client).collect();
    assert_eq!(numbers, [number, number, number, number, number, 0, 0]);
    // A moment on either side, since both clocks are read one after the other.
    let moment = 1_000_000;
    let times = told.iter().map(|call| call.at_ns);
    assert!(times.clone().is_sorted());
    assert!(
        times
            .into_iter()
            .all(|at_ns| (began_ns - moment..ended_ns + moment).contains(&at_ns))
    );
    if std::fs::read_link("/proc/self/ns/pid").unwrap().as_os_str() == "pid:[4026531836]" {
        assert!(told.iter().all(|call| call.pid == std::process::id()));
    }
    if let Some(cost) = probe.cost() {
        assert!(cost.runs >= told.len() as u64 && cost.cpu_s > 0.0);
    }
    assert_eq!(probe.lost(), 0);
}

#[test]
fn of_a_share_whole_connections_are_told() {
    let _alone = ALONE.lock();
    let Some(mut probe) = probe() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let path = path.to_str().unwrap();
    let half = FollowedShare::ALL.halved().unwrap();
    probe.set_share(half).unwrap();
    let mut pairs: Vec<_> = (0..200)
        .map(|_| {
            let client = UnixStream::connect(path).unwrap();
            (client, listener.accept().unwrap().0)
        })
        .collect();
    for (client, server) in &mut pairs {
        client.write_all(b"a").unwrap();
        server.read_exact(&mut [0]).unwrap();
        server.write_all(b"b").unwrap();
        client.read_exact(&mut [0]).unwrap();
    }
    let told = calls(&mut probe, path);
    let mut counts = std::collections::HashMap::new();
    for call in &told {
        *counts.entry(call.ends).or_insert(0) += 1;
    }
    assert!(counts.values().all(|count| *count == 4), "{counts:?}");
    assert!((40..160).contains(&counts.len()), "{}", counts.len());
    // What is told beside the share is left out by whoever reads.
    let mut traffic =
        plimsoll_wire::SocketTraffic::new(0, None, plimsoll_wire::WireLimits::default());
    assert!(traffic.halve());
    told.iter().for_each(|call| traffic.take(call));
    assert_eq!(traffic.calls(), told.len() as u64, "both see the same half");
}

#[test]
fn what_nobody_reads_in_time_is_counted_as_lost() {
    let _alone = ALONE.lock();
    let Some(mut probe) = probe() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let path = path.to_str().unwrap();
    let mut client = UnixStream::connect(path).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let mut sent = 0_u64;
    while probe.lost() < 1_000 {
        for _ in 0..1_000 {
            client.write_all(b"x").unwrap();
            server.read_exact(&mut [0]).unwrap();
        }
        sent += 2_000;
        assert!(sent < 10_000_000, "nothing is lost");
    }
    let lost = probe.lost();
    let mut told = 0;
    let mut last = 1;
    while last > 0 {
        let more = calls(&mut probe, path);
        last = more.len();
        told += last as u64;
    }
    assert!(told <= sent && told + lost >= sent, "{told} {lost} {sent}");
    // From then on there is room again.
    client.write_all(b"x").unwrap();
    assert_eq!(calls(&mut probe, path).len(), 1);
    assert_eq!(probe.lost(), lost);
}
