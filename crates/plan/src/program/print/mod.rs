//! The compiled operations as text, for `plimsoll check`: a line each, the requests with all
//! that holds for them below. Values of secret variables never appear: templates are shown
//! with their names.

use std::fmt::{self, Display, Formatter};

mod request;
mod values;

use plimsoll_secrets::{Known, MASK};

use super::{ChooseBy, Op, Program, ScenarioProgram, SharedDef, Template};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let secrets = self.slots.iter().filter(|def| def.secret);
        let secrets = secrets.filter_map(|def| def.initial.as_ref()?.as_text());
        let shown = ShownProgram {
            program: self,
            known: Known::new(secrets),
        };
        writeln!(f, "plan {:?}", self.name)?;
        shown.variables(f)?;
        for (index, shared) in self.shared.iter().enumerate() {
            writeln!(f, "shared {index}: {}", shown.shared(shared))?;
        }
        writeln!(f, "hosts: {}", self.allowed_hosts.join(" "))?;
        let parts = [
            ("setup", &self.setup),
            ("scenario", &self.scenarios),
            ("teardown", &self.teardown),
        ];
        for (part, scenarios) in parts {
            for scenario in scenarios {
                shown.scenario(f, part, scenario)?;
            }
        }
        Ok(())
    }
}

/// A program and how its parts are shown.
struct ShownProgram<'p> {
    program: &'p Program,
    /// Secrets that never change were put into the texts; they are taken out again.
    known: Known,
}

