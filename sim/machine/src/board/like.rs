//! A board like another one: with another core, or memories of other wait states; or one that begins elsewhere than at the
//! chip's reset, with the registers as some start-up code leaves them, for programs that bring none.

use serde::Deserialize;
use toml::Spanned;

use super::check::Checker;
use super::file::{BoardFile, MemoryEntry, PeripheralEntry, Wait};
use super::{BUILT_IN, Board, BoardError, unknown};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LikeFile {
    /// A built-in board.
    like: Spanned<String>,
    name: String,
    description: String,
    clock_hz: Option<Spanned<u32>>,
    core: Option<Spanned<String>>,
    /// Memories of the other board that are slower or faster on this one.
    #[serde(default)]
    memory: Vec<Spanned<SpeedEntry>>,
    /// What stands in registers at the start, in place of their reset values.
    #[serde(default)]
    start: Vec<Spanned<StartEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpeedEntry {
    name: String,
    wait: Wait,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartEntry {
    peripheral: String,
    register: String,
    value: u32,
}

/// Whether a board file describes its board as being like another.
pub(super) fn is_like(text: &str) -> bool {
    let table: Result<toml::Table, _> = text.parse();
    table.is_ok_and(|table| table.contains_key("like"))
}

/// The text of such a file; `file` is its name for messages.
pub(super) fn board(file: &str, text: &str) -> Result<Board, BoardError> {
    let like: LikeFile = toml::from_str(text).map_err(|error| BoardError::from_toml(file, text, &error))?;
    let name = like.like.get_ref();
    let (_, base) = *BUILT_IN
        .iter()
        .find(|(known, text)| known == name && !is_like(text))
        .ok_or_else(|| unknown(name))?;
    let place = format!("{name}.toml");
    let mut board: BoardFile =
        toml::from_str(base).map_err(|error| BoardError::from_toml(&place, base, &error))?;
    let checker = Checker { file, text };
    for entry in &like.start {
        checker.start(entry, &mut board.peripheral)?;
    }
    for entry in &like.memory {
        checker.speed(entry, &mut board.memory)?;
    }
    if let Some(core) = like.core {
        checker.known(&core)?;
        board.core = core;
    }
    (board.name, board.description) = (like.name, like.description);
    board.clock_hz = like.clock_hz.unwrap_or(board.clock_hz);
    Checker {
        file: &place,
        text: base,
    }
    .board(board)
}

impl Checker<'_> {
    fn speed(
        &self,
        entry: &Spanned<SpeedEntry>,
        memories: &mut [Spanned<MemoryEntry>],
    ) -> Result<(), BoardError> {
        let speed = entry.get_ref();
        let mut memories = memories.iter_mut().map(Spanned::get_mut);
        let Some(memory) = memories.find(|memory| memory.name == speed.name) else {
            return self.wrong(entry, &format!("there is no memory `{}`", speed.name));
        };
        memory.wait = Some(speed.wait);
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
        let mut registers = peripheral.registers.iter_mut();
        let Some(register) = registers.find(|register| register.name == start.register) else {
            let (peripheral, register) = (&start.peripheral, &start.register);
            return self.wrong(entry, &format!("`{peripheral}` lists no register `{register}`"));
        };
        register.reset = start.value;
        Ok(())
    }
}
