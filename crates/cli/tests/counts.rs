//! The numbers of a run are the server's numbers, however the run ends.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use support::http::{HttpServer, Response};
use support::nginx::Nginx;
use support::raw::{RawServer, read_head, read_to_end};
use support::{Bench, Told, count, eventually};

/// Requests whose last byte was written.
fn written(told: &Told) -> u64 {
    told.total("samples") + told.total("cut_off")
}

#[test]
fn nginx_counts_what_the_run_counts() {
    let Some(nginx) = Nginx::start() else { return };
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nusers: 10\niterations: 30\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| Bench::new().plan(&plan, &["--threads", threads]));
        told.assert_code(0).assert_all_ok(300);
        assert_eq!(counted, 300, "{threads} threads");
        let plan = format!(
            "target: {}\nusers: 10\nramp-up: 500ms\nduration: 1500ms\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| Bench::new().plan(&plan, &["--threads", threads]));
        told.assert_code(0);
        assert_eq!(counted, written(&told), "{threads} threads");
    }
}

#[test]
fn nginx_counts_what_the_run_counts_after_an_interrupt() {
    let Some(nginx) = Nginx::start() else { return };
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nusers: 20\nduration: 1h\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| {
            let bench = Bench::new();
            let process = bench.start_plan(&plan, &["--threads", threads]);
            std::thread::sleep(Duration::from_millis(1300));
            process.signal("INT");
            process.end()
        });
        told.assert_code(130).assert_readable();
        assert!(told.total("samples") > 0);
        assert_eq!(counted, written(&told), "{threads} threads");
    }
}

#[test]
fn a_run_that_is_cut_off_still_counts_what_it_wrote() {
    let begun = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&begun);
    let server = RawServer::start(move |mut stream| {
        read_head(&mut stream)?;
        seen.fetch_add(1, Ordering::SeqCst);
        read_to_end(&mut stream);
        Ok(())
    });
    let plan = format!(
        "target: {}\nusers: 7\nduration: 2s\ngrace: 300ms\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(6);
    assert_eq!((told.total("samples"), told.total("cut_off")), (0, 7));
    assert_eq!(begun.load(Ordering::SeqCst), 7);
}

#[test]
fn a_second_interrupt_cuts_off_and_a_first_one_waits() {
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        read_to_end(&mut stream);
        Ok(())
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 3\nduration: 1h\ntimeout: 1h\ngrace: 1h\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &[]);
    eventually("three requests", || server.connections() == 3);
    std::thread::sleep(Duration::from_millis(200));
    process.signal("INT");
    // Requests in flight have an hour of grace; only the second signal ends them.
    std::thread::sleep(Duration::from_millis(700));
    assert!(
        std::path::Path::new(&format!("/proc/{}/exe", process.id()))
            .read_link()
            .is_ok()
    );
    process.signal("INT");
    let told = process.end();
    told.assert_code(130).assert_readable();
    assert_eq!(told.summary()["verdict"], "interrupted");
    assert_eq!((told.total("samples"), told.total("cut_off")), (0, 3));
}

#[test]
fn an_interrupt_lets_requests_in_flight_finish() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(700));
        Response::ok("hello")
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 4\nduration: 1h\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &["--jtl", "log.jtl"]);
    eventually("four requests", || server.seen().len() == 4);
    process.signal("INT");
    let told = process.end();
    told.assert_code(130).assert_all_ok(4).assert_readable();
    assert_eq!(told.total("cut_off"), 0);
    assert_eq!(bench.read("log.jtl").lines().count(), 5);
}

