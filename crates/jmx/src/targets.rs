//! Where Module and Include Controllers lead.

use std::collections::HashSet;

use plimsoll_plan::model::ElementValue;

use crate::read::{JmxNode, Tree};

/// The names of the path a Module Controller holds, the root's first.
pub(crate) fn path_of(node: &JmxNode) -> Vec<&str> {
    let Some(ElementValue::List(items)) = node.element.get("ModuleController.node_path") else {
        return Vec::new();
    };
    let names = items.iter().filter_map(|item| match item {
        ElementValue::Text(text) => Some(text.raw.as_str()),
        _ => None,
    });
    names.collect()
}

/// The element at a path. Modules are no targets; the last of all that fit wins.
pub(crate) fn target_of<'n>(tree: &'n Tree, path: &[&str]) -> Option<&'n JmxNode> {
    let mut target = None;
    find(&tree.roots, path.get(1..).unwrap_or_default(), &mut target);
    target
}

fn find<'n>(nodes: &'n [JmxNode], path: &[&str], target: &mut Option<&'n JmxNode>) {
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
pub(crate) fn fragment(nodes: &[JmxNode]) -> Option<&JmxNode> {
    for node in nodes {
        match node.element.class.as_str() {
            "TestPlan" => return fragment(&node.children),
            "TestFragmentController" => return Some(node),
            _ => {}
        }
    }
    None
}

/// The elements that run, though they or what is around them are off, because a module that is
/// on leads there; by their address.
pub(crate) fn led_to(tree: &Tree) -> HashSet<*const JmxNode> {
    let mut targets = HashSet::new();
    let mut waiting: Vec<&JmxNode> = tree.roots.iter().filter(|node| node.enabled).collect();
    while let Some(node) = waiting.pop() {
        waiting.extend(node.children.iter().filter(|child| child.enabled));
        if node.element.class != "ModuleController" {
            continue;
        }
        if let Some(target) = target_of(tree, &path_of(node))
            && targets.insert(std::ptr::from_ref(target))
        {
            waiting.push(target);
        }
    }
    targets
}
