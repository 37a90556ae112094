//! Where the plugin's classes are.

/// Their package.
pub(crate) const PACKAGE: &str = "eu.luminis.jmeter.wssampler.";
