//! nginx' configuration, read from its files: nothing is run for it.
//!
//! No kept crate reads it (`nginx-config` has been left since 2018), so this does, after nginx'
//! own `ngx_conf_file.c`; `nginx -T` is what tests hold it against. It is lenient where nginx
//! would not start: what makes no sense is skipped.

mod facts;
mod place;

#[cfg(test)]
mod tests;

use std::io;
use std::time::{Duration, Instant};

use plimsoll_knobs::formats::nginx::{NginxToken, NginxTokens};

use crate::config_files::{ConfigSource, glob};
pub(super) use facts::Config;
use facts::block_name;
pub(super) use place::NginxConfigPlace;

/// Blocks are nested no deeper, and neither are includes.
const MAX_DEPTH: usize = 32;
/// Files that are read, again if they are included again.
const MAX_FILES: usize = 2000;
/// Their length together.
const MAX_BYTES: usize = 16 << 20;
/// Words of one directive.
const MAX_WORDS: usize = 10_000;
/// All of it takes no longer.
const LIMIT: Duration = Duration::from_secs(2);

/// What was read.
#[derive(Debug, Default)]
pub(super) struct NginxConfigRead {
    pub(super) config: Config,
    /// The first file that could not be read, and why.
    pub(super) missing: Option<(String, String)>,
    /// Every file with its text, in the order of `nginx -T`.
    pub(super) files: Vec<(String, String)>,
}

/// Reads a configuration and what it includes.
pub(super) fn read(place: &NginxConfigPlace, source: &dyn ConfigSource) -> NginxConfigRead {
    let mut reader = NginxConfigReader {
        source,
        folder: place.folder(),
        read: NginxConfigRead::default(),
        blocks: Vec::new(),
        files: 0,
        bytes: 0,
        end: Instant::now() + LIMIT,
    };
    reader.file(&place.file, 0);
    reader.read
}

struct NginxConfigReader<'a> {
    source: &'a dyn ConfigSource,
    /// Where relative includes are.
    folder: &'a str,
    read: NginxConfigRead,
    blocks: Vec<String>,
    files: usize,
    bytes: usize,
    end: Instant,
}

impl NginxConfigReader<'_> {
    fn file(&mut self, path: &str, depth: usize) {
        let text = match self.admit(depth) {
            Ok(left) => self.source.text(path, left),
            Err(limit) => Err(io::Error::other(limit)),
        };
        match text {
            Ok(text) => {
                self.bytes += text.len();
                if !self.read.files.iter().any(|(known, _)| known == path) {
                    self.read.files.push((path.to_owned(), text.clone()));
                }
                self.text(&text, depth);
            }
            Err(error) => self.missing(path, &error),
        }
    }

    /// How many bytes may still be read.
    fn admit(&mut self, depth: usize) -> Result<usize, &'static str> {
        self.files += 1;
        if depth > MAX_DEPTH {
            return Err("includes are nested too deep");
        }
        if self.files > MAX_FILES || self.bytes >= MAX_BYTES {
            return Err("the configuration is too large");
        }
        if Instant::now() >= self.end {
            return Err("reading takes too long");
        }
        Ok(MAX_BYTES - self.bytes)
    }

    fn missing(&mut self, path: &str, error: &io::Error) {
        let missing = &mut self.read.missing;
        missing.get_or_insert_with(|| (path.to_owned(), error.to_string()));
    }

    fn text(&mut self, text: &str, depth: usize) {
        let outside = self.blocks.len();
        let mut words: Vec<String> = Vec::new();
        let mut tokens = NginxTokens::new(text);
        while let Some(token) = tokens.next() {
            match token {
                NginxToken::Word(word) if words.len() < MAX_WORDS => words.push(word),
                NginxToken::Word(_) => {}
                NginxToken::End => self.directive(&std::mem::take(&mut words), depth),
                NginxToken::Open if is_lua(&words) => {
                    words.clear();
                    tokens.skip_lua();
                }
                NginxToken::Open => {
                    if self.blocks.len() >= MAX_DEPTH {
                        break;
                    }
                    self.blocks.push(block_name(&std::mem::take(&mut words)));
                }
                NginxToken::Close => {
                    words.clear();
                    if self.blocks.len() > outside {
                        self.blocks.pop();
                    }
                }
            }
        }
        // A file ends what it began.
        self.blocks.truncate(outside);
    }

    fn directive(&mut self, words: &[String], depth: usize) {
        match words {
            [name, pattern] if name == "include" => {
                let full = place::full(self.folder, pattern);
                if !glob::is_pattern(&full) {
                    return self.file(&full, depth + 1);
                }
                // Also where a pattern's folders cannot be listed: nginx takes none of them.
                for path in glob::expand(self.source, &full) {
                    self.file(&path, depth + 1);
                }
            }
            _ => self.read.config.directive(&self.blocks, words),
        }
    }
}

/// Lua code in braces of its own.
fn is_lua(words: &[String]) -> bool {
    words
        .first()
        .is_some_and(|name| name.ends_with("_by_lua_block"))
}
