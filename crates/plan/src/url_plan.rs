//! The plan behind `plimsoll run URL`.

use std::time::Duration;

use plimsoll_text::Message;

use crate::error::Problem;
use crate::load_options::LoadOptions;
use crate::model::{
    Body, HttpRequest, HttpSettings, Load, Plan, Scenario, Span, Step, StepKind, Text, TlsSettings,
    Undefined,
};

/// A request as options give it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UrlOptions {
    /// Method; by default GET, or POST when there is a body.
    pub method: Option<String>,
    /// Headers, `Name: value`.
    pub headers: Vec<String>,
    /// Body; `@FILE` takes a file's bytes.
    pub body: Option<String>,
    /// Certificates are not checked.
    pub insecure: bool,
    /// Time-out of the whole request.
    pub timeout: Option<Duration>,
    /// Redirects followed; by default [`defaults::REDIRECTS`].
    pub redirects: Option<u32>,
    /// Whether connections are kept open; by default yes.
    pub keep_alive: Option<bool>,
    /// The first part of the run that is kept out of the result.
    pub warm_up: Duration,
    /// The load; by default 10 users for 10 s.
    pub load: LoadOptions,
}

/// The plan that loads one URL with one request.
///
/// # Errors
/// A URL that is none, headers that are none, loads that cannot be.
///
/// ```
/// use plimsoll_plan::{UrlOptions, url_plan};
///
/// let plan = url_plan("http://127.0.0.1:8080/shop", &UrlOptions::default()).unwrap();
/// assert_eq!(plan.scenarios.len(), 1);
/// assert!(url_plan("ftp://h/", &UrlOptions::default()).is_err());
/// ```
pub fn url_plan(url: &str, options: &UrlOptions) -> Result<Plan, Vec<Problem>> {
    let mut problems = Vec::new();
    problems.extend(check_url(url));
    let headers = options.headers.iter().filter_map(|header| {
        let found = header_pair(header);
        if found.is_none() {
            let message = Message::new("plan-bad-header").with("header", header.as_str());
            problems.push(Problem::mistake(Span::default(), message));
        }
        found
    });
    let headers: Vec<(Text, Text)> = headers.collect();
    let load = options.load.load().unwrap_or_else(|mut wrong| {
        problems.append(&mut wrong);
        Load::once()
    });
    if !problems.is_empty() {
        return Err(problems);
    }
    // The name reaches folders and reports.
    let name = plimsoll_secrets::text(url);
    let mut scenario = Scenario::new(&*name, load);
    let request = Box::new(request(url, headers, options));
    scenario.body.steps = vec![Step::new(StepKind::Http(request), Span::default())];
    Ok(Plan {
        name: name.into_owned(),
        undefined: match is_plain(url, options) {
            // What keeps such texts costs each user memory, and each iteration time.
            true => Undefined::Reject,
            false => Undefined::KeepLiteral,
        },
        scenarios: vec![scenario],
        warm_up: options.warm_up,
        ..Plan::default()
    })
}

/// Whether nothing in its texts could be read as a variable, a function, or their escapes.
fn is_plain(url: &str, options: &UrlOptions) -> bool {
    let given = [&options.method, &options.body].into_iter().flatten();
    let texts = given.chain(&options.headers).map(String::as_str);
    !texts.chain([url]).any(|text| text.contains(['$', '\\']))
}

fn request(url: &str, headers: Vec<(Text, Text)>, options: &UrlOptions) -> HttpRequest {
    let body = match options.body.as_deref() {
        None => Body::Empty,
        Some(body) => match body.strip_prefix('@') {
            Some(path) => Body::File {
                path: Text::of(path),
                content_type: None,
            },
            None => Body::Text {
                text: Text::of(body),
                content_type: None,
            },
        },
    };
    let usual = if matches!(body, Body::Empty) {
        "GET"
    } else {
        "POST"
    };
    let method = Text::of(options.method.as_deref().unwrap_or(usual));
    let mut request = HttpRequest::new(method, Text::of(url), Span::default());
    request.headers = headers;
    request.body = body;
    request.settings = HttpSettings {
        redirects: options.redirects,
        timeout: options.timeout,
        keep_alive: options.keep_alive,
        tls: options.insecure.then(|| TlsSettings {
            insecure: true,
            ..TlsSettings::default()
        }),
        ..HttpSettings::default()
    };
    request
}

/// `Name: value` as its two halves, when the name can be one (RFC 9110, token) and the value
/// does not break out of its line.
pub(crate) fn header_pair(header: &str) -> Option<(Text, Text)> {
    let (name, value) = header.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    if !is_token(name) || value.contains(['\r', '\n', '\0']) {
        return None;
    }
    Some((Text::of(name), Text::of(value)))
}

