//! How many values a JSONPath looks at in the worst case, before it looks at any.
//!
//! A query is a list of nodes that each segment turns into another one, in which a node may stand
//! several times: once for each selector that chose it and, below a second `..`, once for each of
//! its ancestors in the list. The bound follows from the number of values of the document and its
//! depth alone, whatever their names are.

use plimsoll_plan::limits::JSON_VISITS;
use serde_json::Value;

/// The segments of a path, as far as they decide its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathCost {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    /// `..`: applied to all descendants.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selector {
    /// A name or an index: at most one value.
    One,
    /// A wildcard or a slice: any number of children.
    Many,
    /// All children, each compared with the queries of a filter.
    Filter(Vec<InnerPath>),
}

/// A query in a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InnerPath {
    /// `$`: begins at the root for each value that is filtered, not at the value (`@`).
    from_root: bool,
    path: PathCost,
}

/// What a document is, to a path's cost.
#[derive(Debug, Clone, Copy)]
struct Size {
    values: u128,
    depth: u128,
}

/// The list of nodes between two segments, by its bounds.
#[derive(Clone, Copy)]
struct NodeList {
    /// Its nodes, each as often as it stands there.
    nodes: u128,
    /// How often one node may stand there.
    copies: u128,
    /// Whether a node and its descendants may both stand there.
    nested: bool,
}

impl PathCost {
    /// Reads a path that is known to be valid.
    pub(super) fn of(path: &str) -> Self {
        let mut reader = JsonPathReader(path.trim_start().strip_prefix('$').unwrap_or(path));
        reader.path()
    }

    /// Whether the path could look at more than [`JSON_VISITS`] values of `document`.
    pub(super) fn is_too_much(&self, document: &Value) -> bool {
        self.visits(Size::of(document)) > u128::from(JSON_VISITS)
    }

    /// Most values that are looked at from one node of a document of this size.
    fn visits(&self, size: Size) -> u128 {
        let mut list = NodeList {
            nodes: 1,
            copies: 1,
            nested: false,
        };
        let mut visits: u128 = 1;
        for segment in &self.segments {
            visits = visits.saturating_add(segment.apply(&mut list, size));
        }
        visits
    }

    /// Whether it names at most one value.
    fn is_singular(&self) -> bool {
        self.segments
            .iter()
            .all(|segment| !segment.descends && segment.selectors == [Selector::One])
    }
}

impl Segment {
    /// Turns the list into the next one; gives what was looked at on the way.
    fn apply(&self, list: &mut NodeList, size: Size) -> u128 {
        let mut visits: u128 = 0;
        if self.descends {
            if list.nested {
                list.copies = list.copies.saturating_mul(size.depth);
            }
            list.nested = true;
            let below = list.nodes.saturating_mul(size.values);
            list.nodes = below.min(list.copies.saturating_mul(size.values));
            visits = list.nodes;
        }
        // A child has one parent, so that it stands in the list as often as its parent did.
        let most = list.copies.saturating_mul(size.values);
        let children = list.nodes.saturating_mul(size.values).min(most);
        let mut nodes: u128 = 0;
        for selector in &self.selectors {
            let chosen = match selector {
                Selector::One => list.nodes.min(most),
                Selector::Many | Selector::Filter(_) => children,
            };
            nodes = nodes.saturating_add(chosen);
            if let Selector::Filter(inner) = selector {
                let overlap = if list.nested { size.depth } else { 1 };
                let below = most.saturating_mul(overlap);
                for query in inner {
                    visits = visits.saturating_add(query.visits(chosen, below, size));
                }
            }
        }
        list.nodes = nodes;
        list.copies = list.copies.saturating_mul(self.selectors.len() as u128);
        visits.saturating_add(nodes)
    }
}

