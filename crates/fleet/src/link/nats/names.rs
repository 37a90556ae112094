//! Names at the server.

/// What a run's things are called at the server.
#[derive(Clone)]
pub(super) struct NatsNames {
    pub(super) run: String,
    /// The writer's name follows.
    pub(super) subjects: String,
    pub(super) stream: String,
    pub(super) bucket: String,
}

impl NatsNames {
    /// The stream under the object store.
    pub(super) fn store(&self) -> String {
        format!("OBJ_{}", self.bucket)
    }
}
