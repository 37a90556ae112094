//! Post-processors. One file a class, one line in [`ENTRIES`].

mod boundary;
mod debug;
mod fifo;
mod html;
mod jmespath;
mod json;
mod json_format;
mod json_target;
mod numbered;
mod plugin_json;
mod regex;
mod subject;
#[cfg(test)]
mod testing;
mod xpath;

pub(crate) use xpath::needs_xpath_2;

use crate::leaf::Bind;

/// The classes, by name.
pub const ENTRIES: &[(&str, Bind)] = &[
    ("BoundaryExtractor", boundary::bind),
    ("DebugPostProcessor", debug::bind),
    ("HtmlExtractor", html::bind),
    ("JMESPathExtractor", jmespath::bind),
    ("JSONPostProcessor", json::bind),
    ("RegexExtractor", regex::bind),
    ("XPath2Extractor", xpath::bind_2),
    ("XPathExtractor", xpath::bind),
    (
        "com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter",
        json_format::bind,
    ),
    (
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor",
        plugin_json::bind,
    ),
    ("kg.apc.jmeter.modifiers.FifoPutPostProcessor", fifo::bind),
];
