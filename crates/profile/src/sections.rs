//! The sections and segments of an ELF file.

use std::ops::Range;
use std::sync::Arc;

use framehop::ExplicitModuleSectionInfo;
use gimli::{BaseAddresses, EhFrameHdr};
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::read::{ReadCache, ReadCacheOps};
use object::{LittleEndian, Object, ObjectSection, elf};

use crate::symbols::named;

/// A section that is larger is not read.
const MAX_SECTION: u64 = 256 << 20;
/// All sections that tell lines, unpacked.
const MAX_LINES: u64 = 512 << 20;

/// A part of the file that is loaded.
pub(crate) struct LoadedSegment {
    offset: u64,
    address: u64,
    length: u64,
    /// Whether code in it may run.
    runs: bool,
}

impl LoadedSegment {
    /// The address, as the file states it, of what lies at an offset, if this is mapped from there. What is mapped
    /// begins and ends at pages, so that the end of one segment may be mapped with the next one, too.
    fn address_at(&self, offset: u64) -> Option<u64> {
        let begin = self.offset & !0xfff;
        let end = self.offset.saturating_add(self.length);
        let inside = (begin..end).contains(&offset);
        inside.then(|| self.address.wrapping_add(offset.wrapping_sub(self.offset)))
    }
}

/// The same for code that is mapped from an offset on: of segments that share a page it is the one whose code may
/// run, of several of these the one that begins there.
pub(crate) fn code_at(segments: &[LoadedSegment], offset: u64) -> Option<u64> {
    let found = segments.iter().filter_map(|segment| {
        let address = segment.address_at(offset)?;
        Some((segment.runs, segment.offset, address))
    });
    found.max().map(|(.., address)| address)
}

/// Whether each entry of the unwinding tables' index leads into the tables; their readers take that
/// for granted (`EhHdrTable::pointer_to_offset` of gimli subtracts without a check).
fn has_sound_index(unwind: &ExplicitModuleSectionInfo<Arc<[u8]>>) -> bool {
    let begin = |range: &Option<Range<u64>>| range.as_ref().map_or(0, |range| range.start);
    let bases = BaseAddresses::default()
        .set_eh_frame(begin(&unwind.eh_frame_svma))
        .set_eh_frame_hdr(begin(&unwind.eh_frame_hdr_svma))
        .set_text(begin(&unwind.text_svma))
        .set_got(begin(&unwind.got_svma));
    let Some(index) = &unwind.eh_frame_hdr else {
        return false;
    };
    let sound = || {
        let index = EhFrameHdr::new(index, gimli::LittleEndian).parse(&bases, 8)?;
        let tables = index.eh_frame_ptr().direct()?;
        let Some(table) = index.table() else {
            return Ok(false);
        };
        let mut entries = table.iter(&bases);
        while let Some((_, entry)) = entries.next()? {
            if entry.direct()? < tables {
                return Ok(false);
            }
        }
        gimli::Result::Ok(true)
    };
    sound().unwrap_or(false)
}

/// A file as it is read.
pub(crate) struct ElfSections<'a, R: ReadCacheOps>(ElfFile64<'a, LittleEndian, &'a ReadCache<R>>);

impl<'a, R: ReadCacheOps> ElfSections<'a, R> {
    pub(crate) fn of(cache: &'a ReadCache<R>) -> object::Result<Self> {
        ElfFile64::parse(cache).map(Self)
    }

    pub(crate) fn segments(&self) -> Vec<LoadedSegment> {
        let endian = self.0.endian();
        let headers = self.0.elf_program_headers().iter();
        let loaded = headers.filter(|header| header.p_type(endian) == elf::PT_LOAD);
        let segment = |header: &elf::ProgramHeader64<LittleEndian>| LoadedSegment {
            offset: header.p_offset(endian),
            address: header.p_vaddr(endian),
            length: header.p_filesz(endian),
            runs: header.p_flags(endian).contains(elf::PF_X),
        };
        loaded.map(segment).collect()
    }

