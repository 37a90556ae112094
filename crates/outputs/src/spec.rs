//! What is asked for: `NAME=ADDRESS[,KEY=VALUE]…`.

use plimsoll_text::Message;

/// What a tag's setting begins with.
const TAG: &str = "tag.";

/// An output that is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputSpec {
    /// Its kind.
    pub name: String,
    /// Where it goes.
    pub address: String,
    /// Its settings, in their order.
    pub settings: Vec<(String, String)>,
    /// What everything is sent with: names and values.
    pub tags: Vec<(String, String)>,
}

impl OutputSpec {
    /// Reads `NAME=ADDRESS[,KEY=VALUE]…`; a word that is no setting belongs to the address.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let is_key = |key: &str| match key.strip_prefix(TAG) {
            Some(tag) => !tag.is_empty(),
            None => !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
        };
        let (name, address, keys) = split_option(text, is_key);
        let (mut settings, mut tags) = (Vec::new(), Vec::new());
        for (key, value) in keys {
            match key.strip_prefix(TAG) {
                Some(tag) => tags.push((tag.to_owned(), value)),
                None => settings.push((key, value)),
            }
        }
        Self {
            name: name.to_owned(),
            address,
            settings,
            tags,
        }
    }

    /// As people read it, without secrets.
    #[must_use]
    pub fn shown(&self) -> String {
        let address = plimsoll_secrets::text(&self.address);
        format!("{}={address}", self.name)
    }

    /// A setting.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of the variable of the environment that a setting names; none without the setting.
    ///
    /// # Errors
    /// A variable that is not set, or is no text.
    pub fn from_environment(&self, setting: &str) -> Result<Option<String>, Message> {
        let Some(name) = self.setting(setting) else {
            return Ok(None);
        };
        let value = std::env::var(name).map_err(|_| {
            Message::new("output-environment")
                .with("output", self.shown())
                .with("name", name)
        })?;
        Ok(Some(value))
    }

    /// A setting that is none of those.
    pub(crate) fn unknown_setting(&self, known: &[&str]) -> Option<&str> {
        let mut names = self.settings.iter().map(|(key, _)| key.as_str());
        names.find(|name| !known.contains(name))
    }
}

/// Takes `NAME[=ADDRESS][,KEY=VALUE]…` apart. A word whose key is none belongs to the address, which may
/// hold commas.
pub fn split_option(
    text: &str,
    is_key: impl Fn(&str) -> bool,
) -> (&str, String, Vec<(String, String)>) {
    let mut words = text.split(',');
    let first = words.next().unwrap_or_default();
    let (name, mut address) = match first.split_once('=') {
        Some((name, address)) => (name, address.to_owned()),
        None => (first, String::new()),
    };
    let mut settings = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) if is_key(key) => settings.push((key.to_owned(), value.to_owned())),
            _ => address = format!("{address},{word}"),
        }
    }
    (name, address, settings)
}
