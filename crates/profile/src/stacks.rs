//! Stacks, each once with how often it was seen, and how they are told.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::frame::NamedFrame;
use crate::table::{CodePlace, CodeTable};

/// Different stacks that are kept; of more only the innermost calls are, then nothing.
const MAX_STACKS: usize = 20_000;
const INNERMOST: usize = 8;
/// Stacks that are told, and calls of them all together.
const MAX_TOLD: usize = 3_000;
const MAX_CALLS: usize = 60_000;

/// Stacks while they are counted, under something that tells them apart.
#[derive(Debug)]
pub struct StackCounts<K> {
    counts: HashMap<(K, Vec<CodePlace>), u64>,
    others: u64,
}

impl<K> Default for StackCounts<K> {
    fn default() -> Self {
        Self {
            counts: HashMap::new(),
            others: 0,
        }
    }
}

impl<K: Eq + std::hash::Hash + Clone + Ord> StackCounts<K> {
    /// Counts a stack, innermost call first.
    pub fn add(&mut self, key: K, mut stack: Vec<CodePlace>, times: u64) {
        if self.counts.len() >= MAX_STACKS {
            stack.truncate(INNERMOST);
        }
        let full = self.counts.len() >= MAX_STACKS + MAX_STACKS / 4;
        let entry = (key, stack);
        match self.counts.get_mut(&entry) {
            Some(count) => *count += times,
            None if full => self.others += times,
            None => {
                self.counts.insert(entry, times);
            }
        }
    }

    /// How many were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum::<u64>() + self.others
    }

    /// All places that there are in them.
    pub fn places(&self) -> impl Iterator<Item = CodePlace> + '_ {
        self.counts
            .keys()
            .flat_map(|(_, stack)| stack.iter().copied())
    }

    /// The stacks with names, the most frequent first.
    #[must_use]
    pub fn named(&self, table: &CodeTable) -> CountedStacks<K> {
        let mut naming = Naming::default();
        let mut named: HashMap<(K, Vec<u32>), u64> = HashMap::new();
        for ((key, stack), count) in &self.counts {
            let calls = naming.stack(table, stack);
            *named.entry((key.clone(), calls)).or_default() += count;
        }
        let mut stacks: Vec<_> = named.into_iter().collect();
        stacks.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        let (mut told, mut others, mut calls) = (Vec::new(), self.others, 0);
        for ((key, stack), count) in stacks {
            calls += stack.len();
            match told.len() < MAX_TOLD && calls <= MAX_CALLS {
                true => told.push((key, stack, count)),
                false => others += count,
            }
        }
        CountedStacks {
            frames: naming.frames,
            stacks: told,
            others,
        }
    }
}

/// Frames that have got a number.
#[derive(Default)]
struct Naming {
    frames: Vec<NamedFrame>,
    numbers: HashMap<NamedFrame, u32>,
    known: HashMap<CodePlace, Vec<u32>>,
}

impl Naming {
    fn stack(&mut self, table: &CodeTable, stack: &[CodePlace]) -> Vec<u32> {
        let mut calls = Vec::with_capacity(stack.len());
        for place in stack {
            if !self.known.contains_key(place) {
                let named = table.calls(*place);
                let numbers = named.into_iter().map(|frame| self.number(frame)).collect();
                self.known.insert(*place, numbers);
            }
            calls.extend(self.known.get(place).into_iter().flatten());
        }
        calls
    }

    fn number(&mut self, frame: NamedFrame) -> u32 {
        if let Some(known) = self.numbers.get(&frame) {
            return *known;
        }
        let number = self.frames.len() as u32;
        self.numbers.insert(frame.clone(), number);
        self.frames.push(frame);
        number
    }
}

/// Stacks with names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedStacks<K> {
    /// All calls, each once.
    pub frames: Vec<NamedFrame>,
    /// What tells the stack apart, its calls as places in `frames`, innermost first, and how often it
    /// was seen; the most frequent first.
    pub stacks: Vec<(K, Vec<u32>, u64)>,
    /// How often others were seen, for which there was no room.
    pub others: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_where_there_are_too_many() {
        let mut counts = StackCounts::default();
        let stack = |n: u64| {
            (0..20)
                .map(|at| CodePlace::Kernel(n * 100 + at))
                .collect::<Vec<_>>()
        };
        let all = (MAX_STACKS * 2) as u64;
        for n in 0..all {
            counts.add((), stack(n), 1);
        }
        assert_eq!(counts.total(), all);
        assert!(counts.counts.len() <= MAX_STACKS + MAX_STACKS / 4);
        // Without names of the kernel they are all the same.
        let named = counts.named(&CodeTable::default());
        let told: u64 = named.stacks.iter().map(|(_, _, count)| count).sum();
        assert_eq!(told + named.others, all);
        assert_eq!(named.frames.len(), 1);
        assert_eq!(named.stacks.len(), 2);
    }
}
