//! What the plugin makes of a raw response (jpgc-httpraw, `HTTPRawSampler.parseResponse`, which reads with Java's
//! `Scanner`).

use plimsoll_elements::SampleResult;

/// Code, message, headers and body of a response, where it begins with a status line.
///
/// # Errors
/// An exception of Java's, which ends the thread's pass.
pub(super) fn parse(result: &mut SampleResult) -> Result<(), &'static str> {
    let text = result.text().into_owned();
    let mut rest = text.as_str();
    let Some((code, message)) = next_line(&mut rest).and_then(status) else {
        return Ok(());
    };
    (result.code, result.message) = (code, message);
    if rest.is_empty() {
        return Ok(());
    }
    let mut headers = String::new();
    while let Some(line) = next_line(&mut rest).filter(|line| !line.is_empty()) {
        headers.push_str(line);
        headers.push_str("\r\n");
    }
    result.response_headers = headers;
    // The body is the scanner's next token: one line end before it is left out, and with the next one it ends.
    let rest = rest.strip_prefix("\r\n").unwrap_or(rest);
    let body = rest.split("\r\n").next().unwrap_or_default();
    if body.is_empty() && !rest.is_empty() {
        return Err("java.util.InputMismatchException");
    }
    result.body = body.as_bytes().to_vec();
    Ok(())
}

/// The next line, by Java's line ends; none: there is no more text.
fn next_line<'t>(rest: &mut &'t str) -> Option<&'t str> {
    if rest.is_empty() {
        return None;
    }
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let Some((at, end)) = rest.char_indices().find(|(_, c)| is_end(*c)) else {
        return Some(std::mem::take(rest));
    };
    let line = &rest[..at];
    let behind = &rest[at..];
    *rest = match behind.strip_prefix("\r\n") {
        Some(next) => next,
        None => &behind[end.len_utf8()..],
    };
    Some(line)
}

/// Code and message of a status line.
fn status(line: &str) -> Option<(String, String)> {
    let (_, behind) = line.split_once(' ')?;
    let (code, message) = behind.split_once(' ')?;
    let trim = |text: &str| text.trim_matches(|c: char| c <= ' ').to_owned();
    let code = trim(code);
    let number: i32 = code.parse().ok()?;
    (100..=599).contains(&number).then(|| (code, trim(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, String, String, String) {
        let mut result = SampleResult {
            code: "200".to_owned(),
            body: text.as_bytes().to_vec(),
            ..SampleResult::new("raw")
        };
        if let Err(exception) = parse(&mut result) {
            return (
                exception.to_owned(),
                String::new(),
                String::new(),
                String::new(),
            );
        }
        let body = result.text().into_owned();
        (result.code, result.message, result.response_headers, body)
    }

    fn four(a: &str, b: &str, c: &str, d: &str) -> (String, String, String, String) {
        (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned())
    }

    #[test]
    fn a_response_has_a_status_headers_and_a_body() {
        let text = "HTTP/1.1 404 Not Found\r\nA: 1\r\nB: 2\r\n\r\nbody";
        assert_eq!(
            parsed(text),
            four("404", "Not Found", "A: 1\r\nB: 2\r\n", "body")
        );
        let text = "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n";
        assert_eq!(parsed(text), four("200", "OK", "A: 1\r\n", ""));
        let text = "HTTP/1.1 200 OK\nA: 1\n\nline\nline";
        assert_eq!(parsed(text), four("200", "OK", "A: 1\r\n", "line\nline"));
    }

    #[test]
    fn the_body_is_one_token_of_javas_scanner() {
        let head = "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n";
        let body = |text: &str| parsed(&format!("{head}{text}"));
        assert_eq!(body("a\r\nb").3, "a");
        assert_eq!(body("\r\na\r\nb").3, "a");
        assert_eq!(body("\r\n").3, "");
        assert_eq!(body("\r\n\r\nb").0, "java.util.InputMismatchException");
    }

    #[test]
    fn what_has_no_status_line_stays_as_it_is() {
        for text in [
            "",
            "hello",
            "a b",
            "HTTP/1.1 99 x\r\n",
            "HTTP/1.1 600 x",
            "HTTP/1.1 abc x\r\ny",
        ] {
            assert_eq!(parsed(text), four("200", "", "", text), "{text:?}");
        }
        let status_alone = "HTTP/1.0 204 No Content\r\n";
        assert_eq!(
            parsed(status_alone),
            four("204", "No Content", "", status_alone)
        );
    }
}
