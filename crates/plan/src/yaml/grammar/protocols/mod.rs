//! The steps of protocols beside plain HTTP: a file for each protocol, and its name in this list.

use super::exchange::ProtocolStepKeys;
use super::kinds::Case;

macro_rules! protocols {
    ($($name:ident),*) => {
        $(mod $name;)*

        /// What the steps of each protocol are told apart by.
        pub(super) const CASES: &[Case] = &one_list::<{ 0 $(+ $name::CASES.len())* }>(&[$($name::CASES),*]);

        const STEPS: &[&[ProtocolStepKeys]] = &[$($name::STEPS),*];
    };
}
protocols!(websocket, sse);

const fn one_list<const COUNT: usize>(lists: &[&[Case]]) -> [Case; COUNT] {
    let mut all = [lists[0][0]; COUNT];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut case = 0;
        while case < lists[list].len() {
            all[at] = lists[list][case];
            (at, case) = (at + 1, case + 1);
        }
        list += 1;
    }
    all
}

/// A step by its name.
pub(super) fn step(id: &str) -> Option<&'static ProtocolStepKeys> {
    steps().find(|step| step.id == id)
}

/// The steps of all protocols.
pub(super) fn steps() -> impl Iterator<Item = &'static ProtocolStepKeys> {
    STEPS.iter().copied().flatten()
}
