//! Knobs by name in a study: what they may be, and where they stand on its target.

use std::io;
use std::path::Path;

use plimsoll_knobs::formats::command::{in_arguments, java_at};
use plimsoll_knobs::{
    Address, Applies, Condition, Format, Knob, KnobDefault, KnobPlace, KnobValue, PlaceKind,
    Spelling, all, find, get, spring_variable,
};
use plimsoll_plan::model::Text;
use plimsoll_plan::study::{StudyComponent, StudyKnob};
use plimsoll_text::{Arg, Message};

use super::command_line::words;
use super::domains::{domain, in_domain};
use super::included;
use super::originals;
use super::place::{NamedSetting, Place, Wrong};
use super::spring_profiles::profiles_of;
use crate::space::Domain;

/// Names that are near an unknown one, at most.
const MOST_NEAR: usize = 6;

/// A knob by name, found on a target.
#[derive(Debug, Clone)]
pub struct Located {
    /// Which it is, and where it is written.
    pub setting: NamedSetting,
    /// The same, on the target.
    pub place: Place,
    /// What it may be.
    pub domain: Domain,
    /// What it is without a change.
    pub found: Option<String>,
    /// A reload is enough for it.
    pub by_reload: bool,
}

/// The knob of a name.
///
/// # Errors
/// A name that is none, with those that are near.
pub fn known(text: &Text) -> Result<&'static Knob, Wrong> {
    find(&text.raw).ok_or_else(|| {
        let last = text.raw.rsplit('.').next().unwrap_or_default();
        let family = text.raw.split('.').next().unwrap_or_default();
        let by_end = all().filter(|knob| !last.is_empty() && knob.id.ends_with(last));
        let by_family = all().filter(|knob| knob.family() == family);
        let mut near: Vec<&str> = Vec::new();
        for knob in by_end.chain(by_family) {
            if !near.contains(&knob.id) && near.len() < MOST_NEAR {
                near.push(knob.id);
            }
        }
        let message = Message::new("tune-unknown-knob")
            .with("name", text.raw.as_str())
            .with("any", if near.is_empty() { "no" } else { "yes" })
            .with("near", near.join(", "));
        (text.at, message)
    })
}

/// Finds a knob by name on a target.
///
/// # Errors
/// No place for it, a file that cannot be used, a value that it may not have.
pub fn locate(
    knob: &'static Knob,
    of: &StudyKnob,
    owner: &StudyComponent,
    folder: &Path,
) -> Result<Located, Wrong> {
    let (spot, place) = match &of.file {
        Some(file) => in_file(knob, of, (file, folder), owner)?,
        None => in_start(knob, of, owner)?,
    };
    if of.file.is_none() {
        not_overruled(knob, of, owner)?;
    }
    let setting = NamedSetting { knob, place };
    let domain = domain(&setting, of)?;
    let written = written(&setting, &spot, owner).map_err(|message| (of.at, message))?;
    let default = of
        .default
        .as_ref()
        .map(|default| setting.value(&default.raw));
    // What Spring's settings are without a word in the command may stand in files that nobody has named.
    let told_elsewhere = of.file.is_none() && place.kind == PlaceKind::Spring;
    let by_default = || by_default(knob).filter(|_| !told_elsewhere);
    let found = default.or(written).or_else(by_default);
    Ok(Located {
        found: found.map(|value| in_domain(knob, &value, &domain)),
        setting,
        place: spot,
        domain,
        by_reload: of.by_reload || knob.applies != Applies::Restart,
    })
}

/// The format of a file: the one that is said, that its name says, or that alone has the knob.
fn format_of(knob: &Knob, of: &StudyKnob, file: &Text, path: &Path) -> Result<Format, Wrong> {
    let has = |format: &Format| knob.place_in(*format).is_some();
    let files = Format::ALL
        .iter()
        .copied()
        .filter(|format| *format != Format::Command);
    let known: Vec<Format> = files.filter(has).collect();
    let format = match &of.format {
        Some(name) => Format::named(&name.raw).filter(has),
        None => {
            let by_name = Format::of_file(&path.to_string_lossy()).filter(has);
            by_name.or_else(|| (known.len() == 1).then(|| known[0]))
        }
    };
    format.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|format| format.name()).collect();
        let message = Message::new("tune-knob-not-in-file")
            .with("name", knob.id)
            .with("path", file.raw.as_str())
            .with("any", if names.is_empty() { "no" } else { "yes" })
            .with("known", names.join(", "));
        let at = of.format.as_ref().map_or(file.at, |format| format.at);
        (at, message)
    })
}

