//! Statements by their form: SQL without its literals, and a short name for it.

/// A text of SQL with `?` for each string and number, without comments: what it asks for and
/// not whom it asks about. Names, also quoted by backticks, stay.
pub(crate) fn without_literals(sql: &str) -> String {
    let mut shown = String::with_capacity(sql.len());
    let mut letters = sql.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                skip_quoted(&mut letters, letter);
                shown.push('?');
            }
            '`' => {
                shown.push('`');
                for letter in letters.by_ref() {
                    shown.push(letter);
                    if letter == '`' {
                        break;
                    }
                }
            }
            '#' => skip_line(&mut letters),
            '-' if letters.peek() == Some(&'-') => skip_line(&mut letters),
            '/' if letters.peek() == Some(&'*') => {
                let mut star = false;
                letters.next();
                for letter in letters.by_ref() {
                    if star && letter == '/' {
                        break;
                    }
                    star = letter == '*';
                }
                shown.push(' ');
            }
            '0'..='9' if !is_name(before) => {
                while letters
                    .peek()
                    .is_some_and(|next| is_name(*next) || *next == '.')
                {
                    letters.next();
                }
                shown.push('?');
            }
            other => shown.push(other),
        }
        before = letter;
    }
    shown
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '@')
}

/// Up to the quote that ends the string: one that is doubled or escaped does not.
fn skip_quoted(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char) {
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote && letters.next_if_eq(&quote).is_none() {
            return;
        }
    }
}

fn skip_line(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while letters.next_if(|letter| *letter != '\n').is_some() {}
}

/// Whether a text is one query that only reads, so that its plan may be asked for.
pub(crate) fn is_plain_select(sql: &str) -> bool {
    let sql = sql.trim();
    let begins = sql
        .get(..7)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("select "));
    // MySQL cuts long texts and says so by dots.
    let shown = without_literals(sql).to_ascii_lowercase();
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
            assert_eq!(without_literals(given), shown);
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
            prop_assert!(!without_literals(&marked).contains(&quoted));
        }

        #[test]
        fn any_text_is_taken(sql in "(\\PC|['\"`#/*\\\\-])*") {
            let _ = without_literals(&sql);
            let _ = is_plain_select(&sql);
        }
    }
}
