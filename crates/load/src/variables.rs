//! The variables of a user.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use plimsoll_plan::model::Undefined;
use plimsoll_plan::program::{Program, Slot};
use plimsoll_secrets::Known;

/// The names of a program's variables, shared by the users of a thread.
#[derive(Debug, Default)]
pub struct Names {
    by_name: HashMap<Box<str>, Slot>,
    secrets: Vec<Slot>,
    constants: Vec<Slot>,
    count: usize,
    /// `${name}` stays as text while the variable is not set.
    keep_literal: bool,
}

impl Names {
    /// The names of a program.
    #[must_use]
    pub fn of(program: &Program) -> Rc<Self> {
        let mut names = Self {
            count: program.slots.len(),
            keep_literal: program.undefined == Undefined::KeepLiteral,
            ..Self::default()
        };
        for (number, def) in (0..).zip(&program.slots) {
            if !def.internal {
                names.by_name.insert(def.name.as_str().into(), Slot(number));
            }
            if def.secret {
                names.secrets.push(Slot(number));
            }
            if def.constant {
                names.constants.push(Slot(number));
            }
        }
        Rc::new(names)
    }

    /// Whether the plan's compiler put this variable's value into the templates, so that
    /// setting it later changes nothing.
    #[must_use]
    pub fn is_constant(&self, name: &str) -> bool {
        self.slot(name)
            .is_some_and(|slot| self.constants.contains(&slot))
    }

    /// Whether the plan calls this variable, or the list it belongs to (`NAME_1` …), secret.
    #[must_use]
    pub fn is_secret(&self, name: &str) -> bool {
        let secret = |name: &str| {
            self.slot(name)
                .is_some_and(|slot| self.secrets.contains(&slot))
        };
        secret(name)
            || plimsoll_secrets::is_secret(name)
            || name.rsplit_once('_').is_some_and(|(list, _)| secret(list))
    }

    /// Whether `${name}` stays as text while the variable is not set, and is no failure.
    #[must_use]
    pub fn keeps_literal(&self) -> bool {
        self.keep_literal
    }

    /// The slot of a name; names that only arise while the plan runs have none.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.by_name.get(name).copied()
    }
}

/// The values of a user's variables: those the plan names by slot, others by name.
#[derive(Debug, Clone)]
pub struct Variables {
    names: Rc<Names>,
    slots: Box<[Option<Rc<str>>]>,
    /// Made at the first use: `NAME_1` …, and what scripts make up.
    #[expect(clippy::box_collection)] // 8 bytes instead of 48 for each user who has none.
    others: Option<Box<HashMap<Box<str>, Rc<str>>>>,
    /// Names that were set to nothing (Java's null): they have no value, and yet are listed.
    #[expect(clippy::box_collection)] // As above.
    nulls: Option<Box<BTreeSet<Box<str>>>>,
    /// What secret variables were when a text was last masked, and what looks for it.
    known: RefCell<Option<Box<KnownOf>>>,
}

/// Values by names that have no slot.
type ByName = HashMap<Box<str>, Rc<str>>;

/// Values, and what looks for them.
type KnownOf = (Vec<Rc<str>>, Rc<Known>);

impl Variables {
    /// Variables without values.
    #[must_use]
    pub fn new(names: Rc<Names>) -> Self {
        let slots = vec![None; names.count].into_boxed_slice();
        Self {
            names,
            slots,
            others: None,
            nulls: None,
            known: RefCell::default(),
        }
    }