/// A place in a file: of the format that is said, that its name says, or that alone has the knob.
fn in_file(
    knob: &'static Knob,
    of: &StudyKnob,
    (file, folder): (&Text, &Path),
    owner: &StudyComponent,
) -> Result<(Place, &'static KnobPlace), Wrong> {
    let failed = |error: io::Error| (file.at, unreadable(Path::new(&file.raw), &error));
    let path = std::fs::canonicalize(folder.join(&file.raw));
    let path = path.map_err(failed)?;
    let format = format_of(knob, of, file, &path)?;
    let content = originals::read(&path).map_err(failed)?;
    let profiles = profiles_of(owner);
    let while_active = |address: Address| address.while_active(profiles.iter().cloned());
    // Of several names the one that is written there: versions of a program read but one of them.
    let is_written = |(place, address): &(&'static KnobPlace, Address)| {
        let found = get(format, &content, &while_active(address.clone()));
        found.is_ok_and(|found| found.is_some()) && place.spelling != Spelling::Present
    };
    let found = knob.places_in(format).find(is_written);
    let is_found = found.is_some();
    // It was asked above whether there is one.
    let Some((place, address)) = found.or_else(|| knob.place_in(format)) else {
        return Err(failed(io::Error::other("")));
    };
    let address = while_active(match &of.key {
        Some(key) => Address::new(key.raw.as_str()),
        None => address,
    });
    if !is_found && let Some(other) = included::that_has(format, &content, &path, &address) {
        return Err((file.at, stands_in_included(&file.raw, &other)));
    }
    let of_kernel = path.starts_with("/proc") || path.starts_with("/sys");
    if format == Format::Whole && of_kernel {
        return Ok((Place::Value(path), place));
    }
    let spot = Place::File {
        path,
        format,
        address,
    };
    Ok((spot, place))
}

/// Whoever takes in a file gives its values: what is written before it would be overruled.
pub fn stands_in_included(file: &str, other: &Path) -> Message {
    Message::new("tune-key-in-included")
        .with("path", file)
        .with("other", other.display().to_string())
}

/// Refuses what another argument of the same command overrules.
fn not_overruled(knob: &Knob, of: &StudyKnob, owner: &StudyComponent) -> Result<(), Wrong> {
    let overrules = |condition: &Condition| {
        let Condition::Without(other) = condition else {
            return None;
        };
        let plain = StudyKnob::default();
        standing(find(other)?, &plain, owner, Path::new("")).map(|_| *other)
    };
    let Some(other) = knob.conditions.iter().find_map(overrules) else {
        return Ok(());
    };
    let message = Message::new("tune-knob-overruled").with("name", knob.id);
    Err((of.at, message.with("other", other)))
}

/// A place in the start command of the component, or in its environment.
fn in_start(
    knob: &'static Knob,
    of: &StudyKnob,
    owner: &StudyComponent,
) -> Result<(Place, &'static KnobPlace), Wrong> {
    let command = owner.start.as_ref().and_then(|start| words(&start.raw));
    let is_java = command
        .as_deref()
        .is_some_and(|words| java_at(words).is_some());
    let is_catalina = command
        .iter()
        .flatten()
        .any(|word| word.ends_with("catalina.sh"));
    let places = knob.places.iter().filter_map(|place| {
        let option = place.address_in(Format::Command).map(Place::Option);
        let spot = match place.kind {
            _ if command.is_none() => None,
            PlaceKind::Jvm | PlaceKind::SystemProperty if is_java => option,
            PlaceKind::Spring if is_java => option,
            // Tomcat alone: its connectors stand in server.xml.
            PlaceKind::Spring if is_catalina && place.address.starts_with("server.") => None,
            PlaceKind::Spring => Some(Place::Environment(spring_variable(place.address))),
            PlaceKind::Argument => option,
            PlaceKind::Environment => Some(Place::Environment(place.address.to_owned())),
            _ => None,
        };
        Some((spot?, place))
    });
    let mut places = places;
    places.next().ok_or_else(|| {
        let files = Format::ALL.iter().filter(|it| **it != Format::Command);
        let files = files.filter(|format| knob.place_in(**format).is_some());
        let names: Vec<&str> = files.map(|format| format.name()).collect();
        let message = Message::new("tune-knob-needs-file")
            .with("name", knob.id)
            .with(
                "kernel",
                if knob.family() == "kernel" {
                    "yes"
                } else {
                    "no"
                },
            )
            .with("known", names.join(", "));
        (of.at, message)
    })
}

/// What stands at a place now.
fn written(
    setting: &NamedSetting,
    spot: &Place,
    owner: &StudyComponent,
) -> Result<Option<KnobValue>, Message> {
    let (knob, spelling) = (setting.knob, setting.place.spelling);
    let read = |text: String| knob.read(&text, spelling);
    Ok(match spot {
        Place::File {
            path,
            format,
            address,
        } => {
            let content = originals::read(path);
            let content = content.map_err(|error| unreadable(path, &error))?;
            let value = knob.value_in(*format, &content, setting.place, address);
            value.map_err(|error| unusable(path, error.message()))?
        }
        Place::Value(path) => of_kernel(setting, path)?,
        Place::Option(address) => {
            let command = owner.start.as_ref().and_then(|start| words(&start.raw));
            let found = in_arguments(&command.unwrap_or_default(), address);
            found.map_err(|error| error.message())?.map(read)
        }
        Place::Environment(name) => {
            let own = owner.environment.iter().find(|(known, _)| known == name);
            let own = own.map(|(_, value)| value.raw.clone());
            own.or_else(|| std::env::var(name).ok()).map(read)
        }
        Place::Argument(_) | Place::Command(_) | Place::Sql(_) | Place::Agent(_) => None,
    })
}

