//! Where each element and function of a plan runs, and what becomes of those that do not.

mod jars;
mod jexl;
mod problems;
mod replacements;

use std::collections::{HashMap, HashSet};

use plimsoll_elements::jdbc::{self, KnownText};
use plimsoll_plan::functions::jmeter_function;
use plimsoll_plan::model::{Element, ElementValue, Span, Text};
use plimsoll_text::Message;

use crate::classes::{Category, category};
use crate::read::{GUI_CLASS, JmxNode, Tree};
use crate::targets;

pub use self::problems::problem_of;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SupportKind {
    /// An element of the tree.
    Element,
    /// A function in a text.
    Function,
}

/// Where something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunsIn {
    /// In Plimsoll itself.
    Native,
    /// As JMeter's own class in the JVM companion.
    Companion,
    /// Nowhere.
    Unsupported,
}

/// One element, or one function with all its uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is.
    pub kind: SupportKind,
    /// The class, or the function's name with its `__`.
    pub class: String,
    /// The name a person gave the element; empty for functions.
    pub name: String,
    /// Where it is, for a function its first use.
    pub at: Span,
    /// The file when it is an included one, empty for the plan's own.
    pub file: String,
    /// Whether it takes part in the test; for a function whether any use does.
    pub enabled: bool,
    /// How often a function is used; 1 for an element.
    pub uses: usize,
    /// Where it runs.
    pub place: RunsIn,
    /// What does not happen.
    pub lost: Option<Message>,
    /// What to use instead.
    pub instead: Option<Message>,
}

/// Samplers of the engine itself.
const SAMPLERS: &[&str] = &[
    "DebugSampler",
    "HTTPSamplerProxy",
    "SystemSampler",
    "TestAction",
    "com.blazemeter.jmeter.http.ParallelHTTPSampler",
    "eu.luminis.jmeter.wssampler.CloseWebSocketSampler",
    "eu.luminis.jmeter.wssampler.OpenWebSocketSampler",
    "eu.luminis.jmeter.wssampler.PingPongSampler",
    "eu.luminis.jmeter.wssampler.RequestResponseWebSocketSampler",
    "eu.luminis.jmeter.wssampler.SingleReadWebSocketSampler",
    "eu.luminis.jmeter.wssampler.SingleWriteWebSocketSampler",
    "kg.apc.jmeter.control.sampler.SetVariablesAction",
    "kg.apc.jmeter.samplers.DummySampler",
    "kg.apc.jmeter.samplers.HTTPRawSampler",
];

/// Java requests that are native, by the class they call.
const JAVA_TESTS: &[&str] = &[
    "org.apache.jmeter.protocol.java.test.JavaTest",
    "org.apache.jmeter.protocol.java.test.SleepTest",
];

/// TCP samplers that are native, by their client; none is JMeter's default.
const TCP_CLIENTS: &[&str] = &[
    "",
    "TCPClientImpl",
    "BinaryTCPClientImpl",
    "LengthPrefixedBinaryTCPClientImpl",
];

/// What becomes of a listener that nothing runs.
const LOST_LISTENER: &str = "jmeter-lost-listener";

/// Where JMeter's own TCP clients are.
const TCP_PACKAGE: &str = "org.apache.jmeter.protocol.tcp.sampler.";

/// Leaves of the engine itself: they change its HTTP sampler, wait for other users, or are jumps
/// of the program.
const LEAVES: &[&str] = &[
    "AnchorModifier",
    "RegExUserParameters",
    "ResultAction",
    "SyncTimer",
    "URLRewritingModifier",
    "kg.apc.jmeter.modifiers.FifoPopPreProcessor",
];

/// Configuration that native samplers follow.
const CONFIGS: &[&str] = &[
    "Arguments",
    "AuthManager",
    "CSVDataSet",
    "CacheManager",
    "ConfigTestElement",
    "CookieManager",
    "DNSCacheManager",
    "HeaderManager",
    "JavaConfig",
    "KeystoreConfig",
    "LoginConfig",
    "com.blazemeter.jmeter.DirectoryListingConfig",
    "com.blazemeter.jmeter.RandomCSVDataSetConfig",
    "eu.luminis.jmeter.wssampler.BinaryFrameFilter",
    "eu.luminis.jmeter.wssampler.PingFrameFilter",
    "eu.luminis.jmeter.wssampler.TextFrameFilter",
];

