//! Tiny hand-assembled programs as ELF files, so that tests need no cross compiler.

use object::build::elf::{Builder, SectionData, SectionId};
use object::elf::{
    EM_ARM, ET_EXEC, Machine, PF_R, PF_X, SHF_ALLOC, SHF_EXECINSTR, SHN_ABS, SHT_PROGBITS, SHT_STRTAB,
    SHT_SYMTAB, STB_GLOBAL, STB_LOCAL, STT_FILE, STT_FUNC, STT_NOTYPE, STT_OBJECT,
};
use object::{Endianness, elf};

/// Start of the flash of `stm32f100rb`.
pub const FLASH: u32 = 0x0800_0000;
/// Start of its RAM.
pub const RAM: u32 = 0x2000_0000;
/// End of its RAM, the usual initial stack pointer.
pub const STACK: u32 = 0x2000_2000;
/// Vectors for the system exceptions and eight interrupts.
const VECTORS: usize = 16 + 8;

/// Semihosting `SYS_EXIT` with "application exit": `movs r0, #0x18; movw r1, #0x26; movt r1, #2; bkpt 0xab`.
pub const EXIT: &[u16] = &[0x2018, 0xf240, 0x0126, 0xf2c0, 0x0102, 0xbeab];

/// No operation.
pub const NOP: u16 = 0xbf00;

/// A program whose `main` calls `work`, which has 40 instructions, and exits.
pub fn calling() -> Firmware {
    // bl work
    let call: &[u16] = &[0xf000, 0xf806];
    // bx lr
    Firmware::new(&[call, EXIT]).function("work", &[&[NOP; 39], &[0x4770]])
}

/// An RV32 program without symbols or sections; its first instruction is at `base`.
pub fn rv32(base: u32, code: &[u8]) -> Vec<u8> {
    bare(243, base, &[(base, code)])
}

/// A Cortex-M program without symbols or sections, from memories and their addresses. The first memory begins with the vectors.
///
/// # Panics
///
/// If there is no reset vector.
pub fn cortex_m(memories: &[(u32, &[u8])]) -> Vec<u8> {
    let reset = memories[0].1[4..8].try_into().expect("four bytes");
    bare(40, u32::from_le_bytes(reset), memories)
}

/// An ELF file for a machine (`e_machine`) with a segment for each memory and nothing else.
fn bare(machine: u16, entry: u32, memories: &[(u32, &[u8])]) -> Vec<u8> {
    let count = memories.len() as u16;
    // e_type ET_EXEC, e_machine; e_version, e_entry, e_phoff, e_shoff, e_flags; the sizes and numbers of headers.
    let identity = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".as_slice();
    let kind = [2, machine].map(u16::to_le_bytes).concat();
    let places = [1, entry, 52, 0, 0].map(u32::to_le_bytes).concat();
    let headers = [52u16, 32, count, 40, 0, 0].map(u16::to_le_bytes).concat();
    let mut file = [identity, &kind, &places, &headers].concat();
    let mut offset = 52 + 32 * u32::from(count);
    for (base, bytes) in memories {
        let size = bytes.len() as u32;
        // PT_LOAD, its offset, both addresses, both sizes, read, write and execute, alignment.
        let segment = [1, offset, *base, *base, size, size, 7, 4];
        file.extend(segment.map(u32::to_le_bytes).concat());
        offset += size;
    }
    for (_, bytes) in memories {
        file.extend(*bytes);
    }
    file
}

/// A program under construction.
pub struct Firmware {
    machine: Machine,
    base: u32,
    vectors: [u32; VECTORS],
    code: Vec<u16>,
    symbols: Vec<Symbol>,
    /// embedded-test entries: the JSON description; the function's address, the module path's address and its length.
    tests: Vec<(String, [u32; 3])>,
}

struct Symbol {
    name: &'static str,
    address: u32,
    size: u32,
    kind: elf::SymbolType,
    /// The source file, for a static function.
    file: Option<&'static str>,
}

