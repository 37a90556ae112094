//! CPUs, run queue, context switches and pressure.

use std::path::Path;

use plimsoll_text::Message;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::{SeriesName, host as names};
use crate::proc::KeptFile;
use crate::proc::file::numbers;
use crate::proc::stat::ticks_to_seconds;

/// The columns of `/proc/stat` (proc_stat(5)); what follows them is in `user` and `nice`
/// already.
const MODES: [&str; 8] = [
    "user",
    "nice",
    "system",
    "idle",
    "iowait",
    "interrupt",
    "softirq",
    "steal",
];

/// `/proc/stat` and `/proc/loadavg`.
pub(crate) struct Cpu {
    stat: KeptFile,
    load: KeptFile,
}

impl Cpu {
    pub(crate) fn below(proc: &Path) -> Self {
        Self {
            stat: KeptFile::new(proc.join("stat")),
            load: KeptFile::new(proc.join("loadavg")),
        }
    }
}

impl Area for Cpu {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        tell_stat(self.stat.text_or_trouble()?, out);
        if let Some(load) = self.load.text().ok().and_then(|text| numbers(text).next()) {
            out.value(&names::LOAD_AVERAGE, &[], load);
        }
        Ok(())
    }
}

fn tell_stat(text: &str, out: &mut Out<'_>) {
    let mut cpus = 0.0;
    for line in text.lines() {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let metric = match name {
            "ctxt" => &names::CONTEXT_SWITCHES,
            "intr" => &names::INTERRUPTS,
            "processes" => &names::FORKS,
            "procs_running" => &names::RUN_QUEUE,
            "procs_blocked" => &names::BLOCKED,
            _ => {
                let number = name.strip_prefix("cpu").unwrap_or_default();
                if number.parse::<u32>().is_ok() {
                    cpus += 1.0;
                    tell_cpu(number, rest, out);
                }
                continue;
            }
        };
        if let Some(value) = numbers(rest).next() {
            out.value(metric, &[], value);
        }
    }
    out.value(&names::CPU_COUNT, &[], cpus);
}

fn tell_cpu(number: &str, times: &str, out: &mut Out<'_>) {
    for (mode, ticks) in MODES.iter().zip(numbers(times)) {
        let attributes = [("cpu.logical_number", number), ("cpu.mode", mode)];
        out.value(&names::CPU_TIME, &attributes, ticks_to_seconds(ticks));
    }
}

/// `/proc/pressure`.
pub(crate) struct Pressure {
    files: [(&'static str, KeptFile); 3],
}

impl Pressure {
    pub(crate) fn below(proc: &Path) -> Self {
        let resource = |name| (name, KeptFile::new(proc.join("pressure").join(name)));
        Self {
            files: [resource("cpu"), resource("memory"), resource("io")],
        }
    }
}

impl Area for Pressure {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        for (resource, file) in &mut self.files {
            let text = file
                .text()
                .map_err(|_| Trouble::new(Message::new("watch-host-no-pressure")))?;
            tell_pressure(&names::PRESSURE, resource, text, out);
        }
        Ok(())
    }
}

/// Lines such as `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`, in microseconds.
pub(super) fn tell_pressure(metric: &SeriesName, resource: &str, text: &str, out: &mut Out<'_>) {
    for line in text.lines() {
        let stall = line.split(' ').next().unwrap_or_default();
        let total = line.rsplit_once("total=");
        if let Some(total) = total.and_then(|(_, total)| total.trim().parse::<f64>().ok()) {
            let attributes = [("pressure.resource", resource), ("pressure.stall", stall)];
            out.value(metric, &attributes, total / 1e6);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    const STAT: &str = "cpu  30 2 30 400 50 6 7 8 0 0\n\
        cpu0 10 1 10 200 25 3 3 4 0 0\n\
        cpu3 20 1 20 200 25 3 4 4 0 0\n\
        intr 38919676 0 1 2\nctxt 99713950\nbtime 1795292215\nprocesses 783893\n\
        procs_running 3\nprocs_blocked 1\nsoftirq 94324796 0 1\n";

    #[test]
    fn each_cpu_has_its_modes() {
        let told = told(|out| tell_stat(STAT, out));
        let cpu = |number: u32, mode: &str| {
            value(
                &told,
                &format!("system.cpu.time{{cpu.logical_number={number},cpu.mode={mode}}}"),
            )
        };
        let seconds = |ticks: f64| Some(ticks_to_seconds(ticks));
        assert_eq!(cpu(0, "iowait"), seconds(25.0));
        assert_eq!(cpu(3, "user"), seconds(20.0));
        assert_eq!(cpu(3, "softirq"), seconds(4.0));
        assert_eq!(cpu(3, "steal"), seconds(4.0));
        assert_eq!(cpu(1, "user"), None);
        assert_eq!(value(&told, "system.cpu.run_queue{}"), Some(3.0));
        assert_eq!(value(&told, "system.cpu.blocked{}"), Some(1.0));
        assert_eq!(value(&told, "system.cpu.interrupts{}"), Some(38_919_676.0));
        assert_eq!(value(&told, "system.cpu.logical.count{}"), Some(2.0));
    }

    #[test]
    fn pressure_is_in_seconds() {
        let text = "some avg10=0.29 avg60=0.76 avg300=11.37 total=2500000\n\
            full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        let told = told(|out| tell_pressure(&names::PRESSURE, "io", text, out));
        let name = "system.pressure.stall.time{pressure.resource=io,pressure.stall=some}";
        assert_eq!(value(&told, name), Some(2.5));
        assert_eq!(told.len(), 2);
    }

    proptest! {
        #[test]
        fn never_panics(text in "(cpu[0-9]{0,3}|ctxt|some|total=|[ \n0-9.=-]|.){0,60}") {
            told(|out| tell_stat(&text, out));
            told(|out| tell_pressure(&names::PRESSURE, "cpu", &text, out));
        }
    }
}
