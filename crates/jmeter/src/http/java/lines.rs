//! The headers of a request, as Java's `MessageHeader` keeps and shows them.

use super::super::failure::HttpProblem;
use super::super::head::is_credential;
use crate::java_map::in_map_order;

/// Headers in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JavaLines(Vec<(String, String)>);

impl JavaLines {
    /// Adds a header.
    ///
    /// # Errors
    /// A line end where none may be, as Java says it.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), HttpProblem> {
        check(name, value)?;
        self.0.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Gives the last header of this name, in any case, another value, or adds it.
    ///
    /// # Errors
    /// As [`JavaLines::add`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), HttpProblem> {
        let mut found = self.0.iter_mut().rev();
        match found.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, known)) => {
                check(name, value)?;
                value.clone_into(known);
                Ok(())
            }
            None => self.add(name, value),
        }
    }

    /// Adds a header of Java's own, if there is none of this name.
    pub fn set_absent(&mut self, name: &str, value: &str) {
        if self.get(name).is_none() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Takes away what says who asks: it is for one host alone.
    pub fn drop_credentials(&mut self) {
        self.0.retain(|(name, _)| !is_credential(name.as_bytes()));
    }

    /// The value of the last header of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().rev();
        let found = found.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Writes the head of a request.
    pub fn write(&self, method: &str, target: &str, out: &mut Vec<u8>) {
        for part in [method, " ", target, " HTTP/1.1\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
        for (name, value) in &self.0 {
            for part in [name, ": ", value, "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        out.extend_from_slice(b"\r\n");
    }

    /// The headers as JMeter shows them: all but cookies and credentials, in the order of Java's
    /// map, of one name the last first.
    #[must_use]
    pub fn shown(&self) -> String {
        const HIDDEN: [&str; 3] = ["cookie", "authorization", "proxy-authorization"];
        let mut by_name: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, value) in self.0.iter().rev() {
            if HIDDEN
                .iter()
                .any(|hidden| name.eq_ignore_ascii_case(hidden))
            {
                continue;
            }
            match by_name.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => values.push(value),
                None => by_name.push((name, vec![value])),
            }
        }
        let mut shown = String::new();
        for (name, values) in in_map_order(by_name, |(name, _)| name) {
            for value in values {
                shown += &format!("{name}: {value}\n");
            }
        }
        shown
    }

    /// The plan's own cookie headers, as JMeter shows them.
    #[must_use]
    pub fn cookies(&self) -> String {
        let is_cookie = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("cookie");
        let values = self.0.iter().rev().filter(is_cookie);
        let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
        values.join("\nCookie: ").trim().to_owned()
    }
}

/// A header must stay one: a line may only go on with a blank.
fn check(name: &str, value: &str) -> Result<(), HttpProblem> {
    let bad = |what: &str, text: &str| {
        let message = format!("Illegal character(s) in message header {what}: {text}");
        Err(HttpProblem::new("java.lang.IllegalArgumentException", message).bare())
    };
    if name.contains(['\n', '\r', ':']) {
        return bad("field", name);
    }
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('\n') {
        if !after.starts_with([' ', '\t']) {
            return bad("value", value);
        }
        rest = after;
    }
    if value.contains('\r') && !value.contains('\n') {
        return bad("value", value);
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lines(given: &[(&str, &str)]) -> JavaLines {
        let mut lines = JavaLines::default();
        for (name, value) in given {
            lines.add(name, value).unwrap();
        }
        lines
    }

    #[test]
    fn headers_are_shown_in_the_order_of_javas_map() {
        let shown = lines(&[
            ("Connection", "keep-alive"),
            ("X-Twice", "1"),
            ("Cookie", "a=1"),
            ("X-Twice", "2"),
            ("authorization", "secret"),
            ("User-Agent", "test"),
        ]);
        // As JMeter 5.6.3 shows them.
        let expected = "X-Twice: 2\nX-Twice: 1\nUser-Agent: test\nConnection: keep-alive\n";
        assert_eq!(shown.shown(), expected);
        assert_eq!(shown.cookies(), "a=1");
    }

    #[test]
    fn the_last_of_a_name_is_set_in_its_place() {
        let mut it = lines(&[("B", "1"), ("b", "2"), ("c", "3")]);
        it.set("B", "4").unwrap();
        it.set_absent("C", "5");
        it.set_absent("d", "6");
        let mut out = Vec::new();
        it.write("GET", "/x", &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "GET /x HTTP/1.1\r\nB: 1\r\nb: 4\r\nc: 3\r\nd: 6\r\n\r\n"
        );
    }

    #[test]
    fn a_header_cannot_become_two() {
        let mut it = JavaLines::default();
        for (name, value) in [
            ("a", "b\r\nc: d"),
            ("a", "b\nc"),
            ("a\nb", "c"),
            ("a", "b\rc"),
        ] {
            let problem = it.add(name, value).unwrap_err();
            assert_eq!(problem.class, "java.lang.IllegalArgumentException");
            assert!(it.set(name, value).is_err());
        }
        assert!(it.add("a", "b\r\n c").is_ok());
    }
}
