//! Texts of a plan that are compiled before they are used (patterns, paths, selectors): fixed
//! ones once, others whenever their text changes.

use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::OnceLock;

use plimsoll_plan::program::SiteId;

use crate::context::{Context, Fault};
use crate::fields::Field;

/// How a text is compiled; the error is for people.
pub type Compile<T> = fn(&str, &dyn Context) -> Result<T, String>;

/// A property whose text is compiled.
pub struct Compiled<T> {
    field: Field,
    site: SiteId,
    /// Which of the texts of this site it is.
    number: usize,
    compile: Compile<T>,
    fixed: OnceLock<Result<T, String>>,
}

/// What an element keeps of its texts with variables: the last one of each, compiled.
type Kept = Vec<Option<(String, Rc<dyn Any>)>>;

/// A compiled text or what is wrong with it.
pub enum ReadyText<'c, T> {
    /// Of a fixed text.
    Fixed(&'c Result<T, String>),
    /// Of a text with variables.
    Kept(Rc<Result<T, String>>),
}

impl<T> Deref for ReadyText<'_, T> {
    type Target = Result<T, String>;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Fixed(ready) => ready,
            Self::Kept(ready) => ready,
        }
    }
}

impl<T: 'static> Compiled<T> {
    /// A text that is compiled at its first use. Several texts of one site have different
    /// numbers; a site with such texts keeps nothing else.
    #[must_use]
    pub fn new(field: Field, site: SiteId, number: usize, compile: Compile<T>) -> Self {
        Self {
            field,
            site,
            number,
            compile,
            fixed: OnceLock::new(),
        }
    }

    /// The property itself.
    #[must_use]
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// What its text compiles to now.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn ready(&self, cx: &mut dyn Context) -> Result<ReadyText<'_, T>, Fault> {
        if let Some(text) = self.field.fixed() {
            let fixed = self.fixed.get_or_init(|| (self.compile)(text, cx));
            return Ok(ReadyText::Fixed(fixed));
        }
        let text = self.field.text(cx)?;
        Ok(ReadyText::Kept(self.kept(&text, cx)))
    }

    /// What its text compiles to at its first use by this user: JMeter evaluates some texts
    /// only once for each of its threads.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn first(&self, cx: &mut dyn Context) -> Result<ReadyText<'_, T>, Fault> {
        if self.field.fixed().is_none()
            && let Some((_, ready)) = self.slot(cx)
            && let Ok(ready) = Rc::clone(ready).downcast()
        {
            return Ok(ReadyText::Kept(ready));
        }
        self.ready(cx)
    }

    fn kept(&self, text: &str, cx: &mut dyn Context) -> Rc<Result<T, String>> {
        if let Some((last, ready)) = self.slot(cx)
            && last == text
            && let Ok(ready) = Rc::clone(ready).downcast()
        {
            return ready;
        }
        let ready = Rc::new((self.compile)(text, cx));
        *self.slot(cx) = Some((text.to_owned(), ready.clone()));
        ready
    }

    fn slot<'c>(&self, cx: &'c mut dyn Context) -> &'c mut Option<(String, Rc<dyn Any>)> {
        let own = cx.own(self.site);
        if !own.as_ref().is_some_and(|own| own.is::<Kept>()) {
            *own = Some(Box::new(Kept::new()));
        }
        #[expect(clippy::expect_used)] // It was just made.
        let kept = own
            .as_mut()
            .and_then(|own| own.downcast_mut::<Kept>())
            .expect("the site keeps compiled texts");
        if kept.len() <= self.number {
            kept.resize_with(self.number + 1, || None);
        }
        &mut kept[self.number]
    }
}
