//! CPU profiles of V8 (`Profiler.stop` of the Chrome DevTools Protocol): what runs in the main thread of a Node.js
//! process, by its own functions' names.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use plimsoll_profile::{FrameKind, NamedFrame};
use serde::Deserialize;

use super::told::{FORM, ToldStack, ToldStacks};

/// More of a profile is not read: nodes, and calls of one stack.
const MAX_NODES: usize = 200_000;
const MAX_CALLS: usize = 128;
/// Different stacks that are counted, and that are told.
const MAX_COUNTED: usize = 20_000;
const MAX_STACKS: usize = 3_000;
/// What is not worked in: the tree's root, and waiting for events.
const NO_WORK: [&str; 2] = ["(root)", "(idle)"];

/// A profile as V8 tells it: a tree of calls.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct V8Profile {
    nodes: Vec<V8Node>,
    /// Microseconds of a clock of its own.
    start_time: f64,
    end_time: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct V8Node {
    id: u64,
    call_frame: V8Call,
    /// Samples in which this was the innermost call.
    #[serde(default)]
    hit_count: u64,
    #[serde(default)]
    children: Vec<u64>,
    /// In which of its lines they were.
    #[serde(default)]
    position_ticks: Vec<V8Line>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct V8Call {
    function_name: String,
    url: String,
    /// Of its beginning, from 0; negative where there is none.
    line_number: i64,
}

#[derive(Debug, Deserialize)]
struct V8Line {
    /// From 1.
    line: i64,
    ticks: u64,
}

impl V8Call {
    /// The call, at a line from 1 or at its beginning.
    fn named(&self, line: Option<i64>) -> NamedFrame {
        let name = self.function_name.as_str();
        // Builtins of V8, what is compiled into Node.js, the garbage collector.
        if self.url.is_empty() {
            let plain = NamedFrame::of_script(name, "", None);
            return NamedFrame {
                library: Some("node".to_owned()),
                kind: FrameKind::Native,
                ..plain
            };
        }
        let line = line.unwrap_or(self.line_number.saturating_add(1));
        let line = u32::try_from(line).ok().filter(|line| *line > 0);
        match self.url.strip_prefix("file://") {
            Some(path) => {
                let path = percent_decode_str(path).decode_utf8_lossy();
                NamedFrame::of_script(name, &path, line)
            }
            None => NamedFrame::of_script(name, &self.url, line),
        }
    }
}

/// Calls, each once, while stacks are put together.
#[derive(Default)]
struct ToldCalls {
    frames: Vec<NamedFrame>,
    numbers: HashMap<NamedFrame, usize>,
}

impl ToldCalls {
    fn number(&mut self, call: NamedFrame) -> usize {
        if let Some(known) = self.numbers.get(&call) {
            return *known;
        }
        self.frames.push(call.clone());
        self.numbers.insert(call, self.frames.len() - 1);
        self.frames.len() - 1
    }
}

impl V8Profile {
    /// What was seen, in the form of stacks of threads; none of a profile that is larger than any is.
    #[must_use]
    pub fn told(&self, from_unix_ns: u64) -> Option<ToldStacks> {
        if self.nodes.len() > MAX_NODES {
            return None;
        }
        let places = self.nodes.iter().enumerate();
        let places: HashMap<u64, usize> = places.map(|(at, node)| (node.id, at)).collect();
        let mut callers = vec![None; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let children = node.children.iter().filter_map(|child| places.get(child));
            children.for_each(|child| callers[*child] = Some(at));
        }
        let mut calls = ToldCalls::default();
        let called: Vec<usize> = self
            .nodes
            .iter()
            .map(|node| calls.number(node.call_frame.named(None)))
            .collect();
        let (mut counts, mut others) = (HashMap::<Vec<usize>, u64>::new(), 0_u64);
        for (at, node) in self.nodes.iter().enumerate() {
            if node.hit_count == 0 || node.is_no_work() {
                continue;
            }
            if counts.len() >= MAX_COUNTED {
                others = others.saturating_add(node.hit_count);
                continue;
            }
            let outer: Vec<usize> = self.callers_of(at, &callers).map(|at| called[at]).collect();
            for (line, count) in node.lines() {
                let mut stack = vec![calls.number(node.call_frame.named(line))];
                stack.extend(&outer);
                let counted = counts.entry(stack).or_default();
                *counted = counted.saturating_add(count);
            }
        }
        Some(self.told_as(from_unix_ns, calls.frames, (counts, others)))
    }

    /// Who called a node, innermost first. A tree that leads back to itself ends at the most calls of a stack.
    fn callers_of<'a>(
        &'a self,
        at: usize,
        callers: &'a [Option<usize>],
    ) -> impl Iterator<Item = usize> + 'a {
        let all = std::iter::successors(callers[at], |at| callers[*at]);
        all.take(MAX_CALLS)
            .filter(|at| !self.nodes[*at].is_no_work())
    }

    fn told_as(
        &self,
        from_unix_ns: u64,
        frames: Vec<NamedFrame>,
        (counts, others): (HashMap<Vec<usize>, u64>, u64),
    ) -> ToldStacks {
        let samples = counts
            .values()
            .fold(others, |all, it| all.saturating_add(*it));
        let mut stacks: Vec<(Vec<usize>, u64)> = counts.into_iter().collect();
        stacks.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        let left_out = stacks.split_off(stacks.len().min(MAX_STACKS));
        let stack = |(calls, count): (Vec<usize>, u64)| ToldStack {
            state: "cpu".to_owned(),
            thread: "node".to_owned(),
            count,
            calls,
        };
        let lasted_s = (self.end_time - self.start_time) / 1e6;
        ToldStacks {
            schema: FORM.to_owned(),
            from_unix_ns,
            lasted_s: if lasted_s.is_finite() {
                lasted_s.max(0.0)
            } else {
                0.0
            },
            pid: 0,
            processes: 1,
            runtime: Some("Node.js".to_owned()),
            cpus: 0,
            samples_per_cpu_and_second: 0,
            samples,
            looks: 0,
            lost: 0,
            whole: samples,
            unnamed_places: 0,
            cost_s: 0.0,
            frames,
            stacks: stacks.into_iter().map(stack).collect(),
            others: left_out
                .iter()
                .fold(others, |all, (_, it)| all.saturating_add(*it)),
        }
    }
}