/// Forms whose defaults are for native samplers; the others' are for the companion's.
const DEFAULTS: &[&str] = &[
    "",
    "HttpDefaultsGui",
    "LoginConfigGui",
    "ObsoleteGui",
    "SimpleConfigGui",
    "TCPConfigGui",
];

/// Listeners that do what JMeter's, or the plugins', do.
const LISTENERS: &[&str] = &[
    "ResultCollector",
    "ResultSaver",
    "Summariser",
    "kg.apc.jmeter.perfmon.PerfMonCollector",
    "kg.apc.jmeter.reporters.AutoStop",
    "kg.apc.jmeter.reporters.ConsoleStatusLogger",
    "kg.apc.jmeter.reporters.FlexibleFileWriter",
];

/// Every element of a plan in the order of the file, and after them every function, by name.
#[must_use]
pub fn table(tree: &Tree) -> Vec<Row> {
    rows(tree, true, &targets::led_to(tree))
}

/// The same for an included file, of which only what is in the fragment runs.
pub(crate) fn table_of_included(tree: &Tree, fragment: Option<&JmxNode>) -> Vec<Row> {
    let used = fragment.map(std::ptr::from_ref);
    rows(tree, false, &used.into_iter().collect())
}

/// `used`: what runs though it or what is around it is off.
fn rows(tree: &Tree, enabled: bool, used: &HashSet<*const JmxNode>) -> Vec<Row> {
    let mut table = SupportTable {
        used,
        jdbc: jdbc_is_native(&tree.roots),
        rows: Vec::new(),
        functions: HashMap::new(),
    };
    table.elements(&tree.roots, enabled);
    let mut functions: Vec<Row> = table.functions.into_values().collect();
    functions.sort_by(|a, b| a.class.cmp(&b.class));
    table.rows.append(&mut functions);
    table.rows
}

struct SupportTable<'u> {
    used: &'u HashSet<*const JmxNode>,
    /// The engine's own database clients do for all of the plan's JDBC elements.
    jdbc: bool,
    rows: Vec<Row>,
    functions: HashMap<String, Row>,
}

impl SupportTable<'_> {
    fn elements(&mut self, nodes: &[JmxNode], enabled: bool) {
        for node in nodes {
            let enabled = enabled && node.enabled || self.used.contains(&std::ptr::from_ref(node));
            self.rows.push(row_of(node, enabled, self.jdbc));
            texts(&node.element, &mut |text| {
                count_functions(text, enabled, &mut self.functions);
            });
            self.elements(&node.children, enabled);
        }
    }
}

fn row_of(node: &JmxNode, enabled: bool, jdbc: bool) -> Row {
    let element = &node.element;
    let (place, lost, instead) = match jdbc && is_jdbc(&element.class) {
        true => (RunsIn::Native, None, None),
        false => judge(element),
    };
    Row {
        kind: SupportKind::Element,
        class: element.class.clone(),
        name: element.name.raw.clone(),
        at: node.at,
        file: String::new(),
        enabled,
        uses: 1,
        place,
        lost: lost.map(Message::new),
        instead: match place {
            RunsIn::Unsupported => {
                replacements::of_element(&element.class).or_else(|| jars::of_class(&element.class))
            }
            _ => None,
        }
        .or_else(|| instead.map(Message::new)),
    }
}

fn is_jdbc(class: &str) -> bool {
    class == jdbc::DATA_SOURCE || jdbc::QUERIES.contains(&class)
}

/// What the engine asks of a plan before it runs its JDBC elements itself; else all of them are
/// the companion's, since they share its data sources.
fn jdbc_is_native(nodes: &[JmxNode]) -> bool {
    nodes.iter().all(|node| {
        let property = |name: &str| match node.element.text(name) {
            None => KnownText::Missing,
            Some(text) if text.raw.contains("${") => KnownText::Changing,
            Some(text) => KnownText::Text(&text.raw),
        };
        let own = !node.enabled || jdbc::is_native(&node.element.class, property);
        own && jdbc_is_native(&node.children)
    })
}

