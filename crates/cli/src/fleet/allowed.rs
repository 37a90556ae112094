//! What a plan would do on a load host beyond sending requests, and whether the worker allows it.

use plimsoll_jmx::support::Place;
use plimsoll_text::Message;

use super::files;
use crate::args::Allowed;
use crate::source::Loaded;

/// Samplers that start processes.
const PROCESSES: [&str; 1] = ["SystemSampler"];

/// Beginnings of classes that run scripts, or classes of the plan's own.
const SCRIPTS: [&str; 5] = ["JSR223", "BeanShell", "BSF", "JavaSampler", "JUnitSampler"];

/// Functions that run scripts.
const FUNCTIONS: [&str; 4] = ["__groovy", "__BeanShell", "__javaScript", "__jexl"];

/// Checks a plan against what a worker allows.
///
/// # Errors
/// The first thing it would do that is not allowed, and what would allow it.
pub fn check(loaded: &Loaded, allowed: &[Allowed]) -> Result<(), Message> {
    let program = &loaded.program;
    let refuse = |what: String, flag: Allowed| {
        Message::new(format!("fleet-not-allowed-{}", flag.name())).with("what", what)
    };
    let lacks = |flag: Allowed| !allowed.contains(&flag);
    for element in &program.elements {
        let name = element.name.as_text().unwrap_or_default();
        let what = format!("{} “{name}”", element.class);
        if lacks(Allowed::Processes) && PROCESSES.contains(&element.class.as_str()) {
            return Err(refuse(what, Allowed::Processes));
        }
        let script = SCRIPTS.iter().any(|begin| element.class.starts_with(begin));
        if lacks(Allowed::Scripts) && script {
            return Err(refuse(what, Allowed::Scripts));
        }
    }
    if lacks(Allowed::Scripts) {
        // Expressions see variables and nothing else; statements may loop for ever.
        if let Some(script) = program.scripts.iter().find(|script| !script.expression) {
            let first = script.source.trim().lines().next().unwrap_or_default();
            return Err(refuse(first.to_owned(), Allowed::Scripts));
        }
        let rows = loaded.jmeter.iter().flat_map(|plan| &plan.table);
        let mut rows = rows.filter(|row| row.enabled);
        let row = rows.find(|row| {
            row.place == Place::Companion || FUNCTIONS.iter().any(|f| row.class.starts_with(f))
        });
        if let Some(row) = row {
            let what = format!("{} “{}”", row.class, row.name);
            return Err(refuse(what, Allowed::Scripts));
        }
    }
    if lacks(Allowed::Files)
        && let Some(used) = files::uses(program)
            .into_iter()
            .find(|used| !used.is_inside())
    {
        let path = used.path.unwrap_or_else(|| "${…}".to_owned());
        return Err(refuse(used.what, Allowed::Files).with("path", path));
    }
    Ok(())
}
