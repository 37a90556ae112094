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
        own.max_by(|a, b| a.bytes.total_cmp(&b.bytes)).cloned()
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
