//! Settings that tell of capacity, out of what `nginx -T` prints. Only directives of the list
//! below are looked at, so that nothing else can get out.

use std::collections::BTreeMap;

use crate::redact;

/// Directives that are facts.
const WANTED: &[&str] = &[
    "worker_processes",
    "worker_connections",
    "worker_rlimit_nofile",
    "worker_cpu_affinity",
    "multi_accept",
    "accept_mutex",
    "use",
    "listen",
    "server_name",
    "keepalive",
    "keepalive_timeout",
    "keepalive_requests",
    "keepalive_time",
    "sendfile",
    "tcp_nopush",
    "tcp_nodelay",
    "aio",
    "gzip",
    "gzip_comp_level",
    "gzip_min_length",
    "gzip_types",
    "access_log",
    "error_log",
    "proxy_pass",
    "proxy_http_version",
    "proxy_buffering",
    "proxy_buffers",
    "proxy_buffer_size",
    "proxy_request_buffering",
    "proxy_connect_timeout",
    "proxy_read_timeout",
    "proxy_send_timeout",
    "proxy_next_upstream",
    "proxy_cache",
    "server",
    "least_conn",
    "ip_hash",
    "hash",
    "random",
    "client_body_buffer_size",
    "client_max_body_size",
    "client_body_timeout",
    "client_header_timeout",
    "send_timeout",
    "reset_timedout_connection",
    "open_file_cache",
    "limit_req",
    "limit_req_zone",
    "limit_req_status",
    "limit_conn",
    "limit_conn_zone",
    "limit_conn_status",
    "limit_rate",
    "resolver",
    "lua_code_cache",
    "lua_socket_pool_size",
    "lua_shared_dict",
    "ssl_session_cache",
    "ssl_session_timeout",
];
/// Facts of one nginx are no more than that.
const MAX_FACTS: usize = 200;
/// Blocks are nested no deeper.
const MAX_DEPTH: usize = 32;

/// What a configuration says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Config {
    /// By the path of their blocks: `http.upstream.app.keepalive`.
    pub(super) facts: BTreeMap<String, String>,
    /// Formats by name.
    pub(super) formats: BTreeMap<String, String>,
    /// The first access log with its format's name, and the first error log.
    pub(super) access_log: Option<(String, String)>,
    pub(super) error_log: Option<String>,
}

impl Config {
    /// Reads what `nginx -T` prints; what makes no sense is skipped.
    pub(super) fn parse(text: &str) -> Self {
        let mut read = Self::default();
        let mut blocks: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        let mut tokens = Tokens { rest: text };
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(word) => words.push(word),
                Token::End => read.directive(&blocks, &std::mem::take(&mut words)),
                Token::Open
                    if words
                        .first()
                        .is_some_and(|name| name.ends_with("_by_lua_block")) =>
                {
                    words.clear();
                    tokens.skip_block();
                }
                Token::Open => {
                    if blocks.len() >= MAX_DEPTH {
                        return read;
                    }
                    blocks.push(block_name(&std::mem::take(&mut words)));
                }
                Token::Close => {
                    words.clear();
                    blocks.pop();
                }
            }
        }
        read
    }

    fn directive(&mut self, blocks: &[String], words: &[String]) {
        let Some((name, arguments)) = words.split_first() else {
            return;
        };
        match (name.as_str(), arguments) {
            ("log_format", [format, pieces @ ..]) => {
                let pieces = match pieces {
                    [first, rest @ ..] if first.starts_with("escape=") => rest,
                    all => all,
                };
                self.formats.insert(format.clone(), pieces.concat());
                return;
            }
            ("access_log", [path, rest @ ..]) if path.starts_with('/') => {
                let format = rest.first().filter(|word| !word.contains('='));
                let format = format.map_or("combined", String::as_str).to_owned();
                self.access_log.get_or_insert((path.clone(), format));
            }
            ("error_log", [path, ..]) if path.starts_with('/') => {
                self.error_log.get_or_insert(path.clone());
            }
            // A map's or a geo's entries are no directives.
            _ => {}
        }
        let in_upstream = blocks
            .last()
            .is_some_and(|block| block.starts_with("upstream."));
        if !WANTED.contains(&name.as_str()) || name == "server" && !in_upstream {
            return;
        }
        let value = redact::text(&arguments.join(" ")).into_owned();
        let place = blocks.iter().map(String::as_str).chain([name.as_str()]);
        let place = place.collect::<Vec<_>>().join(".");
        let full = self.facts.len() >= MAX_FACTS;
        match self.facts.get_mut(&place) {
            Some(known) if known.len() < 500 => {
                known.push_str(", ");
                known.push_str(&value);
            }
            None if !full => {
                self.facts.insert(place, value);
            }
            _ => {}
        }
    }
}

/// `upstream app` is `upstream.app`, `location ~ ^/a` is `location[~ ^/a]`.
fn block_name(words: &[String]) -> String {
    match words {
        [kind, name] if kind == "upstream" => format!("{kind}.{name}"),
        [kind, rest @ ..] if !rest.is_empty() => format!("{kind}[{}]", rest.join(" ")),
        _ => words.concat(),
    }
}

