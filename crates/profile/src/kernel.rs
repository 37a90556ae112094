//! What the kernel's functions are called: `/proc/kallsyms`.

/// Functions of the kernel, only those that were asked for.
#[derive(Debug, Default)]
pub(crate) struct KernelNames {
    /// Address and name of the function that each wanted place is in, by the place.
    found: Vec<(u64, u64, String)>,
}

impl KernelNames {
    /// Finds the last function that begins at or before each place. Addresses are all zero for
    /// whoever may not see them.
    pub(crate) fn read(symbols: &str, wanted: &mut [u64]) -> Self {
        wanted.sort_unstable();
        let mut best: Vec<(u64, &str)> = vec![(0, ""); wanted.len()];
        for line in symbols.lines() {
            let mut parts = line.split([' ', '\t']);
            let address = parts
                .next()
                .and_then(|text| u64::from_str_radix(text, 16).ok());
            let (Some(address), Some(kind), Some(name)) = (address, parts.next(), parts.next())
            else {
                continue;
            };
            if address == 0 || !matches!(kind, "t" | "T" | "w" | "W") {
                continue;
            }
            let first = wanted.partition_point(|place| *place < address);
            if let Some(known) = best.get_mut(first)
                && address > known.0
            {
                *known = (address, name);
            }
        }
        let mut last = (0, "");
        let mut found = Vec::new();
        for (place, known) in wanted.iter().zip(best) {
            if known.0 > last.0 {
                last = known;
            }
            if last.0 != 0 {
                found.push((*place, last.0, last.1.to_owned()));
            }
        }
        Self { found }
    }

    pub(crate) fn at(&self, place: u64) -> Option<&str> {
        let found = self
            .found
            .binary_search_by_key(&place, |(place, _, _)| *place);
        found.ok().map(|number| self.found[number].2.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_function_before_a_place_is_it() {
        let text =
            "ffff10 T first\nffff30 t second\nffff20 D data\nffff40 t in_module\t[nf_tables]\n";
        let names = KernelNames::read(text, &mut [0xffff41, 0xffff2f, 0xffff30, 0x1]);
        assert_eq!(names.at(0xffff2f), Some("first"));
        assert_eq!(names.at(0xffff30), Some("second"));
        assert_eq!(names.at(0xffff41), Some("in_module"));
        assert_eq!(names.at(0x1), None);
        let hidden = KernelNames::read("0 T first\n0 T second\n", &mut [7]);
        assert_eq!(hidden.at(7), None);
    }
}
