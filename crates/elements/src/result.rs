//! What a sampler brought back: JMeter's `SampleResult`, as a tree.

/// What the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataType {
    /// Not said.
    #[default]
    Unknown,
    /// Text.
    Text,
    /// Anything else.
    Binary,
}

impl DataType {
    /// JMeter's word for it, in result files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Text => "text",
            Self::Binary => "bin",
        }
    }
}

/// What an assertion found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AssertionResult {
    /// The assertion's name.
    pub name: String,
    /// The assertion does not hold.
    pub failure: bool,
    /// The assertion could not be checked.
    pub error: bool,
    /// Why. JMeter tells a message that is not there from an empty one.
    pub message: Option<String>,
}

impl AssertionResult {
    /// The message; empty when there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.message.as_deref().unwrap_or_default()
    }
}

/// What a sampler brought back. Times are milliseconds, as in JMeter; the engine keeps its
/// own nanoseconds beside this.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleResult {
    /// Label.
    pub label: String,
    /// It came from an HTTP sampler (`httpSample` in XML).
    pub http: bool,
    /// It succeeded.
    pub success: bool,
    /// Response code; not always a number.
    pub code: String,
    /// Response message.
    pub message: String,
    /// The user that made it.
    pub thread_name: String,
    /// Start: milliseconds since 1970-01-01 UTC.
    pub start_unix_ms: u64,
    /// End: milliseconds since 1970-01-01 UTC.
    pub end_unix_ms: u64,
    /// From start to end, without idle time.
    pub elapsed_ms: u64,
    /// Time within it that is not its own (timers and processors within a transaction).
    pub idle_ms: u64,
    /// To the first byte of the response.
    pub latency_ms: u64,
    /// To the connection.
    pub connect_ms: u64,
    /// What the body is.
    pub data_type: DataType,
    /// `Content-Type` of the response.
    pub content_type: String,
    /// Encoding of the body as the response says, if it does.
    pub encoding: Option<String>,
    /// The body, decoded from any content coding.
    pub body: Vec<u8>,
    /// The request's headers, a line each, as JMeter shows them.
    pub request_headers: String,
    /// Status line and headers of the response, a line each.
    pub response_headers: String,
    /// What was sent, for samplers that are not HTTP; JMeter tells nothing from an empty text.
    pub sampler_data: Option<String>,
    /// HTTP method.
    pub method: String,
    /// Body or query of the request, as JMeter shows it.
    pub query: String,
    /// The `Cookie` header sent, as JMeter shows it.
    pub cookies: String,
    /// Where a redirect led.
    pub redirect_location: String,
    /// Address.
    pub url: Option<String>,
    /// Bytes received: headers and body as they came.
    pub received_bytes: u64,
    /// Of these, headers.
    pub header_bytes: u64,
    /// Of these, the body as it came.
    pub body_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Users of the group at its end.
    pub group_threads: u32,
    /// All users at its end.
    pub all_threads: u32,
    /// Samples that it stands for.
    pub samples: u32,
    /// Of these, errors, when it stands for several; else by its success.
    pub errors: u32,
    /// What its assertions found.
    pub assertions: Vec<AssertionResult>,
    /// What it consists of: redirects, embedded resources, a transaction's requests.
    pub parts: Vec<SampleResult>,
    /// Name of the file a Save Responses listener wrote.
    pub file_name: String,
    /// It is not to be told to listeners, nor counted.
    pub ignored: bool,
}

impl SampleResult {
    /// A result that succeeded and stands for one sample.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            samples: 1,
            ..Self::default()
        }
    }

    /// Sets code and message of a success (`200`, `OK`), and the success.
    pub fn ok(&mut self) {
        "200".clone_into(&mut self.code);
        "OK".clone_into(&mut self.message);
        self.success = true;
    }

    /// The body as text, in the encoding of the response (UTF-8 if it names none).
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        crate::result::decode(&self.body, self.encoding.as_deref())
    }

    /// What was sent by a sampler that is not HTTP; empty when there is nothing.
    #[must_use]
    pub fn sent(&self) -> &str {
        self.sampler_data.as_deref().unwrap_or_default()
    }

    /// What was sent, as JMeter shows it (`getSamplerData`): for HTTP made from its parts.
    #[must_use]
    pub fn request_text(&self) -> std::borrow::Cow<'_, str> {
        if !self.http {
            return std::borrow::Cow::Borrowed(self.sent());
        }
        let Some(url) = &self.url else {
            return format!("{}{}", self.method, self.sent()).into();
        };
        let mut text = format!("{} {url}\n", self.method);
        if !matches!(self.method.as_str(), "HEAD" | "OPTIONS" | "TRACE") {
            text += &format!("\n{} data:\n{}\n", self.method, self.query);
        }
        text += &match self.cookies.as_str() {
            "" => "\n[no cookies]".to_owned(),
            cookies => format!("\nCookie Data:\n{cookies}"),
        };
        text.push('\n');
        text += self.sent();
        text.into()
    }

    /// Adds a part: its bytes count, and the whole lasts until its end (JMeter 5.6.3,
    /// `addSubResult`). The label is as [`SampleResult::keep_part`] says.
    pub fn add_part(&mut self, part: Self, renames: bool) {
        self.end_unix_ms = self.end_unix_ms.max(part.end_unix_ms);
        let whole_ms = self.end_unix_ms.saturating_sub(self.start_unix_ms);
        self.elapsed_ms = whole_ms.saturating_sub(self.idle_ms);
        self.header_bytes += part.header_bytes;
        self.body_bytes += part.body_bytes;
        self.received_bytes += part.received_bytes;
        self.sent_bytes += part.sent_bytes;
        self.keep_part(part, renames);
    }

    /// Puts a part into a result that stands for it already. When `renames` is set, the part gets
    /// the label of the whole and its number ([`crate::ThreadInfo::renames_parts`]).
    pub fn keep_part(&mut self, mut part: Self, renames: bool) {
        if renames {
            part.label = format!("{}-{}", self.label, self.parts.len());
        }
        self.parts.push(part);
    }

    /// The first message of its assertions, which may be an empty one (JMeter's
    /// `getFirstAssertionFailureMessage`).
    #[must_use]
    pub fn first_assertion_message(&self) -> Option<&str> {
        self.assertions.iter().find_map(|it| it.message.as_deref())
    }

    /// How many errors it stands for.
    #[must_use]
    pub fn error_count(&self) -> u32 {
        match self.samples {
            0 | 1 => u32::from(!self.success),
            _ => self.errors,
        }
    }
}

/// Bytes as text in an encoding named by its WHATWG label; unknown ones are read as UTF-8.
#[must_use]
pub fn decode<'b>(bytes: &'b [u8], encoding: Option<&str>) -> std::borrow::Cow<'b, str> {
    let known = encoding.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    let encoding = known.unwrap_or(encoding_rs::UTF_8);
    encoding.decode_without_bom_handling(bytes).0
}
