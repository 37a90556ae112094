//! Plans to begin with: the words in them say what their lines do.

use plimsoll_text::{Lang, Message, render};

use crate::curl::CurlPlan;

/// Columns of a comment.
const COLUMNS: usize = 80;

/// Keys whose lines get a comment before them (`init-key-…`), wherever they stand at the left edge.
const KEYS: &[&str] = &[
    "target",
    "variables",
    "auth",
    "redirects",
    "compression",
    "tls",
    "proxy",
    "data",
    "scenarios",
    "steps",
    "users",
    "rate",
    "goals",
];

/// A commented plan of what curl was told, with a load to begin with.
#[must_use]
pub fn starter_of_curl(plan: &CurlPlan, lang: Lang) -> String {
    let say = |id: &str| comment(&Message::new(id), lang);
    [
        say("init-about"),
        String::from("\n"),
        commented(&plan.head, lang),
        say("init-load"),
        "users: 5\nramp-up: 2s\nduration: 30s\n".to_owned(),
        say("init-load-more"),
        "# warm-up: 5s\n".to_owned(),
        say("init-key-goals"),
        "goals:\n  - errors < 1 %\n#  - p95 < 500 ms\n".to_owned(),
        commented(&plan.steps, lang),
        say("init-steps-more"),
        "#    check: {status: 200}\n#  - think: 1s..3s\n".to_owned(),
    ]
    .concat()
}

/// A commented plan that was JMeter's: its text in YAML and the file that it was.
#[must_use]
pub fn starter_of_jmeter(text: &str, file: &str, lang: Lang) -> String {
    let about = Message::new("init-about-jmeter").with("file", file);
    format!("{}\n{}", comment(&about, lang), commented(text, lang))
}

/// Blanks before the keys of a scenario.
const IN_SCENARIO: &str = "    ";

/// Keys of a scenario whose lines get a comment where they come first. No other line of the scenarios
/// begins as they do: texts of several lines stand deeper.
const SCENARIO_KEYS: &[&str] = &["stages", "users", "rate", "steps"];

/// The text with a comment before each key that has one.
fn commented(text: &str, lang: Lang) -> String {
    let mut out = String::new();
    let mut in_scenarios = false;
    let mut said: Vec<&str> = Vec::new();
    for line in text.lines() {
        let key = line.split_once(':').map(|(key, _)| key);
        if !line.starts_with([' ', '#']) && key.is_some() {
            in_scenarios = key == Some("scenarios");
        }
        let about = |key: &str| comment(&Message::new(format!("init-key-{key}")), lang);
        let inner = key.and_then(|key| key.strip_prefix(IN_SCENARIO));
        let inner = inner.filter(|key| in_scenarios && SCENARIO_KEYS.contains(key));
        if let Some(key) = key.filter(|key| KEYS.contains(key)) {
            out.push_str(&about(key));
        } else if let Some(key) = inner.filter(|key| !said.contains(key)) {
            said.push(key);
            for line in about(key).lines() {
                out.push_str(&format!("{IN_SCENARIO}{line}\n"));
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn comment(message: &Message, lang: Lang) -> String {
    let text = render(lang, message);
    let lines = plimsoll_text::wrap_after(&text, COLUMNS, "# ", "# ");
    lines.join("\n") + "\n"
}
