//! A board file as it is written: see `boards/*.toml`.

use bus::Evidence;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::DeTable;

use super::cache::CacheEntry;
use super::peripheral::{self, PeripheralEntry};
use super::reach::ReachEntry;
use super::{Allow, BoardError, StubEntry};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoardFile {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) core: Spanned<String>,
    /// Of a Cortex-M.
    pub(super) revision: Option<Spanned<String>>,
    pub(super) clock_hz: Spanned<u32>,
    /// The highest clock that the chip's datasheet allows its core.
    pub(super) max_clock_hz: Option<Spanned<u32>>,
    /// Of a Cortex-M.
    pub(super) priority_bits: Option<Spanned<u8>>,
    /// Address of the first instruction of an RV32 core; without it, the program's entry point.
    pub(super) reset: Option<Spanned<u32>>,
    /// What the data cache of an RV32 core leaves alone, by the upper four bits of its addresses; without it, what that core's
    /// own package says.
    pub(super) uncached: Option<Spanned<Vec<u8>>>,
    #[serde(default)]
    pub(super) mpu_regions: Spanned0,
    #[serde(default)]
    pub(super) bit_band: bool,
    /// What an ARMv6-M core may lack, and ARMv7-M has not to choose.
    pub(super) vtor: Option<Spanned<bool>>,
    pub(super) systick: Option<Spanned<bool>>,
    pub(super) unprivileged: Option<Spanned<bool>>,
    /// The multiplier of an ARMv6-M core that takes 32 cycles.
    pub(super) slow_multiplier: Option<Spanned<bool>>,
    pub(super) unbuffered_writes: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) systick_reference_divider: u32,
    #[serde(default)]
    pub(super) systick_calibration: u32,
    /// Where the core reads its first vector table: the reset value of VTOR.
    #[serde(default)]
    pub(super) vector_table: u32,
    #[serde(default)]
    pub(super) memory_from_elf: bool,
    #[serde(default)]
    pub(super) block: Vec<BlockEntry>,
    #[serde(default)]
    pub(super) memory: Vec<Spanned<MemoryEntry>>,
    pub(super) flash: Option<Spanned<super::flash::FlashEntry>>,
    /// Of an RV32 core.
    #[serde(default)]
    pub(super) cache: Vec<Spanned<CacheEntry>>,
    /// Read apart ([`PeripheralEntry`]), because their keys are not the same.
    #[serde(default, rename = "peripheral")]
    _peripheral: IgnoredAny,
    /// The keys that the file has.
    #[serde(skip)]
    pub(super) keys: Vec<Spanned<String>>,
    #[serde(skip)]
    pub(super) peripheral: Vec<Spanned<PeripheralEntry>>,
    #[serde(default)]
    pub(super) reach: Vec<Spanned<ReachEntry>>,
    #[serde(default)]
    pub(super) allow: Vec<Spanned<Allow>>,
    /// Whether a Cortex-M's accesses to what nothing here names are bus faults, as on the chip.
    #[serde(default)]
    pub(super) reserved_faults: bool,
    /// What the chip's makers say of its registers: a file, by its path from this one.
    pub(super) svd: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) stub: Vec<Spanned<StubEntry>>,
    /// Of a Cortex-M, which must have it.
    pub(super) interrupts: Option<Interrupts>,
}

/// The table that a board file is, before anything of it is looked at: files are long, and read at each start.
pub(super) fn table<'a>(file: &str, text: &'a str) -> Result<Spanned<DeTable<'a>>, BoardError> {
    DeTable::parse(text).map_err(|error| BoardError::from_toml(file, text, &error))
}

impl BoardFile {
    /// What a text says, of which this is the table; `file` is its name for messages.
    pub(super) fn read(
        file: &str,
        text: &str,
        mut table: Spanned<DeTable<'_>>,
    ) -> Result<BoardFile, BoardError> {
        let wrong = |error| BoardError::from_toml(file, text, &error);
        let listed = table.get_mut().remove("peripheral");
        let keys = table.get_ref().keys();
        let keys = keys.map(|key| Spanned::new(key.span(), key.get_ref().to_string()));
        let keys = keys.collect();
        let mut board = BoardFile::deserialize(toml::Deserializer::from(table)).map_err(wrong)?;
        board.keys = keys;
        board.peripheral = listed.map_or(Ok(Vec::new()), |listed| peripheral::entries(file, text, listed))?;
        Ok(board)
    }
}

