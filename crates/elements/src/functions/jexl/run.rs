//! Running a script.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::limits::{DOCUMENT_CPU_MS, TEXT_BYTES};

use super::arithmetic::{binary, complement, empty, index, minus, plus, same, truth};
use super::made::{Made, too_long};
use super::strings;
use super::token::Version;
use super::tree::{Function, Node};
use super::value::{Host, Value};
use crate::context::Context;
use crate::work::{Patience, Refused};

/// Steps of a script, at most: a load thread must not hang in one.
const MOST_STEPS: u32 = 10_000_000;
/// Calls of a script's own functions within each other.
const DEEPEST: u32 = 50;
/// Expressions within each other, those of functions that are called among them.
const DEEPEST_NODES: u32 = 2_000;

/// Why a statement did not go on.
pub(super) enum Stop {
    Failed(String),
    Return(Value),
    Break,
    Continue,
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// A value, or why there is none.
pub(super) type Done = Result<Value, Stop>;

/// A script that runs.
pub(super) struct Runner<'c> {
    cx: &'c mut dyn Context,
    pub(super) names: HashMap<Arc<str>, Value>,
    version: Version,
    steps: u32,
    depth: u32,
    nodes: u32,
    patience: Patience,
    made: Made,
}

/// Runs a script; gives its last value as text, none for null.
///
/// # Errors
/// Why it failed.
pub(super) fn run(
    script: &Node,
    version: Version,
    cx: &mut dyn Context,
) -> Result<Option<String>, String> {
    let mut runner = Runner {
        cx,
        names: HashMap::new(),
        version,
        steps: 0,
        depth: 0,
        nodes: 0,
        patience: Patience::new(),
        made: Made::default(),
    };
    let done = runner.node(script);
    let value = match &done {
        Ok(value) | Err(Stop::Return(value)) => match value.display() {
            text if text.len() > TEXT_BYTES => Err(too_long()),
            text => Ok((!value.is_null()).then_some(text)),
        },
        Err(Stop::Failed(why)) => Err(why.clone()),
        Err(Stop::Break | Stop::Continue) => Err("there is no loop to leave".to_owned()),
    };
    drop(done);
    runner.names.clear();
    runner.made.take_down();
    value
}