impl InnerPath {
    /// What it looks at for `filtered` values that have `below` values below them in all.
    fn visits(&self, filtered: u128, below: u128, size: Size) -> u128 {
        if self.path.is_singular() {
            let steps = self.path.segments.len() as u128 + 1;
            return filtered.saturating_mul(steps);
        }
        let whole = self.path.visits(size);
        let each = filtered.saturating_mul(whole);
        if self.from_root {
            return each;
        }
        // What it costs grows at least as the number of values does, so that parts of the
        // document cost no more than their share of the whole, but for what each costs at least.
        let share = below.saturating_mul(whole).div_ceil(size.values);
        each.min(
            share.saturating_add(filtered.saturating_mul(self.path.segments.len() as u128 + 1)),
        )
    }
}

impl Size {
    fn of(document: &Value) -> Self {
        let (mut values, mut depth) = (0, 0);
        let mut open = vec![(document, 1)];
        while let Some((value, level)) = open.pop() {
            values += 1;
            depth = depth.max(level);
            match value {
                Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
                Value::Object(fields) => open.extend(fields.values().map(|it| (it, level + 1))),
                _ => {}
            }
        }
        Self { values, depth }
    }
}

/// The rest of a path that is valid.
struct JsonPathReader<'p>(&'p str);

impl JsonPathReader<'_> {
    /// Segments as far as they go.
    fn path(&mut self) -> PathCost {
        let mut segments = Vec::new();
        while let Some(segment) = self.segment() {
            segments.push(segment);
        }
        PathCost { segments }
    }

    fn segment(&mut self) -> Option<Segment> {
        let before = self.0;
        self.blanks();
        let dots = self
            .0
            .bytes()
            .take_while(|byte| *byte == b'.')
            .count()
            .min(2);
        self.0 = &self.0[dots..];
        self.blanks();
        let selectors = match self.0.chars().next() {
            Some('[') => self.brackets(),
            Some('*') if dots > 0 => {
                self.0 = &self.0[1..];
                vec![Selector::Many]
            }
            Some(_) if dots > 0 => {
                self.0 = self.0.trim_start_matches(is_of_name);
                vec![Selector::One]
            }
            _ => {
                self.0 = before;
                return None;
            }
        };
        Some(Segment {
            descends: dots == 2,
            selectors,
        })
    }

    /// `[…]`, after which the reader stands.
    fn brackets(&mut self) -> Vec<Selector> {
        let mut selectors = Vec::new();
        self.0 = &self.0[1..];
        loop {
            self.blanks();
            selectors.push(self.selector());
            match self.0.chars().next() {
                Some(',') => self.0 = &self.0[1..],
                Some(_) => {
                    self.0 = &self.0[1..];
                    return selectors;
                }
                None => return selectors,
            }
        }
    }

    /// One selector up to the comma or bracket that ends it.
    fn selector(&mut self) -> Selector {
        let filters = self.0.starts_with('?');
        let (mut many, mut parentheses, mut inner) = (false, 0_usize, Vec::new());
        while let Some(next) = self.0.chars().next() {
            match next {
                ',' | ']' if parentheses == 0 => break,
                '\'' | '"' => {
                    self.text(next);
                    continue;
                }
                '$' | '@' if filters => {
                    self.0 = &self.0[1..];
                    let path = self.path();
                    let from_root = next == '$';
                    inner.push(InnerPath { from_root, path });
                    continue;
                }
                '(' => parentheses += 1,
                ')' => parentheses = parentheses.saturating_sub(1),
                '*' | ':' => many = true,
                _ => {}
            }
            self.0 = &self.0[next.len_utf8()..];
        }
        match (filters, many) {
            (true, _) => Selector::Filter(inner),
            (false, true) => Selector::Many,
            (false, false) => Selector::One,
        }
    }

    /// A text in quotation marks, after which the reader stands.
    fn text(&mut self, mark: char) {
        let mut escaped = false;
        for (at, next) in self.0.char_indices().skip(1) {
            match next {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if next == mark => {
                    self.0 = &self.0[at + 1..];
                    return;
                }
                _ => {}
            }
        }
        self.0 = "";
    }

    fn blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}