/// 0 or 8; its own type only because `Spanned` has no default.
pub(super) type Spanned0 = Option<Spanned<u8>>;

/// A memory, or another address of one.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryEntry {
    pub(super) name: String,
    pub(super) base: u32,
    pub(super) kind: Option<MemoryKind>,
    #[serde(default, deserialize_with = "optional_size")]
    pub(super) size: Option<u32>,
    pub(super) wait: Option<Wait>,
    pub(super) slave: Option<u8>,
    pub(super) alias_of: Option<Spanned<String>>,
    /// What a rom holds before a program is loaded, by its name.
    pub(super) contents: Option<Spanned<String>>,
    /// A controller of flash on the board lets a program change a rom.
    #[serde(default)]
    pub(super) programmable: bool,
    /// Behind the single-cycle I/O port of a Cortex-M0+, in place of a slave of the bus.
    #[serde(default)]
    pub(super) io_port: bool,
    /// How well `wait`, and the flash interface before it, are known.
    pub(super) evidence: Option<MemoryEvidence>,
}

/// How well the timing of a memory is known, by its mark in the glossary.
#[derive(Clone, Copy, Deserialize)]
pub(super) enum MemoryEvidence {
    B,
    D,
}

impl From<MemoryEvidence> for Evidence {
    fn from(evidence: MemoryEvidence) -> Evidence {
        match evidence {
            MemoryEvidence::B => Evidence::Documented,
            MemoryEvidence::D => Evidence::Inferred,
        }
    }
}

/// Whether a program can write to a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// It cannot: flash or ROM. A write is a bus fault.
    Rom,
    /// It can.
    Ram,
}

/// Wait states, in core cycles beyond the one that an access always takes.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    pub(super) fetch: u8,
    pub(super) read: u8,
    pub(super) write: u8,
    /// Cycles that a Cortex-M's access waits for the memory if no other one was asked of it in the cycle before.
    #[serde(default)]
    pub(super) grant: u8,
    /// Cycles before each further word of a burst that is read, for an RV32 core's cache or an L2.
    #[serde(default)]
    pub(super) beat: u8,
    /// The same of a burst that is written, as an L2 writes a line back.
    #[serde(default)]
    pub(super) write_beat: u8,
}

/// A block of the chip that is known by name only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockEntry {
    pub(super) name: String,
    pub(super) base: u32,
    #[serde(deserialize_with = "size")]
    pub(super) size: u32,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupts {
    pub(super) count: Spanned<u16>,
    #[serde(default)]
    pub(super) names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Size {
    Bytes(u32),
    Text(String),
}

/// Bytes as a number, or as text with a unit: `"128K"`, `"4M"`.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let size = Size::deserialize(deserializer)?;
    let bytes = match &size {
        Size::Bytes(bytes) => Some(*bytes),
        Size::Text(text) => parse_size(text),
    };
    let wrong = "a size is a number of bytes from 1 on, or text like \"128K\" or \"4M\"";
    bytes
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| serde::de::Error::custom(wrong))
}

/// The same with its place.
pub(super) fn spanned_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Spanned<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Bytes(#[serde(deserialize_with = "size")] u32);
    let bytes = Spanned::<Bytes>::deserialize(deserializer)?;
    let span = bytes.span();
    Ok(Spanned::new(span, bytes.into_inner().0))
}

pub(super) fn optional_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    size(deserializer).map(Some)
}

pub(super) fn parse_size(text: &str) -> Option<u32> {
    let unit = match text.as_bytes().last()? {
        b'K' => 1 << 10,
        b'M' => 1 << 20,
        _ => return None,
    };
    text[..text.len() - 1]
        .trim()
        .parse::<u32>()
        .ok()?
        .checked_mul(unit)
}
