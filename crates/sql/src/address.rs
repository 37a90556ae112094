//! JDBC addresses.

use std::collections::BTreeMap;

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// MySQL or MariaDB.
    MySql,
    /// PostgreSQL.
    Postgres,
}

/// Where a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    /// Which database.
    pub kind: DatabaseKind,
    /// Host.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Database; empty: none.
    pub database: String,
    /// Properties of the address.
    pub properties: BTreeMap<String, String>,
}

impl DatabaseAddress {
    /// Reads `jdbc:mysql://…`, `jdbc:mariadb://…` or `jdbc:postgresql://…`. None: another
    /// database, or a form with several hosts.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let rest = text.strip_prefix("jdbc:")?;
        let (scheme, rest) = rest.split_once(':')?;
        let (kind, port) = match scheme {
            "mysql" | "mariadb" => (DatabaseKind::MySql, 3306),
            "postgresql" => (DatabaseKind::Postgres, 5432),
            _ => return None,
        };
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        // The rest is a URL's; only its scheme is Java's own.
        let url = url::Url::parse(&format!("tcp://{rest}")).ok()?;
        let host = url.host_str().filter(|host| !host.contains(','))?;
        Some(Self {
            kind,
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(port),
            database: url.path().trim_start_matches('/').to_owned(),
            properties: url.query_pairs().into_owned().collect(),
        })
    }

    /// A property of the address; empty when it is not there.
    #[must_use]
    pub fn property(&self, name: &str) -> &str {
        self.properties.get(name).map_or("", String::as_str)
    }

    /// `host:port`, for the rule on which hosts may be loaded.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_three_drivers() {
        let mysql =
            DatabaseAddress::parse("jdbc:mysql://db:3307/shop?useSSL=false&user=a").unwrap();
        assert_eq!(
            (mysql.kind, mysql.host.as_str(), mysql.port),
            (DatabaseKind::MySql, "db", 3307)
        );
        assert_eq!(
            (mysql.database.as_str(), mysql.property("user")),
            ("shop", "a")
        );
        assert_eq!(
            DatabaseAddress::parse("jdbc:mariadb://127.0.0.1/")
                .unwrap()
                .port,
            3306
        );
        let postgres = DatabaseAddress::parse("jdbc:postgresql://[::1]/x").unwrap();
        assert_eq!(
            (postgres.kind, postgres.host.as_str()),
            (DatabaseKind::Postgres, "::1")
        );
        assert_eq!(postgres.authority(), "::1:5432");
        for other in [
            "jdbc:oracle:thin:@h:1521:x",
            "jdbc:h2:mem:x",
            "mysql://h/",
            "jdbc:mysql:",
        ] {
            assert_eq!(DatabaseAddress::parse(other), None, "{other}");
        }
    }
}
