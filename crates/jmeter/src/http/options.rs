//! What JMeter's properties say of HTTP.

use std::net::IpAddr;

use plimsoll_elements::Properties;

use super::client::Client;
use super::cookies::CookieOptions;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::http::KeepAlive;

/// What becomes of a request whose response is known and still good
/// (`cache_manager.cached_resource_mode`).
#[derive(Debug, Clone, Default)]
pub enum Cached {
    /// Nothing.
    #[default]
    NoSample,
    /// A success with this message.
    Ok(String),
    /// A success with this code and message.
    Custom(String, String),
}

/// What JMeter's properties say of HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// A page succeeds without its resources (`httpsampler.ignore_failed_embedded_resources`).
    pub ignore_failed_resources: bool,
    /// Of resources of a page the fingerprint is kept
    /// (`httpsampler.embedded_resources_use_md5`).
    pub md5_of_resources: bool,
    /// Redirects followed (`httpsampler.max_redirects`).
    pub max_redirects: u32,
    /// Depth of frames and the like (`httpsampler.max_frame_depth`).
    pub max_frame_depth: u32,
    /// Longest body that is kept, bytes; 0: all
    /// (`httpsampler.max_bytes_to_store_per_request`).
    pub max_body_bytes: usize,
    /// The client of samplers that name none (`jmeter.httpsampler`).
    pub client: String,
    /// The local address of samplers that name none (`httpclient.localaddress`).
    pub local_address: Option<IpAddr>,
    /// No `User-Agent` of its own (`httpclient4.default_user_agent_disabled`).
    pub no_agent: bool,
    /// Credentials are sent before they are asked for (`httpclient4.auth.preemptive`).
    pub preemptive: bool,
    /// How long connections live and wait for a request (`httpclient4.time_to_live`,
    /// `httpclient4.idletimeout`).
    pub keep_alive: KeepAlive,
    /// A new user begins with new connections
    /// (`httpclient.reset_state_on_thread_group_iteration`).
    pub resets_state: bool,
    /// How often a request whose connection ended is made again (`httpclient4.retrycount`).
    pub retries: u32,
    /// So are those that the server may have taken and that must not be made twice
    /// (`httpclient4.request_sent_retry_enabled`).
    pub retries_sent: bool,
    /// Most bytes a second over HTTP and HTTPS; 0: as many as there are
    /// (`httpclient.socket.http.cps`, `httpclient.socket.https.cps`).
    bytes_per_s: (u64, u64),
    /// Methods whose responses the cache manager knows (`cacheable_methods`).
    cacheable: Vec<String>,
    /// Bodies that have no type are forms (`http.post_add_content_type_if_missing`).
    pub adds_type: bool,
    /// Requests whose response is known.
    pub cached: Cached,
    /// Cookies.
    pub cookies: CookieOptions,
}

impl HttpOptions {
    /// As the properties say.
    pub fn of(properties: &Properties) -> Self {
        let truth = |name, default| truth(properties, name, default);
        let text = |name, default| text(properties, name, default);
        let whole = |name, default: u64| {
            let text = properties.get(name);
            text.and_then(|text| text.trim().parse().ok())
                .unwrap_or(default)
        };
        let count = |name, default| u32::try_from(whole(name, default)).unwrap_or(u32::MAX);
        let bytes = whole("httpsampler.max_bytes_to_store_per_request", 0);
        let cacheable = text("cacheable_methods", "GET");
        let idle_ms = whole("httpclient4.idletimeout", 0);
        Self {
            ignore_failed_resources: truth("httpsampler.ignore_failed_embedded_resources", false),
            md5_of_resources: truth("httpsampler.embedded_resources_use_md5", false),
            max_redirects: count("httpsampler.max_redirects", 20),
            max_frame_depth: count("httpsampler.max_frame_depth", 5),
            max_body_bytes: usize::try_from(bytes).unwrap_or(0),
            client: text("jmeter.httpsampler", ""),
            local_address: text("httpclient.localaddress", "").trim().parse().ok(),
            no_agent: truth("httpclient4.default_user_agent_disabled", false),
            preemptive: truth("httpclient4.auth.preemptive", true),
            keep_alive: KeepAlive {
                life_ns: whole("httpclient4.time_to_live", 60_000).saturating_mul(1_000_000),
                idle_ns: match idle_ms {
                    0 => Nanos::MAX,
                    ms => ms.saturating_mul(1_000_000),
                },
            },
            resets_state: truth("httpclient.reset_state_on_thread_group_iteration", true),
            retries: count("httpclient4.retrycount", 0),
            retries_sent: truth("httpclient4.request_sent_retry_enabled", false),
            bytes_per_s: (
                whole("httpclient.socket.http.cps", 0),
                whole("httpclient.socket.https.cps", 0),
            ),
            cacheable: cacheable.split([' ', ',']).map(str::to_owned).collect(),
            adds_type: truth("http.post_add_content_type_if_missing", false),
            cached: Cached::of(properties),
            cookies: cookies(properties),
        }
    }