/// Whether a word can be the name of a header, or a method (RFC 9110, token).
pub(crate) fn is_token(word: &str) -> bool {
    let is_of_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !word.is_empty() && word.bytes().all(is_of_token)
}

/// What is wrong with a text that must be an `http` or `https` address with a host.
fn check_url(url: &str) -> Option<Problem> {
    let wrong = |id: &str| {
        let message = Message::new(id).with("url", url);
        let remedy = Message::new("plan-bad-url.remedy").with("url", url);
        Some(Problem::error(Span::default(), message).remedy(remedy))
    };
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return wrong("plan-url-scheme");
    }
    if url.contains("${") {
        return None;
    }
    match url::Url::parse(url) {
        Ok(parsed) if parsed.host().is_some() => None,
        _ => wrong("plan-bad-url"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::Rate;

    fn load(options: LoadOptions) -> Load {
        let options = UrlOptions {
            load: options,
            ..UrlOptions::default()
        };
        let plan = url_plan("http://127.0.0.1:1/", &options).unwrap();
        plan.scenarios[0].load.clone()
    }

    #[test]
    fn only_what_may_hold_variables_is_read_for_them() {
        let undefined = |url: &str, header: &str| {
            let options = UrlOptions {
                headers: vec![header.to_owned()],
                ..UrlOptions::default()
            };
            url_plan(url, &options).unwrap().undefined
        };
        let plain = undefined("http://127.0.0.1:1/a?b={c}", "A: b");
        assert_eq!(plain, Undefined::Reject);
        for (url, header) in [
            ("http://127.0.0.1:1/${a}", "A: b"),
            ("http://127.0.0.1:1/", "A: ${__UUID}"),
            ("http://127.0.0.1:1/", "A: \\,"),
        ] {
            assert_eq!(
                undefined(url, header),
                Undefined::KeepLiteral,
                "{url} {header}"
            );
        }
    }

    #[test]
    fn a_bare_url_is_loaded_by_ten_users_for_ten_seconds() {
        let Load::Users(users) = load(LoadOptions::default()) else {
            panic!("open")
        };
        assert_eq!(users.stages[0].users, 10);
        assert_eq!(users.stages[0].hold, Duration::from_secs(10));
        assert!(users.ends_with_stages);
    }

    #[test]
    fn iterations_end_a_closed_load() {
        let options = LoadOptions {
            iterations_total: Some(1),
            ..LoadOptions::default()
        };
        let Load::Users(users) = load(options) else {
            panic!("open")
        };
        assert_eq!(users.iterations_total, Some(1));
        assert!(!users.ends_with_stages);
    }

    #[test]
    fn a_rate_makes_an_open_load() {
        let options = LoadOptions {
            rate: Some(Rate::per_second(50)),
            users: Some(64),
            ramp_up: Some(Duration::from_secs(1)),
            ..LoadOptions::default()
        };
        let Load::Arrivals(arrivals) = load(options) else {
            panic!("closed")
        };
        assert_eq!(arrivals.stages.len(), 2);
        assert_eq!(arrivals.stages[1].lasts, Duration::from_secs(9));
        assert_eq!((arrivals.ready_users, arrivals.max_in_flight), (64, 64));
    }

    #[test]
    fn every_mistake_is_named() {
        let options = UrlOptions {
            headers: vec!["no colon".into(), "Ok: 1".into(), "b ad: 1".into()],
            load: LoadOptions {
                rate: Some(Rate::per_second(1)),
                iterations_per_user: Some(1),
                ..LoadOptions::default()
            },
            ..UrlOptions::default()
        };
        let problems = url_plan("localhost:8080", &options).unwrap_err();
        let ids: Vec<&str> = problems.iter().map(|p| p.message.id.as_str()).collect();
        let wanted = [
            "plan-url-scheme",
            "plan-bad-header",
            "plan-bad-header",
            "plan-iterations-per-user-with-rate",
        ];
        assert_eq!(ids, wanted);
    }

    #[test]
    fn a_body_makes_a_post() {
        let options = UrlOptions {
            body: Some("@a.json".into()),
            ..UrlOptions::default()
        };
        let plan = url_plan("https://[::1]:8443/x", &options).unwrap();
        let StepKind::Http(request) = &plan.scenarios[0].body.steps[0].kind else {
            panic!()
        };
        assert_eq!(request.method.raw, "POST");
        assert!(matches!(&request.body, Body::File { path, .. } if path.raw == "a.json"));
    }
}
