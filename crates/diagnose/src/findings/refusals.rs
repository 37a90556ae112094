//! Responses that are refusals: a limit that somebody has set on the rate of requests, or a status
//! that says the request failed. They are quick, so that throughput says little of useful work.

use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Rule;
use super::support::{process_name, proxies};
use crate::about::{object, seen_by_client};
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["rate_limit", "failed_requests"],
    refuted_by: "responses without that status, or a rule that names the error",
    look,
};

/// So much of the requests must be refused to limit; less is a side remark, down to a hundredth.
const SHARE_REFUSED: f64 = 0.2;
const LEAST: f64 = 0.01;
/// Refused for their rate (RFC 6585, section 4).
const TOO_MANY: &str = "429";
/// A limit of nginx: what it logs of it, and the directives of it, its zone and its status.
struct Limit {
    logged: &'static str,
    directive: &'static str,
    zone: &'static str,
    status: &'static str,
}

const LIMITS: &[Limit] = &[
    Limit {
        logged: "limiting_requests",
        directive: "limit_req",
        zone: "limit_req_zone",
        status: "limit_req_status",
    },
    Limit {
        logged: "limiting_connections",
        directive: "limit_conn",
        zone: "limit_conn_zone",
        status: "limit_conn_status",
    },
];
/// What nginx says to whom is over a limit, unless it is told another status.
const REFUSED: &str = "503";
/// How a response is told that has a status which nobody wants.
const FAILURES: [ErrorKind; 2] = [ErrorKind::HttpStatus, ErrorKind::CheckFailed];
/// Statuses with a text of their own.
const KNOWN: &[&str] = &["401", "403", "404", "500", "502", "503", "504"];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    // Statuses whose reason is known.
    let mut explained = vec![TOO_MANY];
    for proxy in proxies(scene) {
        for limit in LIMITS {
            let set = |directive: &'static str| {
                let mut facts = scene.facts_ending(directive);
                let found = facts.find(|(of, ..)| **of == *proxy);
                found.map(|(_, _, value)| value)
            };
            let status = set(limit.status).unwrap_or(REFUSED);
            if let Some(finding) = by_proxy(scene, &proxy, limit, (status, &set)) {
                found.push(finding);
                explained.push(status);
            }
        }
    }
    if found.is_empty() {
        found.extend(by_status(scene));
    }
    found.extend(failed(scene, &explained));
    found
}

/// A proxy that says in its log that it holds requests back. Not every line of a busy log is
/// read, so that as many were refused as have the status of it.
fn by_proxy<'a>(
    scene: &Scene<'a>,
    proxy: &Arc<Entity>,
    limit: &Limit,
    (status, set): (&str, &dyn Fn(&'static str) -> Option<&'a str>),
) -> Option<Finding> {
    let log = scene.of(proxy, names::nginx::ERRORS);
    // Of a stretch that looks at the log overlap, or others' requests: no more than were sent.
    let held = log.with(attributes::NGINX_ERROR, limit.logged).counted()?;
    let held = held.min(scene.requests());
    let refused = count(scene, status);
    let share = held.max(refused) / scene.requests();
    if held < 1.0 || share < LEAST {
        return None;
    }
    let text = Message::new("exhibit-limiting").with("count", held.round());
    let about = object("proxy", process_name(scene, proxy), proxy);
    let zones = set(limit.zone).map(|zones| {
        let text = Message::new("exhibit-limit-zones").with("zones", zones);
        Exhibit::new(text)
    });
    let sent = (refused > 0.0).then(|| responses(status, refused / scene.requests()));
    let finding = rate_limit(scene, share, about)
        .shows(Exhibit::new(text).series(names::nginx::ERRORS))
        .shows_all(sent)
        .shows_all(zones);
    let advice = Advice {
        setting: Some(limit.directive.to_owned()),
        current: set(limit.directive).map(str::to_owned),
        ..Advice::code(Message::new("advice-rate-limit"))
    };
    Some(Finding {
        confidence: 0.95,
        source: "nginx, ngx_http_limit_req_module and ngx_http_limit_conn_module",
        ..finding.advises(advice)
    })
}

