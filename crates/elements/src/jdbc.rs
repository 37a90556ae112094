//! Which of JMeter's JDBC elements the engine's own database clients do for. All of a plan's
//! elements must be: else all of them are the companion's, since they share its data sources.

/// The class that names a database.
pub const DATA_SOURCE: &str = "DataSourceElement";

/// Classes that speak to a database.
pub const QUERIES: &[&str] = &["JDBCPostProcessor", "JDBCPreProcessor", "JDBCSampler"];

/// Where elements have their scripts, and what a script names that takes a connection out of a
/// pool of JMeter's.
const SCRIPTS: &[&str] = &[
    "script",
    "BeanShellSampler.query",
    "BeanShellAssertion.query",
];
const POOLS: &str = "DataSourceElement";

/// How the addresses of databases begin that the engine speaks to.
const DATABASES: &[&str] = &["jdbc:mariadb://", "jdbc:mysql://", "jdbc:postgresql://"];

/// What is known of a property before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownText<'t> {
    /// It is not there.
    Missing,
    /// Its text.
    Text(&'t str),
    /// It holds variables.
    Changing,
}

/// Whether an element of any class stands in the way of the engine's own clients. An address
/// with variables is looked at when it is known; callable statements, rows that are kept as Java
/// objects and scripts that use a pool need Java.
pub fn is_native<'t>(class: &str, property: impl Fn(&str) -> KnownText<'t>) -> bool {
    if class == DATA_SOURCE {
        return match property("dbUrl") {
            KnownText::Text(url) => has_client(url),
            KnownText::Missing | KnownText::Changing => true,
        };
    }
    if !QUERIES.contains(&class) {
        let takes =
            |name: &str| matches!(property(name), KnownText::Text(it) if it.contains(POOLS));
        return !SCRIPTS.iter().any(|name| takes(name));
    }
    let keeps_texts = match property("resultVariable") {
        KnownText::Missing => true,
        KnownText::Text(name) => name.trim().is_empty(),
        KnownText::Changing => false,
    };
    keeps_texts && property("queryType") != KnownText::Text("Callable Statement")
}

/// Whether the engine has a client for an address: of a known database, on one host.
#[must_use]
pub fn has_client(url: &str) -> bool {
    let url = url.trim();
    let rest = DATABASES.iter().find_map(|known| url.strip_prefix(known));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        !host.is_empty() && !host.contains([',', '(', ')'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_java_alone_can_do_is_not_native() {
        use KnownText::{Changing, Missing, Text};
        let select = Text("Select Statement");
        for (variable, kind, native) in [
            (Missing, select, true),
            (Text(" "), select, true),
            (Text("rows"), select, false),
            (Changing, select, false),
            (Missing, Missing, true),
            (Missing, Changing, true),
            (Missing, Text("Callable Statement"), false),
        ] {
            for class in QUERIES {
                let property = |name: &str| match name {
                    "resultVariable" => variable,
                    _ => kind,
                };
                assert_eq!(is_native(class, property), native, "{variable:?} {kind:?}");
            }
        }
        assert!(is_native("DebugSampler", |_| Text("rows")));
        let script = |text| {
            move |name: &str| {
                if name == "script" {
                    Text(text)
                } else {
                    Missing
                }
            }
        };
        assert!(is_native("JSR223Sampler", script("vars.put('a', 'b')")));
        let takes = script("def it = DataSourceElement.getConnection('db')");
        assert!(!is_native("JSR223Sampler", takes));
        assert!(is_native(DATA_SOURCE, |_| Changing));
        assert!(!is_native(DATA_SOURCE, |_| Text("jdbc:h2:mem:x")));
    }
}
