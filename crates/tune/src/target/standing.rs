//! Settings that stand beside a knob and are no knobs of the study: a value that contradicts one of them makes a
//! program that does not start, so that to try it tells nothing.

use std::path::Path;

use plimsoll_knobs::{Condition, Format, Knob, KnobUnit, KnobValue, all};
use plimsoll_plan::model::Text;
use plimsoll_plan::study::{Study, StudyComponent, StudyKnob};

use super::command_line::words;
use super::named;
use crate::space::Relation;

/// Where a knob by name stands, and with which others.
pub struct Beside<'a> {
    /// The knob of the study.
    pub of: &'a StudyKnob,
    /// Its component.
    pub owner: &'a StudyComponent,
    /// The folder that the study's paths start from.
    pub folder: &'a Path,
    /// The study.
    pub study: &'a Study,
}

impl Beside<'_> {
    /// What must hold between the knob and others: knobs of the study, and settings that stand where it does.
    pub fn relations(&self, knob: &'static Knob) -> Vec<Relation> {
        let own = &self.of.name;
        let above = knob.conditions.iter().filter_map(|condition| {
            let Condition::AtMost {
                knob: other,
                refuses,
            } = condition
            else {
                return None;
            };
            let standing = || self.number(plimsoll_knobs::find(other).filter(|_| *refuses)?);
            let other = name_of(self.study, other).or_else(standing)?;
            self.counted(knob, &format!("{own} <= {other}"))
        });
        let limited = all().filter(|other| other.conditions.iter().any(|it| is_limit(it, knob.id)));
        let below = limited.filter_map(|other| {
            let value = self.number(other)?;
            self.counted(other, &format!("{own} >= {value}"))
        });
        above.chain(below).collect()
    }

    /// A relation that counts where a setting does.
    fn counted(&self, knob: &Knob, text: &str) -> Option<Relation> {
        let relation = Relation::parse(text).ok()?;
        match self.when(knob)? {
            Some(when) => Some(relation.only_if(Relation::parse(&when).ok()?)),
            None => Some(relation),
        }
    }

    /// What must hold for a setting to count, where a knob of the study decides it; none where what stands there
    /// says that it does not count.
    fn when(&self, knob: &Knob) -> Option<Option<String>> {
        for condition in knob.conditions {
            let Condition::When { knob: other, is } = condition else {
                continue;
            };
            match (name_of(self.study, other), is) {
                (Some(name), [word]) => return Some(Some(format!("{name} = {word}"))),
                // Of several words nothing that a relation can say.
                (Some(_), _) => return None,
                (None, _) => {
                    let other = plimsoll_knobs::find(other)?;
                    let value = self.value(other)?.to_string();
                    is.contains(&value.as_str()).then_some(())?;
                }
            }
        }
        Some(None)
    }

    /// The number of a setting that is no knob of the study, in the unit that relations count in.
    fn number(&self, knob: &'static Knob) -> Option<String> {
        let is_counted = matches!(knob.unit, KnobUnit::Count | KnobUnit::Bytes);
        if !is_counted || name_of(self.study, knob.id).is_some() {
            return None;
        }
        match self.value(knob)? {
            KnobValue::Number(number) => Some(number.to_string()),
            KnobValue::Word(_) => None,
        }
    }

    /// What a setting is where the knob stands.
    fn value(&self, knob: &'static Knob) -> Option<KnobValue> {
        let key = match &self.of.key {
            Some(key) => beside(key, knob)?,
            None => None,
        };
        let of = StudyKnob {
            key,
            range: None,
            step: None,
            values: Vec::new(),
            default: None,
            ..self.of.clone()
        };
        named::standing(knob, &of, self.owner, self.folder)
    }
}

/// The study's name of a knob.
pub fn name_of(study: &Study, id: &str) -> Option<String> {
    let knob = study.knobs.iter().find(|knob| id_of(knob) == Some(id));
    knob.map(|knob| knob.name.clone())
}