/// Responses that say so themselves, whoever sends them.
fn by_status(scene: &Scene<'_>) -> Option<Finding> {
    let share = count(scene, TOO_MANY) / scene.requests();
    if share < LEAST {
        return None;
    }
    let about = seen_by_client("target", scene.load().target.as_str());
    let finding = rate_limit(scene, share, about)
        .shows(responses(TOO_MANY, share))
        .advises(Advice::code(Message::new("advice-rate-limit")));
    Some(Finding {
        confidence: 0.9,
        source: "RFC 6585, section 4",
        ..finding
    })
}

fn rate_limit(scene: &Scene<'_>, share: f64, about: FindingObject) -> Finding {
    let explains = match scene.total().errors {
        // Held back and served later.
        0 => Explains::new(share.min(1.0), ShareOf::ResponseTime),
        _ => Explains::new(
            (share / scene.total().error_rate.max(1e-9)).min(1.0),
            ShareOf::Errors,
        ),
    };
    Finding::new("rate_limit", layer(share), about, explains).with("held", percent(share.min(1.0)))
}

/// Requests that got a response, and failed by their status, for no reason that is known; the
/// most frequent one.
fn failed(scene: &Scene<'_>, explained: &[&str]) -> Option<Finding> {
    let codes = &scene.total().status_codes;
    let failing = |code: &&String| {
        code.len() == 3 && code.starts_with(['4', '5']) && !explained.contains(&code.as_str())
    };
    let code = codes
        .keys()
        .filter(failing)
        .max_by_key(|code| codes[*code])?;
    // A status that the plan's checks expect is no failure.
    let failed = scene.failed(|kind| FAILURES.contains(&kind));
    let share = count(scene, code).min(failed) / scene.requests();
    if share < LEAST {
        return None;
    }
    let explains = Explains::new(
        (share / scene.total().error_rate.max(share)).min(1.0),
        ShareOf::Errors,
    );
    // Texts choose by words, not by numbers.
    let known = match KNOWN.contains(&code.as_str()) {
        true => format!("status{code}"),
        false => "other".to_owned(),
    };
    let why = Message::new("advice-failed-requests").with("code", known);
    let about = seen_by_client("status", code.as_str());
    let finding = Finding::new("failed_requests", layer(share), about, explains)
        .with("failed", percent(share))
        .shows(responses(code, share))
        .advises(Advice::code(why));
    // A rule that knows why they fail is surer.
    Some(Finding {
        confidence: 0.6,
        source: "RFC 9110, section 15",
        ..finding
    })
}

fn layer(share: f64) -> Layer {
    Layer::cause_if(share >= SHARE_REFUSED)
}

