//! ELF files as jobs.

use std::fs;
use std::path::Path;

use crate::error::{Context as _, Result, ensure};
use isa_rv32::length;
use object::{Object as _, ObjectSegment as _};
use sha2::{Digest as _, Sha256};

/// A program in a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Address of its first instruction.
    pub entry: u32,
    /// Address of the memory.
    pub base: u32,
    /// Its bytes, what the program stores in the file and zeros.
    pub memory: Vec<u8>,
}

impl Program {
    /// Loads an ELF file into a memory of `size` bytes at `base`.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF file, or does not fit.
    pub fn load(file: &Path, base: u32, size: u32) -> Result<Program> {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let elf = object::File::parse(&*bytes).with_context(|| file.display().to_string())?;
        let mut memory = vec![0; size as usize];
        for segment in elf.segments() {
            let data = segment.data()?;
            let place = segment.address().wrapping_sub(u64::from(base)) as usize;
            let inside = place
                .checked_add(data.len())
                .is_some_and(|end| end <= memory.len());
            ensure!(
                inside,
                "{}: {:#x} is outside the memory ({base:#x}, {size:#x} bytes)",
                file.display(),
                segment.address()
            );
            memory[place..place + data.len()].copy_from_slice(data);
        }
        Ok(Program {
            entry: elf.entry() as u32,
            base,
            memory,
        })
    }

    /// The hash of what is loaded: the address of the first instruction, that of the memory, and the memory's bytes without
    /// the zeros that end it.
    pub fn sha256(&self) -> String {
        let used = self
            .memory
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        let mut hash = Sha256::new();
        hash.update(self.entry.to_le_bytes());
        hash.update(self.base.to_le_bytes());
        hash.update(&self.memory[..used]);
        format!("{:x}", hash.finalize())
    }

    /// Bytes of the instruction at an address, as the program was loaded; 4 outside the memory.
    pub(crate) fn size(&self, pc: u32) -> u32 {
        let at = pc.wrapping_sub(self.base) as usize;
        let half = self.memory.get(at..).and_then(<[u8]>::first_chunk);
        half.map_or(4, |half| length(u16::from_le_bytes(*half)).into())
    }
}
