//! The OS Process Sampler: a program of the system as a sample (JMeter 5.6.3,
//! `SystemSampler`).

use plimsoll_elements::fields::Field;

use super::defaults::FieldSources;

/// Runs a program.
pub struct ProcessSampler {
    pub(crate) command: Field,
    pub(crate) arguments: Vec<Field>,
    /// Names and values in turn.
    pub(crate) environment: Vec<Field>,
    pub(crate) checks: Field,
    pub(crate) expected: Field,
    pub(crate) directory: Field,
    pub(crate) stdin: Field,
    pub(crate) stdout: Field,
    pub(crate) stderr: Field,
    pub(crate) timeout: Field,
}

impl ProcessSampler {
    /// Binds it.
    pub fn bind(sources: &FieldSources<'_>) -> Self {
        let arguments = sources.arguments("SystemSampler.arguments");
        let environment = sources.arguments("SystemSampler.environment");
        Self {
            command: sources.field("SystemSampler.command"),
            arguments: arguments.into_iter().map(|(_, value)| value).collect(),
            environment: environment
                .into_iter()
                .flat_map(|(name, value)| [name, value])
                .collect(),
            checks: sources.field("SystemSampler.checkReturnCode"),
            expected: sources.field("SystemSampler.expectedReturnCode"),
            directory: sources.field("SystemSampler.directory"),
            stdin: sources.field("SystemSampler.stdin"),
            stdout: sources.field("SystemSampler.stdout"),
            stderr: sources.field("SystemSampler.stderr"),
            timeout: sources.field("SystemSampler.timeout"),
        }
    }
}