#[test]
fn a_killed_run_is_readable_and_says_that_it_was_cut_short() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 2\nduration: 1h\nsteps: [{{get: /}}, {{think: 5ms}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &[]);
    // By the clock of the run: what is older than two seconds must be kept.
    std::thread::sleep(Duration::from_millis(500));
    eventually("a first request", || !server.seen().is_empty());
    let early = server.seen().len() as u64;
    std::thread::sleep(Duration::from_secs(3));
    process.signal("KILL");
    let told = process.end();
    assert_eq!(told.code, None);
    let shown = bench.call(&["show", "last"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(
        shown.out.contains("cut short") || shown.err.contains("cut short"),
        "{shown:?}"
    );
    let report = bench.call(&["report", "last", "--format", "json", "-o", "report.json"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let json: serde_json::Value = serde_json::from_str(&bench.read("report.json")).unwrap();
    let total = if json["total"].is_object() {
        &json["total"]
    } else {
        &json["summary"]["total"]
    };
    assert!(
        count(total, "samples") >= early,
        "{early} requests were seconds before the end: {total}"
    );
}

#[test]
fn an_open_load_has_exactly_the_arrivals_of_its_schedule() {
    let server = HttpServer::hello();
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nrate: 50/s\nduration: 3s\nsteps: [{{get: /}}]\n",
            server.url()
        );
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        told.assert_code(0);
        assert_eq!(
            written(&told) + told.total("dropped_iterations"),
            150,
            "{threads} threads"
        );
    }
}

#[test]
fn stuck_users_leave_arrivals_dropped() {
    let server = RawServer::start(|mut stream| {
        read_to_end(&mut stream);
        Ok(())
    });
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nrate: 10/s\nduration: 950ms\nmax-in-flight: 5\ntimeout: 2s\nsteps: [{{get: /}}]\n",
            server.url()
        );
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        told.assert_code(6).assert_all_errors_are("read_timeout");
        assert_eq!(
            (told.total("samples"), told.total("dropped_iterations")),
            (5, 5),
            "{threads} threads"
        );
        assert_eq!(told.err.matches("max-in-flight").count(), 1, "{told:?}");
    }
}

#[test]
fn stages_ramps_and_spikes_have_their_arrivals() {
    let server = HttpServer::hello();
    let stages =
        "stages: [{rate: 20/s, for: 1s}, {rate: 20/s..60/s, for: 1s}, {rate: 0/s, for: 300ms}]";
    let told = Bench::new().plan(
        &format!("target: {}\n{stages}\nsteps: [{{get: /}}]\n", server.url()),
        &[],
    );
    told.assert_code(0);
    assert_eq!(written(&told) + told.total("dropped_iterations"), 60);
    let spike = "rate: 10/s\nduration: 2s\nspike: {at: 500ms, for: 500ms, rate: 100/s}";
    let told = Bench::new().plan(
        &format!("target: {}\n{spike}\nsteps: [{{get: /}}]\n", server.url()),
        &[],
    );
    told.assert_code(0);
    assert_eq!(written(&told) + told.total("dropped_iterations"), 65);
}

#[test]
fn arrivals_at_random_are_the_same_for_any_number_of_threads() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nseed: 7\nrate: 40/s\nduration: 2s\narrivals: poisson\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let arrivals = |threads| {
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        written(told.assert_code(0)) + told.total("dropped_iterations")
    };
    let one = arrivals("1");
    assert_eq!(one, arrivals("2"));
    assert!((40..=130).contains(&one), "{one}");
}

#[test]
fn a_server_without_backlog_of_its_own_gets_all_bytes() {
    // A body that does not fit into any buffer is written whole before it counts.
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        std::thread::sleep(Duration::from_millis(200));
        let mut left = 8_000_000_usize;
        let mut buffer = vec![0; 65536];
        // The head's reader may have taken some of the body already.
        stream.set_read_timeout(Some(Duration::from_millis(500)))?;
        while let Ok(read) = stream.read(&mut buffer) {
            left = left.saturating_sub(read);
            if read == 0 || left == 0 {
                break;
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    });
    let bench = Bench::new();
    bench.write("big.bin", vec![b'x'; 8_000_000]);
    let told = bench.steps(&server.url(), "  - post: /\n    file: big.bin\n");
    told.assert_code(0).assert_all_ok(1);
    assert!(told.total("sent_bytes") > 8_000_000);
}
