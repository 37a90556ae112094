//! What is computed and read once before a run: values that are the same for all users, and
//! data files.

use std::sync::Arc;

use plimsoll_elements::Evaluated;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{ElementProgram, Program};

use crate::clock::Clock;
use crate::data::DataFiles;
use crate::extract::BindError;
use crate::functions::{EvalContext, EvalError, OnceValues, eval_text};
use crate::jmeter::{JMeterRun, JMeterUser, JMeterView};
use crate::random::Random;
use crate::script::Scripts;
use crate::shared::LocalShared;
use crate::variables::{Names, Variables};
use plimsoll_plan::share::Share;

/// Number of the random stream for values computed once; no user has it.
const ONCE_STREAM: u64 = u64::MAX;

/// What all threads begin with.
#[derive(Debug)]
pub struct Ready {
    /// Values that are the same for all users.
    pub once: OnceValues,
    /// Data files, read.
    pub data: DataFiles,
    /// The plan's listeners, in their order.
    pub listeners: Vec<Evaluated>,
    /// Addresses and hosts that may be loaded, as far as only the run knows them.
    pub hosts: Vec<String>,
    /// The companion's elements, as they are before the run.
    pub remote: Vec<Evaluated>,
}

impl Ready {
    /// Computes and reads.
    ///
    /// # Errors
    /// All files that cannot be used, or the value that cannot be computed.
    pub fn new(
        program: &Program,
        seed: u64,
        jmeter: &JMeterRun,
    ) -> Result<Arc<Self>, Vec<BindError>> {
        let scripts = Scripts::bind(program, &jmeter.access).map_err(|error| vec![error])?;
        let shared = LocalShared::new(program, Share::WHOLE);
        let clock = Clock::start();
        let unix_ns = || clock.unix_ns(clock.now_ns());
        let mut user = JMeterUser::default();
        // To functions the start of a test is a thread's with the number 1.
        user.info.name = "1-1".into();
        let mut ctx = EvalContext {
            vars: &mut Variables::new(Names::of(program)),
            rng: &mut Random::new(seed, ONCE_STREAM),
            user: 0,
            iteration: 0,
            scenario: "",
            shared: &shared,
            scripts: &scripts,
            response: None,
            unix_ns: &unix_ns,
            jmeter: jmeter.bound.active.then_some(JMeterView {
                user: &mut user,
                run: jmeter,
            }),
            nobody: None,
        };
        Self::of(program, jmeter, &mut ctx)
    }

    fn of(
        program: &Program,
        jmeter: &JMeterRun,
        ctx: &mut EvalContext<'_>,
    ) -> Result<Arc<Self>, Vec<BindError>> {
        let once = jmeter
            .resolve(ctx, |ctx| OnceValues::compute(program, ctx))
            .map_err(|error| mistake(Span::default(), error))?;
        let mut evaluated = |element: &ElementProgram| {
            let found = jmeter.resolve(ctx, |ctx| {
                Evaluated::of(element, ctx).map_err(EvalError::from)
            });
            found.map_err(|error| mistake(element.at, error))
        };
        let ids = jmeter.bound.listeners.iter();
        let listeners = ids.map(|id| evaluated(&program.elements[id.0 as usize]));
        let listeners = listeners.collect::<Result<_, _>>()?;
        let elements = program.elements.iter();
        let keystores = elements
            .filter(|element| element.class == "KeystoreConfig")
            .map(|element| evaluated(element).map(|found| (element.at, found)));
        let keystores = keystores.collect::<Result<Vec<_>, _>>()?;
        jmeter.read_keys(&keystores).map_err(|error| vec![error])?;
        let texts = program.host_templates.iter();
        let hosts = texts.filter_map(|text| {
            let text = jmeter.resolve(ctx, |ctx| {
                eval_text(text, ctx).map(std::borrow::Cow::into_owned)
            });
            text.ok()
        });
        let hosts = hosts.collect();
        let remote = jmeter.remote_before_the_run(program, ctx);
        let data = DataFiles::read(program, ctx)?;
        Ok(Arc::new(Self {
            once,
            data,
            listeners,
            hosts,
            remote,
        }))
    }
}

fn mistake(at: Span, error: EvalError) -> Vec<BindError> {
    vec![BindError {
        at,
        message: *error.message,
    }]
}