fn responses(code: &str, share: f64) -> Exhibit {
    let text = Message::new("exhibit-responses")
        .with("code", code)
        .with("percent", percent(share));
    Exhibit::new(text)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn count(scene: &Scene<'_>, code: &str) -> f64 {
    let codes = &scene.total().status_codes;
    codes.get(code).copied().unwrap_or(0) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;
    use plimsoll_text::{Lang, render};

    use crate::model::{Layer, ShareOf};
    use crate::testing::{Made, thing};

    fn proxy(class: &str, a_second: f64) -> Made {
        let of = thing(EntityKind::Proxy, "nginx:80");
        Made::load(100.0, 30.0)
            .process("nginx[80]", 0.1, 2.0)
            .counter(&of, "nginx.requests", &[], 100.0)
            .counter(
                &of,
                "nginx.error_log.events",
                &[("nginx.error", class)],
                a_second,
            )
            .fact(
                &of,
                "nginx.http.limit_req_zone",
                "$server_name zone=one:1m rate=40r/s",
            )
            .fact(
                &of,
                "nginx.http.server.location.limit_req",
                "zone=one burst=5 nodelay",
            )
    }

    #[test]
    fn a_limit_of_the_proxy_is_named_with_its_value() {
        let finding = proxy("limiting_requests", 60.0)
            .responded("503", 1_200)
            .find("rate_limit")
            .unwrap();
        assert_eq!(
            (finding.layer, finding.explains.of),
            (Layer::Cause, ShareOf::Errors)
        );
        assert_eq!(finding.object.name, "nginx[80]");
        assert_eq!(finding.advice[0].setting.as_deref(), Some("limit_req"));
        assert_eq!(
            finding.advice[0].current.as_deref(),
            Some("zone=one burst=5 nodelay")
        );
        assert_eq!(
            proxy("limiting_requests", 60.0)
                .responded("503", 1_200)
                .all()[0]
                .id,
            "rate_limit"
        );
        let found = proxy("limiting_requests", 60.0)
            .responded("503", 1_900)
            .all();
        assert!(
            found[0].explains.share > 0.99,
            "not every line of the log is read"
        );
        assert!(found.iter().all(|finding| finding.id != "failed_requests"));
        // Held back and not refused; hardly ever; something else.
        let delayed = proxy("limiting_requests", 60.0).find("rate_limit").unwrap();
        assert_eq!(delayed.explains.of, ShareOf::ResponseTime);
        assert_eq!(
            proxy("limiting_requests", 5.0)
                .find("rate_limit")
                .unwrap()
                .layer,
            Layer::Hint
        );
        assert_eq!(proxy("upstream_refused", 60.0).find("rate_limit"), None);
    }

    #[test]
    fn as_many_are_limited_as_the_log_says_and_never_more_than_were_sent() {
        // 100 of 150 requests a second are refused: a blind trial's load of 5 s, of which the log
        // was looked at from its first second to its fourth; and one of 6 s.
        let of = thing(EntityKind::Proxy, "nginx:80");
        let told = |looks: &[(i64, f64)], judged_s| {
            let made = Made::load(150.0, 30.0).lasts(judged_s);
            let log = [("nginx.error", "limiting_requests")];
            let made = made.process("nginx[80]", 0.1, 2.0).responded("503", 500);
            let made = made.looked_at(&of, "nginx.error_log.events", &log, looks);
            let finding = made.find("rate_limit").unwrap();
            render(Lang::En, &finding.evidence[0].text)
        };
        for seconds in [0..6, 0..5, 1..5] {
            let looks: Vec<(i64, f64)> = seconds
                .map(|second| (second * 1_000, 100.0 * second as f64))
                .collect();
            let told = told(&looks, 5);
            assert!(told.contains(" 500 "), "{told}");
        }
        assert!(told(&[(0, 0.0), (6_000, 9_000.0)], 6).contains(" 900 "));
    }

    #[test]
    fn responses_tell_of_a_limit_themselves() {
        let made = Made::load(100.0, 30.0).responded("429", 1_000);
        let finding = made.find("rate_limit").unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert!(finding.explains.share > 0.99, "{:?}", finding.explains);
        assert_eq!(made.find("failed_requests"), None);
        assert_eq!(Made::load(100.0, 30.0).find("rate_limit"), None);
    }

    #[test]
    fn failing_responses_are_told_before_what_is_exhausted() {
        let cpu = || Made::load(100.0, 30.0).process("java[8080]", 1.95, 2.0);
        let found = cpu().responded("500", 1_200).all();
        assert_eq!(
            (found[0].id, found[0].object.name.as_str()),
            ("failed_requests", "500")
        );
        let found = cpu().responded("500", 100).all();
        assert_eq!((found[0].id, found[1].layer), ("cpu", Layer::Hint));
        assert_eq!(cpu().responded("404", 2).find("failed_requests"), None);
        assert_eq!(cpu().expected("404", 900).find("failed_requests"), None);
    }
}