impl V8Node {
    /// Whether nothing is worked in it.
    fn is_no_work(&self) -> bool {
        NO_WORK.contains(&self.call_frame.function_name.as_str())
    }

    /// The lines that were seen, with how often; none for what is known of no line.
    fn lines(&self) -> Vec<(Option<i64>, u64)> {
        let mut left = self.hit_count;
        let mut lines = Vec::new();
        for seen in &self.position_ticks {
            let ticks = seen.ticks.min(left);
            left -= ticks;
            if ticks > 0 {
                lines.push((Some(seen.line), ticks));
            }
        }
        if left > 0 {
            lines.push((None, left));
        }
        lines
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn node(id: u64, call: (&str, &str, i64), hits: u64, children: &[u64]) -> Value {
        let (function, url, line) = call;
        let frame = json!({ "functionName": function, "scriptId": "7", "url": url, "lineNumber": line, "columnNumber": 2 });
        json!({ "id": id, "callFrame": frame, "hitCount": hits, "children": children })
    }

    fn told(nodes: &[Value]) -> Option<ToldStacks> {
        let profile =
            json!({ "nodes": nodes, "startTime": 1_000_000, "endTime": 4_000_000, "samples": [1] });
        let profile: V8Profile = serde_json::from_value(profile).unwrap();
        profile.told(5)
    }

    #[test]
    fn what_runs_is_told_with_its_line_and_waiting_for_events_is_not() {
        let mut hot = node(4, ("price", "file:///srv/my%20app/shop.js", 9), 30, &[6]);
        hot["positionTicks"] = json!([{ "line": 12, "ticks": 20 }, { "line": 14, "ticks": 5 }]);
        let all = [
            node(1, ("(root)", "", -1), 0, &[2, 3, 5]),
            node(2, ("(idle)", "", -1), 500, &[]),
            node(
                3,
                ("handle", "/srv/app/node_modules/express/lib/layer.js", 40),
                0,
                &[4],
            ),
            hot,
            node(5, ("(garbage collector)", "", -1), 7, &[]),
            node(6, ("", "node:internal/timers", 511), 2, &[]),
        ];
        let told = told(&all).unwrap();
        assert_eq!((told.samples, told.lasted_s, told.others), (39, 3.0, 0));
        let stacks: Vec<(u64, Vec<&NamedFrame>)> = told
            .stacks
            .iter()
            .map(|stack| (stack.count, told.calls(stack).collect()))
            .collect();
        let (count, calls) = &stacks[0];
        assert_eq!((*count, calls.len(), calls[0].line), (20, 2, Some(12)));
        assert_eq!(calls[0].file.as_deref(), Some("/srv/my app/shop.js"));
        assert_eq!(
            (calls[0].function.as_str(), calls[0].library.as_deref()),
            ("price", None)
        );
        assert_eq!(
            (calls[1].library.as_deref(), calls[1].line),
            (Some("express"), Some(41))
        );
        let counts: Vec<u64> = stacks.iter().map(|(count, _)| *count).collect();
        assert_eq!(counts, [20, 7, 5, 5, 2]);
        let inner = stacks.iter().find(|(count, _)| *count == 2).unwrap();
        assert_eq!(inner.1[0].function, "(anonymous)");
        assert_eq!(inner.1[0].library.as_deref(), Some("node:internal/timers"));
        assert_eq!(inner.1.len(), 3);
        let collector = stacks.iter().find(|(count, _)| *count == 7).unwrap();
        assert_eq!(collector.1[0].library.as_deref(), Some("node"));
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(ToldStacks::read(&text), Some(told));
    }

    #[test]
    fn a_tree_that_leads_back_to_itself_ends() {
        let all = [
            node(1, ("a", "/srv/a.js", 0), 1, &[2, 1]),
            node(2, ("b", "/srv/a.js", 5), 1, &[1]),
            node(2, ("c", "/srv/a.js", 9), u64::MAX, &[77]),
        ];
        let told = told(&all).unwrap();
        assert_eq!(told.samples, u64::MAX);
        assert!(
            told.stacks
                .iter()
                .all(|stack| stack.calls.len() <= MAX_CALLS + 1)
        );
    }

    proptest! {
        /// Whatever tree of calls: each sample is counted once, however deep and wide it is.
        #[test]
        fn each_sample_is_told_once(
            parents in prop::collection::vec((any::<prop::sample::Index>(), 0_u64..50, -2_i64..9), 1..200),
        ) {
            let mut children = vec![Vec::new(); parents.len() + 1];
            for (at, (parent, _, _)) in parents.iter().enumerate() {
                children[parent.index(at + 1)].push(at as u64 + 1);
            }
            let mut all = vec![node(0, ("(root)", "", -1), 0, &children[0])];
            for (at, (_, hits, line)) in parents.iter().enumerate() {
                let mut made = node(at as u64 + 1, ("f", "/srv/a.js", *line), *hits, &children[at + 1]);
                made["positionTicks"] = json!([{ "line": line, "ticks": hits / 2 }, { "line": 3, "ticks": 9 }]);
                all.push(made);
            }
            let wanted: u64 = parents.iter().map(|(_, hits, _)| hits).sum();
            let told = told(&all).unwrap();
            let counted: u64 = told.stacks.iter().map(|stack| stack.count).sum();
            prop_assert_eq!((told.samples, counted + told.others), (wanted, wanted));
        }
    }
}
