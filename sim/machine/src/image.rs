//! A program: its bytes in memory, and its symbols, lines and frames.
//!
//! It comes from one file or from several that belong together, such as a bootloader and an application ([`Image::load_all_from`]). They are
//! ELF files or raw files (Intel HEX, UF2, binary files with an address).
//!
//! [`Image::load_from`] checks that the file is a program for an Arm or 32-bit RISC-V microcontroller, and otherwise reports what the file is.
//! Lookups work both ways: an address has a symbol, a line and the functions inlined there; a name or `file:line` has addresses. A program
//! with damaged or missing debug information runs all the same.

mod attributes;
mod debug;
pub(crate) mod elf;
mod error;
mod files;
mod lines;
mod logs;
mod names;
mod raw;
mod structures;
mod suite;
mod symbols;
mod vectors;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use object::{Object, ObjectSection};
use sha2::{Digest as _, Sha256};

pub use attributes::{Built, BuiltForArm, BuiltForRiscV};
pub use debug::{SourceFrame, SourcePlace};
pub use elf::Segment;
pub use error::{ImageError, ImageProblem};
pub use files::ProgramFile;
pub use lines::LineError;
pub use names::demangle;
pub use structures::{Member, Structure};
pub use suite::{Listed, Suite};
pub use symbols::{Symbol, SymbolError, SymbolKind};
pub use vectors::VectorTable;

use crate::host::Files;
use debug::{DebugInfo, LazyDebugInfo};
use symbols::Symbols;

/// The instruction set for which a program is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Architecture {
    /// Thumb, as Cortex-M cores execute it.
    Arm,
    /// RV32.
    RiscV,
}

impl Architecture {
    /// Its usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Architecture::Arm => "Arm",
            Architecture::RiscV => "RISC-V",
        }
    }
}

/// A program.
pub struct Image {
    file: String,
    architecture: Architecture,
    entry: u32,
    segments: Vec<Segment>,
    /// The additional files, each with the index of its first segment.
    further: Vec<(usize, String)>,
    sections: Vec<Section>,
    symbols: Symbols,
    /// The contents of its files, from which the hash is computed on demand.
    files: Vec<Arc<[u8]>>,
    sha256: OnceLock<String>,
    /// The debug information of each ELF file.
    debug: Vec<LazyDebugInfo>,
    toolchain: Vec<String>,
    /// Its defmt strings, if it uses defmt.
    defmt: Option<Arc<crate::defmt::Table>>,
    /// Its tests, if it is built with embedded-test.
    suite: Option<Suite>,
    built: Option<Built>,
}

/// A named part of the program that occupies memory.
#[derive(Debug)]
struct Section {
    index: usize,
    name: String,
    address: u32,
    size: u32,
    executable: bool,
}

/// The largest ELF file in bytes: far more than any microcontroller's program, debug information included.
const LARGEST: u64 = 512 << 20;

impl Image {
    /// Reads a file of this computer, of at most 512 MiB.
    ///
    /// # Errors
    /// The errors of [`Image::load_from`].
    #[cfg(feature = "host")]
    pub fn load(path: &Path) -> Result<Image, ImageError> {
        Image::load_from(&crate::host::System, path)
    }

    /// Reads a file of at most 512 MiB.
    ///
    /// # Errors
    /// [`ImageError`] tells what the file is if it is not a runnable program.
    pub fn load_from(files: &dyn Files, path: &Path) -> Result<Image, ImageError> {
        let file = path.display().to_string();
        match files.read_marked(path, &object::elf::ELFMAG, LARGEST) {
            Ok(data) => Image::parse(&file, &data),
            Err(error) => Err(ImageError {
                file,
                problem: ImageProblem::Unreadable(error),
            }),
        }
    }

    /// Parses the contents of a file; `file` is its name in messages.
    ///
    /// # Errors
    /// The errors of [`Image::load_from`].
    pub fn parse(file: &str, data: &[u8]) -> Result<Image, ImageError> {
        Self::parse_bytes(file, data).map_err(|problem| ImageError {
            file: file.into(),
            problem,
        })
    }

    fn parse_bytes(file: &str, data: &[u8]) -> Result<Image, ImageProblem> {
        let elf = elf::parse(data)?;
        let segments = elf::segments(&elf)?;
        let sections = sections(&elf);
        let symbols = Symbols::read(&elf);
        let bytes: Arc<[u8]> = data.into();
        Ok(Image {
            file: file.into(),
            architecture: elf::architecture_of(&elf),
            entry: elf.entry() as u32,
            segments,
            further: Vec::new(),
            sections,
            symbols,
            debug: vec![LazyDebugInfo::of(&bytes)],
            files: vec![bytes],
            sha256: OnceLock::new(),
            toolchain: toolchain(&elf),
            defmt: crate::defmt::Table::read(&elf).map(Arc::new),
            suite: Suite::read(&elf),
            built: Built::read(&elf),
        })
    }

