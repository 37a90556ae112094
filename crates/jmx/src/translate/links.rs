//! Module and Include Controllers: the elements they lead to are put in their place, before
//! anything else looks at the plan, as JMeter does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use plimsoll_plan::model::{ElementValue, Span, Text};
use plimsoll_plan::{Problem, Severity};
use plimsoll_text::Message;

use super::element::flat;
use super::fixed::KnownBefore;
use super::options::TranslateOptions;
use crate::read::{JmxNode, Tree, read};
use crate::support::{self, Row};
use crate::targets;
use crate::xml::problem;

/// Most elements a plan may have after its modules and includes are put in.
const MAX_NODES: usize = 200_000;

/// Deepest nesting after modules and includes are put in; the compiler takes no more either.
const MAX_DEPTH: usize = 100;

/// Deepest nesting of included files.
const MAX_FILES: usize = 20;

/// Property of an Include Controller that has been followed: the file it led to.
const FOLLOWED: &str = "IncludeController.followed";

/// A plan without what is off, with what its links lead to.
pub(super) struct Linked {
    /// The elements.
    pub tree: Tree,
    /// What is wrong with links.
    pub problems: Vec<Problem>,
    /// Rows of the table for included files.
    pub included: Vec<Row>,
}

/// Follows the links of a plan.
pub(super) fn follow(tree: &Tree, options: &TranslateOptions<'_>) -> Linked {
    let mut linker = Linker {
        tree,
        options,
        problems: Vec::new(),
        included: Vec::new(),
        files: Vec::new(),
        known: HashMap::new(),
        modules: Vec::new(),
        nodes: 0,
        depth: 0,
        is_told: false,
    };
    let roots = linker.all(&tree.roots);
    Linked {
        tree: Tree {
            roots,
            jmeter: tree.jmeter.clone(),
            strange: tree.strange.clone(),
        },
        problems: linker.problems,
        included: linker.included,
    }
}

/// The file an Include Controller was followed to.
pub(super) fn followed(node: &JmxNode) -> Option<PathBuf> {
    let path = node.element.text(FOLLOWED)?;
    Some(PathBuf::from(&path.raw))
}

struct Linker<'t> {
    tree: &'t Tree,
    options: &'t TranslateOptions<'t>,
    problems: Vec<Problem>,
    included: Vec<Row>,
    /// The included files around us.
    files: Vec<PathBuf>,
    /// Files that were read, so that one that many includes lead to is read once.
    known: HashMap<PathBuf, Rc<Tree>>,
    /// Targets of the modules around us, by their address.
    modules: Vec<*const JmxNode>,
    nodes: usize,
    depth: usize,
    /// That there is too much has been said.
    is_told: bool,
}

/// A file that an Include Controller leads to.
enum FoundFile {
    Known(Rc<Tree>),
    Bytes(Vec<u8>),
}

