//! Samples of known exporters under our names, by tables.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use plimsoll_stats::series::{EntityKind, SeriesKey, SeriesKind};
use plimsoll_text::Message;

use super::facts::PrometheusFacts;
use super::rule::PrometheusRule;
use super::tables;
use super::text::{Exposition, FamilyType, PrometheusSample};
use crate::collector::Look;
use crate::collectors::entities::Entities;

static RULES: LazyLock<HashMap<&'static str, Vec<&'static PrometheusRule>>> = LazyLock::new(|| {
    let mut rules: HashMap<_, Vec<_>> = HashMap::new();
    for rule in tables::ALL.iter().copied().flatten() {
        rules.entry(rule.name).or_default().push(rule);
    }
    rules
});

/// The rules for a sample's name.
fn rules_of(name: &str) -> Option<&'static Vec<&'static PrometheusRule>> {
    let plain = || RULES.get(tables::plain_name(name)?.as_str());
    RULES.get(name).or_else(plain)
}

/// The labels that tables want of a family whose samples' names begin like that; none: no
/// table knows it.
pub(crate) fn labels_of(begin: &str) -> Option<Vec<&'static str>> {
    let all = tables::ALL.iter().copied().flatten();
    let mut rules = all.filter(|rule| rule.name.starts_with(begin)).peekable();
    rules.peek()?;
    let labels = rules.flat_map(|rule| rule.labels);
    Some(labels.map(|label| label.from).collect())
}

/// What samples become, and how many series they may.
pub(crate) struct Mapper {
    entities: Entities,
    /// What samples are of that no table knows.
    others: EntityKind,
    max_series: usize,
    seen: HashSet<u64>,
}

/// Facts of one endpoint are no more than that.
const MAX_FACTS: usize = 200;

impl Mapper {
    /// Maps onto those entities; what no table knows is kept under its own name, of `others`.
    pub(crate) fn new(entities: Entities, others: EntityKind, max_series: usize) -> Self {
        Self {
            entities,
            others,
            max_series,
            seen: HashSet::new(),
        }
    }

    /// The things it tells of.
    pub(crate) fn entities(&mut self) -> &mut Entities {
        &mut self.entities
    }

    /// Says everything of an exposition.
    pub(crate) fn tell(&mut self, read: &Exposition<'_>, look: &mut Look) {
        let mut known: HashMap<SeriesKey, f64> = HashMap::new();
        let mut others = Vec::new();
        let mut facts = 0;
        for sample in &read.samples {
            let told = tables::FACTS.iter().find_map(|facts| facts(sample));
            let is_fact = told.is_some();
            if let Some(told) = told.filter(|_| facts < MAX_FACTS) {
                facts += self.tell_facts(told, look);
            }
            if let Some(rules) = rules_of(sample.name) {
                // A table knows the family: a form of it that no rule takes repeats others.
                self.map(rules, sample, &mut known);
            } else if !is_fact && is_info(sample) {
                if facts < MAX_FACTS {
                    facts += self.labels(sample, look);
                }
            } else if !is_fact && !is_ignored(sample.name) {
                others.push(sample);
            }
        }
        for (key, value) in known {
            look.point(key, value);
        }
        self.tell_others(read, &others, look);
    }

    /// What the rules of a sample's name make of it.
    fn map(
        &mut self,
        rules: &[&PrometheusRule],
        sample: &PrometheusSample<'_>,
        known: &mut HashMap<SeriesKey, f64>,
    ) {
        for rule in rules.iter().filter(|rule| rule.takes(sample)) {
            if let Some(value) = rule.value(sample)
                && let Some(key) = rule.key(sample, &mut self.entities)
            {
                known
                    .entry(key)
                    .and_modify(|before| *before = rule.metric.merge(*before, value))
                    .or_insert(value);
            }
            if !rule.also {
                break;
            }
        }
    }

