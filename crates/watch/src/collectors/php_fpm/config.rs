//! PHP-FPM's configuration, read from its files: pools, where they listen, and how many processes
//! they may have. It is data of whoever runs it.

use std::collections::BTreeMap;

use crate::config_files::{ConfigSource, glob};

/// Files that are read, and their length together.
const MAX_FILES: usize = 500;
const MAX_BYTES: usize = 4 << 20;
/// Pools that are looked at.
const MAX_POOLS: usize = 32;
/// A value is no longer.
const MAX_VALUE: usize = 1_000;

/// What is kept of a pool. Others' values may be secrets (`env[…]`).
const KEYS: &[&str] = &[
    "listen",
    "listen.backlog",
    "pm",
    "pm.max_children",
    "pm.start_servers",
    "pm.min_spare_servers",
    "pm.max_spare_servers",
    "pm.max_requests",
    "pm.process_idle_timeout",
    "pm.status_path",
    "pm.status_listen",
    "request_terminate_timeout",
    "request_slowlog_timeout",
    "rlimit_files",
    "process.max",
];

/// Settings of a pool by name.
pub(super) type PoolSettings = BTreeMap<&'static str, String>;

/// Pools by name.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FpmConfig {
    pub(super) pools: BTreeMap<String, PoolSettings>,
    /// The first file that could not be read, and why.
    pub(super) missing: Option<(String, String)>,
}

/// Reads a configuration and what it includes.
pub(super) fn read(file: &str, source: &dyn ConfigSource) -> FpmConfig {
    let mut reader = Reader {
        source,
        config: FpmConfig::default(),
        section: String::new(),
        files: 0,
        bytes: 0,
    };
    reader.file(file, true);
    reader.config.pools.remove("global");
    reader.config
}

struct Reader<'a> {
    source: &'a dyn ConfigSource,
    config: FpmConfig,
    section: String,
    files: usize,
    bytes: usize,
}

impl Reader<'_> {
    /// Includes lead no further: PHP-FPM's own are flat.
    fn file(&mut self, path: &str, may_include: bool) {
        self.files += 1;
        if self.files > MAX_FILES || self.bytes >= MAX_BYTES {
            return self.missing(path, "the configuration is too large");
        }
        let text = match self.source.text(path, MAX_BYTES - self.bytes) {
            Ok(text) => text,
            Err(error) => return self.missing(path, &error.to_string()),
        };
        self.bytes += text.len();
        for line in text.lines() {
            self.line(line.trim(), may_include);
        }
    }

    fn line(&mut self, line: &str, may_include: bool) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section.0.trim().clone_into(&mut self.section);
            return;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with(';')) else {
            return;
        };
        let value = self.value(value);
        if key.trim() == "include" && may_include {
            for path in glob::expand(self.source, &value) {
                self.file(&path, false);
            }
            return;
        }
        let known = KEYS.iter().find(|known| **known == key.trim());
        let pools = &mut self.config.pools;
        if let Some(key) = known
            && (pools.len() < MAX_POOLS || pools.contains_key(&self.section))
        {
            let pool = pools.entry(self.section.clone()).or_default();
            pool.insert(key, value);
        }
    }

    /// What stands behind the sign, without quotes and comment.
    fn value(&self, text: &str) -> String {
        let text = text.trim();
        let text = match text.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => text.split(" ;").next().unwrap_or_default().trim_end(),
        };
        let text: String = text.chars().take(MAX_VALUE).collect();
        text.replace("$pool", &self.section)
    }

    fn missing(&mut self, path: &str, reason: &str) {
        let missing = &mut self.config.missing;
        missing.get_or_insert_with(|| (path.to_owned(), reason.to_owned()));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io;

    struct Given(BTreeMap<&'static str, String>);

    impl ConfigSource for Given {
        fn text(&self, path: &str, max_bytes: usize) -> io::Result<String> {
            let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
            match text.len() <= max_bytes {
                true => Ok(text.clone()),
                false => Err(io::ErrorKind::FileTooLarge.into()),
            }
        }

        fn list(&self, folder: &str) -> io::Result<Vec<String>> {
            let inside = self.0.keys().filter_map(|path| {
                let (own, name) = path.rsplit_once('/')?;
                (own == folder).then(|| name.to_owned())
            });
            Ok(inside.collect())
        }
    }

    #[test]
    fn pools_are_read_from_all_files() {
        let given = Given(BTreeMap::from([
            (
                "/etc/fpm.conf",
                "[global]\npid = /run/x.pid\nprocess.max = 9\ninclude=/etc/pool.d/*.conf\n"
                    .to_owned(),
            ),
            (
                "/etc/pool.d/www.conf",
                "; a comment\n[www]\nlisten = /run/$pool.sock ; here\npm = dynamic\n\
                 pm.max_children=5\nenv[DB_PASSWORD] = hunter2\ninclude = /etc/shadow\n\
                 pm.status_path = \"/st;atus\" ; x\n;pm.max_children = 7\n"
                    .to_owned(),
            ),
            ("/etc/pool.d/api.conf", "[api]\nlisten = 9001\n".to_owned()),
            ("/etc/pool.d/other.txt", "[other]\nlisten = 1\n".to_owned()),
        ]));
        let read = read("/etc/fpm.conf", &given);
        assert_eq!(read.missing, None);
        assert_eq!(read.pools.keys().collect::<Vec<_>>(), ["api", "www"]);
        let www = &read.pools["www"];
        assert_eq!(www["listen"], "/run/www.sock");
        assert_eq!(www["pm.max_children"], "5");
        assert_eq!(www["pm.status_path"], "/st;atus");
        assert_eq!(www.len(), 4, "{www:?}");
    }

    #[test]
    fn too_much_is_not_read() {
        let many = (0..1_000).fold(String::new(), |text, n| format!("{text}[p{n}]\npm = x\n"));
        let given = Given(BTreeMap::from([
            ("/a", many),
            ("/b", "x".repeat(MAX_BYTES + 1)),
            ("/c", "include=/c\n[x]\npm = y\n".to_owned()),
        ]));
        assert_eq!(read("/a", &given).pools.len(), MAX_POOLS);
        assert!(read("/b", &given).missing.is_some());
        assert!(read("/none", &given).missing.is_some());
        assert_eq!(read("/c", &given).pools.len(), 1);
    }
}
