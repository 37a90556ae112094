//! Regular expressions as far as they can be looked at without compiling them: that takes time and memory by what
//! they repeat, and who uses one does it, once.

/// How many groups an expression has.
///
/// # Errors
/// What is wrong with it, as `regex` says it.
pub(crate) fn groups(pattern: &str) -> Result<u32, String> {
    let parsed = regex_syntax::Parser::new().parse(pattern);
    let parsed = parsed.map_err(|error| error.to_string())?;
    let groups = parsed.properties().explicit_captures_len();
    Ok(u32::try_from(groups).unwrap_or(u32::MAX))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::groups;

    #[test]
    fn what_is_large_is_only_looked_at() {
        // Compiled it has more than the 10 MiB that `regex` allows.
        let pattern = r"(\pL{1000}){1000}";
        assert_eq!(groups(pattern), Ok(1));
        assert!(regex::Regex::new(pattern).is_err());
    }

    proptest! {
        /// Right and wrong as `regex` has it, with its groups.
        #[test]
        fn it_is_what_regex_says(pattern in "[ab\\\\wd.^$|?*+(){}\\[\\]:<>P=!,0-3-]{0,12}") {
            let compiled = regex::Regex::new(&pattern);
            match groups(&pattern) {
                Ok(groups) => prop_assert_eq!(groups as usize, compiled.unwrap().captures_len() - 1),
                Err(reason) => prop_assert_eq!(reason, compiled.unwrap_err().to_string()),
            }
        }
    }
}
