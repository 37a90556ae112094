//! Where Maven Central has the jar of a plugin's class, so that the companion can run it.

use plimsoll_text::Message;

/// Beginnings of class names, the longer ones first, and the coordinates of the jar: the newest that Maven Central has.
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
        "kg.apc.jmeter.config.redis.",
        "kg.apc:jmeter-plugins-redis:0.2",
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

/// Jars that need others beside them, in the versions that they were made for.
const LIBRARIES: &[(&str, &str)] = &[(
    "kg.apc:jmeter-plugins-redis:0.2",
    "redis.clients:jedis:2.2.1, commons-pool:commons-pool:1.6",
)];

/// How the jar of a class comes to the companion, if Maven Central has it.
pub fn of_class(class: &str) -> Option<Message> {
    let (_, coordinates) = JARS.iter().find(|(begin, _)| class.starts_with(begin))?;
    let needs = LIBRARIES.iter().find(|(jar, _)| jar == coordinates);
    let message = match needs {
        Some((_, libraries)) => {
            Message::new("jmeter-instead-jar-with-libraries").with("libraries", *libraries)
        }
        None => Message::new("jmeter-instead-jar"),
    };
    Some(message.with("coordinates", *coordinates))
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
        let redis = said("kg.apc.jmeter.config.redis.RedisDataSet");
        let needs = "redis.clients:jedis:2.2.1, commons-pool:commons-pool:1.6";
        assert!(redis.is_some_and(|text| text.contains(needs)));
        assert_eq!(said("com.example.Anything"), None);
        for (at, (begin, _)) in JARS.iter().enumerate() {
            let hidden = JARS[..at]
                .iter()
                .any(|(before, _)| begin.starts_with(before));
            assert!(!hidden, "{begin} is never reached");
        }
    }
}
