//! What is known of JMeter's classes: which are listeners, which may change the flow, which set
//! variables. Of classes that are not listed the worst is assumed.

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
    "kg.apc.jmeter.samplers.DummySampler",
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
        "AutoStop",
        "Uploader",
        "Visualizer",
    ];
    ends.iter().any(|end| class.ends_with(end))
}

/// Whether an element of a class may ask for a change of flow.
#[must_use]
pub fn may_ask(class: &str) -> bool {
    // At the end of its log it ends its user.
    class == "AccessLogSampler"
        || !QUIET.contains(&class) && !SETS.iter().any(|(known, _)| *known == class)
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
