//! What was captured of the target, as one looks at it: stacks, locks, classes, statements; and which of it
//! belongs to a finding. All of it is bounded: what is left out is counted.

pub(crate) mod capture;
pub(crate) mod classes;
pub(crate) mod exhibits;
pub(crate) mod facts;
pub(crate) mod flame;
pub(crate) mod flame_of;
pub(crate) mod page;
pub(crate) mod proposed;
pub(crate) mod statements;
pub(crate) mod threads;