    /// The value of a slot, if it is set.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: Slot) -> Option<&Rc<str>> {
        self.slots.get(slot.0 as usize)?.as_ref()
    }

    /// Sets a slot. A slot the program does not have is left alone.
    #[inline]
    pub fn set(&mut self, slot: Slot, value: impl Into<Rc<str>>) {
        if let Some(place) = self.slots.get_mut(slot.0 as usize) {
            *place = Some(value.into());
        }
    }

    /// Takes a slot's value away.
    pub fn unset(&mut self, slot: Slot) {
        if let Some(place) = self.slots.get_mut(slot.0 as usize) {
            *place = None;
        }
    }

    /// The value of a name, if it is set.
    #[must_use]
    pub fn get_by_name(&self, name: &str) -> Option<&Rc<str>> {
        match self.names.slot(name) {
            Some(slot) => self.get(slot),
            None => self.others.as_ref()?.get(name),
        }
    }

    /// Whether `${name}` stays as text while the variable is not set: the plan is JMeter's.
    #[must_use]
    pub fn keeps_literal(&self) -> bool {
        self.names.keep_literal
    }

    /// The names.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Sets a name, known to the plan or not.
    pub fn set_by_name(&mut self, name: &str, value: impl Into<Rc<str>>) {
        self.forget_null(name);
        if let Some(slot) = self.names.slot(name) {
            self.set(slot, value);
            return;
        }
        let others = self.others.get_or_insert_default();
        match others.get_mut(name) {
            Some(place) => *place = value.into(),
            None => {
                others.insert(name.into(), value.into());
            }
        }
    }

    /// Takes a name's value away; says whether there was one.
    pub fn unset_by_name(&mut self, name: &str) -> bool {
        self.forget_null(name);
        match self.names.slot(name) {
            Some(slot) => {
                let had = self.get(slot).is_some();
                self.unset(slot);
                had
            }
            None => self
                .others
                .as_mut()
                .is_some_and(|others| others.remove(name).is_some()),
        }
    }

    /// Takes a name's value away, and keeps that it was set to nothing.
    pub fn set_null_by_name(&mut self, name: &str) {
        self.unset_by_name(name);
        self.nulls.get_or_insert_default().insert(name.into());
    }

    /// Two copies of the same variables meet here: what `own` has set since `seen` comes to this one,
    /// what this one has else comes to `own`, and all three are the same then.
    pub(crate) fn meet(&mut self, own: &mut Self, seen: &mut Self) {
        let slots = own.slots.iter_mut().zip(&mut seen.slots);
        for ((own, seen), here) in slots.zip(&mut self.slots) {
            if is_same(own.as_ref(), seen.as_ref()) {
                own.clone_from(here);
            } else {
                here.clone_from(own);
            }
            seen.clone_from(own);
        }
        if own.others.is_some() || self.others.is_some() {
            let here = self.others.get_or_insert_default();
            meet_names(
                here,
                own.others.get_or_insert_default(),
                seen.others.get_or_insert_default(),
            );
        }
        if own.nulls != seen.nulls {
            self.nulls.clone_from(&own.nulls);
        }
        own.nulls.clone_from(&self.nulls);
        seen.nulls.clone_from(&self.nulls);
    }

    /// Names that were set to nothing.
    pub fn nulls(&self) -> impl Iterator<Item = &str> {
        self.nulls
            .iter()
            .flat_map(|nulls| nulls.iter())
            .map(|name| &**name)
    }

    fn forget_null(&mut self, name: &str) {
        if let Some(nulls) = &mut self.nulls {
            nulls.remove(name);
        }
    }

    /// Calls `tell` with each variable that has a value, in no order.
    pub fn each(&self, tell: &mut dyn FnMut(&str, &str)) {
        for name in self.names_set() {
            if let Some(value) = self.get_by_name(name) {
                tell(name, value);
            }
        }
    }

    /// The names that have values, in no order.
    pub fn names_set(&self) -> impl Iterator<Item = &str> {
        let slots = self.names.by_name.iter();
        let set = slots
            .filter(|(_, slot)| self.get(**slot).is_some())
            .map(|(name, _)| &**name);
        set.chain(
            self.others
                .iter()
                .flat_map(|others| others.keys().map(|name| &**name)),
        )
    }

    /// The values of secret variables, in all forms that they are written in.
    #[must_use]
    pub fn known(&self) -> Rc<Known> {
        let slots = self.names.secrets.iter();
        let slots = slots.filter_map(|slot| self.get(*slot));
        let others = self.others.iter().flat_map(|others| others.iter());
        let others = others.filter(|(name, _)| self.names.is_secret(name));
        let values: Vec<Rc<str>> = slots
            .chain(others.map(|(_, value)| value))
            .cloned()
            .collect();
        let mut kept = self.known.borrow_mut();
        if let Some(kept) = &*kept
            && kept.0 == values
        {
            return Rc::clone(&kept.1);
        }
        let known = Rc::new(Known::new(&values));
        *kept = Some(Box::new((values, Rc::clone(&known))));
        known
    }

    /// A text for people, without the values of secret variables and without what else is secret.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.known().text(text).into_owned()
    }
}

