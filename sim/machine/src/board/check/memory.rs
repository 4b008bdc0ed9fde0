//! Checks the memories of a board file.

use bus::{Evidence, Slave, WaitStates};
use toml::Spanned;

use super::{Checker, SYSTEM_SPACE};
use crate::board::file::{BoardFile, MemoryEntry, Wait};
use crate::board::{BoardError, Memory, MemoryKind, Peripheral};
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// Known initial contents of memories.
const CONTENTS: &[(&str, &[u8])] = &[("rp2040-boot-rom", include_bytes!("../../../rom/rp2040.bin"))];

impl Checker<'_> {
    pub(in crate::board) fn memories(
        &self,
        file: &BoardFile,
        architecture: Architecture,
    ) -> Result<Vec<Memory>, BoardError> {
        let mut memories: Vec<Memory> = Vec::new();
        for entry in &file.memory {
            let memory = self.memory(entry, &memories)?;
            self.fits(entry, memory.base, memory.size)?;
            let region = memory.region();
            if architecture == Architecture::Arm && region.overlaps(SYSTEM_SPACE, SYSTEM_SPACE.wrapping_neg())
            {
                let message = format!(
                    "memory `{}` reaches into the core's own registers, which begin at {SYSTEM_SPACE:#010x}",
                    memory.name
                );
                return self.wrong(entry, &message);
            }
            self.apart(entry, &memory, &memories)?;
            memories.push(memory);
        }
        Ok(memories)
    }

    /// Refuses a memory that overlaps another one.
    pub(in crate::board) fn apart<T>(
        &self,
        entry: &Spanned<T>,
        memory: &Memory,
        others: &[Memory],
    ) -> Result<(), BoardError> {
        let region = memory.region();
        let mut others = others.iter();
        let Some(other) = others.find(|other| region.overlaps(other.base, other.size)) else {
            return Ok(());
        };
        let message = format!("memory `{}` overlaps memory `{}`", memory.name, other.name);
        let hint = format!("`{}` is {}", other.name, from_to(other.base, other.size));
        Err(self.error(entry, message, Some(hint)))
    }

    /// Refuses a memory that hides a peripheral's registers. The error is at the later of the two.
    pub(super) fn memories_hide_no_registers(
        &self,
        file: &BoardFile,
        memories: &[Memory],
        peripherals: &[Peripheral],
    ) -> Result<(), BoardError> {
        for (entry, peripheral) in file.peripheral.iter().zip(peripherals) {
            let region = &peripheral.region;
            let mut pairs = file.memory.iter().zip(memories);
            let Some((memory, hides)) = pairs.find(|(_, memory)| region.overlaps(memory.base, memory.size))
            else {
                continue;
            };
            let message = format!("memory `{}` {}", hides.name, overlapped(&region.name));
            let assumed = if entry.get_ref().size.is_none() {
                ", as it has without a `size`"
            } else {
                ""
            };
            let registers = from_to(region.base, region.size);
            let hint = format!(
                "the registers are {registers}{assumed}; the memory is {}",
                from_to(hides.base, hides.size)
            );
            return Err(if memory.span().start > entry.span().start {
                self.error(memory, message, Some(hint))
            } else {
                self.error(entry, message, Some(hint))
            });
        }
        Ok(())
    }

    pub(in crate::board) fn memory(
        &self,
        entry: &Spanned<MemoryEntry>,
        others: &[Memory],
    ) -> Result<Memory, BoardError> {
        let memory = entry.get_ref();
        if let Some(original) = &memory.alias_of {
            return self.alias(memory, original, others);
        }
        let (Some(kind), Some(size), Some(wait)) = (memory.kind, memory.size, memory.wait) else {
            let needs = "needs `kind`, `size` and `wait`, or `alias_of` alone";
            return self.wrong(entry, &format!("memory `{}` {needs}", memory.name));
        };
        if memory.programmable && kind == MemoryKind::Ram {
            return self.wrong(
                entry,
                &format!("memory `{}`: a rom is `programmable`", memory.name),
            );
        }
        let slave = if memory.io_port {
            Slave::IO_PORT.0
        } else {
            memory.slave.unwrap_or(0)
        };
        let (name, base) = (memory.name.clone(), memory.base);
        Ok(Memory {
            name,
            base,
            size,
            kind,
            wait: wait.into(),
            slave,
            evidence: memory.evidence.map(Evidence::from).unwrap_or_default(),
            alias_of: None,
            contents: self.contents(memory.contents.as_ref(), size)?,
            programmable: memory.programmable,
        })
    }

    fn contents(&self, name: Option<&Spanned<String>>, size: u32) -> Result<&'static [u8], BoardError> {
        let Some(name) = name else {
            return Ok(&[]);
        };
        let known = CONTENTS.iter().find(|(known, _)| known == name.get_ref());
        match known {
            Some((_, bytes)) if bytes.len() <= size as usize => Ok(bytes),
            Some((known, bytes)) => self.wrong(name, &format!("`{known}` takes {} bytes", bytes.len())),
            None => {
                let names = CONTENTS.iter().map(|&(known, _)| known);
                let hint = did_you_mean(&nearest(name.get_ref(), names, 1));
                Err(self.error(name, format!("no contents are called `{}`", name.get_ref()), hint))
            }
        }
    }

    fn alias(
        &self,
        memory: &MemoryEntry,
        of: &Spanned<String>,
        others: &[Memory],
    ) -> Result<Memory, BoardError> {
        let Some(original) = others.iter().find(|other| other.name == *of.get_ref()) else {
            let names = others.iter().map(|other| other.name.as_str());
            let hint = did_you_mean(&nearest(of.get_ref(), names, 1));
            let message = format!("no memory `{}` stands before this one", of.get_ref());
            return Err(self.error(of, message, hint));
        };
        if original.kind == MemoryKind::Ram {
            return self.wrong(
                of,
                "`alias_of` names a rom: a write to one address would not show at the other",
            );
        }
        let own = memory.kind.is_some() || memory.size.is_some() || memory.wait.is_some();
        if own || memory.slave.is_some() || memory.evidence.is_some() {
            return self.wrong(
                of,
                "`alias_of` takes kind, size, wait, slave and evidence from the memory that it names",
            );
        }
        let (name, base) = (memory.name.clone(), memory.base);
        Ok(Memory {
            name,
            base,
            alias_of: Some(original.base),
            ..original.clone()
        })
    }
}

/// The message that a memory overlaps a peripheral's registers.
pub(in crate::board) fn overlapped(peripheral: &str) -> String {
    format!("overlaps the registers of `{peripheral}`")
}

/// Formats a non-empty range as its first and last address.
fn from_to(base: u32, size: u32) -> String {
    format!(
        "{base:#010x} to {:#010x}",
        base.saturating_add(size.saturating_sub(1))
    )
}

impl From<Wait> for WaitStates {
    fn from(wait: Wait) -> Self {
        WaitStates {
            fetch: wait.fetch,
            read: wait.read,
            write: wait.write,
            grant: wait.grant,
            beat: wait.beat,
            write_beat: wait.write_beat,
        }
    }
}