enum Token {
    Word(String),
    End,
    Open,
    Close,
}

struct Tokens<'a> {
    rest: &'a str,
}

impl Tokens<'_> {
    /// Skips Lua code up to the brace that closes its block.
    fn skip_block(&mut self) {
        let mut depth = 1_usize;
        let mut quote = None;
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match (quote, letter) {
                (Some(_), '\\') => {
                    letters.next();
                }
                (Some(open), _) if open == letter || letter == '\n' => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(letter),
                (None, '{') => depth += 1,
                (None, '}') => depth -= 1,
                (None, '-') if self.rest[at..].starts_with("--") => {
                    for (_, letter) in letters.by_ref() {
                        if letter == '\n' {
                            break;
                        }
                    }
                }
                _ => {}
            }
            if depth == 0 {
                self.rest = &self.rest[at + 1..];
                return;
            }
        }
        self.rest = "";
    }

    fn quoted(&mut self, quote: char) -> String {
        let mut word = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                self.rest = &self.rest[at + 1..];
                return word;
            }
            match letter {
                '\\' => match letters.next() {
                    Some((_, same)) if same == quote || same == '\\' => word.push(same),
                    Some((_, 'n')) => word.push('\n'),
                    Some((_, 't')) => word.push('\t'),
                    Some((_, other)) => word.extend(['\\', other]),
                    None => {}
                },
                _ => word.push(letter),
            }
        }
        self.rest = "";
        word
    }

    fn bare(&mut self) -> String {
        // `${name}` holds braces that are none.
        let mut in_name = false;
        let mut before = ' ';
        let end = self.rest.find(|letter: char| {
            in_name |= before == '$' && letter == '{';
            let inside = in_name;
            in_name &= letter != '}';
            let escaped = std::mem::replace(&mut before, letter) == '\\';
            !inside && !escaped && (letter.is_whitespace() || matches!(letter, ';' | '{' | '}'))
        });
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word.to_owned()
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            self.rest = self.rest.trim_start();
            let letter = self.rest.chars().next()?;
            let after = &self.rest[letter.len_utf8()..];
            let token = match letter {
                '#' => {
                    self.rest = after.split_once('\n').map_or("", |(_, next)| next);
                    continue;
                }
                ';' => Token::End,
                '{' => Token::Open,
                '}' => Token::Close,
                '"' | '\'' => {
                    self.rest = after;
                    return Some(Token::Word(self.quoted(letter)));
                }
                _ => return Some(Token::Word(self.bare())),
            };
            self.rest = after;
            return Some(token);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_tells_of_capacity() {
        let read = Config::parse(
            r#"
# configuration file /etc/nginx/nginx.conf:
worker_processes 4; # not ; this
events { worker_connections 768; }
http {
    log_format timed escape=json '$status '
        "$request_time ${upstream_addr}";
    access_log /var/log/nginx/a.log timed buffer=4k;
    error_log /var/log/nginx/e.log warn;
    map $http_upgrade $connection { default upgrade; '' close; listen 5; }
    upstream app { server 10.0.0.1:8080 max_fails=3; server 10.0.0.2:8080; keepalive 64; }
    server {
        listen 8080 backlog=511;
        auth_basic_user_file /etc/secret;
        location ~ "^/a{2}" { proxy_pass http://me:secret@app/; proxy_set_header Authorization "Basic eA==";
            proxy_set_header Connection ""; }
        location /lua { content_by_lua_block { local t = {"}"} -- }
            ngx.say(t[1]) } gzip on; }
    }
}
"#,
        );
        let facts: Vec<_> = read
            .facts
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(
            facts,
            [
                ("events.worker_connections", "768"),
                ("http.access_log", "/var/log/nginx/a.log timed buffer=4k"),
                ("http.error_log", "/var/log/nginx/e.log warn"),
                ("http.map[$http_upgrade $connection].listen", "5"),
                ("http.server.listen", "8080 backlog=511"),
                ("http.server.location[/lua].gzip", "on"),
                (
                    "http.server.location[~ ^/a{2}].proxy_pass",
                    "http://me:***@app/"
                ),
                ("http.upstream.app.keepalive", "64"),
                (
                    "http.upstream.app.server",
                    "10.0.0.1:8080 max_fails=3, 10.0.0.2:8080"
                ),
                ("worker_processes", "4"),
            ]
        );
        assert_eq!(
            read.formats["timed"],
            "$status $request_time ${upstream_addr}"
        );
        let log = ("/var/log/nginx/a.log".to_owned(), "timed".to_owned());
        assert_eq!(read.access_log, Some(log));
        assert_eq!(read.error_log.as_deref(), Some("/var/log/nginx/e.log"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(\\PC|[{};'\"#\\\\$ \n]|listen |content_by_lua_block )*") {
            let _ = Config::parse(&text);
        }
    }
}
