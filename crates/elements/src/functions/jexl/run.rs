//! Running a script.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::limits::DOCUMENT_CPU_MS;

use super::arithmetic::{binary, complement, empty, index, minus, plus, same, truth};
use super::made::MadeValues;
use super::strings;
use super::token::Version;
use super::tree::{JexlFunction, JexlNode};
use super::value::{HostObject, JexlValue, bounded};
use crate::context::Context;
use crate::work::{CpuPatience, DocumentRefused};

/// Steps of a script, at most: a load thread must not hang in one.
const MOST_STEPS: u32 = 10_000_000;
/// Calls of a script's own functions within each other.
const DEEPEST: u32 = 50;
/// Expressions within each other, those of functions that are called among them.
const DEEPEST_NODES: u32 = 2_000;

/// Why a statement did not go on.
pub(super) enum JexlStop {
    Failed(String),
    Return(JexlValue),
    Break,
    Continue,
}

impl From<String> for JexlStop {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// A value, or why there is none.
pub(super) type Done = Result<JexlValue, JexlStop>;

/// A script that runs.
pub(super) struct JexlRunner<'c> {
    cx: &'c mut dyn Context,
    pub(super) names: HashMap<Arc<str>, JexlValue>,
    version: Version,
    steps: u32,
    depth: u32,
    nodes: u32,
    patience: CpuPatience,
    made: MadeValues,
}

/// Runs a script; gives its last value as text, none for null.
///
/// # Errors
/// Why it failed.
pub(super) fn run(
    script: &JexlNode,
    version: Version,
    cx: &mut dyn Context,
) -> Result<Option<String>, String> {
    let mut runner = JexlRunner {
        cx,
        names: HashMap::new(),
        version,
        steps: 0,
        depth: 0,
        nodes: 0,
        patience: CpuPatience::new(),
        made: MadeValues::default(),
    };
    let done = runner.node(script);
    let value = match &done {
        Ok(value) | Err(JexlStop::Return(value)) => value
            .written()
            .map(|text| (!value.is_null()).then_some(text)),
        Err(JexlStop::Failed(why)) => Err(why.clone()),
        Err(JexlStop::Break | JexlStop::Continue) => Err("there is no loop to leave".to_owned()),
    };
    drop(done);
    runner.names.clear();
    runner.made.take_down();
    value
}

