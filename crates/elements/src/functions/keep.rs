//! What leaves and functions keep between their uses.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::program::SiteId;

use crate::context::{Context, EVERYWHERE};

/// What a site keeps for all users; made at first use. A site that keeps something else
/// already (there is only one for texts outside of a run) keeps nothing.
pub(crate) fn shared<T: Send + Sync + 'static>(
    cx: &dyn Context,
    site: SiteId,
    make: impl Fn() -> T,
) -> Arc<T> {
    let kept = cx.shared(site).get_or_init(|| Box::new(Arc::new(make())));
    match kept.downcast_ref::<Arc<T>>() {
        Some(kept) => Arc::clone(kept),
        None => Arc::new(make()),
    }
}

/// What a site keeps for this user; made at first use.
pub(crate) fn own<T: 'static>(
    cx: &mut dyn Context,
    site: SiteId,
    make: impl FnOnce() -> T,
) -> &mut T {
    let kept = cx.own(site);
    if !kept.as_ref().is_some_and(|kept| kept.is::<T>()) {
        *kept = Some(Box::new(make()));
    }
    #[expect(clippy::expect_used)] // It was just made.
    kept.as_mut()
        .and_then(|kept| kept.downcast_mut::<T>())
        .expect("the site keeps it")
}

/// One thing of each type.
type Things = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// What is kept for the whole run, whatever the site; one thing of each type.
pub(crate) fn for_run<T: Default + Send + Sync + 'static>(cx: &dyn Context) -> Arc<T> {
    let things = shared(cx, EVERYWHERE, Mutex::<Things>::default);
    let mut things = things.lock().unwrap_or_else(PoisonError::into_inner);
    let thing = things
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Arc::new(T::default()));
    Arc::clone(thing).downcast().unwrap_or_default()
}

/// What is kept for this user, whatever the site; one thing of each type.
pub(crate) fn for_user<T: Default + 'static>(cx: &mut dyn Context) -> &mut T {
    let things = own(cx, EVERYWHERE, HashMap::<TypeId, Box<dyn Any>>::default);
    let thing = things
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Box::new(T::default()));
    #[expect(clippy::expect_used)] // Its type is its key.
    thing.downcast_mut().expect("things are kept by their type")
}

/// Something made from a text, kept as long as the text stays the same.
struct MadeFromText<T> {
    text: String,
    value: Arc<T>,
}

/// Makes something from a text, or gives what was made from it before. `fixed`: the text is
/// the same at each use, for all users.
pub(crate) fn made<T: Send + Sync + 'static>(
    cx: &mut dyn Context,
    site: SiteId,
    fixed: bool,
    text: &str,
    make: impl Fn(&str) -> T,
) -> Arc<T> {
    if fixed {
        return shared(cx, site, || make(text));
    }
    let kept = own::<Option<MadeFromText<T>>>(cx, site, || None);
    if let Some(kept) = kept
        && kept.text == text
    {
        return Arc::clone(&kept.value);
    }
    let value = Arc::new(make(text));
    *kept = Some(MadeFromText {
        text: text.to_owned(),
        value: Arc::clone(&value),
    });
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::TestContext;

    #[test]
    fn things_are_made_once_as_long_as_their_text_stays() {
        let mut cx = TestContext::with(&[]);
        let made_of = |cx: &mut TestContext, fixed, text: &str| {
            made(cx, SiteId(u32::from(fixed)), fixed, text, str::to_owned)
        };
        let first = made_of(&mut cx, false, "a");
        assert!(Arc::ptr_eq(&first, &made_of(&mut cx, false, "a")));
        assert_eq!(*made_of(&mut cx, false, "b"), "b");
        let first = made_of(&mut cx, true, "a");
        assert!(Arc::ptr_eq(&first, &made_of(&mut cx, true, "a")));
    }

    #[test]
    fn the_run_keeps_one_thing_of_each_type() {
        let mut cx = TestContext::with(&[]);
        let number = for_run::<Mutex<u8>>(&cx);
        assert!(Arc::ptr_eq(&number, &for_run::<Mutex<u8>>(&cx)));
        assert_eq!(*for_run::<String>(&cx), "");
        *for_user::<u8>(&mut cx) = 7;
        for_user::<String>(&mut cx).push('x');
        assert_eq!(
            (*for_user::<u8>(&mut cx), &**for_user::<String>(&mut cx)),
            (7, "x")
        );
    }

    #[test]
    fn a_site_that_keeps_something_else_does_no_harm() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(*shared(&cx, SiteId(3), || 1_u8), 1);
        assert_eq!(*shared(&cx, SiteId(3), || "x"), "x");
        assert_eq!(*own(&mut cx, SiteId(3), || 1_u8), 1);
        assert_eq!(*own(&mut cx, SiteId(3), || "x"), "x");
    }
}
