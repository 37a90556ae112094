//! A user's cookies, as browsers keep them (RFC 6265): by domain, path, scheme and expiry.
//!
//! What a browser also does and this does not: the list of public suffixes (a cookie for a
//! whole `.co.uk` is kept; one for a single label such as `.com` is not), and `SameSite`.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use cookie_store::{CookieExpiration, CookieStore, RawCookie};
use url::Url;

/// Most cookies of a user. Beyond them the oldest are forgotten, as browsers do.
const MAX_COOKIES: usize = 300;
/// Longest `Set-Cookie` that is kept, bytes; browsers stop at 4,096.
const MAX_COOKIE_BYTES: usize = 8_192;
/// Addresses whose `Cookie` header is kept made.
const KEPT_HEADERS: usize = 8;

/// The cookies of a user. Costs a pointer until the first one is set.
#[derive(Debug, Default)]
pub struct Cookies {
    jar: Option<Rc<RefCell<CookieJar>>>,
}

#[derive(Debug)]
struct CookieJar {
    store: CookieStore,
    made: Vec<MadeHeader>,
}

/// A header made before, for addresses with the same start.
#[derive(Debug)]
struct MadeHeader {
    secure: bool,
    host: Box<str>,
    path: Box<str>,
    header: Option<Rc<str>>,
    /// The first of its cookies expires then, seconds since 1970.
    until: Option<i64>,
}

impl Cookies {
    /// Keeps what a response from this address sets, one `Set-Cookie` value after the other.
    /// Cookies that a browser would refuse are ignored.
    pub fn store<'h>(&mut self, set_cookie: impl IntoIterator<Item = &'h [u8]>, url: &Url) {
        for header in set_cookie {
            if header.len() > MAX_COOKIE_BYTES {
                continue;
            }
            let header = String::from_utf8_lossy(header);
            let Ok(cookie) = RawCookie::parse(&*header) else {
                continue;
            };
            if is_for_one_label(&cookie, url) {
                continue;
            }
            self.jar
                .get_or_insert_with(CookieJar::new)
                .borrow_mut()
                .insert(&cookie, url);
        }
    }

    /// The value of the `Cookie` header for a request to this address, if there are any.
    pub fn header_for(&mut self, url: &Url) -> Option<Rc<str>> {
        self.jar.as_ref()?.borrow_mut().header_for(url)
    }

    /// The same jar once more: what one keeps the other has.
    pub(crate) fn shared(&mut self) -> Self {
        let jar = self.jar.get_or_insert_with(CookieJar::new);
        Self {
            jar: Some(Rc::clone(jar)),
        }
    }

    /// Whether none was ever kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jar.is_none()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.jar = None;
    }
}

/// A `Domain` without a dot is a public suffix, unless it is the host itself.
fn is_for_one_label(cookie: &RawCookie<'_>, url: &Url) -> bool {
    let Some(domain) = cookie.domain().map(|domain| domain.trim_start_matches('.')) else {
        return false;
    };
    let is_host = url
        .host_str()
        .is_some_and(|host| host.eq_ignore_ascii_case(domain));
    !domain.contains('.') && !is_host
}

impl CookieJar {
    fn new() -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            store: CookieStore::default(),
            made: Vec::new(),
        }))
    }

    fn insert(&mut self, cookie: &RawCookie<'_>, url: &Url) {
        // An error means that a browser would refuse it, or that it removes another.
        let _ = self.store.insert_raw(cookie, url);
        self.made.clear();
        while self.store.iter_any().count() > MAX_COOKIES {
            let oldest = self.store.iter_any().next().map(|cookie| {
                let domain = String::from(&cookie.domain);
                (
                    domain,
                    cookie.path.as_ref().to_owned(),
                    cookie.name().to_owned(),
                )
            });
            let Some((domain, path, name)) = oldest else {
                break;
            };
            if self.store.remove(&domain, &path, &name).is_none() {
                break;
            }
        }
    }

    fn header_for(&mut self, url: &Url) -> Option<Rc<str>> {
        let (secure, host, path) = (is_secure(url), url.host_str()?, url.path());
        let same = |made: &&MadeHeader| {
            made.secure == secure && *made.host == *host && *made.path == *path
        };
        if let Some(made) = self.made.iter().find(same)
            && made.until.is_none_or(|until| unix_seconds() < until)
        {
            return made.header.clone();
        }
        let (header, until) = self.make(url);
        self.made.retain(|made| !same(&made));
        if self.made.len() >= KEPT_HEADERS {
            self.made.remove(0);
        }
        // Most addresses of a host get the same cookies: one text for all.
        let known = self
            .made
            .iter()
            .find_map(|made| made.header.clone().filter(|h| **h == *header));
        let header = known.or_else(|| (!header.is_empty()).then(|| Rc::from(header)));
        let (host, path) = (host.into(), path.into());
        self.made.push(MadeHeader {
            secure,
            host,
            path,
            header: header.clone(),
            until,
        });
        header
    }

    /// The header, and when it is no longer true.
    fn make(&self, url: &Url) -> (String, Option<i64>) {
        let mut cookies = self.store.matches(url);
        // Longer paths first, then older ones (RFC 6265, 5.4); the store is in order of age.
        cookies.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.as_ref().len()));
        let mut header = String::new();
        let mut until = None::<i64>;
        for cookie in cookies {
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(cookie.name());
            header.push('=');
            header.push_str(cookie.value());
            if let CookieExpiration::AtUtc(at) = &cookie.expires {
                let at = at.unix_timestamp();
                until = Some(until.map_or(at, |until| until.min(at)));
            }
        }
        (header, until)
    }
}