impl JexlRunner<'_> {
    pub(super) fn node(&mut self, node: &JexlNode) -> Done {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(JexlStop::Failed(format!("more than {MOST_STEPS} steps")));
        }
        self.patience.step().map_err(slow)?;
        self.nodes += 1;
        if self.nodes > DEEPEST_NODES {
            return Err(JexlStop::Failed(format!(
                "more than {DEEPEST_NODES} expressions within each other"
            )));
        }
        let done = self.inner(node);
        self.nodes -= 1;
        let value = done?;
        // What makes something new pays for it; names only give what is there.
        if matches!(
            node,
            JexlNode::Template(_)
                | JexlNode::List(_)
                | JexlNode::Set(_)
                | JexlNode::Map(_)
                | JexlNode::Binary(..)
                | JexlNode::Property(..)
                | JexlNode::Method(..)
                | JexlNode::Function(_)
        ) {
            self.made.keep(&value)?;
        }
        Ok(value)
    }

    fn inner(&mut self, node: &JexlNode) -> Done {
        Ok(match node {
            JexlNode::Null => JexlValue::Null,
            JexlNode::Bool(value) => JexlValue::Bool(*value),
            JexlNode::Integer(value) => JexlValue::Integer(*value),
            JexlNode::Double(value) => JexlValue::Double(*value),
            JexlNode::Text(text) => JexlValue::text(text),
            JexlNode::Template(nodes) => self.template(nodes)?,
            JexlNode::Name(name) => self.name(name)?,
            JexlNode::List(nodes) => JexlValue::list(self.all(nodes)?),
            JexlNode::Set(nodes) => JexlValue::Set(distinct(self.all(nodes)?).into()),
            JexlNode::Map(entries) => self.map(entries)?,
            JexlNode::Property(of, key) => self.property(of, key)?,
            JexlNode::Method(of, name, arguments) => self.method(of, name, arguments)?,
            JexlNode::Call(function, arguments) => self.call(function, arguments)?,
            JexlNode::Assign(to, value) => self.assign(to, value)?,
            JexlNode::Var(name, value) => {
                let value = match value {
                    Some(value) => self.node(value)?,
                    None => JexlValue::Null,
                };
                self.names.insert(Arc::clone(name), value.clone());
                value
            }
            JexlNode::Function(function) => {
                JexlValue::Function(Arc::clone(function), Rc::new(self.names.clone()))
            }
            _ => return self.operation(node),
        })
    }

    fn operation(&mut self, node: &JexlNode) -> Done {
        Ok(match node {
            JexlNode::Range(from, to) => {
                let (from, to) = (self.node(from)?, self.node(to)?);
                let (JexlValue::Integer(from), JexlValue::Integer(to)) = (&from, &to) else {
                    return Err(JexlStop::Failed("a range is of whole numbers".to_owned()));
                };
                JexlValue::Range(*from, *to)
            }
            JexlNode::Not(of) => JexlValue::Bool(!truth(&self.node(of)?)?),
            JexlNode::Minus(of) => minus(&self.node(of)?)?,
            JexlNode::Plus(of) => plus(&self.node(of)?)?,
            JexlNode::Complement(of) => complement(&self.node(of)?)?,
            JexlNode::Empty(of) => {
                let value = match self.version {
                    Version::Three => self.lenient(of)?,
                    Version::Two => self.node(of)?,
                };
                JexlValue::Bool(empty(&value))
            }
            JexlNode::Size(of) => {
                let value = self.lenient(of)?;
                JexlValue::Integer(value.size().unwrap_or(0) as i128)
            }
            JexlNode::Binary(operator, left, right) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                binary(*operator, &left, &right, self.version)?
            }
            JexlNode::And(left, right) => {
                JexlValue::Bool(truth(&self.node(left)?)? && truth(&self.node(right)?)?)
            }
            JexlNode::Or(left, right) => {
                JexlValue::Bool(truth(&self.node(left)?)? || truth(&self.node(right)?)?)
            }
            JexlNode::Choice(condition, then, otherwise) => {
                let condition = self.lenient(condition)?;
                let holds = !condition.is_null() && truth(&condition)?;
                self.node(if holds { then } else { otherwise })?
            }
            JexlNode::Elvis(first, other) => {
                let value = self.lenient(first)?;
                if !value.is_null() && truth(&value)? {
                    value
                } else {
                    self.node(other)?
                }
            }
            JexlNode::Coalesce(first, other) => match self.lenient(first)? {
                JexlValue::Null => self.node(other)?,
                value => value,
            },
            _ => return self.statement(node),
        })
    }

    fn template(&mut self, nodes: &[JexlNode]) -> Done {
        let mut text = String::new();
        for node in nodes {
            text.push_str(&self.node(node)?.written()?);
            bounded(text.len())?;
        }
        Ok(JexlValue::text(text))
    }

    fn all(&mut self, nodes: &[JexlNode]) -> Result<Vec<JexlValue>, JexlStop> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn map(&mut self, entries: &[(JexlNode, JexlNode)]) -> Done {
        let mut values: Vec<(JexlValue, JexlValue)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let (key, value) = (self.node(key)?, self.node(value)?);
            match values.iter().position(|(known, _)| same(known, &key)) {
                Some(at) => values[at].1 = value,
                None => values.push((key, value)),
            }
        }
        Ok(JexlValue::Map(Rc::new(RefCell::new(values))))
    }

    fn name(&mut self, name: &str) -> Done {
        if let Some(value) = self.names.get(name) {
            return Ok(value.clone());
        }
        let host = match name {
            "vars" => HostObject::Vars,
            "props" => HostObject::Props,
            "log" => HostObject::Log,
            "ctx" => HostObject::Ctx,
            "OUT" => HostObject::Out,
            "sampler" if self.cx.sampler_name().is_some() => HostObject::Sampler,
            "sampleResult" if self.cx.previous().is_some() => HostObject::SampleResult,
            "sampler" | "sampleResult" => return Ok(JexlValue::Null),
            "threadName" => return Ok(JexlValue::text(&*self.cx.thread().name)),
            _ => return Err(JexlStop::Failed(format!("undefined variable {name}"))),
        };
        Ok(JexlValue::Host(host))
    }

    /// A value, or null where a name or a property is not defined.
    fn lenient(&mut self, node: &JexlNode) -> Done {
        match (node, self.node(node)) {
            (JexlNode::Name(_) | JexlNode::Property(..), Err(JexlStop::Failed(_))) => {
                Ok(JexlValue::Null)
            }
            (_, done) => done,
        }
    }

    fn property(&mut self, of: &JexlNode, key: &JexlNode) -> Done {
        // `a.b` may be a name of its own.
        if let Some(name) = dotted(of, key)
            && let Some(value) = self.names.get(name.as_str())
        {
            return Ok(value.clone());
        }
        let of = self.node(of)?;
        let key = self.node(key)?;
        if let JexlValue::Host(host) = of {
            let value = host.property(&key.display(), self.cx)?;
            // JEXL 2 takes a property that is null for one that is not there.
            if value.is_null() && self.version == Version::Two {
                return Err(JexlStop::Failed(format!(
                    "undefined property {}",
                    key.display()
                )));
            }
            return Ok(value);
        }
        let found = match &of {
            JexlValue::List(values) => values.borrow().get(index(&key)?).cloned(),
            JexlValue::Map(entries) => {
                let entries = entries.borrow();
                let found = entries.iter().find(|(known, _)| same(known, &key));
                Some(found.map_or(JexlValue::Null, |(_, value)| value.clone()))
            }
            JexlValue::Entry(entry) => match key.display().as_str() {
                "key" => Some(entry.0.clone()),
                "value" => Some(entry.1.clone()),
                _ => None,
            },
            JexlValue::Text(_) if key.display() == "empty" => {
                Some(strings::call(&of, "isEmpty", &[])?)
            }
            _ => None,
        };
        found.ok_or_else(|| JexlStop::Failed(format!("unsolvable property {}", key.display())))
    }

    fn method(&mut self, of: &JexlNode, name: &str, arguments: &[JexlNode]) -> Done {
        let of = self.node(of)?;
        let arguments = self.all(arguments)?;
        // A method may take long by itself, and what it is given may be kept.
        self.patience.check().map_err(slow)?;
        self.made.spend(arguments.len() * size_of::<JexlValue>())?;
        Ok(match of {
            JexlValue::Host(host) => host.call(name, &arguments, self.cx)?,
            of => strings::call(&of, name, &arguments)?,
        })
    }

    fn call(&mut self, function: &JexlNode, arguments: &[JexlNode]) -> Done {
        let function = self.node(function)?;
        let arguments = self.all(arguments)?;
        let JexlValue::Function(function, names) = function else {
            return Err(JexlStop::Failed("this is no function".to_owned()));
        };
        self.apply(&function, &names, arguments)
    }

    fn apply(
        &mut self,
        function: &JexlFunction,
        names: &HashMap<Arc<str>, JexlValue>,
        arguments: Vec<JexlValue>,
    ) -> Done {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(JexlStop::Failed(format!(
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
        let given = arguments
            .into_iter()
            .chain(std::iter::repeat(JexlValue::Null));
        inner.extend(function.parameters.iter().cloned().zip(given));
        let outer = std::mem::replace(&mut self.names, inner);
        let done = self.node(&function.body);
        self.names = outer;
        self.depth -= 1;
        match done {
            Err(JexlStop::Return(value)) => Ok(value),
            done => done,
        }
    }

    fn assign(&mut self, to: &JexlNode, value: &JexlNode) -> Done {
        let value = self.node(value)?;
        match to {
            JexlNode::Name(name) => {
                self.names.insert(Arc::clone(name), value.clone());
            }
            JexlNode::Property(of, key) => self.assign_property(of, key, &value)?,
            _ => return Err(JexlStop::Failed("this cannot be assigned to".to_owned())),
        }
        Ok(value)
    }

    fn assign_property(
        &mut self,
        of: &JexlNode,
        key: &JexlNode,
        value: &JexlValue,
    ) -> Result<(), JexlStop> {
        let name = dotted(of, key);
        let of = match self.node(of) {
            Ok(of) => of,
            // A name of its own: `a.b = 1`.
            Err(JexlStop::Failed(why)) => {
                let name = name.ok_or(JexlStop::Failed(why))?;
                self.names.insert(name.into(), value.clone());
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        let key = self.node(key)?;
        match of {
            JexlValue::Host(host) => host.set(&key.display(), value, self.cx)?,
            JexlValue::List(values) => {
                let at = index(&key)?;
                let mut values = values.borrow_mut();
                let entry = values.get_mut(at);
                *entry.ok_or_else(|| format!("the list has no entry {at}"))? = value.clone();
            }
            map @ JexlValue::Map(_) => {
                strings::call(&map, "put", &[key, value.clone()])?;
            }
            _ => return Err(JexlStop::Failed("this cannot be assigned to".to_owned())),
        }
        Ok(())
    }
}

fn slow(refused: DocumentRefused) -> JexlStop {
    debug_assert_eq!(refused, DocumentRefused::TooLong);
    JexlStop::Failed(format!(
        "the script took more than {DOCUMENT_CPU_MS} ms of CPU time and was stopped"
    ))
}

/// The values without those that came before.
fn distinct(values: Vec<JexlValue>) -> Vec<JexlValue> {
    let mut kept: Vec<JexlValue> = Vec::with_capacity(values.len());
    for value in values {
        if !kept.iter().any(|known| same(known, &value)) {
            kept.push(value);
        }
    }
    kept
}

/// `a.b` as one name, where both are names.
fn dotted(of: &JexlNode, key: &JexlNode) -> Option<String> {
    match (of, key) {
        (JexlNode::Name(of), JexlNode::Text(key)) => Some(format!("{of}.{key}")),
        _ => None,
    }
}
