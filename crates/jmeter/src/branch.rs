//! What a branch of a user keeps of JMeter's: branches are threads of their own to JMeter's elements, and
//! cookies and transactions are those of the thread that they belong to (the plugin `jmeter-parallel` 0.12,
//! `ParallelSampler`).

use std::rc::Rc;

use crate::element_user::ElementUser;
use crate::thread::ElementThread;
use plimsoll_load::kit::user::User;

/// A branch of a user begins, the so many-th from 0.
pub(crate) fn begin_branch(
    thread: Rc<ElementThread>,
    user: &mut User,
    branch: &mut User,
    number: usize,
) {
    let mut user = ElementUser::new(Rc::clone(&thread), user);
    let mut branch = ElementUser::new(thread, branch);
    let from = user.jm();
    let own = branch.jm();
    let same_name = own.info.name.clone();
    own.info = from.info.clone();
    own.info.name = match same_name.is_empty() {
        true => format!("{}-{}", from.info.name, number + 1).into(),
        false => same_name,
    };
    own.group = from.group.clone();
    own.scenario = from.scenario;
    own.index_name.clone_from(&from.index_name);
    own.transactions = from.transactions.iter().map(|open| open.shadow()).collect();
    own.previous.clone_from(&from.previous);
    own.last_listeners.clone_from(&from.last_listeners);
    own.http.begin_branch(&from.http);
    own.samplers.websocket = None;
}

/// A branch of a user has ended.
pub(crate) fn end_branch(thread: Rc<ElementThread>, user: &mut User, branch: &mut User) {
    let mut user = ElementUser::new(Rc::clone(&thread), user);
    let mut branch = ElementUser::new(thread, branch);
    let shadows = std::mem::take(&mut branch.jm().transactions);
    let to = user.jm();
    for (open, shadow) in to.transactions.iter_mut().zip(shadows) {
        open.absorb(shadow);
    }
    if let Some(listeners) = branch.jm().last_listeners.take() {
        to.last_listeners = Some(listeners);
    }
}
