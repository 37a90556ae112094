//! What a result file holds: JMeter 5.6.3's `SampleSaveConfiguration`.

use plimsoll_text::Message;

use crate::context::Properties;
use crate::evaluated::Evaluated;

use super::timestamp::StampPattern;

/// The timestamp's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// Milliseconds since 1970-01-01 UTC.
    Milliseconds,
    /// A pattern of Java's, in local time.
    Pattern(StampPattern),
    /// The pattern is none of Java's: the header names the column and rows lack it.
    Invalid,
}

macro_rules! save_config {
    ($($(#[$doc:meta])* $field:ident, $member:literal, $property:literal, $default:literal;)*) => {
        /// What is saved of a sample, and how.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct SaveConfig {
            $($(#[$doc])* pub $field: bool,)*
            /// Form of the timestamp.
            pub stamp: Stamp,
            /// Between the columns of CSV.
            pub delimiter: char,
            /// A processing instruction for line 2 of XML; empty for none.
            pub xml_pi: String,
        }

        impl SaveConfig {
            fn flags_from(properties: &Properties, rest: Rest) -> Self {
                let truth = |name: &str, default: bool| {
                    properties.get(name).map_or(default, |text| text.eq_ignore_ascii_case("true"))
                };
                Self {
                    $($field: truth(concat!("jmeter.save.saveservice.", $property), $default),)*
                    stamp: rest.stamp,
                    delimiter: rest.delimiter,
                    xml_pi: rest.xml_pi,
                }
            }

            fn flags_of(element: &Evaluated, rest: Rest) -> Self {
                Self {
                    $($field: element.truth($member, false),)*
                    stamp: rest.stamp,
                    delimiter: rest.delimiter,
                    xml_pi: rest.xml_pi,
                }
            }
        }
    };
}

// Field, name in a plan, name of the property behind `jmeter.save.saveservice.`, default.
save_config! {
    /// Elapsed time.
    time, "time", "time", true;
    /// Time to the first byte.
    latency, "latency", "latency", true;
    /// Time to connect.
    connect_time, "connectTime", "connect_time", true;
    /// Start (or end) of the sample. The property is special: see [`Stamp`].
    timestamp, "timestamp", "timestamp_is_saved", true;
    /// Whether it succeeded.
    success, "success", "successful", true;
    /// Label.
    label, "label", "label", true;
    /// Response code.
    code, "code", "response_code", true;
    /// Response message.
    message, "message", "response_message", true;
    /// Thread name.
    thread_name, "threadName", "thread_name", true;
    /// Whether the body is text.
    data_type, "dataType", "data_type", true;
    /// Encoding of the body.
    encoding, "encoding", "encoding", false;
    /// What the assertions found (XML).
    assertions, "assertions", "assertions", true;
    /// Sub-results.
    subresults, "subresults", "subresults", true;
    /// The body (XML).
    response_data, "responseData", "response_data", false;
    /// The body of failed samples (XML).
    response_data_on_error, "responseDataOnError", "response_data.on_error", false;
    /// What was sent (XML).
    sampler_data, "samplerData", "samplerData", false;
    /// XML rather than CSV. The property is special: `output_format` is `xml`.
    xml, "xml", "output_format_is_xml", false;
    /// A header line (CSV).
    field_names, "fieldNames", "print_field_names", true;
    /// Header text of the response (XML).
    response_headers, "responseHeaders", "responseHeaders", false;
    /// Header text of the request (XML).
    request_headers, "requestHeaders", "requestHeaders", false;
    /// The first assertion's message (CSV).
    failure_message, "saveAssertionResultsFailureMessage", "assertion_results_failure_message",
        true;
    /// Address.
    url, "url", "url", true;
    /// Bytes received.
    bytes, "bytes", "bytes", true;
    /// Bytes sent.
    sent_bytes, "sentBytes", "sent_bytes", true;
    /// File that a Save Responses listener wrote.
    file_name, "fileName", "filename", false;
    /// This host.
    hostname, "hostname", "hostname", false;
    /// Users of the group and in all.
    thread_counts, "threadCounts", "thread_counts", true;
    /// Samples and errors that the result stands for.
    sample_count, "sampleCount", "sample_count", false;
    /// Idle time.
    idle_time, "idleTime", "idle_time", true;
}

struct Rest {
    stamp: Stamp,
    is_stamped: bool,
    delimiter: char,
    xml_pi: String,
}

fn property(properties: &Properties, name: &str) -> Option<String> {
    properties.get(&format!("jmeter.save.saveservice.{name}"))
}

impl Rest {
    fn of(properties: &Properties) -> Result<Self, Message> {
        let format = property(properties, "timestamp_format");
        let format = format.as_deref().unwrap_or("ms");
        let is_stamped = !format.eq_ignore_ascii_case("none");
        let stamp = match format {
            _ if format.eq_ignore_ascii_case("ms") => Stamp::Milliseconds,
            _ if !is_stamped => Stamp::Invalid,
            _ => StampPattern::new(format).map_or(Stamp::Invalid, Stamp::Pattern),
        };
        let delimiter = property(properties, "default_delimiter");
        Ok(Self {
            stamp,
            is_stamped,
            delimiter: delimiter_of(delimiter.as_deref().unwrap_or(","))?,
            xml_pi: property(properties, "xml_pi").unwrap_or_default(),
        })
    }
}

/// One printable character that is neither a letter, a digit nor a quote; `\t` for a tab.
fn delimiter_of(text: &str) -> Result<char, Message> {
    let text = if text == r"\t" { "\t" } else { text };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('\t'), None) => Ok('\t'),
        (Some(c), None) if c == ' ' || (c.is_ascii_punctuation() && c != '"') => Ok(c),
        _ => Err(Message::new("jmeter-listener-delimiter").with("found", text)),
    }
}

impl SaveConfig {
    /// As the properties say, with JMeter's defaults: for `-l FILE` and for elements that
    /// carry no configuration.
    ///
    /// # Errors
    /// When the delimiter is none.
    pub fn of_properties(properties: &Properties) -> Result<Self, Message> {
        let rest = Rest::of(properties)?;
        let is_stamped = rest.is_stamped;
        let mut config = Self::flags_from(properties, rest);
        config.timestamp = is_stamped;
        config.xml = property(properties, "output_format").as_deref() == Some("xml");
        Ok(config)
    }

    /// As a plan's element says: a flag that is not there is off. The form of timestamps and
    /// the delimiter are the properties' even so (5.6.3, `SampleSaveConfigurationConverter`).
    ///
    /// # Errors
    /// When the delimiter is none.
    pub fn of_element(element: &Evaluated, properties: &Properties) -> Result<Self, Message> {
        let mut rest = Rest::of(properties)?;
        if !element.text("delimiter").is_empty() {
            rest.delimiter = delimiter_of(element.text("delimiter"))?;
        }
        if element.truth("printMilliseconds", false) {
            rest.stamp = Stamp::Milliseconds;
        }
        Ok(Self::flags_of(element, rest))
    }
}
