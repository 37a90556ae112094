//! What is seen of the statements of a database.

use plimsoll_watch::Look;

use super::value;

/// Two counts over all 5,000 rows of the table `orders`, without an index and without what they
/// looked for, and threads by their state; the digest's id.
pub fn sees_two_scans(seen: &Look) -> &str {
    let digest = seen
        .facts()
        .iter()
        .find(|fact| fact.value.contains("COUNT") && fact.value.contains("`orders`"))
        .unwrap_or_else(|| panic!("{:?}", seen.facts()));
    let id = digest.name.strip_prefix("mysql.digest.").unwrap();
    let of = [("mysql.digest", id)];
    assert_eq!(value(seen, "mysql.statement.count", &of), Some(2.0));
    assert_eq!(
        value(seen, "mysql.statement.rows_examined", &of),
        Some(10_000.0)
    );
    assert_eq!(
        value(seen, "mysql.statement.no_index.count", &of),
        Some(2.0)
    );
    assert!(
        seen.facts()
            .iter()
            .all(|fact| !fact.value.contains("topsecret"))
    );
    assert!(
        seen.points()
            .any(|(key, _)| key.name == "mysql.process.count")
    );
    id
}