fn is_of_name(next: char) -> bool {
    next.is_alphanumeric() || next == '_' || !next.is_ascii()
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const BIG: Size = Size {
        values: 10_000,
        depth: 10,
    };

    fn visits(path: &str) -> u128 {
        assert!(serde_json_path::JsonPath::parse(path).is_ok(), "{path}");
        PathCost::of(path).visits(BIG)
    }

    #[test]
    fn what_multiplies_is_told_from_what_does_not() {
        for path in [
            "$",
            "$.a.b['c..d'][3]",
            "$ .a [ 'b' ]",
            "$['a\\'..,b'][\"x,*\"]",
        ] {
            assert!(visits(path) < 10, "{path}: {}", visits(path));
        }
        let about_once = [
            "$.*",
            "$..a",
            "$.a[*].b[*].c",
            "$..[?@.a == $.b.c]",
            "$[?@.a == 'x..y' && (@.b > 3 || length(@.c) < 2)].d",
            "$[?match(@.a, 'a,b]..*')]",
            "$.a[1:5].b",
            "$.é.日本[*]",
        ];
        for path in about_once {
            let visits = visits(path);
            assert!(
                (BIG.values..16 * BIG.values).contains(&visits),
                "{path}: {visits}"
            );
        }
        for (path, least) in [
            ("$..a..b", BIG.values * BIG.depth),
            ("$..*..*..*", BIG.values * BIG.depth * BIG.depth),
            ("$[*,*,*,*][*,*,*,*]", BIG.values * 16),
            ("$[?count($..*) > 1]", BIG.values * BIG.values),
            ("$..[?@..a]", BIG.values * BIG.depth),
            ("$[?@[?$[?$..a]]]", BIG.values * BIG.values * BIG.values),
        ] {
            assert!(visits(path) >= least, "{path}: {} of {least}", visits(path));
        }
    }

    #[test]
    fn a_path_that_multiplies_is_refused_on_a_large_document_only() {
        let small = json!({"a": [1, 2, {"b": [3]}]});
        let large = json!({"a": vec![json!({"b": 1}); 20_000]});
        let often = PathCost::of("$.a[?count($..b) > 1]");
        assert!(!often.is_too_much(&small));
        assert!(often.is_too_much(&large));
        assert!(!PathCost::of("$..b").is_too_much(&large));
        assert!(!PathCost::of("$.a[?@.b == $.a[0].b].b").is_too_much(&large));
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for text in [
            "", "$[", "$['", "$[?", "$[?@", "$..", "$.", "$[?($", "x", "$[?@['\\",
        ] {
            let _ = PathCost::of(text).visits(BIG);
        }
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(json!(1)), Just(json!("x")), Just(json!(null))];
        leaf.prop_recursive(5, 60, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..4)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    fn path() -> impl Strategy<Value = String> {
        let selector = prop::sample::select(vec![
            "*",
            "'a'",
            "0",
            "::2",
            "?@.a",
            "?@..b",
            "?count($..*) > 2",
            "?@[?@.a]",
            "?@.a == $.b",
        ]);
        let segment =
            (any::<bool>(), prop::collection::vec(selector, 1..4)).prop_map(|(descends, list)| {
                format!("{}[{}]", if descends { ".." } else { "" }, list.join(", "))
            });
        prop::collection::vec(segment, 0..4).prop_map(|segments| format!("${}", segments.concat()))
    }

    proptest! {
        #[test]
        fn the_bound_holds_what_is_found(document in document(), path in path()) {
            let bound = PathCost::of(&path).visits(Size::of(&document));
            if bound < 200_000 {
                let parsed = serde_json_path::JsonPath::parse(&path);
                let found = parsed.expect("the path is valid").query(&document).len();
                prop_assert!(found as u128 <= bound, "{} {} {}", path, found, bound);
            }
        }

        #[test]
        fn any_characters_are_read(text in ".{0,40}") {
            let _ = PathCost::of(&text).visits(BIG);
        }
    }
}
