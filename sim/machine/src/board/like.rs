//! A board derived from another one (`like`). It may have another core, other sizes and wait states of memories, other caches, or its own
//! peripherals. Or it begins after some start-up code, with the registers as that leaves them, for programs that bring none.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use toml::de::DeTable;

use super::cache::CacheEntry;
use super::check::memory::overlapped;
use super::check::{CANNOT_LEAVE_RESET, Checker};
use super::file::{BoardFile, MemoryEntry, MemoryEvidence, Wait, optional_size};
use super::peripheral::{self, PeripheralEntry};
use super::reach::ReachEntry;
use super::{Allow, Board, BoardError, Core, Memory, MemoryKind, StubEntry, built_in};
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LikeFile {
    /// The name of a built-in board.
    like: Spanned<String>,
    name: String,
    /// By default, that of the base board.
    description: Option<String>,
    clock_hz: Option<Spanned<u32>>,
    max_clock_hz: Option<Spanned<u32>>,
    core: Option<Spanned<String>>,
    /// The reset value of a Cortex-M's vector table address, or an RV32 core's reset address.
    vector_table: Option<Spanned<u32>>,
    reset: Option<Spanned<u32>>,
    /// Changed speeds or sizes of the base board's memories; with a `base`, additional memories.
    #[serde(default)]
    memory: Vec<Spanned<ChangeEntry>>,
    /// Caches, replacing those of the base board.
    cache: Option<Vec<Spanned<CacheEntry>>>,
    /// Register values at the start, replacing reset values.
    #[serde(default)]
    start: Vec<Spanned<StartEntry>>,
    /// Parsed separately, as in [`BoardFile`].
    #[serde(default, rename = "peripheral")]
    _peripheral: IgnoredAny,
    /// Peripherals that replace those with the same names, and additional ones. A second peripheral at the same address handles accesses
    /// that the first does not model.
    #[serde(skip)]
    peripheral: Vec<Spanned<PeripheralEntry>>,
    /// The reach of masters, replacing the base board's entries for the same ports.
    #[serde(default)]
    reach: Vec<Spanned<ReachEntry>>,
    /// Ranges that a program may access although neither board describes them.
    #[serde(default)]
    allow: Vec<Spanned<Allow>>,
    /// The SVD file, and the registers stubbed by it.
    svd: Option<Spanned<String>>,
    #[serde(default)]
    stub: Vec<Spanned<StubEntry>>,
}

