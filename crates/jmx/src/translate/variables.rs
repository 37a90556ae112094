//! User Defined Variables. All of a plan's hold for the whole plan wherever they stand; JMeter
//! 5.6.3 evaluates them once, element by element in the order of the tree (`PreCompiler`).

use std::collections::{HashMap, HashSet};

use plimsoll_plan::model::{Element, ElementValue, Text, Variable};

use super::element::{inner, items};
use super::translator::Translator;
use crate::read::JmxNode;

impl Translator<'_> {
    /// The variables of the plan, each once, in the order they are evaluated.
    pub(super) fn variables(&mut self, root: &JmxNode) -> Vec<Variable> {
        let mut groups = Vec::new();
        if let Some(own) = inner(&root.element, "TestPlan.user_defined_variables") {
            groups.push(arguments(own));
        }
        collect(&root.children, &mut groups);
        let mut lifted = Lifted::default();
        for group in groups {
            self.learn(&group);
            lifted.add(group);
        }
        lifted.variables.into_iter().flatten().collect()
    }

    /// Keeps the values that are known already. None of an element sees another of it.
    fn learn(&mut self, group: &[(String, Text)]) {
        let values: Vec<Option<String>> = group
            .iter()
            .map(|(_, value)| self.known.value(&value.raw))
            .collect();
        for ((name, written), value) in group.iter().zip(values) {
            self.known.late.remove(name);
            match value {
                Some(value) => {
                    self.known.variables.insert(name.clone(), value);
                }
                None => {
                    self.known.variables.remove(name);
                    if self.known.value_at_start(&written.raw).is_none() {
                        self.known.late.insert(name.clone());
                    }
                }
            }
        }
    }
}

/// The enabled User Defined Variables below, in the order of the tree.
fn collect(nodes: &[JmxNode], groups: &mut Vec<Vec<(String, Text)>>) {
    for node in nodes.iter().filter(|node| node.enabled) {
        if node.element.class == "Arguments" {
            groups.push(arguments(&node.element));
        }
        collect(&node.children, groups);
    }
}

/// Names and values of an `Arguments` element; a later one of the same name wins.
fn arguments(element: &Element) -> Vec<(String, Text)> {
    let mut found: Vec<(String, Text)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for item in items(element, "Arguments.arguments") {
        let ElementValue::Element(argument) = item else {
            continue;
        };
        let name = argument.text("Argument.name");
        let name = name.map_or(argument.name.raw.as_str(), |name| name.raw.as_str());
        let value = argument.text("Argument.value").cloned().unwrap_or_default();
        if name.is_empty() {
            continue;
        }
        match places.get(name) {
            Some(place) => found[*place].1 = value,
            None => {
                places.insert(name, found.len());
                found.push((name.to_owned(), value));
            }
        }
    }
    found
}

/// Variables put one element after the other, so that a name is there once at the end.
#[derive(Default)]
struct Lifted {
    /// Those that were replaced and are not needed are gone.
    variables: Vec<Option<Variable>>,
    places: HashMap<String, usize>,
}

impl Lifted {
    fn add(&mut self, mut group: Vec<(String, Text)>) {
        for at in 0..group.len() {
            let name = group[at].0.clone();
            if let Some(old) = self.places.remove(&name) {
                self.replace(old, &name, &mut group);
            }
        }
        for (name, value) in users_first(group) {
            self.places.insert(name.clone(), self.variables.len());
            self.variables.push(Some(Variable {
                name,
                at: value.at,
                value,
                once_per_run: true,
                ..Variable::default()
            }));
        }
    }

    /// A variable that gets a new value: who used the old one still has that. A plain value is
    /// put in, any other stays under another name.
    fn replace(&mut self, old: usize, name: &str, group: &mut [(String, Text)]) {
        let reference = format!("${{{name}}}");
        let (first, later) = self.variables.split_at_mut(old + 1);
        let Some(Some(replaced)) = first.last_mut() else {
            return;
        };
        let later = later
            .iter_mut()
            .flatten()
            .map(|variable| &mut variable.value);
        let users = later.chain(group.iter_mut().map(|(_, value)| value));
        let mut users = users
            .filter(|value| value.raw.contains(&reference))
            .peekable();
        let is_used = users.peek().is_some();
        let plain = !replaced
            .value
            .raw
            .contains(['$', '\\', ',', '(', ')', '{', '}']);
        let instead = match plain {
            true => replaced.value.raw.clone(),
            false => {
                replaced.name = format!("{name}#{old}");
                format!("${{{}}}", replaced.name)
            }
        };
        users.for_each(|value| value.raw = value.raw.replace(&reference, &instead));
        if plain || !is_used {
            self.variables[old] = None;
        }
    }
}

/// Variables of one element, those that use another of it before that one: it must not be
/// there yet. In a circle they stay as they stand.
fn users_first(group: Vec<(String, Text)>) -> Vec<(String, Text)> {
    let names: HashSet<String> = group.iter().map(|(name, _)| name.clone()).collect();
    let mut waiting: HashMap<String, usize> = HashMap::new();
    let mut left: Vec<((String, Text), Vec<String>)> = Vec::with_capacity(group.len());
    for (name, value) in group {
        let mut uses = used_in(&value.raw);
        uses.retain(|other| names.contains(other) && *other != name);
        for other in &uses {
            *waiting.entry(other.clone()).or_default() += 1;
        }
        left.push(((name, value), uses));
    }
    let mut ordered = Vec::with_capacity(left.len());
    // Each round places all that nobody waits for; few elements need more than one.
    loop {
        let count = ordered.len();
        let mut later = Vec::new();
        for (pair, uses) in left {
            if waiting.get(&pair.0).is_some_and(|users| *users > 0) {
                later.push((pair, uses));
                continue;
            }
            for other in uses {
                waiting.entry(other).and_modify(|users| *users -= 1);
            }
            ordered.push(pair);
        }
        left = later;
        if ordered.len() == count {
            break;
        }
    }
    ordered.extend(left.into_iter().map(|(pair, _)| pair));
    ordered
}

/// The variables a text names directly.
fn used_in(text: &str) -> Vec<String> {
    let starts = text.match_indices("${");
    let names = starts.filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        Some(rest[..rest.find('}')?].to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
