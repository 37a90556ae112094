//! Computes and reads what all threads begin with.

use std::sync::Arc;

use plimsoll_access::Access;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::Program;

use super::RunError;
use super::extension::ExtensionRun;
use super::files;
use super::ready::Ready;
use crate::bound::BoundRequest;
use crate::clock::Clock;
use crate::data::DataFiles;
use crate::extract::BindError;
use crate::functions::{EvalContext, EvalError, ExtensionView, OnceValues, eval_text};
use crate::random::Random;
use crate::script::Scripts;
use crate::shared::LocalShared;
use crate::variables::{Names, Variables};
use plimsoll_plan::share::Share;

/// Number of the random stream for values computed once; no user has it.
const ONCE_STREAM: u64 = u64::MAX;

/// Makes a program ready: computes and reads.
///
/// # Errors
/// All that is wrong with it, as far as it shows before a run.
pub(super) fn get_ready(
    program: &Program,
    seed: u64,
    extension: Option<&dyn ExtensionRun>,
    access: &Access,
) -> Result<Arc<Ready>, RunError> {
    let bound = program
        .requests
        .iter()
        .map(|request| BoundRequest::new(request));
    let mut mistakes: Vec<BindError> = bound.filter_map(Result::err).collect();
    mistakes.extend(files::mistakes(program, access));
    match Ready::new(program, seed, extension, access) {
        Ok(ready) if mistakes.is_empty() => return Ok(ready),
        Ok(_) => {}
        Err(more) => mistakes.extend(more),
    }
    Err(RunError::Bind(mistakes))
}

impl Ready {
    /// Computes and reads.
    fn new(
        program: &Program,
        seed: u64,
        extension: Option<&dyn ExtensionRun>,
        access: &Access,
    ) -> Result<Arc<Self>, Vec<BindError>> {
        let scripts = Scripts::bind(program, access).map_err(|error| vec![error])?;
        let shared = LocalShared::new(program, Share::WHOLE);
        let clock = Clock::start();
        let unix_ns = || clock.unix_ns(clock.now_ns());
        let mut kept = extension.map(|run| run.kept_by_nobody());
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
            extension: match (&mut kept, extension) {
                (Some(kept), Some(run)) => Some(ExtensionView {
                    kept: &mut **kept,
                    texts: run,
                }),
                _ => None,
            },
        };
        Self::of(program, extension, &mut ctx)
    }

    fn of(
        program: &Program,
        extension: Option<&dyn ExtensionRun>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<Arc<Self>, Vec<BindError>> {
        let once = ctx
            .resolve(|ctx| OnceValues::compute(program, ctx))
            .map_err(|error| mistake(Span::default(), error))?;
        if let Some(extension) = extension {
            extension.prepare(program, ctx)?;
        }
        let texts = program.host_templates.iter();
        let hosts = texts.filter_map(|text| {
            let text = ctx.resolve(|ctx| eval_text(text, ctx).map(std::borrow::Cow::into_owned));
            text.ok()
        });
        let hosts = hosts.collect();
        let data = DataFiles::read(program, ctx)?;
        Ok(Arc::new(Self { once, data, hosts }))
    }
}

fn mistake(at: Span, error: EvalError) -> Vec<BindError> {
    vec![BindError {
        at,
        message: *error.message,
    }]
}
