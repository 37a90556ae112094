//! JMeter's classes: what kind of thing each is, and the names they had.
//!
//! Facts of JMeter 5.6.3, from its `saveservice.properties` and `upgrade.properties`.

use crate::learnt;

pub use crate::category::Category;

use Category::{
    Assertion, Config, Controller, Dropped, Listener, Plan, Post, Pre, Sampler, ThreadGroup, Timer,
    Tool,
};

/// Classes by category: JMeter's own by their simple name, others by their full one.
const CLASSES: &[(Category, &[&str])] = &[
    (Plan, &["TestPlan"]),
    (
        ThreadGroup,
        &[
            "ThreadGroup",
            "SetupThreadGroup",
            "PostThreadGroup",
            "OpenModelThreadGroup",
            "kg.apc.jmeter.threads.SteppingThreadGroup",
            "kg.apc.jmeter.threads.UltimateThreadGroup",
            "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
            "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup",
            "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup",
        ],
    ),
    (
        Controller,
        &[
            "CriticalSectionController",
            "ForeachController",
            "GenericController",
            "IfController",
            "IncludeController",
            "InterleaveControl",
            "LoopController",
            "ModuleController",
            "OnceOnlyController",
            "RandomController",
            "RandomOrderController",
            "RecordingController",
            "RunTime",
            "SwitchController",
            "TestFragmentController",
            "ThroughputController",
            "TransactionController",
            "WhileController",
            "com.blazemeter.jmeter.control.WeightedSwitchController",
            "com.blazemeter.jmeter.controller.ParallelSampler",
        ],
    ),
    (
        Sampler,
        &[
            "AccessLogSampler",
            "AjpSampler",
            "BSFSampler",
            "BeanShellSampler",
            "BoltSampler",
            "DebugSampler",
            "FTPSampler",
            "HTTPSamplerProxy",
            "JDBCSampler",
            "JMSSampler",
            "JSR223Sampler",
            "JUnitSampler",
            "JavaSampler",
            "LDAPExtSampler",
            "LDAPSampler",
            "MailReaderSampler",
            "MongoScriptSampler",
            "PublisherSampler",
            "SmtpSampler",
            "SubscriberSampler",
            "SystemSampler",
            "TCPSampler",
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
        ],
    ),
    (
        Config,
        &[
            "Arguments",
            "AuthManager",
            "BoltConnectionElement",
            "CSVDataSet",
            "CacheManager",
            "ConfigTestElement",
            "CookieManager",
            "CounterConfig",
            "DNSCacheManager",
            "DataSourceElement",
            "HeaderManager",
            "JavaConfig",
            "KeystoreConfig",
            "LDAPArguments",
            "LoginConfig",
            "MongoSourceElement",
            "RandomVariableConfig",
            "com.blazemeter.jmeter.DirectoryListingConfig",
            "com.blazemeter.jmeter.RandomCSVDataSetConfig",
            "eu.luminis.jmeter.wssampler.BinaryFrameFilter",
            "eu.luminis.jmeter.wssampler.PingFrameFilter",
            "eu.luminis.jmeter.wssampler.TextFrameFilter",
        ],
    ),
    (
        Pre,
        &[
            "AnchorModifier",
            "BSFPreProcessor",
            "BeanShellPreProcessor",
            "JDBCPreProcessor",
            "JSR223PreProcessor",
            "RegExUserParameters",
            "SampleTimeout",
            "URLRewritingModifier",
            "UserParameters",
            "kg.apc.jmeter.modifiers.FifoPopPreProcessor",
            "kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor",
        ],
    ),
    (
        Post,
        &[
            "BSFPostProcessor",
            "BeanShellPostProcessor",
            "BoundaryExtractor",
            "DebugPostProcessor",
            "HtmlExtractor",
            "JDBCPostProcessor",
            "JMESPathExtractor",
            "JSONPostProcessor",
            "JSR223PostProcessor",
            "RegexExtractor",
            "ResultAction",
            "XPath2Extractor",
            "XPathExtractor",
            "com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter",
            "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor",
            "kg.apc.jmeter.modifiers.FifoPutPostProcessor",
        ],
    ),
    (
        Assertion,
        &[
            "BSFAssertion",
            "BeanShellAssertion",
            "CompareAssertion",
            "DurationAssertion",
            "HTMLAssertion",
            "JMESPathAssertion",
            "JSONPathAssertion",
            "JSR223Assertion",
            "MD5HexAssertion",
            "ResponseAssertion",
            "SMIMEAssertionTestElement",
            "SizeAssertion",
            "XMLAssertion",
            "XMLSchemaAssertion",
            "XPath2Assertion",
            "XPathAssertion",
            "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion",
            "eu.luminis.jmeter.assertions.BinaryContentAssertion",
        ],
    ),
    (
        Timer,
        &[
            "BSFTimer",
            "BeanShellTimer",
            "ConstantThroughputTimer",
            "ConstantTimer",
            "GaussianRandomTimer",
            "JSR223Timer",
            "PoissonRandomTimer",
            "PreciseThroughputTimer",
            "SyncTimer",
            "UniformRandomTimer",
            "kg.apc.jmeter.timers.VariableThroughputTimer",
        ],
    ),
    (
        Listener,
        &[
            "BSFListener",
            "BackendListener",
            "BeanShellListener",
            "JSR223Listener",
            "MailerResultCollector",
            "ResultCollector",
            "ResultSaver",
            "Summariser",
            "kg.apc.jmeter.perfmon.PerfMonCollector",
            "kg.apc.jmeter.reporters.AutoStop",
            "kg.apc.jmeter.reporters.ConsoleStatusLogger",
            "kg.apc.jmeter.reporters.FlexibleFileWriter",
        ],
    ),
    (
        Tool,
        &[
            "HttpMirrorControl",
            "ProxyControl",
            "WorkBench",
            "org.jmeterplugins.protocol.http.control.HttpSimpleTableControl",
        ],
    ),
    (
        Dropped,
        &[
            "HTTPSampler2",
            "MonitorStats",
            "ParamMask",
            "ParamModifier",
            "ReflectionThreadGroup",
            "SoapSampler",
            "UserParameterModifier",
            "WebServiceSampler",
        ],
    ),
];

