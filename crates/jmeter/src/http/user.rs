//! What HTTP samplers keep for a user.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::Evaluated;
use plimsoll_plan::program::{ElementProgram, SiteId};

use super::managers::KeptBySite;
use super::modifiers::Modifier;
use super::{cache, cookies, keystore, shown};
use plimsoll_load::kit::http::IdleConnections;

/// What HTTP samplers keep for a user: cookies, cached responses, connections, credentials.
#[derive(Default)]
pub struct HttpUser {
    pub(super) connections: IdleConnections,
    /// Those of all branches of a user are the same.
    pub(super) jars: Rc<RefCell<KeptBySite<cookies::Jar>>>,
    pub(super) caches: KeptBySite<cache::Cache>,
    /// Numbers of sessions that were found.
    pub(super) saved: KeptBySite<String>,
    /// How it shows who it is, where servers ask for a certificate.
    pub(super) identity: Option<Arc<keystore::Identity>>,
    /// Managers as scripts left them, by their sites.
    pub(super) left: Vec<(SiteId, ElementProgram)>,
    /// What pre-processors want changed of the next sampler.
    pub(crate) pending: Vec<Arc<Modifier>>,
}

impl HttpUser {
    /// Keeps a manager as a script left it.
    pub fn leave(&mut self, site: SiteId, manager: ElementProgram) {
        match self.left.iter_mut().find(|(known, _)| *known == site) {
            Some((_, left)) => *left = manager,
            None => self.left.push((site, manager)),
        }
    }

    /// All managers as scripts left them, by their sites.
    #[must_use]
    pub fn all_left(&self) -> &[(SiteId, ElementProgram)] {
        &self.left
    }

    /// A manager as a script left it.
    #[must_use]
    pub fn left(&self, site: SiteId) -> Option<&ElementProgram> {
        let found = self.left.iter().find(|(known, _)| *known == site);
        found.map(|(_, manager)| manager)
    }

    /// Puts the user's cookies into a cookie manager that scripts are shown.
    pub fn show_cookies(&mut self, site: SiteId, manager: &mut Evaluated) {
        if shown::is_manager(manager) {
            self.jars.borrow_mut().of(site).show(manager);
        }
    }

    /// Takes over what a script changed of the cookies; `before` is what it was shown.
    pub fn take_cookies(&mut self, before: &[(SiteId, Evaluated)], sampler: &Evaluated) {
        // Of several managers the farthest counts.
        let manager = before.iter().rev().find(|(_, it)| shown::is_manager(it));
        if let Some((site, manager)) = manager
            && let Some(left) = shown::changed(manager, sampler)
        {
            self.jars.borrow_mut().of(*site).take(manager, left);
        }
    }

    /// A branch of a user begins: cookies are its user's; connections it makes anew each time, since to
    /// JMeter it is a thread that begins and ends.
    pub(crate) fn begin_branch(&mut self, of: &Self) {
        self.jars = Rc::clone(&of.jars);
        self.left.clone_from(&of.left);
        self.identity.clone_from(&of.identity);
        self.connections.clear();
    }

    /// An iteration of the user's thread group begins; `same_user`: as JMeter's "same user on
    /// each iteration".
    pub fn iteration_begins(&mut self, same_user: bool, resets: bool) {
        if !same_user && resets {
            self.connections.clear();
            // Its TLS sessions with it.
            self.identity = None;
        }
        self.jars.borrow_mut().forget(|jar| jar.ends(same_user));
        self.caches.forget(|cache| cache.ends(same_user));
    }
}