fn is_secure(url: &Url) -> bool {
    matches!(url.scheme(), "https" | "wss")
}

fn unix_seconds() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn jar(at: &str, set: &[&str]) -> Cookies {
        let mut cookies = Cookies::default();
        cookies.store(set.iter().map(|header| header.as_bytes()), &url(at));
        cookies
    }

    fn sent(cookies: &mut Cookies, to: &str) -> String {
        cookies
            .header_for(&url(to))
            .as_deref()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn nothing_is_kept_until_a_cookie_is_set() {
        let mut cookies = jar("http://a.example/", &["", "=", ";;;", "\u{fffd}"]);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "");
        assert!(Cookies::default().jar.is_none());
        assert_eq!(size_of::<Cookies>(), 8);
    }

    #[test]
    fn a_session_as_tomcat_sets_it() {
        let mut cookies = jar(
            "http://127.0.0.1:8080/shop/login",
            &[
                "JSESSIONID=0A1B2C; Path=/shop; HttpOnly",
                "theme=dark; Max-Age=3600; Path=/",
            ],
        );
        assert_eq!(
            sent(&mut cookies, "http://127.0.0.1:8080/shop/cart?x=1"),
            "JSESSIONID=0A1B2C; theme=dark"
        );
        assert_eq!(
            sent(&mut cookies, "http://127.0.0.1:8080/other"),
            "theme=dark"
        );
        assert_eq!(
            sent(&mut cookies, "http://127.0.0.1:8080/shopping"),
            "theme=dark"
        );
        assert_eq!(sent(&mut cookies, "http://127.0.0.2:8080/shop"), "");
        // Cookies do not know ports.
        assert_eq!(sent(&mut cookies, "http://127.0.0.1:9090/"), "theme=dark");
        cookies.store(
            [&b"JSESSIONID=new; Path=/shop"[..]],
            &url("http://127.0.0.1:8080/shop/"),
        );
        assert_eq!(
            sent(&mut cookies, "http://127.0.0.1:8080/shop/cart"),
            "JSESSIONID=new; theme=dark"
        );
        cookies.clear();
        assert_eq!(sent(&mut cookies, "http://127.0.0.1:8080/shop/cart"), "");
    }

    #[test]
    fn domain_cookies_go_to_subdomains_and_host_cookies_do_not() {
        let mut cookies = jar(
            "http://www.shop.example/",
            &["wide=1; Domain=shop.example", "host=2"],
        );
        assert_eq!(
            sent(&mut cookies, "http://www.shop.example/"),
            "wide=1; host=2"
        );
        assert_eq!(sent(&mut cookies, "http://api.shop.example/"), "wide=1");
        assert_eq!(sent(&mut cookies, "http://a.www.shop.example/"), "wide=1");
        assert_eq!(sent(&mut cookies, "http://evilshop.example/"), "");
        let mut foreign = jar(
            "http://shop.example/",
            &["a=1; Domain=bank.example", "b=2; Domain=.example"],
        );
        assert_eq!(sent(&mut foreign, "http://bank.example/"), "");
        assert_eq!(sent(&mut foreign, "http://shop.example/"), "");
        let mut local = jar("http://localhost/", &["a=1; Domain=localhost"]);
        assert_eq!(sent(&mut local, "http://localhost/"), "a=1");
    }

    #[test]
    fn secure_cookies_need_https() {
        let mut cookies = jar("https://a.example/", &["s=1; Secure", "p=2"]);
        assert_eq!(sent(&mut cookies, "https://a.example/"), "s=1; p=2");
        assert_eq!(sent(&mut cookies, "http://a.example/"), "p=2");
    }

    #[test]
    fn expired_cookies_go() {
        let mut cookies = jar("http://a.example/", &["a=1", "b=2"]);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "a=1; b=2");
        let at = url("http://a.example/");
        cookies.store([&b"a=; Max-Age=0"[..]], &at);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "b=2");
        cookies.store([&b"b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"[..]], &at);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "");
        // A header that was made before its cookie expired is not sent any more.
        cookies.store([&b"c=3; Max-Age=3600"[..]], &at);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "c=3");
        let jar = Rc::clone(cookies.jar.as_ref().unwrap());
        assert!(jar.borrow().made[0].until.unwrap() > unix_seconds());
        jar.borrow_mut().made[0].header = Some("stale".into());
        assert_eq!(sent(&mut cookies, "http://a.example/"), "stale", "kept");
        jar.borrow_mut().made[0].until = Some(unix_seconds() - 1);
        assert_eq!(sent(&mut cookies, "http://a.example/"), "c=3", "made anew");
    }

    #[test]
    fn a_server_cannot_fill_the_memory() {
        let mut cookies = Cookies::default();
        let at = url("http://a.example/");
        for n in 0..1_000 {
            cookies.store([format!("c{n}=1").as_bytes()], &at);
        }
        cookies.store([[&b"big="[..], &[b'x'; 100_000]].concat().as_slice()], &at);
        let header = sent(&mut cookies, "http://a.example/");
        assert_eq!(header.split("; ").count(), MAX_COOKIES);
        assert!(header.ends_with("c999=1") && !header.contains("c0=") && !header.contains("big"));
        for n in 0..100 {
            sent(&mut cookies, &format!("http://a.example/{n}"));
        }
        let jar = cookies.jar.as_ref().unwrap().borrow();
        assert_eq!(jar.made.len(), KEPT_HEADERS);
        let first = jar.made[0].header.as_ref().unwrap();
        assert!(
            jar.made
                .iter()
                .all(|made| Rc::ptr_eq(made.header.as_ref().unwrap(), first))
        );
    }
}
