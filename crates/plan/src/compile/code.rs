//! Operations while they are written: jumps go to marks, which become places at the end.

use crate::program::{Op, Pc, Register};

/// A place that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeMark(pub Pc);

/// Registers that are set back together, as where a loop begins; filled while its body is
/// compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resets(usize);

enum CodeItem {
    Op(Op),
    Mark(CodeMark),
    Resets(Resets),
}

/// The operations of a scenario in the making.
#[derive(Default)]
pub(super) struct ScenarioCode {
    items: Vec<CodeItem>,
    /// Operations out of the way: what is done on jumps that leave transactions or locks.
    aside: Vec<CodeItem>,
    marks: Pc,
    resets: Vec<Vec<Register>>,
    registers: u32,
}

impl ScenarioCode {
    pub fn op(&mut self, op: Op) {
        self.items.push(CodeItem::Op(op));
    }

    /// A mark to be placed later.
    pub fn mark(&mut self) -> CodeMark {
        self.marks += 1;
        CodeMark(self.marks - 1)
    }

    /// Places a mark before the next operation.
    pub fn place(&mut self, mark: CodeMark) {
        self.items.push(CodeItem::Mark(mark));
    }

    /// A new mark, placed here.
    pub fn here(&mut self) -> CodeMark {
        let mark = self.mark();
        self.place(mark);
        mark
    }

    pub fn jump(&mut self, to: CodeMark) {
        self.op(Op::Jump(to.0));
    }

    /// Operations put behind the end; `mark` leads to them.
    pub fn aside(&mut self, mark: CodeMark, ops: Vec<Op>) {
        self.aside.push(CodeItem::Mark(mark));
        self.aside.extend(ops.into_iter().map(CodeItem::Op));
    }

    /// A register of its own. More than 65,536 are found by [`ScenarioCode::finish`].
    #[expect(clippy::cast_possible_truncation, reason = "finish checks the number")]
    pub fn register(&mut self) -> Register {
        self.registers += 1;
        Register((self.registers - 1) as u16)
    }

    /// Where a loop begins.
    pub fn resets(&mut self) -> Resets {
        let resets = self.resets_elsewhere();
        self.reset(resets);
        resets
    }

    /// Registers to be set back in places that are not known yet.
    pub fn resets_elsewhere(&mut self) -> Resets {
        self.resets.push(Vec::new());
        Resets(self.resets.len() - 1)
    }

    /// Sets these registers back here.
    pub fn reset(&mut self, resets: Resets) {
        self.items.push(CodeItem::Resets(resets));
    }

    /// Whether any register is among them.
    pub fn has_resets(&self, resets: Resets) -> bool {
        !self.resets[resets.0].is_empty()
    }

    /// Has a register set back where these are.
    pub fn reset_at(&mut self, resets: Resets, register: Register) {
        self.resets[resets.0].push(register);
    }

    /// The operations with their jumps, and how many registers they need; `None` when these
    /// are too many.
    pub fn finish(self) -> Option<(Vec<Op>, u16)> {
        let registers = u16::try_from(self.registers).ok()?;
        let mut places = vec![0; self.marks as usize];
        let mut ops = Vec::new();
        for item in self.items.into_iter().chain(self.aside) {
            match item {
                CodeItem::Op(op) => ops.push(op),
                CodeItem::Mark(mark) => places[mark.0 as usize] = Pc::try_from(ops.len()).ok()?,
                CodeItem::Resets(Resets(which)) => {
                    let set = |register: &Register| Op::SetRegister(*register, 0);
                    ops.extend(self.resets[which].iter().map(set));
                }
            }
        }
        for op in &mut ops {
            for target in op.targets_mut() {
                *target = places[*target as usize];
            }
        }
        Some((ops, registers))
    }
}