impl LikeFile {
    fn read(file: &str, text: &str, mut table: Spanned<DeTable<'_>>) -> Result<LikeFile, BoardError> {
        let wrong = |error| BoardError::from_toml(file, text, &error);
        let listed = table.get_mut().remove("peripheral");
        let mut like = LikeFile::deserialize(toml::Deserializer::from(table)).map_err(wrong)?;
        like.peripheral = listed.map_or(Ok(Vec::new()), |listed| peripheral::entries(file, text, listed))?;
        Ok(like)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeEntry {
    name: String,
    #[serde(default, deserialize_with = "optional_size")]
    size: Option<u32>,
    wait: Option<Wait>,
    evidence: Option<MemoryEvidence>,
    /// For an additional memory, with the next two keys.
    base: Option<u32>,
    kind: Option<MemoryKind>,
    slave: Option<u8>,
    /// For an additional alias of another memory, with `base` alone.
    alias_of: Option<Spanned<String>>,
}

impl ChangeEntry {
    /// The additional memory, unless this entry changes an existing one.
    fn further(&self) -> Option<MemoryEntry> {
        Some(MemoryEntry {
            name: self.name.clone(),
            base: self.base?,
            kind: self.kind,
            size: self.size,
            wait: self.wait,
            slave: self.slave,
            alias_of: self.alias_of.clone(),
            contents: None,
            programmable: false,
            io_port: false,
            evidence: self.evidence,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartEntry {
    peripheral: String,
    register: String,
    value: u32,
}

/// Whether a board file derives its board from another one.
pub(super) fn is_like(table: &Spanned<DeTable<'_>>) -> bool {
    table.get_ref().contains_key("like")
}

/// The error for a `like` that names no built-in board.
fn not_built_in(checker: &Checker<'_>, like: &Spanned<String>) -> BoardError {
    let error = BoardError::unknown(like.get_ref());
    let is_file = like.get_ref().contains(['/', '\\']) || Path::new(like.get_ref()).extension().is_some();
    let (message, hint) = if is_file {
        let message = format!("`{}` is a file; a board is like a built-in one", like.get_ref());
        let hint = "copy the file and change the copy; `cyclescope list boards` lists the built-in ones";
        (message, Some(hint.to_owned()))
    } else {
        (error.to_string(), error.hint_of_built_in())
    };
    checker.error(like, message, hint)
}

/// Builds the derived board; `file` is the file's name in messages.
pub(super) fn board(checker: Checker<'_>, table: Spanned<DeTable<'_>>) -> Result<Board, BoardError> {
    let Checker { file, text, .. } = checker;
    let mut like = LikeFile::read(file, text, table)?;
    let (name, base) = built_in(like.like.get_ref()).ok_or_else(|| not_built_in(&checker, &like.like))?;
    // Peripherals name files relative to this file.
    let place = Path::new(file).with_file_name(format!("{name}.toml"));
    let place = place.display().to_string();
    let base_table = super::file::table(&place, base)?;
    if is_like(&base_table) {
        let of = LikeFile::read(&place, base, base_table)?;
        let of = of.like.get_ref();
        let message = format!("`{name}` is itself like `{of}`, and a board cannot be like such a board");
        let hint = format!(
            "write `like = \"{of}\"`, and what `{name}` has of its own: `cyclescope list boards` shows it"
        );
        return Err(checker.error(&like.like, message, Some(hint)));
    }
    let mut board = BoardFile::read(&place, base, base_table)?;
    for entry in &like.start {
        checker.start(entry, &mut board.peripheral)?;
    }
    let base = Checker {
        file: &place,
        text: base,
        ..checker
    };
    checker.memories_like(&like.memory, &mut board, &base)?;
    let mut own = Vec::new();
    for entry in std::mem::take(&mut like.peripheral) {
        let peripheral = entry.get_ref();
        checker.fits(&entry, peripheral.base, peripheral.size.unwrap_or(1))?;
        own.push(Spanned::new(entry.span(), peripheral.name.clone()));
        board
            .peripheral
            .retain(|known| known.get_ref().name != peripheral.name);
        for reach in &mut board.reach {
            reach.get_mut().forget(&peripheral.name);
        }
        board.reach.retain(|reach| !reach.get_ref().masters.is_empty());
        board.peripheral.push(entry);
    }
    for entry in like.allow.drain(..) {
        checker.fits(&entry, entry.get_ref().base, entry.get_ref().size)?;
        board.allow.push(entry);
    }
    if let Some(core) = &like.core {
        checker.known(core)?;
        board.core = core.clone();
    }
    board.name.clone_from(&like.name);
    board.description = like.description.clone().unwrap_or(board.description);
    checker.clocks_like(&like, &mut board)?;
    checker.starts_like(&like, &mut board)?;
    if like.cache.is_some() {
        board.cache.clear();
    }
    let made = base.board(board);
    let mut board = made.map_err(|error| checker.of_derived(error, &like, &own))?;
    if let Some(caches) = &like.cache {
        checker.own_caches(caches, &mut board)?;
    }
    checker.own_reaches(
        &like.reach,
        &board.memories,
        &board.peripherals,
        &mut board.reaches,
    )?;
    checker.describe(board, like.svd.as_ref(), &like.stub)
}

impl Checker<'_> {
    fn clocks_like(&self, like: &LikeFile, board: &mut BoardFile) -> Result<(), BoardError> {
        if let Some(clock) = &like.clock_hz {
            self.clock("clock_hz", clock)?;
            board.clock_hz.clone_from(clock);
        }
        if let Some(most) = &like.max_clock_hz {
            self.clock("max_clock_hz", most)?;
            board.max_clock_hz = Some(most.clone());
        }
        Ok(())
    }

    /// Applies the start addresses.
    fn starts_like(&self, like: &LikeFile, board: &mut BoardFile) -> Result<(), BoardError> {
        let architecture = Core::named(board.core.get_ref()).map(Core::architecture);
        match (&like.vector_table, &like.reset, architecture) {
            (Some(table), _, Some(Architecture::RiscV)) => {
                self.wrong(table, "`vector_table` is an option of Cortex-M cores only")
            }
            (_, Some(reset), Some(Architecture::Arm)) => {
                self.wrong(reset, "`reset` is an option of RV32 cores only")
            }
            (table, reset, _) => {
                board.vector_table = table
                    .as_ref()
                    .map_or(board.vector_table, |table| *table.get_ref());
                board.reset = reset.clone().or(board.reset.take());
                Ok(())
            }
        }
    }

    /// Changes the base board's memories and adds further ones; `base` checks against the base board's file.
    fn memories_like(
        &self,
        entries: &[Spanned<ChangeEntry>],
        board: &mut BoardFile,
        base: &Checker<'_>,
    ) -> Result<(), BoardError> {
        let is_further = |entry: &&Spanned<ChangeEntry>| entry.get_ref().base.is_some();
        let (further, changed): (Vec<_>, Vec<_>) = entries.iter().partition(is_further);
        for entry in &changed {
            self.change(entry, &mut board.memory)?;
        }
        for entry in &changed {
            self.changed_fits(entry, &board.memory)?;
        }
        let architecture = base.known(&board.core)?.architecture();
        let mut known = base.memories(board, architecture)?;
        for entry in further {
            if let Some(memory) = entry.get_ref().further() {
                known.push(self.further(entry, &memory, &known)?);
                // Masters that reach memories of the base board reach this one too, unless this file overrides that.
                let mut reaches = board.reach.iter_mut().map(Spanned::get_mut);
                reaches
                    .by_ref()
                    .filter(|reach| !reach.memories.is_empty())
                    .for_each(|reach| reach.memories.push(memory.name.clone()));
                board.memory.push(Spanned::new(entry.span(), memory));
            }
        }
        Ok(())
    }

    fn change(
        &self,
        entry: &Spanned<ChangeEntry>,
        memories: &mut [Spanned<MemoryEntry>],
    ) -> Result<(), BoardError> {
        let change = entry.get_ref();
        let names: Vec<_> = memories
            .iter()
            .map(|memory| memory.get_ref().name.clone())
            .collect();
        let mut memories = memories.iter_mut().map(Spanned::get_mut);
        let Some(memory) = memories.find(|memory| memory.name == change.name) else {
            let hint = did_you_mean(&nearest(&change.name, names.iter().map(String::as_str), 1));
            let hint = hint.or_else(|| Some("a further memory has `base`, `size`, `kind` and `wait`".into()));
            return Err(self.error(entry, format!("there is no memory `{}`", change.name), hint));
        };
        if change.kind.is_some() || change.slave.is_some() || change.alias_of.is_some() {
            let message = format!(
                "memory `{}` keeps its bytes, its `kind` and its `slave`",
                memory.name
            );
            let hint = "with a `base`, and another name, it is a further memory".to_owned();
            return Err(self.error(entry, message, Some(hint)));
        }
        memory.wait = change.wait.or(memory.wait);
        memory.size = change.size.or(memory.size);
        memory.evidence = change.evidence.or(memory.evidence);
        Ok(())
    }

    fn further(
        &self,
        entry: &Spanned<ChangeEntry>,
        memory: &MemoryEntry,
        known: &[Memory],
    ) -> Result<Memory, BoardError> {
        let made = self.memory(&Spanned::new(entry.span(), memory.clone()), known)?;
        if known.iter().any(|other| other.name == memory.name) {
            let message = format!(
                "there is a memory `{}`: without `base` this changes it",
                memory.name
            );
            return self.wrong(entry, &message);
        }
        self.fits(entry, made.base, made.size)?;
        self.apart(entry, &made, known)?;
        Ok(made)
    }

    /// Whether a resized memory still ends before the next one.
    fn changed_fits(
        &self,
        entry: &Spanned<ChangeEntry>,
        memories: &[Spanned<MemoryEntry>],
    ) -> Result<(), BoardError> {
        let memories = || memories.iter().map(Spanned::get_ref);
        let named = memories().find(|memory| memory.name == entry.get_ref().name);
        let Some((memory, size)) = named.and_then(|memory| Some((memory, memory.size?))) else {
            return Ok(());
        };
        self.fits(entry, memory.base, size)?;
        let behind = |other: &&MemoryEntry| other.base > memory.base && other.base - memory.base < size;
        match memories().find(behind) {
            Some(other) => self.wrong(
                entry,
                &format!("memory `{}` overlaps memory `{}`", memory.name, other.name),
            ),
            None => Ok(()),
        }
    }

    fn own_caches(&self, caches: &[Spanned<CacheEntry>], board: &mut Board) -> Result<(), BoardError> {
        if let (Some(cache), Core::CortexM(_)) = (caches.first(), board.core()) {
            return Err(self.not_of_a_cortex_m(cache));
        }
        board.caches = self.caches(caches, &board.memories)?;
        Ok(())
    }

    fn start(
        &self,
        entry: &Spanned<StartEntry>,
        peripherals: &mut [Spanned<PeripheralEntry>],
    ) -> Result<(), BoardError> {
        let start = entry.get_ref();
        let mut peripherals = peripherals.iter_mut().map(Spanned::get_mut);
        let Some(peripheral) = peripherals.find(|peripheral| peripheral.name == start.peripheral) else {
            return self.wrong(entry, &format!("there is no peripheral `{}`", start.peripheral));
        };
        let mut registers = peripheral.settings.registers().iter_mut();
        let Some(register) = registers.find(|register| register.name == start.register) else {
            let (peripheral, register) = (&start.peripheral, &start.register);
            return self.wrong(entry, &format!("`{peripheral}` lists no register `{register}`"));
        };
        register.reset = start.value;
        Ok(())
    }

    /// Attributes an error in the derived board. The base board was sound, so an error about a peripheral comes from `start`. Any other,
    /// about the core or the board, must be fixed in this file.
    fn of_derived(&self, error: BoardError, like: &LikeFile, own: &[Spanned<String>]) -> BoardError {
        let BoardError::Wrong { message, hint, .. } = &error else {
            return error;
        };
        let named = |name: &&Spanned<String>| message.starts_with(&format!("`{}`: ", name.get_ref()));
        if let Some(name) = own.iter().find(named) {
            return self.error(name, message.clone(), hint.clone());
        }
        let tells_of = |entry: &&Spanned<ChangeEntry>| {
            message.starts_with(&format!("memory `{}` ", entry.get_ref().name))
        };
        if let Some(entry) = like.memory.iter().find(tells_of) {
            return self.error(entry, message.clone(), hint.clone());
        }
        let overlapped = |name: &&Spanned<String>| message.contains(&overlapped(name.get_ref()));
        if let Some(name) = own.iter().find(overlapped) {
            return self.error(name, message.clone(), hint.clone());
        }
        let begins = |_: &&Spanned<u32>| message.starts_with("the first instruction is");
        if let Some(reset) = like.reset.as_ref().filter(begins) {
            return self.error(reset, message.clone(), hint.clone());
        }
        let start = &like.start;
        let about = |entry: &&Spanned<StartEntry>| {
            let peripheral = &entry.get_ref().peripheral;
            message.starts_with(&format!("`{peripheral}`: "))
        };
        let any = start.last().filter(|_| message.contains(CANNOT_LEAVE_RESET));
        let Some(entry) = start.iter().rfind(about).or(any) else {
            let place = like.core.as_ref().unwrap_or(&like.like);
            let message = format!("{message} (this board is like `{}`)", like.like.get_ref());
            return self.error(place, message, hint.clone());
        };
        let hint = "the registers of `start` are those that start-up code leaves: clocks, and the wait states for them";
        self.error(entry, message.clone(), Some(hint.into()))
    }
}
