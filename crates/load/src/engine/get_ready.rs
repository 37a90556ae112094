//! Computes and reads what all threads begin with.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_elements::work::CpuPatience;
use plimsoll_plan::limits::PATTERNS_CPU_MS;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::Program;
use plimsoll_text::Message;

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
    let patience = CpuPatience::of(Duration::from_millis(PATTERNS_CPU_MS));
    let mut mistakes = patterns(program, &patience);
    mistakes.extend(files::mistakes(program, access));
    match Ready::new(program, seed, extension, access) {
        Ok(ready) if mistakes.is_empty() => return Ok(ready),
        Ok(_) => {}
        Err(more) => mistakes.extend(more),
    }
    Err(RunError::Bind(mistakes))
}

/// What is wrong with the expressions of the requests. Each may be large, and there may be many: together they have
/// so much time, since whoever reads a plan has not chosen what is in it.
fn patterns(program: &Program, patience: &CpuPatience) -> Vec<BindError> {
    let may_go_on = |at: Span| {
        patience.check().map_err(|_| {
            let message = Message::new("extract-patterns-too-long").with("most", PATTERNS_CPU_MS);
            BindError { at, message }
        })
    };
    let mut mistakes = Vec::new();
    for request in &program.requests {
        mistakes.extend(BoundRequest::within(request, &may_go_on).err());
        if patience.check().is_err() {
            break;
        }
    }
    mistakes
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_plan::{CompileOptions, compile, parse_yaml};

    use super::*;

    #[test]
    fn expressions_without_end_are_no_work_without_end() {
        use std::fmt::Write as _;
        let mut plan =
            "target: http://127.0.0.1:1\nusers: 1\nduration: 1s\nsteps:\n  - get: /\n    save:\n"
                .to_owned();
        for number in 0..2_000 {
            // Each is compiled to megabytes.
            writeln!(plan, "      a{number}: {{ regex: '\\w{{1,200}}{number}' }}").unwrap();
        }
        let (plan, _) = parse_yaml(&plan, "plan").unwrap();
        let program = compile(&plan, &CompileOptions::default()).unwrap();
        let mistakes = patterns(&program, &CpuPatience::of(Duration::from_millis(20)));
        let [mistake] = mistakes.as_slice() else {
            panic!("{mistakes:?}")
        };
        assert_eq!(mistake.message.id, "extract-patterns-too-long");
        assert!((8..2_000).contains(&mistake.at.line), "{mistake:?}");
    }
}
