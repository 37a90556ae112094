//! What the Parallel Controller's sample says of itself.

use super::waits::all_texts;
use crate::element_user::ElementUser;
use crate::samplers::parallel::ParallelParent;

impl ParallelParent {
    /// Tells the sample that the branches become parts of what it is.
    pub(crate) async fn tell(&self, user: &mut ElementUser<'_>) {
        let names = all_texts(user, &self.items).await;
        let mut data = "Parallel items:\n".to_owned();
        for name in names {
            data.push_str(&name);
            data.push('\n');
        }
        let now_ns = user.thread.clock.now_ns();
        if let Some(package) = user.jm().package
            && let Some(open) = user.parent_transaction()
        {
            open.describe(package, data, now_ns);
        }
    }
}
