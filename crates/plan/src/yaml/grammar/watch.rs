//! What is watched while the load runs, who hears of it, and the hops that are loaded alone after it.

use std::collections::BTreeMap;

use super::base::*;
use crate::model::{ChainHop, OutputTarget, WatchSource, wrong_chain};

/// Tables of keys that the model carries as texts: what they mean is another crate's.
macro_rules! text_keys {
    ($($(#[$doc:meta])* $name:ident { $($lines:tt)* })*) => {$(
        $(#[$doc])*
        struct $name;

        impl $name {
            const PARTS: &'static [Part] = &parts!($($lines)*);
        }
    )*};
}

macro_rules! text_cases {
    ($($(#[$doc:meta])* $name:ident { $($id:literal { [$tag:literal $($first:tt)*] $([$($line:tt)*])* })* })*) => {$(
        $(#[$doc])*
        const $name: &[Case] = &[$(Case {
            tags: &[$tag],
            object: &Object {
                id: $id,
                parts: &parts!([$tag $($first)*] $([$($line)*])*),
                groups: &[],
            },
        }),*];
    )*};
}

text_keys! {
    /// Of every source.
    Common {
        ["on": Maybe<AnyString>, "watch-on"]
        ["allow": Allowed = "observe", "watch-allow"]
    }
    /// Of sources that are known by a name.
    Known { ["name": Maybe<AnyString>, "watch-name"] }
    /// Of endpoints that may have any number of series.
    Series { ["max-series": Maybe<AnyString>, "watch-max-series"] }
    /// Of sources that one logs in to.
    Login {
        ["user": Maybe<AnyString>, "watch-user"]
        ["password-env": Maybe<AnyString>, "watch-password-env"]
        ["password-file": Maybe<AnyString>, "watch-password-file"]
    }
    /// Of sources that take a token.
    Token {
        ["token-env": Maybe<AnyString>, "watch-token-env"]
        ["token-file": Maybe<AnyString>, "watch-token-file"]
    }
    /// Of sources behind TLS.
    Tls {
        ["ca-file": Maybe<AnyString>, "watch-ca"]
        ["insecure": Flag = "false", "watch-insecure"]
    }
    /// Of every output.
    Tagging { ["tags": Maybe<Tags>, "output-tags"] }
    /// Of outputs that are posted to.
    Receiver {
        ["token-env": Maybe<AnyString>, "watch-token-env"]
        ["user": Maybe<AnyString>, "watch-user"]
        ["password-env": Maybe<AnyString>, "watch-password-env"]
        ["ca-file": Maybe<AnyString>, "watch-ca"]
    }
}

text_cases! {
    SOURCES {
        "watch-auto" { ["auto": AnyString, "watch-auto"] [..Common] }
        "watch-host" { ["host": AnyString, "watch-host"] [..Common] }
        "watch-process" { ["process": AnyString, "watch-process"] [..Common] }
        "watch-jvm" {
            ["jvm": AnyString, "watch-jvm"]
            ["jfr": Recording = "running", "watch-jfr"]
            ["profiler": Maybe<AnyString>, "watch-profiler"]
            [..Common]
        }
        "watch-gc-log" { ["gc-log": AnyString, "watch-gc-log"] [..Common] }
        "watch-actuator" {
            ["actuator": AnyString, "watch-actuator"]
            [..Common] [..Known] [..Series] [..Login] [..Token] [..Tls]
        }
        "watch-jolokia" { ["jolokia": AnyString, "watch-jolokia"] [..Common] [..Known] [..Login] [..Token] [..Tls] }
        "watch-node-inspector" { ["node-inspector": AnyString, "watch-node-inspector"] [..Common] [..Known] }
        "watch-pprof" { ["pprof": AnyString, "watch-pprof"] [..Common] [..Known] [..Login] [..Token] [..Tls] }
        "watch-prometheus" {
            ["prometheus": AnyString, "watch-prometheus"]
            [..Common] [..Known] [..Series] [..Login] [..Token] [..Tls]
        }
        "watch-nginx" {
            ["nginx": AnyString, "watch-nginx"]
            ["access-log": Maybe<AnyString>, "watch-access-log"]
            ["error-log": Maybe<AnyString>, "watch-error-log"]
            ["log-format": Maybe<AnyString>, "watch-log-format"]
            ["pid": Maybe<AnyString>, "watch-pid"]
            [..Common] [..Known] [..Login] [..Token] [..Tls]
        }
        "watch-haproxy" {
            ["haproxy": AnyString, "watch-haproxy"]
            [..Common] [..Known] [..Login] [..Token] [..Tls]
        }
        "watch-mysql" {
            ["mysql": AnyString, "watch-mysql"]
            ["tls": Flag = "false", "watch-tls"]
            [..Common] [..Known] [..Login] [..Tls]
        }
        "watch-pgbouncer" {
            ["pgbouncer": AnyString, "watch-pgbouncer"]
            ["tls": Flag = "false", "watch-tls"]
            [..Common] [..Known] [..Login] [..Tls]
        }
        "watch-php-fpm" {
            ["php-fpm": AnyString, "watch-php-fpm"]
            ["status-path": Maybe<AnyString>, "watch-status-path"]
            [..Common] [..Known] [..Login] [..Token] [..Tls]
        }
        "watch-postgresql" {
            ["postgresql": AnyString, "watch-postgresql"]
            ["database": Maybe<AnyString>, "watch-database"]
            ["tls": Flag = "false", "watch-tls"]
            [..Common] [..Known] [..Login] [..Tls]
        }
        "watch-redis" {
            ["redis": AnyString, "watch-redis"]
            ["tls": Flag = "false", "watch-tls"]
            [..Common] [..Known] [..Login] [..Tls]
        }
        "watch-server-agent" {
            ["server-agent": AnyString, "watch-server-agent"]
            ["metrics": Maybe<AnyString>, "watch-agent-metrics"]
            ["interval": Maybe<AnyString>, "watch-agent-interval"]
            ["udp": Flag = "false", "watch-agent-udp"]
            [..Common] [..Known]
        }
        "watch-agent" {
            ["agent": AnyString, "watch-agent"]
            ["fingerprint": Maybe<AnyString>, "watch-fingerprint"]
            ["sources": Maybe<AnyString>, "watch-sources"]
            [..Common] [..Token]
        }
    }
    OUTPUTS {
        "output-influxdb" { ["influxdb": AnyString, "output-influxdb"] [..Receiver] [..Tagging] }
        "output-jsonl" { ["jsonl": AnyString, "output-jsonl"] [..Tagging] }
        "output-otlp" { ["otlp": AnyString, "output-otlp"] [..Receiver] [..Tagging] }
        "output-prometheus" { ["prometheus": AnyString, "output-prometheus"] [..Receiver] [..Tagging] }
    }
}

kinds! {
    Allowed = Kind::Word(&["observe", "capture"]);
    Recording = Kind::Word(&["running", "start"]);
    /// Sources that need nothing more than their name.
    Word = Kind::Word(&["auto", "host"]);
    Source = Kind::Tagged(const { &Tagged { id: "watch-source", cases: &[SOURCES] } });
}

/// The names of all sources with the keys that each understands, in the table's order.
#[must_use]
pub fn watch_sources() -> Vec<(&'static str, Vec<&'static str>)> {
    names_with_keys(SOURCES)
}

/// The names of all outputs with the keys that each understands, in the table's order.
#[must_use]
pub fn outputs() -> Vec<(&'static str, Vec<&'static str>)> {
    names_with_keys(OUTPUTS)
}

fn names_with_keys(cases: &'static [Case]) -> Vec<(&'static str, Vec<&'static str>)> {
    let keys = |case: &Case| case.object.keys().map(|key| key.name).collect();
    let names = |case: &'static Case| case.tags.iter().map(move |tag| (*tag, keys(case)));
    cases.iter().flat_map(names).collect()
}

/// A mapping of one of the cases: its name, its own value, its other keys that are texts.
fn texts_of(
    node: &Node,
    cases: &'static [Case],
) -> Option<(String, String, BTreeMap<String, String>)> {
    let case = cases
        .iter()
        .find(|case| case.tags.iter().any(|tag| node.get(tag).is_some()))?;
    let text = |key: &str| node.get(key).and_then(Node::scalar).map(str::to_owned);
    let name = *case.tags.first()?;
    let others = case.object.keys().filter(|key| key.name != name);
    let others = others.filter_map(|key| Some((key.name.to_owned(), text(key.name)?)));
    Some((
        name.to_owned(),
        text(name).unwrap_or_default(),
        others.collect(),
    ))
}

/// The way back.
fn map_of(name: &str, address: &str, others: &BTreeMap<String, String>) -> Map {
    let keys = || SOURCES.iter().flat_map(|case| case.object.keys());
    let is_flag = |name: &str| {
        keys().any(|key| {
            key.name == name && matches!((key.kind)(), Kind::Leaf(leaf) if leaf.id == "bool")
        })
    };
    let mut map = Map::default();
    map.put(name, address);
    for (name, value) in others {
        match is_flag(name) {
            true => map.put(name, plain(value)),
            false => map.put(name, value),
        }
    }
    map
}

impl Form for WatchSource {
    type Of = Self;

    fn kind() -> Kind {
        Kind::OneOf(&[Word::kind, Source::kind])
    }

    fn read(_: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        let (source, address, options) = match node.scalar() {
            Some(word) => (word.to_owned(), String::new(), BTreeMap::new()),
            None => texts_of(node, SOURCES)?,
        };
        let at = node.at;
        Some(Self {
            source,
            address,
            options,
            at,
        })
    }

    fn write(watch: &Self) -> Yaml {
        if watch.address.is_empty() && watch.options.is_empty() {
            return Yaml::from(&watch.source);
        }
        map_of(&watch.source, &watch.address, &watch.options).into()
    }
}

type Tags = MapEntries<Named<AnyString>>;

impl Form for OutputTarget {
    type Of = Self;

    fn kind() -> Kind {
        Kind::Tagged(
            const {
                &Tagged {
                    id: "output",
                    cases: &[OUTPUTS],
                }
            },
        )
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        let (output, address, settings) = texts_of(node, OUTPUTS)?;
        let tags = present::<Tags>(decoder, node, "tags").unwrap_or_default();
        Some(Self {
            output,
            address,
            settings,
            tags: tags.into_iter().collect(),
            at: node.at,
        })
    }

    fn write(output: &Self) -> Yaml {
        let mut map = map_of(&output.output, &output.address, &output.settings);
        let tags = output.tags.clone().into_iter().collect();
        map.put_some("tags", Filled::<Tags>::put(&tags, ""));
        map.into()
    }
}

form_as! {
    /// One source or several; `auto` and `host` need nothing more.
    WatchList = List<WatchSource>, Kind::OneOf(&[Word::kind, List::<WatchSource>::kind, Source::kind]);
    /// One output or several.
    OutputList = List<OutputTarget>, Kind::OneOf(&[List::<OutputTarget>::kind, OutputTarget::kind]);
}

/// The hops of the chain, in their order.
pub(crate) struct HopChain;

impl Form for HopChain {
    type Of = Vec<ChainHop>;

    fn kind() -> Kind {
        Tags::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<ChainHop>> {
        let mut hops = Vec::new();
        for (name, address) in node.map()? {
            let text = address.scalar().unwrap_or_default();
            match ChainHop::new(&name.name, text, address.at) {
                Ok(hop) => hops.push(hop),
                Err(message) => {
                    decoder.tell(address.at, message);
                    return Some(Vec::new());
                }
            }
        }
        if let Some(message) = wrong_chain(&hops) {
            decoder.tell(node.at, message);
        }
        Some(hops)
    }

    fn write(hops: &Vec<ChainHop>) -> Yaml {
        let pairs = hops
            .iter()
            .map(|hop| (hop.name.clone(), hop.address.clone()));
        Tags::write(&pairs.collect())
    }
}
