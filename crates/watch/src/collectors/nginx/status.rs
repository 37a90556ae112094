//! `stub_status`.

use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::http::OriginClient;
use crate::names::nginx as names;

pub(super) struct NginxStatus {
    client: OriginClient,
    entity: Arc<Entity>,
}

impl NginxStatus {
    pub(super) fn new(client: OriginClient, entity: Arc<Entity>) -> Self {
        Self { client, entity }
    }
}

impl Collector for NginxStatus {
    fn about(&self) -> String {
        format!("nginx {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let response = self.client.get("", "text/plain").await?;
            if tell(&response.text(), &self.entity, look).is_none() {
                let url = self.client.shown();
                return Err(Trouble::new(
                    Message::new("watch-nginx-no-status").with("url", url),
                ));
            }
            if let Some(server) = &response.server {
                look.fact(&self.entity, "nginx.version", server.as_str());
            }
            Ok(())
        })
    }
}

/// Says what the page holds; none: it is another.
pub(crate) fn tell(text: &str, entity: &Arc<Entity>, look: &mut Look) -> Option<()> {
    let [
        active,
        accepted,
        handled,
        requests,
        reading,
        writing,
        waiting,
    ] = parse(text)?;
    let states = [
        ("active", active),
        ("reading", reading),
        ("writing", writing),
        ("waiting", waiting),
    ];
    for (state, value) in states {
        let state = [("nginx.connection.state", state)];
        look.value(entity, &names::CONNECTIONS, &state, value);
    }
    look.value(entity, &names::ACCEPTED, &[], accepted);
    look.value(entity, &names::HANDLED, &[], handled);
    look.value(entity, &names::REQUESTS, &[], requests);
    Some(())
}

/// Active, accepted, handled, requests, reading, writing, waiting. Tengine's fourth sum, the
/// time of requests, is left out.
fn parse(text: &str) -> Option<[f64; 7]> {
    let mut lines = text.lines();
    let number = |word: Option<&str>| word?.parse::<u64>().ok().map(|n| n as f64);
    let active = number(
        lines
            .next()?
            .trim()
            .strip_prefix("Active connections:")
            .map(str::trim),
    );
    lines
        .next()
        .filter(|line| line.starts_with("server accepts handled requests"))?;
    let mut sums = lines.next()?.split_ascii_whitespace();
    let (accepted, handled, requests) = (sums.next(), sums.next(), sums.next());
    let mut words = lines.next()?.split_ascii_whitespace();
    let mut state = |name: &str| {
        words.next().filter(|word| *word == name)?;
        number(words.next())
    };
    Some([
        active?,
        number(accepted)?,
        number(handled)?,
        number(requests)?,
        state("Reading:")?,
        state("Writing:")?,
        state("Waiting:")?,
    ])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_the_page() {
        let page = "Active connections: 291 \nserver accepts handled requests\n 16630948 16630940 \
                    31070465 \nReading: 6 Writing: 179 Waiting: 106 \n";
        let read = [
            291.0,
            16_630_948.0,
            16_630_940.0,
            31_070_465.0,
            6.0,
            179.0,
            106.0,
        ];
        assert_eq!(parse(page), Some(read));
        let tengine = page
            .replace("requests\n", "requests request_time\n")
            .replace("31070465", "31070465 99");
        assert_eq!(parse(&tengine), Some(read));
        for cut in 0..page.len() - 5 {
            assert_eq!(parse(&page[..cut]), None, "{cut}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(Active connections: |server accepts handled requests|[0-9 \n]|Reading: )*") {
            let _ = parse(&text);
        }
    }
}
