//! Secrets of what a plan is made of: each becomes a variable that the environment gives.

mod find;
mod tree;

use std::fmt::Write as _;

pub(crate) use find::{FoundSecret, in_address, in_body, in_text, is_likely};
pub(crate) use tree::moved_out;

/// Variables that shells and systems have of their own: what is set there means something else.
const OWN: &[&str] = &[
    "BASH",
    "CDPATH",
    "COLUMNS",
    "DIRSTACK",
    "DISPLAY",
    "EDITOR",
    "ENV",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTFILE",
    "HOME",
    "HOST",
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "LANG",
    "LANGUAGE",
    "LINENO",
    "LINES",
    "LOGNAME",
    "MACHTYPE",
    "MAIL",
    "MAILCHECK",
    "MAILPATH",
    "MANPATH",
    "NAME",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PAGER",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "PROMPT",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "STATUS",
    "TEMP",
    "TERM",
    "TZ",
    "UID",
    "USER",
    "USERNAME",
    "VISUAL",
];

/// Begins of such names.
const OWN_BEGINS: &[&str] = &["LC_", "TMP", "BASH_", "LD_", "XDG_", "SSH_", "PLIMSOLL"];

/// The secrets so far.
#[derive(Debug, Default)]
pub(crate) struct MovedSecrets {
    found: Vec<MovedSecret>,
    /// Variables that the plan has already.
    taken: Vec<String>,
}

#[derive(Debug)]
struct MovedSecret {
    variable: String,
    env: String,
    value: String,
    /// A variable that the plan has already.
    is_own: bool,
}

impl MovedSecrets {
    /// None so far, in a plan that has these variables.
    pub fn beside(taken: Vec<String>) -> Self {
        Self {
            found: Vec::new(),
            taken,
        }
    }

    /// The variable of a secret: one for each value.
    pub fn variable(&mut self, name: &str, value: &str) -> String {
        let name = plain_name(name);
        for number in 1_u32.. {
            let variable = match number {
                1 => name.clone(),
                number => format!("{name}-{number}"),
            };
            match self.found.iter().find(|known| known.variable == variable) {
                Some(known) if known.value == value => return variable,
                Some(_) => continue,
                None if self.taken.contains(&variable) => continue,
                None => {}
            }
            let env = env_of(&variable);
            if self.found.iter().all(|known| known.env != env) {
                self.found.push(MovedSecret {
                    variable: variable.clone(),
                    env,
                    value: value.to_owned(),
                    is_own: false,
                });
                return variable;
            }
        }
        unreachable!("there are more numbers than secrets")
    }

    /// The environment's variable for one that the plan has.
    pub fn own(&mut self, variable: &str, value: &str) -> String {
        let first = env_of(&plain_name(variable));
        let mut env = first.clone();
        let mut number = 1_u32;
        while self.found.iter().any(|known| known.env == env) {
            number += 1;
            env = format!("{first}_{number}");
        }
        self.found.push(MovedSecret {
            variable: variable.to_owned(),
            env: env.clone(),
            value: value.to_owned(),
            is_own: true,
        });
        env
    }

    /// A text with variables in the places of its secrets. What is between them is written by `plain`.
    pub fn moved(
        &mut self,
        text: &str,
        secrets: Vec<FoundSecret>,
        plain: fn(&str) -> String,
    ) -> String {
        let mut out = String::new();
        let mut done = 0;
        for (name, at) in secrets {
            let variable = self.variable(&name, &text[at.clone()]);
            let _ = write!(out, "{}${{{variable}}}", plain(&text[done..at.start]));
            done = at.end;
        }
        out + &plain(&text[done..])
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The variables that are new, each with the environment's.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let found = self.found.iter().filter(|secret| !secret.is_own);
        found.map(|secret| (secret.variable.as_str(), secret.env.as_str()))
    }

    /// The environment's variables.
    pub fn envs(&self) -> Vec<String> {
        self.found.iter().map(|secret| secret.env.clone()).collect()
    }
}

/// A name as a variable has it: small letters, digits and dashes.
fn plain_name(name: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '-',
    };
    let name: String = name.chars().take(64).map(plain).collect();
    match name.trim_matches('-') {
        "" => "secret".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => "secret".to_owned(),
        name => name.to_owned(),
    }
}

/// The environment's variable: never one that a shell or a system has of its own.
fn env_of(variable: &str) -> String {
    let env = variable.to_uppercase().replace('-', "_");
    let is_own = OWN.contains(&env.as_str()) || OWN_BEGINS.iter().any(|own| env.starts_with(own));
    match is_own || env.ends_with("_PROXY") {
        true => format!("PLAN_{env}"),
        false => env,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_of_the_shell_is_asked_for() {
        let mut moved = MovedSecrets::beside(vec!["token".into()]);
        let names = [
            "pwd",
            "plan-pwd",
            "PWD",
            "mail",
            "lc-secret",
            "tmp_token",
            "token",
            "密码",
            "9x",
        ];
        for (number, name) in names.iter().enumerate() {
            moved.variable(name, &number.to_string());
        }
        assert_eq!(
            moved.envs(),
            [
                "PLAN_PWD",
                "PLAN_PWD_2",
                "PWD_2",
                "PLAN_MAIL",
                "PLAN_LC_SECRET",
                "PLAN_TMP_TOKEN",
                "TOKEN_2",
                "SECRET",
                "SECRET_2"
            ]
        );
        assert_eq!(moved.variable("pwd", "0"), "pwd");
    }
}