    /// Whether the cache manager knows responses of this method.
    pub fn caches(&self, method: &str) -> bool {
        let mut methods = self.cacheable.iter();
        methods.any(|known| known.eq_ignore_ascii_case(method))
    }

    /// Most bytes a second; Java's own client is slowed over HTTPS alone.
    pub fn bytes_per_s(&self, scheme: &str, client: Client) -> u64 {
        match (scheme, client) {
            ("https", _) => self.bytes_per_s.1,
            (_, Client::HttpClient) => self.bytes_per_s.0,
            (_, Client::Java) => 0,
        }
    }
}

/// What a property says; what is not "true" is false.
fn truth(properties: &Properties, name: &str, default: bool) -> bool {
    let text = properties.get(name);
    text.map_or(default, |text| text.trim().eq_ignore_ascii_case("true"))
}

fn text(properties: &Properties, name: &str, default: &str) -> String {
    let text = properties.get(name);
    text.unwrap_or_else(|| default.to_owned())
}

impl Cached {
    fn of(properties: &Properties) -> Self {
        let text = |name, default| text(properties, name, default);
        match text("cache_manager.cached_resource_mode", "").as_str() {
            "RETURN_200_CACHE" => Self::Ok(text("RETURN_200_CACHE.message", "(ex cache)")),
            "RETURN_CUSTOM_STATUS" => Self::Custom(
                text("RETURN_CUSTOM_STATUS.code", ""),
                text("RETURN_CUSTOM_STATUS.message", ""),
            ),
            _ => Self::NoSample,
        }
    }
}

fn cookies(properties: &Properties) -> CookieOptions {
    let prefix = || text(properties, "CookieManager.name.prefix", "COOKIE_");
    let saves = truth(properties, "CookieManager.save.cookies", false);
    CookieOptions {
        delete_empty: truth(properties, "CookieManager.delete_null_cookies", true),
        check: truth(properties, "CookieManager.check.cookies", true),
        save_as: saves.then(|| prefix().trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_property_has_its_default_and_its_value() {
        let none = HttpOptions::of(&Properties::default());
        assert_eq!((none.max_redirects, none.max_frame_depth), (20, 5));
        assert!(none.preemptive && none.resets_state && none.caches("get"));
        assert_eq!(none.bytes_per_s("http", Client::HttpClient), 0);
        assert_eq!(
            (none.keep_alive.idle_ns, none.local_address),
            (Nanos::MAX, None)
        );
        let set = Properties::default();
        for (name, value) in [
            ("httpsampler.max_redirects", "3"),
            ("httpsampler.max_frame_depth", "0"),
            ("httpclient4.auth.preemptive", "false"),
            ("httpclient.reset_state_on_thread_group_iteration", "false"),
            ("cacheable_methods", "HEAD,POST"),
            ("httpclient.socket.http.cps", " 100 "),
            ("httpclient.socket.https.cps", "200"),
            ("httpclient4.idletimeout", "5"),
            ("httpclient.localaddress", "127.0.0.2"),
        ] {
            set.set(name, value);
        }
        let set = HttpOptions::of(&set);
        assert_eq!((set.max_redirects, set.max_frame_depth), (3, 0));
        assert!(!set.preemptive && !set.resets_state);
        assert!(set.caches("POST") && !set.caches("GET"));
        assert_eq!(set.bytes_per_s("http", Client::HttpClient), 100);
        assert_eq!(set.bytes_per_s("http", Client::Java), 0);
        assert_eq!(set.bytes_per_s("https", Client::Java), 200);
        assert_eq!(set.keep_alive.idle_ns, 5_000_000);
        assert!(set.local_address.is_some());
    }
}
