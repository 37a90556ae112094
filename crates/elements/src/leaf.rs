//! What a leaf is: what each kind of leaf does, and how it is made.

use crate::context::{Context, Fault};
use crate::fields::Fields;
use crate::pre::SampleTimeout;
use crate::result::{AssertionResult, SampleResult};

/// Works before a sampler.
pub trait PreProcessor: Send + Sync {
    /// Does its work.
    ///
    /// # Errors
    /// When a property cannot be evaluated; JMeter logs it and goes on, so does the engine.
    fn process(&self, cx: &mut dyn Context) -> Result<(), Fault>;

    /// Whether what goes wrong takes the sample with it, as an exception does.
    fn throws(&self) -> bool {
        false
    }
}

/// Works each time its scope is entered (JMeter's `LoopIterationListener`).
pub trait PassListener: Send + Sync {
    /// Does its work.
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault>;
}

/// Says how long to wait before a sampler. The delays of all timers are added up.
pub trait Timer: Send + Sync {
    /// Milliseconds to wait from now.
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault>;
}

/// Works on the result of a sampler before the assertions.
pub trait PostProcessor: Send + Sync {
    /// Takes what it wants; may change the result (its sub-samples, say).
    ///
    /// # Errors
    /// When a property cannot be evaluated; JMeter logs it and goes on, so does the engine.
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault>;
}

/// Says whether a sample holds. It looks at one sample; the engine takes it through the samples
/// of its scope.
pub trait Assertion: Send + Sync {
    /// What it finds in this sample, without its sub-samples.
    ///
    /// # Errors
    /// When a property cannot be evaluated; the sample fails with it.
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault>;

    /// Whether a sample counts as a success before it is looked at ("ignore status").
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn assumes_success(&self, cx: &mut dyn Context) -> Result<bool, Fault> {
        let _ = cx;
        Ok(false)
    }
}

/// A leaf, ready to work.
pub enum Bound {
    /// Before the sampler.
    Pre(Box<dyn PreProcessor>),
    /// Each time its scope is entered.
    Pass(Box<dyn PassListener>),
    /// How long the sampler may take; it stands among the pre-processors.
    Timeout(SampleTimeout),
    /// How long to wait before the sampler.
    Timer(Box<dyn Timer>),
    /// After the sampler.
    Post(Box<dyn PostProcessor>),
    /// Whether the sample holds.
    Assertion(Box<dyn Assertion>),
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pre(_) => "Pre",
            Self::Pass(_) => "Pass",
            Self::Timeout(_) => "Timeout",
            Self::Timer(_) => "Timer",
            Self::Post(_) => "Post",
            Self::Assertion(_) => "Assertion",
        })
    }
}

/// How an element of a class becomes a leaf.
pub type Bind = fn(Fields<'_>) -> Bound;
