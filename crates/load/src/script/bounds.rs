//! What bounds scripts: their memory, their stack, and the time of the one that runs.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::context::EvalOptions;
use rquickjs::{Context, Runtime};

/// Longest time of one script, unless told otherwise.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(1);

/// Most memory of all scripts of a thread, bytes.
const MEMORY_LIMIT_BYTES: usize = 128 << 20;
/// Deepest native stack of a script, bytes: well below what a load thread has.
const STACK_LIMIT_BYTES: usize = 512 << 10;

/// When the script that runs has had its time.
pub(super) type Deadline = Rc<Cell<Option<Instant>>>;

/// A context that holds a bounded runtime of its own; a script in it ends at the deadline.
pub(super) fn context() -> rquickjs::Result<(Context, Deadline)> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(MEMORY_LIMIT_BYTES);
    runtime.set_max_stack_size(STACK_LIMIT_BYTES);
    let deadline = Deadline::default();
    let watched = Rc::clone(&deadline);
    let is_late = move || {
        watched
            .get()
            .is_some_and(|deadline| Instant::now() >= deadline)
    };
    runtime.set_interrupt_handler(Some(Box::new(is_late)));
    Ok((Context::full(&runtime)?, deadline))
}

/// How the text of a script is read.
pub(super) fn options(strict: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = strict;
    options.filename = Some("script".to_owned());
    options
}
