//! The plan behind `plimsoll run URL`, and the load that options of the command line ask for.

use std::time::Duration;

use plimsoll_text::Message;

use crate::error::Problem;
use crate::model::{
    ArrivalLoad, Body, HttpRequest, HttpSettings, Load, Plan, Rate, RateStage, Scenario, Spacing,
    Span, Step, StepKind, Text, TlsSettings, Undefined, UserLoad, UserStage, defaults,
};
use crate::units::time_for;

/// A load as options give it; what is `None` is not asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// Users of a closed load; with a rate: users made ready, and the limit in flight.
    pub users: Option<u32>,
    /// Arrivals of an open load.
    pub rate: Option<Rate>,
    /// Time to go from nothing to the full load.
    pub ramp_up: Option<Duration>,
    /// Time of the whole load, ramp included.
    pub duration: Option<Duration>,
    /// Iterations of each user (closed loads only).
    pub iterations_per_user: Option<u64>,
    /// Iterations, or arrivals, of all users together.
    pub iterations_total: Option<u64>,
    /// Users in flight over which an arrival counts as not started (open loads only).
    pub max_in_flight: Option<u32>,
}

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

/// Users of a URL run that names none.
pub const URL_USERS: u32 = 10;

/// Duration of a URL run that names neither a duration nor iterations.
pub const URL_DURATION: Duration = Duration::from_secs(10);

impl LoadOptions {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The load these options ask for, with the defaults of a URL run.
    ///
    /// # Errors
    /// What cannot be combined, and a rate without end.
    pub fn load(&self) -> Result<Load, Vec<Problem>> {
        match self.rate {
            Some(rate) => self.arrivals(rate).map(Load::Arrivals),
            None => Ok(Load::Users(self.user_load())),
        }
    }

    /// Changes a plan's load: what is given here replaces what the plan says.
    ///
    /// # Errors
    /// What cannot be combined, and a rate without end.
    pub fn apply(&self, load: &mut Load) -> Result<(), Vec<Problem>> {
        if self.is_empty() {
            return Ok(());
        }
        *load = self.over(load).load()?;
        Ok(())
    }

    /// These options, with what they leave open taken from a load.
    fn over(&self, load: &Load) -> Self {
        let mut all = self.clone();
        let other_model = match load {
            Load::Users(_) => self.rate.is_some(),
            Load::Arrivals(_) => self.users.is_some() && self.rate.is_none(),
        };
        let no_end = self.duration.is_none()
            && self.iterations_per_user.is_none()
            && self.iterations_total.is_none();
        match load {
            Load::Users(users) => {
                let ramp: Duration = users.stages.first().map(|s| s.ramp).unwrap_or_default();
                let whole = users.stages.iter().map(|s| s.ramp + s.hold).sum();
                let most = users.stages.iter().map(|s| s.users).max().unwrap_or(1);
                if !other_model {
                    all.users = all.users.or(Some(most));
                    if no_end {
                        all.iterations_per_user = users.iterations_per_user;
                        all.iterations_total = users.iterations_total;
                    }
                }
                all.ramp_up = all.ramp_up.or(Some(ramp).filter(|r| !r.is_zero()));
                if no_end && users.ends_with_stages {
                    all.duration = Some(whole);
                }
            }
            Load::Arrivals(arrivals) => {
                let whole = arrivals.stages.iter().map(|s| s.lasts).sum();
                if !other_model {
                    all.rate = all.rate.or(arrivals.stages.last().map(|s| s.to));
                    all.max_in_flight = all.max_in_flight.or(Some(arrivals.max_in_flight));
                    if no_end {
                        all.iterations_total = arrivals.arrivals_total;
                    }
                }
                if no_end {
                    all.duration = Some(whole);
                }
            }
        }
        all
    }

    fn user_load(&self) -> UserLoad {
        let by_iterations = self.iterations_per_user.is_some() || self.iterations_total.is_some();
        let ramp = self.ramp_up.unwrap_or_default();
        let duration = match self.duration {
            Some(duration) => duration,
            None if by_iterations => ramp,
            None => URL_DURATION.max(ramp),
        };
        let users = self.users.unwrap_or(URL_USERS);
        let ramp = ramp.min(duration);
        UserLoad {
            stages: vec![UserStage {
                users,
                ramp,
                hold: duration.saturating_sub(ramp),
            }],
            iterations_per_user: self.iterations_per_user,
            iterations_total: self.iterations_total,
            ends_with_stages: self.duration.is_some() || !by_iterations,
        }
    }

