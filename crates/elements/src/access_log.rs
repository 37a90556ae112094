//! The lines of servers' logs, as JMeter's Access Log sampler reads them (JMeter 5.6.3,
//! `TCLogParser`).

const PACKAGE: &str = "org.apache.jmeter.protocol.http.util.accesslog.";
/// The parser that is native: each user reads the whole log by itself.
const PARSER: &str = "TCLogParser";
/// The filter that is native; set up by a plan, it lets all lines through.
const FILTER: &str = "LogFilter";

/// Whether a sampler with this parser and this filter is native. Other parsers share a log
/// between users, and other filters its clients' sessions.
#[must_use]
pub fn is_native(parser: &str, filter: &str) -> bool {
    let is = |class: &str, known: &str| class.strip_prefix(PACKAGE) == Some(known);
    is(parser, PARSER) && (filter.trim().is_empty() || is(filter, FILTER))
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The path.
    pub path: String,
    /// Names, values, and what stands between them: `=` or nothing. As they are written.
    pub arguments: Vec<(String, String, &'static str)>,
}

/// The method of the last line that names one; lines that name none have it, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Method(Option<&'static str>);

const METHODS: [&str; 3] = ["GET", "POST", "HEAD"];

impl Method {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.unwrap_or("GET")
    }

    /// Whether a text holds a method, which then is the method.
    fn is_in(&mut self, text: &str) -> bool {
        let found = METHODS.into_iter().find(|method| text.contains(method));
        self.0 = found.or(self.0);
        found.is_some()
    }
}

/// Reads a line.
#[must_use]
pub fn read(line: &str, method: &mut Method) -> LoggedRequest {
    let url = url_in(line, method);
    let mut parts = url.split('?').filter(|part| !part.is_empty());
    match url.contains('?') {
        false => LoggedRequest {
            path: url.to_owned(),
            arguments: Vec::new(),
        },
        true => LoggedRequest {
            path: parts.next().unwrap_or_default().to_owned(),
            arguments: parts.next().map(arguments).unwrap_or_default(),
        },
    }
}

/// What begins with a slash behind the method, between quotation marks; else the whole line.
fn url_in<'l>(line: &'l str, method: &mut Method) -> &'l str {
    if !line.contains('"') || !method.is_in(line) {
        return line;
    }
    let mut quoted = line.split('"').filter(|part| !part.is_empty());
    let Some(request) = quoted.find(|part| method.is_in(part)) else {
        return line;
    };
    for word in request.split(' ').filter(|word| !word.is_empty()) {
        let named = METHODS
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(word));
        method.0 = named.or(method.0);
        if word.starts_with('/') {
            return word;
        }
    }
    line
}

/// The arguments of a query (JMeter 5.6.3, `HTTPSamplerBase.parseArguments`).
fn arguments(query: &str) -> Vec<(String, String, &'static str)> {
    let parts = query.split('&').map(|part| match part.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned(), "="),
        None => (part.to_owned(), String::new(), ""),
    });
    parts.filter(|(name, ..)| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_servers_write_them() {
        let mut method = Method::default();
        let mut asked = |line: &str| {
            let asked = read(line, &mut method);
            let arguments = asked.arguments.into_iter();
            let arguments: String = arguments.map(|(n, v, m)| format!(" {n}{m}{v}")).collect();
            format!("{} {}{arguments}", method.name(), asked.path)
        };
        let line =
            |request: &str| format!("::1 - - [21/Oct/2003:05:37:21 -0500] \"{request}\" 200 1");
        assert_eq!(asked("/plain"), "GET /plain");
        assert_eq!(
            asked(&line("POST /a?b=1&c&=2&d=e=f HTTP/1.1")),
            "POST /a b=1 c d=e=f"
        );
        assert_eq!(asked("/next?x=%20"), "POST /next x=%20");
        assert_eq!(
            asked(&line("head /a HTTP/1.1")),
            "POST ".to_owned() + &line("head /a HTTP/1.1")
        );
        assert_eq!(asked(&line("HEAD /a?b?c HTTP/1.1")), "HEAD /a b");
        assert_eq!(
            asked(&line("GET http://h/ HTTP/1.1")),
            "GET ".to_owned() + &line("GET http://h/ HTTP/1.1")
        );
        assert_eq!(asked("?a=1"), "GET a=1");
    }

    #[test]
    fn what_is_native() {
        let class = |name: &str| format!("{PACKAGE}{name}");
        assert!(is_native(&class("TCLogParser"), " "));
        assert!(is_native(&class("TCLogParser"), &class("LogFilter")));
        assert!(!is_native(&class("SharedTCLogParser"), ""));
        assert!(!is_native(&class("TCLogParser"), &class("SessionFilter")));
        assert!(!is_native("", ""));
    }
}