impl ShownProgram<'_> {
    fn variables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for def in self.program.slots.iter() {
            let Some(initial) = &def.initial else {
                continue;
            };
            let value = if def.secret {
                MASK.to_owned()
            } else {
                self.text(initial)
            };
            let kind = if def.constant { "constant" } else { "variable" };
            writeln!(f, "{kind} {} = {value}", def.name)?;
        }
        Ok(())
    }

    fn shared(&self, shared: &SharedDef) -> String {
        match shared {
            SharedDef::Counter { start, step, end } => {
                let end = end.map(|end| format!(" to {end}")).unwrap_or_default();
                format!("counter from {start} by {step}{end}")
            }
            SharedDef::Rows { data, path, .. } => {
                format!("rows of {} ({:?})", self.text(path), data.order)
            }
            SharedDef::Rendezvous {
                name,
                users,
                timeout,
            } => {
                let users = if *users == 0 {
                    "all".to_owned()
                } else {
                    users.to_string()
                };
                let timeout = timeout
                    .map(|t| format!(", at most {t:?}"))
                    .unwrap_or_default();
                format!("rendezvous {name} of {users} users{timeout}")
            }
            SharedDef::Lock { name } => format!("lock {name}"),
            SharedDef::Passes => "passes".to_owned(),
            SharedDef::Throughput => "throughput".to_owned(),
        }
    }

    fn scenario(
        &self,
        f: &mut Formatter<'_>,
        part: &str,
        scenario: &ScenarioProgram,
    ) -> fmt::Result {
        writeln!(f, "\n{part} {:?}", scenario.name)?;
        if let Some(pace) = &scenario.pace {
            writeln!(f, "      pace {}", self.pause(pace))?;
        }
        for (pc, op) in scenario.ops.iter().enumerate() {
            writeln!(f, "{pc:>4}  {}", self.op(op))?;
            if let Op::Request(id) | Op::Exchange(id) = op {
                self.request(f, &self.program.requests[id.0 as usize])?;
            }
        }
        Ok(())
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Request(id) | Op::Exchange(id) => {
                let request = &self.program.requests[id.0 as usize];
                let (method, url) = (self.text(&request.method), self.text(&request.url));
                let step = request.exchange.as_ref().map_or("request", |it| it.step);
                format!("{step} {:?}  {method} {url}", self.label(&request.label))
            }
            Op::Think(pause) => format!("think {}", self.pause(pause)),
            Op::Jump(to) => format!("jump → {to}"),
            Op::JumpUnless { condition, to } => {
                format!("unless {} → {to}", self.condition(condition))
            }
            Op::SetRegister(register, value) => format!("r{} = {value}", register.0),
            Op::Resume { at } => format!("resume at r{}", at.0),
            Op::Yield { at, to } => format!("r{} = next, jump → {to}", at.0),
            Op::Choose { by, branches, exit } => self.choose(by, branches, *exit),
            Op::RandomOrder {
                done,
                branches,
                exit,
            } => {
                let places: Vec<String> = branches.iter().map(|to| format!("→ {to}")).collect();
                format!(
                    "random order (r{}): {}, then → {exit}",
                    done.0,
                    places.join(", ")
                )
            }
            Op::Together {
                branches,
                most,
                exit,
            } => {
                let places: Vec<String> = branches.iter().map(|to| format!("→ {to}")).collect();
                let most = most.map_or_else(String::new, |most| format!(" (at most {most})"));
                format!("together{most}: {}, then → {exit}", places.join(", "))
            }
            Op::BranchEnd => "branch ends".to_owned(),
            Op::Script(id) => format!("script {}", self.script(*id)),
            Op::Action(action) => format!("{action:?}"),
            Op::End => "end".to_owned(),
            _ => self.loop_op(op),
        }
    }

    /// Loops, and steps that are run in some passes only.
    fn loop_op(&self, op: &Op) -> String {
        match op {
            Op::Repeat {
                passes,
                times,
                index,
                exit,
            } => {
                let times = times
                    .as_ref()
                    .map_or_else(|| "for ever".to_owned(), |t| self.text(t));
                let index = self.index(*index);
                format!("repeat {times} (r{}){index}, then → {exit}", passes.0)
            }
            Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit,
            } => format!(
                "for each {} in {} (r{}){}, then → {exit}",
                self.name(*variable),
                self.items(items),
                passes.0,
                self.index(*index)
            ),
            Op::Runtime {
                since,
                seconds,
                exit,
            } => {
                format!("for {} s (r{}), then → {exit}", self.text(seconds), since.0)
            }
            Op::OnceOnly { done, to } => format!("once (r{}), else → {to}", done.0),
            Op::Percent {
                percent,
                passes,
                shared,
                to,
            } => {
                let of = self.passes(passes.0, *shared);
                format!("in {} % of {of}, else → {to}", self.text(percent))
            }
            Op::FirstTimes {
                times,
                passes,
                shared,
                to,
            } => {
                let of = self.passes(passes.0, *shared);
                format!("in the first {} of {of}, else → {to}", self.text(times))
            }
            _ => self.around_op(op),
        }
    }

    /// Samples and what stands around them.
    fn around_op(&self, op: &Op) -> String {
        match op {
            Op::TransactionStart {
                label,
                include_pauses,
                as_parent,
                package: _,
            } => {
                let pauses = if *include_pauses { ", with pauses" } else { "" };
                let parent = if *as_parent { ", as parent" } else { "" };
                format!("transaction {:?}{pauses}{parent}", self.label(label))
            }
            Op::Sample(id) => self.package(*id),
            Op::SetLastOk => "last ok = true".to_owned(),
            Op::Element(id) => self.element(*id),
            Op::TransactionEnd | Op::TransactionsLeft(1) => "transaction ends".to_owned(),
            Op::TransactionsLeft(number) => format!("{number} transactions end"),
            Op::TransactionSoFar => "transaction so far".to_owned(),
            Op::ChildEnds => "a step of the transaction ends".to_owned(),
            Op::Lock(id) => format!("lock {}", self.shared_name(*id)),
            Op::LockNamed { name, held } => format!("lock {} (r{})", self.text(name), held.0),
            Op::UnlockNamed(held) => format!("unlock r{}", held.0),
            Op::Unlock(id) => format!("unlock {}", self.shared_name(*id)),
            Op::Rendezvous(id) => format!("rendezvous {}", self.shared_name(*id)),
            _ => self.variable_op(op),
        }
    }

    /// What counts and what sets variables.
    fn variable_op(&self, op: &Op) -> String {
        match op {
            Op::PaceThroughput {
                per_minute,
                shared,
                last,
            } => {
                let of = self.passes(last.0, *shared);
                format!("throughput {} a minute of {of}", self.text(per_minute))
            }
            Op::NextRow { rows, columns, .. } => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                let names = if names.is_empty() {
                    "its columns".to_owned()
                } else {
                    names.join(", ")
                };
                format!("next row of shared {} into {names}", rows.0)
            }
            Op::Count {
                shared,
                own,
                start,
                step,
                end,
                variable,
                ..
            } => {
                let end = end.map(|end| format!(" to {end}")).unwrap_or_default();
                let of = self.passes(own.0, *shared);
                format!(
                    "{} = count from {start} by {step}{end} of {of}",
                    self.name(*variable)
                )
            }
            Op::Set { variable, value } => {
                format!(
                    "{} = {}",
                    self.name(*variable),
                    self.secret_text(*variable, value)
                )
            }
            other => format!("{other:?}"),
        }
    }

    fn choose(
        &self,
        by: &ChooseBy,
        branches: &[(u32, Option<Template>, u32)],
        exit: u32,
    ) -> String {
        let how = match by {
            ChooseBy::Random => "at random".to_owned(),
            ChooseBy::MixOfUsers => "by user".to_owned(),
            ChooseBy::MixOfIterations(id) => format!("by shared {}", id.0),
            ChooseBy::InTurn {
                passes,
                shared,
                from_user: _,
            } => {
                format!("in turn of {}", self.passes(passes.0, *shared))
            }
            ChooseBy::ByWeight { passes, .. } => {
                format!("by weight in turn of {}", self.passes(passes.0, None))
            }
            ChooseBy::Switch(value) => format!("switch {}", self.text(value)),
        };
        let branch = |(weight, value, to): &(u32, Option<Template>, u32)| {
            let value = value
                .as_ref()
                .map(|value| format!("{:?} ", self.text(value)));
            let weight = if matches!(by, ChooseBy::Switch(_)) {
                String::new()
            } else {
                format!("{weight} ")
            };
            format!("{}{weight}→ {to}", value.unwrap_or_default())
        };
        let branches: Vec<String> = branches.iter().map(branch).collect();
        format!("choose {how}: {}, else → {exit}", branches.join(", "))
    }
}