impl Symbol {
    /// Whether it is a static function or a mapping symbol.
    fn is_local(&self) -> bool {
        self.file.is_some() || self.name.starts_with('$')
    }
}

impl Firmware {
    /// A program whose reset handler is `main`, with these instructions.
    pub fn new(main: &[&[u16]]) -> Firmware {
        Firmware::at(FLASH, main)
    }

    /// A program linked for a flash that begins at `base`.
    pub fn at(base: u32, main: &[&[u16]]) -> Firmware {
        let empty = Firmware {
            machine: EM_ARM,
            base,
            vectors: [0; VECTORS],
            code: Vec::new(),
            symbols: Vec::new(),
            tests: Vec::new(),
        };
        empty.stack(STACK).handler(1, "main", main)
    }

    /// Sets an architecture other than Arm.
    #[must_use]
    pub fn machine(mut self, machine: Machine) -> Firmware {
        self.machine = machine;
        self
    }

    /// Sets the initial stack pointer.
    #[must_use]
    pub fn stack(mut self, address: u32) -> Firmware {
        self.vectors[0] = address;
        self
    }

    /// Adds a function and makes it the handler of exception `number`.
    #[must_use]
    pub fn handler(mut self, number: usize, name: &'static str, code: &[&[u16]]) -> Firmware {
        self.vectors[number] = self.here() | 1;
        self.function(name, code)
    }

    /// Adds a function after the existing ones.
    #[must_use]
    pub fn function(mut self, name: &'static str, code: &[&[u16]]) -> Firmware {
        let address = self.here();
        let code = code.concat();
        let size = 2 * code.len() as u32;
        self.code.extend(code);
        self.symbols.push(Symbol {
            name,
            address: address | 1,
            size,
            kind: STT_FUNC,
            file: None,
        });
        // Functions begin at a word boundary, so that fetching them costs the same.
        if self.code.len() % 2 == 1 {
            self.code.push(0xbf00);
        }
        self
    }

    /// Adds a static function of this source file.
    #[must_use]
    pub fn static_function(self, file: &'static str, name: &'static str, code: &[&[u16]]) -> Firmware {
        let mut firmware = self.function(name, code);
        if let Some(symbol) = firmware.symbols.last_mut() {
            symbol.file = Some(file);
        }
        firmware
    }

    /// Adds a literal pool to the last function.
    ///
    /// # Panics
    ///
    /// If there is no function.
    #[must_use]
    pub fn literals(mut self, words: &[u32]) -> Firmware {
        let begin = self.here();
        let halves = |word: &u32| [*word as u16, (*word >> 16) as u16];
        self.code.extend(words.iter().flat_map(halves));
        let last = self.symbols.last_mut().expect("a function");
        last.size = begin + 4 * words.len() as u32 - (last.address & !1);
        for (name, address) in [("$d", begin), ("$t", self.here())] {
            self.symbols.push(Symbol {
                name,
                address,
                size: 0,
                kind: STT_NOTYPE,
                file: None,
            });
        }
        self
    }

    /// Adds an embedded-test entry, in this module path, that calls the last function.
    ///
    /// # Panics
    ///
    /// If there is no function.
    #[must_use]
    pub fn test(mut self, json: &str, module: &str) -> Firmware {
        let function = self.symbols.last().expect("a function").address;
        let at = self.here();
        let mut bytes = module.as_bytes().to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let halves = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        self.code.extend(halves);
        self.tests
            .push((json.to_owned(), [function, at, module.len() as u32]));
        self
    }

    /// Names a word of RAM.
    #[must_use]
    pub fn object(mut self, name: &'static str, address: u32) -> Firmware {
        self.symbols.push(Symbol {
            name,
            address,
            size: 4,
            kind: STT_OBJECT,
            file: None,
        });
        self
    }

    /// Omits the vector table.
    #[must_use]
    pub fn without_vectors(mut self) -> Firmware {
        self.vectors = [0; VECTORS];
        self
    }

    fn here(&self) -> u32 {
        self.base + 4 * VECTORS as u32 + 2 * self.code.len() as u32
    }

