//! Names of threads, and the groups they make.

/// A thread's name with `*` for each number: `http-nio-*-exec-*`. `C1`, `C2` and `G1` are
/// names of parts of a JVM.
pub(crate) fn group(name: &str) -> String {
    let mut group = String::with_capacity(name.len());
    for word in name.split_inclusive(' ') {
        if matches!(word.trim_end(), "C1" | "C2" | "G1") {
            group.push_str(word);
            continue;
        }
        for c in word.chars() {
            if !c.is_ascii_digit() {
                group.push(c);
            } else if !group.ends_with('*') {
                group.push('*');
            }
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_make_a_group() {
        assert_eq!(group("http-nio-8080-e"), "http-nio-*-e");
        assert_eq!(group("C2 CompilerThre"), "C2 CompilerThre");
        assert_eq!(group("GC Thread#12"), "GC Thread#*");
        assert_eq!(group("exec-1 2"), "exec-* *");
    }
}
