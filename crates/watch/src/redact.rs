//! Takes secrets out of what is seen, at the place where it is seen.
//!
//! Whatever could be a secret is one: a setting too few is better than a password too many.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands for a secret.
pub const HIDDEN: &str = "***";

/// Words that make a setting's name a secret's, wherever they stand in it.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "pass",
    "passphrase",
    "requirepass",
    "masterauth",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "authorization",
    "cookie",
    "salt",
    "signature",
    "userinfo",
];

/// What a name ends with when its value is no secret though a word of it says so.
const HARMLESS_ENDS: &[&str] = &[
    "file", "path", "length", "timeout", "enabled", "name", "count",
];

/// Whether a setting of that name holds a secret: `spring.datasource.password`, `apiKey`,
/// `SSL_KEY`. A name that ends with `key` does, one that only has it (`key_buffer_size`)
/// does not.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let has = |word: &str| words.iter().any(|one| one == word);
    let last = words.last().map_or("", String::as_str);
    if last == "key" || last == "keys" || has("private") && has("key") {
        return true;
    }
    WORDS.iter().any(|word| has(word)) && !HARMLESS_ENDS.contains(&last)
        // `dbpassword`, `mysqlsecret`: written in one.
        || ["password", "passwd", "secret", "apikey"]
            .iter()
            .any(|word| last.ends_with(word))
}

/// The words of `camelCase`, `kebab-case`, `snake_case` and `dotted.names`, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small_before = false;
    for letter in name.chars() {
        let cut = !letter.is_alphanumeric();
        if (cut || letter.is_uppercase() && small_before)
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && !cut
        {
            word.extend(letter.to_lowercase());
        }
        small_before = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The value of a setting, hidden when its name says that it is a secret, else without the
/// secrets in it.
#[must_use]
pub fn setting<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if is_secret(name) && !value.is_empty() {
        return Cow::Borrowed(HIDDEN);
    }
    text(value)
}

/// A command line without secrets: values of options such as `--password x`,
/// `-Ddb.password=x` and MySQL's `-px`, URLs with passwords.
#[must_use]
pub fn command_line<S: AsRef<str>>(arguments: &[S]) -> String {
    let program = arguments.first().map_or("", AsRef::as_ref);
    let program = program.rsplit('/').next().unwrap_or(program);
    let of_mysql = program.starts_with("mysql") || program.starts_with("mariadb");
    let mut shown = String::new();
    let mut hide_next = false;
    for argument in arguments {
        let argument = argument.as_ref();
        if !shown.is_empty() {
            shown.push(' ');
        }
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        if std::mem::take(&mut hide_next) && !argument.starts_with("--") {
            shown.push_str(HIDDEN);
        } else if !value.is_empty() {
            shown.push_str(name);
            shown.push('=');
            shown.push_str(&setting(name, value));
        } else if of_mysql && argument.starts_with("-p") && argument.len() > 2 {
            shown.push_str("-p");
            shown.push_str(HIDDEN);
        } else {
            shown.push_str(&text(argument));
            hide_next = argument.starts_with('-') && is_secret(name)
                || matches!((program, argument), ("curl", "-u") | ("redis-cli", "-a"));
        }
    }
    shown
}

/// A pattern of secrets and what takes the place of what it finds.
struct Pattern {
    regex: Regex,
    with: &'static str,
}

/// The patterns are constant and checked by the tests.
#[allow(clippy::expect_used)]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let pattern = |pattern, with| Pattern {
        regex: regex(pattern),
        with,
    };
    vec![
        pattern(
            r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
            "***",
        ),
        pattern(r"(?i)\b(jdbc:oracle:\w+:)[^\s@]+@", "$1***@"),
        pattern(
            r#"(?i)\b((?:proxy-)?authorization|set-cookie|cookie)(\\?["']?\s*[:=]\s*|\s+)(\\?["']?)[^\r\n"';\\]+"#,
            "$1$2$3***",
        ),
        pattern(
            r"(?i)\b(bearer|basic|digest)\s+[a-z0-9+/=._~-]{6,}",
            "$1 ***",
        ),
        pattern(
            r#"(?i)(identified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?)["'][^"']*["']"#,
            "$1'***'",
        ),
        pattern(
            r#"(?i)([\w.\-]*(?:password|passwd|pwd|passphrase|secret|token|credential|requirepass|api[-_]?key|access[-_]?key|private[-_]?key)[\w.\-]*)(\\?["']?\s*[=:]\s*)(\\?"[^"]*"?|\\?'[^']*'?|[^\s"'&;,)}\]]+)"#,
            "$1$2***",
        ),
    ]
});

