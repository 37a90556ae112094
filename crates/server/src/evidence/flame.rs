//! A flame graph as a list of its boxes: what each call took itself, and with all that it called.
//!
//! It is built within bounds, whatever the profile holds, and told without nesting: a stack may be deeper than
//! any reader of JSON follows.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

/// Boxes that are kept while it is built, and that are told: the widest.
const MOST_BUILT: usize = 400_000;
const MOST_TOLD: usize = 5_000;
/// Calls of a stack that are told: the outermost.
const DEPTH: usize = 256;

/// A call and where it was called from.
#[derive(Debug, Clone, Copy)]
struct FlameBox {
    name: usize,
    parent: usize,
    depth: usize,
    own: f64,
}

/// A flame graph that is being built.
#[derive(Debug)]
pub(crate) struct FlameTree {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    boxes: Vec<FlameBox>,
    /// Places of boxes by parent and name.
    places: HashMap<(usize, usize), usize>,
}

impl Default for FlameTree {
    fn default() -> Self {
        let mut tree = Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            boxes: Vec::new(),
            places: HashMap::new(),
        };
        let name = tree.number("");
        tree.boxes.push(FlameBox {
            name,
            parent: 0,
            depth: 0,
            own: 0.0,
        });
        tree
    }
}

impl FlameTree {
    fn number(&mut self, name: &str) -> usize {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Adds a stack, the outermost call first. What has no room any more is told of its callers.
    pub fn add<'a>(&mut self, calls: impl Iterator<Item = &'a str>, weight: f64) {
        if !(weight.is_finite() && weight > 0.0) {
            return;
        }
        let mut at = 0;
        for call in calls.take(DEPTH) {
            let name = match self.numbers.get(call) {
                Some(known) => *known,
                None if self.boxes.len() >= MOST_BUILT => break,
                None => self.number(call),
            };
            match self.places.get(&(at, name)) {
                Some(known) => at = *known,
                None if self.boxes.len() >= MOST_BUILT => break,
                None => {
                    let new = self.boxes.len();
                    self.boxes.push(FlameBox {
                        name,
                        parent: at,
                        depth: self.boxes[at].depth + 1,
                        own: 0.0,
                    });
                    self.places.insert((at, name), new);
                    at = new;
                }
            }
        }
        self.boxes[at].own += weight;
    }

    /// The graph as it is told.
    pub fn told(self, unit: &'static str) -> FlameGraph {
        let totals = self.totals();
        // A caller comes before what it called, also where both took the same.
        let mut order: Vec<usize> = (0..self.boxes.len()).collect();
        order.sort_by(|a, b| {
            let depth = |at: usize| self.boxes[at].depth;
            totals[*b]
                .total_cmp(&totals[*a])
                .then(depth(*a).cmp(&depth(*b)))
        });
        let mut places = vec![None; self.boxes.len()];
        let mut names = Vec::new();
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut boxes = Vec::new();
        for at in order.into_iter().take(MOST_TOLD) {
            let each = &self.boxes[at];
            let name = *numbers.entry(each.name).or_insert_with(|| {
                names.push(self.names[each.name].clone());
                names.len() - 1
            });
            places[at] = Some(boxes.len());
            boxes.push(FlameBoxTold {
                name,
                parent: places[each.parent].filter(|_| at != 0),
                own: each.own,
                total: totals[at],
            });
        }
        FlameGraph {
            unit: unit.to_owned(),
            total: totals[0],
            left_out: self.boxes.len() - boxes.len(),
            names,
            boxes,
        }
    }

    /// What each took with all that it called. Callers stand before what they called.
    fn totals(&self) -> Vec<f64> {
        let mut totals: Vec<f64> = self.boxes.iter().map(|each| each.own).collect();
        for at in (1..totals.len()).rev() {
            totals[self.boxes[at].parent] += totals[at];
        }
        totals
    }
}

/// A box of a flame graph.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct FlameBoxTold {
    /// Place in `names`.
    name: usize,
    /// Place of the caller's box, which stands before it; null: the root.
    parent: Option<usize>,
    /// What it took itself.
    #[serde(rename = "self")]
    own: f64,
    /// The same with all that it called, also with what is left out.
    total: f64,
}

/// A flame graph.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FlameGraph {
    /// In what it is told: `samples`, `ms`, `threads`.
    unit: String,
    /// All of it.
    total: f64,
    /// Names of calls, each once; the root has none.
    names: Vec<String>,
    /// The boxes, the root first, then the widest; 5000 at most.
    boxes: Vec<FlameBoxTold>,
    /// Boxes that are left out: the narrowest.
    left_out: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_take_adds_up() {
        let mut tree = FlameTree::default();
        tree.add(["run", "show", "add"].into_iter(), 3.0);
        tree.add(["run", "show"].into_iter(), 2.0);
        tree.add(["run", "add"].into_iter(), 1.0);
        for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            tree.add(["run"].into_iter(), nothing);
        }
        let graph = tree.told("samples");
        let told: Vec<_> = graph
            .boxes
            .iter()
            .map(|each| {
                (
                    graph.names[each.name].as_str(),
                    each.parent,
                    each.own,
                    each.total,
                )
            })
            .collect();
        let expected = [
            ("", None, 0.0, 6.0),
            ("run", Some(0), 0.0, 6.0),
            ("show", Some(1), 2.0, 5.0),
            ("add", Some(2), 3.0, 3.0),
            ("add", Some(1), 1.0, 1.0),
        ];
        assert_eq!(told, expected);
        assert_eq!((graph.total, graph.left_out), (6.0, 0));
    }

    #[test]
    fn whatever_comes_it_stays_within_its_bounds() {
        let mut tree = FlameTree::default();
        for stack in 0..3_000 {
            let calls: Vec<String> = (0..400).map(|n| format!("{stack}.{n}")).collect();
            tree.add(calls.iter().map(String::as_str), 1.0);
        }
        let graph = tree.told("samples");
        assert_eq!((graph.total, graph.boxes.len()), (3_000.0, MOST_TOLD));
        assert_eq!(graph.left_out, MOST_BUILT - MOST_TOLD);
        for (at, each) in graph.boxes.iter().enumerate().skip(1) {
            assert!(each.parent.is_some_and(|parent| parent < at), "{each:?}");
        }
    }
}