    /// Tables name what is told, so there is no secret among it.
    fn tell_facts(&mut self, facts: PrometheusFacts, look: &mut Look) -> usize {
        let entity = self.entities.get(facts.of);
        let count = facts.told.len();
        for (name, value) in facts.told {
            look.fact(&entity, name, value);
        }
        count
    }

    /// Labels of `…_info` are facts: `jvm_info{version="17"}` says `jvm.version`.
    fn labels(&mut self, sample: &PrometheusSample<'_>, look: &mut Look) -> usize {
        let of = match sample.name {
            "jvm_info" => EntityKind::Jvm,
            _ => self.others,
        };
        let entity = self.entities.get(of);
        let family = sample.name.trim_end_matches("_info").replace('_', ".");
        for (name, value) in &sample.labels {
            let name = format!("{family}.{name}");
            let value = plimsoll_secrets::value(&name, value).into_owned();
            look.fact(&entity, name, value);
        }
        sample.labels.len()
    }

    fn tell_others(
        &mut self,
        read: &Exposition<'_>,
        others: &[&PrometheusSample<'_>],
        look: &mut Look,
    ) {
        let entity = self.entities.get(self.others);
        let mut left_out = false;
        for sample in others {
            if !sample.value.is_finite() || !self.admit(sample) {
                left_out |= sample.value.is_finite();
                continue;
            }
            let (family, kind) = read.family(sample.name);
            let mut attributes: Vec<_> = sample
                .labels
                .iter()
                .map(|(name, value)| {
                    let shown = plimsoll_secrets::value(name, value).into_owned();
                    (Cow::Owned((*name).to_owned()), shown)
                })
                .collect();
            attributes.sort_unstable();
            let key = SeriesKey {
                entity: entity.clone(),
                name: Cow::Owned(sample.name.to_owned()),
                attributes,
                unit: Cow::Borrowed(unit_of(sample.name, family)),
                kind: kind_of(sample, kind),
            };
            look.point(key, sample.value);
        }
        if left_out {
            let message = Message::new("watch-series-limit")
                .with("what", entity.to_string())
                .with("limit", self.max_series);
            look.missing(&entity, message);
        }
    }

    /// Whether the sample's series is known or may be added.
    fn admit(&mut self, sample: &PrometheusSample<'_>) -> bool {
        let mut hasher = BuildHasherDefault::<DefaultHasher>::default().build_hasher();
        sample.name.hash(&mut hasher);
        for (name, value) in &sample.labels {
            name.hash(&mut hasher);
            value.hash(&mut hasher);
        }
        let hash = hasher.finish();
        self.seen.contains(&hash) || self.seen.len() < self.max_series && self.seen.insert(hash)
    }
}

fn is_ignored(name: &str) -> bool {
    let begins = |begin: &&str| name.starts_with(begin);
    tables::REPEATED.contains(&name) || tables::IGNORED.iter().any(begins)
}

fn is_info(sample: &PrometheusSample<'_>) -> bool {
    sample.name.ends_with("_info") && sample.value == 1.0 && !sample.labels.is_empty()
}

/// The kind of a sample by its family's type, and by its name where that has none.
fn kind_of(sample: &PrometheusSample<'_>, family: FamilyType) -> SeriesKind {
    let name = sample.name;
    let sums = ["_total", "_count", "_sum", "_bucket"];
    let counts = match family {
        FamilyType::Counter => !name.ends_with("_created"),
        FamilyType::Histogram | FamilyType::Summary => sums.iter().any(|end| name.ends_with(end)),
        FamilyType::Untyped => name.ends_with("_total") || name.ends_with("_bucket"),
        FamilyType::Gauge => false,
    };
    match counts {
        true => SeriesKind::Counter,
        false => SeriesKind::Gauge,
    }
}

/// Units by the ending of a family's name.
const UNITS: &[(&str, &str)] = &[
    ("_seconds", "s"),
    ("_milliseconds", "ms"),
    ("_ms", "ms"),
    ("_microseconds", "us"),
    ("_nanoseconds", "ns"),
    ("_bytes", "By"),
    ("_ratio", "1"),
    ("_percent", "%"),
    ("_celsius", "Cel"),
    ("_volts", "V"),
    ("_amperes", "A"),
    ("_joules", "J"),
    ("_watts", "W"),
    ("_meters", "m"),
    ("_hertz", "Hz"),
];

fn unit_of(name: &str, family: &str) -> &'static str {
    let counted = name.ends_with("_count") || name.ends_with("_bucket");
    let counted = counted && name != family;
    let bare = family.strip_suffix("_total").unwrap_or(family);
    let bare = bare.strip_suffix("_max").unwrap_or(bare);
    let bare = bare.strip_suffix("_sum").unwrap_or(bare);
    let found = UNITS.iter().find(|(end, _)| bare.ends_with(end));
    found.filter(|_| !counted).map_or("1", |(_, unit)| unit)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::rule::rule;
    use super::*;
    use crate::names::{jvm, pool};
    use crate::source::Spec;