static USERINFO: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(://)([^\s/?#@:"'<>]*):([^\s"'<>]*)@"#));

/// A text without the secrets that can be told by their form: passwords in URLs (also
/// JDBC's), `password=…`, `Authorization: …`, `IDENTIFIED BY '…'`, private keys.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    let mut shown = USERINFO.replace_all(text, |found: &Captures<'_>| {
        let password = &found[3];
        let after_port = password.trim_start_matches(|c: char| c.is_ascii_digit());
        // `http://host:80/mail?to=a@b` names no user.
        if after_port.len() < password.len() && after_port.starts_with(['/', '?', '#', ',']) {
            return found[0].to_owned();
        }
        format!("{}{}:{HIDDEN}@", &found[1], &found[2])
    });
    for pattern in PATTERNS.iter() {
        if let Cow::Owned(changed) = pattern.regex.replace_all(&shown, pattern.with) {
            shown = Cow::Owned(changed);
        }
    }
    shown
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "spring.datasource.password",
            "apiKey",
            "SSL_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "server.ssl.key-store-password",
            "jwtToken",
            "dbpassword",
            "my.credentials",
            "private-key-pem",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "key_buffer_size",
            "server.tomcat.keep-alive-timeout",
            "password-file",
            "bypass.cache",
            "server.tomcat.threads.max",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_in_texts() {
        for (given, shown) in [
            ("redis://:s3/cret@cache:6379/0", "redis://:***@cache:6379/0"),
            ("http://me:p@ss@web/", "http://me:***@web/"),
            ("http://web:80/?to=a@b", "http://web:80/?to=a@b"),
            (
                "jdbc:mysql://db/x?user=a&password=b%20c&useSSL=false",
                "jdbc:mysql://db/x?user=a&password=***&useSSL=false",
            ),
            (
                "jdbc:sqlserver://db;user=a;password=b;encrypt=true",
                "jdbc:sqlserver://db;user=a;password=***;encrypt=true",
            ),
            (
                "jdbc:oracle:thin:scott/tiger@db:1521",
                "jdbc:oracle:thin:***@db:1521",
            ),
            (
                "Authorization: Basic YTpi\r\nHost: x",
                "Authorization: ***\r\nHost: x",
            ),
            (
                r#"proxy_set_header Authorization "Bearer abc.def";"#,
                r#"proxy_set_header Authorization "***";"#,
            ),
            ("sent bearer abcdefgh to", "sent bearer *** to"),
            (r#"{"password":"a b","n":1}"#, r#"{"password":***,"n":1}"#),
            (
                "create user a identified by 'x y'",
                "create user a identified by '***'",
            ),
            ("two tokens of text", "two tokens of text"),
        ] {
            assert_eq!(text(given), shown);
        }
        let pem = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(text(pem), "a\n***\nb");
    }

    #[test]
    fn command_lines() {
        for (given, shown) in [
            (
                &[
                    "java",
                    "-Ddb.password=x",
                    "-jar",
                    "a.jar",
                    "--api-key=y",
                    "--port=1",
                ][..],
                "java -Ddb.password=*** -jar a.jar --api-key=*** --port=1",
            ),
            (&["mysql", "-uroot", "-psecret"], "mysql -uroot -p***"),
            (&["x", "--password", "y", "--z"], "x --password *** --z"),
            (
                &["/usr/bin/redis-cli", "-a", "y", "info"],
                "/usr/bin/redis-cli -a *** info",
            ),
            (&["java", "-p", "8080"], "java -p 8080"),
        ] {
            assert_eq!(command_line(given), shown);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(given in "\\PC*") {
            let _ = text(&given);
            let _ = is_secret(&given);
            let _ = command_line(&[&given, &given]);
        }

        #[test]
        fn no_password_of_a_url_is_left(password in "[a-zA-Z0-9!$%^*+~]{5,12}") {
            let url = format!("mysql://root:{password}@db:3306/shop");
            prop_assert!(!text(&url).contains(&password));
            let setting = format!("spring.datasource.password={password}");
            prop_assert!(!text(&setting).contains(&password));
        }
    }
}
