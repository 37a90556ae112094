//! From a `.jmx` file and JMeter's own options to a plan.

use std::path::Path;
use std::sync::{Arc, Mutex};

use plimsoll_access::{Access, reason};
use plimsoll_elements::listeners::{ConsoleOutput, TargetReadings};
use plimsoll_elements::{Evaluated, EvaluatedValue, Properties};
use plimsoll_jmeter::JMeterOptions;
use plimsoll_jmx::support::Row;
use plimsoll_jmx::{properties, read, translate};
use plimsoll_plan::Problem;
use plimsoll_plan::limits::{JMX_BYTES, SETTINGS_BYTES, read_file};
use plimsoll_plan::model::{Plan, Span};
use plimsoll_text::Message;

use crate::environment;
use crate::foreign;
use crate::java_properties;
use crate::rejected::{RejectedPlan, not_read};
use crate::{JMeterSettings, PlanSource};

/// What is known of a plan of JMeter's beside the plan itself.
pub struct JMeterPlan {
    /// Its properties.
    pub properties: Properties,
    /// Java's system properties, the later ones of a name count.
    system: Vec<(String, String)>,
    /// Its elements and functions, and where each runs.
    pub table: Vec<Row>,
    /// The file's name without its folder.
    file: String,
    /// What is seen of the target, for its listeners.
    readings: TargetReadings,
}

/// Whether a file is a plan of JMeter's, by its name.
#[must_use]
pub fn is_jmx(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("jmx"))
}

/// Reads and translates a plan; gives it with its text, and what should be known about it.
///
/// # Errors
/// All that is wrong with it.
pub fn load(source: &PlanSource) -> Result<(Plan, String, Vec<Problem>, JMeterPlan), RejectedPlan> {
    let path = Path::new(&source.plan);
    let nothing = |problem: Problem| RejectedPlan {
        text: String::new(),
        problems: vec![problem],
    };
    let access = source.access();
    let properties = properties_of(&source.jmeter, &access).map_err(|problem| nothing(*problem))?;
    let bytes = read_file(access.open(path), JMX_BYTES)
        .map_err(|error| nothing(not_read(&source.plan, &error)))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let reject = |problems| RejectedPlan {
        text: text.clone(),
        problems,
    };
    let tree =
        read::read(&bytes).map_err(|problem| reject(vec![(*problem).in_file(&source.plan)]))?;
    foreign::learn(&tree, &properties, &access);
    let system =
        system_of(&source.jmeter, &properties, &access).map_err(|problem| nothing(*problem))?;
    let beneath = beneath(&system, &access);
    let mut known = beneath.clone();
    known.extend(properties.clone());
    let options = translate::TranslateOptions {
        properties: &known,
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        plan_file: source.plan.clone(),
        allow_unsupported: source.jmeter.allow_unsupported,
        read_file: &|path| Ok(read_file(access.open(path), JMX_BYTES)?),
    };
    let translated = translate::translate(&tree, &options).map_err(reject)?;
    let mut warnings = translated.warnings;
    warnings.extend(not_obeyed(&properties, &system));
    let plan = JMeterPlan {
        system,
        properties: Properties::new(properties).above(beneath),
        table: translated.table,
        file: file_name(&source.plan),
        readings: TargetReadings::default(),
    };
    Ok((translated.plan, text, warnings, plan))
}

/// The properties that were set and are not obeyed, all in one warning.
fn not_obeyed(properties: &properties::Properties, system: &[(String, String)]) -> Option<Problem> {
    let found = plimsoll_jmx::known::not_obeyed(properties, system);
    let names: Vec<&str> = found.iter().map(|known| known.name).collect();
    let message = Message::new("jmeter-properties-not-obeyed")
        .with("count", names.len())
        .with("names", names.join(", "));
    let remedy = Message::new("jmeter-properties-not-obeyed.remedy");
    let problem = Problem::warning(Span::default(), message).remedy(remedy);
    (!names.is_empty()).then_some(problem)
}

/// The elements and functions of a file, also of one that is no right plan; none when it cannot
/// be read.
#[must_use]
pub fn table_of(source: &PlanSource) -> Vec<Row> {
    if !is_jmx(&source.plan) {
        return Vec::new();
    }
    let file = source.access().open(Path::new(&source.plan));
    let bytes = read_file(file, JMX_BYTES).unwrap_or_default();
    let Ok(tree) = read::read(&bytes) else {
        return Vec::new();
    };
    if let Ok(properties) = properties_of(&source.jmeter, &source.access()) {
        foreign::learn(&tree, &properties, &source.access());
    }
    plimsoll_jmx::table(&tree)
}

