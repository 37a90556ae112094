//! What is known of JMeter's classes: which are listeners, which may change the flow, which set
//! variables. Of classes that are not listed the worst is assumed.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// Classes that neither change the flow (but see [`may_ask`]) nor set variables.
const QUIET: &[&str] = &[
    "Arguments",
    "AuthManager",
    "BackendListener",
    "CacheManager",
    "CompareAssertion",
    "ConfigTestElement",
    "ConstantThroughputTimer",
    "ConstantTimer",
    "CookieManager",
    "DNSCacheManager",
    "DurationAssertion",
    "GaussianRandomTimer",
    "HTMLAssertion",
    "HTTPSampler",
    "HTTPSampler2",
    "HTTPSamplerProxy",
    "AnchorModifier",
    "HeaderManager",
    "JMESPathAssertion",
    "JSONPathAssertion",
    "KeystoreConfig",
    "LoginConfig",
    "MD5HexAssertion",
    "PoissonRandomTimer",
    "PreciseThroughputTimer",
    "ResponseAssertion",
    "ResultAction",
    "ResultCollector",
    "ResultSaver",
    "SMIMEAssertionTestElement",
    "SampleTimeout",
    "SizeAssertion",
    "Summariser",
    "SyncTimer",
    "UniformRandomTimer",
    "URLRewritingModifier",
    "XMLAssertion",
    "XMLSchemaAssertion",
    "XPathAssertion",
    "XPath2Assertion",
    "DebugSampler",
    "AccessLogSampler",
    "TCPSampler",
    "AjpSampler",
    "GraphQLHTTPSampler",
    "com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter",
    "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion",
    PARALLEL,
    "eu.luminis.jmeter.assertions.BinaryContentAssertion",
    "eu.luminis.jmeter.wssampler.BinaryFrameFilter",
    "eu.luminis.jmeter.wssampler.PingFrameFilter",
    "eu.luminis.jmeter.wssampler.TextFrameFilter",
    "kg.apc.jmeter.modifiers.FifoPutPostProcessor",
    "kg.apc.jmeter.perfmon.PerfMonCollector",
    "kg.apc.jmeter.reporters.AutoStop",
    "kg.apc.jmeter.reporters.ConsoleStatusLogger",
    "kg.apc.jmeter.reporters.FlexibleFileWriter",
    "kg.apc.jmeter.samplers.DummySampler",
    "kg.apc.jmeter.samplers.HTTPRawSampler",
    "kg.apc.jmeter.timers.VariableThroughputTimer",
];

/// The Parallel Controller, which is a sampler to JMeter.
const PARALLEL: &str = "com.blazemeter.jmeter.controller.ParallelSampler";

/// Classes among them that end their user or the test all the same: at the end of a log or a profile, or when a
/// limit is passed.
const ENDS: &[&str] = &[
    "AccessLogSampler",
    "kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor",
    "kg.apc.jmeter.reporters.AutoStop",
    "kg.apc.jmeter.timers.VariableThroughputTimer",
];

/// Classes that set variables and do not change the flow, with the properties that hold the
/// names of these.
const SETS: &[(&str, &str)] = &[
    ("BoundaryExtractor", "BoundaryExtractor.refname"),
    ("CounterConfig", "CounterConfig.name"),
    ("DebugPostProcessor", ""),
    ("HtmlExtractor", "HtmlExtractor.refname"),
    ("JDBCDataSource", "dataSource"),
    ("JMESPathExtractor", "JMESExtractor.referenceNames"),
    ("JSONPostProcessor", "JSONPostProcessor.referenceNames"),
    ("RandomVariableConfig", "variableName"),
    ("RegexExtractor", "RegexExtractor.refname"),
    ("XPath2Extractor", "XPathExtractor2.refname"),
    ("XPathExtractor", "XPathExtractor.refname"),
    (
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor",
        "VAR",
    ),
    ("kg.apc.jmeter.modifiers.FifoPopPreProcessor", "Variable"),
    (
        "kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor",
        "variable_name",
    ),
];

/// Whether elements of a class are told of samples.
#[must_use]
pub fn is_listener(class: &str) -> bool {
    let ends = [
        "Collector",
        "Listener",
        "Summariser",
        "ResultSaver",
        "ResultAction",
        "FlexibleFileWriter",
        "ConsoleStatusLogger",
        "AutoStop",
        "Uploader",
        "Visualizer",
    ];
    ends.iter().any(|end| class.ends_with(end)) || is_learnt(class)
}

/// Listeners of other people's jars that this process has been told of.
static LISTENERS: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Learns that elements of a class are told of samples, for the life of this process.
pub fn learn_listener(class: &str) {
    let mut learnt = LISTENERS.write().unwrap_or_else(PoisonError::into_inner);
    learnt.insert(class.to_owned());
}

fn is_learnt(class: &str) -> bool {
    let learnt = LISTENERS.read().unwrap_or_else(PoisonError::into_inner);
    learnt.contains(class)
}

/// Whether an element of a class may ask for a change of flow.
#[must_use]
pub fn may_ask(class: &str) -> bool {
    ENDS.contains(&class)
        || !QUIET.contains(&class) && !SETS.iter().any(|(known, _)| *known == class)
}

/// Whether the sample of such a sampler is the transaction that it stands in: what works on samples, and what
/// follows from them, comes when that ends.
pub(crate) fn speaks_for_transaction(class: &str) -> bool {
    class == PARALLEL
}

/// What elements of a class do to variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sets {
    Nothing,
    /// Variables of the names in this property, and others that begin with these names.
    NamedIn(&'static str),
    Anything,
}

pub(crate) fn sets(class: &str) -> Sets {
    if let Some((_, property)) = SETS.iter().find(|(known, _)| *known == class) {
        return match property.is_empty() {
            true => Sets::Nothing,
            false => Sets::NamedIn(property),
        };
    }
    match QUIET.contains(&class) {
        true => Sets::Nothing,
        false => Sets::Anything,
    }
}
