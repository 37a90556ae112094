//! Module and Include Controllers: the elements they lead to are put in their place.

use std::path::{Path, PathBuf};

use plimsoll_plan::model::{Block, StepKind};
use plimsoll_text::Message;

use super::controllers::path_of;
use super::{Translator, flat};
use crate::read::{Node, Tree, read};
use crate::support;

/// Deepest nesting of included files.
const MAX_FILES: usize = 20;

impl Translator<'_> {
    /// JMeter 5.6.3, `ModuleController`: names from the root down; of several targets of one
    /// path the last is taken. A disabled target runs; its disabled children do not.
    pub(super) fn module(&mut self, node: &Node) -> StepKind {
        let mut body = Block::default();
        if !self.files.is_empty() {
            let message = Message::new("jmeter-module-in-include")
                .with("name", node.element.name.raw.as_str());
            self.warn(node.at, message);
            return StepKind::Block(body);
        }
        let path = path_of(node);
        if path.is_empty() {
            return StepKind::Block(body);
        }
        let tree = self.tree;
        let mut target = None;
        find(&tree.roots, path.get(1..).unwrap_or_default(), &mut target);
        let Some(target) = target else {
            let message = Message::new("jmeter-module-target").with("path", path.join(" › "));
            self.error(node.at, message);
            return StepKind::Block(body);
        };
        let address = std::ptr::from_ref(target);
        if self.modules.contains(&address) {
            let message = Message::new("jmeter-module-in-itself").with("path", path.join(" › "));
            self.error(node.at, message);
            return StepKind::Block(body);
        }
        self.modules.push(address);
        self.node(target, false, &mut body);
        self.modules.pop();
        StepKind::Block(body)
    }

    /// JMeter 5.6.3, `IncludeController`: what stands in the first test fragment of the file.
    pub(super) fn include(&mut self, node: &Node) -> StepKind {
        let name = self.fixed_or_raw(&super::text(&node.element, "IncludeController.includepath"));
        if name.is_empty() {
            return StepKind::Block(Block::default());
        }
        let Some((path, tree)) = self.included(node, &name) else {
            return StepKind::Block(Block::default());
        };
        let mut rows = support::table(&tree);
        for row in &mut rows {
            row.file = path.display().to_string();
        }
        // A file that is included twice is in the table once.
        if !self
            .included
            .iter()
            .any(|row| row.file == path.display().to_string())
        {
            self.included.extend(rows);
        }
        self.files.push(path);
        let body = match fragment(&tree.roots) {
            Some(fragment) => self.children(&fragment.children, false),
            None => {
                let message = Message::new("jmeter-include-no-fragment").with("file", name);
                self.warn(node.at, message);
                Block::default()
            }
        };
        self.files.pop();
        StepKind::Block(body)
    }

    /// The file, first by its prefixed name, then in the plan's folder.
    fn included(&mut self, node: &Node, name: &str) -> Option<(PathBuf, Tree)> {
        let prefix = self.options.properties.get("includecontroller.prefix");
        let prefixed = format!("{}{name}", prefix.map_or("", String::as_str));
        let first = PathBuf::from(prefixed.trim());
        let mut tried = vec![first.clone()];
        if first.is_relative() {
            tried.push(self.options.folder.join(&first));
            tried.push(self.options.folder.join(name.trim()));
        }
        let found = tried.iter().find_map(|path| self.read_file(path));
        let Some((path, bytes)) = found else {
            let message = Message::new("jmeter-include-missing")
                .with("file", flat(&node.element, "IncludeController.includepath"))
                .with("folder", self.options.folder.display().to_string());
            self.error(node.at, message);
            return None;
        };
        if self.files.contains(&path) || self.files.len() >= MAX_FILES {
            let message =
                Message::new("jmeter-include-in-itself").with("file", path.display().to_string());
            self.error(node.at, message);
            return None;
        }
        match read(&bytes) {
            Ok(tree) => Some((path, tree)),
            Err(problem) => {
                self.problems
                    .push(problem.in_file(&path.display().to_string()));
                None
            }
        }
    }

    fn read_file(&self, path: &Path) -> Option<(PathBuf, Vec<u8>)> {
        let bytes = (self.options.read_file)(path).ok()?;
        Some((path.to_owned(), bytes))
    }
}

/// Follows names down the tree; modules are no targets. The last of all that fit wins.
fn find<'n>(nodes: &'n [Node], path: &[&str], target: &mut Option<&'n Node>) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    for node in nodes {
        if node.element.class == "ModuleController" || node.element.name.raw != *name {
            continue;
        }
        if rest.is_empty() {
            *target = Some(node);
        }
        find(&node.children, rest, target);
    }
}

/// The first test fragment, at the top or below the test plan.
fn fragment(nodes: &[Node]) -> Option<&Node> {
    for node in nodes {
        match node.element.class.as_str() {
            "TestPlan" => return fragment(&node.children),
            "TestFragmentController" => return Some(node),
            _ => {}
        }
    }
    None
}
