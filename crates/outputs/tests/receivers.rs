//! What receivers get is what happened, however the times lie and whatever they respond.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{ExponentialHistogramDataPoint, number_data_point};
use plimsoll_outputs::remote_write::{NativeHistogram, TimeSeries, WriteRequest};
use plimsoll_outputs::{
    LabelPart, LoadInterval, Output, OutputError, OutputSpec, RunBegin, RunPart, open,
};
use plimsoll_stats::{Code, LabelId, LabelInfo, LabelInterval, LabelKind, Sample};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message as _;

/// A receiver that responds as it is told to, and the bodies that it took.
struct Receiver {
    url: String,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Receiver {
    /// Each response is a status and a body; after the last all is taken.
    fn start(mut responses: Vec<(u16, &'static str)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let taken = Arc::clone(&bodies);
        responses.reverse();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                while let Some(body) = request(&mut stream) {
                    let (status, text) = responses.pop().unwrap_or((200, ""));
                    if status == 200 {
                        taken.lock().unwrap().push(body);
                    }
                    let head = format!(
                        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n",
                        text.len()
                    );
                    let stream = stream.get_mut();
                    let _ = stream.write_all(format!("{head}{text}").as_bytes());
                }
            }
        });
        Self { url, bodies }
    }

    fn output(&self, name: &str) -> Box<dyn Output> {
        let mut output = open(&OutputSpec::parse(&format!(
            "{name}={},tag.env=a b",
            self.url
        )))
        .unwrap();
        let run = RunBegin {
            run: "r".to_owned(),
            zero_unix_ns: 1_000_000_000_000_000_000,
            ..RunBegin::default()
        };
        output.begin(&run).unwrap();
        output
    }

    /// What remote write brought, request by request.
    fn written(&self) -> Vec<Vec<TimeSeries>> {
        let bodies = self.bodies.lock().unwrap();
        let decode = |body: &Vec<u8>| {
            let plain = snap::raw::Decoder::new().decompress_vec(body).unwrap();
            WriteRequest::decode(&*plain).unwrap().timeseries
        };
        bodies.iter().map(decode).collect()
    }
}

/// The body of the next request; none at the end.
fn request(stream: &mut BufReader<std::net::TcpStream>) -> Option<Vec<u8>> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

/// A second in which one label's requests took these times.
fn second(at: u64, times_ns: &[u64]) -> LoadInterval {
    let mut did = LabelInterval::default();
    for &time in times_ns {
        did.record(&Sample {
            label: LabelId(0),
            kind: LabelKind::Request,
            parent: None,
            user: 0,
            iteration: 0,
            code: Code::Http(200),
            message: "",
            error: None,
            sent_bytes: 10,
            received_bytes: 20,
            intended_ns: 0,
            ready_ns: 0,
            start_ns: 0,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: 0,
            end_ns: time,
            lag_ns: 0,
        });
    }
    LoadInterval {
        from_s: at,
        to_s: at + 1,
        part: RunPart::Measured,
        labels: vec![LabelPart {
            label: LabelInfo {
                id: LabelId(0),
                name: "GET /".to_owned(),
                kind: LabelKind::Request,
                parent: None,
            },
            did,
        }],
        users_active: at,
        in_flight: 2,
    }
}

fn value<'l>(series: &'l TimeSeries, name: &str) -> Option<&'l str> {
    let label = series.labels.iter().find(|label| label.name == name)?;
    Some(&label.value)
}

/// The one number of a metric.
fn number(written: &[TimeSeries], name: &str, more: Option<(&str, &str)>) -> f64 {
    let mut found = written.iter().filter(|series| {
        value(series, "__name__") == Some(name)
            && more.is_none_or(|(name, wanted)| value(series, name) == Some(wanted))
    });
    let series = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none(), "{name} twice");
    series.samples[0].value
}

/// The upper bound of each bucket with what lies up to it, from a native histogram.
fn native_bounds(histogram: &NativeHistogram) -> Vec<(f64, u64)> {
    let growth = 2_f64.powf(2_f64.powi(-histogram.schema));
    let (mut place, mut count, mut sum) = (0, 0, histogram.zero_count_int);
    let mut deltas = histogram.positive_deltas.iter();
    let mut bounds = Vec::new();
    for span in &histogram.positive_spans {
        place += span.offset;
        for _ in 0..span.length {
            count += deltas.next().unwrap();
            sum += u64::try_from(count).unwrap();
            bounds.push((growth.powi(place), sum));
            place += 1;
        }
    }
    assert!(deltas.next().is_none());
    bounds
}

/// The same of OpenTelemetry's.
fn otlp_bounds(point: &ExponentialHistogramDataPoint) -> Vec<(f64, u64)> {
    let growth = 2_f64.powf(2_f64.powi(-point.scale));
    let buckets = point.positive.as_ref().unwrap();
    let mut sum = point.zero_count;
    let bound = |(at, count): (usize, &u64)| {
        sum += count;
        let place = buckets.offset + i32::try_from(at).unwrap() + 1;
        (growth.powi(place), sum)
    };
    buckets
        .bucket_counts
        .iter()
        .enumerate()
        .map(bound)
        .collect()
}

/// Each bound has below it what was timed below it, but for times next to the bound.
fn check_bounds(bounds: &[(f64, u64)], times_ns: &[u64]) -> Result<(), TestCaseError> {
    let below = |limit: f64| {
        times_ns
            .iter()
            .filter(|ns| **ns as f64 / 1e9 <= limit)
            .count() as u64
    };
    for (bound, count) in bounds {
        let (least, most) = (below(bound * 0.998), below(bound * 1.002));
        prop_assert!(
            (least..=most).contains(count),
            "{bound}: {count}, {least} to {most}"
        );
    }
    if let Some((_, last)) = bounds.last() {
        prop_assert_eq!(*last, times_ns.len() as u64);
    } else {
        prop_assert!(times_ns.iter().all(|ns| *ns == 0));
    }
    Ok(())
}

