//! The languages the program speaks, and how one is chosen.

/// A language that every text exists in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// All languages, the reference language first.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The code used by `--lang`, `locales/` and the `lang` attribute of HTML.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Reads a language from `en`, `zh`, or a locale name such as `zh_CN.UTF-8`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let language = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
        match language.to_ascii_lowercase().as_str() {
            "zh" => Some(Self::Zh),
            "en" | "c" | "posix" => Some(Self::En),
            _ => None,
        }
    }

    /// The language of the environment: `LC_ALL`, `LC_MESSAGES`, `LANG`, in POSIX's order.
    #[must_use]
    pub fn from_env() -> Self {
        ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .and_then(|value| Self::parse(&value))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn locale_names_are_understood() {
        assert_eq!(Lang::parse("zh_CN.UTF-8"), Some(Lang::Zh));
        assert_eq!(Lang::parse("en-GB"), Some(Lang::En));
        assert_eq!(Lang::parse("C.UTF-8"), Some(Lang::En));
        assert_eq!(Lang::parse("fr_FR"), None);
    }
}
