//! PHP's calls, from `executor_globals` (`Zend/zend_globals.h`, `zend_compile.h`, `zend_types.h` of
//! 8.2, built without threads, 64 bits).
//!
//! Nothing is kept from one look to the next: functions of a request are freed with it, and what
//! lies at their place then is another.

use super::refused::{InterpreterRefused, MAX_CALLS};
use crate::frame::{FrameKind, NamedFrame, tellable};
use crate::memory::{Memory, MemoryWords as _};
use crate::owner::script_library;
use crate::space::CodeSpace;
use crate::table::{CodePlace, CodeTable};

/// `zend_executor_globals.current_execute_data`.
const CURRENT: u64 = 488;
/// Of `zend_execute_data`: `opline`, `func`, `prev_execute_data`.
const CALL_BYTES: usize = 56;
const CALL: [usize; 3] = [0, 24, 48];
/// Of `zend_function`: its type, `function_name`, `scope`; of a user's `filename`; of an internal
/// one `module`.
const FUNCTION_BYTES: usize = 160;
const NAME: usize = 8;
const SCOPE: usize = 16;
const FILE: usize = 152;
const MODULE: usize = 80;
const INTERNAL: u8 = 1;
const USER: u8 = 2;
const EVAL: u8 = 4;
/// `zend_op.lineno`, `zend_class_entry.name`, `zend_module_entry.name`, and of `zend_string`.
const LINE: u64 = 24;
const CLASS_NAME: u64 = 8;
const MODULE_NAME: u64 = 32;
const TEXT_LENGTH: u64 = 16;
const TEXT: u64 = 24;
const MAX_TEXT: u64 = 512;

/// A PHP of one process.
pub struct Php {
    globals: u64,
}

impl Php {
    pub(super) fn find(space: &CodeSpace) -> Option<Result<Self, InterpreterRefused>> {
        let refused = |found: String| Some(Err(InterpreterRefused::Php { found }));
        if let Some((binary, _)) = space.variable("executor_globals_offset") {
            return refused(format!("{} (ZTS)", binary.php().unwrap_or("?")));
        }
        let (binary, globals) = space.variable("executor_globals")?;
        let version = binary.php().unwrap_or("?");
        match version.starts_with("8.2.") {
            true => Some(Ok(Self { globals })),
            false => refused(version.to_owned()),
        }
    }

    pub(super) fn calls(&self, memory: &dyn Memory, table: &mut CodeTable) -> Vec<CodePlace> {
        let mut calls = Vec::new();
        let mut next = memory.pointer(self.globals, CURRENT);
        let mut steps = 0;
        while let Some(call) = next.take() {
            let mut bytes = [0; CALL_BYTES];
            steps += 1;
            if steps > 4 * MAX_CALLS || calls.len() >= MAX_CALLS || !memory.read(call, &mut bytes) {
                break;
            }
            let [opline, function, previous] = CALL.map(|at| word(&bytes, at));
            if function != 0
                && let Some(frame) = frame(memory, function, opline)
            {
                calls.push(table.interpreted(frame));
            }
            next = (previous != 0).then_some(previous);
        }
        calls
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
    word.map_or(0, u64::from_le_bytes)
}

fn frame(memory: &dyn Memory, function: u64, opline: u64) -> Option<NamedFrame> {
    let mut bytes = [0; FUNCTION_BYTES];
    // The last one may be an internal one, which is shorter, at the end of its memory.
    if memory.read_some(function, &mut bytes) < MODULE + 8 {
        return None;
    }
    let class = || {
        let scope = word(&bytes, SCOPE);
        text(memory, memory.pointer(scope, CLASS_NAME)?)
    };
    let name = text(memory, word(&bytes, NAME));
    let full = |name: String| match class() {
        Some(class) => tellable(&format!("{class}::{name}")),
        None => tellable(&name),
    };
    match bytes[0] {
        INTERNAL => {
            let module = memory.pointer(word(&bytes, MODULE), MODULE_NAME);
            let module = module.and_then(|name| short_text(memory, name));
            Some(NamedFrame {
                function: full(name?),
                file: None,
                line: None,
                library: Some(format!(
                    "ext/{}",
                    module.unwrap_or_else(|| "php".to_owned())
                )),
                kind: FrameKind::Interpreted,
            })
        }
        USER | EVAL => {
            let file = text(memory, word(&bytes, FILE))?;
            let script = file.rsplit('/').next().unwrap_or(&file);
            let function = match name {
                Some(name) => full(name),
                None => tellable(&format!("{{main}} {script}")),
            };
            Some(NamedFrame {
                function,
                line: memory
                    .u32(opline.checked_add(LINE)?)
                    .filter(|line| (1..10_000_000).contains(line)),
                library: script_library(&file),
                file: Some(tellable(&file)),
                kind: FrameKind::Interpreted,
            })
        }
        _ => None,
    }
}

/// A `zend_string`, as far as it can be a name or a path.
fn text(memory: &dyn Memory, at: u64) -> Option<String> {
    if at == 0 {
        return None;
    }
    let length = memory.u64(at.checked_add(TEXT_LENGTH)?)?;
    (1..=MAX_TEXT).contains(&length).then_some(())?;
    let bytes = memory.bytes(at.checked_add(TEXT)?, usize::try_from(length).ok()?)?;
    // Classes without a name hold a NUL before their place.
    String::from_utf8(bytes)
        .ok()
        .map(|text| text.split('\0').next().unwrap_or_default().to_owned())
}

/// A text of C.
fn short_text(memory: &dyn Memory, at: u64) -> Option<String> {
    let mut bytes = [0; 64];
    let length = memory.read_some(at, &mut bytes);
    let end = bytes[..length].iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}
