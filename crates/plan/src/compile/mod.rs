//! Model → program.
//!
//! The plan is compiled twice. The first pass only learns: which variables something sets,
//! what the scripts speak of. The second pass knows from it which variables are defined, and
//! which never change, so that their values can be put into the templates.

mod around;
mod at_run_time;
mod block;
mod bounds;
mod choices;
mod code;
mod compiler;
mod element;
mod exchange;
mod facts;
mod flow;
mod hosts;
mod jmeter;
mod jumps;
mod loops;
mod parallel;
mod parse;
mod plan;
mod request;
mod response;
mod scope;
mod shared;
mod shared_keys;
mod text;
mod url;
mod variables;

#[cfg(test)]
mod tests;

use crate::error::Problem;
use crate::model::Plan;
use crate::program::Program;
pub use at_run_time::jmeter_text;
use compiler::Compiler;
pub use compiler::{ColumnsOf, CompileOptions};
pub use hosts::{host_of_address, host_properties};

/// Compiles a plan.
///
/// # Errors
/// All that is wrong with it, in the order of the file; warnings too, but not only warnings
/// (these are in [`Program::warnings`]).
///
/// ```
/// use plimsoll_plan::{CompileOptions, compile, parse_yaml};
///
/// let text = "target: http://127.0.0.1:8080\nusers: 5\nduration: 10s\nsteps:\n  - get: /${page}\n";
/// let (plan, _) = parse_yaml(text, "plan.yaml").unwrap();
/// assert!(compile(&plan, &CompileOptions::default()).is_err(), "nothing sets page");
///
/// let set = vec![("page".to_owned(), "tea".to_owned())];
/// let options = CompileOptions { set, ..CompileOptions::default() };
/// assert_eq!(compile(&plan, &options).unwrap().requests.len(), 1);
/// ```
pub fn compile(plan: &Plan, options: &CompileOptions) -> Result<Program, Vec<Problem>> {
    let mut first = Compiler::new(plan, options, None);
    first.plan();
    let facts = first.into_facts();
    let mut second = Compiler::new(plan, options, Some(facts));
    second.plan();
    second.finish()
}
