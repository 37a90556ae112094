//! Lines of the access log by their `log_format`, and guessed where that is not known.

use serde_json::Value;

/// What a line tells of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AccessLogEntry {
    pub(super) status: Option<u16>,
    pub(super) body_bytes: Option<f64>,
    pub(super) request_s: Option<f64>,
    /// As nginx writes them: lists of all upstreams that were tried.
    pub(super) upstreams: String,
    pub(super) upstream_s: String,
    pub(super) connect_s: String,
}

/// Variables that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogVariable {
    Status,
    BodyBytes,
    RequestTime,
    UpstreamAddress,
    UpstreamTime,
    ConnectTime,
    Other,
}

impl LogVariable {
    /// By the names of nginx, and short ones that formats like to use.
    fn named(name: &str) -> Self {
        match name {
            "status" => Self::Status,
            "body_bytes_sent" | "bytes_sent" | "size" => Self::BodyBytes,
            "request_time" | "rt" | "responsetime" => Self::RequestTime,
            "upstream_addr" | "upstream" => Self::UpstreamAddress,
            "upstream_response_time" | "urt" | "upstreamtime" => Self::UpstreamTime,
            "upstream_connect_time" | "uct" => Self::ConnectTime,
            _ => Self::Other,
        }
    }
}

impl AccessLogEntry {
    fn put(&mut self, variable: LogVariable, value: &str) {
        let number = || value.parse::<f64>().ok().filter(|n| n.is_finite());
        match variable {
            LogVariable::Status => self.status = value.parse().ok(),
            LogVariable::BodyBytes => self.body_bytes = number(),
            LogVariable::RequestTime => self.request_s = number(),
            LogVariable::UpstreamAddress => value.clone_into(&mut self.upstreams),
            LogVariable::UpstreamTime => value.clone_into(&mut self.upstream_s),
            LogVariable::ConnectTime => value.clone_into(&mut self.connect_s),
            LogVariable::Other => {}
        }
    }

    /// Each upstream that was tried: address, time of the response and of the connect, seconds.
    pub(super) fn tries(&self) -> impl Iterator<Item = (&str, Option<f64>, Option<f64>)> {
        let seconds = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok());
        let mut addresses = list(&self.upstreams);
        let mut times = list(&self.upstream_s);
        let mut connects = list(&self.connect_s);
        std::iter::from_fn(move || {
            let (address, time, connect) = (addresses.next(), times.next(), connects.next());
            if address.is_none() && time.is_none() && connect.is_none() {
                return None;
            }
            let address = address.map_or("unknown", str::trim);
            Some((address, seconds(time), seconds(connect)))
        })
        .filter(|(address, time, _)| *address != "-" && time.is_some_and(|time| time >= 0.0))
    }
}

/// Upstreams of one try are separated by commas, those of an internal redirect by colons.
fn list(text: &str) -> impl Iterator<Item = &str> {
    let comma = text.split(", ").flat_map(|part| part.split(" : "));
    comma.filter(|part| !part.is_empty())
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FormatPiece {
    Text(String),
    Variable(LogVariable),
}

/// A `log_format`, ready to read lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogFormat {
    pieces: Vec<FormatPiece>,
    /// More may follow that is not known.
    open: bool,
}

/// What nginx writes unless told otherwise.
const COMBINED: &str = "$remote_addr - $remote_user [$time_local] \"$request\" $status \
                        $body_bytes_sent \"$http_referer\" \"$http_user_agent\"";

impl LogFormat {
    /// Reads the text of a `log_format`, `combined` included.
    pub(super) fn new(text: &str) -> Self {
        let text = if text == "combined" { COMBINED } else { text };
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            if at > 0 {
                pieces.push(FormatPiece::Text(rest[..at].to_owned()));
            }
            rest = &rest[at + 1..];
            let (name, after) = match rest.strip_prefix('{') {
                Some(inside) => inside.split_once('}').unwrap_or((inside, "")),
                None => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len()))
                }
            };
            pieces.push(FormatPiece::Variable(LogVariable::named(name)));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(FormatPiece::Text(rest.to_owned()));
        }
        Self {
            pieces,
            open: false,
        }
    }

    /// The format to begin with when it is not known.
    pub(super) fn guess() -> Self {
        Self {
            open: true,
            ..Self::new("combined")
        }
    }

    /// Reads a line; none when it has another form.
    pub(super) fn read(&self, line: &str) -> Option<AccessLogEntry> {
        if self.open && line.starts_with('{') {
            return json(line);
        }
        let mut entry = AccessLogEntry::default();
        let mut rest = line;
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                FormatPiece::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                FormatPiece::Variable(variable) => {
                    let end = match pieces.peek() {
                        Some(FormatPiece::Text(text)) => end_of(rest, text)?,
                        Some(FormatPiece::Variable(_)) => 0,
                        None if self.open => rest.find('"').unwrap_or(rest.len()),
                        None => rest.len(),
                    };
                    entry.put(*variable, &rest[..end]);
                    rest = &rest[end..];
                }
            }
        }
        if self.open {
            pairs(rest, &mut entry);
        }
        entry.status.map(|_| entry)
    }
}

