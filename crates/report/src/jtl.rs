//! The raw sample log as JMeter writes it: CSV with JMeter's default columns.
//!
//! Written while the run goes on, one line a sample; what JMeter's own report generator
//! reads. Never localised.
//!
//! Two habits of JMeter are kept: `timeStamp` is the start of the sample, and a sample
//! that got no response has `Non HTTP response code: <Java exception>` as its code.

use std::io::{self, Write};

use plimsoll_stats::{LabelKind, Sample};
use plimsoll_text::jtl;

pub use plimsoll_stats::java_exception;

/// What a line says beyond the sample itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct JtlContext<'a> {
    /// The label's name.
    pub label: &'a str,
    /// JMeter's `<group> <group number>-<user number>`, e.g. `shoppers 1-17`.
    pub thread_name: &'a str,
    /// `text`, `bin` or empty.
    pub data_type: &'a str,
    /// Why a check failed.
    pub failure_message: &'a str,
    /// Users of the scenario at work.
    pub group_threads: u64,
    /// Users at work.
    pub all_threads: u64,
    /// The address of the request; empty is written as `null`, as JMeter does.
    pub url: &'a str,
}

/// Writes samples as lines of a JTL file.
#[derive(Debug)]
pub struct JtlWriter<W> {
    out: W,
    start_unix_ns: u64,
    line: Vec<u8>,
}

impl<W: Write> JtlWriter<W> {
    /// Writes the heading; `start_unix_ns` is the wall clock at the run's start. The output
    /// should be buffered.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn new(mut out: W, start_unix_ns: u64) -> io::Result<Self> {
        out.write_all(jtl::default_heading().as_bytes())?;
        out.write_all(b"\n")?;
        Ok(Self {
            out,
            start_unix_ns,
            line: Vec::with_capacity(256),
        })
    }

    /// Writes one sample. Parts of a request are left out: JMeter's CSV has no place for
    /// them.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, sample: &Sample<'_>, context: &JtlContext<'_>) -> io::Result<()> {
        if sample.kind == LabelKind::SubRequest {
            return Ok(());
        }
        self.line.clear();
        put_line(&mut self.line, self.start_unix_ns, sample, context);
        self.out.write_all(&self.line)
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The output, flushed.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

const MS: u64 = 1_000_000;

fn put_line(out: &mut Vec<u8>, start_unix_ns: u64, sample: &Sample<'_>, context: &JtlContext<'_>) {
    let latency_ns = match sample.first_byte_ns {
        0 => 0,
        first => first.saturating_sub(sample.start_ns),
    };
    let connect_ns = sample.dns_ns + sample.connect_ns + sample.tls_ns;
    let no_response = sample.error.and_then(java_exception);
    put_number(out, start_unix_ns.saturating_add(sample.start_ns) / MS);
    put_number(out, whole_ms(sample.service_ns()));
    put_field(out, context.label);
    match no_response {
        Some((exception, message)) => {
            put_field(out, &format!("Non HTTP response code: {exception}"));
            let text = if sample.message.is_empty() {
                message
            } else {
                sample.message
            };
            put_field(out, &format!("Non HTTP response message: {text}"));
        }
        None => {
            put_field(out, &sample.code.to_string());
            put_field(out, sample.message);
        }
    }
    put_field(out, context.thread_name);
    put_field(out, context.data_type);
    put_field(
        out,
        if sample.error.is_none() {
            "true"
        } else {
            "false"
        },
    );
    put_field(out, context.failure_message);
    put_number(out, sample.received_bytes);
    put_number(out, sample.sent_bytes);
    put_number(out, context.group_threads);
    put_number(out, context.all_threads);
    put_field(
        out,
        if context.url.is_empty() {
            "null"
        } else {
            context.url
        },
    );
    put_number(out, whole_ms(latency_ns));
    put_number(out, 0); // idle time: waits are no part of our samples
    put_number(out, whole_ms(connect_ns));
    out.pop(); // the last comma
    out.push(b'\n');
}

/// Rounded, so that means are not half a millisecond low. JMeter's are differences of readings
/// of a clock of milliseconds, which err to either side alike.
fn whole_ms(ns: u64) -> u64 {
    ns.saturating_add(MS / 2) / MS
}

fn put_number(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
    out.push(b',');
}

