//! The cookie manager (JMeter 5.6.3, `CookieManager`, with HttpClient 4.5's specification
//! `standard`, which the other policies are close to).

use std::borrow::Cow;

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::SiteId;

use super::settings::Eval;
use super::url::JavaUrl;

/// Most cookies of a user.
const MAX_COOKIES: usize = 3_000;

/// A cookie manager.
#[derive(Debug)]
pub struct CookieManager {
    /// Where its users' cookies are kept.
    pub site: SiteId,
    policy: Policy,
    clears: bool,
    by_group: bool,
    defined: Vec<Defined>,
}

/// A policy, as far as they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Longer paths first.
    Standard,
    /// In the order in which they came.
    Netscape,
    /// With `$Version` and `$Path`.
    Rfc2109,
    /// Only cookies of the plan's: servers do not send those of RFC 2965.
    Rfc2965,
    /// No cookies.
    Ignore,
}

/// A cookie of the plan's.
#[derive(Debug)]
struct Defined {
    name: Field,
    value: Field,
    domain: Field,
    path: Field,
    secure: Field,
    domain_said: bool,
}

/// A user's cookies at one manager.
#[derive(Debug, Default)]
pub struct Jar {
    /// The cookies, in the order in which they came.
    pub(super) cookies: Vec<Cookie>,
    clears: bool,
    by_group: bool,
    /// The plan's own cookies were put in.
    pub(super) begun: bool,
}

/// A cookie.
#[derive(Debug, Clone)]
pub(super) struct Cookie {
    pub(super) name: String,
    pub(super) value: String,
    /// The plan's own value, evaluated for each request.
    pub(super) defined: Option<usize>,
    pub(super) domain: String,
    pub(super) path: String,
    pub(super) secure: bool,
    /// It is for subdomains as well.
    pub(super) wide: bool,
    /// Its path was said.
    pub(super) path_said: bool,
    /// A new cookie of its name takes its place. Not so where the plan says its domain with a
    /// function: JMeter compares the text as written.
    pub(super) goes: bool,
}

/// What JMeter's properties say of cookies.
#[derive(Debug, Clone)]
pub struct CookieOptions {
    /// `CookieManager.delete_null_cookies`.
    pub delete_empty: bool,
    /// `CookieManager.check.cookies`.
    pub check: bool,
    /// `CookieManager.save.cookies`: the prefix of the variables.
    pub save_as: Option<String>,
}

