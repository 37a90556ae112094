//! The labels of a run, those made while it runs included.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::program::Program;
use plimsoll_stats::{LabelId, LabelInfo, LabelKind};

/// Distinct labels kept; all further ones are folded into [`OTHER`].
pub const MAX_LABELS: usize = 1_000;
/// The label of all labels beyond [`MAX_LABELS`].
pub const OTHER: &str = "(other)";

/// What a label is known by.
type Key = (Box<str>, LabelKind);

#[derive(Default)]
struct KnownLabels {
    infos: Vec<LabelInfo>,
    ids: HashMap<Key, LabelId>,
    /// How many of `infos` were handed out by [`Labels::fresh`].
    told: usize,
    folded: u64,
}

/// The labels of a run, shared by the load threads. Only new labels take the lock.
#[derive(Default)]
pub struct Labels(Mutex<KnownLabels>);

impl Labels {
    /// The labels the program knows before the run.
    #[must_use]
    pub fn of(program: &Program) -> Arc<Self> {
        let mut table = KnownLabels::default();
        for label in &program.labels {
            table
                .ids
                .insert((label.name.as_str().into(), label.kind), label.id);
            let (name, kind) = (label.name.clone(), label.kind);
            table.infos.push(LabelInfo {
                id: label.id,
                name,
                kind,
                parent: None,
            });
        }
        Arc::new(Self(Mutex::new(table)))
    }

    fn intern(&self, name: &str, kind: LabelKind, parent: Option<LabelId>) -> LabelId {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Box::from(name), kind);
        if let Some(id) = table.ids.get(&key) {
            return *id;
        }
        let (name, parent) = if table.infos.len() < MAX_LABELS {
            (name, parent)
        } else {
            table.folded += 1;
            (OTHER, None)
        };
        let key = (Box::from(name), kind);
        if let Some(id) = table.ids.get(&key) {
            return *id;
        }
        let id = LabelId(u32::try_from(table.infos.len()).unwrap_or(u32::MAX));
        table.infos.push(LabelInfo {
            id,
            name: name.to_owned(),
            kind,
            parent,
        });
        table.ids.insert(key, id);
        id
    }

    /// Labels that were not handed out before.
    #[must_use]
    pub fn fresh(&self) -> Vec<LabelInfo> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let from = std::mem::replace(&mut table.told, usize::MAX);
        let infos = table.infos[from.min(table.infos.len())..].to_vec();
        table.told = table.infos.len();
        infos
    }

    /// Whether labels were folded into [`OTHER`].
    #[must_use]
    pub fn folded(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).folded > 0
    }
}

/// A thread's own copy of what it asked for.
pub struct LabelCache {
    labels: Arc<Labels>,
    made: RefCell<HashMap<Key, LabelId>>,
    hops: RefCell<HashMap<(LabelId, u32), LabelId>>,
    parts: RefCell<HashMap<(LabelId, &'static str), LabelId>>,
}

impl LabelCache {
    /// An empty cache.
    #[must_use]
    pub fn new(labels: Arc<Labels>) -> Self {
        Self {
            labels,
            made: RefCell::default(),
            hops: RefCell::default(),
            parts: RefCell::default(),
        }
    }

    /// The id of a label made of variables.
    #[must_use]
    pub fn made(&self, name: &str, kind: LabelKind) -> LabelId {
        let mut made = self.made.borrow_mut();
        if let Some(id) = made.get(&(Box::from(name), kind)) {
            return *id;
        }
        // Labels reach every report.
        let id = self
            .labels
            .intern(&plimsoll_secrets::text(name), kind, None);
        if made.len() < MAX_LABELS {
            made.insert((name.into(), kind), id);
        }
        id
    }

    /// The id of hop `hop` (from 0) of a redirect chain, named as JMeter does: `label-0`.
    #[must_use]
    pub fn hop(&self, parent: LabelId, parent_name: impl FnOnce() -> String, hop: u32) -> LabelId {
        let mut hops = self.hops.borrow_mut();
        *hops.entry((parent, hop)).or_insert_with(|| {
            let name = format!("{}-{hop}", parent_name());
            self.labels
                .intern(&name, LabelKind::SubRequest, Some(parent))
        })
    }

    /// The id of a part of a label's samples that is timed by itself: `label: what`.
    #[must_use]
    pub fn part(&self, parent: LabelId, what: &'static str) -> LabelId {
        let mut parts = self.parts.borrow_mut();
        *parts.entry((parent, what)).or_insert_with(|| {
            let name = format!("{}: {what}", self.name(parent));
            self.labels
                .intern(&name, LabelKind::SubRequest, Some(parent))
        })
    }

    /// The name of a label.
    #[must_use]
    pub fn name(&self, id: LabelId) -> String {
        let table = self.labels.0.lock().unwrap_or_else(PoisonError::into_inner);
        table
            .infos
            .get(id.index())
            .map_or_else(String::new, |info| info.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_beyond_the_limit_fold_into_one() {
        let labels = Arc::new(Labels::default());
        let cache = LabelCache::new(Arc::clone(&labels));
        let ids: Vec<LabelId> = (0..1_500)
            .map(|n| cache.made(&format!("order {n}"), LabelKind::Request))
            .collect();
        assert_eq!(ids[999], LabelId(999));
        assert!(ids[1_000..].iter().all(|id| *id == LabelId(1_000)));
        assert!(labels.folded());
        let infos = labels.fresh();
        assert_eq!(infos.len(), 1_001);
        assert_eq!(infos[1_000].name, OTHER);
        assert!(labels.fresh().is_empty());
        assert_eq!(cache.made("order 3", LabelKind::Request), ids[3]);
    }

    #[test]
    fn a_hop_is_named_after_its_request() {
        let labels = Arc::new(Labels::default());
        let cache = LabelCache::new(Arc::clone(&labels));
        let page = cache.made("page", LabelKind::Request);
        let hop = cache.hop(page, || cache.name(page), 1);
        assert_eq!(cache.name(hop), "page-1");
    }
}