/// A file's name without its folder.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The properties of the command line: files first, in their order, then single ones.
fn properties_of(
    args: &JMeterSettings,
    access: &Access,
) -> Result<properties::Properties, Box<Problem>> {
    let mut all = properties::Properties::new();
    // As in JMeter's own properties file; `-Jsummariser.name=` takes it away.
    properties::define(&mut all, "summariser.name=summary");
    for path in &args.files {
        all.extend(file_of(path, access)?);
    }
    for (name, value) in &args.properties {
        properties::define(&mut all, &format!("{name}={value}"));
    }
    if !args.plugins.is_empty() {
        let known = all.get("search_paths").cloned();
        let folders = args.plugins.iter().map(|it| it.display().to_string());
        let paths: Vec<String> = known.into_iter().chain(folders).collect();
        properties::define(&mut all, &format!("search_paths={}", paths.join(";")));
    }
    for global in &args.global {
        if global.contains('=') {
            properties::define(&mut all, global);
        } else {
            all.extend(file_of(Path::new(global), access)?);
        }
    }
    Ok(all)
}

/// Java's system properties: the file that JMeter's property `system.properties` names, if it is
/// there, those of the command line, then single ones (JMeter 5.6.3, `JMeter.initializeProperties`).
fn system_of(
    args: &JMeterSettings,
    properties: &properties::Properties,
    access: &Access,
) -> Result<Vec<(String, String)>, Box<Problem>> {
    let mut all = properties::Properties::new();
    if let Some(own) = properties.get("system.properties") {
        // JMeter looks in the current folder and in that of its own files.
        let folders = args.files.iter().filter_map(|file| file.parent());
        let places = std::iter::once(Path::new("")).chain(folders);
        let mut places = places.map(|folder| folder.join(own));
        if let Some(path) = places.find(|path| access.is_file(path)) {
            all.extend(file_of(&path, access)?);
        }
    }
    for path in &args.system_files {
        all.extend(file_of(path, access)?);
    }
    let mut system: Vec<_> = all.into_iter().collect();
    system.extend(args.system.iter().cloned());
    Ok(system)
}

/// What JMeter's properties are where nobody has set them: Java's system properties.
fn beneath(system: &[(String, String)], access: &Access) -> properties::Properties {
    let mut all: properties::Properties = java_properties::of_system(access).into_iter().collect();
    all.extend(system.iter().cloned());
    all
}

fn file_of(path: &Path, access: &Access) -> Result<properties::Properties, Box<Problem>> {
    let bytes = read_file(access.open(path), SETTINGS_BYTES).map_err(|error| {
        let message = Message::new("jmeter-properties-unreadable")
            .with("path", path.display().to_string())
            .with("reason", reason(&error.into()));
        let remedy = Message::new("jmeter-properties-unreadable.remedy");
        Box::new(Problem::error(Span::default(), message).remedy(remedy))
    })?;
    Ok(properties::parse(&bytes))
}

impl JMeterPlan {
    /// What is known of a plan that was converted from JMeter's.
    ///
    /// # Errors
    /// A file of properties that cannot be read.
    pub fn converted(source: &PlanSource) -> Result<Self, Box<Problem>> {
        let access = source.access();
        let properties = properties_of(&source.jmeter, &access)?;
        let system = system_of(&source.jmeter, &properties, &access)?;
        Ok(Self {
            properties: Properties::new(properties).above(beneath(&system, &access)),
            system,
            table: Vec::new(),
            file: file_name(&source.plan),
            readings: TargetReadings::default(),
        })
    }

    /// What is seen of the target is told there, for the plan's listeners.
    #[must_use]
    pub fn readings(&self) -> TargetReadings {
        self.readings.clone()
    }

    /// What the engine is told. Each run has properties of its own, since scripts change them.
    #[must_use]
    pub fn options(&self, log: Option<&Path>, told: Told) -> JMeterOptions {
        let properties = self.properties.apart();
        let summary = summariser(&properties).filter(|_| told == Told::Lines);
        JMeterOptions {
            properties,
            plan_file: self.file.clone(),
            listeners: log.map(collector).into_iter().chain(summary).collect(),
            folder: std::env::current_dir().unwrap_or_default(),
            host: environment::host_name(),
            system: self.system.clone(),
            readings: self.readings.clone(),
            output: match told {
                Told::Lines => ConsoleOutput::to(Arc::new(Mutex::new(std::io::stdout()))),
                _ => ConsoleOutput::to(Arc::new(Mutex::new(std::io::stderr()))),
            },
        }
    }
}

/// Who is told how the run goes, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Whoever looks at a terminal, by a live line.
    LiveLine,
    /// A program or a file, by JMeter's own lines.
    Lines,
    /// Nobody: it is no run, or one of several.
    Nobody,
}

/// The summariser that JMeter adds to a run without a window; none when it has no name.
fn summariser(properties: &Properties) -> Option<Evaluated> {
    let name = properties.get("summariser.name")?;
    (!name.is_empty()).then(|| Evaluated {
        class: "Summariser".to_owned(),
        name,
        properties: Vec::new(),
    })
}

/// The listener that writes every sample to a file, as JMeter's `-l` has it.
fn collector(path: &Path) -> Evaluated {
    let filename = EvaluatedValue::Text(path.display().to_string());
    Evaluated {
        class: "ResultCollector".to_owned(),
        name: "-l".to_owned(),
        properties: vec![("filename".to_owned(), filename)],
    }
}