type Judgement = (RunsIn, Option<&'static str>, Option<&'static str>);

fn judge(element: &Element) -> Judgement {
    let class = element.class.as_str();
    let native = (RunsIn::Native, None, None);
    let leaf = |is_native: bool| match is_native || plimsoll_elements::is_native(class) {
        true => native,
        false => (RunsIn::Companion, None, None),
    };
    let calls = |property: &str, known: &[&str]| {
        let class = element.text(property).map(|text| text.raw.as_str());
        class.is_some_and(|class| known.contains(&class))
    };
    match category(class) {
        None => unknown(element),
        Some(Category::Plan | Category::ThreadGroup | Category::Controller) => native,
        Some(Category::Tool) => (RunsIn::Native, Some("jmeter-lost-tool"), None),
        Some(Category::Dropped) => (
            RunsIn::Native,
            Some("jmeter-lost-dropped"),
            Some("jmeter-instead-dropped"),
        ),
        Some(Category::Sampler) if class == "JavaSampler" => leaf(calls("classname", JAVA_TESTS)),
        Some(Category::Listener) if class == "BackendListener" => leaf(is_own_backend(element)),
        Some(Category::Sampler) if class == "TCPSampler" => leaf(is_own_tcp(element)),
        Some(Category::Sampler) if class == "AccessLogSampler" => leaf(is_own_log(element)),
        Some(Category::Sampler) => leaf(SAMPLERS.contains(&class)),
        Some(Category::Config) if class == "ConfigTestElement" => leaf(
            element
                .text(GUI_CLASS)
                .is_none_or(|form| DEFAULTS.contains(&form.raw.as_str())),
        ),
        Some(Category::Config) => leaf(CONFIGS.contains(&class)),
        Some(Category::Listener) => leaf(LISTENERS.contains(&class)),
        Some(_) if is_beyond(element) => (RunsIn::Companion, None, None),
        Some(Category::Pre | Category::Post | Category::Assertion | Category::Timer) => {
            leaf(LEAVES.contains(&class))
        }
    }
}

/// Whether a backend listener's client, and the sender that its arguments name, are native.
fn is_own_backend(element: &Element) -> bool {
    use plimsoll_elements::listeners::backend::{SENDER_ARGUMENTS, is_native};
    let text = |of: &Element, name: &str| of.text(name).map_or(String::new(), |it| it.raw.clone());
    let mut senders = Vec::new();
    if let Some(ElementValue::Element(list)) = element.get("arguments")
        && let Some(ElementValue::List(arguments)) = list.get("Arguments.arguments")
    {
        for argument in arguments {
            if let ElementValue::Element(argument) = argument
                && SENDER_ARGUMENTS.contains(&text(argument, "Argument.name").as_str())
            {
                senders.push(text(argument, "Argument.value"));
            }
        }
    }
    is_native(
        &text(element, "classname"),
        senders.iter().map(String::as_str),
    )
}

/// Whether an element is too much for its native leaf.
fn is_beyond(element: &Element) -> bool {
    plimsoll_elements::is_beyond(&element.class, |name| {
        element
            .text(name)
            .map_or_else(String::new, |text| shape(&text.raw))
    })
}

/// A text with one character for each `${…}`.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut rest = text;
    while let Some((before, reference)) = rest.split_once("${") {
        shape.push_str(before);
        shape.push(plimsoll_elements::UNKNOWN);
        let mut depth = 1_usize;
        let end = reference.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest = end.map_or("", |(at, _)| &reference[at + 1..]);
    }
    shape + rest
}

/// Whether an Access Log sampler's parser and filter are native.
fn is_own_log(element: &Element) -> bool {
    let text = |name: &str| element.text(name).map_or("", |text| text.raw.as_str());
    plimsoll_elements::access_log::is_native(text("parserClassName"), text("filterClassName"))
}

/// Whether a TCP sampler's client is one of JMeter's own.
fn is_own_tcp(element: &Element) -> bool {
    let class = element.text("TCPSampler.classname");
    let class = class.map_or("", |text| text.raw.as_str());
    TCP_CLIENTS.contains(&class.strip_prefix(TCP_PACKAGE).unwrap_or(class))
}