fn times() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let time = prop_oneof![
        0..3_u64,
        1..100_000_u64,
        1..20_000_000_000_u64,
        Just(u64::from(u32::MAX))
    ];
    vec(vec(time, 1..30), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn remote_write_has_the_sums_since_the_begin(seconds in times(), busy in 0..3_usize) {
        // The first attempts are refused for the moment.
        let receiver = Receiver::start(vec![(503, "later"); busy]);
        let mut output = receiver.output("prometheus");
        for _ in 0..busy {
            let refused = output.interval(&second(0, &seconds[0]));
            prop_assert!(matches!(refused, Err(OutputError::Later(_))), "{refused:?}");
        }
        for (at, times) in (0..).zip(&seconds) {
            output.interval(&second(at, times)).unwrap();
        }
        let all: Vec<u64> = seconds.concat();
        let written = receiver.written();
        prop_assert_eq!(written.len(), seconds.len());
        let last = written.last().unwrap();
        prop_assert_eq!(number(last, "plimsoll_requests_total", None), all.len() as f64);
        prop_assert_eq!(number(last, "plimsoll_received_bytes_total", None), 20.0 * all.len() as f64);
        prop_assert_eq!(number(last, "plimsoll_response_time_seconds_count", None), all.len() as f64);
        prop_assert_eq!(
            number(last, "plimsoll_response_time_seconds_bucket", Some(("le", "+Inf"))),
            all.len() as f64
        );
        let native = last.iter().find_map(|series| series.histograms.first()).unwrap();
        prop_assert_eq!(native.count_int, all.len() as u64);
        check_bounds(&native_bounds(native), &all)?;
        for series in written.iter().flatten() {
            let names: Vec<&String> = series.labels.iter().map(|label| &label.name).collect();
            prop_assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
            prop_assert_eq!(value(series, "env"), Some("a b"));
        }
    }

    #[test]
    fn otlp_has_the_sums_since_the_begin(seconds in times()) {
        let receiver = Receiver::start(Vec::new());
        let mut output = receiver.output("otlp");
        for (at, times) in (0..).zip(&seconds) {
            output.interval(&second(at, times)).unwrap();
        }
        let all: Vec<u64> = seconds.concat();
        let bodies = receiver.bodies.lock().unwrap();
        let request = ExportMetricsServiceRequest::decode(&**bodies.last().unwrap()).unwrap();
        let metrics = &request.resource_metrics[0].scope_metrics[0].metrics;
        let of = |name: &str| metrics.iter().find(|metric| metric.name == name).unwrap().data.clone();
        let Some(Data::Sum(requests)) = of("plimsoll.requests") else { panic!("no sum") };
        prop_assert!(requests.is_monotonic);
        let count = i64::try_from(all.len()).unwrap();
        prop_assert_eq!(requests.data_points[0].value, Some(number_data_point::Value::AsInt(count)));
        let Some(Data::ExponentialHistogram(times)) = of("plimsoll.response_time") else { panic!("none") };
        let point = &times.data_points[0];
        prop_assert_eq!(point.count, all.len() as u64);
        prop_assert!(point.positive.as_ref().unwrap().bucket_counts.len() <= 160);
        check_bounds(&otlp_bounds(point), &all)?;
    }
}

#[test]
fn a_receiver_without_native_histograms_gets_the_classic_ones() {
    let receiver = Receiver::start(vec![(500, "append: native histograms are disabled")]);
    let mut output = receiver.output("prometheus");
    output
        .interval(&second(0, &[2_000_000, 700_000_000]))
        .unwrap();
    let written = receiver.written();
    assert!(written[0].iter().all(|series| series.histograms.is_empty()));
    let up_to = |le| {
        number(
            &written[0],
            "plimsoll_response_time_seconds_bucket",
            Some(("le", le)),
        )
    };
    assert_eq!(
        (up_to("0.001"), up_to("0.005"), up_to("0.5"), up_to("1")),
        (0.0, 1.0, 1.0, 2.0)
    );
}

#[test]
fn what_a_collector_rejects_is_told() {
    use opentelemetry_proto::tonic::collector::metrics::v1::{
        ExportMetricsPartialSuccess, ExportMetricsServiceResponse,
    };
    let response = ExportMetricsServiceResponse {
        partial_success: Some(ExportMetricsPartialSuccess {
            rejected_data_points: 3,
            error_message: "too many".to_owned(),
        }),
    };
    let text = String::from_utf8(response.encode_to_vec()).unwrap();
    let receiver = Receiver::start(vec![(200, text.leak())]);
    let refused = receiver.output("otlp").interval(&second(0, &[1]));
    assert_eq!(refused, Err(OutputError::Refused("too many".to_owned())));
}

#[test]
fn a_receiver_that_reads_nothing_holds_an_output_for_seconds_only() {
    // Connections are taken by the kernel, and nobody reads from them.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = format!("influxdb=http://{}/write", listener.local_addr().unwrap());
    let mut output = open(&OutputSpec::parse(&spec)).unwrap();
    let mut interval = second(0, &[1]);
    let one = interval.labels[0].clone();
    // More than any buffer takes.
    interval.labels = (0..60_000)
        .map(|id| {
            let mut label = one.clone();
            label.label.id = LabelId(id);
            label.label.name = format!("{id} {}", "x".repeat(100));
            label
        })
        .collect();
    let (told, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(output.interval(&interval)));
    let taken = heard.recv_timeout(std::time::Duration::from_secs(60));
    assert!(matches!(taken, Ok(Err(OutputError::Later(_)))), "{taken:?}");
}
