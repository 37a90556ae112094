//! Where Maven Central has the jar of a plugin's class, so that the companion can run it.

use plimsoll_text::Message;

/// Beginnings of class names, the longer ones first, and the coordinates of the jar: the newest that Maven Central has.
/// What needs further libraries is not named.
const JARS: &[(&str, &str)] = &[
    (
        "com.atlantbh.jmeter.plugins.xmlformatter.",
        "kg.apc:jmeter-plugins-extras:1.4.0",
    ),
    (
        "com.atlantbh.jmeter.plugins.",
        "kg.apc:jmeter-plugins-extras-libs:1.4.0",
    ),
    (
        "kg.apc.jmeter.config.LockFile",
        "kg.apc:jmeter-plugins-extras:1.4.0",
    ),
    (
        "kg.apc.jmeter.config.VariablesFromCSV",
        "kg.apc:jmeter-plugins-extras:1.4.0",
    ),
    (
        "kg.apc.jmeter.samplers.UDPSampler",
        "kg.apc:jmeter-plugins-extras:1.4.0",
    ),
    ("kg.apc.jmeter.dbmon.", "kg.apc:jmeter-plugins-extras:1.4.0"),
    (
        "kg.apc.jmeter.jmxmon.",
        "kg.apc:jmeter-plugins-extras:1.4.0",
    ),
];

/// How the jar of a class comes to the companion, if Maven Central has it.
pub fn of_class(class: &str) -> Option<Message> {
    let (_, coordinates) = JARS.iter().find(|(begin, _)| class.starts_with(begin))?;
    Some(Message::new("jmeter-instead-jar").with("coordinates", *coordinates))
}

#[cfg(test)]
mod tests {
    use plimsoll_text::{Lang, render};

    use super::*;

    #[test]
    fn the_nearest_beginning_counts() {
        let said = |class: &str| of_class(class).map(|message| render(Lang::En, &message));
        let xml = said("com.atlantbh.jmeter.plugins.xmlformatter.XMLFormatPostProcessor");
        assert!(xml.is_some_and(|text| text.contains("jmeter-plugins-extras:1.4.0")));
        let oauth = said("com.atlantbh.jmeter.plugins.oauth.OAuthSampler");
        assert!(oauth.is_some_and(|text| text.contains("jmeter-plugins-extras-libs:1.4.0")));
        assert_eq!(said("com.example.Anything"), None);
        for (at, (begin, _)) in JARS.iter().enumerate() {
            let hidden = JARS[..at]
                .iter()
                .any(|(before, _)| begin.starts_with(before));
            assert!(!hidden, "{begin} is never reached");
        }
    }
}
