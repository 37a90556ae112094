//! The properties of the sampler at work as JMeter's Debug PostProcessor shows them (5.6.3,
//! `DebugPostProcessor`): those of the element, what its configuration adds, and what JMeter
//! keeps of the element itself.

use plimsoll_elements::{Evaluated, EvaluatedValue};

/// The packages of JMeter's classes, and the form of each.
const CLASSES: &[(&str, &str, &str)] = &[
    (
        "AccessLogSampler",
        "org.apache.jmeter.protocol.http.sampler",
        BEAN,
    ),
    (
        "BeanShellSampler",
        "org.apache.jmeter.protocol.java.sampler",
        "org.apache.jmeter.protocol.java.control.gui.BeanShellSamplerGui",
    ),
    ("DebugSampler", "org.apache.jmeter.sampler", BEAN),
    (
        "HTTPSamplerProxy",
        "org.apache.jmeter.protocol.http.sampler",
        "org.apache.jmeter.protocol.http.control.gui.HttpTestSampleGui",
    ),
    (
        "JDBCSampler",
        "org.apache.jmeter.protocol.jdbc.sampler",
        BEAN,
    ),
    (
        "JSR223Sampler",
        "org.apache.jmeter.protocol.java.sampler",
        BEAN,
    ),
    (
        "JavaSampler",
        "org.apache.jmeter.protocol.java.sampler",
        "org.apache.jmeter.protocol.java.control.gui.JavaTestSamplerGui",
    ),
    (
        "SystemSampler",
        "org.apache.jmeter.protocol.system",
        "org.apache.jmeter.protocol.system.gui.SystemSamplerGui",
    ),
    (
        "TCPSampler",
        "org.apache.jmeter.protocol.tcp.sampler",
        "org.apache.jmeter.protocol.tcp.control.gui.TCPSamplerGui",
    ),
];

/// The form of a bean.
const BEAN: &str = "org.apache.jmeter.testbeans.gui.TestBeanGUI";

/// Where an HTTP sampler has its managers, by their class; all are of one package.
const MANAGERS: [(&str, &str); 5] = [
    ("AuthManager", "HTTPSampler.auth_manager"),
    ("CacheManager", "HTTPSampler.cache_manager"),
    ("CookieManager", "HTTPSampler.cookie_manager"),
    ("DNSCacheManager", "HTTPSampler.dns_cache_manager"),
    ("HeaderManager", "HTTPSampler.header_manager"),
];

/// The properties of a sampler with its configuration, the nearest first.
pub(super) fn shown(sampler: &Evaluated, configs: &[Evaluated]) -> Vec<(String, String)> {
    let mut shown: Vec<(String, String)> = vec![
        ("TestElement.enabled".to_owned(), "true".to_owned()),
        ("TestElement.name".to_owned(), sampler.name.clone()),
    ];
    let (class, form) = names(&sampler.class);
    shown.push(("TestElement.test_class".to_owned(), class));
    if let Some(form) = form {
        shown.push(("TestElement.gui_class".to_owned(), form.to_owned()));
    }
    for (name, value) in &sampler.properties {
        shown.push((name.clone(), written(value)));
    }
    let is_http = sampler.class == "HTTPSamplerProxy";
    for config in configs {
        if let Some((class, name)) = MANAGERS.iter().find(|(class, _)| *class == config.class) {
            if is_http && !shown.iter().any(|(known, _)| known == name) {
                let value = format!("org.apache.jmeter.protocol.http.control.{class}@0");
                shown.push(((*name).to_owned(), value));
            }
        } else if config.class == "ConfigTestElement" {
            take_over(config, &mut shown);
        }
    }
    shown
}

/// What a sampler has not itself it has from its defaults.
fn take_over(defaults: &Evaluated, shown: &mut Vec<(String, String)>) {
    for (name, value) in &defaults.properties {
        if name.starts_with("TestElement.") {
            continue;
        }
        match shown.iter_mut().find(|(known, _)| known == name) {
            Some((_, own)) if own.is_empty() => *own = written(value),
            Some(_) => {}
            None => shown.push((name.clone(), written(value))),
        }
    }
}

