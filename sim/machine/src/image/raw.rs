//! Raw files, which hold only bytes and addresses: Intel HEX, UF2, and binary files with an address.
//!
//! They have no instruction set, symbols or sections. All of their bytes may be code, and the board gives the architecture.

use std::collections::BTreeMap;

use super::elf::Segment;
use super::error::ImageProblem;

/// The most bytes of all raw files together: more than any board's memory.
const MOST: usize = 256 << 20;

/// The contents of a raw file.
#[derive(Debug, Default)]
pub(super) struct Raw {
    /// Ranges of bytes, ascending and disjoint.
    pub(super) segments: Vec<Segment>,
    /// The entry point, if the file has one.
    pub(super) entry: Option<u32>,
}

/// A file's format, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Elf,
    IntelHex,
    Uf2,
    /// Anything else: bytes without an address.
    Binary,
}

impl Format {
    pub(super) fn of(data: &[u8]) -> Format {
        match data {
            _ if data.starts_with(&object::elf::ELFMAG) => Format::Elf,
            _ if data.starts_with(b"UF2\n") => Format::Uf2,
            [b':', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => Format::IntelHex,
            _ => Format::Binary,
        }
    }

    /// The name of a format that includes addresses.
    pub(super) fn with_addresses(self) -> Option<&'static str> {
        match self {
            Format::Elf => Some("an ELF file"),
            Format::IntelHex => Some("Intel HEX"),
            Format::Uf2 => Some("a UF2 file"),
            Format::Binary => None,
        }
    }
}

/// Ranges of bytes collected in any order.
#[derive(Default)]
struct Collected(BTreeMap<u32, Vec<u8>>);

impl Collected {
    /// Adds bytes at `address`. They usually continue the previous range.
    fn put(&mut self, address: u32, bytes: &[u8]) -> Result<(), ImageProblem> {
        let end = u64::from(address) + bytes.len() as u64;
        if bytes.is_empty() {
            return Ok(());
        }
        let overlaps = || ImageProblem::Malformed(format!("it has bytes for {address:#010x} twice"));
        if end > 1 << 32 {
            let message = format!(
                "{} bytes at {address:#010x} go beyond the address space",
                bytes.len()
            );
            return Err(ImageProblem::Malformed(message));
        }
        let next = self.0.range(address..).next();
        if next.is_some_and(|(&next, _)| u64::from(next) < end) {
            return Err(overlaps());
        }
        if let Some((&start, before)) = self.0.range_mut(..address).next_back() {
            let ends = u64::from(start) + before.len() as u64;
            if ends > u64::from(address) {
                return Err(overlaps());
            }
            if ends == u64::from(address) {
                before.extend_from_slice(bytes);
                return Ok(());
            }
        }
        self.0.insert(address, bytes.to_vec());
        Ok(())
    }

    fn segments(self) -> Result<Vec<Segment>, ImageProblem> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut total = 0;
        for (address, bytes) in self.0 {
            total += bytes.len();
            match segments.last_mut() {
                Some(last) if u64::from(last.address) + last.bytes.len() as u64 == u64::from(address) => {
                    last.runs_size += bytes.len() as u32;
                    last.bytes.extend(bytes);
                }
                _ => segments.push(Segment {
                    address,
                    runs_at: address,
                    runs_size: bytes.len() as u32,
                    bytes,
                    writable: false,
                    executable: true,
                }),
            }
        }
        if segments.is_empty() {
            return Err(ImageProblem::NoSegment);
        }
        if total > MOST {
            let message = format!("{} MiB, more than any board's memory", total >> 20);
            return Err(ImageProblem::Malformed(message));
        }
        Ok(segments)
    }
}

/// A binary file at this address.
pub(super) fn binary(data: &[u8], base: u32) -> Result<Raw, ImageProblem> {
    let mut collected = Collected::default();
    collected.put(base, data)?;
    let (segments, entry) = (collected.segments()?, None);
    Ok(Raw { segments, entry })
}

/// Parses Intel HEX (Intel, "Hexadecimal Object File Format Specification", revision A).
pub(super) fn intel_hex(data: &[u8]) -> Result<Raw, ImageProblem> {
    let text = str::from_utf8(data).map_err(|_| ImageProblem::Malformed("Intel HEX is ASCII text".into()))?;
    let (mut collected, mut base, mut entry) = (Collected::default(), 0u32, None);
    let mut ended = false;
    for (number, record) in (1..).zip(ihex::Reader::new(text)) {
        let wrong = |what: String| ImageProblem::Malformed(format!("record {number}: {what}"));
        match record.map_err(|error| wrong(error.to_string()))? {
            ihex::Record::Data { offset, value } => {
                let address = base.checked_add(u32::from(offset));
                let address = address.ok_or_else(|| wrong("it goes beyond the address space".into()))?;
                collected.put(address, &value)?;
            }
            ihex::Record::ExtendedLinearAddress(upper) => base = u32::from(upper) << 16,
            ihex::Record::ExtendedSegmentAddress(segment) => base = u32::from(segment) << 4,
            ihex::Record::StartLinearAddress(start) => entry = Some(start),
            // CS:IP of an 8086, ignored.
            ihex::Record::StartSegmentAddress { .. } => {}
            ihex::Record::EndOfFile => ended = true,
        }
    }
    if !ended {
        let message = "its last record, the end of the file, is missing: the copy was interrupted";
        return Err(ImageProblem::Malformed(message.into()));
    }
    let segments = collected.segments()?;
    Ok(Raw { segments, entry })
}

