//! JMeter's objects as scripts see them: `vars`, `props`, `ctx`, `log`, `sampler`,
//! `sampleResult`, `OUT`, `threadName`.

use super::value::{HostObject, JexlValue};
use crate::context::Context;
use crate::result::{DataType, SampleResult};

type Computed = Result<JexlValue, String>;

impl HostObject {
    /// Calls a method.
    ///
    /// # Errors
    /// When there is no such method here.
    pub(super) fn call(
        self,
        name: &str,
        arguments: &[JexlValue],
        cx: &mut dyn Context,
    ) -> Computed {
        let texts: Vec<String> = arguments.iter().map(JexlValue::display).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let known = match self {
            Self::Vars => vars(name, &texts, arguments, cx),
            Self::Props => props(name, &texts, cx),
            Self::Log => log(name, &texts, cx),
            Self::Out => match (name, texts.as_slice()) {
                ("print" | "println", [text]) => {
                    cx.log(text);
                    Some(JexlValue::Null)
                }
                _ => None,
            },
            Self::Ctx => ctx(name, cx),
            Self::Group => group(name, cx),
            Self::Thread => match name {
                "getThreadName" | "getName" => Some(JexlValue::text(&*cx.thread().name)),
                "getThreadNum" => Some(JexlValue::Integer(cx.thread().number.into())),
                _ => None,
            },
            Self::Sampler => match name {
                "getName" => Some(JexlValue::option(cx.sampler_name())),
                "getThreadName" => Some(JexlValue::text(&*cx.thread().name)),
                _ => None,
            },
            Self::SampleResult => cx.previous().and_then(|sample| result(name, sample)),
        };
        known.ok_or_else(|| {
            format!(
                "{} has no method {name} with {} arguments here; __groovy runs in the JVM and has \
                 all",
                self.word(),
                texts.len()
            )
        })
    }

    /// A property: `get(name)`, or the bean's `getName()`.
    pub(super) fn property(self, name: &str, cx: &mut dyn Context) -> Computed {
        match self {
            Self::Vars => Ok(JexlValue::option(cx.get(name))),
            Self::Props => Ok(JexlValue::option(cx.properties().get(name))),
            _ => {
                let mut letters = name.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                let bean: String = first.chain(letters).collect();
                self.call(&format!("get{bean}"), &[], cx)
                    .or_else(|why| self.call(&format!("is{bean}"), &[], cx).map_err(|_| why))
            }
        }
    }

    /// Sets a property.
    pub(super) fn set(
        self,
        name: &str,
        value: &JexlValue,
        cx: &mut dyn Context,
    ) -> Result<(), String> {
        match self {
            Self::Vars => cx.set(name, &value.written()?),
            Self::Props => {
                cx.properties().set(name, &value.written()?);
            }
            _ => return Err(format!("{}.{name} cannot be set here", self.word())),
        }
        Ok(())
    }
}

fn vars(
    name: &str,
    texts: &[&str],
    values: &[JexlValue],
    cx: &mut dyn Context,
) -> Option<JexlValue> {
    Some(match (name, texts) {
        ("get" | "getObject", [name]) => JexlValue::option(cx.get(name)),
        // JMeter's `put` takes texts alone.
        ("put", [_, _]) if !matches!(values[1], JexlValue::Text(_)) => return None,
        ("put" | "putObject", [name, value]) => {
            cx.set(name, value);
            JexlValue::Null
        }
        ("remove", [name]) => {
            let old = JexlValue::option(cx.get(name));
            cx.remove(name);
            old
        }
        ("getIteration", []) => JexlValue::Integer(cx.thread().iteration.into()),
        ("getThreadName", []) => JexlValue::text(&*cx.thread().name),
        _ => return None,
    })
}

fn props(name: &str, texts: &[&str], cx: &mut dyn Context) -> Option<JexlValue> {
    let props = cx.properties();
    Some(match (name, texts) {
        ("get" | "getProperty", [name]) => JexlValue::option(props.get(name)),
        ("getProperty" | "getOrDefault", [name, default]) => {
            JexlValue::text(props.get(name).unwrap_or_else(|| (*default).to_owned()))
        }
        ("put" | "setProperty", [name, value]) => JexlValue::option(props.set(name, value)),
        ("remove", [name]) => JexlValue::option(props.remove(name)),
        ("containsKey", [name]) => JexlValue::Bool(props.get(name).is_some()),
        ("size", []) => JexlValue::Integer(props.all().len() as i128),
        ("isEmpty", []) => JexlValue::Bool(props.all().is_empty()),
        _ => return None,
    })
}