/// Where a value ends before that text. A list goes on after its comma.
fn end_of(line: &str, text: &str) -> Option<usize> {
    let mut end = line.find(text)?;
    while text.starts_with(' ') && line[..end].ends_with(',') {
        end += 1 + line[end + 1..].find(text)?;
    }
    Some(end)
}

/// `rt=0.012 urt="0.010, 0.002"`: what people add to the end of the combined format.
fn pairs(rest: &str, entry: &mut AccessLogEntry) {
    let mut rest = rest;
    while let Some((before, after)) = rest.split_once(['=', ':']) {
        let name = before.rsplit([' ', '"', ',']).find(|name| !name.is_empty());
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => {
                let end = end_of(after, " ").unwrap_or(after.len());
                after.split_at(end)
            }
        };
        match name.map(|name| LogVariable::named(name.trim_start_matches('$'))) {
            // The agent's own text may hold anything.
            None | Some(LogVariable::Status | LogVariable::Other) => {}
            Some(variable) => entry.put(variable, value),
        }
        rest = next;
    }
}

/// A line that is a JSON object with names of nginx.
fn json(line: &str) -> Option<AccessLogEntry> {
    let Value::Object(fields) = serde_json::from_str(line).ok()? else {
        return None;
    };
    let mut entry = AccessLogEntry::default();
    for (name, value) in &fields {
        let variable = LogVariable::named(name);
        match value {
            Value::String(text) => entry.put(variable, text),
            Value::Number(number) => entry.put(variable, &number.to_string()),
            _ => {}
        }
    }
    entry.status.map(|_| entry)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "127.0.0.1 - - [22/Nov/2026:03:04:05 +0800] \"GET /a?b=\\x22 HTTP/1.1\" 502 157 \
                        \"-\" \"curl/8 status=9\"";

    fn tries(entry: &AccessLogEntry) -> Vec<(&str, Option<f64>, Option<f64>)> {
        entry.tries().collect()
    }

    #[test]
    fn formats_that_are_known() {
        let combined = LogFormat::new("combined").read(LINE).unwrap();
        assert_eq!(
            (combined.status, combined.body_bytes),
            (Some(502), Some(157.0))
        );
        let timed =
            LogFormat::new("$status $request_time $upstream_response_time ${upstream_addr}|$x");
        let entry = timed
            .read("200 0.250 0.1, 0.2 10.0.0.1:80, 10.0.0.2:80|y")
            .unwrap();
        assert_eq!(entry.request_s, Some(0.25));
        assert_eq!(
            tries(&entry),
            [
                ("10.0.0.1:80", Some(0.1), None),
                ("10.0.0.2:80", Some(0.2), None)
            ]
        );
        let json = LogFormat::new("{\"status\":\"$status\",\"rt\":$request_time}");
        assert_eq!(
            json.read("{\"status\":\"404\",\"rt\":0.001}")
                .unwrap()
                .request_s,
            Some(0.001)
        );
        for other in ["", "200", "200 0.1", LINE] {
            assert_eq!(timed.read(other), None, "{other}");
        }
    }

    #[test]
    fn formats_that_are_guessed() {
        let guess = LogFormat::guess();
        let plain = guess.read(LINE).unwrap();
        assert_eq!((plain.status, plain.request_s), (Some(502), None));
        let line = format!("{LINE} rt=0.5 uct=\"0.000\" urt=\"0.3, 0.2\" upstream=a:1, b:2 x=y");
        let entry = guess.read(&line).unwrap();
        assert_eq!((entry.status, entry.request_s), (Some(502), Some(0.5)));
        assert_eq!(
            tries(&entry),
            [("a:1", Some(0.3), Some(0.0)), ("b:2", Some(0.2), None)]
        );
        let entry = guess
            .read("{\"status\": 200, \"request_time\": \"0.25\"}")
            .unwrap();
        assert_eq!((entry.status, entry.request_s), (Some(200), Some(0.25)));
        assert_eq!(guess.read("something else"), None);
    }

    #[test]
    fn requests_without_an_upstream_have_no_tries() {
        let entry = AccessLogEntry {
            upstreams: "-".to_owned(),
            upstream_s: "-".to_owned(),
            ..AccessLogEntry::default()
        };
        assert!(tries(&entry).is_empty());
    }

    proptest! {
        #[test]
        fn any_line_is_taken(format in "([$][{]?[a-z_]*[}]?|\\PC)*", line in "\\PC*", tail in "[=:\", a-z0-9]*") {
            for format in [LogFormat::new(&format), LogFormat::guess()] {
                let lines = [line.clone(), format!("{LINE} {tail}"), format!("{LINE}{line}")];
                for entry in lines.iter().filter_map(|line| format.read(line)) {
                    let _ = entry.tries().count();
                }
            }
        }
    }
}