/// A class with its package, and its form.
fn names(class: &str) -> (String, Option<&'static str>) {
    let known = CLASSES.iter().find(|(known, ..)| *known == class);
    match known {
        Some((class, package, form)) => (format!("{package}.{class}"), Some(*form)),
        None => (class.to_owned(), None),
    }
}

/// A value as Java writes it.
fn written(value: &EvaluatedValue) -> String {
    match value {
        EvaluatedValue::Text(text) => text.clone(),
        EvaluatedValue::List(values) => {
            let values: Vec<String> = values.iter().map(written).collect();
            format!("[{}]", values.join(", "))
        }
        EvaluatedValue::Element(element) => element_written(element),
    }
}

fn element_written(element: &Evaluated) -> String {
    let items = |name: &str| match element.get(name) {
        Some(EvaluatedValue::List(items)) => items.iter().filter_map(as_element).collect(),
        _ => Vec::new(),
    };
    if element.class == "HTTPFileArgs" || element.get("HTTPFileArgs.files").is_some() {
        let files = items("HTTPFileArgs.files").into_iter().map(|file| {
            format!(
                "path:'{}'|param:'{}'|mimetype:'{}'",
                file.text("File.path"),
                file.text("File.paramname"),
                file.text("File.mimetype")
            )
        });
        return files.collect::<Vec<_>>().join("\n");
    }
    if element.get("Arguments.arguments").is_some() || element.class == "Arguments" {
        let arguments = items("Arguments.arguments").into_iter().map(|argument| {
            let between = match argument.get("Argument.metadata") {
                Some(_) => argument.text("Argument.metadata"),
                None => "=",
            };
            format!(
                "{}{between}{}({})",
                argument.text("Argument.name"),
                argument.text("Argument.value"),
                argument.text("Argument.desc")
            )
        });
        return arguments.collect::<Vec<_>>().join("&");
    }
    format!("{}@0", element.class)
}

fn as_element(value: &EvaluatedValue) -> Option<&Evaluated> {
    match value {
        EvaluatedValue::Element(element) => Some(element),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn element(class: &str, properties: &[(&str, EvaluatedValue)]) -> Evaluated {
        let properties = properties.iter();
        Evaluated {
            class: class.to_owned(),
            name: "s".to_owned(),
            properties: properties
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        }
    }

    fn text(value: &str) -> EvaluatedValue {
        EvaluatedValue::Text(value.to_owned())
    }

    #[test]
    fn defaults_fill_what_the_sampler_leaves_empty() {
        let argument = element(
            "HTTPArgument",
            &[("Argument.name", text("a")), ("Argument.value", text("1"))],
        );
        let list = EvaluatedValue::List(vec![EvaluatedValue::Element(argument)]);
        let arguments = element("Arguments", &[("Arguments.arguments", list)]);
        let sampler = element(
            "HTTPSamplerProxy",
            &[
                ("HTTPSampler.path", text("/x")),
                ("HTTPSampler.domain", text("")),
                ("HTTPsampler.Arguments", EvaluatedValue::Element(arguments)),
            ],
        );
        let defaults = element(
            "ConfigTestElement",
            &[
                ("HTTPSampler.path", text("/y")),
                ("HTTPSampler.domain", text("h")),
                ("TestElement.gui_class", text("HttpDefaultsGui")),
            ],
        );
        let shown = shown(&sampler, &[defaults, element("HeaderManager", &[])]);
        let get = |name: &str| {
            let found = shown.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(get("HTTPSampler.path"), Some("/x"));
        assert_eq!(get("HTTPSampler.domain"), Some("h"));
        assert_eq!(get("HTTPsampler.Arguments"), Some("a=1()"));
        assert_eq!(get("TestElement.name"), Some("s"));
        let class = "org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy";
        assert_eq!(get("TestElement.test_class"), Some(class));
        assert!(get("TestElement.gui_class").unwrap().ends_with("SampleGui"));
        assert!(get("HTTPSampler.header_manager").is_some());
    }
}