/// That a file cannot be read, and why.
pub fn unreadable(path: &Path, error: &io::Error) -> Message {
    let inner = error.get_ref();
    if let Some(large) = inner.and_then(|inner| inner.downcast_ref::<originals::TooLarge>()) {
        let reason = Message::new("tune-why-too-large")
            .with("mib", large.mib)
            .with("limit_mib", originals::MOST_MIB);
        return unusable(path, reason);
    }
    match why(error) {
        Some(id) => unusable(path, Message::new(id)),
        None => unusable(path, error.to_string()),
    }
}

fn unusable(path: &Path, reason: impl Into<Arg>) -> Message {
    Message::new("tune-file-unreadable")
        .with("path", path.display().to_string())
        .with("reason", reason)
}

/// The usual reasons in words of our own.
fn why(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::NotFound => Some("tune-why-missing"),
        io::ErrorKind::PermissionDenied => Some("tune-why-denied"),
        io::ErrorKind::IsADirectory => Some("tune-why-folder"),
        io::ErrorKind::InvalidInput if originals::is_no_file(error) => Some("tune-why-no-file"),
        _ => None,
    }
}

/// What a file of the kernel has now.
///
/// # Errors
/// If it cannot be read, or has nothing that the knob may be.
pub fn of_kernel(setting: &NamedSetting, path: &Path) -> Result<Option<KnobValue>, Message> {
    let text = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    let (knob, nowhere) = (setting.knob, Address::new(""));
    let value = knob.value_in(Format::Whole, &text, setting.place, &nowhere);
    value.map_err(|error| unusable(path, error.message()))
}

/// The default, where there is but one.
fn by_default(knob: &Knob) -> Option<KnobValue> {
    match knob.default {
        [
            KnobDefault {
                value,
                derived: None,
                ..
            },
        ] => Some(knob.read(value, Spelling::Plain)),
        _ => None,
    }
}

/// What must hold for a knob to count, as relations are written. `name_of` gives the study's name of a knob.
pub fn only_if(knob: &Knob, name_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    knob.conditions
        .iter()
        .find_map(|condition| match condition {
            // Of several words nothing that a relation can say.
            Condition::When {
                knob: other,
                is: [word],
            } => Some(format!("{} = {word}", name_of(other)?)),
            _ => None,
        })
}

/// What is written where a knob of the study would stand.
pub fn standing(
    knob: &'static Knob,
    of: &StudyKnob,
    owner: &StudyComponent,
    folder: &Path,
) -> Option<KnobValue> {
    let (spot, place) = match &of.file {
        Some(file) => in_file(knob, of, (file, folder), owner).ok()?,
        None => in_start(knob, of, owner).ok()?,
    };
    written(&NamedSetting { knob, place }, &spot, owner).ok()?
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn located(id: &str, of: &StudyKnob, start: &str, folder: &Path) -> Result<Located, Wrong> {
        let owner = StudyComponent {
            start: Some(Text::of(start)),
            ..StudyComponent::default()
        };
        locate(find(id).unwrap(), of, &owner, folder)
    }

    #[test]
    fn of_several_names_the_one_that_is_written_is_meant() {
        const POOL: &str = "redis-client.lettuce.max-active";
        let folder = tempfile::tempdir().unwrap();
        let of = StudyKnob {
            file: Some(Text::of("application.yaml")),
            ..StudyKnob::default()
        };
        for (content, key, found) in [
            (
                "spring: { redis: { lettuce: { pool: { max-active: 3 } } } }\n",
                "spring.redis",
                "3",
            ),
            (
                "spring:\n  data.redis.lettuce.pool.maxActive: 4\n",
                "spring.data.redis",
                "4",
            ),
            ("spring: {}\n", "spring.data.redis", "8"),
        ] {
            std::fs::write(folder.path().join("application.yaml"), content).unwrap();
            let located = located(POOL, &of, "java -jar app.jar", folder.path()).unwrap();
            let Place::File { address, .. } = &located.place else {
                panic!("{:?}", located.place);
            };
            assert_eq!(
                address.path,
                format!("{key}.lettuce.pool.max-active"),
                "{content}"
            );
            assert_eq!(located.found.as_deref(), Some(found), "{content}");
        }
    }

    #[test]
    fn a_connector_of_tomcat_alone_is_no_property_of_spring() {
        let plain = StudyKnob::default();
        let is = |id: &str, start: &str| located(id, &plain, start, Path::new(".")).is_ok();
        assert!(is("tomcat.threads.max", "java -jar app.jar"));
        assert!(is("tomcat.threads.max", "./run.sh"));
        assert!(!is(
            "tomcat.threads.max",
            "env A=1 /opt/tomcat/bin/catalina.sh run"
        ));
        // What the application in it may read all the same.
        assert!(is(
            "hikari.maximum-pool-size",
            "/opt/tomcat/bin/catalina.sh run"
        ));
    }
}
