//! The messages of Prometheus' remote write 1.0, as far as they are sent
//! (<https://prometheus.io/docs/specs/prw/remote_write_spec/>; histograms: `prompb/types.proto` of 2.40).

/// A request.
#[derive(Clone, PartialEq, prost::Message)]
pub struct WriteRequest {
    /// What is written.
    #[prost(message, repeated, tag = "1")]
    pub timeseries: Vec<TimeSeries>,
}

/// Values of one series.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TimeSeries {
    /// What it is known by, sorted by name; `__name__` is the metric.
    #[prost(message, repeated, tag = "1")]
    pub labels: Vec<WriteLabel>,
    /// Numbers.
    #[prost(message, repeated, tag = "2")]
    pub samples: Vec<PointSample>,
    /// Histograms.
    #[prost(message, repeated, tag = "4")]
    pub histograms: Vec<NativeHistogram>,
}

/// A name and a value.
#[derive(Clone, PartialEq, prost::Message)]
pub struct WriteLabel {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// A number at a moment.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PointSample {
    /// The number.
    #[prost(double, tag = "1")]
    pub value: f64,
    /// When, Unix milliseconds.
    #[prost(int64, tag = "2")]
    pub timestamp: i64,
}

/// A native histogram of whole counts.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NativeHistogram {
    /// Values in all.
    #[prost(uint64, tag = "1")]
    pub count_int: u64,
    /// Their sum.
    #[prost(double, tag = "3")]
    pub sum: f64,
    /// Buckets grow by 2^(1/2^schema).
    #[prost(sint32, tag = "4")]
    pub schema: i32,
    /// Values up to this are zero.
    #[prost(double, tag = "5")]
    pub zero_width: f64,
    /// Values that are zero.
    #[prost(uint64, tag = "6")]
    pub zero_count_int: u64,
    /// Which buckets have counts.
    #[prost(message, repeated, tag = "11")]
    pub positive_spans: Vec<BucketSpan>,
    /// Each bucket's count less that of the one before.
    #[prost(sint64, repeated, tag = "12")]
    pub positive_deltas: Vec<i64>,
    /// When, Unix milliseconds.
    #[prost(int64, tag = "15")]
    pub timestamp: i64,
}

/// Buckets side by side.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct BucketSpan {
    /// The place of the first, or the gap to the span before.
    #[prost(sint32, tag = "1")]
    pub offset: i32,
    /// How many.
    #[prost(uint32, tag = "2")]
    pub length: u32,
}