impl CookieManager {
    /// Binds a manager.
    #[must_use]
    pub fn bind(fields: Fields<'_>) -> Self {
        let policy = fields
            .fixed_text("CookieManager.policy")
            .to_ascii_lowercase();
        let defined = |cookie: Fields<'_>| Defined {
            name: Field::from(cookie.0.name.clone()),
            value: cookie.field("Cookie.value"),
            domain: cookie.field("Cookie.domain"),
            path: cookie.field("Cookie.path"),
            secure: cookie.field("Cookie.secure"),
            domain_said: cookie.fixed_truth("Cookie.domain_specified", false),
        };
        let cookies = fields.elements("CookieManager.cookies");
        Self {
            site: fields.0.site,
            policy: match policy.as_str() {
                "ignorecookies" => Policy::Ignore,
                "rfc2109" => Policy::Rfc2109,
                "rfc2965" => Policy::Rfc2965,
                "netscape" | "default" | "best-match" | "compatibility" => Policy::Netscape,
                _ => Policy::Standard,
            },
            clears: fields.fixed_truth("CookieManager.clearEachIteration", false),
            by_group: fields.fixed_truth("CookieManager.controlledByThreadGroup", false),
            defined: cookies.into_iter().map(defined).collect(),
        }
    }

    /// Puts the plan's own cookies into a new jar.
    pub fn begin(&self, jar: &mut Jar, by: &mut Eval<'_>) {
        if jar.begun {
            return;
        }
        jar.begun = true;
        (jar.clears, jar.by_group) = (self.clears, self.by_group);
        for (number, defined) in self.defined.iter().enumerate() {
            let mut text = |field| {
                by.text(field)
                    .map(|text| text.into_owned())
                    .unwrap_or_default()
            };
            jar.cookies.push(Cookie {
                name: text(&defined.name),
                value: String::new(),
                defined: Some(number),
                domain: text(&defined.domain).to_ascii_lowercase(),
                path: text(&defined.path),
                secure: text(&defined.secure).eq_ignore_ascii_case("true"),
                wide: defined.domain_said,
                path_said: true,
                goes: [&defined.name, &defined.domain, &defined.path]
                    .iter()
                    .all(|field| field.fixed().is_some()),
            });
        }
    }

    /// The `Cookie` header for an address, if there are any.
    #[must_use]
    pub fn header(&self, jar: &Jar, url: &JavaUrl, by: &mut Eval<'_>) -> Option<String> {
        if self.policy == Policy::Ignore {
            return None;
        }
        let host = url.host.to_ascii_lowercase();
        let mut sent: Vec<&Cookie> = jar
            .cookies
            .iter()
            .filter(|cookie| cookie.is_for(&host, url))
            .collect();
        if sent.is_empty() {
            return None;
        }
        if self.policy != Policy::Netscape {
            sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        }
        let old = matches!(self.policy, Policy::Rfc2109 | Policy::Rfc2965);
        let mut header = if old { "$Version=0" } else { "" }.to_owned();
        for cookie in sent {
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(&cookie.name);
            header.push('=');
            let value = match cookie.defined.map(|number| &self.defined[number].value) {
                None => Cow::Borrowed(cookie.value.as_str()),
                Some(value) => by.text(value).unwrap_or_default(),
            };
            match self.policy {
                Policy::Standard => put_value(&value, &mut header),
                _ => header.push_str(&value),
            }
            if old && cookie.path_said {
                header.push_str("; $Path=");
                header.push_str(&cookie.path);
            }
            if old && cookie.wide {
                header.push_str("; $Domain=");
                header.push_str(&cookie.domain);
            }
        }
        Some(header)
    }

    /// Keeps what a response from this address sets; gives the names and values of the cookies
    /// that were kept.
    pub fn store(
        &self,
        jar: &mut Jar,
        header: &str,
        url: &JavaUrl,
        options: &CookieOptions,
        unix_seconds: i64,
    ) -> Option<(String, String)> {
        if matches!(self.policy, Policy::Ignore | Policy::Rfc2965) {
            return None;
        }
        let (cookie, expires) = parse(header, url, unix_seconds, self.policy)?;
        let host = url.host.to_ascii_lowercase();
        if options.check && host != cookie.domain && !domain_matches(&cookie.domain, &host) {
            return None;
        }
        jar.cookies.retain(|known| {
            !known.goes
                || known.name != cookie.name
                || known.path != cookie.path
                || known.domain != cookie.domain
        });
        // The beginning of 1970 is "never" to JMeter.
        let is_over = expires.is_some_and(|at| at != 0 && at < unix_seconds);
        let is_empty = options.delete_empty && cookie.value.is_empty();
        if is_over || is_empty || jar.cookies.len() >= MAX_COOKIES {
            return None;
        }
        let kept = (cookie.name.clone(), cookie.value.clone());
        jar.cookies.push(cookie);
        Some(kept)
    }
}

impl Jar {
    /// Whether an iteration that begins wants it emptied.
    #[must_use]
    pub fn ends(&self, same_user: bool) -> bool {
        if self.by_group {
            !same_user
        } else {
            self.clears
        }
    }
}

impl Cookie {
    fn is_for(&self, host: &str, url: &JavaUrl) -> bool {
        let domain = host == self.domain || (self.wide && domain_matches(&self.domain, host));
        let path = if url.path.is_empty() { "/" } else { &url.path };
        domain && path_matches(&self.path, path) && (!self.secure || url.scheme == "https")
    }
}

