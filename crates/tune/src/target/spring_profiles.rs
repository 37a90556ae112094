//! The profiles of Spring with which a component starts: they decide which documents of its files hold.

use plimsoll_plan::study::StudyComponent;

use super::command_line::words;

/// What names them, what comes first overrules the others (Spring Boot, "Externalized Configuration").
const IN_COMMAND: [&str; 2] = ["--spring.profiles.active=", "-Dspring.profiles.active="];
const VARIABLE: &str = "SPRING_PROFILES_ACTIVE";

/// The active profiles of a component, as far as its start command and its environment name them.
#[must_use]
pub fn profiles_of(owner: &StudyComponent) -> Vec<String> {
    let command = owner.start.as_ref().and_then(|start| words(&start.raw));
    let command = command.unwrap_or_default();
    let named = IN_COMMAND.iter().find_map(|begins| {
        let mut from_last = command.iter().rev();
        from_last.find_map(|word| word.strip_prefix(begins))
    });
    let in_line = || {
        let mut assigned = command.iter().filter_map(|word| word.split_once('='));
        let found = assigned.find(|(name, _)| *name == VARIABLE);
        found.map(|(_, value)| value.to_owned())
    };
    let own = || {
        let mut own = owner.environment.iter();
        let found = own.find(|(name, _)| name == VARIABLE);
        found.map(|(_, value)| value.raw.clone())
    };
    let named = named
        .map(str::to_owned)
        .or_else(in_line)
        .or_else(own)
        .or_else(|| std::env::var(VARIABLE).ok());
    let named = named.unwrap_or_default();
    let names = named.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use plimsoll_plan::model::Text;

    use super::*;

    #[test]
    fn what_overrules_is_what_counts() {
        let of = |start: &str, variable: Option<&str>| {
            let own = variable.map(|value| (VARIABLE.to_owned(), Text::of(value)));
            profiles_of(&StudyComponent {
                start: Some(Text::of(start)),
                environment: own.into_iter().collect(),
                ..StudyComponent::default()
            })
        };
        let command = "env SPRING_PROFILES_ACTIVE=c java -Dspring.profiles.active=b -jar a.jar";
        let last = format!("{command} --spring.profiles.active=x --spring.profiles.active=prod,eu");
        assert_eq!(of(&last, Some("d")), ["prod", "eu"]);
        assert_eq!(of(command, Some("d")), ["b"]);
        let assigned = "env SPRING_PROFILES_ACTIVE=c java -jar a.jar";
        assert_eq!(of(assigned, Some("d")), ["c"]);
        assert_eq!(of("java -jar a.jar", Some("d, e")), ["d", "e"]);
        assert_eq!(of("java -jar a.jar", Some("")), Vec::<String>::new());
    }
}