    /// Builds the ELF file.
    ///
    /// # Panics
    ///
    /// Never, unless this crate has a bug.
    pub fn elf(&self) -> Vec<u8> {
        let mut builder = Builder::new(Endianness::Little, false);
        builder.header.e_type = ET_EXEC;
        builder.header.e_machine = self.machine;
        builder.header.e_entry = u64::from(self.vectors[1]);
        builder.header.e_phoff = builder.file_header_size();
        let text = self.add_text(&mut builder);
        self.add_symbols(&mut builder, text);
        if !self.tests.is_empty() {
            self.add_tests(&mut builder);
        }
        let mut file = Vec::new();
        builder.write(&mut file).expect("a plain ELF file");
        file
    }

    /// Adds the list of tests as a section that is not loaded and begins at address 1.
    fn add_tests(&self, builder: &mut Builder<'_>) {
        let words = self.tests.iter().flat_map(|(_, words)| *words);
        let bytes: Vec<u8> = std::iter::once(1)
            .chain(words)
            .flat_map(u32::to_le_bytes)
            .collect();
        let section = builder.sections.add();
        section.name = ".embedded_test".into();
        section.sh_type = SHT_PROGBITS;
        section.sh_addralign = 1;
        section.sh_size = bytes.len() as u64;
        section.data = SectionData::Data(bytes.into());
        let section = section.id();
        let names =
            std::iter::once("EMBEDDED_TEST_VERSION").chain(self.tests.iter().map(|(json, _)| json.as_str()));
        for (name, place) in names.zip((0..1).chain((4..).step_by(12))) {
            let added = builder.symbols.add();
            added.name = name.to_owned().into_bytes().into();
            added.st_value = place;
            added.st_size = 4;
            added.set_st_info(STB_GLOBAL, STT_OBJECT);
            added.section = Some(section);
        }
    }

    fn add_text(&self, builder: &mut Builder<'_>) -> SectionId {
        let vectors = self.vectors.iter().flat_map(|word| word.to_le_bytes());
        let code = self.code.iter().flat_map(|halfword| halfword.to_le_bytes());
        let bytes: Vec<u8> = vectors.chain(code).collect();
        let section = builder.sections.add();
        section.name = ".text".into();
        section.sh_type = SHT_PROGBITS;
        section.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
        section.sh_addralign = 4;
        section.sh_size = bytes.len() as u64;
        section.data = SectionData::Data(bytes.into());
        let segment = builder.segments.add();
        segment.p_type = elf::PT_LOAD;
        segment.p_flags = PF_R | PF_X;
        segment.p_offset = 0x1000;
        segment.p_vaddr = u64::from(self.base);
        segment.p_paddr = u64::from(self.base);
        segment.p_align = 4;
        segment.append_section(section);
        section.id()
    }

    fn add_symbols(&self, builder: &mut Builder<'_>, text: SectionId) {
        for (name, kind, data) in [
            (".symtab", SHT_SYMTAB, SectionData::Symbol),
            (".strtab", SHT_STRTAB, SectionData::String),
            (".shstrtab", SHT_STRTAB, SectionData::SectionString),
        ] {
            let section = builder.sections.add();
            section.name = name.into();
            section.sh_type = kind;
            section.data = data;
        }
        // Local symbols come first, each after its file's symbol.
        let (local, global): (Vec<&Symbol>, Vec<&Symbol>) =
            self.symbols.iter().partition(|symbol| symbol.is_local());
        for symbol in local.into_iter().chain(global) {
            if let Some(file) = symbol.file {
                let added = builder.symbols.add();
                added.name = file.into();
                added.set_st_info(STB_LOCAL, STT_FILE);
                added.st_shndx = SHN_ABS;
            }
            let binding = if symbol.is_local() { STB_LOCAL } else { STB_GLOBAL };
            let added = builder.symbols.add();
            added.name = symbol.name.into();
            added.st_value = u64::from(symbol.address);
            added.st_size = u64::from(symbol.size);
            added.set_st_info(binding, symbol.kind);
            added.section = Some(text);
        }
    }
}
