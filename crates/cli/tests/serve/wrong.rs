//! Wrong requests: each is refused with a reason, and none harms the server.

use serde_json::{Value, json};

use crate::client::Served;
use crate::common::folder;
use crate::{one_run, only_run};

/// Numbers that are always the same.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Names of no run, as a URL has them.
const IDS: [&str; 12] = [
    "x",
    "..",
    "%2e%2e",
    "..%2f..%2fetc",
    "%2fetc%2fpasswd",
    ".workbench",
    "%00",
    "a%0d%0aSet-Cookie:%20x",
    "%ff%fe",
    "'%20OR%201=1--",
    "%3Cscript%3E",
    "%E4%B8%AD%E6%96%87",
];

/// Numbers of captures: one that a run may have, and what is none.
const NUMBERS: [&str; 6] = ["1", "0", "-1", "4294967296", "x", "%00"];

/// What is no value of any parameter that the API has.
const VALUES: [&str; 8] = ["-1", "nan", "1e999", "abc", "0x10", "%00", "9e9x", ""];

/// Bodies that are right nowhere.
const BODIES: [&str; 9] = [
    "",
    "{",
    "[1]",
    "null",
    "\"text\"",
    "{\"unknown\": 1}",
    "{\"users\": -1, \"by_s\": -1, \"how\": \"x\", \"note\": 1, \"tags\": 1}",
    "{\"plan\": 5, \"users\": \"many\", \"by_s\": \"1\", \"how\": 1, \"note\": []}",
    "\u{0}\u{1}\u{2}",
];

/// A request that cannot be right, of an operation that the document has.
fn wrong(draws: &mut Draws, api: &Value, id: &str) -> (String, String, &'static str, String) {
    let paths: Vec<(&String, &Value)> = api["paths"].as_object().unwrap().iter().collect();
    loop {
        let (path, item) = *draws.of(&paths);
        let path = &path.replace("{number}", draws.of::<&str>(&NUMBERS));
        let operations: Vec<(&String, &Value)> = item.as_object().unwrap().iter().collect();
        let (method, operation) = *draws.of(&operations);
        let method = method.to_uppercase();
        let json = "Content-Type: application/json\r\n";
        let numbers: Vec<&str> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|it| it["in"] == "query" && it["schema"].to_string().contains("minimum"))
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let has_body = operation["requestBody"].is_object();
        match draws.below(4) {
            0 if path.contains("{id}") => {
                let path = path.replace("{id}", draws.of::<&str>(&IDS));
                return (method, path, json, "{}".to_owned());
            }
            1 if !numbers.is_empty() => {
                let query = format!("?{}={}", draws.of(&numbers), draws.of::<&str>(&VALUES));
                return (method, path.replace("{id}", id) + &query, "", String::new());
            }
            2 if has_body => {
                let body = (*draws.of::<&str>(&BODIES)).to_owned();
                return (method, path.replace("{id}", id), json, body);
            }
            3 => {
                let path = path.replace("{id}", id);
                return ("PUT".to_owned(), path, "", String::new());
            }
            _ => {}
        }
    }
}

#[test]
fn a_thousand_wrong_requests_are_refused_with_a_reason() {
    let (_dir, target, served, id) = one_run();
    let api = served.get("/openapi.json");
    let mut draws = Draws(7);
    for _ in 0..1_000 {
        let (method, path, headers, body) = wrong(&mut draws, &api, &id);
        let response = served.call(&method, &path, headers, &body);
        let case = format!("{method} {path} {body:?}: {response:?}");
        assert!((400..500).contains(&response.status), "{case}");
        assert!(response.head.contains("application/problem+json"), "{case}");
        let problem = response.json();
        assert_eq!(problem["status"], response.status, "{case}");
        for text in ["type", "title", "detail"] {
            assert!(!problem[text].as_str().unwrap().is_empty(), "{case}");
        }
    }
    assert_eq!(only_run(&served), id, "it lives");
    assert_eq!(
        target.requests().len() as u64,
        served.get(&format!("/runs/{id}"))["total"]["samples"]
    );
}

#[test]
fn a_wrong_plan_is_refused_with_each_mistake() {
    let dir = folder();
    let served = Served::start(dir.path());
    let plan = "name: x\nduration: 1s\nsteps:\n  - get: http://127.0.0.1:1/\nuserz: 3\n";
    let refused = served.post("/runs", &json!({"plan": plan}));
    assert_eq!(refused.status, 422, "{refused:?}");
    let problem = refused.json();
    let mistakes = problem["errors"].as_array().unwrap();
    assert!(
        mistakes.iter().any(|mistake| mistake["line"] == 5),
        "{problem}"
    );
    assert!(!refused.body.contains(".workbench"), "{problem}");
    assert!(served.get("/runs")["items"].as_array().unwrap().is_empty());
}

#[test]
fn foreign_hosts_and_pages_are_refused() {
    let dir = folder();
    let served = Served::start(dir.path());
    let rebound = served.call("GET", "/api/v1/runs", "Host: evil.example\r\n", "");
    assert_eq!(rebound.status, 421, "{rebound:?}");
    let page = served.call(
        "GET",
        "/",
        "Host: evil.example\r\nAccept: text/html\r\n",
        "",
    );
    assert_eq!(page.status, 421, "{page:?}");
    let headers = "Origin: http://evil.example\r\nContent-Type: application/json\r\n";
    let foreign = served.call("POST", "/api/v1/runs", headers, "{}");
    assert_eq!(foreign.status, 403, "{foreign:?}");
    let simple = "Content-Type: text/plain\r\n";
    let form = served.call("POST", "/api/v1/runs", simple, "{}");
    assert_eq!(
        form.status, 415,
        "what a form can send is no order: {form:?}"
    );
}