    /// Its build target, if the file records it.
    pub fn built(&self) -> Option<&Built> {
        self.built.as_ref()
    }

    /// Its tests, if it is built with embedded-test.
    pub fn suite(&self) -> Option<&Suite> {
        self.suite.as_ref()
    }

    /// The file's name as the user gave it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The name of the file with the bytes at `address`; the first file's if none has them.
    pub(crate) fn file_at(&self, address: u32) -> &str {
        let holds = |segment: &Segment| {
            let offset = address.wrapping_sub(segment.address) as usize;
            offset < segment.bytes.len()
        };
        let place = self.segments.iter().position(holds).unwrap_or(0);
        let mut further = self.further.iter().rev();
        let found = further.find(|(first, _)| *first <= place);
        found.map_or(&self.file, |(_, file)| file)
    }

    /// The SHA-256 of the file in hexadecimal; with several files, the hash of their hashes.
    pub fn sha256(&self) -> &str {
        self.sha256.get_or_init(|| {
            let sums = self.files.iter().map(|data| sha256(data));
            let joined = sums.reduce(|all, next| sha256(format!("{all} {next}").as_bytes()));
            joined.unwrap_or_default()
        })
    }

    /// The debug information of each ELF file.
    fn debug(&self) -> impl Iterator<Item = &DebugInfo> {
        self.debug.iter().map(LazyDebugInfo::get)
    }

    /// The compilers and linkers that the file records (section `.comment`), sorted.
    pub fn toolchain(&self) -> &[String] {
        &self.toolchain
    }

    pub(crate) fn defmt(&self) -> Option<&Arc<crate::defmt::Table>> {
        self.defmt.as_ref()
    }

    /// The source position of the defmt statement with this symbol.
    pub(crate) fn place_of_log(&self, symbol: &str) -> Option<&SourcePlace> {
        self.debug().find_map(|debug| debug.logs.get(symbol))
    }