    /// A section's bytes as they lie in the file.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a [u8]> {
        let section = self.0.section_by_name(name)?;
        (section.size() <= MAX_SECTION).then_some(())?;
        section.data().ok().filter(|bytes| !bytes.is_empty())
    }

    pub(crate) fn owned(&self, name: &str) -> Option<Arc<[u8]>> {
        self.raw(name).map(Arc::from)
    }

    pub(crate) fn range(&self, name: &str) -> Option<Range<u64>> {
        let section = self.0.section_by_name(name)?;
        let begin = section.address();
        Some(begin..begin.checked_add(section.size())?)
    }

    /// The symbols and their names of `.symtab` or `.dynsym`.
    pub(crate) fn tables(&self, table: &str, names: &str) -> Option<(&'a [u8], &'a [u8])> {
        Some((self.raw(table)?, self.raw(names)?))
    }

    /// Where an exported variable or function is.
    pub(crate) fn exported(&self, name: &str) -> Option<Range<u64>> {
        let (table, names) = self.tables(".dynsym", ".dynstr")?;
        named(table, names, name)
    }

    /// Unpacked, as far as that has room.
    fn unpacked(&self, name: &str, room: &mut u64) -> Option<Arc<[u8]>> {
        let section = self.0.section_by_name(name)?;
        let packed = section.compressed_data().ok()?;
        let length = packed.uncompressed_size.max(packed.data.len() as u64);
        *room = room.checked_sub(length)?;
        let bytes = packed.decompress().ok()?;
        Some(Arc::from(bytes))
    }

    /// The version of the PHP that this is, by what it tells its clients.
    pub(crate) fn php(&self) -> Option<String> {
        const SAYS: &[u8] = b"X-Powered-By: PHP/";
        let texts = self.raw(".rodata")?;
        let at = texts.windows(SAYS.len()).position(|text| text == SAYS)?;
        let version = texts[at + SAYS.len()..].iter().take(32);
        let version = version.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.');
        Some(version.map(|byte| char::from(*byte)).collect())
    }

    /// How its stacks are unwound.
    pub(crate) fn unwind(&self) -> ExplicitModuleSectionInfo<Arc<[u8]>> {
        let eh_frame = self.owned(".eh_frame");
        let mut room = MAX_SECTION;
        let debug_frame = match eh_frame {
            Some(_) => None,
            None => self.unpacked(".debug_frame", &mut room),
        };
        let unwind = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: self.range(".text"),
            got_svma: self.range(".got"),
            eh_frame_svma: self.range(".eh_frame"),
            eh_frame_hdr_svma: self.range(".eh_frame_hdr"),
            eh_frame_hdr: self.owned(".eh_frame_hdr"),
            eh_frame,
            debug_frame,
            ..ExplicitModuleSectionInfo::default()
        };
        let is_sound = has_sound_index(&unwind);
        let eh_frame_hdr = unwind.eh_frame_hdr.filter(|_| is_sound);
        ExplicitModuleSectionInfo {
            eh_frame_hdr,
            ..unwind
        }
    }

    /// Sections that tell lines; all or none, so that no half tables mislead.
    pub(crate) fn lines(&self) -> Vec<(&'static str, Arc<[u8]>)> {
        let names = [
            ".debug_info",
            ".debug_abbrev",
            ".debug_line",
            ".debug_str",
            ".debug_line_str",
            ".debug_ranges",
            ".debug_rnglists",
            ".debug_addr",
            ".debug_str_offsets",
            ".debug_aranges",
        ];
        let mut room = MAX_LINES;
        let mut found = Vec::new();
        for name in names {
            if self.0.section_by_name(name).is_none() {
                continue;
            }
            match self.unpacked(name, &mut room) {
                Some(bytes) => found.push((name, bytes)),
                None => return Vec::new(),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Segments as linkers lay them out, one behind the other in the file, whether or not each begins on a page
        /// of its own: code that is mapped from the page of a segment's first byte on is at that segment's address.
        #[test]
        fn code_is_at_the_address_of_the_segment_that_is_mapped(
            lengths in prop::collection::vec((1..0x9000_u64, any::<bool>(), any::<bool>()), 1..6),
        ) {
            let (mut offset, mut address, mut segments) = (0, 0, Vec::new());
            for (length, runs, own_page) in lengths {
                if own_page {
                    offset = (offset + 0xfff) & !0xfff;
                }
                // The address is of another page, at the same place in it.
                address = ((address + 0x1fff) & !0xfff) | (offset & 0xfff);
                segments.push(LoadedSegment { offset, address, length, runs });
                offset += length;
                address += length;
            }
            for (at, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.runs) {
                let page = segment.offset & !0xfff;
                let shares = segments[at + 1..].iter().any(|later| later.runs && later.offset & !0xfff == page);
                if !shares {
                    let stated = segment.address - (segment.offset - page);
                    prop_assert_eq!(code_at(&segments, page), Some(stated));
                }
            }
        }
    }
}
