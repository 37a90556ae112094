//! What caches say of keys, on the wire, beside what a real memcached and a real Redis count themselves. Needs
//! `CAP_NET_RAW`, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;
use support::wire::during;
use support::{Process, free_port};

/// A connection on which lines are asked and read.
struct Lines {
    to: TcpStream,
    from: BufReader<TcpStream>,
}

impl Lines {
    fn open(port: u16) -> Self {
        let to = TcpStream::connect(("127.0.0.1", port)).unwrap();
        to.set_nodelay(true).unwrap();
        let from = BufReader::new(to.try_clone().unwrap());
        Self { to, from }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Sends a command; the first line of its response.
    fn ask(&mut self, command: &[u8]) -> String {
        self.to.write_all(command).unwrap();
        self.line()
    }

    /// The lines up to one.
    fn until(&mut self, last: &str) -> Vec<String> {
        let lines = std::iter::repeat_with(|| self.line());
        lines.take_while(|line| line != last).collect()
    }

    fn skip(&mut self, length: usize) {
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).unwrap();
    }
}

/// What the hop to a port tells of a cache.
fn cache(report: &Value, port: u16) -> &Value {
    let at = format!(":{port}");
    let mut hops = report["hops"].as_array().unwrap().iter();
    let own = hops.find(|hop| hop["server"]["address"].as_str().unwrap().ends_with(&at));
    &own.unwrap_or_else(|| panic!("{report:#}"))["cache"]
}

#[test]
fn what_memcached_does_not_take_is_counted_and_why() {
    let port = free_port();
    let at = port.to_string();
    let arguments = ["-l", "127.0.0.1", "-p", &at, "-U", "0", "-u", "nobody"];
    let memcached = Process::start("memcached", port, &arguments);
    let seen = during(|| {
        let mut client = Lines::open(memcached.port);
        for size in [10, 100_000, 1 << 20, 2 << 20] {
            // An item and what is kept with it must fit into 1 MiB.
            assert_eq!(client.ask(b"get page\r\n"), "END");
            let value = vec![b'x'; size];
            let head = format!("set page 0 60 {size}\r\n");
            let taken = client.ask(&[head.as_bytes(), &value, b"\r\n"].concat());
            assert_eq!(taken == "STORED", size < 1 << 20, "{size}: {taken}");
            if taken == "STORED" {
                assert_eq!(client.ask(b"get page\r\n"), format!("VALUE page 0 {size}"));
                client.skip(size + 2);
                assert_eq!(client.line(), "END");
            }
            client.ask(b"delete page\r\n");
        }
        let mut stats = vec![client.ask(b"stats\r\n")];
        stats.extend(client.until("END"));
        // Whose a connection is is looked at while it is open.
        (stats, client)
    });
    let Some((report, (stats, _client))) = seen else {
        return;
    };
    let own = |name: &str| -> u64 {
        let begins = format!("STAT {name} ");
        let mut found = stats.iter().filter_map(|line| line.strip_prefix(&begins));
        found.next().unwrap().parse().unwrap()
    };
    let told = cache(&report, port);
    assert_eq!(told["found"], own("get_hits"), "{told:#}");
    assert_eq!(told["missed"], own("get_misses"), "{told:#}");
    assert_eq!((&told["taken"], &told["refused"]), (&2.into(), &2.into()));
    assert_eq!(told["why"], "too_large");
}

#[test]
fn what_redis_has_no_room_for_is_counted_and_why() {
    let port = free_port();
    let at = port.to_string();
    let limits = ["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"];
    let arguments = [
        &["--port", &at, "--bind", "127.0.0.1", "--save", ""][..],
        &limits,
    ]
    .concat();
    let redis = Process::start("redis-server", port, &arguments);
    let seen = during(|| {
        let mut client = Lines::open(redis.port);
        let mut refused = 0;
        for key in 0..20 {
            let value = "x".repeat(100_000);
            let key = format!("key{key:02}");
            let get = format!("*2\r\n$3\r\nGET\r\n$5\r\n{key}\r\n");
            assert_eq!(client.ask(get.as_bytes()), "$-1");
            let set = format!("*3\r\n$3\r\nSET\r\n$5\r\n{key}\r\n$100000\r\n{value}\r\n");
            refused += u64::from(client.ask(set.as_bytes()).starts_with("-OOM"));
        }
        let length = client.ask(b"*2\r\n$4\r\nINFO\r\n$5\r\nstats\r\n");
        client.skip(length[1..].parse::<usize>().unwrap() + 2);
        (refused, client)
    });
    let Some((report, (refused, _client))) = seen else {
        return;
    };
    let told = cache(&report, port);
    assert!(refused > 0, "it has room for all");
    assert_eq!(
        (&told["missed"], &told["found"]),
        (&20.into(), &0.into()),
        "{told:#}"
    );
    assert_eq!(told["refused"], refused, "{told:#}");
    assert_eq!(told["taken"], 20 - refused, "{told:#}");
    assert_eq!(told["why"], "out_of_memory");
}