/// A text field and its comma.
fn put_field(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(jtl::field(text, ',').as_bytes());
    out.push(b',');
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::{Code, ErrorKind, LabelId};

    use super::*;

    fn sample() -> Sample<'static> {
        Sample {
            label: LabelId(0),
            kind: LabelKind::Request,
            parent: None,
            user: 17,
            iteration: 0,
            code: Code::Http(200),
            message: "OK",
            error: None,
            sent_bytes: 120,
            received_bytes: 4_321,
            intended_ns: 500_000_000,
            ready_ns: 0,
            start_ns: 1_000_000_000,
            dns_ns: 1_000_000,
            connect_ns: 2_000_000,
            tls_ns: 4_000_000,
            first_byte_ns: 1_090_000_000,
            end_ns: 1_100_900_000,
            lag_ns: 0,
        }
    }

    fn written(sample: &Sample<'_>, context: &JtlContext<'_>) -> Vec<csv::StringRecord> {
        let mut jtl = JtlWriter::new(Vec::new(), 1_700_000_000_000_000_000).unwrap();
        jtl.write(sample, context).unwrap();
        let text = jtl.finish().unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_slice());
        reader.records().map(Result::unwrap).collect()
    }

    #[test]
    fn a_sample_is_a_line_as_jmeter_writes_it() {
        let context = JtlContext {
            label: "GET /",
            thread_name: "shoppers 1-17",
            data_type: "text",
            group_threads: 20,
            all_threads: 25,
            url: "http://127.0.0.1/",
            ..JtlContext::default()
        };
        let rows = written(&sample(), &context);
        assert_eq!(
            rows[0].iter().collect::<Vec<_>>().join(","),
            jtl::default_heading()
        );
        assert_eq!(
            rows[1].iter().collect::<Vec<_>>().join(","),
            "1700000001000,101,GET /,200,OK,shoppers 1-17,text,true,,4321,120,20,25,\
             http://127.0.0.1/,90,0,7"
        );
    }

    #[test]
    fn times_are_rounded_to_the_nearest_millisecond() {
        for (ns, ms) in [
            (0, "0"),
            (499_999, "0"),
            (500_000, "1"),
            (1_499_999, "1"),
            (u64::MAX - 1, "18446744073709"),
        ] {
            let mut sample = sample();
            (sample.start_ns, sample.first_byte_ns, sample.end_ns) = (1, 1 + ns, 1 + ns);
            (sample.dns_ns, sample.connect_ns, sample.tls_ns) = (0, ns, 0);
            let rows = written(&sample, &JtlContext::default());
            assert_eq!([1, 14, 16].map(|at| &rows[1][at]), [ms; 3], "{ns} ns");
        }
    }

    #[test]
    fn awkward_texts_come_back() {
        let context = JtlContext {
            label: "say \"hi\", 下单\r\nnext",
            failure_message: "Expected \"a,b\"\nbut got: c",
            ..JtlContext::default()
        };
        let mut failed = sample();
        failed.error = Some(ErrorKind::CheckFailed);
        failed.message = "";
        let rows = written(&failed, &context);
        assert_eq!(rows.len(), 2);
        assert_eq!(&rows[1][2], context.label);
        assert_eq!((&rows[1][3], &rows[1][7]), ("200", "false"));
        assert_eq!(&rows[1][8], context.failure_message);
        assert_eq!(&rows[1][13], "null");
    }

    #[test]
    fn no_response_is_a_java_exception() {
        let mut failed = sample();
        (failed.error, failed.code) = (Some(ErrorKind::ReadTimeout), Code::None);
        (failed.message, failed.first_byte_ns) = ("", 0);
        let row = written(&failed, &JtlContext::default()).remove(1);
        assert_eq!(
            &row[3],
            "Non HTTP response code: java.net.SocketTimeoutException"
        );
        assert_eq!(&row[4], "Non HTTP response message: Read timed out");
        assert_eq!(&row[14], "0");
        failed.message = "reset, twice";
        let row = written(&failed, &JtlContext::default()).remove(1);
        assert_eq!(&row[4], "Non HTTP response message: reset, twice");
        let kept: Vec<_> = ErrorKind::ALL
            .iter()
            .filter(|k| java_exception(**k).is_none())
            .collect();
        let own = [
            ErrorKind::CheckFailed,
            ErrorKind::ScriptFailed,
            ErrorKind::HttpStatus,
        ];
        assert_eq!(kept, own.iter().collect::<Vec<_>>());
    }

    #[test]
    fn parts_of_a_request_are_left_out() {
        let mut hop = sample();
        hop.kind = LabelKind::SubRequest;
        assert_eq!(written(&hop, &JtlContext::default()).len(), 1);
    }
}