/// Whether nobody set it in between; the same text set anew is another one.
fn is_same(a: Option<&Rc<str>>, b: Option<&Rc<str>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// The variables that have names alone: see [`Variables::meet`].
fn meet_names(here: &mut ByName, own: &mut ByName, seen: &mut ByName) {
    let set = own
        .iter()
        .filter(|(name, value)| !is_same(Some(*value), seen.get(*name)));
    let set: Vec<(Box<str>, Rc<str>)> = set
        .map(|(name, value)| (name.clone(), Rc::clone(value)))
        .collect();
    let gone: Vec<Box<str>> = seen
        .keys()
        .filter(|name| !own.contains_key(*name))
        .cloned()
        .collect();
    here.extend(set);
    for name in gone {
        here.remove(&name);
    }
    own.clone_from(here);
    seen.clone_from(here);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
pub(crate) mod tests {
    use plimsoll_plan::program::SlotDef;

    use super::*;

    /// A program with these variables; names that begin with `secret` are secret.
    pub fn program(names: &[&str]) -> Program {
        let slot = |name: &&str| SlotDef {
            name: (*name).to_owned(),
            initial: None,
            secret: name.starts_with("secret"),
            ..SlotDef::default()
        };
        Program {
            slots: names.iter().map(slot).collect(),
            ..Program::default()
        }
    }

    #[test]
    fn slots_and_names_are_one_variable() {
        let mut vars = Variables::new(Names::of(&program(&["id", "id_1"])));
        assert_eq!(vars.get(Slot(0)), None);
        vars.set_by_name("id", "7");
        assert_eq!(vars.get(Slot(0)).unwrap().as_ref(), "7");
        vars.set(Slot(1), "first");
        assert_eq!(vars.get_by_name("id_1").unwrap().as_ref(), "first");
        assert!(vars.others.is_none(), "made only when used");
        vars.set_by_name("id_2", "second");
        vars.set_by_name("id_2", "other");
        assert_eq!(vars.get_by_name("id_2").unwrap().as_ref(), "other");
        let mut set = vars.names_set().collect::<Vec<_>>();
        set.sort_unstable();
        assert_eq!(set, ["id", "id_1", "id_2"]);
        assert!(vars.unset_by_name("id_2") && !vars.unset_by_name("id_2"));
        assert!(vars.unset_by_name("id") && !vars.unset_by_name("id"));
        vars.set_by_name("id", "8");
        vars.set_null_by_name("id");
        vars.set_null_by_name("id_3");
        assert_eq!(vars.get(Slot(0)), None);
        assert_eq!(vars.nulls().collect::<Vec<_>>(), ["id", "id_3"]);
        vars.set_by_name("id", "9");
        assert!(!vars.unset_by_name("id_3"));
        assert_eq!(vars.nulls().count(), 0);
        vars.set(Slot(99), "nowhere");
        assert_eq!(vars.get(Slot(99)), None);
    }

    #[test]
    fn secrets_are_blotted_out() {
        let mut vars = Variables::new(Names::of(&program(&["secret_key", "secret_none", "open"])));
        vars.set(Slot(0), "hunter2");
        vars.set(Slot(1), "");
        vars.set(Slot(2), "seen");
        assert_eq!(vars.redact("a hunter2b seen"), "a ***b seen");
        vars.set(Slot(0), "hunter7");
        vars.set(Slot(1), "hunter7 \"2");
        let shown = vars
            .redact(r#"hunter7?a=hunter7+%222&b=hunter7%20%222 {"k":"hunter7 \"2"} hunter7 "2"#);
        assert_eq!(shown, r#"***?a=***&b=*** {"k":"***"} ***"#);
        vars.set(Slot(0), "p@ss +w");
        assert_eq!(vars.redact("/a/p@ss%20+w/b"), "/a/***/b");
    }
}
