//! HAProxy's configuration, read from its files: where its stats socket is, and its limits. It is data
//! of whoever runs it.

use std::collections::BTreeMap;

use crate::config_files::ConfigSource;

/// Files that are read, and their length together.
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 8 << 20;
/// Settings that are kept, and how long one is.
const MAX_FACTS: usize = 500;
const MAX_VALUE: usize = 200;

/// Settings that are facts: their first words. Others may hold secrets.
const KEYS: &[&str] = &[
    "maxconn",
    "fullconn",
    "nbthread",
    "maxconnrate",
    "maxsessrate",
    "balance",
    "retries",
    "timeout",
    "backlog",
    "mode",
];

/// Words of a server that are no secrets, and say whether it is used.
const SERVER_WORDS: &[&str] = &["backup", "disabled"];
/// The servers of a backend together are no longer.
const MAX_SERVERS: usize = 2_000;

/// Sections whose settings are read.
const SECTIONS: &[&str] = &["global", "defaults", "frontend", "backend", "listen"];
/// Sections with settings of the same names that are about something else.
const OTHER_SECTIONS: &[&str] = &[
    "cache",
    "crt-store",
    "fcgi-app",
    "http-errors",
    "log-forward",
    "log-profile",
    "mailers",
    "peers",
    "program",
    "resolvers",
    "ring",
    "traces",
    "userlist",
];

/// What was read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct HaproxyConfig {
    /// Where it listens for questions: paths, or `host:port`.
    pub(super) sockets: Vec<String>,
    /// Settings, each under its section: `defaults.timeout queue`.
    pub(super) facts: BTreeMap<String, String>,
    /// The first file that could not be read, and why.
    pub(super) missing: Option<(String, String)>,
}

/// Reads files, and folders of them, in the order of the command line.
pub(super) fn read(paths: &[String], source: &dyn ConfigSource) -> HaproxyConfig {
    let mut config = HaproxyConfig::default();
    let mut left = MAX_BYTES;
    for path in files(paths, source) {
        match source.text(&path, left) {
            Ok(text) => {
                left = left.saturating_sub(text.len());
                config.take(&text);
            }
            Err(error) => {
                let reason = error.to_string();
                config.missing.get_or_insert((path, reason));
            }
        }
    }
    config
}

/// A folder stands for the files `*.cfg` in it.
fn files(paths: &[String], source: &dyn ConfigSource) -> Vec<String> {
    let mut files = Vec::new();
    for path in paths {
        match source.list(path) {
            Ok(mut names) => {
                names.retain(|name| name.ends_with(".cfg") && !name.starts_with('.'));
                names.sort_unstable();
                let folder = path.trim_end_matches('/');
                files.extend(names.iter().map(|name| format!("{folder}/{name}")));
            }
            Err(_) => files.push(path.clone()),
        }
    }
    files.truncate(MAX_FILES);
    files
}

impl HaproxyConfig {
    fn take(&mut self, text: &str) {
        let mut section = None;
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            let mut words = line.split_whitespace();
            let Some(first) = words.next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            if OTHER_SECTIONS.contains(&first) {
                section = None;
            } else if SECTIONS.contains(&first) {
                let name = words
                    .next()
                    .filter(|_| first != "defaults" && first != "global");
                section = Some(name.unwrap_or(first).to_owned());
            } else if let Some(section) = &section {
                self.setting(section, first, &words.collect::<Vec<_>>());
            }
        }
    }

    fn setting(&mut self, section: &str, first: &str, words: &[&str]) {
        if section == "global"
            && first == "stats"
            && let ["socket", place, ..] = words
        {
            let place = place.trim_matches(['"', '\'']);
            let place = place.strip_prefix("unix@").unwrap_or(place);
            let place = place.strip_prefix("ipv4@").unwrap_or(place);
            self.sockets.push(place.to_owned());
        }
        if let ("server", [name, address, rest @ ..]) = (first, words) {
            self.server(section, name, address, rest);
            return;
        }
        let (key, value) = match words {
            [kind, value, ..] if first == "timeout" => (format!("timeout {kind}"), *value),
            [value, ..] if KEYS.contains(&first) && first != "timeout" => {
                (first.to_owned(), *value)
            }
            _ => return,
        };
        if self.facts.len() < MAX_FACTS {
            let value = value.chars().take(MAX_VALUE).collect();
            self.facts.insert(format!("{section}.{key}"), value);
        }
    }
}

impl HaproxyConfig {
    /// The servers of a section are one fact: `a 127.0.0.1:8001, b 127.0.0.1:8002 backup`.
    fn server(&mut self, section: &str, name: &str, address: &str, rest: &[&str]) {
        let mut server = format!("{name} {address}");
        let weight = rest.windows(2).find(|pair| pair[0] == "weight");
        let spare = rest.iter().filter(|word| SERVER_WORDS.contains(word));
        let words = spare.map(|word| (*word).to_owned());
        for word in words.chain(weight.map(|pair| format!("weight={}", pair[1]))) {
            server.push(' ');
            server.push_str(&word);
        }
        let server: String = server.chars().take(MAX_VALUE).collect();
        let is_full = self.facts.len() >= MAX_FACTS;
        match self.facts.get_mut(&format!("{section}.server")) {
            Some(known) if known.len() < MAX_SERVERS => {
                known.push_str(", ");
                known.push_str(&server);
            }
            None if !is_full => {
                self.facts.insert(format!("{section}.server"), server);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    struct Given;

    impl ConfigSource for Given {
        fn text(&self, path: &str, _: usize) -> io::Result<String> {
            match path {
                "/a/1.cfg" => Ok("global\n  stats socket /run/h.sock mode 660 level admin\n\
                    \x20 stats socket ipv4@127.0.0.1:9999\n  maxconn 100 # few\n\
                    userlist u\n  user x password hunter2\ndefaults\n timeout queue 5s\n\
                    resolvers r\n timeout retry 1s\n"
                    .to_owned()),
                "/a/2.cfg" => Ok(
                    "backend app\n  balance leastconn\n  server s 127.0.0.1:1 maxconn 2\n\
                    server t 127.0.0.1:2 check weight 0 crt /secret.pem\n server u /s.sock backup\n\
                    # maxconn 9\n"
                        .to_owned(),
                ),
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        }

        fn list(&self, folder: &str) -> io::Result<Vec<String>> {
            match folder {
                "/a" => Ok(["2.cfg", "1.cfg", ".x.cfg", "y"].map(str::to_owned).into()),
                _ => Err(io::ErrorKind::NotADirectory.into()),
            }
        }
    }

    #[test]
    fn sockets_and_limits_are_found() {
        let read = read(&["/a".to_owned(), "/none".to_owned()], &Given);
        assert_eq!(read.sockets, ["/run/h.sock", "127.0.0.1:9999"]);
        let facts: Vec<_> = read
            .facts
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(
            facts,
            [
                ("app.balance", "leastconn"),
                (
                    "app.server",
                    "s 127.0.0.1:1, t 127.0.0.1:2 weight=0, u /s.sock backup"
                ),
                ("defaults.timeout queue", "5s"),
                ("global.maxconn", "100")
            ]
        );
        assert_eq!(read.missing.map(|(path, _)| path).as_deref(), Some("/none"));
    }
}
