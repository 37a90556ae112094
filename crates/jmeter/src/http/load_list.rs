//! The plugins' Parallel Sampler at work.

use std::sync::Arc;

use plimsoll_elements::fields::Field;

use super::resources::{self, DocumentKind};
use super::session::{SamplerSession, Shot};
use super::url::JavaUrl;
use crate::sampled::Sampled;
use plimsoll_load::kit::timer::Watch;
use plimsoll_load::kit::user::Cut;

/// What the plugin says that the page's address is.
const PAGE: &str = "http://parallel-urls-list";

impl SamplerSession<'_> {
    /// Loads them all.
    pub(super) async fn load_list(&self, watch: &Watch, urls: &[Field]) -> Result<Sampled, Cut> {
        let page = JavaUrl::parse(PAGE).unwrap_or_default();
        let shot = Shot::new(Arc::new(page.clone().into()), "GET", false, 0);
        let mut whole = self.begin(&shot);
        let frames = urls.iter().map(|url| {
            let url = self.eval(|by| by.text(url).map(std::borrow::Cow::into_owned));
            format!("<iframe src='{}'></iframe>\n", url.unwrap_or_default())
        });
        let result = &mut whole.result;
        result.body = frames.collect::<String>().into_bytes();
        result.encoding = Some("UTF-8".to_owned());
        "text/html".clone_into(&mut result.content_type);
        "\n".clone_into(&mut result.request_headers);
        result.success = true;
        result.body_bytes = result.body.len() as u64;
        result.received_bytes = result.body_bytes;
        // It has no name yet when its parts are named after it.
        let label = std::mem::take(&mut result.label);
        let found = resources::find(DocumentKind::Html, result, &page).unwrap_or_default();
        let wanted = self.wanted(found);
        self.load_into(&mut whole, watch, 0, wanted).await?;
        if whole.times.end_ns == 0 {
            whole.times.end_ns = self.thread.clock.now_ns();
        }
        whole.result.label = label;
        Ok(whole)
    }
}
