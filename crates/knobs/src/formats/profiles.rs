//! Profiles of Spring: which documents of a file hold (`spring.config.activate.on-profile`).

/// Expressions are nested no deeper.
const MAX_DEPTH: usize = 64;

/// Whether a key, in relaxed words, says for which profiles a document is, also as an item of a list.
pub(super) fn names_profiles(key: &str) -> bool {
    let item = key.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let item = item.filter(|(_, at)| at.bytes().all(|byte| byte.is_ascii_digit()));
    let name = item.map_or(key, |(name, _)| name);
    matches!(name, "spring.config.activate.onprofile" | "spring.profiles")
}

/// Which of some documents hold while these profiles are active: those that name none, and those of which one
/// expression holds.
pub(super) fn active_documents<'a>(
    count: usize,
    named: impl Iterator<Item = (usize, &'a str)>,
    active: &[String],
) -> Vec<bool> {
    let mut documents = vec![None; count];
    for (at, expression) in named {
        if let Some(document) = documents.get_mut(at) {
            *document = Some(*document == Some(true) || is_active(expression, active));
        }
    }
    let holds = documents
        .into_iter()
        .map(|document| document != Some(false));
    holds.collect()
}

/// Whether an expression holds while these profiles are active: one of several parted by commas, each of
/// names, `!`, `&`, `|` and parentheses (`org.springframework.core.env.Profiles.of`). What cannot be read
/// holds nowhere.
fn is_active(expression: &str, active: &[String]) -> bool {
    // Without a profile of one's own the one named `default` is active.
    let default = ["default".to_owned()];
    let active = if active.is_empty() { &default } else { active };
    expression.split(',').any(|one| {
        let mut reader = ProfileReader { rest: one, active };
        reader.any(0) == Some(true) && reader.rest.trim().is_empty()
    })
}

struct ProfileReader<'a> {
    rest: &'a str,
    active: &'a [String],
}

impl ProfileReader<'_> {
    fn any(&mut self, depth: usize) -> Option<bool> {
        let mut holds = self.one(depth)?;
        loop {
            match self.next() {
                Some('|') => {
                    self.skip();
                    holds |= self.one(depth)?;
                }
                Some('&') => {
                    self.skip();
                    holds &= self.one(depth)?;
                }
                _ => return Some(holds),
            }
        }
    }

    fn one(&mut self, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.next()? {
            '!' => {
                self.skip();
                self.one(depth + 1).map(|holds| !holds)
            }
            '(' => {
                self.skip();
                let holds = self.any(depth + 1)?;
                (self.next()? == ')').then(|| self.skip())?;
                Some(holds)
            }
            _ => {
                let end = self.rest.find(['!', '&', '|', '(', ')']);
                let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                let name = name.trim();
                (!name.is_empty()).then(|| self.active.iter().any(|active| active == name))
            }
        }
    }

    /// The next letter that is no space.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn skip(&mut self) {
        let mut letters = self.rest.chars();
        letters.next();
        self.rest = letters.as_str();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn documents_hold_while_one_of_their_profiles_is_active() {
        let active = ["prod".to_owned()];
        let named = [
            (1, "prod"),
            (2, "dev"),
            (3, "dev"),
            (3, "prod"),
            (9, "prod"),
        ];
        assert_eq!(
            active_documents(4, named.into_iter(), &active),
            [true, true, false, true]
        );
        for (key, expected) in [
            ("spring.profiles", true),
            ("spring.profiles[1]", true),
            ("spring.config.activate.onprofile[12]", true),
            ("spring.profiles[a]", false),
            ("spring.profiles.active", false),
            ("spring.config.activate.onprofile.a[0]", false),
        ] {
            assert_eq!(names_profiles(key), expected, "{key}");
        }
    }

    #[test]
    fn expressions_hold_as_spring_has_them() {
        let active = ["prod".to_owned(), "eu".to_owned()];
        for (expression, expected) in [
            ("prod", true),
            ("dev", false),
            ("dev,eu", true),
            ("prod & eu", true),
            ("prod & !eu", false),
            ("dev | (prod & eu)", true),
            ("!dev", true),
            ("(prod", false),
            ("", false),
            ("!", false),
            ("prod)", false),
        ] {
            assert_eq!(is_active(expression, &active), expected, "{expression}");
        }
        assert!(is_active("default", &[]) && !is_active("prod", &[]));
        assert!(!is_active(&"(".repeat(100_000), &active));
        assert!(!is_active(&"!".repeat(100_000), &active));
    }
}
