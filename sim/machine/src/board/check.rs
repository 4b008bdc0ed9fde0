//! Turns a board file into a board, and checks everything that TOML alone cannot. `check/core.rs` checks the core's keys,
//! `check/memory.rs` those of the memories.

pub(super) mod core;
pub(super) mod memory;

use std::path::Path;
use std::sync::Arc;

use bus::{Bus, BusError, ClockId, Device, Effect, Evidence, Region, Slave};
use toml::Spanned;
use toml::de::DeTable;

use super::chosen::Chosen;
use super::error::line_of;
use super::file::BoardFile;
use super::peripheral::{Lines, PeripheralEntry};
use super::{Allow, Board, BoardError, Peripheral};
use crate::cores::Core;
use crate::devices::{Around, Atomic, ClockNames, Gate, Gated, Guard, Wires};
use crate::families::RequestedChip;
use crate::host::Files;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// The default address space of a peripheral, in bytes.
const PERIPHERAL_SIZE: u32 = 0x1000;

/// The message for registers whose reset values contradict each other.
pub(crate) const CANNOT_LEAVE_RESET: &str = "the chip cannot leave reset this way";

/// The first address of a Cortex-M's system space, which holds no memory (ARMv7-M ARM B3.1).
pub(crate) const SYSTEM_SPACE: u32 = 0xe000_0000;

/// The most memories, and the most peripherals, of a board. The bus cannot distinguish the wait states of more.
pub(super) const MOST: usize = 100;

pub(super) fn board(checker: &Checker<'_>, table: Spanned<DeTable<'_>>) -> Result<Board, BoardError> {
    let parsed = BoardFile::read(checker.file, checker.text, table)?;
    checker.board(parsed)
}

#[derive(Clone, Copy)]
pub(super) struct Checker<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    /// Where scripts and SVD files are read from.
    pub(super) files: &'a dyn Files,
}

