//! Tiny programs for RV32 as ELF files, assembled by hand.

use object::Endianness;
use object::build::elf::{Builder, SectionData, SectionId};
use object::elf::{
    EM_RISCV, ET_EXEC, PF_R, PF_X, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS, SHT_STRTAB, SHT_SYMTAB,
    STB_GLOBAL, STT_FUNC,
};

pub(crate) const EBREAK: u32 = 0x0010_0073;

/// Semihosting `SYS_EXIT` with "application exit", in the reset state of the registers:
/// `li a0, 0x18; lui a1, 0x20; addi a1, a1, 0x26; slli x0, x0, 0x1f; ebreak; srai x0, x0, 7`.
pub(crate) const EXIT: &[u32] = &[
    0x0180_0513,
    0x0002_05b7,
    0x0265_8593,
    0x01f0_1013,
    EBREAK,
    0x4070_5013,
];

/// A program: its instructions, from its entry point on.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    code: Vec<u32>,
    base: u32,
    wide: bool,
    /// Name, offset and size.
    functions: Vec<(&'static str, u32, u32)>,
}

impl Program {
    pub(crate) fn new(code: &[u32]) -> Program {
        Program {
            code: code.to_vec(),
            base: 0,
            wide: false,
            functions: Vec::new(),
        }
    }

    /// Linked for another address than 0.
    pub(crate) fn at(mut self, base: u32) -> Program {
        self.base = base;
        self
    }

    /// With another first instruction.
    pub(crate) fn starting_with(mut self, word: u32) -> Program {
        self.code[0] = word;
        self
    }

    /// With a name for so many bytes from this offset on.
    pub(crate) fn function(mut self, name: &'static str, offset: u32, size: u32) -> Program {
        self.functions.push((name, offset, size));
        self
    }

    /// As a 64-bit ELF file.
    pub(crate) fn wide(mut self) -> Program {
        self.wide = true;
        self
    }

    /// The ELF file.
    pub(crate) fn elf(&self) -> Vec<u8> {
        let mut builder = Builder::new(Endianness::Little, self.wide);
        builder.header.e_type = ET_EXEC;
        builder.header.e_machine = EM_RISCV;
        builder.header.e_entry = u64::from(self.base);
        builder.header.e_phoff = builder.file_header_size();
        let text = self.add_text(&mut builder);
        if !self.functions.is_empty() {
            self.add_symbols(&mut builder, text);
        }
        let names = builder.sections.add();
        names.name = ".shstrtab".into();
        names.sh_type = SHT_STRTAB;
        names.data = SectionData::SectionString;
        let mut file = Vec::new();
        builder.write(&mut file).expect("a plain ELF file");
        file
    }

    fn add_symbols(&self, builder: &mut Builder<'_>, text: SectionId) {
        for (name, kind, data) in [
            (".symtab", SHT_SYMTAB, SectionData::Symbol),
            (".strtab", SHT_STRTAB, SectionData::String),
        ] {
            let section = builder.sections.add();
            section.name = name.into();
            section.sh_type = kind;
            section.data = data;
        }
        for &(name, offset, size) in &self.functions {
            let symbol = builder.symbols.add();
            symbol.name = name.into();
            symbol.st_value = u64::from(self.base + offset);
            symbol.st_size = u64::from(size);
            symbol.set_st_info(STB_GLOBAL, STT_FUNC);
            symbol.section = Some(text);
        }
    }

    fn add_text(&self, builder: &mut Builder<'_>) -> SectionId {
        let bytes: Vec<u8> = self.code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let section = builder.sections.add();
        section.name = ".text".into();
        section.sh_type = SHT_PROGBITS;
        section.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
        section.sh_addralign = 4;
        section.sh_size = bytes.len() as u64;
        section.data = SectionData::Data(bytes.into());
        let segment = builder.segments.add();
        segment.p_type = PT_LOAD;
        segment.p_flags = PF_R | PF_X;
        segment.p_offset = 0x1000;
        segment.p_vaddr = u64::from(self.base);
        segment.p_paddr = u64::from(self.base);
        segment.p_align = 4;
        segment.append_section(section);
        section.id()
    }
}
