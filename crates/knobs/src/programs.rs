//! Whose settings a program can have.

use crate::formats::command::run_by;

/// A program by the name of its file, with the families of its knobs, or single ones.
struct ProgramKnobs {
    /// How the names of its files begin.
    names: &'static [&'static str],
    knobs: &'static [&'static str],
    /// It runs what it is given: a script may start any other program.
    starts_others: bool,
}

const OF_JVM: &[&str] = &[
    "druid",
    "hikari",
    "jetty",
    "jvm",
    "logging",
    "redis-client",
    "spring",
    "tomcat",
    "undertow",
];
/// Of the host and of control groups: any program has them.
const OF_ALL: &[&str] = &["kernel", "cgroup"];

const fn program(names: &'static [&'static str], knobs: &'static [&'static str]) -> ProgramKnobs {
    ProgramKnobs {
        names,
        knobs,
        starts_others: false,
    }
}

const PROGRAMS: &[ProgramKnobs] = &[
    program(&["java"], OF_JVM),
    program(&["nginx", "openresty"], &["nginx"]),
    program(&["php-fpm"], &["php-fpm"]),
    program(&["mysqld", "mariadbd"], &["mysql"]),
    program(&["redis-server"], &["redis"]),
    program(&["postgres"], &["postgres"]),
    program(&["gunicorn"], &["runtime.gunicorn"]),
    ProgramKnobs {
        starts_others: true,
        ..program(&["node"], &["runtime.node"])
    },
    ProgramKnobs {
        starts_others: true,
        ..program(&["python"], &["runtime.gunicorn"])
    },
];

/// Whether a knob can be one of what a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnobFit {
    /// It is one of that program, or of any.
    Fits,
    /// It is one of another program.
    Strange,
    /// It is one of another program, which this one may start; or nothing is known of this one.
    Unknown,
}

/// Whether a knob can be one of a command, by the file that it runs.
#[must_use]
pub fn fit(command: &[String], id: &str) -> KnobFit {
    let of = |knobs: &[&str]| {
        let mut all = knobs.iter();
        all.any(|it| {
            id.strip_prefix(it)
                .is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let known = program_of(command);
    match known {
        _ if of(OF_ALL) => KnobFit::Fits,
        None => KnobFit::Unknown,
        Some(program) if of(program.knobs) => KnobFit::Fits,
        Some(program) if program.starts_others => KnobFit::Unknown,
        Some(_) => KnobFit::Strange,
    }
}

/// Whether a knob is one of what a command itself runs, as far as that is known.
#[must_use]
pub fn is_of_command(command: &[String], id: &str) -> bool {
    fit(command, id) == KnobFit::Fits || program_of(command).is_none()
}

fn program_of(command: &[String]) -> Option<&'static ProgramKnobs> {
    run_by(command).iter().find_map(|word| named(word))
}

fn named(word: &str) -> Option<&'static ProgramKnobs> {
    let name = word.rsplit('/').next()?;
    let is = |wanted: &str| {
        let rest = name.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    PROGRAMS
        .iter()
        .find(|program| program.names.iter().any(|wanted| is(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::all;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_knob_of_another_program_does_not_fit() {
        for (line, id, wanted) in [
            ("java -jar a.jar", "tomcat.threads.max", KnobFit::Fits),
            (
                "env A=1 /opt/jdk/bin/java -jar a.jar",
                "jvm.heap.max",
                KnobFit::Fits,
            ),
            ("java -jar a.jar", "runtime.go.maxprocs", KnobFit::Strange),
            (
                "taskset -c 0 java -jar a.jar",
                "nginx.gzip",
                KnobFit::Strange,
            ),
            ("sudo -u www nginx -g x", "nginx.gzip", KnobFit::Fits),
            ("timeout 60 ./server", "nginx.gzip", KnobFit::Unknown),
            ("nginx -g x", "php-fpm.max-children", KnobFit::Strange),
            ("php-fpm8.2 -F", "php-fpm.max-children", KnobFit::Fits),
            (
                "python3.11 run.py",
                "nginx.worker-processes",
                KnobFit::Unknown,
            ),
            (
                "python3 -m gunicorn a",
                "runtime.gunicorn.workers",
                KnobFit::Fits,
            ),
            ("./server", "tomcat.threads.max", KnobFit::Unknown),
            ("nginx", "kernel.somaxconn", KnobFit::Fits),
            ("sh -c java", "nginx.gzip", KnobFit::Unknown),
        ] {
            assert_eq!(fit(&words(line), id), wanted, "{line} {id}");
        }
        assert!(!is_of_command(
            &words("python3 app.py"),
            "tomcat.accept-count"
        ));
        assert!(is_of_command(&words("./start.sh"), "tomcat.accept-count"));
    }

    #[test]
    fn all_that_programs_have_is_there() {
        for program in PROGRAMS {
            for knobs in program.knobs {
                assert!(all().any(|knob| knob.id.starts_with(knobs)), "{knobs}");
            }
        }
    }
}