impl Checker<'_> {
    pub(super) fn board(&self, file: BoardFile) -> Result<Board, BoardError> {
        let core = self.core(&file)?;
        self.clock("clock_hz", &file.clock_hz)?;
        let most = file.max_clock_hz.as_ref();
        most.map_or(Ok(()), |hz| self.clock("max_clock_hz", hz))?;
        self.at_most(&file.memory, "memories")?;
        self.at_most(&file.peripheral, "peripherals")?;
        let memories = self.memories(&file, core.core().architecture())?;
        let clocks = self.clocks(&file.peripheral)?;
        let flash = file
            .flash
            .as_ref()
            .map(|entry| self.flash(entry, &memories))
            .transpose()?;
        let caches = self.caches(&file.cache, &memories)?;
        self.not_behind_both(&file.cache, &caches, flash.as_ref())?;
        self.of_this_architecture(&file, core.core().architecture())?;
        let lines = Lines::of(core.irqs(), file.peripheral.iter().map(Spanned::get_ref));
        let wires = Wires::default();
        let gates = self.gates(&file.peripheral)?;
        let peripherals = file
            .peripheral
            .iter()
            .map(|entry| self.peripheral(entry, &gates, lines, &clocks, &wires));
        let peripherals = peripherals.collect::<Result<Vec<_>, _>>()?;
        self.memories_hide_no_registers(&file, &memories, &peripherals)?;
        self.leaves_reset(&file, &peripherals)?;
        let reaches = self.reaches(&file.reach, &memories, &peripherals)?;
        file.allow
            .iter()
            .try_for_each(|allow| self.fits(allow, allow.get_ref().base, allow.get_ref().size))?;
        let board = Board {
            core,
            name: file.name,
            description: file.description,
            clock_hz: file.clock_hz.into_inner(),
            max_clock_hz: file.max_clock_hz.map(Spanned::into_inner),
            memory_from_elf: file.memory_from_elf,
            blocks: file.block,
            reserved_faults: file.reserved_faults,
            memories,
            flash,
            caches,
            peripherals,
            reaches,
            plic_sources: lines.sources(),
            allow: file
                .allow
                .into_iter()
                .map(Spanned::into_inner)
                .collect::<Vec<Allow>>(),
            svd: None,
            stubs: Vec::new(),
            irq_names: file.interrupts.map_or(Vec::new(), |interrupts| interrupts.names),
            on_reset: crate::OnReset::default(),
        };
        self.describe(board, file.svd.as_ref(), &file.stub)
    }

    /// Checks the core's options and builds the core.
    fn core(&self, file: &BoardFile) -> Result<Chosen, BoardError> {
        match self.known(&file.core)? {
            Core::CortexM(kind) => self.cortex_m(file, kind).map(Chosen::CortexM),
            Core::Rv32(core) => self.rv32(file, core).map(Chosen::Rv32),
        }
    }

    /// The core with this name, if there is one.
    pub(super) fn known(&self, name: &Spanned<String>) -> Result<Core, BoardError> {
        Core::named(name.get_ref()).map_or_else(
            || {
                let known: Vec<_> = Core::all().map(Core::name).collect();
                let meant = RequestedChip::by_name(name.get_ref()).and_then(|meant| meant.core_in_words());
                let meant = meant.map_or(String::new(), |meant| format!("{meant}; "));
                self.wrong(name, &format!("{meant}the cores are {}", known.join(", ")))
            },
            Ok,
        )
    }

    pub(super) fn clock(&self, key: &str, hz: &Spanned<u32>) -> Result<(), BoardError> {
        if *hz.get_ref() == 0 {
            return self.wrong(hz, &format!("`{key}` must not be 0"));
        }
        Ok(())
    }

    fn at_most<T>(&self, entries: &[Spanned<T>], what: &str) -> Result<(), BoardError> {
        entries.get(MOST).map_or(Ok(()), |entry| {
            self.wrong(entry, &format!("a board has at most {MOST} {what}"))
        })
    }

    fn clocks(&self, peripherals: &[Spanned<PeripheralEntry>]) -> Result<ClockNames, BoardError> {
        let mut names = ClockNames::default();
        for entry in peripherals {
            let clocks = entry.get_ref().settings.clocks();
            let mut added = clocks.into_iter().map(|name| names.add(name));
            added
                .try_for_each(|added| added)
                .or_else(|message| self.wrong(entry, &message))?;
        }
        Ok(names)
    }

    /// The devices that gate clocks or hold resets, with their blocks' names.
    fn gates<'a>(
        &self,
        peripherals: &'a [Spanned<PeripheralEntry>],
    ) -> Result<Vec<(&'a str, Gate<'a>)>, BoardError> {
        let mut all = Vec::new();
        for entry in peripherals {
            let names = || peripherals.iter().map(|other| other.get_ref().name.as_str());
            for gate in entry.get_ref().settings.gates() {
                if !names().any(|name| name == gate.peripheral) {
                    let hint = did_you_mean(&nearest(gate.peripheral, names(), 1));
                    let message = format!(
                        "`{}`: no peripheral is called `{}`",
                        entry.get_ref().name,
                        gate.peripheral
                    );
                    return Err(self.error(entry, message, hint));
                }
                all.push((entry.get_ref().name.as_str(), gate));
            }
        }
        Ok(all)
    }

    /// Refuses devices that need another architecture.
    fn of_this_architecture(&self, file: &BoardFile, architecture: Architecture) -> Result<(), BoardError> {
        for entry in &file.peripheral {
            let of = entry.get_ref().settings.architecture().unwrap_or(architecture);
            if of != architecture {
                let (name, of) = (&entry.get_ref().name, of.name());
                let message = format!("`{name}`: only {of} cores have such a device");
                return self.wrong(entry, &message);
            }
        }
        Ok(())
    }

    fn peripheral(
        &self,
        entry: &Spanned<PeripheralEntry>,
        gates: &[(&str, Gate<'_>)],
        lines: Lines,
        clocks: &ClockNames,
        wires: &Wires,
    ) -> Result<Peripheral, BoardError> {
        let peripheral = entry.get_ref();
        let size = peripheral.size.unwrap_or(PERIPHERAL_SIZE);
        self.fits(entry, peripheral.base, size)?;
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
            evidence: Evidence::Unstated,
        };
        let wrong = |message| self.error(entry, format!("`{}`: {message}", peripheral.name), None);
        let irq = peripheral.irq.map(|number| lines.irq(number));
        let irq = irq.transpose().map_err(wrong)?;
        let around = Around {
            name: &peripheral.name,
            files: self.files,
            folder: Path::new(self.file).parent().unwrap_or(Path::new("")),
            irq,
            base: peripheral.base,
            size,
            clocks,
            wires,
        };
        let mut device = peripheral.settings.device(&around).map_err(wrong)?;
        device.set_name(&peripheral.name);
        let device = if peripheral.atomic {
            Atomic::over(device)
        } else {
            device
        };
        let device = gated(device, &peripheral.name, gates, wires);
        Ok(Peripheral { region, device, irq })
    }

    /// Checks that the reset states of the devices are consistent, above all clock and flash wait states.
    fn leaves_reset(&self, file: &BoardFile, peripherals: &[Peripheral]) -> Result<(), BoardError> {
        let mut bus = Bus::new();
        bus.set(Effect::Clock(ClockId::CORE, *file.clock_hz.get_ref()));
        for (entry, peripheral) in file.peripheral.iter().zip(peripherals) {
            let added = bus.try_add_device(peripheral.region.clone(), peripheral.device.clone());
            let (name, what) = match added {
                Ok(()) => continue,
                Err(BusError::NotModelled { region, what, .. }) => (region, what),
                Err(_) => (
                    Arc::clone(&peripheral.region.name),
                    "it answers with a bus error".into(),
                ),
            };
            let mut entries = file.peripheral.iter();
            let refusing = entries
                .find(|entry| entry.get_ref().name == *name)
                .unwrap_or(entry);
            let message = format!("`{name}`: {CANNOT_LEAVE_RESET}: {what}");
            let hint = "the values after reset, of all registers, belong together".to_owned();
            return Err(self.error(refusing, message, Some(hint)));
        }
        Ok(())
    }

    pub(super) fn fits<T>(&self, place: &Spanned<T>, base: u32, size: u32) -> Result<(), BoardError> {
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

/// Wraps the device in the gates that switch its clock or hold its reset, if the board names them.
fn gated(device: Box<dyn Device>, name: &str, gates: &[(&str, Gate<'_>)], wires: &Wires) -> Box<dyn Device> {
    let of_it = gates.iter().filter(|(_, gate)| gate.peripheral == name);
    let guards = of_it.map(|(by, gate)| Guard::new(by, gate, wires));
    Gated::over(device, name, guards.collect())
}