    fn told(text: &str) -> Vec<String> {
        let spec = Spec {
            host: Some("h".to_owned()),
            ..Spec::default()
        };
        let entities = Entities::of(&spec, "app:1");
        let mut mapper = Mapper::new(entities, EntityKind::Application, 10);
        let mut look = Look::at(1);
        mapper.tell(&Exposition::parse(text), &mut look);
        let mut told: Vec<_> = look
            .points()
            .map(|(key, value)| {
                let attributes = key.attributes.iter();
                let attributes: Vec<_> = attributes.map(|(a, b)| format!("{a}={b}")).collect();
                let entity = key.entity.kind.name();
                format!("{entity} {} {} {value}", key.name, attributes.join(","))
            })
            .collect();
        told.sort_unstable();
        told
    }

    #[test]
    fn labels_that_a_table_does_not_want_are_summed_over() {
        let text = "\
http_server_requests_seconds_count{app=\"a\",exception=\"None\",method=\"GET\",status=\"200\",uri=\"/x\"} 2
http_server_requests_seconds_count{app=\"a\",exception=\"E\",method=\"GET\",status=\"200\",uri=\"/x\"} 3
http_server_requests_seconds_max{exception=\"None\",method=\"GET\",status=\"200\",uri=\"/x\"} 0.5
http_server_requests_seconds_max{exception=\"E\",method=\"GET\",status=\"200\",uri=\"/x\"} 0.25
";
        let of = "http.request.method=GET,http.response.status_code=200,http.route=/x";
        assert_eq!(
            told(text),
            [
                format!("application http.server.request.duration.count {of} 5"),
                format!("application http.server.request.duration.max {of} 0.5"),
            ]
        );
    }

    #[test]
    fn the_same_under_two_exporters_names() {
        let micrometer = "\
jvm_memory_used_bytes{area=\"heap\",id=\"Eden\"} 5
jvm_memory_max_bytes{area=\"heap\",id=\"Eden\"} -1
jvm_threads_states_threads{state=\"timed-waiting\"} 2
process_cpu_time_ns_total 2.5e9
";
        let heap = "jvm.memory.pool.name=Eden,jvm.memory.type=heap";
        assert_eq!(
            told(micrometer),
            [
                "jvm jvm.cpu.time  2.5".to_owned(),
                format!("jvm jvm.memory.used {heap} 5"),
                "jvm jvm.thread.count jvm.thread.state=timed_waiting 2".to_owned(),
            ]
        );
        let client_java = "\
jvm_memory_used_bytes{area=\"heap\"} 5
jvm_memory_pool_used_bytes{pool=\"G1 Eden Space\"} 5
jvm_threads_state{state=\"TIMED_WAITING\"} 2
";
        assert_eq!(
            told(client_java),
            [
                "jvm jvm.memory.used jvm.memory.pool.name=G1 Eden Space,jvm.memory.type=heap 5",
                "jvm jvm.thread.count jvm.thread.state=timed_waiting 2",
            ]
        );
    }

    #[test]
    fn a_connector_has_one_name_whatever_labels_the_exporter_was_told_to_write() {
        let of = "tomcat.thread.pool.name=http-nio-8080";
        for text in [
            "tomcat_threadpool_maxthreads{port=\"8080\",protocol=\"http-nio\"} 7\n",
            "tomcat_threadpool_maxthreads{name=\"http-nio-8080\"} 7\n",
            "tomcat_threadpool_maxThreads{pool=\"http-nio-8080\"} 7\n",
            "Catalina_ThreadPool_maxThreads{name=\"\\\"http-nio-8080\\\"\"} 7\n",
            "catalina_threadpool_maxthreads{name=\"\\\"http-nio-8080\\\"\"} 7\n",
        ] {
            let expected = format!("web_server tomcat.thread.limit {of} 7");
            assert_eq!(told(text), [expected], "{text}");
        }
        assert_eq!(
            told("Tomcat_Manager_activeSessions{context=\"/\",host=\"a\"} 2\n"),
            ["web_server tomcat.session.active.count  2"]
        );
    }

    #[test]
    fn a_rule_may_want_a_label_to_have_a_value() {
        let active = rule("x", EntityKind::Pool, &pool::PENDING).only(&[("state", "a")]);
        let sample = |text| Exposition::parse(text).samples.remove(0);
        assert!(active.takes(&sample("x{state=\"a\"} 1")));
        assert!(!active.takes(&sample("x{state=\"b\"} 1")));
        assert!(!active.takes(&sample("x 1")));
    }

    #[test]
    fn parts_of_a_sum_and_values_that_mean_none() {
        let node = "\
node_memory_MemTotal_bytes 100
node_memory_MemFree_bytes 40
node_memory_Cached_bytes 25
node_memory_SReclaimable_bytes 5
node_network_speed_bytes{device=\"a\"} -125000
node_network_speed_bytes{device=\"b\"} 125
node_filesystem_avail_bytes{device=\"t\",fstype=\"tmpfs\",mountpoint=\"/t\"} 7
redis_db_keys{db=\"db3\"} 2
redis_db_keys{db=\"x\"} 2
redis_memory_max_bytes 0
";
        assert_eq!(
            told(node),
            [
                "cache redis.db.keys redis.db=3 2",
                "host system.memory.limit  100",
                "host system.memory.usage system.memory.state=cached 30",
                "host system.memory.usage system.memory.state=free 40",
                "host system.memory.usage system.memory.state=used 30",
                "host system.network.bandwidth.limit network.interface.name=b 125",
            ]
        );
    }

    #[test]
    fn tables_are_sound() {
        for rules in RULES.values() {
            for rule in rules {
                let names = rule.labels.iter().map(|label| label.to);
                let names = names.chain(rule.fixed.iter().map(|(name, _)| *name));
                let mut names: Vec<_> = names.collect();
                names.sort_unstable();
                let optional = rule.labels.iter().filter(|label| label.optional).count();
                let before = names.len();
                names.dedup();
                assert!(before - names.len() <= optional, "{}", rule.name);
                assert!(!is_ignored(rule.name), "{}", rule.name);
                let counts = ["_total", "_count"]
                    .iter()
                    .any(|end| rule.name.ends_with(end));
                if counts && !rule.counted && rule.metric.kind == SeriesKind::Gauge {
                    let gauges = [
                        "_active_count",
                        "_active_seconds_count",
                        "_cpu_count",
                        "_maxtime_total",
                    ];
                    let gauge = |end: &&str| rule.name.ends_with(end);
                    assert!(gauges.iter().any(gauge), "{} is no gauge", rule.name);
                }
            }
        }
        assert_eq!(labels_of("no_such"), None);
        assert_eq!(labels_of("jvm_gc_overhead"), Some(Vec::new()));
        assert_eq!(jvm::GC_OVERHEAD.unit, "1");
    }
}
