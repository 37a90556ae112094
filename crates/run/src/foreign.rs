//! Classes and functions of a JMeter plan that only the companion's jars have: what they are is learnt before the
//! plan is translated.

use plimsoll_access::Access;
use plimsoll_elements::Properties;
use plimsoll_jmeter::{ForeignKind, foreign_kinds};
use plimsoll_jmx::classes::{self, Category};
use plimsoll_jmx::read::Tree;
use plimsoll_jmx::{RunsIn, properties, table};
use plimsoll_plan::functions::learn_function;

/// Learns what the companion's jars have of what nobody else knows. Where it cannot be asked, nothing is learnt: `check`
/// then says that it is not supported.
pub(crate) fn learn(tree: &Tree, properties: &properties::Properties, access: &Access) {
    let unknown = table(tree).into_iter();
    let unknown = unknown.filter(|row| row.enabled && row.place == RunsIn::Unsupported);
    let mut names: Vec<String> = unknown.map(|row| row.class).collect();
    names.sort_unstable();
    names.dedup();
    // A name is a line of what is asked.
    names.retain(|name| !name.contains(char::is_whitespace));
    if names.is_empty() {
        return;
    }
    let properties = Properties::new(properties.clone());
    let kinds = foreign_kinds(&names, &properties, access).unwrap_or_default();
    for (name, kind) in kinds {
        match kind {
            ForeignKind::Function => learn_function(&name),
            // Their children are Plimsoll's to run.
            ForeignKind::ThreadGroup | ForeignKind::Controller => {}
            ForeignKind::Sampler => classes::learn(&name, Category::Sampler),
            ForeignKind::Config => classes::learn(&name, Category::Config),
            ForeignKind::Pass => classes::learn_pass(&name),
            ForeignKind::Pre => classes::learn(&name, Category::Pre),
            ForeignKind::Post => classes::learn(&name, Category::Post),
            ForeignKind::Assertion => classes::learn(&name, Category::Assertion),
            ForeignKind::Timer => classes::learn(&name, Category::Timer),
            ForeignKind::Listener => classes::learn(&name, Category::Listener),
        }
    }
}
