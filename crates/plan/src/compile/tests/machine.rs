//! Executes operations as the engine must, and writes down what happens.

use std::collections::HashMap;

use crate::functions::Function;
use crate::model::{Action, Comparison, Plan, Undefined};
use crate::program::{
    Call, ChooseBy, Condition, Items, Label, Op, Part, PauseTemplate, Program, Register, SharedId,
    Slot, Template,
};

use super::plans::compiled;

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Ok,
    /// The request itself failed.
    Failed,
    /// Only a check failed.
    CheckFailed,
}

/// One user of a program's first scenario.
pub(super) struct Machine<'p> {
    program: &'p Program,
    pub user: u64,
    slots: Vec<Option<String>>,
    others: HashMap<String, String>,
    registers: Vec<u64>,
    pub shared: HashMap<SharedId, u64>,
    pub outcomes: HashMap<String, Outcome>,
    ok: bool,
    ok_before_checks: bool,
    /// Seconds; each request takes one.
    clock: u64,
    random: u64,
    pub stopped: bool,
    transactions: Vec<String>,
    locks: Vec<SharedId>,
    names_of_locks: Vec<String>,
    log: Vec<String>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut machine = Self {
            program,
            user: 0,
            slots: vec![None; program.slots.len()],
            others: HashMap::new(),
            registers: vec![0; usize::from(program.scenarios[0].registers)],
            shared: HashMap::new(),
            outcomes: HashMap::new(),
            ok: true,
            ok_before_checks: true,
            clock: 1,
            random: 1,
            stopped: false,
            transactions: Vec::new(),
            locks: Vec::new(),
            names_of_locks: Vec::new(),
            log: Vec::new(),
        };
        for (index, def) in program.slots.iter().enumerate() {
            machine.slots[index] = def.initial.as_ref().map(|initial| machine.text(initial));
        }
        machine
    }

    pub fn put(&mut self, name: &str, value: &str) {
        match self.program.slots.iter().position(|slot| slot.name == name) {
            Some(index) => self.slots[index] = Some(value.to_owned()),
            None => drop(self.others.insert(name.to_owned(), value.to_owned())),
        }
    }

    fn by_name(&self, name: &str) -> Option<&String> {
        match self.program.slots.iter().position(|slot| slot.name == name) {
            Some(index) => self.slots[index].as_ref(),
            None => self.others.get(name),
        }
    }

    /// What happens in so many iterations, separated by `|`.
    pub fn run(&mut self, iterations: usize) -> String {
        let mut all = Vec::new();
        for _ in 0..iterations {
            if self.stopped {
                break;
            }
            self.iteration();
            if self.stopped && self.lenient() {
                // JMeter's user leaves nothing.
                self.transactions.clear();
            }
            assert!(
                self.transactions.is_empty(),
                "left open: {:?}",
                self.transactions
            );
            assert!(self.locks.is_empty(), "not given back: {:?}", self.locks);
            all.push(std::mem::take(&mut self.log).join(" "));
        }
        all.join(" | ")
    }

    fn iteration(&mut self) {
        let program = self.program;
        let ops = &program.scenarios[0].ops;
        let mut pc = 0;
        for _ in 0..10_000 {
            let op = &ops[pc as usize];
            if matches!(op, Op::End) || self.stopped {
                return;
            }
            pc = self.execute(op, pc).unwrap_or(pc + 1);
        }
        panic!("does not end:\n{program}");
    }

    /// Where it jumps, if it does.
    fn end_transactions(&mut self, number: u32) {
        for _ in 0..number {
            let label = self.transactions.pop().expect("a transaction is open");
            self.log.push(format!("{label}>"));
        }
    }

    fn execute(&mut self, op: &Op, pc: u32) -> Option<u32> {
        match op {
            Op::SetLastOk => self.ok = true,
            Op::Jump(to) => return Some(*to),
            Op::JumpUnless { condition, to } => return (!self.holds(condition)).then_some(*to),
            Op::SetRegister(register, value) => *self.register(*register) = *value,
            Op::Repeat {
                passes,
                times,
                index,
                exit,
            } => {
                let done = *self.register(*passes);
                if times
                    .as_ref()
                    .is_some_and(|times| done >= self.number(times))
                {
                    return Some(*exit);
                }
                self.set_index(*index, done);
                *self.register(*passes) += 1;
            }
            Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit,
            } => {
                let done = *self.register(*passes);
                // JMeter's numbers begin with the start index.
                let first = match items {
                    Items::Matches { after, .. } if self.lenient() => self.number(after),
                    _ => 0,
                };
                let Some(item) = self.item(items, done) else {
                    return Some(*exit);
                };
                self.set(*variable, item);
                self.set_index(*index, first + done);
                *self.register(*passes) += 1;
            }
            Op::Runtime {
                since,
                seconds,
                exit,
            } => {
                let now = self.clock;
                let since = self.register(*since);
                if *since == 0 {
                    *since = now;
                }
                let elapsed = now - *since;
                return (elapsed >= self.number(seconds)).then_some(*exit);
            }
            Op::Choose { by, branches, exit } => {
                let n = branches.len() as u64;
                let chosen = match by {
                    ChooseBy::Random => Some(self.random() % n),
                    ChooseBy::MixOfUsers => Some(self.user % n),
                    ChooseBy::MixOfIterations(shared) => Some(self.pass(Some(*shared), None) % n),
                    ChooseBy::InTurn {
                        passes,
                        shared,
                        from_user,
                    } => {
                        let first = if *from_user { self.user } else { 0 };
                        Some((self.pass(*shared, Some(*passes)) + first) % n)
                    }
                    ChooseBy::ByWeight { passes, order } => {
                        let turn = self.pass(None, Some(*passes)) % order.len() as u64;
                        Some(u64::from(order[turn as usize]))
                    }
                    ChooseBy::Switch(value) => self.switch(&self.text(value), branches),
                };
                return Some(chosen.map_or(*exit, |index| branches[index as usize].2));
            }
            Op::RandomOrder {
                done,
                branches,
                exit,
            } => {
                let bits = *self.register(*done);
                let left: Vec<usize> = (0..branches.len())
                    .filter(|i| bits & (1 << i) == 0)
                    .collect();
                if left.is_empty() {
                    return Some(*exit);
                }
                let chosen = left[self.random() as usize % left.len()];
                *self.register(*done) |= 1 << chosen;
                return Some(branches[chosen]);
            }
            _ => return self.execute_more(op, pc),
        }
        None
    }

    fn execute_more(&mut self, op: &Op, pc: u32) -> Option<u32> {
        match op {
            Op::OnceOnly { done, to } => {
                if std::mem::replace(self.register(*done), 1) == 1 {
                    return Some(*to);
                }
            }
            Op::Percent {
                percent,
                passes,
                shared,
                to,
            } => {
                let pass = self.pass(*shared, Some(*passes));
                let share = self.number(percent);
                let runs = |passes: u64| (2 * passes * share + 99) / 200;
                return (runs(pass + 1) == runs(pass)).then_some(*to);
            }
            Op::FirstTimes {
                times,
                passes,
                shared,
                to,
            } => {
                let pass = self.pass(*shared, Some(*passes));
                return (pass >= self.number(times)).then_some(*to);
            }
            Op::Resume { at } => {
                let at = *self.register(*at);
                return (at != 0).then_some(at as u32);
            }
            Op::Yield { at, to } => {
                *self.register(*at) = u64::from(pc) + 1;
                return Some(*to);
            }
            Op::Request(id) => {
                let request = &self.program.requests[id.0 as usize];
                let label = self.label(&request.label);
                let outcome = self.outcomes.get(&label).copied().unwrap_or(Outcome::Ok);
                self.ok_before_checks = outcome != Outcome::Failed;
                self.ok = outcome == Outcome::Ok;
                self.clock += 1;
                self.log.push(label);
            }
            Op::TransactionStart { label, .. } => {
                let label = self.label(label);
                self.log.push(format!("<{label}"));
                self.transactions.push(label);
            }
            Op::ChildEnds => {}
            Op::TransactionSoFar => {
                let label = self.transactions.first().expect("a transaction is open");
                self.log.push(format!("{label}…"));
            }
            Op::TransactionEnd => self.end_transactions(1),
            Op::TransactionsLeft(number) => self.end_transactions(*number),
            Op::Lock(id) => self.locks.push(*id),
            Op::LockNamed { name, .. } => {
                let name = self.text(name);
                self.log.push(format!("[{name}"));
                self.names_of_locks.push(name);
            }
            Op::UnlockNamed(_) => {
                let name = self.names_of_locks.pop().expect("a lock is held");
                self.log.push(format!("{name}]"));
            }
            Op::Unlock(id) => assert_eq!(self.locks.pop(), Some(*id)),
            Op::Think(PauseTemplate { time, template_ms }) => {
                let text = template_ms.as_ref().map(|template| self.text(template));
                self.log
                    .push(text.map_or_else(|| format!("~{time:?}"), |ms| format!("~{ms}")));
            }
            Op::Rendezvous(id) => self.log.push(format!("rendezvous{}", id.0)),
            Op::PaceThroughput { per_minute, .. } => {
                let text = format!("pace{}", self.text(per_minute));
                self.log.push(text);
            }
            Op::Count {
                shared,
                own,
                start,
                step,
                variable,
                ..
            } => {
                let pass = self.pass(*shared, Some(*own));
                self.set(
                    *variable,
                    (start + step * i64::try_from(pass).unwrap()).to_string(),
                );
            }
            Op::NextRow { rows, columns, .. } => {
                let row = self.pass(Some(*rows), None);
                for (name, slot) in columns {
                    self.set(*slot, format!("{name}{row}"));
                }
            }
            Op::Set { variable, value } => {
                let value = self.text(value);
                self.set(*variable, value);
            }
            Op::Script(id) => self.log.push(format!("script{}", id.0)),
            Op::Action(action) => {
                assert!(!matches!(
                    action,
                    Action::Continue | Action::Break | Action::NextIteration
                ));
                self.log.push(format!("!{action:?}"));
                self.stopped = true;
                if *action == Action::StopRunNow {
                    self.transactions.clear();
                    self.locks.clear();
                }
            }
            other => panic!("{other:?}"),
        }
        None
    }

    fn register(&mut self, register: Register) -> &mut u64 {
        &mut self.registers[usize::from(register.0)]
    }

    /// The number of this pass, of all who share or of this user, from 0.
    fn pass(&mut self, shared: Option<SharedId>, own: Option<Register>) -> u64 {
        let counter = match shared {
            Some(id) => self.shared.entry(id).or_default(),
            None => self.register(own.expect("a register")),
        };
        *counter += 1;
        *counter - 1
    }

    fn random(&mut self) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.random >> 33
    }

    fn switch(&self, value: &str, branches: &[(u32, Option<Template>, u32)]) -> Option<u64> {
        let valued = |wanted: &str| {
            let is = |b: &(u32, Option<Template>, u32)| {
                b.1.as_ref().is_some_and(|t| self.text(t) == wanted)
            };
            branches.iter().position(is).map(|index| index as u64)
        };
        let position = value
            .parse::<u64>()
            .ok()
            .filter(|n| *n < branches.len() as u64);
        valued(value).or(position).or_else(|| valued("default"))
    }

    fn set(&mut self, slot: Slot, value: impl Into<String>) {
        self.slots[slot.0 as usize] = Some(value.into());
    }

    fn set_index(&mut self, index: Option<Slot>, value: u64) {
        if let Some(slot) = index {
            self.set(slot, value.to_string());
        }
    }

    fn lenient(&self) -> bool {
        self.program.undefined == Undefined::KeepLiteral
    }

    fn item(&self, items: &Items, done: u64) -> Option<String> {
        match items {
            Items::List(list) => list.get(done as usize).map(|template| self.text(template)),
            Items::Matches {
                prefix,
                after,
                until,
            } => {
                let number = self.number(after) + done + 1;
                let until = until.as_ref().map(|until| self.number(until));
                if until.is_some_and(|until| number > until) {
                    return None;
                }
                let prefix = self.text(prefix);
                self.by_name(&format!("{prefix}{number}")).cloned()
            }
            Items::Json(template) => {
                let array: Vec<serde_json::Value> =
                    serde_json::from_str(&self.text(template)).expect("an array");
                array.get(done as usize).map(ToString::to_string)
            }
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Script(_) => panic!("no scripts here"),
            Condition::IsTrue(template) => self.text(template).eq_ignore_ascii_case("true"),
            Condition::Compare { left, op, right } => {
                let (left, right) = (self.text(left), self.text(right));
                match op {
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                    Comparison::Less => left.parse::<i64>().unwrap() < right.parse().unwrap(),
                    other => panic!("{other:?}"),
                }
            }
            Condition::Defined(slot) => self.slots[slot.0 as usize].is_some(),
            Condition::LastOk => self.ok,
            Condition::LastOkBeforeChecks => self.ok_before_checks,
            Condition::IsFalse(text) => self.text(text).trim().eq_ignore_ascii_case("false"),
            Condition::Asked(_) => panic!("no elements here"),
            Condition::Not(inner) => !self.holds(inner),
        }
    }

    fn label(&self, label: &Label) -> String {
        match label {
            Label::Fixed(id) => self.program.labels[id.index()].name.clone(),
            Label::Made(template) => self.text(template),
        }
    }

    fn number(&self, template: &Template) -> u64 {
        self.text(template).parse().expect("a number")
    }

    pub fn text(&self, template: &Template) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.to_string(),
            Part::Slot { slot, literal } => self.slots[slot.0 as usize]
                .clone()
                .unwrap_or_else(|| literal.to_string()),
            Part::Call(call) => self.call(call),
            Part::Script(id) => format!("<script {}>", id.0),
        };
        template.parts.iter().map(part).collect()
    }

    fn call(&self, call: &Call) -> String {
        match call.function {
            Function::Upper => self.text(&call.args[0]).to_uppercase(),
            other => format!("<{other:?}>"),
        }
    }
}

/// What one user does in so many iterations of a plan.
pub(super) fn trace(plan: &Plan, iterations: usize) -> String {
    Machine::new(&compiled(plan)).run(iterations)
}
