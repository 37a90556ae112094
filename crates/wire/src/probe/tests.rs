#![allow(clippy::unwrap_used)]

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::calls::SocketDid;

#[test]
fn what_is_missing_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("types");
    let kernel = Path::new(KERNEL_TYPES);
    let load = |object: &[u8], types: &Path| SocketProbe::load(object, types).err();
    assert!(matches!(load(&[], kernel), Some(ProbeRefusal::NotBuilt)));
    assert!(matches!(
        load(b"no program", &file),
        Some(ProbeRefusal::NoTypes)
    ));
    std::fs::write(&file, b"no types").unwrap();
    assert!(matches!(
        load(b"no program", &file),
        Some(ProbeRefusal::NoTypes)
    ));
    if kernel.exists() {
        assert!(matches!(
            load(b"no program", kernel),
            Some(ProbeRefusal::Failed(_))
        ));
    }
}

#[test]
fn a_tracepoint_that_the_kernel_has_not_is_told() {
    let mut probe = match SocketProbe::open() {
        Ok(probe) => probe,
        Err(refusal) => {
            eprintln!("skipped: {refusal:?}");
            return;
        }
    };
    let types = std::fs::read(KERNEL_TYPES).unwrap();
    let types = Btf::parse(&types, aya::Endianness::default()).unwrap();
    let refusal = probe.hang("sent", "sock_of_another_kernel", &types).err();
    assert!(
        matches!(refusal, Some(ProbeRefusal::NoPoints)),
        "{refusal:?}"
    );
}

#[test]
fn who_refuses_is_found_among_causes() {
    let refused = |code| {
        let error = aya::maps::MapError::CreateError {
            name: "calls".to_owned(),
            io_error: io::Error::from_raw_os_error(code),
        };
        ProbeRefusal::of(&aya::EbpfError::MapError(error))
    };
    for code in [libc::EPERM, libc::ENOSYS] {
        let told = refused(code);
        let ProbeRefusal::Refused(error) = told else {
            panic!("{told:?}")
        };
        assert_eq!(error.raw_os_error(), Some(code));
    }
    assert!(matches!(refused(libc::EINVAL), ProbeRefusal::Failed(_)));
}

fn record(at_ns: u64, ends: (u64, u64), small: [u32; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [at_ns, ends.0, ends.1, 9] {
        bytes.extend(number.to_ne_bytes());
    }
    for number in small {
        bytes.extend(number.to_ne_bytes());
    }
    bytes
}

proptest! {
    #[test]
    fn records_are_read_as_they_are_written(
        at_ns in any::<u64>(), ends in any::<(u64, u64)>(), client in any::<u32>(), pid in any::<u32>(),
        result in -200..100_000_i32, flags in 0..8_u32, behind_ns in any::<u64>(),
    ) {
        let bytes = record(at_ns, ends, [client, pid, result.cast_unsigned(), flags]);
        let did = match (result, flags & 2) {
            (..0, _) => SocketDid::Broke,
            (0, 0) => {
                prop_assert_eq!(record::call(&bytes, 0), None);
                return Ok(());
            }
            (count, 0) => SocketDid::Sent(count.unsigned_abs()),
            (count, _) => SocketDid::Received(count.unsigned_abs()),
        };
        prop_assert_eq!(record::call(&bytes, behind_ns), Some(SocketCall {
            at_ns: at_ns.saturating_add(behind_ns),
            ends,
            client: u64::from(client),
            name: 9,
            pid,
            by_server: flags & 1 != 0,
            unread: flags & 4 != 0,
            did,
        }));
        prop_assert_eq!(record::call(&bytes[..bytes.len() - 1], 0), None);
    }

    #[test]
    fn names_are_as_long_as_they_say(length in any::<u32>(), text in prop::collection::vec(any::<u8>(), 108)) {
        let mut bytes = [0; NAME_RECORD];
        bytes[..4].copy_from_slice(&length.to_ne_bytes());
        bytes[4..].copy_from_slice(&text);
        let told = name(&bytes);
        prop_assert_eq!(&told[..], &text[..(length as usize).min(108)]);
    }

    #[test]
    fn names_of_programs_end_with_a_zero_or_their_record(bytes in any::<[u8; PROGRAM_RECORD]>()) {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        prop_assert_eq!(program_name(&bytes), String::from_utf8_lossy(&bytes[..end]));
    }
}
