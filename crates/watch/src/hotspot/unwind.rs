//! Which calls a stack holds.
//!
//! A compiled method has frames of one size, so its caller is found by that (`frame::sender`,
//! `frame_x86.inline.hpp`); interpreted ones are linked by the frame pointer. What is neither (the
//! JVM's own code, libraries, the kernel) does not say how large its frames are: the next address
//! on the stack that is a place in a method, and whose caller is known code, goes on.

use std::sync::Arc;

use super::code::{CodeCache, CodeKind, CodePiece};

/// Calls that are told of one stack: the innermost.
const MAX_CALLS: usize = 256;
/// Steps through one stack, those without a Java method too.
const MAX_STEPS: usize = 2048;

/// A frame: where its code is, and where its part of the stack ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnwoundFrame {
    /// The place in its code.
    pub(crate) pc: u64,
    /// The stack pointer there.
    pub(crate) sp: u64,
    /// The frame pointer there, which compiled methods use for other things; 0: not known.
    pub(crate) fp: u64,
}

/// The innermost part of a thread's stack.
pub(crate) struct Stack<'a> {
    /// The address of its first byte.
    pub(crate) begin: u64,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
}

impl Stack<'_> {
    /// The word at an address.
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.begin)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }

    /// The frame whose return address, and the frame pointer before it, are at these addresses.
    fn frame(&self, pc_at: u64, fp_at: Option<u64>, sp: u64) -> Option<UnwoundFrame> {
        Some(UnwoundFrame {
            pc: self.word(pc_at)?,
            sp,
            fp: fp_at.and_then(|at| self.word(at)).unwrap_or(0),
        })
    }
}

/// The Java methods on a stack, innermost first.
pub(super) fn calls(
    code: &mut CodeCache,
    innermost: UnwoundFrame,
    stack: &Stack<'_>,
) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    let mut frame = innermost;
    for step in 0..MAX_STEPS {
        let here = code.at(frame.pc);
        if let Some(method) = here
            .as_deref()
            .and_then(|here| method(code, here, frame, stack))
        {
            found.push(method);
        }
        let known = here.and_then(|here| sender(code, &here, frame, stack, step == 0));
        // A stack only grows to lower addresses.
        let known = known.filter(|sender| sender.sp > frame.sp);
        match known.or_else(|| next_method(code, frame.sp, stack)) {
            Some(sender) if found.len() < MAX_CALLS => frame = sender,
            _ => break,
        }
    }
    found
}

/// Words of an interpreted frame, from its frame pointer (`frame_x86.hpp`), bytes.
mod interpreted {
    pub(super) const METHOD: u64 = 24;
    pub(super) const SENDER_SP: u64 = 8;
}

/// The Java method that a frame is of.
fn method(
    code: &mut CodeCache,
    here: &CodePiece,
    frame: UnwoundFrame,
    stack: &Stack<'_>,
) -> Option<Arc<str>> {
    match &here.kind {
        CodeKind::Method(name) => Some(Arc::clone(name)),
        CodeKind::Interpreter => {
            let method = stack.word(frame.fp.checked_sub(interpreted::METHOD)?)?;
            code.method(method)
        }
        CodeKind::Stub => None,
    }
}

/// The frame that called one; none where its own size is not known.
fn sender(
    code: &mut CodeCache,
    here: &CodePiece,
    frame: UnwoundFrame,
    stack: &Stack<'_>,
    innermost: bool,
) -> Option<UnwoundFrame> {
    if here.kind == CodeKind::Interpreter {
        let sp = stack.word(frame.fp.checked_sub(interpreted::SENDER_SP)?)?;
        let sender = stack.frame(frame.fp.checked_add(8)?, Some(frame.fp), sp)?;
        return code.at(sender.pc).map(|_| sender);
    }
    let mut is_code = |frame: &UnwoundFrame| code.at(frame.pc).is_some();
    let is_set_up = !innermost || frame.pc >= here.complete_at;
    if is_set_up && here.frame_bytes >= 16 {
        let sp = frame.sp.checked_add(here.frame_bytes)?;
        let sender = stack.frame(sp - 8, Some(sp - 16), sp);
        if let Some(sender) = sender.filter(&mut is_code) {
            return Some(sender);
        }
    }
    if !innermost {
        return None;
    }
    // At the beginning or the end of its code: before or after the frame pointer was saved.
    let (next, after) = (frame.sp.checked_add(8)?, frame.sp.checked_add(16)?);
    let unsaved = stack.frame(frame.sp, None, next);
    let unsaved = unsaved.map(|sender| UnwoundFrame {
        fp: frame.fp,
        ..sender
    });
    let saved = stack.frame(next, Some(frame.sp), after);
    unsaved
        .filter(&mut is_code)
        .or_else(|| saved.filter(is_code))
}

/// The next frame of a compiled method, from code whose frames have unknown sizes.
fn next_method(code: &mut CodeCache, from: u64, stack: &Stack<'_>) -> Option<UnwoundFrame> {
    let mut at = from;
    loop {
        let pc = stack.word(at)?;
        at = at.checked_add(8)?;
        let frame = UnwoundFrame { pc, sp: at, fp: 0 };
        let Some(here) = code.at(pc) else { continue };
        let is_method = matches!(here.kind, CodeKind::Method(_)) && pc > here.complete_at;
        if is_method && sender(code, &here, frame, stack, false).is_some() {
            return Some(frame);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_outside_the_part_that_is_known_are_none() {
        let bytes: Vec<u8> = [7_u64, 8]
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        let stack = Stack {
            begin: 0x1000,
            bytes: &bytes,
        };
        assert_eq!((stack.word(0x1000), stack.word(0x1008)), (Some(7), Some(8)));
        assert_eq!((stack.word(0xfff), stack.word(0x1009)), (None, None));
        assert_eq!(stack.word(u64::MAX), None);
        let frame = stack.frame(0x1008, Some(0x1000), 0x1010).unwrap();
        assert_eq!((frame.pc, frame.fp), (8, 7));
    }

    proptest! {
        #[test]
        fn any_address_may_be_asked_for(begin: u64, address: u64, bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let stack = Stack { begin, bytes: &bytes };
            let word = stack.word(address);
            let end = address.checked_sub(begin).and_then(|at| at.checked_add(8));
            prop_assert_eq!(word.is_some(), end.is_some_and(|end| end <= bytes.len() as u64));
        }
    }
}
