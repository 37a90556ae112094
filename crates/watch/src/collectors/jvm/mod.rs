//! A JVM on this host, seen from the outside: its performance counters, its GC log, and, if
//! captures are allowed, what it says to those who attach.

pub(crate) mod counters;
pub(crate) mod family;
pub(crate) mod gc_log;
pub(crate) mod hsperf;
pub(crate) mod perf_data;
pub(crate) mod target;

use std::cell::Cell;
use std::rc::Rc;

use crate::capture::{Capture, Level};
use crate::captures::class_histogram::ClassHistogram;
use crate::captures::cpu_samples::CpuSamples;
use crate::captures::jfr::Jfr;
use crate::captures::jvm::Jvm;
use crate::captures::jvm_info::JvmInfo;
use crate::captures::profile::{LIBRARY_ENV, ProfileCapture};
use crate::captures::thread_dump::ThreadDumpCapture;
use crate::captures::virtual_threads::VirtualThreads;
use crate::collector::Trouble;
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};

use plimsoll_text::Message;

use target::JvmAddress;

/// Opens a JVM by `pid:N` or the port it listens on.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = JvmAddress::parse(&spec.address)?;
    let host = spec.host.clone().unwrap_or_else(hostname);
    let gc_log = Rc::new(Cell::new(false));
    let captures = if spec.level >= Level::Capture {
        let jvm = Rc::new(Jvm::new(address, host.clone()));
        let mut captures = captures(&jvm, jfr(spec)?);
        for profile in library(spec)
            .iter()
            .flat_map(|path| ProfileCapture::both(&jvm, path))
        {
            captures.push(Box::new(profile));
        }
        captures
    } else {
        Vec::new()
    };
    let log = gc_log::GcLogPlace::of(address);
    let log = gc_log::GcLog::new(log, host.clone(), Some(Rc::clone(&gc_log)));
    Ok(Opened {
        collectors: vec![
            Box::new(hsperf::Hsperf::new(address, host, gc_log)),
            Box::new(log),
        ],
        captures,
    })
}

/// Opens a GC log by its path, or that of a JVM by `pid:N` or port.
pub(crate) fn open_gc_log(spec: &Spec) -> Result<Opened, Trouble> {
    let place = gc_log::GcLogPlace::parse(&spec.address)?;
    let host = spec.host.clone().unwrap_or_else(hostname);
    Ok(Opened {
        collectors: vec![Box::new(gc_log::GcLog::new(place, host, None))],
        captures: Vec::new(),
    })
}

/// Nearly all captures attach to the JVM, so they are there only if that is allowed.
fn captures(jvm: &Rc<Jvm>, start_jfr: bool) -> Vec<Box<dyn Capture>> {
    vec![
        Box::new(JvmInfo::new(Rc::clone(jvm))),
        Box::new(CpuSamples::new(Rc::clone(jvm))),
        Box::new(ThreadDumpCapture::new(Rc::clone(jvm))),
        Box::new(VirtualThreads::new(Rc::clone(jvm))),
        Box::new(Jfr::new(Rc::clone(jvm), start_jfr)),
        Box::new(ClassHistogram::new(Rc::clone(jvm))),
    ]
}

/// The option `profiler`: where async-profiler's library is.
fn library(spec: &Spec) -> Option<String> {
    let named = spec.options.get("profiler").cloned();
    named.or_else(|| {
        std::env::var(LIBRARY_ENV)
            .ok()
            .filter(|path| !path.is_empty())
    })
}

/// The option `jfr`: `start` has a recording started where none runs, `running` (the default)
/// only uses one that runs.
fn jfr(spec: &Spec) -> Result<bool, Trouble> {
    match spec.options.get("jfr").map(String::as_str) {
        None | Some("running") => Ok(false),
        Some("start") => Ok(true),
        Some(other) => Err(Trouble::new(
            Message::new("watch-jvm-jfr-option").with("value", other),
        )),
    }
}
