//! A board: core, memories and peripherals, described as data.
//!
//! The built-in boards are the files in `boards/`, compiled in; a user's file has the same format. An access to an address that a board
//! does not describe stops the run. `[[allow]]` in the file, or the caller's [`Allow`], opens a range of addresses; `block` names blocks
//! that exist but are not modelled.
//!
//! # Memory from the ELF file
//!
//! A board with `memory_from_elf = true` has the memory that the program needs:
//!
//! - **ROM** for every range of bytes that is stored but never written while the program runs: code, constants, and the
//!   initial values of data that is copied elsewhere. A range is rounded outward to 1 KiB, unless it would then meet RAM.
//! - **RAM** for every range in which a writable segment runs (.data, .bss, an uninitialised section), and for the word
//!   below the initial stack pointer. Ranges are rounded outward to 64 KiB; two of them less than 16 MiB apart are joined
//!   including the gap, so that a heap or stack between them has memory.
//! - The vector table is where the image has it, by the rule of [`Image::vector_table`]. The core starts from there, and
//!   its VTOR resets to that address.
//!
//! No access has a wait state.
//!
//! # Flash
//!
//! `[flash]` describes the interface to a memory whose array is slower than the core: see `docs/flash.md`. `[[cache]]` is an L2 cache in
//! front of memories of an RV32 core: see `docs/rv32.md`.

mod allow;
mod built_in;
mod cache;
mod check;
mod chosen;
mod error;
mod file;
mod flash;
mod like;
mod memory;
mod new;
mod peripheral;
mod plain;
mod reach;
mod reserved;
mod stub;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bus::{Bus, ClockId, Device, Effect, Irq, Port, Region};
use core_cortex_m::Debugger;
use events::{RuleBook, RuleSet};

pub use allow::Allow;
pub use cache::Cache;
pub use error::BoardError;
pub use file::MemoryKind;
pub use memory::Memory;
pub use new::{MemoryRange, New};
pub use stub::{Described, StubEntry};

pub use crate::cores::Core;
pub use crate::policy::{Policy, Read};

use built_in::BUILT_IN;
use check::Checker;
pub(crate) use check::SYSTEM_SPACE;
pub(crate) use chosen::Chosen;

use crate::devices::Open;
use crate::families::{RequestedChip, nearest_boards};
use crate::host::{self, Files, NoFiles};
use crate::image::Image;
use crate::nearest::{did_you_mean, nearest};
use crate::on_reset::OnReset;
use crate::svd::Svd;

/// A board.
#[derive(Clone, Debug)]
pub struct Board {
    name: String,
    description: String,
    core: Chosen,
    clock_hz: u32,
    max_clock_hz: Option<u32>,
    memory_from_elf: bool,
    blocks: Vec<file::BlockEntry>,
    reserved_faults: bool,
    memories: Vec<Memory>,
    flash: Option<flash::Interface>,
    caches: Vec<Cache>,
    peripherals: Vec<Peripheral>,
    /// The addresses that masters' ports reach.
    reaches: Vec<reach::PortReach>,
    /// Sources of its PLIC; 0 without a PLIC.
    plic_sources: u16,
    allow: Vec<Allow>,
    /// The SVD file of its chip.
    svd: Option<Arc<Svd>>,
    /// Registers of the SVD file that answer although they are not modelled.
    stubs: Vec<stub::Stubbed>,
    irq_names: Vec<String>,
    on_reset: OnReset,
}

/// A peripheral in its reset state.
#[derive(Clone)]
struct Peripheral {
    region: Region,
    device: Box<dyn Device>,
    /// The destination of its interrupt.
    irq: Option<Irq>,
}

impl Board {
    /// Finds a built-in board by its name, or reads a board file of this computer.
    ///
    /// # Errors
    /// The errors of [`Board::find_in`].
    #[cfg(feature = "host")]
    pub fn find(name: &str) -> Result<Board, BoardError> {
        Board::find_in(&crate::host::System, name)
    }