    /// The instruction set for which it is built.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The entry point of the ELF header. A Cortex-M starts at its reset vector instead.
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// The parts of memory that the image fills or reserves.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// All symbols, ascending by address.
    pub fn symbols(&self) -> std::slice::Iter<'_, Symbol> {
        self.symbols.iter()
    }

    /// The symbol that contains `address`, and the offset in it.
    pub fn symbol_at(&self, address: u32) -> Option<(&Symbol, u32)> {
        let section = self
            .sections
            .iter()
            .find(|section| section.contains(address))
            .map(|section| section.index);
        self.symbols
            .at(address, section)
            .map(|symbol| (symbol, address - symbol.address))
    }

    /// Whether the bytes at `address` are data in code, such as a literal pool, by the preceding mapping symbol.
    pub fn is_data(&self, address: u32) -> bool {
        self.symbols.is_data(address)
    }

    /// `symbol` or `symbol+0x12`, if there is a symbol.
    pub fn describe(&self, address: u32) -> Option<String> {
        self.symbol_at(address).map(|(symbol, offset)| match offset {
            0 => symbol.name.clone(),
            _ => format!("{}+{offset:#x}", symbol.name),
        })
    }

    /// The symbol with this name: the linker's, the readable one, or its last few path segments (`app::main`, `main`).
    ///
    /// # Errors
    /// [`SymbolError`] with similar names, or with longer names that tell several symbols apart.
    pub fn symbol(&self, name: &str) -> Result<&Symbol, SymbolError> {
        self.symbols.find(name)
    }

    /// The structure with this name in the debug information: `k_thread`, `app::State`. Searches all of it.
    pub fn structure(&self, name: &str) -> Option<Structure<'_>> {
        let known = self.debug().filter_map(|debug| debug.dwarf.as_deref());
        known.into_iter().find_map(|dwarf| Structure::find(dwarf, name))
    }

    /// The source line of the code at `address`.
    pub fn place_at(&self, address: u32) -> Option<SourcePlace> {
        self.debug().find_map(|debug| debug.lines.at(address))
    }

    /// All source lines with code, once for each range of code.
    pub fn code_lines(&self) -> impl Iterator<Item = (&str, u32)> {
        self.debug().flat_map(|debug| debug.lines.all())
    }

    /// The functions at `address`: inlined ones from the innermost, then the one with a symbol. Never empty for an address with a symbol.
    pub fn frames_at(&self, address: u32) -> Vec<SourceFrame> {
        let symbol = self.symbol_at(address).map(|(symbol, _)| symbol.name.clone());
        let known = self.debug().map(|debug| debug.frames_at(address));
        let mut frames = known
            .into_iter()
            .find(|frames| !frames.is_empty())
            .unwrap_or_default();
        match frames.last_mut() {
            Some(outermost) => outermost.function = symbol.or(outermost.function.take()),
            None if symbol.is_some() => frames.push(SourceFrame {
                function: symbol,
                place: None,
                inlined: false,
            }),
            None => {}
        }
        frames
    }

    /// The addresses, ascending, at which the code of a source line begins. `file` may leave out leading directories.
    ///
    /// # Errors
    /// [`LineError`] with similar files or nearby lines.
    pub fn line_addresses(&self, file: &str, line: u32) -> Result<Vec<u32>, LineError> {
        let mut found = self.debug().map(|debug| debug.lines.addresses(file, line));
        let first = found.next().unwrap_or(Err(LineError::NoLines));
        // If no file has it, the first one's error counts.
        first.or_else(|error| found.find_map(Result::ok).ok_or(error))
    }

    /// The call frame information of each file; empty if it has none.
    pub(crate) fn call_frames(
        &self,
    ) -> impl Iterator<Item = &gimli::DebugFrame<gimli::EndianArcSlice<gimli::LittleEndian>>> {
        self.debug().map(|debug| &debug.frames)
    }

    /// Whether the image has code at `address`, as a run or load address.
    pub fn has_code(&self, address: u32) -> bool {
        is_code(&self.segments, &self.sections, address)
    }

    /// The halfword stored for `address`, as a run or load address.
    pub fn stored_halfword(&self, address: u32) -> Option<u16> {
        let at = |segment: &Segment, base: u32| {
            let offset = address.checked_sub(base)? as usize;
            segment.bytes.get(offset..)?.first_chunk().copied()
        };
        let mut segments = self.segments.iter();
        let found = segments
            .find_map(|segment| at(segment, segment.runs_at).or_else(|| at(segment, segment.address)));
        found.map(u16::from_le_bytes)
    }

    /// The word stored at load address `address`, if there is one.
    pub fn stored_word(&self, address: u32) -> Option<u32> {
        let within = |segment: &Segment| {
            let at = address.checked_sub(segment.address)? as usize;
            segment
                .bytes
                .get(at..)?
                .first_chunk()
                .copied()
                .map(u32::from_le_bytes)
        };
        self.segments.iter().find_map(within)
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image")
            .field("file", &self.file)
            .field("architecture", &self.architecture)
            .field("entry", &self.entry)
            .finish_non_exhaustive()
    }
}

impl Section {
    fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.address) < self.size
    }
}

fn sha256(data: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(data) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The most bytes of the section `.comment` that are read.
const LONGEST_COMMENT: usize = 1 << 12;

fn toolchain(elf: &elf::Elf<'_>) -> Vec<String> {
    let comment = elf.section_by_name(".comment");
    let data = comment
        .and_then(|section| section.data().ok())
        .unwrap_or_default();
    let data = &data[..data.len().min(LONGEST_COMMENT)];
    let texts = data.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut texts: Vec<String> = texts
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

/// Uses sections, which are finer; segments if the file has no sections.
fn is_code(segments: &[Segment], sections: &[Section], address: u32) -> bool {
    if sections.is_empty() {
        let inside = |segment: &&Segment| address.wrapping_sub(segment.runs_at) < segment.runs_size;
        return segments.iter().filter(inside).any(|segment| segment.executable);
    }
    sections
        .iter()
        .any(|section| section.executable && section.contains(address))
}

fn sections(elf: &elf::Elf<'_>) -> Vec<Section> {
    let allocated = elf.sections().filter_map(|section| {
        let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return None;
        };
        let flags = object::elf::SectionFlags(sh_flags.0);
        flags.contains(object::elf::SHF_ALLOC).then(|| Section {
            index: section.index().0,
            name: section.name().unwrap_or_default().into(),
            address: section.address() as u32,
            size: section.size() as u32,
            executable: flags.contains(object::elf::SHF_EXECINSTR),
        })
    });
    allocated.filter(|section| section.size > 0).collect()
}