/// The id of a knob of a study, by its name or by where it stands.
pub fn id_of(knob: &StudyKnob) -> Option<&'static str> {
    if let Some(name) = &knob.knob {
        return plimsoll_knobs::find(&name.raw).map(|knob| knob.id);
    }
    if let Some(line) = knob.sql.as_ref().or(knob.command.as_ref()) {
        return gives_in(&line.raw);
    }
    let setting = match (&knob.key, &knob.env, &knob.argument) {
        (Some(key), _, _) => {
            let in_section = key.raw.split_once("] ").map(|(_, name)| name);
            in_section.unwrap_or(&key.raw).to_owned()
        }
        (_, Some(name), _) => name.raw.clone(),
        (_, _, Some(template)) => {
            let name = template.raw.split("{}").next().unwrap_or_default();
            name.trim_end_matches(['=', ' ']).to_owned()
        }
        _ => return None,
    };
    // Spring's settings stand as they are behind the dashes of an argument.
    let known = plimsoll_knobs::named(&setting)
        .or_else(|| plimsoll_knobs::named(setting.trim_start_matches('-')));
    known
        .map(|(knob, _)| knob.id)
        .or_else(|| gives_in(&setting))
}

/// The id of the setting that gives something up for speed in a line that is none of a known form: a statement, a command, an
/// argument, an expression, a line of a file.
pub fn gives_in(line: &str) -> Option<&'static str> {
    plimsoll_knobs::giving(line).map(|knob| knob.id)
}

/// The id of the setting that gives something up for speed which a knob of the study's own turns by its values, or by
/// what stands before them: the name of a setting may be a value, too.
pub fn gives_by_values(knob: &StudyKnob, owner: &StudyComponent) -> Option<&'static str> {
    let values = || knob.values.iter().map(|value| value.raw.as_str());
    let places = [&knob.sql, &knob.command, &knob.argument];
    let templates = places.into_iter().flatten().map(|text| text.raw.as_str());
    let filled = templates
        .chain(["{}"])
        .flat_map(|template| values().map(|value| template.replace("{}", value)));
    // An argument that is a value alone stands behind its name.
    let is_alone = knob.argument.as_ref().is_some_and(|it| it.raw == "{}");
    let start = owner.start.as_ref().filter(|_| is_alone);
    let start = start
        .and_then(|start| words(&start.raw))
        .unwrap_or_default();
    let is_value = |word: &String| values().any(|value| value == word);
    let before = start.windows(2).filter(|pair| is_value(&pair[1]));
    let before = before.map(|pair| pair[0].clone());
    let key = knob.key.iter().map(|key| last_of(&key.raw).to_owned());
    let mut lines = key.chain(filled).chain(before);
    lines.find_map(|line| gives_in(&line))
}

/// The last part of a key's path.
fn last_of(key: &str) -> &str {
    key.rsplit(['.', '/', '@', '>'])
        .next()
        .unwrap_or(key)
        .trim()
}

/// Whether a knob is a file that holds its value alone: then it needs no key, and its name is the study's own.
pub fn is_whole_file(knob: &StudyKnob, name: &Text) -> bool {
    let format = knob.format.as_ref();
    let is_whole = format.is_some_and(|it| Format::named(&it.raw) == Some(Format::Whole));
    // Files of the kernel are written by knobs by name alone.
    let of_kernel = |file: &Text| file.raw.starts_with("/proc/") || file.raw.starts_with("/sys/");
    let file = knob.file.as_ref().filter(|file| !of_kernel(file));
    is_whole && file.is_some() && plimsoll_knobs::find(&name.raw).is_none()
}

/// Whether a condition keeps a knob from being below another one, whose program does not start otherwise.
fn is_limit(condition: &Condition, knob: &str) -> bool {
    matches!(condition, Condition::AtMost { knob: limit, refuses: true } if *limit == knob)
}