impl Linker<'_> {
    fn all(&mut self, nodes: &[JmxNode]) -> Vec<JmxNode> {
        let enabled = nodes.iter().filter(|node| node.enabled);
        enabled.filter_map(|node| self.node(node)).collect()
    }

    /// An element with what is below it; none when there is too much already, which is said.
    fn node(&mut self, node: &JmxNode) -> Option<JmxNode> {
        self.nodes += 1;
        let too_much = match (self.nodes, self.depth) {
            (nodes, _) if nodes > MAX_NODES => ("jmeter-too-many", MAX_NODES),
            (_, depth) if depth >= MAX_DEPTH => ("jmeter-too-deep", MAX_DEPTH),
            _ => ("", 0),
        };
        if let (id, limit @ 1..) = too_much {
            // Once is enough: the rest would be of the same place.
            if !self.is_told {
                self.error(node.at, Message::new(id).with("limit", limit));
            }
            self.is_told = true;
            return None;
        }
        self.depth += 1;
        let mut linked = JmxNode {
            element: node.element.clone(),
            gui_class: node.gui_class.clone(),
            test_class: node.test_class.clone(),
            enabled: true,
            children: Vec::new(),
            at: node.at,
        };
        linked.children = match node.element.class.as_str() {
            "ModuleController" => self.module(node),
            "IncludeController" => self.include(&mut linked),
            _ => self.all(&node.children),
        };
        self.depth -= 1;
        Some(linked)
    }

    /// JMeter 5.6.3, `ModuleController`: names from the root down; of several targets of one
    /// path the last is taken. A disabled target runs; its disabled children do not.
    fn module(&mut self, node: &JmxNode) -> Vec<JmxNode> {
        if !self.files.is_empty() {
            let message = Message::new("jmeter-module-in-include")
                .with("name", node.element.name.raw.as_str());
            self.error(node.at, message);
            self.problems.last_mut().into_iter().for_each(|problem| {
                problem.severity = Severity::Warning;
            });
            return Vec::new();
        }
        let path = targets::path_of(node);
        if path.is_empty() {
            return Vec::new();
        }
        let tree = self.tree;
        let Some(target) = targets::target_of(tree, &path) else {
            let message = Message::new("jmeter-module-target").with("path", path.join(" › "));
            self.error(node.at, message);
            return Vec::new();
        };
        let address = std::ptr::from_ref(target);
        if self.modules.contains(&address) {
            let message = Message::new("jmeter-module-in-itself").with("path", path.join(" › "));
            self.error(node.at, message);
            return Vec::new();
        }
        self.modules.push(address);
        let linked = self.node(target);
        self.modules.pop();
        linked.into_iter().collect()
    }

    /// JMeter 5.6.3, `IncludeController`: what stands in the first test fragment of the file.
    fn include(&mut self, node: &mut JmxNode) -> Vec<JmxNode> {
        let written = flat(&node.element, "IncludeController.includepath");
        let known = KnownBefore {
            properties: Some(self.options.properties),
            ..KnownBefore::default()
        };
        let name = known.value(&written).unwrap_or(written);
        if name.is_empty() {
            return Vec::new();
        }
        let Some((path, tree)) = self.open(node, &name) else {
            return Vec::new();
        };
        let file = path.display().to_string();
        let value = ElementValue::Text(Text::of(file.as_str()));
        node.element.properties.push((FOLLOWED.to_owned(), value));
        let fragment = targets::fragment(&tree.roots);
        // A file that is included twice is in the table once.
        if !self.included.iter().any(|row| row.file == file) {
            let mut rows = support::table_of_included(&tree, fragment);
            rows.iter_mut().for_each(|row| row.file.clone_from(&file));
            self.included.append(&mut rows);
        }
        let Some(fragment) = fragment else {
            let message = Message::new("jmeter-include-no-fragment").with("file", name);
            self.error(node.at, message);
            self.problems.last_mut().into_iter().for_each(|problem| {
                problem.severity = Severity::Warning;
            });
            return Vec::new();
        };
        self.files.push(path);
        let children = self.all(&fragment.children);
        self.files.pop();
        children
    }

    /// The file, first by its prefixed name, then in the plan's folder.
    fn open(&mut self, node: &JmxNode, name: &str) -> Option<(PathBuf, Rc<Tree>)> {
        let prefix = self.options.properties.get("includecontroller.prefix");
        let prefixed = format!("{}{name}", prefix.map_or("", String::as_str));
        let first = PathBuf::from(prefixed.trim());
        let mut tried = vec![first.clone()];
        if first.is_relative() {
            tried.push(self.options.folder.join(&first));
            tried.push(self.options.folder.join(name.trim()));
        }
        let found = tried.iter().find_map(|path| self.read_file(path));
        let Some((path, file)) = found else {
            let message = Message::new("jmeter-include-missing")
                .with("file", name)
                .with("folder", self.options.folder.display().to_string());
            self.error(node.at, message);
            return None;
        };
        if self.files.contains(&path) || self.files.len() >= MAX_FILES {
            let file = path.display().to_string();
            let message = Message::new("jmeter-include-in-itself").with("file", file);
            self.error(node.at, message);
            return None;
        }
        let read = match file {
            FoundFile::Known(tree) => Ok(tree),
            FoundFile::Bytes(bytes) => read(&bytes).map(Rc::new),
        };
        match read {
            Ok(tree) => {
                self.known.insert(path.clone(), Rc::clone(&tree));
                Some((path, tree))
            }
            Err(problem) => {
                let file = path.display().to_string();
                self.problems.push(problem.in_file(&file));
                None
            }
        }
    }

    fn read_file(&self, path: &Path) -> Option<(PathBuf, FoundFile)> {
        let found = match self.known.get(path) {
            Some(tree) => FoundFile::Known(Rc::clone(tree)),
            None => FoundFile::Bytes((self.options.read_file)(path).ok()?),
        };
        Some((path.to_owned(), found))
    }

    fn error(&mut self, at: Span, message: Message) {
        let mut found = *problem(at, message);
        if let Some(file) = self.files.last() {
            found.file = file.display().to_string();
        }
        self.problems.push(found);
    }
}
