//! What lies between the branches of a user that does several things at once.

use std::cell::RefCell;
use std::rc::Rc;

use crate::variables::Variables;

/// What the branches of a user share while they run.
#[derive(Debug, Clone)]
pub(super) struct BranchBoard {
    pub vars: Variables,
    pub registers: Box<[u64]>,
}

/// What makes a user a branch of another.
#[derive(Debug)]
pub(super) struct BranchOf {
    pub board: Rc<RefCell<BranchBoard>>,
    /// What this branch and the board had when they last met.
    pub seen: BranchBoard,
    /// Transactions around the branches; it adds to shadows of them.
    pub outer: usize,
}

impl BranchOf {
    /// What the branch has set comes to the board, what others have set to the branch.
    pub fn meet(&mut self, vars: &mut Variables, registers: &mut [u64]) {
        let mut board = self.board.borrow_mut();
        board.vars.meet(vars, &mut self.seen.vars);
        let registers = registers.iter_mut().zip(&mut self.seen.registers);
        for ((own, seen), there) in registers.zip(&mut board.registers) {
            if own == seen {
                *own = *there;
            } else {
                *there = *own;
            }
            *seen = *own;
        }
    }
}
