//! What the processes of a database say of themselves in their titles: PostgreSQL's backends write there what they
//! do, and whether they wait for a lock (its manual, "Standard Unix Tools"; `update_process_title`). No login is needed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::proc::{Pid, file};

/// Titles are read at each so many-th look.
const EACH: u32 = 5;
/// So many processes are asked, and so many kinds of work told.
const MAX_PROCESSES: usize = 300;
const MAX_KINDS: usize = 30;
/// A command's tag is no longer.
const MAX_LENGTH: usize = 60;

/// What the backends of a server did, by their titles.
#[derive(Debug, Default)]
pub(crate) struct ServerTitles {
    asked: u32,
    looks: u32,
    counts: BTreeMap<String, u32>,
}

impl ServerTitles {
    /// Looks at the processes of one server, now and then.
    pub(crate) fn look(&mut self, members: &[Pid]) {
        self.asked += 1;
        if self.asked % EACH != 1 {
            return;
        }
        let read = |pid: &Pid| file::read(format!("/proc/{pid}/cmdline")).ok();
        let titles = members.iter().take(MAX_PROCESSES).filter_map(read);
        self.add(titles.filter_map(|title| activity(&title)));
    }

    fn add(&mut self, activities: impl Iterator<Item = String>) {
        self.looks += 1;
        for activity in activities {
            if self.counts.len() < MAX_KINDS || self.counts.contains_key(&activity) {
                *self.counts.entry(activity).or_default() += 1;
            }
        }
    }

    /// The mean number of backends by what they do.
    pub(super) fn told(&self) -> Value {
        let looks = f64::from(self.looks.max(1));
        let mean = |count: &u32| (f64::from(*count) / looks * 1e3).round() / 1e3;
        let all = self.counts.iter();
        let all: Map<String, Value> = all
            .map(|(activity, count)| (activity.clone(), mean(count).into()))
            .collect();
        all.into()
    }
}

/// `UPDATE waiting` of `postgres: app shop 10.0.0.3(51234) UPDATE waiting`; none of a process that serves no client.
fn activity(title: &str) -> Option<String> {
    let title = title.trim_end_matches(['\0', ' ']);
    let words: Vec<&str> = title.strip_prefix("postgres: ")?.split(' ').collect();
    let is_client = |word: &&str| {
        let port = word
            .rsplit_once('(')
            .map(|(_, port)| port.trim_end_matches(')'));
        *word == "[local]" || port.is_some_and(|port| port.parse::<u16>().is_ok())
    };
    let at = words.iter().rposition(is_client)?;
    let tag = words.get(at + 1..)?.join(" ");
    let is_tag = |letter: char| letter.is_ascii_alphabetic() || " ()-".contains(letter);
    let is_told = !tag.is_empty() && tag.len() <= MAX_LENGTH && tag.chars().all(is_tag);
    is_told.then_some(tag)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn backends_tell_what_they_do() {
        let told = |title: &str| activity(title);
        let waits = "postgres: app shop 127.0.0.1(51234) UPDATE waiting\0";
        assert_eq!(told(waits).unwrap(), "UPDATE waiting");
        let idle = "postgres: 15/main: app shop [local] idle in transaction   ";
        assert_eq!(told(idle).unwrap(), "idle in transaction");
        for nobody in [
            "postgres: checkpointer",
            "postgres: walwriter ",
            "postgres: app shop 127.0.0.1(51234)",
            "/usr/lib/postgresql/15/bin/postgres -D /data",
            "",
        ] {
            assert_eq!(told(nobody), None, "{nobody}");
        }
        let mut titles = ServerTitles::default();
        let looks = [["idle", "UPDATE waiting"], ["SELECT", "UPDATE waiting"]];
        for look in looks {
            titles.add(look.iter().map(|one| (*one).to_owned()));
        }
        let wanted = serde_json::json!({"SELECT": 0.5, "UPDATE waiting": 1.0, "idle": 0.5});
        assert_eq!(titles.told(), wanted);
    }

    proptest! {
        #[test]
        fn any_title_is_read(title in "(postgres: )?[ -~\\PC]{0,200}") {
            let told = activity(&title);
            prop_assert!(told.is_none_or(|told| told.len() <= MAX_LENGTH));
        }
    }
}
