//! `ResultCollector`: results into a CSV or XML file. All of JMeter's listeners with a window
//! (View Results Tree, Aggregate Report, ...) are one; without a file name they have nothing
//! to do here.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use plimsoll_text::Message;

use crate::evaluated::Evaluated;

use super::csv::RowContext;
use super::files::{self, ResultFile};
use super::save_config::SaveConfig;
use super::xml::SampleContext;
use super::{Listener, SampleEvent, Surroundings, Wants, csv, timestamp, xml};

struct ResultCollector {
    file: Arc<Mutex<ResultFile>>,
    /// The file's name as the plan has it.
    name: Arc<str>,
    config: SaveConfig,
    only_errors: bool,
    only_successes: bool,
    host: String,
    zone: TimeZone,
    variables: Vec<String>,
    default_encoding: String,
    stamps_start: bool,
    functional: bool,
    text: String,
}

/// Makes a collector from its element.
///
/// # Errors
/// When the file cannot be opened.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let name = element.text("filename");
    if name.is_empty() {
        return Ok(None);
    }
    let config = match element.element("saveConfig") {
        Some(config) => SaveConfig::of_element(config, &surroundings.properties)?,
        None => SaveConfig::of_properties(&surroundings.properties)?,
    };
    let mut collector = ResultCollector::new(name, config, surroundings)?;
    collector.only_errors = element.truth("ResultCollector.error_logging", false);
    collector.only_successes = element.truth("ResultCollector.success_only_logging", false);
    Ok(Some(Box::new(collector)))
}

/// The collector of `-l FILE`: all samples, with the columns that the properties say.
///
/// # Errors
/// When the file cannot be opened, or the delimiter is none.
pub fn to_file(name: &str, surroundings: &Surroundings) -> Result<Box<dyn Listener>, Message> {
    let config = SaveConfig::of_properties(&surroundings.properties)?;
    let collector = ResultCollector::new(name, config, surroundings)?;
    Ok(Box::new(collector))
}

impl ResultCollector {
    fn new(name: &str, config: SaveConfig, surroundings: &Surroundings) -> Result<Self, Message> {
        let properties = &surroundings.properties;
        let is_true = |name: &str, default: bool| {
            let text = properties.get(name);
            text.map_or(default, |text| text.eq_ignore_ascii_case("true"))
        };
        let variables = surroundings.sample_variables();
        let file = files::open(
            (&surroundings.files, &surroundings.access),
            &surroundings.path(name),
            &config,
            &variables,
            is_true("jmeter.save.saveservice.autoflush", false),
        )?;
        let default_encoding = properties.get("sampleresult.default.encoding");
        Ok(Self {
            file,
            name: name.into(),
            config,
            only_errors: false,
            only_successes: false,
            host: surroundings.host.clone(),
            zone: timestamp::zone(surroundings.time_zone.as_deref()),
            variables,
            default_encoding: default_encoding.unwrap_or_else(|| "UTF-8".to_owned()),
            // On in the properties file that JMeter comes with.
            stamps_start: is_true("sampleresult.timestamp.start", true),
            functional: surroundings.functional_mode,
            text: String::new(),
        })
    }

    /// Both set: nothing is wanted but what one of them wants, which is all.
    fn is_wanted(&self, success: bool) -> bool {
        (!self.only_errors && !self.only_successes)
            || (success && self.only_successes)
            || (!success && self.only_errors)
    }

    fn write_text(&mut self, event: &SampleEvent) {
        self.text.clear();
        if self.config.xml {
            let cx = SampleContext {
                config: &self.config,
                host: &self.host,
                variables: &self.variables,
                default_encoding: &self.default_encoding,
                stamps_start: self.stamps_start,
                functional: self.functional,
            };
            xml::sample(&mut self.text, &cx, event);
        } else {
            let cx = RowContext {
                config: &self.config,
                zone: &self.zone,
                host: &self.host,
                default_encoding: &self.default_encoding,
                stamps_start: self.stamps_start,
            };
            csv::rows(&mut self.text, &cx, event);
        }
    }
}

impl Listener for ResultCollector {
    fn sample(&mut self, event: &SampleEvent) {
        let is_there = event
            .told_before
            .is_some_and(|success| self.is_wanted(success));
        if is_there || !self.is_wanted(event.result.success) {
            return;
        }
        let file = Arc::clone(&self.file);
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.mark(&event.result, &self.name) {
            return;
        }
        self.write_text(event);
        file.write(&self.text);
    }

    fn tick(&mut self, _unix_ms: u64) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.flush();
    }

    fn end(self: Box<Self>) -> Vec<Message> {
        files::leave(self.file).into_iter().collect()
    }

    fn wants(&self) -> Wants {
        let config = &self.config;
        let in_full = config.response_data_on_error || self.functional;
        Wants {
            body: config.xml && (config.response_data || in_full),
            response_headers: config.xml && config.response_headers,
            request: config.xml && (config.request_headers || config.sampler_data || in_full),
            parts: config.subresults,
        }
    }
}
