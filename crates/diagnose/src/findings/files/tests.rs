#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::{Entity, EntityKind, SeriesKind};

use crate::model::Layer;
use crate::testing::{Made, thing};

const READING: &[&str] = &[
    "sun.nio.cs.UTF_8$Decoder.decodeArrayLoop",
    "java.nio.file.FileChannelLinesSpliterator.tryAdvance",
    "java.util.stream.ReferencePipeline.anyMatch",
    "com.shop.Journal.knows",
];
const AT_WORK: &[&str] = &["com.shop.Orders.sum"];

fn process() -> Arc<Entity> {
    thing(EntityKind::Process, "java[8080]")
}

/// A request reads so many bytes in the first second, and so much more each second.
fn reading(bytes: f64, more: f64, threads: usize) -> Made {
    let read = [("disk.io.direction", "read")];
    Made::load(500.0, 20.0)
        .process("java[8080]", 0.9, 1.0)
        .track(
            &process(),
            "process.call.io",
            &read,
            SeriesKind::Counter,
            |second| 500.0 * (bytes * second + more * second * second / 2.0),
        )
        .threads(&[(threads, READING), (10 - threads, AT_WORK)])
}

#[test]
fn a_file_that_grows_is_found_by_who_reads_it() {
    let finding = reading(100e3, 10e3, 8).find("growing_file").unwrap();
    assert_eq!(finding.object.name, "com.shop.Journal.knows");
    assert!((finding.explains.share - 0.8).abs() < 0.01);
    for (bytes, more, threads) in [(100e3, 0.0, 8), (100e3, 10e3, 1), (10.0, 10.0, 8)] {
        let found = reading(bytes, more, threads).find("growing_file");
        assert_eq!(found, None, "{bytes} {more} {threads}");
    }
}

fn disk(used: f64, own_bytes: f64) -> Made {
    let host = thing(EntityKind::Host, "");
    let device = ("system.device", "sda");
    let write = ("disk.io.direction", "write");
    Made::load(50.0, 200.0)
        .counter(&host, "system.disk.io_time", &[device], used)
        .counter(&host, "system.disk.operations", &[device, write], 100.0)
        .counter(&host, "system.disk.operation_time", &[device, write], 3.0)
        .counter(&host, "system.disk.io", &[device, write], 50e6)
        .counter(&process(), "process.disk.io", &[write], own_bytes)
        .counter(
            &host,
            "system.pressure.stall.time",
            &[("pressure.resource", "io"), ("pressure.stall", "some")],
            0.6,
        )
}

#[test]
fn a_busy_disk_is_a_finding_if_the_target_keeps_it_busy() {
    let finding = disk(0.95, 40e6).find("disk_busy").unwrap();
    assert_eq!(
        (finding.layer, finding.object.name.as_str()),
        (Layer::Resource, "sda")
    );
    assert_eq!(disk(0.95, 1e6).find("disk_busy"), None, "others' work");
    assert_eq!(disk(0.4, 40e6).find("disk_busy"), None);
}

#[test]
fn a_disk_without_room_is_a_remark() {
    let host = thing(EntityKind::Host, "");
    let made = |free: f64| {
        let state = |state| {
            [
                ("system.filesystem.mountpoint", "/var"),
                ("system.filesystem.state", state),
            ]
        };
        Made::load(50.0, 200.0)
            .gauge(&host, "system.filesystem.usage", &state("used"), 99e9)
            .gauge(&host, "system.filesystem.usage", &state("free"), free)
    };
    assert_eq!(made(1e9).find("disk_full").unwrap().object.name, "/var");
    assert_eq!(made(50e9).find("disk_full"), None);
}

#[test]
fn a_full_file_system_that_the_target_writes_to_explains_failures() {
    let state = |state| {
        [
            ("system.filesystem.mountpoint", "/tmp"),
            ("system.filesystem.state", state),
        ]
    };
    let made = |of: &Arc<Entity>, what: &str, free: f64, failed: u64| {
        Made::load(50.0, 200.0)
            .process("java[8080]", 0.1, 2.0)
            .gauge(of, "system.filesystem.usage", &state("used"), 1e6)
            .gauge(of, "system.filesystem.usage", &state("free"), 9e6)
            .gauge(of, what, &state("used"), 1e6)
            .gauge(of, what, &state("free"), free)
            .errors(ErrorKind::CheckFailed, failed)
    };
    let inodes = "system.filesystem.inodes.usage";
    let finding = made(&process(), inodes, 0.0, 50).find("disk_full").unwrap();
    assert_eq!(finding.layer, Layer::Cause);
    assert_eq!(finding.evidence[0].text.id, "exhibit-no-inodes");
    let without = made(&process(), inodes, 0.0, 0).find("disk_full").unwrap();
    assert_eq!(without.layer, Layer::Hint);
    let host = thing(EntityKind::Host, "");
    let others = made(&host, inodes, 0.0, 50).find("disk_full").unwrap();
    assert_eq!(others.layer, Layer::Hint);
    assert_eq!(made(&process(), inodes, 1e6, 50).find("disk_full"), None);
}

#[test]
fn descriptors_that_are_exhausted() {
    let made = |open: f64, unclosed: f64| {
        Made::load(50.0, 200.0)
            .gauge(&process(), "process.unix.file_descriptor.count", &[], open)
            .gauge(
                &process(),
                "process.unix.file_descriptor.limit",
                &[],
                1_024.0,
            )
            .gauge(
                &process(),
                "process.network.connection.count",
                &[("network.connection.state", "close_wait")],
                unclosed,
            )
            .errors(ErrorKind::ConnectTimeout, 100)
    };
    // Two workers, neither of which has as many as it may.
    let two = made(1_024.0, 0.0).gauge(&process(), "process.unix.file_descriptor.peak", &[], 512.0);
    assert_eq!(two.find("file_descriptors"), None);
    let finding = made(1_024.0, 0.0).find("file_descriptors").unwrap();
    assert_eq!(finding.advice[0].proposed.as_deref(), Some("65536"));
    assert_eq!(made(500.0, 0.0).find("file_descriptors"), None);
    assert_eq!(made(1_024.0, 900.0).find("file_descriptors"), None);
}
