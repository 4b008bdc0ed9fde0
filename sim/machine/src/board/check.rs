//! From what a board file says to a board that can be built: everything that TOML alone cannot check.

use bus::{Region, Slave, WaitStates};
use core_cortex_m::Options;
use core_cortex_m::timing::CoreKind;
use toml::Spanned;

use super::error::line_of;
use super::file::{BoardFile, MemoryEntry, PeripheralEntry, Wait};
use super::peripheral::{self, ClockNames};
use super::{Allow, Board, BoardError, Memory, MemoryKind, Peripheral, Revision};
use crate::nearest::{did_you_mean, nearest};

/// The address space that each of the peripheral kinds takes, if the file does not say.
const PERIPHERAL_SIZE: u32 = 0x1000;

/// Memories, and peripherals, of a board: more than any has, and as many as the bus can tell apart by what they cost.
const MOST: usize = 100;

pub(super) fn board(file: &str, text: &str) -> Result<Board, BoardError> {
    let parsed: BoardFile =
        toml::from_str(text).map_err(|error| BoardError::from_toml(file, text, &error))?;
    Checker { file, text }.board(parsed)
}

pub(super) struct Checker<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl Checker<'_> {
    pub(super) fn board(&self, file: BoardFile) -> Result<Board, BoardError> {
        let core = self.core(&file)?;
        self.at_most(&file.memory, "memories")?;
        self.at_most(&file.peripheral, "peripherals")?;
        let memories = self.memories(&file)?;
        let clocks = ClockNames::of(file.peripheral.iter().map(Spanned::get_ref));
        let flash = file
            .flash
            .as_ref()
            .map(|entry| self.flash(entry, &memories))
            .transpose()?;
        let peripherals = file
            .peripheral
            .iter()
            .map(|entry| self.peripheral(entry, *file.interrupts.count.get_ref(), &clocks));
        let peripherals = peripherals.collect::<Result<Vec<_>, _>>()?;
        file.allow
            .iter()
            .try_for_each(|allow| self.fits(allow, allow.get_ref().base, allow.get_ref().size))?;
        let options = options(&file, core);
        Ok(Board {
            core,
            without_rules: Vec::new(),
            revision: self.revision(&file.revision)?,
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz.into_inner(),
            priority_bits: file.priority_bits.into_inner(),
            mpu_regions: file.mpu_regions.map_or(0, Spanned::into_inner),
            bit_band: file.bit_band,
            systick_reference: file.systick_reference_divider,
            systick_calibration: file.systick_calibration,
            vector_table: file.vector_table,
            options,
            slow_multiplier: file.slow_multiplier.as_ref().is_some_and(|slow| *slow.get_ref()),
            memory_from_elf: file.memory_from_elf,
            blocks: file.block,
            memories,
            flash,
            peripherals,
            allow: file
                .allow
                .into_iter()
                .map(Spanned::into_inner)
                .collect::<Vec<Allow>>(),
            irqs: file.interrupts.count.into_inner(),
            irq_names: file.interrupts.names,
        })
    }

    /// The core, once the file's options of it are ones that it can have.
    fn core(&self, file: &BoardFile) -> Result<CoreKind, BoardError> {
        let named = CoreKind::ALL
            .into_iter()
            .find(|core| core.name() == file.core.get_ref());
        let Some(core) = named else {
            let known = CoreKind::ALL.map(CoreKind::name).join(", ");
            return self.wrong(&file.core, &format!("the cores are {known}"));
        };
        self.options(file, core)?;
        Ok(core)
    }

    fn options(&self, file: &BoardFile, core: CoreKind) -> Result<(), BoardError> {
        if *file.clock_hz.get_ref() == 0 {
            return self.wrong(&file.clock_hz, "`clock_hz` must not be 0");
        }
        let (bits, irqs) = (file.priority_bits.get_ref(), file.interrupts.count.get_ref());
        if core.is_armv6m() && *bits != 2 {
            return self.wrong(&file.priority_bits, "an ARMv6-M core has 2 priority bits");
        }
        if !core.is_armv6m() && !(3..=8).contains(bits) {
            return self.wrong(&file.priority_bits, "an ARMv7-M core has 3 to 8 priority bits");
        }
        let (name, most) = if core.is_armv6m() {
            ("ARMv6-M", 32)
        } else {
            ("ARMv7-M", 240)
        };
        if !(1..=most).contains(irqs) {
            return self.wrong(
                &file.interrupts.count,
                &format!("an {name} core has 1 to {most} external interrupts"),
            );
        }
        self.small_options(file, core)?;
        if file.interrupts.names.len() > usize::from(*file.interrupts.count.get_ref()) {
            return self.wrong(
                &file.interrupts.count,
                "there are more interrupt names than interrupts",
            );
        }
        match &file.mpu_regions {
            Some(regions) if ![0, 8].contains(regions.get_ref()) => {
                self.wrong(regions, "a core has an MPU of 8 regions, or none (0)")
            }
            Some(regions) if core == CoreKind::CortexM0 && *regions.get_ref() != 0 => {
                self.wrong(regions, "a Cortex-M0 has no MPU")
            }
            _ => Ok(()),
        }
    }

    /// What may be chosen of an ARMv6-M core alone, and of that what a Cortex-M0 cannot have.
    fn small_options(&self, file: &BoardFile, core: CoreKind) -> Result<(), BoardError> {
        let options = [
            (&file.vtor, "vtor"),
            (&file.systick, "systick"),
            (&file.unprivileged, "unprivileged"),
            (&file.slow_multiplier, "slow_multiplier"),
        ];
        for (option, name) in options {
            let Some(option) = option else { continue };
            if !core.is_armv6m() {
                return self.wrong(option, &format!("`{name}` is an option of ARMv6-M cores only"));
            }
            let never = matches!(name, "vtor" | "unprivileged") && core == CoreKind::CortexM0;
            if never && *option.get_ref() {
                return self.wrong(option, &format!("a Cortex-M0 never has `{name}`"));
            }
        }
        Ok(())
    }

    fn at_most<T>(&self, entries: &[Spanned<T>], what: &str) -> Result<(), BoardError> {
        entries.get(MOST).map_or(Ok(()), |entry| {
            self.wrong(entry, &format!("a board has at most {MOST} {what}"))
        })
    }

    fn revision(&self, text: &Spanned<String>) -> Result<Revision, BoardError> {
        let revision = Revision::parse(text.get_ref());
        revision.map_or_else(|| self.wrong(text, "a revision is written like r2p1"), Ok)
    }

    fn memories(&self, file: &BoardFile) -> Result<Vec<Memory>, BoardError> {
        let mut memories: Vec<Memory> = Vec::new();
        for entry in &file.memory {
            let memory = self.memory(entry, &memories)?;
            self.fits(entry, memory.base, memory.size)?;
            let region = memory.region();
            if let Some(other) = memories
                .iter()
                .find(|other| region.overlaps(other.base, other.size))
            {
                return self.wrong(
                    entry,
                    &format!("memory `{}` overlaps memory `{}`", memory.name, other.name),
                );
            }
            memories.push(memory);
        }
        Ok(memories)
    }

    fn memory(&self, entry: &Spanned<MemoryEntry>, others: &[Memory]) -> Result<Memory, BoardError> {
        let memory = entry.get_ref();
        if let Some(original) = &memory.alias_of {
            return self.alias(memory, original, others);
        }
        let (Some(kind), Some(size), Some(wait)) = (memory.kind, memory.size, memory.wait) else {
            let needs = "needs `kind`, `size` and `wait`, or `alias_of` alone";
            return self.wrong(entry, &format!("memory `{}` {needs}", memory.name));
        };
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
            alias_of: None,
        })
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
        if memory.kind.is_some() || memory.size.is_some() || memory.wait.is_some() || memory.slave.is_some() {
            return self.wrong(
                of,
                "`alias_of` takes kind, size, wait and slave from the memory that it names",
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

    fn peripheral(
        &self,
        entry: &Spanned<PeripheralEntry>,
        irqs: u16,
        clocks: &ClockNames,
    ) -> Result<Peripheral, BoardError> {
        let peripheral = entry.get_ref();
        let size = peripheral.size.unwrap_or(PERIPHERAL_SIZE);
        self.fits(entry, peripheral.base, size)?;
        if peripheral.irq.is_some_and(|irq| irq >= irqs) {
            return self.wrong(
                entry,
                &format!(
                    "`{}`: the board has interrupts 0 to {}",
                    peripheral.name,
                    irqs - 1
                ),
            );
        }
        let region = Region {
            name: peripheral.name.as_str().into(),
            base: peripheral.base,
            size,
            wait: peripheral.wait.into(),
            slave: if peripheral.io_port {
                Slave::IO_PORT
            } else {
                Slave(peripheral.slave)
            },
        };
        let device = peripheral::device(peripheral, clocks)
            .or_else(|message| self.wrong(entry, &format!("`{}`: {message}", peripheral.name)))?;
        Ok(Peripheral { region, device })
    }

    fn fits<T>(&self, place: &Spanned<T>, base: u32, size: u32) -> Result<(), BoardError> {
        let fits = u64::from(base) + u64::from(size) <= 1 << 32;
        if fits {
            Ok(())
        } else {
            self.wrong(place, "this range goes beyond the address space")
        }
    }

    pub(super) fn wrong<T, U>(&self, place: &Spanned<U>, message: &str) -> Result<T, BoardError> {
        Err(self.error(place, message.into(), None))
    }

    pub(super) fn error<U>(&self, place: &Spanned<U>, message: String, hint: Option<String>) -> BoardError {
        let line = line_of(self.text, place.span().start);
        BoardError::Wrong {
            file: self.file.into(),
            line,
            message,
            hint,
        }
    }
}

/// The parts of the core that are there: what the file does not say, every core that can have it has.
fn options(file: &BoardFile, core: CoreKind) -> Options {
    let has = |option: &Option<Spanned<bool>>, otherwise| {
        option.as_ref().map_or(otherwise, |option| *option.get_ref())
    };
    Options {
        vtor: has(&file.vtor, core != CoreKind::CortexM0),
        systick: has(&file.systick, true),
        unprivileged: has(&file.unprivileged, core != CoreKind::CortexM0),
    }
}

impl From<Wait> for WaitStates {
    fn from(wait: Wait) -> Self {
        WaitStates {
            fetch: wait.fetch,
            read: wait.read,
            write: wait.write,
            turn_around: wait.turn_around,
        }
    }
}