/// The key of another setting beside that which a study names for a knob: in the same section, or where it usually
/// stands if the knob does so, too. None where that cannot be said.
fn beside(key: &Text, other: &Knob) -> Option<Option<Text>> {
    let usual = |address: &str| plimsoll_knobs::named(address).is_some() && !address.contains(']');
    let name = |address: &'static str| Some(address.split_once("] ")?.1);
    let name = other.places.iter().find_map(|place| name(place.address));
    let (section, name) = match (key.raw.split_once("] "), name) {
        (Some((section, _)), Some(name)) => (format!("{section}] "), name),
        (None, Some(name)) => (String::new(), name),
        (None, None) if usual(&key.raw) => return Some(None),
        _ => return None,
    };
    let raw = format!("{section}{name}");
    Some(Some(Text { raw, ..key.clone() }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::space::{Configuration, Space};
    use crate::target::prepare;

    /// The space of a study of one component, whose files stand beside it.
    fn space(files: &[(&str, &str)], start: &str, knobs: &str) -> Space {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let study = format!(
            "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\ncomponents:\n  app:\n    \
             start: {start}\n    ready: 127.0.0.1:1\nknobs:\n{knobs}"
        );
        let (study, _) = plimsoll_plan::parse_study(&study, "study.yaml").unwrap();
        prepare(study, &folder.path().join("study.yaml"), None)
            .unwrap()
            .space
    }

    /// Which of some values of the first knob may be tried.
    fn allowed(space: &Space, values: &[&str]) -> Vec<String> {
        let of = |value: &&str| {
            Configuration::unchanged(space.knobs.len()).with(0, Some((*value).to_owned()))
        };
        let may = |value: &&&str| space.broken(&of(value)).is_none();
        values
            .iter()
            .filter(may)
            .map(|it| (*it).to_owned())
            .collect()
    }

    const POOL: &str = "[shop]\npm = dynamic\npm.max_children = 8\npm.start_servers = 3\n\
                        pm.min_spare_servers = 2\npm.max_spare_servers = 6\n";
    const CHILDREN: [&str; 4] = ["2", "5", "6", "40"];

    #[test]
    fn settings_of_the_file_bound_a_knob() {
        let by_name = "  php-fpm.max-children: { file: pool.conf, format: php-ini }\n";
        let by_key = "  n: { file: pool.conf, format: php-ini, key: '[shop] pm.max_children', range: 1..90 }\n";
        let bare =
            "  n: { file: pool.conf, format: php-ini, key: pm.max_children, range: 1..90 }\n";
        for knobs in [by_name, by_key, bare] {
            let space = space(&[("pool.conf", POOL)], "php-fpm", knobs);
            assert_eq!(allowed(&space, &CHILDREN), ["6", "40"], "{knobs}");
        }
        // Another pool's settings are not this one's.
        let two = format!("{POOL}[other]\npm.max_spare_servers = 30\npm = dynamic\n");
        let space = space(&[("pool.conf", &two)], "php-fpm", by_key);
        assert_eq!(allowed(&space, &CHILDREN), ["6", "40"]);
    }

    #[test]
    fn what_does_not_count_bounds_nothing() {
        let fixed = POOL.replace("dynamic", "static");
        let one = "  php-fpm.max-children: { file: pool.conf, format: php-ini }\n";
        let space_of = |pool: &str, knobs: &str| space(&[("pool.conf", pool)], "php-fpm", knobs);
        assert_eq!(allowed(&space_of(&fixed, one), &CHILDREN), CHILDREN);
        // Where a knob decides whether it counts, so it is.
        let both = format!("{one}  php-fpm.pm: {{ file: pool.conf, format: php-ini }}\n");
        let space = space_of(&fixed, &both);
        assert_eq!(allowed(&space, &CHILDREN), CHILDREN);
        let dynamic = Configuration::unchanged(2).with(1, Some("dynamic".to_owned()));
        let few = dynamic.with(0, Some("5".to_owned()));
        assert!(space.broken(&dynamic).is_none());
        assert_eq!(
            space.broken(&few).unwrap().text(),
            "php-fpm.max-children >= 6"
        );
    }

    #[test]
    fn a_knob_of_the_study_is_no_setting_that_stands() {
        let knobs = "  php-fpm.max-children: { file: pool.conf, format: php-ini }\n  \
                     spare: { file: pool.conf, format: php-ini, key: '[shop] pm.max_spare_servers', range: 1..90 }\n";
        let space = space(&[("pool.conf", POOL)], "php-fpm", knobs);
        let few = Configuration::unchanged(2).with(0, Some("5".to_owned()));
        assert!(space.broken(&few).is_some());
        assert!(space.broken(&few.with(1, Some("4".to_owned()))).is_none());
    }

    #[test]
    fn arguments_of_the_start_command_bound_a_knob() {
        let knobs = "  jvm.heap.max: { values: [64m, 256m, 1g] }\n";
        let space = space(&[], "java -Xms128m -jar app.jar", knobs);
        assert_eq!(allowed(&space, &["64m", "256m", "1g"]), ["256m", "1g"]);
    }

    #[test]
    fn what_only_warns_bounds_nothing() {
        let file =
            "spring.datasource.hikari.minimum-idle=20\nspring.datasource.druid.min-idle=20\n";
        let of = |name: &str| {
            let knobs = format!("  {name}: {{ file: application.properties, range: 5..50 }}\n");
            let space = space(
                &[("application.properties", file)],
                "java -jar app.jar",
                &knobs,
            );
            allowed(&space, &["10", "30"]).len()
        };
        // HikariCP takes the smaller one; Druid does not begin.
        assert_eq!(of("hikari.maximum-pool-size"), 2);
        assert_eq!(of("druid.max-active"), 1);
    }
}
