//! What kinds of things there are in a JMeter plan.

/// What kind of thing a class is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// The root of a plan.
    Plan,
    /// Users and their load.
    ThreadGroup,
    /// Shapes the flow.
    Controller,
    /// Makes a sample.
    Sampler,
    /// Settings for samplers.
    Config,
    /// Works before a sampler.
    Pre,
    /// Works after a sampler.
    Post,
    /// Judges a sample.
    Assertion,
    /// Waits before a sampler.
    Timer,
    /// Is told of samples.
    Listener,
    /// No part of a test: the recorder, the mirror server, the old work bench.
    Tool,
    /// Was dropped by JMeter itself, which reads it and does nothing with it.
    Dropped,
}