/// Tags that stand for a class of another name.
const TAGS: &[(&str, &str)] = &[
    ("HTTPSampler", "HTTPSamplerProxy"),
    ("HTTPSampler2", "HTTPSamplerProxy"),
    ("HTTPSampler2_", "HTTPSampler2"),
    ("HTTPSampler_", "HTTPSamplerProxy"),
    ("JDBCDataSource", "DataSourceElement"),
    ("SMIMEAssertion", "SMIMEAssertionTestElement"),
];

/// Classes that are another one now.
const RENAMED: &[(&str, &str)] = &[
    ("Assertion", "ResponseAssertion"),
    ("HTTPSampler", "HTTPSamplerProxy"),
    ("HTTPSamplerFull", "HTTPSamplerProxy"),
    (
        "com.blazemeter.jmeter.reporters.FlushingResultCollector",
        "ResultCollector",
    ),
    (
        "kg.apc.jmeter.vizualizers.CompositeResultCollector",
        "ResultCollector",
    ),
    (
        "kg.apc.jmeter.vizualizers.CorrectedResultCollector",
        "ResultCollector",
    ),
];

/// Classes that are another one when this form edited them.
const BY_FORM: &[(&str, &str, &str)] = &[
    ("ConfigTestElement", "DbConfigGui", "DataSourceElement"),
    ("ConfigTestElement", "PoolConfigGui", "DataSourceElement"),
];

/// Properties by class whose name changed; an empty new name: dropped.
const PROPERTIES: &[(&str, &str, &str)] = &[
    (
        "ConstantThroughputTimer",
        "ConstantThroughputTimer.throughput",
        "throughput",
    ),
    ("JDBCSampler", "JDBCSampler.query", "query"),
    ("DataSourceElement", "JDBCSampler.url", "dbUrl"),
    ("DataSourceElement", "JDBCSampler.driver", "driver"),
    ("DataSourceElement", "JDBCSampler.query", "query"),
    (
        "DataSourceElement",
        "ConfigTestElement.username",
        "username",
    ),
    (
        "DataSourceElement",
        "ConfigTestElement.password",
        "password",
    ),
    ("DataSourceElement", "JDBCSampler.connections", ""),
    ("DataSourceElement", "JDBCSampler.connPoolClass", ""),
    ("DataSourceElement", "JDBCSampler.maxuse", "poolMax"),
    ("ConfigTestElement", "JDBCSampler.query", "query"),
    ("Header", "TestElement.name", "Header.name"),
    ("AccessLogSampler", "AccessLogSampler.log_file", "logFile"),
    ("AccessLogSampler", "HTTPSampler.port", "portString"),
    ("AccessLogSampler", "HTTPSampler.domain", "domain"),
    (
        "AccessLogSampler",
        "AccessLogSampler.parser_class_name",
        "parserClassName",
    ),
    (
        "AccessLogSampler",
        "HTTPSampler.image_parser",
        "imageParsing",
    ),
    ("BSFSampler", "BSFSampler.filename", "filename"),
    ("BSFSampler", "BSFSampler.language", "scriptLanguage"),
    ("BSFSampler", "BSFSampler.parameters", "parameters"),
    ("BSFSampler", "BSFSampler.query", "script"),
];