impl Runner<'_> {
    pub(super) fn node(&mut self, node: &Node) -> Done {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::Failed(format!("more than {MOST_STEPS} steps")));
        }
        self.patience.step().map_err(slow)?;
        self.nodes += 1;
        if self.nodes > DEEPEST_NODES {
            return Err(Stop::Failed(format!(
                "more than {DEEPEST_NODES} expressions within each other"
            )));
        }
        let done = self.inner(node);
        self.nodes -= 1;
        let value = done?;
        // What makes something new pays for it; names only give what is there.
        if matches!(
            node,
            Node::Template(_)
                | Node::List(_)
                | Node::Set(_)
                | Node::Map(_)
                | Node::Binary(..)
                | Node::Property(..)
                | Node::Method(..)
                | Node::Function(_)
        ) {
            self.made.keep(&value)?;
        }
        Ok(value)
    }

    fn inner(&mut self, node: &Node) -> Done {
        Ok(match node {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(*value),
            Node::Integer(value) => Value::Integer(*value),
            Node::Double(value) => Value::Double(*value),
            Node::Text(text) => Value::text(text),
            Node::Template(nodes) => self.template(nodes)?,
            Node::Name(name) => self.name(name)?,
            Node::List(nodes) => Value::list(self.all(nodes)?),
            Node::Set(nodes) => Value::Set(distinct(self.all(nodes)?).into()),
            Node::Map(entries) => self.map(entries)?,
            Node::Property(of, key) => self.property(of, key)?,
            Node::Method(of, name, arguments) => self.method(of, name, arguments)?,
            Node::Call(function, arguments) => self.call(function, arguments)?,
            Node::Assign(to, value) => self.assign(to, value)?,
            Node::Var(name, value) => {
                let value = match value {
                    Some(value) => self.node(value)?,
                    None => Value::Null,
                };
                self.names.insert(Arc::clone(name), value.clone());
                value
            }
            Node::Function(function) => {
                Value::Function(Arc::clone(function), Rc::new(self.names.clone()))
            }
            _ => return self.operation(node),
        })
    }

    fn operation(&mut self, node: &Node) -> Done {
        Ok(match node {
            Node::Range(from, to) => {
                let (from, to) = (self.node(from)?, self.node(to)?);
                let (Value::Integer(from), Value::Integer(to)) = (&from, &to) else {
                    return Err(Stop::Failed("a range is of whole numbers".to_owned()));
                };
                Value::Range(*from, *to)
            }
            Node::Not(of) => Value::Bool(!truth(&self.node(of)?)?),
            Node::Minus(of) => minus(&self.node(of)?)?,
            Node::Plus(of) => plus(&self.node(of)?)?,
            Node::Complement(of) => complement(&self.node(of)?)?,
            Node::Empty(of) => {
                let value = match self.version {
                    Version::Three => self.lenient(of)?,
                    Version::Two => self.node(of)?,
                };
                Value::Bool(empty(&value))
            }
            Node::Size(of) => {
                let value = self.lenient(of)?;
                Value::Integer(value.size().unwrap_or(0) as i128)
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                binary(*operator, &left, &right, self.version)?
            }
            Node::And(left, right) => {
                Value::Bool(truth(&self.node(left)?)? && truth(&self.node(right)?)?)
            }
            Node::Or(left, right) => {
                Value::Bool(truth(&self.node(left)?)? || truth(&self.node(right)?)?)
            }
            Node::Choice(condition, then, otherwise) => {
                let condition = self.lenient(condition)?;
                let holds = !condition.is_null() && truth(&condition)?;
                self.node(if holds { then } else { otherwise })?
            }
            Node::Elvis(first, other) => {
                let value = self.lenient(first)?;
                if !value.is_null() && truth(&value)? {
                    value
                } else {
                    self.node(other)?
                }
            }
            Node::Coalesce(first, other) => match self.lenient(first)? {
                Value::Null => self.node(other)?,
                value => value,
            },
            _ => return self.statement(node),
        })
    }

    fn template(&mut self, nodes: &[Node]) -> Done {
        let mut text = String::new();
        for node in nodes {
            text.push_str(&self.node(node)?.display());
            if text.len() > TEXT_BYTES {
                return Err(too_long().into());
            }
        }
        Ok(Value::text(text))
    }

    fn all(&mut self, nodes: &[Node]) -> Result<Vec<Value>, Stop> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn map(&mut self, entries: &[(Node, Node)]) -> Done {
        let mut values: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let (key, value) = (self.node(key)?, self.node(value)?);
            match values.iter().position(|(known, _)| same(known, &key)) {
                Some(at) => values[at].1 = value,
                None => values.push((key, value)),
            }
        }
        Ok(Value::Map(Rc::new(RefCell::new(values))))
    }

    fn name(&mut self, name: &str) -> Done {
        if let Some(value) = self.names.get(name) {
            return Ok(value.clone());
        }
        let host = match name {
            "vars" => Host::Vars,
            "props" => Host::Props,
            "log" => Host::Log,
            "ctx" => Host::Ctx,
            "OUT" => Host::Out,
            "sampler" if self.cx.sampler_name().is_some() => Host::Sampler,
            "sampleResult" if self.cx.previous().is_some() => Host::SampleResult,
            "sampler" | "sampleResult" => return Ok(Value::Null),
            "threadName" => return Ok(Value::text(&*self.cx.thread().name)),
            _ => return Err(Stop::Failed(format!("undefined variable {name}"))),
        };
        Ok(Value::Host(host))
    }

    /// A value, or null where a name or a property is not defined.
    fn lenient(&mut self, node: &Node) -> Done {
        match (node, self.node(node)) {
            (Node::Name(_) | Node::Property(..), Err(Stop::Failed(_))) => Ok(Value::Null),
            (_, done) => done,
        }
    }

    fn property(&mut self, of: &Node, key: &Node) -> Done {
        // `a.b` may be a name of its own.
        if let Some(name) = dotted(of, key)
            && let Some(value) = self.names.get(name.as_str())
        {
            return Ok(value.clone());
        }
        let of = self.node(of)?;
        let key = self.node(key)?;
        if let Value::Host(host) = of {
            let value = host.property(&key.display(), self.cx)?;
            // JEXL 2 takes a property that is null for one that is not there.
            if value.is_null() && self.version == Version::Two {
                return Err(Stop::Failed(format!(
                    "undefined property {}",
                    key.display()
                )));
            }
            return Ok(value);
        }
        let found = match &of {
            Value::List(values) => values.borrow().get(index(&key)?).cloned(),
            Value::Map(entries) => {
                let entries = entries.borrow();
                let found = entries.iter().find(|(known, _)| same(known, &key));
                Some(found.map_or(Value::Null, |(_, value)| value.clone()))
            }
            Value::Entry(entry) => match key.display().as_str() {
                "key" => Some(entry.0.clone()),
                "value" => Some(entry.1.clone()),
                _ => None,
            },
            Value::Text(_) if key.display() == "empty" => Some(strings::call(&of, "isEmpty", &[])?),
            _ => None,
        };
        found.ok_or_else(|| Stop::Failed(format!("unsolvable property {}", key.display())))
    }

    fn method(&mut self, of: &Node, name: &str, arguments: &[Node]) -> Done {
        let of = self.node(of)?;
        let arguments = self.all(arguments)?;
        // A method may take long by itself, and what it is given may be kept.
        self.patience.check().map_err(slow)?;
        self.made.spend(arguments.len() * size_of::<Value>())?;
        Ok(match of {
            Value::Host(host) => host.call(name, &arguments, self.cx)?,
            of => strings::call(&of, name, &arguments)?,
        })
    }

    fn call(&mut self, function: &Node, arguments: &[Node]) -> Done {
        let function = self.node(function)?;
        let arguments = self.all(arguments)?;
        let Value::Function(function, names) = function else {
            return Err(Stop::Failed("this is no function".to_owned()));
        };
        self.apply(&function, &names, arguments)
    }

    fn apply(
        &mut self,
        function: &Function,
        names: &HashMap<Arc<str>, Value>,
        arguments: Vec<Value>,
    ) -> Done {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Stop::Failed(format!(
                "more than {DEEPEST} calls within each other"
            )));
        }
        let mut inner = names.clone();
        // A function may call itself by its name.
        for (name, value) in &self.names {
            inner
                .entry(Arc::clone(name))
                .or_insert_with(|| value.clone());
        }
        let given = arguments.into_iter().chain(std::iter::repeat(Value::Null));
        inner.extend(function.parameters.iter().cloned().zip(given));
        let outer = std::mem::replace(&mut self.names, inner);
        let done = self.node(&function.body);
        self.names = outer;
        self.depth -= 1;
        match done {
            Err(Stop::Return(value)) => Ok(value),
            done => done,
        }
    }

    fn assign(&mut self, to: &Node, value: &Node) -> Done {
        let value = self.node(value)?;
        match to {
            Node::Name(name) => {
                self.names.insert(Arc::clone(name), value.clone());
            }
            Node::Property(of, key) => self.assign_property(of, key, &value)?,
            _ => return Err(Stop::Failed("this cannot be assigned to".to_owned())),
        }
        Ok(value)
    }

    fn assign_property(&mut self, of: &Node, key: &Node, value: &Value) -> Result<(), Stop> {
        let name = dotted(of, key);
        let of = match self.node(of) {
            Ok(of) => of,
            // A name of its own: `a.b = 1`.
            Err(Stop::Failed(why)) => {
                let name = name.ok_or(Stop::Failed(why))?;
                self.names.insert(name.into(), value.clone());
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        let key = self.node(key)?;
        match of {
            Value::Host(host) => host.set(&key.display(), value, self.cx)?,
            Value::List(values) => {
                let at = index(&key)?;
                let mut values = values.borrow_mut();
                let entry = values.get_mut(at);
                *entry.ok_or_else(|| format!("the list has no entry {at}"))? = value.clone();
            }
            map @ Value::Map(_) => {
                strings::call(&map, "put", &[key, value.clone()])?;
            }
            _ => return Err(Stop::Failed("this cannot be assigned to".to_owned())),
        }
        Ok(())
    }
}

fn slow(refused: Refused) -> Stop {
    debug_assert_eq!(refused, Refused::TooLong);
    Stop::Failed(format!(
        "the script took more than {DOCUMENT_CPU_MS} ms of CPU time and was stopped"
    ))
}

/// The values without those that came before.
fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        if !kept.iter().any(|known| same(known, &value)) {
            kept.push(value);
        }
    }
    kept
}

/// `a.b` as one name, where both are names.
fn dotted(of: &Node, key: &Node) -> Option<String> {
    match (of, key) {
        (Node::Name(of), Node::Text(key)) => Some(format!("{of}.{key}")),
        _ => None,
    }
}
