//! Files that a file takes in: a key that stands in one of them is not to be written into the file itself.

use std::path::{Path, PathBuf};

use plimsoll_knobs::{Address, Format, get, includes};

use super::originals;

/// Files that take in others are followed so deep, and no more of them are read.
const MOST_DEEP: usize = 4;
const MOST_FILES: usize = 200;

/// The file that has a key, of those that a file takes in, directly or not.
#[must_use]
pub fn that_has(format: Format, content: &[u8], path: &Path, address: &Address) -> Option<PathBuf> {
    let mut left = MOST_FILES;
    within(format, content, path, address, (0, &mut left))
}

fn within(
    format: Format,
    content: &[u8],
    path: &Path,
    address: &Address,
    (depth, left): (usize, &mut usize),
) -> Option<PathBuf> {
    let folder = path.parent()?;
    for included in includes(format, content) {
        // One that is not there, or no text, has no key.
        for file in files(&folder.join(&included.path), included.folder) {
            *left = left.checked_sub(1)?;
            let real = std::fs::canonicalize(&file);
            let Ok(text) = real.and_then(|file| originals::read(&file)) else {
                continue;
            };
            if get(format, &text, address).is_ok_and(|found| found.is_some()) {
                return Some(file);
            }
            if depth + 1 < MOST_DEEP
                && let Some(found) = within(format, &text, &file, address, (depth + 1, left))
            {
                return Some(found);
            }
        }
    }
    None
}

/// The files that a path means: itself, those of a folder, or those that fit it, in the order of their names.
fn files(path: &Path, is_folder: bool) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str());
    let pattern = name.and_then(|name| name.split_once('*'));
    let (folder, (begins, ends)) = match (is_folder, pattern) {
        (true, _) => (Some(path), ("", "")),
        (false, Some(pattern)) => (path.parent(), pattern),
        (false, None) => return vec![path.to_owned()],
    };
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = paths
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            let fits = |name: &str| {
                let rest = name.strip_prefix(begins);
                rest.is_some_and(|rest| rest.ends_with(ends))
            };
            path.is_file() && name.is_some_and(fits)
        })
        .take(MOST_FILES)
        .collect();
    found.sort();
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_where_it_is_taken_in_from() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("conf.d/more")).unwrap();
        std::fs::write(at("my.cnf"), "[mysqld]\nport=1\n!includedir conf.d\n").unwrap();
        std::fs::write(at("conf.d/50-server.cnf"), "[mysqld]\nmax_connections=7\n").unwrap();
        std::fs::write(at("redis.conf"), "include conf.d/*.conf\n").unwrap();
        std::fs::write(at("conf.d/a.conf"), "include more/b.conf\n").unwrap();
        std::fs::write(at("conf.d/more/b.conf"), "maxmemory 1gb\n").unwrap();
        // It takes in itself, and one that is not there.
        let round = "include 'round.conf'\ninclude 'gone.conf'\nwork_mem = 4MB\n";
        std::fs::write(at("round.conf"), round).unwrap();
        let has = |format, name: &str, key: &str| {
            let content = std::fs::read(at(name)).unwrap();
            let path = that_has(format, &content, &at(name), &Address::new(key))?;
            Some(path.strip_prefix(folder.path()).unwrap().to_owned())
        };
        let of_mysql = has(Format::MyCnf, "my.cnf", "[mysqld] max_connections");
        assert_eq!(of_mysql, Some(PathBuf::from("conf.d/50-server.cnf")));
        assert_eq!(
            has(Format::MyCnf, "my.cnf", "[mysqld] thread_cache_size"),
            None
        );
        let of_redis = has(Format::RedisConf, "redis.conf", "maxmemory");
        assert_eq!(of_redis, Some(PathBuf::from("conf.d/more/b.conf")));
        assert_eq!(
            has(Format::PostgresConf, "round.conf", "shared_buffers"),
            None
        );
    }
}
