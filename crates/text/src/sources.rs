//! The texts of `locales/`, embedded.

use crate::Lang;

/// One line for each area of texts; the files are read at build time.
macro_rules! areas {
    ($($area:literal),* $(,)?) => {
        /// The Fluent sources of a language, with their area's name.
        #[must_use]
        pub fn texts(lang: Lang) -> &'static [(&'static str, &'static str)] {
            match lang {
                Lang::En => &[$(($area, include_str!(concat!("../../../locales/en/", $area, ".ftl")))),*],
                Lang::Zh => &[$(($area, include_str!(concat!("../../../locales/zh/", $area, ".ftl")))),*],
            }
        }
    };
}
areas![
    "acceptance",
    "access",
    "calibrate",
    "capacity",
    "cli",
    "compare",
    "compile",
    "curve",
    "diagnose",
    "doctor",
    "errors",
    "fleet",
    "fleet-link",
    "help",
    "hops",
    "jmeter",
    "knobs",
    "load",
    "plan",
    "report",
    "run",
    "server",
    "system",
    "tune",
    "watch",
    "watch-agent",
    "watch-endpoints",
    "watch-host",
    "watch-jvm",
    "watch-servers",
];
