//! Class histograms: of what a heap became full.

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::classes::class_counts;
use crate::figures::megabytes;
use crate::model::Exhibit;
use crate::scene::Scene;

/// Classes that are only what others are made of.
const MATERIAL: &[&str] = &["[", "java.", "javax.", "jdk.", "sun.", "com.sun."];
/// Growth below this says nothing, bytes.
const LEAST_BYTES: f64 = 1e6;

/// As many nodes as objects, give or take.
const AS_MANY: f64 = 0.1;
/// Arrays of references.
const ARRAYS: &str = "[Ljava.lang.Object;";
/// What a reference takes in an array, bytes: 4 where heaps are below 32 GB, and room to grow up to twice.
const REFERENCE_BYTES: f64 = 4.0;
const MOST_REFERENCES: f64 = 4.0;
/// Arrays of that share of the objects are few.
const FEW: f64 = 0.2;
/// Nodes are what grows where they are so many times more than any other objects, and so many at least.
const MANY_MORE: f64 = 5.0;
const LEAST_NODES: f64 = 10_000.0;

/// Whose nodes hold one object each: the JDK's containers and known caches.
const CONTAINERS: [&str; 6] = [
    "java.util.",
    "java.lang.ThreadLocal",
    "com.google.common.",
    "com.github.benmanes.caffeine.",
    "org.ehcache.",
    "net.sf.ehcache.",
];

/// Whether a class is the node of a container: `java.util.HashMap$Node`, `java.util.TreeMap$Entry`.
fn is_node(name: &str) -> bool {
    let last = name.rsplit(['$', '.']).next().unwrap_or_default();
    let is_part = ["Node", "Entry", "Element"]
        .iter()
        .any(|end| last.ends_with(end));
    is_part && CONTAINERS.iter().any(|begin| name.starts_with(begin))
}

/// What holds the objects of a class.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassHolder {
    /// `nodes` of a container, or `arrays`.
    pub kind: &'static str,
    /// Its class.
    pub name: String,
    /// So many more of it.
    pub objects: f64,
}

impl ClassHolder {
    /// That as many came of it.
    pub(super) fn exhibit(&self, class: &Class) -> Exhibit {
        let text = Message::new("exhibit-class-holder")
            .with("kind", self.kind)
            .with("class", class.name.as_str())
            .with("holder", self.name.as_str())
            .with("objects", self.objects.round());
        Exhibit::new(text)
    }
}

/// How much more there is of a class at the end than at the beginning.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
    /// Its name.
    pub name: String,
    /// More objects.
    pub objects: f64,
    /// More bytes, without what the objects refer to.
    pub bytes: f64,
}

/// What grew between the first and the last histogram of a JVM.
#[derive(Debug)]
pub(super) struct Growth {
    capture: i64,
    /// The largest growth first.
    pub classes: Vec<Class>,
    lines: Vec<String>,
}

impl Growth {
    /// None without two histograms.
    pub(super) fn of(scene: &Scene<'_>, jvm: &Entity) -> Option<Self> {
        let all = scene.captures("class_histogram");
        let own: Vec<_> = all.filter(|capture| capture.entity == *jvm).collect();
        let (first, last) = (own.first()?, own.last()?);
        if first.number == last.number {
            return None;
        }
        let (before, after) = (class_counts(&first.text), class_counts(&last.text));
        let mut classes: Vec<Class> = after
            .iter()
            .map(|(name, now)| {
                let then = before.get(name).copied().unwrap_or_default();
                Class {
                    name: name.clone(),
                    objects: now.objects - then.objects,
                    bytes: now.bytes - then.bytes,
                }
            })
            .collect();
        classes.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
        let lines = last.text.lines().take(12).map(str::to_owned).collect();
        Some(Self {
            capture: last.number,
            classes,
            lines,
        })
    }

    /// The class of the application or its frameworks that grew most; what it refers to, such as
    /// strings, is more than its own bytes.
    pub(super) fn largest(&self) -> Option<Class> {
        let total: f64 = self.classes.iter().map(|class| class.bytes.max(0.0)).sum();
        if total < LEAST_BYTES {
            return None;
        }
        let own = self.classes.iter().filter(|class| {
            let is_material = MATERIAL.iter().any(|start| class.name.starts_with(start));
            !is_material && class.bytes > 0.0
        });
        let own = own.max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        self.nodes_alone(own).or_else(|| own.cloned())
    }

    /// What holds the objects of a class that grew: containers have a node for each object that they hold, so that
    /// as many came of both; or arrays, of which a few grew by a reference for each object.
    pub(super) fn holder(&self, class: &Class) -> Option<ClassHolder> {
        let fits = |nodes: f64, held: f64| (nodes / held.max(1.0) - 1.0).abs() <= AS_MANY;
        let with_it =
            |other: &&Class| other.name != class.name && fits(other.objects, class.objects);
        let nodes = self
            .classes
            .iter()
            .filter(with_it)
            .filter(|other| is_node(&other.name));
        if let Some(node) = nodes.max_by(|a, b| a.bytes.total_cmp(&b.bytes)) {
            return Some(ClassHolder {
                kind: "nodes",
                name: node.name.clone(),
                objects: node.objects,
            });
        }
        let arrays = self.classes.iter().find(|other| other.name == ARRAYS)?;
        let few = arrays.objects < FEW * class.objects;
        let references = arrays.bytes >= REFERENCE_BYTES * class.objects;
        // Of more bytes than references to them take the arrays hold others.
        let no_more = arrays.bytes <= MOST_REFERENCES * REFERENCE_BYTES * class.objects;
        (few && references && no_more).then(|| ClassHolder {
            kind: "arrays",
            name: "java.lang.Object[]".to_owned(),
            objects: arrays.objects.max(0.0),
        })
    }

    /// The nodes of containers that grew by much more than any class of the application: what they hold are
    /// texts and numbers.
    fn nodes_alone(&self, own: Option<&Class>) -> Option<Class> {
        let nodes = self.classes.iter().filter(|class| is_node(&class.name));
        let most = nodes.max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
        let objects = own.map_or(0.0, |class| class.objects);
        let many = most.objects >= MANY_MORE * objects && most.objects >= LEAST_NODES;
        many.then(|| most.clone())
    }

    /// How much more there is of all classes that grew, bytes.
    pub(super) fn bytes(&self) -> f64 {
        self.classes.iter().map(|class| class.bytes.max(0.0)).sum()
    }

    /// The last histogram's first lines, with how much a class grew.
    pub(super) fn exhibit(&self, class: &Class) -> Exhibit {
        let text = Message::new("exhibit-class-growth")
            .with("class", class.name.as_str())
            .with("objects", class.objects.round())
            .with("megabytes", megabytes(class.bytes));
        let mut lines = self.lines.clone();
        lines.push(format!("{} (+{})", class.name, class.objects.round()));
        Exhibit::new(text).capture(self.capture, lines)
    }
}
