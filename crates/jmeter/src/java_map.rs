//! The order of Java's hash maps, which shows in what JMeter writes.

/// Items with different keys in the order in which a Java `HashMap` shows them: by the low bits
/// of the keys' hashes, as many as its table has (a power of two, at least 16, three quarters
/// full at most); those of one place as they came.
pub fn in_map_order<T>(mut items: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<T> {
    let mut slots: usize = 16;
    while items.len() * 4 > slots * 3 {
        slots *= 2;
    }
    let slot = |name: &str| {
        let units = name.encode_utf16();
        let hash = units.fold(0_u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(u32::from(unit))
        });
        (hash ^ (hash >> 16)) as usize & (slots - 1)
    };
    items.sort_by_key(|item| slot(key(item)));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_as_a_jvm_shows_them() {
        let names = |given: &[&str]| in_map_order(given.to_vec(), |name| name).join(" ");
        // All as a JVM shows them. "Aa" and "BB" have the same hash.
        assert_eq!(names(&["BB", "Aa", "b", "a"]), "BB Aa a b");
        assert_eq!(
            names(&["WHAT", "PATH", "HOME", "LANG"]),
            "PATH WHAT LANG HOME"
        );
        let many = [
            "V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "V11", "V12", "V13", "X",
            "y",
        ];
        assert_eq!(
            names(&many),
            "V6 V7 V8 V9 V10 V12 V11 X V13 y V1 V2 V3 V4 V5"
        );
    }
}
