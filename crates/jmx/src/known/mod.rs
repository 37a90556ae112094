//! What becomes of each property that JMeter knows: the table that `check`, `run` and the page
//! about properties are made from.

use std::sync::OnceLock;

use crate::properties::Properties;

/// Where a property is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyScope {
    /// JMeter's own (`-J`, `-q`).
    JMeter,
    /// Java's (`-D`, `-S`).
    System,
}

/// How a property stands here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyStanding {
    /// It does what it does in JMeter.
    Obeyed,
    /// It does so for what runs in the JVM companion.
    Companion,
    /// It would change a test and is not obeyed, which is said.
    Told,
    /// It changes nothing of a test.
    Nothing,
}

/// A property that JMeter 5.6.3 knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProperty {
    /// Where it is set.
    pub scope: PropertyScope,
    /// How it stands here.
    pub standing: PropertyStanding,
    /// Why: a part of the ids of messages; empty when there is nothing to say.
    pub why: &'static str,
    /// Its name.
    pub name: &'static str,
    /// JMeter's value when nobody sets it.
    pub default: &'static str,
}

/// All of them, by how they stand.
#[must_use]
pub fn all() -> &'static [KnownProperty] {
    static ALL: OnceLock<Vec<KnownProperty>> = OnceLock::new();
    ALL.get_or_init(|| {
        let text = include_str!("properties.txt");
        text.lines().filter_map(entry).collect()
    })
}

/// A line of the table; none for a comment.
fn entry(line: &'static str) -> Option<KnownProperty> {
    let (head, default) = line.split_once('=')?;
    let mut words = head.split_whitespace();
    let scope = match words.next()? {
        "property" => PropertyScope::JMeter,
        "system" => PropertyScope::System,
        _ => return None,
    };
    let standing = match words.next()? {
        "obeyed" => PropertyStanding::Obeyed,
        "companion" => PropertyStanding::Companion,
        "told" => PropertyStanding::Told,
        _ => PropertyStanding::Nothing,
    };
    Some(KnownProperty {
        scope,
        standing,
        why: words.next().filter(|why| *why != "-").unwrap_or_default(),
        name: words.next()?,
        default: default.trim(),
    })
}

/// The properties that were set to something else than JMeter's own value, would change the
/// test, and are not obeyed; sorted.
#[must_use]
pub fn not_obeyed(
    properties: &Properties,
    system: &[(String, String)],
) -> Vec<&'static KnownProperty> {
    let is_set = |known: &&KnownProperty| {
        let value = match known.scope {
            PropertyScope::JMeter => properties.get(known.name),
            PropertyScope::System => {
                let last = system.iter().rev().find(|(name, _)| name == known.name);
                last.map(|(_, value)| value)
            }
        };
        value.is_some_and(|value| value.trim() != known.default)
    };
    let told = all()
        .iter()
        .filter(|known| known.standing == PropertyStanding::Told);
    told.filter(is_set).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_property_is_there_once_and_says_why() {
        let lines = include_str!("properties.txt").lines();
        let lines = lines.filter(|line| !line.starts_with('#')).count();
        assert_eq!(all().len(), lines, "a line that is not understood");
        let mut names = HashSet::new();
        for known in all() {
            assert!(names.insert(known.name), "{} twice", known.name);
            let says_why = matches!(
                known.standing,
                PropertyStanding::Told | PropertyStanding::Nothing
            );
            assert_eq!(!known.why.is_empty(), says_why, "{}", known.name);
        }
        for family in [
            "httpclient4.",
            "CookieManager.",
            "csvdataset.",
            "summariser.",
        ] {
            assert!(
                names.iter().any(|name| name.starts_with(family)),
                "{family}"
            );
        }
    }

    #[test]
    fn what_is_set_and_not_obeyed_is_found() {
        let properties = crate::properties::parse(
            b"hc.parameters.file=hc.parameters\nhttpclient4.retrycount=3\nwmlParser.types=text/vnd.wap.wml\nmine=1\nhttps.default.protocol=SSLv3",
        );
        let system = [("http.proxyHost", "p"), ("own", "1")];
        let system = system.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = not_obeyed(&properties, &system);
        let names: Vec<&str> = found.iter().map(|known| known.name).collect();
        assert_eq!(
            names,
            [
                "hc.parameters.file",
                "https.default.protocol",
                "http.proxyHost"
            ]
        );
        assert!(not_obeyed(&Properties::new(), &[]).is_empty());
    }
}