    fn arrivals(&self, rate: Rate) -> Result<ArrivalLoad, Vec<Problem>> {
        let option = |id: &str| {
            let remedy = Message::new(format!("{id}.remedy"));
            Err(vec![
                Problem::error(Span::default(), Message::new(id)).remedy(remedy),
            ])
        };
        if self.iterations_per_user.is_some() {
            return option("plan-iterations-per-user-with-rate");
        }
        if rate.arrivals == 0 {
            return option("plan-rate-zero");
        }
        let ramp = self.ramp_up.unwrap_or_default();
        let duration = match (self.duration, self.iterations_total) {
            (Some(duration), _) => duration,
            // Half of the ramp brings nothing; the total ends the load before the time does.
            (None, Some(total)) => match time_for(rate, total) {
                Some(time) => time
                    .saturating_add(ramp)
                    .saturating_add(Duration::from_secs(1)),
                None => return option("plan-rate-too-slow"),
            },
            (None, None) => URL_DURATION.max(ramp),
        };
        let ramp = ramp.min(duration);
        let mut stages = Vec::new();
        if !ramp.is_zero() {
            let nothing = Rate {
                arrivals: 0,
                per_ns: rate.per_ns,
            };
            stages.push(RateStage {
                from: nothing,
                to: rate,
                lasts: ramp,
            });
        }
        stages.push(RateStage {
            from: rate,
            to: rate,
            lasts: duration.saturating_sub(ramp),
        });
        let limit = self
            .max_in_flight
            .or(self.users)
            .unwrap_or(defaults::MAX_IN_FLIGHT);
        Ok(ArrivalLoad {
            stages,
            spacing: Spacing::Constant,
            ready_users: self.users.unwrap_or(0).min(limit),
            max_in_flight: limit,
            arrivals_total: self.iterations_total,
        })
    }
}

/// The plan that loads one URL with one request.
///
/// # Errors
/// A URL that is none, headers that are none, loads that cannot be.
pub fn url_plan(url: &str, options: &UrlOptions) -> Result<Plan, Vec<Problem>> {
    let mut problems = Vec::new();
    problems.extend(check_url(url));
    let headers = options.headers.iter().filter_map(|header| {
        let found = header_pair(header);
        if found.is_none() {
            let message = Message::new("plan-bad-header").with("header", header.as_str());
            let remedy = Message::new("plan-bad-header.remedy");
            problems.push(Problem::error(Span::default(), message).remedy(remedy));
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
    let mut scenario = Scenario::new(url, load);
    scenario.body.steps = vec![Step::new(
        StepKind::Http(Box::new(request)),
        Span::default(),
    )];
    Ok(Plan {
        name: url.to_owned(),
        undefined: Undefined::KeepLiteral,
        scenarios: vec![scenario],
        warm_up: options.warm_up,
        ..Plan::default()
    })
}

/// `Name: value` as its two halves, when the name can be one (RFC 9110, token) and the value
/// does not break out of its line.
pub(crate) fn header_pair(header: &str) -> Option<(Text, Text)> {
    let (name, value) = header.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(token) || value.contains(['\r', '\n', '\0']) {
        return None;
    }
    Some((Text::of(name), Text::of(value)))
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

    fn load(options: LoadOptions) -> Load {
        let options = UrlOptions {
            load: options,
            ..UrlOptions::default()
        };
        let plan = url_plan("http://127.0.0.1:1/", &options).unwrap();
        plan.scenarios[0].load.clone()
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
    fn options_change_a_load_and_keep_the_rest() {
        let mut load = LoadOptions {
            users: Some(5),
            duration: Some(Duration::from_secs(60)),
            ..LoadOptions::default()
        }
        .load()
        .unwrap();
        let more = LoadOptions {
            users: Some(50),
            ..LoadOptions::default()
        };
        more.apply(&mut load).unwrap();
        let Load::Users(users) = &load else {
            panic!("open")
        };
        assert_eq!(users.stages[0].users, 50);
        assert_eq!(users.stages[0].hold, Duration::from_secs(60));
        let open = LoadOptions {
            rate: Some(Rate::per_second(9)),
            ..LoadOptions::default()
        };
        open.apply(&mut load).unwrap();
        let Load::Arrivals(arrivals) = &load else {
            panic!("closed")
        };
        assert_eq!(arrivals.stages[0].lasts, Duration::from_secs(60));
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
