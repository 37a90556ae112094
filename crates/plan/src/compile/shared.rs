//! What crosses users: each thing once, there only when something uses it.

use plimsoll_text::Message;

use super::compiler::Compiler;
use super::shared_keys::SharedKey;
use crate::model::{Counter, CsvData, Rendezvous, SharedBy, Span};
use crate::program::{SharedDef, SharedId, Template};

/// All that says what a set of data makes of a file.
fn how_read(data: &CsvData) -> String {
    let CsvData {
        columns,
        delimiter,
        separator,
        quoted,
        has_header,
        at_end,
        ..
    } = data;
    format!("{columns:?} {delimiter} {separator:?} {quoted} {has_header} {at_end:?}")
}

impl Compiler<'_> {
    /// The shared thing of a key, defined at its first use.
    pub(super) fn share(&mut self, key: SharedKey, define: impl FnOnce() -> SharedDef) -> SharedId {
        let shared = &mut self.program.shared;
        *self.shared.known.entry(key).or_insert_with(|| {
            shared.push(define());
            SharedId(u32::try_from(shared.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// A pass counter, unless each user counts its own.
    pub(super) fn passes<T>(&mut self, element: &T, shared_by: SharedBy) -> Option<SharedId> {
        let key = self.shared.key(element, shared_by)?;
        Some(self.share(key, || SharedDef::Passes))
    }

    pub(super) fn counter(&mut self, counter: &Counter) -> Option<SharedId> {
        let key = self.shared.key(counter, counter.shared_by)?;
        let (start, step, end) = (counter.start, counter.step, counter.end);
        Some(self.share(key, || SharedDef::Counter { start, step, end }))
    }

    /// `counter(name, start, step)`: one counter a name, over all users.
    pub(super) fn shared_counter(&mut self, args: &[Template], at: Span) -> Option<SharedId> {
        let number = |index: usize, default: i64| match args.get(index) {
            None => Some(default),
            Some(arg) => arg.as_text()?.trim().parse::<i64>().ok(),
        };
        let name = args.first().and_then(Template::as_text);
        let (Some(name), Some(start), Some(step)) = (name, number(1, 1), number(2, 1)) else {
            if self.known.is_some() {
                let message = Message::new("compile-not-fixed").with("what", "counter(…)");
                self.error(at, message);
            }
            return None;
        };
        let key = SharedKey::Named("counter", name.to_owned());
        let new = SharedDef::Counter {
            start,
            step,
            end: None,
        };
        let id = self.share(key, || new.clone());
        if args.len() > 1
            && !matches!(self.program.shared[id.0 as usize],
                SharedDef::Counter { start: s, step: t, .. } if (s, t) == (start, step))
        {
            self.error(
                at,
                Message::new("compile-counter-differs").with("name", name),
            );
        }
        Some(id)
    }

    pub(super) fn rows(&mut self, data: &CsvData) -> SharedId {
        // A cursor of each user's own is kept by the loader, in the user's register.
        let key = match (&data.group, self.shared.key(data, data.shared_by)) {
            (Some(group), _) => SharedKey::Named("rows", format!("{group}\0{}", data.path.raw)),
            (None, Some(key)) if self.lenient() => {
                let scenario = match key {
                    SharedKey::OfScenario(_, scenario) => scenario,
                    _ => 0,
                };
                let file = format!("{scenario}\0{}", data.path.raw);
                // A Random CSV Data Set has a list of its own, which those like it share.
                match data.verbatim {
                    true => SharedKey::Named("list", format!("{file}\0{}", how_read(data))),
                    false => return self.rows_of_file(data, file),
                }
            }
            (None, Some(key)) => key,
            (None, None) => SharedKey::Element(std::ptr::from_ref(data).addr()),
        };
        self.rows_by(key, data, None)
    }

    /// JMeter's sets of data go on in one file together, wherever they stand and however each reads its rows (5.6.3,
    /// `FileServer`, by the file's name).
    fn rows_of_file(&mut self, data: &CsvData, file: String) -> SharedId {
        let first = self.rows_by(SharedKey::Named("rows", file.clone()), data, None);
        let read = how_read(data);
        match &self.program.shared[first.0 as usize] {
            SharedDef::Rows { data, .. } if how_read(data) == read => first,
            _ => {
                let key = SharedKey::Named("rows", format!("{file}\0{read}"));
                self.rows_by(key, data, Some(first))
            }
        }
    }

    fn rows_by(&mut self, key: SharedKey, data: &CsvData, cursor: Option<SharedId>) -> SharedId {
        let path = self.template(&data.path);
        self.share(key, || SharedDef::Rows {
            data: data.clone(),
            path,
            cursor,
        })
    }

    pub(super) fn lock(&mut self, name: &str) -> SharedId {
        self.share(SharedKey::Named("lock", name.to_owned()), || {
            SharedDef::Lock {
                name: name.to_owned(),
            }
        })
    }

    pub(super) fn throughput<T>(&mut self, element: &T, shared_by: SharedBy) -> Option<SharedId> {
        let key = self.shared.key(element, shared_by)?;
        Some(self.share(key, || SharedDef::Throughput))
    }

    pub(super) fn rendezvous(&mut self, meeting: &Rendezvous) -> SharedId {
        let Rendezvous {
            name,
            users,
            timeout,
            at,
        } = meeting;
        let key = SharedKey::Named("rendezvous", name.clone());
        let new = || SharedDef::Rendezvous {
            name: name.clone(),
            users: *users,
            timeout: *timeout,
        };
        let id = self.share(key, new);
        if let SharedDef::Rendezvous {
            users: first,
            timeout: first_timeout,
            ..
        } = &self.program.shared[id.0 as usize]
            && (first, first_timeout) != (users, timeout)
        {
            self.error(
                *at,
                Message::new("compile-rendezvous-differs").with("name", name.as_str()),
            );
        }
        self.shared
            .meetings
            .push((name.clone(), self.shared.scenario));
        id
    }

    /// Rendezvous that wait for more users than ever come.
    pub(super) fn check_rendezvous(&mut self) {
        let scenarios = || {
            self.plan
                .setup
                .iter()
                .chain(&self.plan.scenarios)
                .chain(&self.plan.teardown)
        };
        let mut problems = Vec::new();
        for shared in &self.program.shared {
            let SharedDef::Rendezvous {
                name,
                users,
                timeout: None,
            } = shared
            else {
                continue;
            };
            let comes_here = |index: u32| self.shared.meetings.contains(&(name.clone(), index));
            let here = (1..)
                .zip(scenarios())
                .filter(|(index, _)| comes_here(*index));
            let come: u64 = here.map(|(_, scenario)| scenario.load.most_users()).sum();
            if u64::from(*users) > come {
                let message = Message::new("compile-rendezvous-never")
                    .with("name", name.as_str())
                    .with("users", *users)
                    .with("come", come);
                problems.push(message);
            }
        }
        for message in problems {
            self.mistake(Span::default(), message);
        }
    }
}
