//! Statements by their form: SQL without its literals, and a short name for it.

/// Whose SQL a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SqlDialect {
    /// MySQL's and MariaDB's: both quotes hold strings, in which a backslash escapes.
    MySql,
    /// PostgreSQL's: double quotes hold names, dollars strings, and a backslash escapes where the
    /// string says so.
    Postgres,
}

/// A text of SQL with `?` for each string and number, without comments: what it asks for and
/// not whom it asks about. Names, also quoted ones, stay.
pub(crate) fn without_literals(sql: &str, dialect: SqlDialect) -> String {
    let mut text = SqlText {
        rest: sql,
        shown: String::with_capacity(sql.len()),
        dialect,
    };
    let mut before = ' ';
    while let Some(letter) = text.next() {
        text.take(letter, before);
        before = letter;
    }
    text.shown
}

/// A text on its way through.
struct SqlText<'a> {
    rest: &'a str,
    shown: String,
    dialect: SqlDialect,
}

impl SqlText<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    /// What the letter begins.
    fn take(&mut self, letter: char, before: char) {
        let postgres = self.dialect == SqlDialect::Postgres;
        match letter {
            '"' if postgres => self.name('"'),
            '`' if !postgres => self.name('`'),
            '\'' if postgres && !matches!(before, 'e' | 'E') => self.standard_string(),
            '\'' | '"' => self.string(letter),
            '$' if postgres && !is_name(before) => self.dollar(),
            '#' if !postgres => self.line(),
            '-' if self.rest.starts_with('-') => self.line(),
            '/' if self.rest.starts_with('*') => self.comment(),
            '0'..='9' if !is_name(before) => {
                let number = |next: char| is_name(next) || next == '.';
                self.rest = self.rest.trim_start_matches(number);
                self.shown.push('?');
            }
            other => self.shown.push(other),
        }
    }

    /// A quoted name, as it is.
    fn name(&mut self, quote: char) {
        let end = self.rest.find(quote).map_or(self.rest.len(), |at| at + 1);
        let (name, rest) = self.rest.split_at(end);
        self.shown.push(quote);
        self.shown.push_str(name);
        self.rest = rest;
    }

    /// Up to the quote that ends the string: one that is doubled or escaped does not.
    fn string(&mut self, quote: char) {
        self.shown.push('?');
        while let Some(letter) = self.next() {
            if letter == '\\' {
                self.next();
            } else if letter == quote && !self.skip(quote) {
                return;
            }
        }
    }

    /// The same where a backslash is one. Before a quote it may be none, by a setting of old: then
    /// nobody knows where the string ends, and nothing more is told.
    fn standard_string(&mut self) {
        self.shown.push('?');
        let mut before = ' ';
        while let Some(letter) = self.next() {
            if letter == '\'' && before == '\\' {
                self.rest = "";
            } else if letter == '\'' && !self.skip('\'') {
                return;
            }
            before = letter;
        }
    }

    /// A parameter (`$1`), or a string in dollars (`$tag$…$tag$`).
    fn dollar(&mut self) {
        let after = self.rest.trim_start_matches(is_name_part);
        let tag = &self.rest[..self.rest.len() - after.len()];
        let quoted = after
            .strip_prefix('$')
            .filter(|_| !tag.starts_with(|c: char| c.is_ascii_digit()));
        let Some(inside) = quoted else {
            self.shown.push('$');
            self.shown.push_str(tag);
            self.rest = after;
            return;
        };
        let end = format!("${tag}$");
        self.rest = inside.split_once(&end).map_or("", |(_, rest)| rest);
        self.shown.push('?');
    }

    fn line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// A comment; PostgreSQL's may hold others.
    fn comment(&mut self) {
        let mut depth = 1;
        self.skip('*');
        while depth > 0 && !self.rest.is_empty() {
            if let Some(rest) = self.rest.strip_prefix("*/") {
                depth -= 1;
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix("/*")
                && self.dialect == SqlDialect::Postgres
            {
                depth += 1;
                self.rest = rest;
            } else {
                self.next();
            }
        }
        self.shown.push(' ');
    }

    /// Skips the letter if it is next.
    fn skip(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn is_name(letter: char) -> bool {
    is_name_part(letter) || matches!(letter, '$' | '@')
}

fn is_name_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a text is one query that only reads, so that its plan may be asked for.
pub(crate) fn is_plain_select(sql: &str) -> bool {
    let sql = sql.trim();
    let begins = sql
        .get(..7)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("select "));
    // MySQL cuts long texts and says so by dots.
    let shown = without_literals(sql, SqlDialect::MySql).to_ascii_lowercase();
    begins && !sql.ends_with("...") && !sql.contains(';') && !shown.contains(" into ")
}

/// A short name for a form of statement in a schema.
pub(crate) fn digest_id(digest: &str, schema: &str) -> String {
    let short = digest.get(..12).unwrap_or(digest);
    match schema {
        "" => short.to_owned(),
        schema => format!("{schema}.{short}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn literals_go_and_names_stay() {
        for (given, shown) in [
            (
                "select * from t1 where a = 15 and b='x''y\\'z'",
                "select * from t1 where a = ? and b=?",
            ),
            (
                "select `a 1`, \"s\" -- secret\nfrom t",
                "select `a 1`, ? \nfrom t",
            ),
            (
                "select/* secret */1.5e3, 0xFF, @v1 # x",
                "select ?, ?, @v1 ",
            ),
            (
                "insert into t values (1,'a'),(2,'b')",
                "insert into t values (?,?),(?,?)",
            ),
            ("select 'never ends", "select ?"),
        ] {
            assert_eq!(without_literals(given, SqlDialect::MySql), shown);
        }
    }

    #[test]
    fn postgres_has_strings_of_its_own() {
        for (given, shown) in [
            (
                "select \"a 1\", 'x''y\\z', E'q\\'secret' from t where b = $1",
                "select \"a 1\", ?, E? from t where b = $1",
            ),
            ("select $$secret$$, $a$x $$ secret$a$, 1", "select ?, ?, ?"),
            ("select $1$secret", "select $1$secret"),
            ("a /* x /* y */ secret */ b", "a   b"),
            ("a -- secret\nb # c", "a \nb # c"),
            // Where strings end cannot be known.
            ("select 'a\\', 'secret'", "select ?"),
            ("select 'a\\' , 1, 'b'", "select ?"),
            ("select $a$secret", "select ?"),
        ] {
            assert_eq!(without_literals(given, SqlDialect::Postgres), shown);
        }
    }

    #[test]
    fn plans_are_asked_for_queries_only() {
        assert!(is_plain_select("SELECT a FROM t WHERE b = 'x'"));
        for other in [
            "select 1; drop table t",
            "select a into outfile 'x' from t",
            "update t set a = 1",
            "select a from t where ...",
            "selec",
            "",
        ] {
            assert!(!is_plain_select(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_string_is_left(secret in "[a-z]{8}", sql in "[a-z0-9 =`(]*") {
            let marked = format!("select {} '{secret}'", sql.replace('`', "") );
            let quoted = format!("'{secret}");
            for dialect in [SqlDialect::MySql, SqlDialect::Postgres] {
                prop_assert!(!without_literals(&marked, dialect).contains(&quoted));
            }
        }

        #[test]
        fn any_text_is_taken(sql in "(\\PC|['\"`#/*\\\\-])*") {
            let _ = without_literals(&sql, SqlDialect::MySql);
            let _ = without_literals(&sql, SqlDialect::Postgres);
            let _ = is_plain_select(&sql);
        }
    }
}
