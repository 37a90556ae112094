//! Settings that tell of capacity. Only directives of the list below are looked at, so that
//! nothing else can get out.

use std::collections::BTreeMap;

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
    "fastcgi_pass",
    "uwsgi_pass",
    "grpc_pass",
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

/// What a configuration says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// By the path of their blocks: `http.upstream.app.keepalive`.
    pub(crate) facts: BTreeMap<String, String>,
    /// Formats by name.
    pub(crate) formats: BTreeMap<String, String>,
    /// The first access log with its format's name, and the first error log.
    pub(crate) access_log: Option<(String, String)>,
    pub(crate) error_log: Option<String>,
}

impl Config {
    /// Takes in a directive that stands in these blocks.
    pub(super) fn directive(&mut self, blocks: &[String], words: &[String]) {
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
        // A header's value is a secret by the directive and the header's name.
        let line = format!("{name} {}", arguments.join(" "));
        let masked = plimsoll_secrets::text(&line);
        let value = masked.get(name.len() + 1..).unwrap_or_default().to_owned();
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
pub(super) fn block_name(words: &[String]) -> String {
    match words {
        [kind, name] if kind == "upstream" => format!("{kind}.{name}"),
        [kind, rest @ ..] if !rest.is_empty() => format!("{kind}[{}]", rest.join(" ")),
        _ => words.concat(),
    }
}
