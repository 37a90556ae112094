//! The outputs that there are.

use plimsoll_text::Message;

use crate::output::Output;
use crate::spec::OutputSpec;
use crate::{http, influxdb, json_lines, otlp, prometheus};

/// A kind of output.
pub struct OutputKind {
    /// Its name in `--output NAME=ADDRESS`.
    pub name: &'static str,
    /// The settings that it takes beside `tag.NAME`.
    pub settings: &'static [&'static str],
    open: fn(&OutputSpec) -> Result<Box<dyn Output>, Message>,
}

/// All of them.
pub const OUTPUTS: &[OutputKind] = &[
    OutputKind {
        name: "influxdb",
        settings: http::SETTINGS,
        open: influxdb::open,
    },
    OutputKind {
        name: "jsonl",
        settings: &[],
        open: json_lines::open,
    },
    OutputKind {
        name: "otlp",
        settings: http::SETTINGS,
        open: otlp::open,
    },
    OutputKind {
        name: "prometheus",
        settings: http::SETTINGS,
        open: prometheus::open,
    },
];

/// Opens what a spec names.
///
/// # Errors
/// A name or a setting that there is not, and what [`OutputKind`] says of the address.
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    let Some(kind) = OUTPUTS.iter().find(|kind| kind.name == spec.name) else {
        let names: Vec<&str> = OUTPUTS.iter().map(|kind| kind.name).collect();
        return Err(Message::new("output-unknown")
            .with("name", spec.name.as_str())
            .with("allowed", names.join(", ")));
    };
    if let Some(name) = spec.unknown_setting(kind.settings) {
        let allowed = kind.settings.iter().copied().chain(["tag.NAME"]);
        return Err(Message::new("output-unknown-setting")
            .with("name", name)
            .with("output", kind.name)
            .with("allowed", allowed.collect::<Vec<_>>().join(", ")));
    }
    if spec.address.is_empty() {
        return Err(Message::new("output-no-address").with("output", kind.name));
    }
    (kind.open)(spec)
}
