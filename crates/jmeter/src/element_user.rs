//! A user at work on JMeter's elements.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use super::context::ElementContext;
use super::thread::ElementThread;
use super::user::JMeterUser;
use plimsoll_load::kit::user::User;

/// A user of the engine, with what JMeter's elements keep for it.
pub struct ElementUser<'u> {
    /// What the users of its thread share.
    pub thread: Rc<ElementThread>,
    user: &'u mut User,
}

impl<'u> ElementUser<'u> {
    /// A user at work.
    pub fn new(thread: Rc<ElementThread>, user: &'u mut User) -> Self {
        Self { thread, user }
    }

    /// The same user, for as long as something borrows it.
    pub(crate) fn borrowed(&mut self) -> ElementUser<'_> {
        ElementUser::new(Rc::clone(&self.thread), self.user)
    }

    /// What JMeter's elements keep for this user; made at the first use.
    pub(crate) fn jm(&mut self) -> &mut JMeterUser {
        if self.known().is_none() {
            self.user.kept = Some(Box::<JMeterUser>::default());
        }
        let Some(kept) = self.user.kept.as_deref_mut() else {
            unreachable!("it was just made")
        };
        let kept: &mut dyn Any = kept;
        match kept.downcast_mut() {
            Some(kept) => kept,
            None => unreachable!("it was looked at"),
        }
    }

    /// What JMeter's elements keep for this user.
    pub(crate) fn known(&self) -> Option<&JMeterUser> {
        let kept: &dyn Any = self.user.kept.as_deref()?;
        kept.downcast_ref()
    }

    /// Runs something that looks at the user as leaves do.
    pub(crate) fn evaluate<T>(&mut self, run: impl FnOnce(&mut ElementContext<'_, '_>) -> T) -> T {
        let jmeter = &self.thread.jmeter;
        self.user
            .evaluate(|ctx| run(&mut ElementContext::new(ctx, jmeter)))
    }
}

impl Deref for ElementUser<'_> {
    type Target = User;

    fn deref(&self) -> &User {
        self.user
    }
}

impl DerefMut for ElementUser<'_> {
    fn deref_mut(&mut self) -> &mut User {
        self.user
    }
}
