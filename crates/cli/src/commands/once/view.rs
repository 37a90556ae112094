//! One request and its response as lines for the terminal.

use plimsoll_load::kit::extract::ResponseView;
use plimsoll_load::trace::{Piece, Traced};
use plimsoll_report::printable;
use plimsoll_secrets::Known;
use plimsoll_text::{Lang, Message, render};

use super::body;

/// How requests and responses are shown.
pub struct ExchangeView {
    /// Language.
    pub lang: Lang,
    /// Bodies are cut after so many bytes; 0: never.
    pub body_bytes: usize,
    /// Texts of the plan that are to be masked.
    pub secrets: Known,
}

impl ExchangeView {
    /// The lines of a request with its response.
    #[must_use]
    pub fn text(&self, traced: &Traced, number: u64) -> String {
        let mut text = String::new();
        if traced.piece != Piece::Log {
            self.exchange(&mut text, traced, number);
        }
        for (name, value) in &traced.saved {
            let message = Message::new("once-saved");
            let message = message
                .with("name", name.as_str())
                .with("value", value.as_str());
            self.line(&mut text, "  ", &render(self.lang, &message));
        }
        for line in &traced.log {
            let message = Message::new("once-log").with("line", line.as_str());
            self.line(&mut text, "  ", &render(self.lang, &message));
        }
        text.push('\n');
        text
    }

    fn exchange(&self, text: &mut String, traced: &Traced, number: u64) {
        // A hop or part comes before the request it belongs to is counted.
        let number = if traced.counts() { number } else { number + 1 };
        let parts = [traced.label.as_str(), traced.url.as_str()];
        let parts = parts.iter().filter(|part| !part.is_empty());
        let title = parts.fold(format!("── {number}"), |title, part| {
            format!("{title} · {part}")
        });
        self.line(text, "", &title);
        let (head, content) = split(&traced.request);
        if traced.piece == Piece::Sum {
            self.outcome(text, traced);
            return;
        }
        // What is no request to an address sends nothing and has no response that were missing.
        let silent = traced.url.is_empty();
        if traced.request.is_empty() {
            if !silent {
                self.say(text, "once-not-sent");
            }
        } else {
            self.part(text, "> ", head, content);
        }
        if traced.head.is_empty() && traced.body.is_empty() {
            if !silent {
                self.say(text, "once-no-response");
            }
        } else {
            self.part(text, "< ", &traced.head, &traced.body);
        }
        self.outcome(text, traced);
    }

    fn outcome(&self, text: &mut String, traced: &Traced) {
        #[expect(clippy::cast_precision_loss)]
        let time = format!("{:.2} ms", traced.service_ns as f64 / 1e6);
        let Some((kind, detail)) = &traced.error else {
            let id = match traced.piece {
                Piece::Hop => "once-followed",
                _ => "once-ok",
            };
            let message = Message::new(id).with("time", time);
            self.line(text, "  ", &render(self.lang, &message));
            return;
        };
        let of_kind = |end: &str| Message::new(format!("error-kind-{}{end}", kind.slug()));
        let message = Message::new("once-failed")
            .with("kind", of_kind(""))
            .with("detail", detail.as_str())
            .with("time", time);
        self.line(text, "  ", &render(self.lang, &message));
        for end in ["-meaning", "-look"] {
            self.line(text, "    ", &render(self.lang, &of_kind(end)));
        }
    }

    /// A head and a body, each line behind a mark.
    fn part(&self, text: &mut String, mark: &str, head: &[u8], content: &[u8]) {
        let lines = String::from_utf8_lossy(head);
        for line in lines.lines().filter(|line| !line.is_empty()) {
            self.line(text, mark, line);
        }
        if content.is_empty() {
            return;
        }
        let content = &*self.secrets.bytes(content);
        self.line(text, mark.trim_end(), "");
        let view = ResponseView::new(0, head, content, "", 0);
        let shown = body::shown(view.text(), self.body_bytes);
        let Some((shown, is_all)) = shown else {
            let message = Message::new("once-binary").with("bytes", content.len());
            self.line(text, mark, &render(self.lang, &message));
            return;
        };
        for line in shown.lines() {
            self.line(text, mark, line);
        }
        if !is_all {
            let message = Message::new("once-cut")
                .with("shown", shown.len())
                .with("all", content.len());
            self.line(text, mark, &render(self.lang, &message));
        }
    }

    fn say(&self, text: &mut String, id: &str) {
        self.line(text, "  ", &render(self.lang, &Message::new(id)));
    }

    /// A line without secrets and without what would steer a terminal.
    fn line(&self, text: &mut String, mark: &str, line: &str) {
        text.push_str(mark);
        text.push_str(&printable(&self.secrets.text(line)));
        text.push('\n');
    }
}

/// Head and body of a message.
fn split(message: &[u8]) -> (&[u8], &[u8]) {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map_or((message, &[]), |end| (&message[..end], &message[end + 4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let view = ExchangeView {
            lang: Lang::En,
            body_bytes: 0,
            secrets: Known::new(["hunter2"]),
        };
        let traced = Traced {
            label: "a\u{1b}[2J".to_owned(),
            url: "http://h/".to_owned(),
            request: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            head: b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
            body: b"x\x1b]0;title\x07 hunter2".to_vec(),
            ..Traced::default()
        };
        let text = view.text(&traced, 1);
        assert!(
            !text.contains(['\u{1b}', '\u{7}']) && !text.contains("hunter2"),
            "{text}"
        );
    }
}