/// Every class that is known, with its category.
pub fn all() -> impl Iterator<Item = (Category, &'static str)> {
    let each = |(category, classes): &'static (Category, &'static [&'static str])| {
        classes.iter().map(|class| (*category, *class))
    };
    CLASSES.iter().flat_map(each)
}

/// The category of a class; none for one that is not known.
#[must_use]
pub fn category(class: &str) -> Option<Category> {
    CLASSES
        .iter()
        .find(|(_, classes)| classes.contains(&class))
        .map(|(category, _)| *category)
        .or_else(|| learnt::category(class))
}

/// Learns what a class of another jar is, for the life of this process. One that is known stays what it is.
pub fn learn(class: &str, category: Category) {
    if category == Listener {
        plimsoll_plan::learn_listener(class);
    }
    learnt::learn(class, category, false);
}

/// The same of configuration that works each time its scope is entered.
pub fn learn_pass(class: &str) {
    learnt::learn(class, Config, true);
}

/// Whether elements of a class work each time their scope is entered.
pub(crate) fn works_on_pass(class: &str) -> bool {
    matches!(
        class,
        "CounterConfig" | "RandomVariableConfig" | "com.blazemeter.jmeter.DirectoryListingConfig"
    ) || learnt::works_on_pass(class)
}

/// The class an element of this tag and form is, by its present name.
#[must_use]
pub fn class_of(tag: &str, form: &str) -> String {
    // XStream writes what XML does not allow in a name with a leading underscore.
    let name = tag.replace("_-", "$").replace("__", "_");
    let simple = own_name(&name);
    let form = own_name(form);
    let by_form = BY_FORM
        .iter()
        .find(|(class, known, _)| *class == simple && *known == form)
        .map(|(_, _, class)| *class);
    let by_tag = || new_name(TAGS, &name);
    let class = by_form
        .or_else(by_tag)
        .or_else(|| new_name(RENAMED, simple));
    class.unwrap_or(simple).to_owned()
}

fn new_name(table: &'static [(&str, &str)], old: &str) -> Option<&'static str> {
    let found = table.iter().find(|(known, _)| *known == old);
    found.map(|(_, new)| *new)
}

/// The present name of a property; none when it was dropped.
#[must_use]
pub fn property_of<'n>(class: &str, name: &'n str) -> Option<&'n str> {
    let renamed = PROPERTIES
        .iter()
        .find(|(of, old, _)| *of == class && *old == name);
    match renamed {
        Some((_, _, "")) => None,
        Some((_, _, new)) => Some(new),
        None => Some(name),
    }
}

/// A class of JMeter's own without its package, any other as it is.
fn own_name(name: &str) -> &str {
    match (
        name.strip_prefix("org.apache.jmeter."),
        name.rsplit_once('.'),
    ) {
        (Some(_), Some((_, simple))) => simple,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_followed() {
        assert_eq!(class_of("HTTPSampler", ""), "HTTPSamplerProxy");
        assert_eq!(class_of("HTTPSampler2", ""), "HTTPSamplerProxy");
        assert_eq!(class_of("HTTPSampler2__", ""), "HTTPSampler2");
        let old = "org.apache.jmeter.protocol.http.sampler.HTTPSampler2";
        assert_eq!(class_of(old, ""), "HTTPSampler2");
        assert_eq!(category("HTTPSampler2"), Some(Dropped));
        assert_eq!(
            class_of("org.apache.jmeter.assertions.Assertion", ""),
            "ResponseAssertion"
        );
        let form = "org.apache.jmeter.protocol.jdbc.config.gui.DbConfigGui";
        assert_eq!(class_of("ConfigTestElement", form), "DataSourceElement");
        assert_eq!(
            class_of("ConfigTestElement", "HttpDefaultsGui"),
            "ConfigTestElement"
        );
        assert_eq!(
            class_of("kg.apc.jmeter.threads.UltimateThreadGroup", ""),
            "kg.apc.jmeter.threads.UltimateThreadGroup"
        );
        assert_eq!(class_of("a.B_-C", ""), "a.B$C");
        assert_eq!(
            property_of("JDBCSampler", "JDBCSampler.query"),
            Some("query")
        );
        assert_eq!(
            property_of("DataSourceElement", "JDBCSampler.connections"),
            None
        );
        assert_eq!(property_of("Header", "Header.value"), Some("Header.value"));
    }

    #[test]
    fn no_class_has_two_categories() {
        let mut all: Vec<_> = CLASSES.iter().flat_map(|(_, classes)| *classes).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(
            TAGS.iter()
                .chain(RENAMED)
                .all(|(_, class)| category(class).is_some())
        );
    }
}
