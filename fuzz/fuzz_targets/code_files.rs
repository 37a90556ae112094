//! ELF files, maps and perf maps of whoever runs a watched process: reading them ends, and names what
//! it can.

#![no_main]
#![allow(missing_docs)]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use plimsoll_profile::{
    Binary, CodePlace, CodeSpace, CodeTable, PerfMap, Registers, StackBytes, mappings,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mapped = mappings(&text);
    let mut wanted = [0x1000, 0x2000];
    let _ = PerfMap::read(&text, &mut wanted).at(0x1000);
    let mut table = CodeTable::default();
    let mut space = CodeSpace::new(1, &mapped, &mut table, |_| None);
    let _ = space.holds(0x1000);
    // The file, mapped as its own first page says.
    let map = "1000-90000 r-xp 00000000 fe:00 7 /srv/program\n";
    let mut space_of_file = CodeSpace::new(1, &mappings(map), &mut table, |mapping| {
        Binary::read(&mapping.path, true, Cursor::new(bytes.to_vec())).ok()
    });
    let mut calls = Vec::new();
    for pc in [0x1000, 0x1040, 0x2000, 0x8_ffff] {
        let from = Registers {
            pc,
            sp: 0x7000,
            fp: 0x7010,
        };
        let stack = StackBytes {
            begin: 0x7000,
            bytes,
        };
        space_of_file.unwind(from, &stack, &mut calls);
        space.unwind(from, &stack, &mut calls);
    }
    calls.push(CodePlace::Binary {
        binary: 0,
        address: 0,
    });
    for place in calls.into_iter().take(50) {
        assert!(!table.calls(place).is_empty());
    }
});