/// Size of a UF2 block (Microsoft, "USB Flashing Format"): 32 bytes of header, up to 476 of data, and a final magic word.
const BLOCK: usize = 512;
const MAGIC: [(usize, u32); 3] = [(0, 0x0a32_4655), (4, 0x9e5d_5157), (508, 0x0ab1_6f30)];
const NOT_MAIN_FLASH: u32 = 1 << 0;
const CONTAINER: u32 = 1 << 12;

/// Checks that the last block is numbered as the last one. Earlier numbers only matter to a flash programmer.
fn all_there(data: &[u8]) -> Result<(), ImageProblem> {
    let Some(block) = data.chunks_exact(BLOCK).next_back() else {
        return Ok(());
    };
    let word = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    let (number, count) = (u64::from(word(20)), word(24));
    if number + 1 < u64::from(count) {
        let message = format!(
            "its last block is {number}, of 0 to {}: the copy was interrupted",
            count - 1
        );
        return Err(ImageProblem::Malformed(message));
    }
    Ok(())
}

/// Parses UF2.
pub(super) fn uf2(data: &[u8]) -> Result<Raw, ImageProblem> {
    if !data.len().is_multiple_of(BLOCK) {
        let needs = data.len().next_multiple_of(BLOCK) as u64;
        return Err(ImageProblem::Truncated {
            what: "the last block".into(),
            needs,
            has: data.len() as u64,
        });
    }
    let mut collected = Collected::default();
    all_there(data)?;
    for (number, block) in data.chunks_exact(BLOCK).enumerate() {
        let wrong = |what: &str| ImageProblem::Malformed(format!("block {number}: {what}"));
        let word = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
        if MAGIC.iter().any(|&(at, magic)| word(at) != magic) {
            return Err(wrong("it is not a block of UF2"));
        }
        let (flags, address, size) = (word(8), word(12), word(16) as usize);
        if flags & CONTAINER != 0 {
            return Err(wrong("it is part of a file for a file system, not for flash"));
        }
        if size > 476 {
            return Err(wrong("it says that it has more than 476 bytes"));
        }
        if flags & NOT_MAIN_FLASH == 0 {
            collected.put(address, &block[32..32 + size])?;
        }
    }
    let (segments, entry) = (collected.segments()?, None);
    Ok(Raw { segments, entry })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(raw: &Raw) -> Vec<(u32, usize)> {
        let place = |segment: &Segment| (segment.address, segment.bytes.len());
        raw.segments.iter().map(place).collect()
    }

    #[test]
    fn hex_has_addresses_of_32_bits_and_an_entry() {
        let text = ":020000040800F2\n:0400100001020304E2\n:04001400050607 08\n";
        assert!(intel_hex(text.as_bytes()).is_err());
        let text = ":020000040800F2\r\n:0400100001020304E2\r\n:0400140005060708CE\r\n:040000050800000\
                    1EE\r\n:00000001FF\r\n";
        let raw = intel_hex(text.as_bytes()).unwrap();
        assert_eq!(places(&raw), [(0x0800_0010, 8)]);
        assert_eq!(raw.segments[0].bytes, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(raw.entry, Some(0x0800_0001));
    }

    #[test]
    fn hex_that_is_wrong_says_in_which_record() {
        let message = |text: &str| intel_hex(text.as_bytes()).unwrap_err().to_string();
        assert!(message(":0400100001020304E3\n:00000001FF\n").contains("record 1"));
        assert!(message(":0400100001020304E2\n").contains("interrupted"));
        let twice = ":0400100001020304E2\n:0400120001020304E0\n:00000001FF\n";
        assert!(message(twice).contains("0x00000012 twice"));
        assert!(message(":00000001FF\n").contains("no loadable segment"));
    }

    fn block(flags: u32, address: u32, bytes: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        for (at, word) in MAGIC
            .into_iter()
            .chain([(8, flags), (12, address), (16, bytes.len() as u32)])
        {
            block[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        block[32..32 + bytes.len()].copy_from_slice(bytes);
        block
    }

    #[test]
    fn uf2_gives_what_goes_into_flash() {
        let file = [
            block(0, 0x1000_0100, &[2; 256]),
            block(0x2000, 0x1000_0000, &[1; 256]),
            block(NOT_MAIN_FLASH, 0x1100_0000, &[9; 4]),
        ]
        .concat();
        let raw = uf2(&file).unwrap();
        assert_eq!(places(&raw), [(0x1000_0000, 512)]);
        assert_eq!(raw.segments[0].bytes[256], 2);
        assert!(uf2(&file[..700]).unwrap_err().to_string().contains("last block"));
        let mut wrong = file;
        wrong[512] = 0;
        assert!(uf2(&wrong).unwrap_err().to_string().contains("block 1"));
        let mut first = block(0, 0x1000_0000, &[1; 256]);
        first[24..28].copy_from_slice(&2_u32.to_le_bytes());
        let message = uf2(&first).unwrap_err().to_string();
        assert!(message.contains("its last block is 0, of 0 to 1"), "{message}");
    }

    #[test]
    fn bytes_stay_in_the_address_space() {
        assert!(binary(&[0; 16], 0xffff_fff8).is_err());
        assert_eq!(places(&binary(&[0; 8], 0xffff_fff8).unwrap()), [(0xffff_fff8, 8)]);
    }

    #[test]
    fn a_file_is_known_by_its_first_bytes() {
        assert_eq!(Format::of(b"\x7fELF\x01"), Format::Elf);
        assert_eq!(Format::of(b":02"), Format::IntelHex);
        assert_eq!(Format::of(b":-)"), Format::Binary);
        assert_eq!(Format::of(b"UF2\nWQ"), Format::Uf2);
    }
}
