//! What the threads of a JVM did under load, by its thread dumps.
//!
//! A dump is a sample: over several of them the share of serving threads at a place estimates
//! the share of the response time that is spent there (Little's law for each place: threads there
//! = throughput × time there). Dumps are taken at safepoints, so shares of short code are rough;
//! shares of waiting are not.

pub mod frames;
mod hot;
mod locks;
mod names;
pub mod place;
mod profile;
mod queues;
mod read;
mod tasks;
mod threads;
mod waits;
pub(crate) mod works;

pub use frames::{Peer, own_frame};
pub use hot::{Hot, library_of};
pub use locks::{LockCluster, LockKind};
pub use place::{QueueCall, StackPlace, is_kept_apart};
pub use profile::{LockWaits, Profiled, Profiler};
pub use queues::QueueWait;
pub(crate) use queues::waits_at;
pub use threads::{SeenThread, Stacks, TaskPool};
pub(crate) use threads::{most_common, most_frequent, pool_of};
pub use waits::WaitPlace;
