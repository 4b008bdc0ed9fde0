//! ELF headers: checks that the file is a program for this machine, and finds its segments.
//!
//! Bytes go to their *physical* address (`p_paddr`), as a flash programmer places them; the program's start-up code copies initialised
//! data to its run address. A segment that begins with the ELF headers is trimmed to its sections, because GNU ld may place the headers at
//! the start of the first one, below the flash.

use object::elf::{self, FileHeader32, ProgramHeader32};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, ReadRef};

use super::Architecture;
use super::error::ImageProblem;

pub(crate) type Elf<'data> = ElfFile32<'data, LittleEndian>;

const LE: LittleEndian = LittleEndian;

/// A part of memory that an image fills or reserves.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The load address: `p_paddr`.
    pub address: u32,
    /// The bytes; empty for memory that is only reserved (.bss).
    pub bytes: Vec<u8>,
    /// The run address: `p_vaddr`.
    pub runs_at: u32,
    /// Size at the run address; zeros fill the rest.
    pub runs_size: u32,
    /// Whether the program may write it.
    pub writable: bool,
    /// Whether it holds code.
    pub executable: bool,
}

/// Parses the headers.
pub(super) fn parse(data: &[u8]) -> Result<Elf<'_>, ImageProblem> {
    check_identity(data)?;
    let header = header(data)?;
    check_kind(header)?;
    check_length(header, data)?;
    Elf::parse(data).map_err(|error| ImageProblem::Malformed(error.to_string()))
}

fn check_identity(data: &[u8]) -> Result<(), ImageProblem> {
    if !data.starts_with(&elf::ELFMAG) {
        return Err(ImageProblem::NotElf {
            found: looks_like(data),
        });
    }
    let byte = |at: usize| data.get(at).copied();
    let big_endian = byte(5) == Some(elf::ELFDATA2MSB.0);
    if byte(4) == Some(elf::ELFCLASS64.0) {
        let number = data.get(18..20).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
        let number = if big_endian { number.swap_bytes() } else { number };
        return Err(ImageProblem::WrongClass {
            found: machine_name(number),
        });
    }
    if big_endian {
        Err(ImageProblem::WrongByteOrder)
    } else {
        Ok(())
    }
}

fn header(data: &[u8]) -> Result<&FileHeader32<LittleEndian>, ImageProblem> {
    let needs = size_of::<FileHeader32<LittleEndian>>() as u64;
    let has = data.len() as u64;
    let cut = || ImageProblem::Truncated {
        what: "the ELF header".into(),
        needs,
        has,
    };
    data.read_at(0).map_err(|()| cut())
}

fn check_kind(header: &FileHeader32<LittleEndian>) -> Result<(), ImageProblem> {
    let machine = header.e_machine(LE);
    if architecture(machine).is_none() {
        return Err(ImageProblem::WrongArchitecture {
            found: machine_name(machine.0),
        });
    }
    match header.e_type(LE) {
        elf::ET_REL => Err(ImageProblem::NotLinked {
            found: "an object file",
        }),
        elf::ET_CORE => Err(ImageProblem::NotLinked { found: "a core dump" }),
        elf::ET_EXEC | elf::ET_DYN => Ok(()),
        other => Err(ImageProblem::Malformed(format!(
            "file type {} is not known",
            other.0
        ))),
    }
}

/// The instruction set of a file accepted by [`parse`].
pub(super) fn architecture_of(elf: &Elf<'_>) -> Architecture {
    architecture(elf.elf_header().e_machine(LE)).unwrap_or(Architecture::Arm)
}

fn architecture(machine: elf::Machine) -> Option<Architecture> {
    match machine {
        elf::EM_ARM => Some(Architecture::Arm),
        elf::EM_RISCV => Some(Architecture::RiscV),
        _ => None,
    }
}

/// Finds which part is cut off; the library only reports that something cannot be read.
fn check_length(header: &FileHeader32<LittleEndian>, data: &[u8]) -> Result<(), ImageProblem> {
    let has = data.len() as u64;
    let check = |what: String, needs: u64| {
        if needs > has {
            Err(ImageProblem::Truncated { what, needs, has })
        } else {
            Ok(())
        }
    };
    let table = |offset: u32, count: u16, entry: u16| u64::from(offset) + u64::from(count) * u64::from(entry);
    let programs = table(header.e_phoff(LE), header.e_phnum.get(LE), header.e_phentsize(LE));
    check("the program header table".into(), programs)?;
    let segments = header.program_headers(LE, data);
    let segments = segments.map_err(|error| ImageProblem::Malformed(error.to_string()))?;
    for (index, segment) in segments
        .iter()
        .enumerate()
        .filter(|(_, segment)| is_load(segment) && segment.p_filesz(LE) > 0)
    {
        let end = u64::from(segment.p_offset(LE)) + u64::from(segment.p_filesz(LE));
        check(
            format!("segment {index}, for address {:#010x},", segment.p_paddr(LE)),
            end,
        )?;
    }
    let sections = table(header.e_shoff(LE), header.e_shnum.get(LE), header.e_shentsize(LE));
    check("the section header table".into(), sections)
}

fn is_load(segment: &ProgramHeader32<LittleEndian>) -> bool {
    segment.p_type(LE) == elf::PT_LOAD
}

/// All segments that occupy memory, in the file's order.
pub(super) fn segments(elf: &Elf<'_>) -> Result<Vec<Segment>, ImageProblem> {
    let headers = elf
        .elf_program_headers()
        .iter()
        .filter(|segment| is_load(segment));
    let segments: Vec<Segment> = headers
        .map(|header| segment(elf, header))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    if segments.iter().all(|segment| segment.bytes.is_empty()) {
        return Err(ImageProblem::NoSegment);
    }
    Ok(segments)
}