/// A plugin's class: what is lost is guessed from its name.
fn unknown(element: &Element) -> Judgement {
    let class = element.class.as_str();
    let simple = class.rsplit('.').next().unwrap_or(class);
    let has = |words: &[&str]| words.iter().any(|word| simple.contains(word));
    let (lost, instead) = if has(&["ThreadGroup"]) {
        ("jmeter-lost-threads", "jmeter-instead-threads")
    } else if has(&["Controller"]) {
        ("jmeter-lost-controller", "jmeter-instead-controller")
    } else if has(&["Sampler", "Request"]) {
        ("jmeter-lost-sampler", "jmeter-instead-sampler")
    } else if has(&["Timer"]) {
        ("jmeter-lost-timer", "jmeter-instead-timer")
    } else if has(&["Assertion"]) {
        ("jmeter-lost-assertion", "jmeter-instead-script")
    } else if has(&["Processor", "Extractor", "Modifier"]) {
        ("jmeter-lost-processor", "jmeter-instead-script")
    } else if has(&[
        "Visualizer",
        "Listener",
        "Collector",
        "Gui",
        "Writer",
        "Reporter",
        "Panel",
    ]) {
        (LOST_LISTENER, "jmeter-instead-listener")
    } else {
        ("jmeter-lost-unknown", "jmeter-instead-unknown")
    };
    (RunsIn::Unsupported, Some(lost), Some(instead))
}

/// Calls back with each text of an element.
fn texts(element: &Element, found: &mut dyn FnMut(&Text)) {
    found(&element.name);
    for (_, value) in &element.properties {
        texts_of_value(value, found);
    }
}

fn texts_of_value(value: &ElementValue, found: &mut dyn FnMut(&Text)) {
    match value {
        ElementValue::Text(text) => found(text),
        ElementValue::List(items) => items.iter().for_each(|item| texts_of_value(item, found)),
        ElementValue::Element(inner) => texts(inner, found),
    }
}

/// Sets calls of a function that need Java apart from others.
const JAVA: &str = "java";

fn count_functions(text: &Text, enabled: bool, functions: &mut HashMap<String, Row>) {
    for name in functions_in(&text.raw) {
        let java = jexl::asks_for_java(name, &text.raw);
        let key = if java {
            format!("{name} {JAVA}")
        } else {
            name.to_owned()
        };
        if let Some(row) = functions.get_mut(&key) {
            row.uses += 1;
            row.enabled |= enabled;
            continue;
        }
        let mut row = function_row(name, text.at, enabled);
        if java {
            row.place = RunsIn::Unsupported;
            row.lost = Some(Message::new("jmeter-lost-jexl"));
            row.instead = Some(Message::new("jmeter-instead-jexl"));
        }
        functions.insert(key, row);
    }
}

fn function_row(name: &str, at: Span, enabled: bool) -> Row {
    let known = jmeter_function(name).is_some();
    let place = match (known, plimsoll_elements::functions::is_native(name)) {
        (_, true) => RunsIn::Native,
        (true, false) => RunsIn::Companion,
        (false, false) => RunsIn::Unsupported,
    };
    let unsupported = place == RunsIn::Unsupported;
    Row {
        kind: SupportKind::Function,
        class: name.to_owned(),
        name: String::new(),
        at,
        file: String::new(),
        enabled,
        uses: 1,
        place,
        lost: unsupported.then(|| Message::new("jmeter-lost-function")),
        instead: unsupported.then(|| replacements::of_function(name)),
    }
}

/// The functions a text calls: `${__name(…)}`, and `${__name}` where JMeter has such a function.
pub(crate) fn functions_in(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("${__");
    starts.filter_map(move |(at, _)| {
        let escaped = text[..at]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count()
            % 2
            == 1;
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let name = &rest[..end];
        let is_call = match rest[end..].chars().next() {
            Some('(') => name.len() > 2,
            Some('}') => jmeter_function(name).is_some(),
            _ => false,
        };
        (is_call && !escaped).then_some(name)
    })
}

#[cfg(test)]
mod tests;
