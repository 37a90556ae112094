//! What listeners share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What listeners share under a name, as long as one of them has it.
#[derive(Debug)]
pub(super) struct ListenerRegister<K, V>(Arc<Mutex<HashMap<K, std::sync::Weak<V>>>>);

impl<K, V> Clone for ListenerRegister<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Default for ListenerRegister<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: std::hash::Hash + Eq, V> ListenerRegister<K, V> {
    /// The value of this name, made now if nobody has it.
    pub(super) fn get<F>(&self, key: K, make: impl FnOnce() -> Result<V, F>) -> Result<Arc<V>, F> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.get(&key).and_then(std::sync::Weak::upgrade) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        known.insert(key, Arc::downgrade(&value));
        Ok(value)
    }
}
