//! What holds for all requests of a block: headers, variables, data, counters, processors.

use super::Decoder;
use crate::model::{
    Action, AtEnd, Counter, CsvData, DataOrder, Headers, HttpSettings, Language, OnError,
    Processor, Scope, Script, SharedBy, Span, Text, Variable,
};
use crate::yaml::node::{Key, Node};
use crate::yaml::table;

/// Who shares a thing.
pub(in crate::yaml) const SHARED_BY: &[(&str, SharedBy)] = &[
    ("user", SharedBy::User),
    ("scenario", SharedBy::Scenario),
    ("all", SharedBy::All),
];

pub(in crate::yaml) const ON_ERROR: &[(&str, OnError)] = &[
    ("continue", OnError::GoOn),
    ("next-pass", OnError::Act(Action::Continue)),
    ("leave-loop", OnError::Act(Action::Break)),
    ("next-iteration", OnError::Act(Action::NextIteration)),
    ("stop-user", OnError::Act(Action::StopUser)),
    ("stop-scenario", OnError::Act(Action::StopScenario)),
    ("stop-run", OnError::Act(Action::StopRun)),
    ("stop-run-now", OnError::Act(Action::StopRunNow)),
];

impl Decoder<'_> {
    /// What an object says for all requests below it. Its `variables` are left out when the
    /// caller keeps them elsewhere.
    pub(super) fn scope(&mut self, node: &Node, with_variables: bool) -> Scope {
        let mut scope = Scope::default();
        let mut settings = self.settings(node);
        settings.target = self.text(node, "target");
        if settings != HttpSettings::default() {
            scope.http.push(settings);
        }
        let headers = self.pairs(node, "headers");
        if !headers.is_empty() {
            scope.headers.push(Headers(headers));
        }
        if with_variables {
            scope.variables = self.variables(node);
        }
        scope.data = self.data(node);
        scope.counters = self.counters(node);
        scope.pauses = self.pauses(node);
        scope.before = self.processors(node, "before");
        scope
            .after
            .extend(self.saves(node).into_iter().map(Processor::Extract));
        scope.after.extend(self.processors(node, "after"));
        scope.checks = self.checks(node);
        scope.on_error = self.on_error(node);
        scope.elements = self.elements(node, "elements");
        scope.on_pass = self.elements(node, "on-pass");
        scope
    }

    /// The variables of a plan or a block.
    pub(super) fn variables(&mut self, node: &Node) -> Vec<Variable> {
        self.set_values(node, "variables")
    }

    fn variable(&mut self, name: &Key, value: &Node) -> Variable {
        self.check_name(&name.name, name.at);
        let mut variable = Variable {
            name: name.name.clone(),
            value: Text {
                raw: String::new(),
                at: value.at,
            },
            at: name.at,
            ..Variable::default()
        };
        if value.map().is_none() {
            match value.text() {
                Some(text) => variable.value = text,
                None => self.broken(value),
            }
            return variable;
        }
        variable.env = self.string(value, "env");
        variable.secret = self.bool(value, "secret").unwrap_or(false);
        variable.once_per_run = self.bool(value, "once-per-run").unwrap_or(false);
        match self.text(value, "default") {
            Some(text) => variable.value = text,
            // Nowhere: it has no value but what the environment gives.
            None if variable.env.is_some() => variable.value.at = Span::default(),
            None => self.error(value.at, "plan-variable-without-value"),
        }
        variable
    }

    /// Whether `${…}` can take a name.
    pub(super) fn check_name(&mut self, name: &str, at: Span) {
        if !self.any_name && !table::is_variable_name(name) {
            let message = plimsoll_text::Message::new("plan-bad-variable-name")
                .with("name", crate::yaml::check::shown(name));
            let remedy = plimsoll_text::Message::new("plan-bad-variable-name.remedy");
            self.problems
                .push(crate::Problem::error(at, message).remedy(remedy));
        }
    }

    /// Variables to set: a mapping of names to texts.
    pub(super) fn set_values(&mut self, node: &Node, key: &str) -> Vec<Variable> {
        let entries = self.value(node, key, Node::map_entries).unwrap_or_default();
        entries
            .iter()
            .map(|(name, value)| self.variable(name, value))
            .collect()
    }

    fn data(&mut self, node: &Node) -> Vec<CsvData> {
        let Some(node) = node.get("data") else {
            return Vec::new();
        };
        node.one_or_many()
            .iter()
            .map(|node| self.csv(node))
            .collect()
    }

    fn csv(&mut self, node: &Node) -> CsvData {
        let path = match node.map() {
            Some(_) => self.text(node, "csv"),
            None => node.text(),
        };
        let path = path.unwrap_or_default();
        let columns = self.parsed_list(node, "columns", |t| Some(t.to_owned()));
        for name in node
            .get("columns")
            .map(Node::one_or_many)
            .unwrap_or_default()
        {
            self.check_name(name.scalar().unwrap_or_default(), name.at);
        }
        let order = [
            ("sequential", DataOrder::Sequential),
            ("random", DataOrder::Random),
            ("unique", DataOrder::UniquePerUser),
        ];
        let at_end = [
            ("recycle", AtEnd::Recycle),
            ("stop", AtEnd::StopUser),
            ("marker", AtEnd::Marker),
        ];
        let data = CsvData {
            name: self
                .string(node, "name")
                .unwrap_or_else(|| path.raw.clone()),
            has_header: self.bool(node, "header").unwrap_or(columns.is_empty()),
            columns,
            delimiter: self
                .value(node, "delimiter", |node| table::delimiter(node.scalar()?))
                .unwrap_or(b','),
            encoding: self
                .string(node, "encoding")
                .unwrap_or_else(|| "utf-8".into()),
            order: self.word(node, "order", &order).unwrap_or_default(),
            at_end: self.word(node, "at-end", &at_end).unwrap_or_default(),
            shared_by: self.word(node, "shared-by", SHARED_BY).unwrap_or_default(),
            group: self.string(node, "group"),
            quoted: self.bool(node, "quoted").unwrap_or(true),
            path,
            at: node.at,
        };
        if data.columns.is_empty() && !data.has_header {
            self.error(node.at, "plan-data-without-names");
        }
        data
    }

    fn counters(&mut self, node: &Node) -> Vec<Counter> {
        let entries = self
            .value(node, "counters", Node::map_entries)
            .unwrap_or_default();
        let counters = entries.iter().map(|(name, value)| {
            self.check_name(&name.name, name.at);
            let start = match value.map() {
                Some(_) => self.int(value, "start"),
                None => super::int_of(value),
            };
            Counter {
                variable: name.name.clone(),
                start: start.unwrap_or(1),
                step: self.int(value, "step").unwrap_or(1),
                end: self.int(value, "end"),
                digits: self.int(value, "digits").unwrap_or(0),
                format: self.string(value, "format"),
                reset_each_iteration: self.bool(value, "reset-each-iteration").unwrap_or(false),
                shared_by: self.word(value, "shared-by", SHARED_BY).unwrap_or_default(),
                at: name.at,
            }
        });
        counters.collect()
    }

    /// Processors under a key.
    pub(super) fn processors(&mut self, node: &Node, key: &str) -> Vec<Processor> {
        let Some(list) = node.get(key) else {
            return Vec::new();
        };
        let mut processors = Vec::new();
        for item in list.one_or_many() {
            if let Some(script) = self.script(item, "js") {
                processors.push(Processor::Script(script));
            } else if item.get("set").is_some() {
                processors.extend(self.set_values(item, "set").into_iter().map(Processor::Set));
            } else if item.get("save").is_some() {
                processors.extend(self.saves(item).into_iter().map(Processor::Extract));
            } else if let Some(element) = self.element(item) {
                processors.push(Processor::Element(element));
            } else if let Some(on_error) = self.on_error(item) {
                processors.push(Processor::OnError(on_error));
            } else {
                self.broken(item);
            }
        }
        processors
    }

    /// A script under a key.
    pub(super) fn script(&mut self, node: &Node, key: &str) -> Option<Script> {
        let Text { raw, at } = self.text(node, key)?;
        Some(Script {
            language: Language::JavaScript,
            source: raw,
            at,
        })
    }

    /// The rule for failed samples.
    pub(super) fn on_error(&mut self, node: &Node) -> Option<OnError> {
        self.word(node, "on-error", ON_ERROR)
    }
}