    /// Finds a built-in board by its name, ignoring case, or reads a board file (a path with a `/` or ending in `.toml`).
    ///
    /// # Errors
    /// [`BoardError`] with the boards of similar names, or the place of a mistake in the file.
    pub fn find_in(files: &dyn Files, name: &str) -> Result<Board, BoardError> {
        if name.contains(['/', '\\'])
            || Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "toml")
        {
            let text = host::read_text(files, Path::new(name));
            let text = text.map_err(|error| BoardError::Unreadable {
                file: name.into(),
                error,
            })?;
            return Board::parse_in(files, name, &text);
        }
        Board::built_in(name)
    }

    /// Finds a built-in board by its name, ignoring case.
    ///
    /// # Errors
    /// [`BoardError::Unknown`] with the boards of similar names.
    pub fn built_in(name: &str) -> Result<Board, BoardError> {
        let (name, text) = built_in(name).ok_or_else(|| BoardError::unknown(name))?;
        Board::parse_in(&NoFiles, &format!("{name}.toml"), text)
    }

    /// The names of all built-in boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|&(name, _)| name)
    }

    /// The built-in boards whose own files name this core.
    pub(crate) fn with_core(core: &str) -> impl Iterator<Item = Board> {
        let line = format!("\ncore = \"{core}\"\n");
        let named = BUILT_IN.iter().filter(move |(_, text)| text.contains(&line));
        named.filter_map(|(name, _)| Board::built_in(name).ok())
    }

    /// Parses a board file, with scripts and SVD files of this computer.
    ///
    /// # Errors
    /// The errors of [`Board::parse_in`].
    #[cfg(feature = "host")]
    pub fn parse(file: &str, text: &str) -> Result<Board, BoardError> {
        Board::parse_in(&crate::host::System, file, text)
    }

    /// Parses a board file. `file` is its path: its name in messages, and the place from which it names scripts and SVD files.
    ///
    /// # Errors
    /// [`BoardError::Wrong`] with the line of the mistake.
    pub fn parse_in(files: &dyn Files, file: &str, text: &str) -> Result<Board, BoardError> {
        let table = file::table(file, text)?;
        let checker = Checker { file, text, files };
        if like::is_like(&table) {
            like::board(checker, table)
        } else {
            check::board(&checker, table)
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A description in one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether a device is a script, which may make each cycle slow on the host.
    pub fn has_scripts(&self) -> bool {
        let mut devices = self.peripherals.iter();
        devices.any(|peripheral| peripheral.device.is_slow())
    }

    /// The core.
    pub fn core(&self) -> Core {
        self.core.core()
    }

    /// The evidence for its timing rules on its core's revision.
    pub fn rule_book(&self) -> RuleBook {
        match &self.core {
            Chosen::CortexM(core) => core.kind.rule_book_of(core.revision.name),
            Chosen::Rv32(_) => self.core().rule_book(),
        }
    }

    /// The rules among these that were measured only on other revisions of its core, as text, each with the chips that were measured.
    pub fn beyond(&self, relied: RuleSet) -> Vec<String> {
        match &self.core {
            Chosen::CortexM(core) => core.kind.beyond(relied, core.revision.name),
            Chosen::Rv32(_) => Vec::new(),
        }
    }

    /// Sets how a run continues after a reset of the chip.
    #[must_use]
    pub fn with_resets(self, on_reset: OnReset) -> Board {
        Board { on_reset, ..self }
    }

    /// How a run continues after a reset of the chip.
    pub fn on_reset(&self) -> OnReset {
        self.on_reset
    }

    /// Switches one timing rule off, to see what a figure owes to it.
    ///
    /// # Errors
    /// [`BoardError::NoRule`] or [`BoardError::AlwaysOn`], with the rules that can be switched off.
    pub fn without_rule(mut self, name: &str) -> Result<Board, BoardError> {
        let known = match &self.core {
            Chosen::CortexM(core) => core.switchable(),
            Chosen::Rv32(_) => Vec::new(),
        };
        let rule = known.iter().find(|rule| rule.id() == name);
        let (Some(&rule), Chosen::CortexM(core)) = (rule, &mut self.core) else {
            let core = self.core();
            let (name, core_name) = (name.to_owned(), core.name());
            let known = known.iter().map(|rule| rule.id()).collect();
            return Err(match core.rule_book().named(&name) {
                Some(_) => BoardError::AlwaysOn {
                    name,
                    core: core_name,
                    known,
                },
                None => BoardError::NoRule {
                    name,
                    core: core_name,
                    known,
                },
            });
        };
        core.without_rules.push(rule);
        Ok(self)
    }

    /// The core clock after reset, in Hz.
    pub fn clock_hz(&self) -> u32 {
        self.clock_hz
    }

    /// The highest core clock in Hz by the chip's datasheet; `None` if the board is no chip or its file does not tell.
    pub fn max_clock_hz(&self) -> Option<u32> {
        self.max_clock_hz
    }

    /// A Cortex-M's vector table address after reset; `None` if the core has no such table.
    pub fn vector_table(&self) -> Option<u32> {
        match &self.core {
            Chosen::CortexM(core) => Some(core.vector_table),
            Chosen::Rv32(_) => None,
        }
    }

    /// The reset address of an RV32 core with this program; 0 for another core.
    pub fn reset_address(&self, image: &Image) -> u32 {
        match &self.core {
            Chosen::CortexM(_) => 0,
            Chosen::Rv32(core) => core.reset.unwrap_or(image.entry()),
        }
    }

    /// Whether its core has exception handlers; one without halts at the first exception.
    pub fn has_handlers(&self) -> bool {
        match &self.core {
            Chosen::CortexM(_) => true,
            Chosen::Rv32(core) => !core.config.halts,
        }
    }

    /// Its memories; empty until they are taken from the ELF file.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// Whether a memory is behind a flash interface.
    pub fn has_flash_interface(&self) -> bool {
        self.flash.is_some()
    }

    /// The caches that its core's ports share.
    pub fn caches(&self) -> &[Cache] {
        &self.caches
    }

    /// Whether its memories still have to be taken from the ELF file.
    pub fn takes_memory_from_elf(&self) -> bool {
        self.memory_from_elf
    }

    /// The number of the external interrupt with this name (`EXTI0`).
    pub fn irq(&self, name: &str) -> Option<u16> {
        let found = self
            .irq_names
            .iter()
            .position(|known| !known.is_empty() && known.eq_ignore_ascii_case(name));
        found.and_then(|index| u16::try_from(index).ok())
    }

    /// The interrupt line of the peripheral with this name.
    pub(crate) fn peripheral_irq(&self, name: &str) -> Option<Irq> {
        let mut peripherals = self.peripherals.iter();
        peripherals
            .find(|peripheral| peripheral.region.name.eq_ignore_ascii_case(name))
            .and_then(|peripheral| peripheral.irq)
    }

    /// The board's spelling of a peripheral's name, ignoring case.
    ///
    /// # Errors
    /// That there is no such peripheral, and which ones have similar names.
    pub fn peripheral_name(&self, name: &str) -> Result<&str, (String, Option<String>)> {
        let mut names = self.peripherals.iter().map(|peripheral| &*peripheral.region.name);
        names
            .clone()
            .find(|known| known.eq_ignore_ascii_case(name))
            .ok_or_else(|| {
                let hint = did_you_mean(&nearest(name, names.by_ref(), 2));
                (format!("the board has no peripheral `{name}`"), hint)
            })
    }

    /// Its ports: index among the peripherals, name, and pins at reset.
    pub fn ports(&self) -> impl Iterator<Item = (usize, &str, Port)> {
        let peripherals = self.peripherals.iter().enumerate();
        peripherals.filter_map(|(place, peripheral)| {
            let port = peripheral.device.port()?;
            Some((place, &*peripheral.region.name, port))
        })
    }

    /// Address ranges of devices: first address and size in bytes.
    pub fn device_ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let peripherals = self
            .peripherals
            .iter()
            .filter(|peripheral| peripheral.region.size > 0);
        let peripherals = peripherals.map(|peripheral| {
            let region = &peripheral.region;
            (region.base, region.size)
        });
        let allowed = self.allow.iter().map(|allow| (allow.base, allow.size));
        let blocks = self.blocks.iter().map(|block| (block.base, block.size));
        let stubs = self.stubs.iter().map(|stub| (stub.region.base, stub.region.size));
        peripherals.chain(stubs).chain(allowed).chain(blocks)
    }

    /// The SVD file of its chip, if there is one.
    pub fn svd(&self) -> Option<&Svd> {
        self.svd.as_deref()
    }

    /// Sources of its PLIC, numbered from 1; 0 without a PLIC.
    pub(crate) fn plic_sources(&self) -> u16 {
        self.plic_sources
    }

    /// The names of its external interrupts by number; empty for a reserved one.
    pub fn irq_names(&self) -> &[String] {
        &self.irq_names
    }

    /// The number of the core's external interrupts.
    pub fn irqs(&self) -> u16 {
        self.core.irqs()
    }

    /// The named but unmodelled block at `address`.
    pub fn block_at(&self, address: u32) -> Option<(&str, u32)> {
        let inside = |block: &&file::BlockEntry| address.wrapping_sub(block.base) < block.size;
        self.blocks
            .iter()
            .find(inside)
            .map(|block| (block.name.as_str(), block.base))
    }

    /// The address whose bytes `address` shows: a different one in an alias.
    pub(crate) fn original_address(&self, address: u32) -> u32 {
        let inside = |memory: &&Memory| address.wrapping_sub(memory.base) < memory.size;
        let alias = self
            .memories
            .iter()
            .find(inside)
            .and_then(|memory| Some((memory.base, memory.alias_of?)));
        alias.map_or(address, |(base, original)| original + (address - base))
    }

    /// Whether a peripheral has registers at this address.
    pub(crate) fn is_described(&self, address: u32) -> bool {
        let mut peripherals = self.peripherals.iter();
        peripherals.any(|peripheral| peripheral.region.overlaps(address, 1))
    }

    /// The range to allow so that an access to `address` is answered: its block, or the KiB around it.
    pub(crate) fn range_to_allow(&self, address: u32) -> (u32, u32) {
        let inside = |block: &&file::BlockEntry| address.wrapping_sub(block.base) < block.size;
        let block = self
            .blocks
            .iter()
            .find(inside)
            .map(|block| (block.base, block.size));
        block.unwrap_or((address & !0x3ff, 0x400))
    }

    /// This board with the memory that `image` needs, by the rule in this module's documentation; unchanged if the board has its own
    /// memory. `None` if the image has no vector table.
    pub fn for_image(&self, image: &Image) -> Option<Board> {
        let mut board = self.clone();
        if let Chosen::CortexM(core) = &mut board.core
            && self.memory_from_elf
        {
            let table = image.vector_table()?;
            board.memories = plain::memories(image, table.stack_pointer);
            core.vector_table = table.address;
        }
        Some(board)
    }

    /// The configuration of the board's Cortex-M; `None` for another core.
    pub fn core_config(&self, debugger: Debugger) -> Option<core_cortex_m::Config> {
        match &self.core {
            Chosen::CortexM(core) => Some(core.config(debugger)),
            Chosen::Rv32(_) => None,
        }
    }

    /// Its core with the options of the board file.
    pub(crate) fn chosen(&self) -> &Chosen {
        &self.core
    }

    /// A bus with all devices and empty memories. It allows `allow` besides the board's own ranges.
    pub fn bus(&self, allow: &[Allow]) -> Bus {
        let mut bus = Bus::new();
        bus.set(Effect::Clock(ClockId::CORE, self.clock_hz));
        for memory in &self.memories {
            let region = memory.region();
            bus.add_memory(match memory.kind {
                MemoryKind::Rom if memory.programmable => bus::Memory::rom(region).programmable(),
                MemoryKind::Rom => bus::Memory::rom(region),
                MemoryKind::Ram => bus::Memory::ram(region),
            });
        }
        if let Some(flash) = &self.flash {
            bus.set_flash(bus::Flash::new(flash.ranges.clone(), flash.shape.clone()));
        }
        for cache in &self.caches {
            bus.add_cache(bus::L2::new(cache.shape), &cache.bases);
        }
        for peripheral in &self.peripherals {
            bus.add_device(peripheral.region.clone(), peripheral.device.clone());
        }
        for port in &self.reaches {
            bus.set_reach(&port.master, port.port, port.reach.clone());
        }
        for stub in &self.stubs {
            bus.add_device(stub.region.clone(), Box::new(stub.device.clone()));
        }
        for allow in self.allow.iter().chain(allow) {
            let (base, size, name) = (allow.base, allow.size, allow.name());
            bus.add_device(Region::new(name, base, size), Box::new(Open::new(allow.policy)));
        }
        if let Some(settings) = self.flash.as_ref().and_then(|flash| flash.settings) {
            bus.set(Effect::Flash(settings));
        }
        if self.reserved_faults {
            bus.set_reserved(&reserved::ranges(self, &bus));
        }
        bus
    }

    /// Loads the image into the memories and their aliases.
    ///
    /// # Errors
    /// The address and size of the segment that does not fit.
    pub(crate) fn load(&self, bus: &mut Bus, image: &Image) -> Result<(), (u32, usize)> {
        for memory in &self.memories {
            bus.load(memory.base, memory.contents);
        }
        for segment in image.segments() {
            if !bus.load(segment.address, &segment.bytes) {
                return Err((segment.address, segment.bytes.len()));
            }
        }
        for alias in &self.memories {
            if let Some(base) = alias.alias_of {
                let mut bytes = vec![0; alias.size as usize];
                bus.peek(base, &mut bytes);
                bus.load(alias.base, &bytes);
            }
        }
        Ok(())
    }

    /// Loads the image's bytes in RAM, as the original loader does again after a reset.
    pub(crate) fn load_ram(&self, bus: &mut Bus, image: &Image) {
        let is_ram = |address: u32| {
            let mut rams = self
                .memories
                .iter()
                .filter(|memory| memory.kind == MemoryKind::Ram);
            rams.any(|memory| address.wrapping_sub(memory.base) < memory.size)
        };
        for segment in image.segments().iter().filter(|segment| is_ram(segment.address)) {
            bus.load(segment.address, &segment.bytes);
        }
    }
}

impl BoardError {
    /// The error for an unknown board, with the nearest names.
    fn unknown(name: &str) -> BoardError {
        let meant = RequestedChip::by_name(name);
        let by_core = meant.as_ref().map(|meant| {
            let core = |name| Some((name, Board::built_in(name).ok()?.core()));
            nearest_boards(meant, &Board::names().filter_map(core).collect::<Vec<_>>())
        });
        let near = by_core.unwrap_or_else(|| nearest(name, Board::names(), 2));
        BoardError::Unknown {
            name: name.into(),
            nearest: near.into_iter().map(str::to_owned).collect(),
            core: meant.and_then(|meant| meant.core_in_words()),
        }
    }
}

impl fmt::Debug for Peripheral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peripheral")
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// The name and file of a built-in board.
fn built_in(name: &str) -> Option<(&'static str, &'static str)> {
    let mut all = BUILT_IN.iter().copied();
    all.find(|(known, _)| known.eq_ignore_ascii_case(name))
}