fn log(name: &str, texts: &[&str], cx: &mut dyn Context) -> Option<JexlValue> {
    let (text, rest) = texts.split_first()?;
    match name {
        "info" | "warn" | "error" => {
            // `{}` stands for the next argument.
            let mut line = (*text).to_owned();
            for value in rest {
                line = line.replacen("{}", value, 1);
            }
            cx.log(&format!("{} {line}", name.to_uppercase()));
        }
        "debug" | "trace" => {}
        _ => return None,
    }
    Some(JexlValue::Null)
}

fn ctx(name: &str, cx: &mut dyn Context) -> Option<JexlValue> {
    Some(match name {
        "getVariables" => JexlValue::Host(HostObject::Vars),
        "getProperties" => JexlValue::Host(HostObject::Props),
        "getThreadGroup" => JexlValue::Host(HostObject::Group),
        "getThread" => JexlValue::Host(HostObject::Thread),
        "getThreadNum" => JexlValue::Integer(cx.thread().number.into()),
        "getCurrentSampler" if cx.sampler_name().is_some() => JexlValue::Host(HostObject::Sampler),
        "getPreviousResult" if cx.previous().is_some() => JexlValue::Host(HostObject::SampleResult),
        "getCurrentSampler" | "getPreviousResult" => JexlValue::Null,
        _ => return None,
    })
}

fn group(name: &str, cx: &mut dyn Context) -> Option<JexlValue> {
    let thread = cx.thread();
    Some(match name {
        "getName" => JexlValue::text(&*thread.group),
        "getNumThreads" => JexlValue::Integer(thread.group_size.into()),
        "getNumberOfThreads" => JexlValue::Integer(thread.group_threads.into()),
        _ => return None,
    })
}

fn result(name: &str, sample: &SampleResult) -> Option<JexlValue> {
    let number = |value: u64| JexlValue::Integer(value.into());
    Some(match name {
        "getResponseCode" => JexlValue::text(&sample.code),
        "getResponseMessage" => JexlValue::text(&sample.message),
        "getResponseDataAsString" => JexlValue::text(sample.text()),
        "getResponseHeaders" => JexlValue::text(&sample.response_headers),
        "getRequestHeaders" => JexlValue::text(&sample.request_headers),
        "getSamplerData" => JexlValue::text(sample.request_text()),
        "isSuccessful" | "isResponseCodeOK" => JexlValue::Bool(sample.success),
        "getSampleLabel" => JexlValue::text(&sample.label),
        "getThreadName" => JexlValue::text(&sample.thread_name),
        "getContentType" => JexlValue::text(&sample.content_type),
        "getDataType" => JexlValue::text(match sample.data_type {
            DataType::Unknown => "",
            DataType::Text => "text",
            DataType::Binary => "bin",
        }),
        "getUrlAsString" => JexlValue::text(sample.url.as_deref().unwrap_or_default()),
        "getURL" => JexlValue::option(sample.url.as_deref()),
        "getTime" => number(sample.elapsed_ms),
        "getLatency" => number(sample.latency_ms),
        "getConnectTime" => number(sample.connect_ms),
        "getIdleTime" => number(sample.idle_ms),
        "getStartTime" => number(sample.start_unix_ms),
        "getEndTime" => number(sample.end_unix_ms),
        "getBytesAsLong" | "getBytes" => number(sample.received_bytes),
        "getBodySizeAsLong" | "getBodySize" => number(sample.body_bytes),
        "getHeadersSize" => number(sample.header_bytes),
        "getSentBytes" => number(sample.sent_bytes),
        "getSampleCount" => number(sample.samples.into()),
        "getErrorCount" => number(sample.error_count().into()),
        "getGroupThreads" => number(sample.group_threads.into()),
        "getAllThreads" => number(sample.all_threads.into()),
        _ => return None,
    })
}