fn segment(elf: &Elf<'_>, header: &ProgramHeader32<LittleEndian>) -> Result<Option<Segment>, ImageProblem> {
    let Some((skip, file_size, memory_size)) = extent(elf, header) else {
        return Ok(None);
    };
    let address = header.p_paddr(LE).wrapping_add(skip);
    let offset = u64::from(header.p_offset(LE)) + u64::from(skip);
    // Linkers write any offset for an empty segment.
    let bytes = match file_size {
        0 => Ok(&[][..]),
        _ => elf.data().read_bytes_at(offset, u64::from(file_size)),
    };
    let bytes =
        bytes.map_err(|()| ImageProblem::Malformed(format!("segment at {address:#010x} has no bytes")))?;
    let flags = header.p_flags(LE);
    let segment = Segment {
        address,
        bytes: bytes.to_vec(),
        runs_at: header.p_vaddr(LE).wrapping_add(skip),
        runs_size: memory_size,
        writable: flags.contains(elf::PF_W),
        executable: flags.contains(elf::PF_X),
    };
    check_place(segment.address, bytes.len() as u64)?;
    check_place(segment.runs_at, u64::from(segment.runs_size))?;
    Ok(Some(segment))
}

fn check_place(address: u32, size: u64) -> Result<(), ImageProblem> {
    let fits = u64::from(address) + size <= 1 << 32;
    let why = || format!("the segment at {address:#010x} of {size:#x} bytes goes beyond the address space");
    if fits {
        Ok(())
    } else {
        Err(ImageProblem::Malformed(why()))
    }
}

/// Bytes to skip, size in the file and size in memory. `None` if the segment holds nothing of the program: no section, and no bytes except
/// the ELF headers.
fn extent(elf: &Elf<'_>, header: &ProgramHeader32<LittleEndian>) -> Option<(u32, u32, u32)> {
    let (file_size, memory_size) = (header.p_filesz(LE), header.p_memsz(LE).max(header.p_filesz(LE)));
    let start = header.p_vaddr(LE);
    let inside = |section: &&elf::SectionHeader32<LittleEndian>| {
        let at = section.sh_addr(LE).wrapping_sub(start);
        let flags = section.sh_flags(LE);
        flags.contains(elf::SHF_ALLOC) && section.sh_size(LE) > 0 && at < memory_size && !is_tls_bss(section)
    };
    let sections: Vec<_> = elf.elf_section_table().iter().filter(inside).collect();
    if elf.elf_section_table().is_empty() {
        return (memory_size > 0).then_some((0, file_size, memory_size));
    }
    if file_size > 0 && !begins_with_headers(elf, header) {
        // A tool added bytes without a section, such as a checksum or a second image.
        return Some((0, file_size, memory_size));
    }
    let first = sections
        .iter()
        .map(|section| section.sh_addr(LE).wrapping_sub(start))
        .min()?;
    Some((first, file_size.saturating_sub(first), memory_size - first))
}

/// Whether a segment begins with the ELF header or the program headers.
fn begins_with_headers(elf: &Elf<'_>, segment: &ProgramHeader32<LittleEndian>) -> bool {
    let header = elf.elf_header();
    let programs = u32::from(header.e_phnum.get(LE)) * u32::from(header.e_phentsize(LE));
    let end = header.e_phoff(LE).saturating_add(programs);
    segment.p_offset(LE) < end.max(header.e_ehsize(LE).into())
}

/// .tbss occupies no space in its segment although its address lies there.
fn is_tls_bss(section: &elf::SectionHeader32<LittleEndian>) -> bool {
    section.sh_type(LE) == elf::SHT_NOBITS && section.sh_flags(LE).contains(elf::SHF_TLS)
}

/// The kind of a file that is not ELF.
pub(super) fn looks_like(data: &[u8]) -> &'static str {
    let starts = |magic: &[u8]| data.starts_with(magic);
    match data {
        [] => "the file is empty",
        _ if starts(b"!<arch>\n") => "it is a static library",
        _ if starts(b"UF2\n") => "it is a UF2 file",
        _ if starts(b"MZ") => "it is a Windows program",
        _ if starts(b"\xcf\xfa\xed\xfe") => "it is a macOS program",
        _ if starts(b":") => "it looks like Intel HEX",
        _ if starts(b"S0") || starts(b"S1") || starts(b"S3") => "it looks like Motorola S-records",
        _ if data
            .iter()
            .take(512)
            .all(|&b| b.is_ascii_graphic() || b.is_ascii_whitespace()) =>
        {
            "it is a text file"
        }
        _ => "the first four bytes are not \\x7fELF (a raw binary?)",
    }
}

/// The machine's usual name.
fn machine_name(number: u16) -> String {
    let name = match elf::Machine(number) {
        elf::EM_NONE => "no machine",
        elf::EM_386 => "x86",
        elf::EM_68K => "68000",
        elf::EM_MIPS => "MIPS",
        elf::EM_PPC => "PowerPC",
        elf::EM_PPC64 => "PowerPC 64",
        elf::EM_ARM => "Arm",
        elf::EM_X86_64 => "x86-64",
        elf::EM_AVR => "AVR",
        elf::EM_XTENSA => "Xtensa",
        elf::EM_MSP430 => "MSP430",
        elf::EM_AARCH64 => "AArch64",
        elf::EM_RISCV => "RISC-V",
        _ => return format!("ELF machine number {number}"),
    };
    name.into()
}