/// A value, quoted when it has characters that need it.
fn put_value(value: &str, out: &mut String) {
    if !value.contains([' ', '"', ',', ';', '\\']) {
        out.push_str(value);
        return;
    }
    out.push('"');
    for c in value.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

fn domain_matches(domain: &str, host: &str) -> bool {
    let bare = host.trim_matches(['[', ']']);
    if bare.parse::<std::net::IpAddr>().is_ok() {
        return false;
    }
    let domain = domain.strip_prefix('.').unwrap_or(domain);
    match host.strip_suffix(domain) {
        Some("") => true,
        Some(before) => before.len() > 1 && before.ends_with('.'),
        None => false,
    }
}

fn path_matches(cookie: &str, path: &str) -> bool {
    let cookie = match cookie {
        "" => "/",
        longer if longer.len() > 1 => longer.strip_suffix('/').unwrap_or(longer),
        short => short,
    };
    match path.strip_prefix(cookie) {
        Some(rest) => cookie == "/" || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Reads a `Set-Cookie`; with it, when it expires.
fn parse(
    header: &str,
    url: &JavaUrl,
    unix_seconds: i64,
    policy: Policy,
) -> Option<(Cookie, Option<i64>)> {
    let netscape = policy == Policy::Netscape;
    let mut pieces = header.split(';');
    let (name, value) = pieces.next()?.split_once('=')?;
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let value = match netscape {
        true => value.trim(),
        false => unquoted(value),
    };
    let mut cookie = bare(name, value, url);
    let (mut expires, mut max_age) = (None, None);
    for piece in pieces {
        let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
        let value = unquoted(value);
        match name.trim().to_ascii_lowercase().as_str() {
            "path" => {
                cookie.path = if value.is_empty() { "/" } else { value }.to_owned();
                cookie.path_said = true;
            }
            // A domain without a name spoils the cookie.
            "domain" => {
                let domain = value.strip_prefix('.').unwrap_or(value);
                if domain.trim().is_empty() {
                    return None;
                }
                cookie.domain = domain.to_ascii_lowercase();
                cookie.wide = true;
            }
            "secure" => cookie.secure = true,
            "max-age" if !netscape => max_age = value.parse::<i64>().ok().or(max_age),
            // Netscape's draft knows one form of dates; another one spoils the cookie.
            "expires" if netscape && !has_dashes(value) => return None,
            // The comma within a date ends the cookie, to RFC 2109.
            "expires" if policy == Policy::Rfc2109 => break,
            "expires" => expires = unix_seconds_of(value).or(expires),
            _ => {}
        }
    }
    let expires = match max_age {
        Some(age) if age < 0 => Some(i64::MIN),
        // What is over in this very second is over.
        Some(0) => Some(unix_seconds - 1),
        Some(age) => Some(unix_seconds.saturating_add(age)),
        None => expires,
    };
    Some((cookie, expires))
}

/// A cookie of which nothing but its name and value is said: it is for the place it came from.
fn bare(name: &str, value: &str, url: &JavaUrl) -> Cookie {
    let folder = match url.path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &url.path[..end],
    };
    Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        defined: None,
        domain: url.host.to_ascii_lowercase(),
        path: folder.to_owned(),
        secure: false,
        wide: false,
        path_said: false,
        goes: true,
    }
}

/// Whether a date is as Netscape wrote it: `Wed, 09-Jun-2100 10:18:14 GMT`.
fn has_dashes(date: &str) -> bool {
    let day = date.split_once(", ").map_or(date, |(_, rest)| rest);
    day.split(' ')
        .next()
        .is_some_and(|day| day.matches('-').count() == 2)
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    match value
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
    {
        Some(inner) => inner,
        None => value,
    }
}

/// A date of HTTP as seconds since 1970.
#[must_use]
pub fn unix_seconds_of(date: &str) -> Option<i64> {
    // The same forms as in cookies, which cookie_store's library reads.
    let carrier = format!("a=b; Expires={date}");
    let cookie = cookie_store::RawCookie::parse(carrier).ok()?;
    Some(cookie.expires_datetime()?.unix_timestamp())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn manager(policy: Policy) -> CookieManager {
        CookieManager {
            site: SiteId(0),
            policy,
            clears: true,
            by_group: false,
            defined: Vec::new(),
        }
    }

    fn options() -> CookieOptions {
        CookieOptions {
            delete_empty: true,
            check: true,
            save_as: None,
        }
    }

    fn after(set: &[&str], from: &str, to: &str) -> Option<String> {
        let (manager, mut jar) = (manager(Policy::Standard), Jar::default());
        let url = JavaUrl::parse(from).unwrap();
        for header in set {
            manager.store(&mut jar, header, &url, &options(), 1_000);
        }
        manager.header(&jar, &JavaUrl::parse(to).unwrap(), &mut Eval(None))
    }

    #[test]
    fn cookies_go_where_they_belong() {
        let set = [
            "a=1; Path=/",
            "b=\"two\"; Path=/cookie; HttpOnly",
            "c=3; Domain=h.test; Max-Age=3600",
            "d=4; Secure",
            "e=; Path=/",
            "f=6; Domain=other.test",
            "g=7; Max-Age=0",
        ];
        let at = |to: &str| after(&set, "http://h.test/cookie/x", to);
        assert_eq!(at("http://h.test/cookie/y").unwrap(), "b=two; c=3; a=1");
        assert_eq!(at("http://h.test/").unwrap(), "a=1");
        assert_eq!(at("https://h.test/cookie").unwrap(), "b=two; c=3; d=4; a=1");
        assert_eq!(at("http://www.h.test/cookie").unwrap(), "c=3");
        assert_eq!(at("http://h.test/cookies").unwrap(), "a=1");
        assert_eq!(at("http://other.test/"), None);
    }

    #[test]
    fn netscapes_draft_takes_what_is_written() {
        let (manager, mut jar) = (manager(Policy::Netscape), Jar::default());
        let url = JavaUrl::parse("http://h/").unwrap();
        for header in [
            "a=\"x\"",
            "b=1; Max-Age=0",
            "c=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT",
            "d=3; Expires=Wed, 09-Jun-2100 10:18:14 GMT",
        ] {
            manager.store(&mut jar, header, &url, &options(), 1_000);
        }
        let sent = manager.header(&jar, &url, &mut Eval(None));
        assert_eq!(sent.unwrap(), "a=\"x\"; b=1; d=3");
    }

    #[test]
    fn older_forms_say_more() {
        let (manager, mut jar) = (manager(Policy::Rfc2109), Jar::default());
        let url = JavaUrl::parse("http://h/a/b").unwrap();
        for header in [
            "a=1",
            "b=\"x y\"; Path=/",
            "c=2; Expires=Thu, 01 Jan 2030 00:00:00 GMT; Path=/",
        ] {
            manager.store(&mut jar, header, &url, &options(), 1_000);
        }
        let sent = manager.header(&jar, &url, &mut Eval(None));
        assert_eq!(sent.unwrap(), "$Version=0; a=1; c=2; b=x y; $Path=/");
    }

    #[test]
    fn a_new_cookie_takes_the_place_of_the_old() {
        let url = "http://127.0.0.1:81/";
        assert_eq!(after(&["a=1", "b=2", "a=3"], url, url).unwrap(), "b=2; a=3");
        assert_eq!(after(&["a=1", "a=2; Max-Age=0"], url, url), None);
        let gone = "a=2; Expires=Thu, 01-Jan-1970 00:00:01 GMT";
        assert_eq!(after(&["a=1", gone], url, url), None);
        let never = "a=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
        assert_eq!(after(&["a=1", never], url, url).unwrap(), "a=2");
        assert_eq!(after(&["q=\"a b\""], url, url).unwrap(), "q=\"a b\"");
        assert_eq!(after(&["a=1; Domain=127.0.0.1"], url, url).unwrap(), "a=1");
        assert_eq!(after(&["novalue", "=x", ""], url, url), None);
    }
}
