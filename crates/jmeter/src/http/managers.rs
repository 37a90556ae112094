//! The managers of a sampler, and what they keep for the user.

use std::sync::Arc;

use plimsoll_elements::Fields;
use plimsoll_plan::program::SiteId;

use super::cache::CacheManager;
use super::cookies::CookieManager;
use super::credentials::AuthManager;
use super::names::DnsManager;

/// The managers of a sampler. Of several of a kind the farthest counts, as in JMeter.
#[derive(Debug, Clone, Default)]
pub struct Managers {
    /// Cookies.
    pub cookies: Option<Arc<CookieManager>>,
    /// What is known of responses.
    pub cache: Option<Arc<CacheManager>>,
    /// Credentials.
    pub auth: Option<Arc<AuthManager>>,
    /// Names.
    pub dns: Option<Arc<DnsManager>>,
}

impl Managers {
    /// Binds them; configuration is given the nearest first.
    #[must_use]
    pub fn bind(configs: &[Fields<'_>]) -> Self {
        let last = |class: &str| {
            let mut found = configs.iter().rev();
            found.find(|config| config.0.class == class).copied()
        };
        Self {
            cookies: last("CookieManager").map(|it| Arc::new(CookieManager::bind(it))),
            cache: last("CacheManager").map(|it| Arc::new(CacheManager::bind(it))),
            auth: last("AuthManager").map(|it| Arc::new(AuthManager::bind(it))),
            dns: last("DNSCacheManager").map(|it| Arc::new(DnsManager::bind(it))),
        }
    }
}

/// What managers keep for a user, by where they are.
#[derive(Debug, Default)]
pub struct KeptBySite<T>(Vec<(SiteId, T)>);

impl<T: Default> KeptBySite<T> {
    /// What this manager keeps.
    pub fn of(&mut self, site: SiteId) -> &mut T {
        let at = self.0.iter().position(|(known, _)| *known == site);
        let at = at.unwrap_or_else(|| {
            self.0.push((site, T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// Forgets what is to be forgotten.
    pub fn forget(&mut self, ends: impl Fn(&T) -> bool) {
        self.0.retain(|(_, kept)| !ends(kept));
    }
}
