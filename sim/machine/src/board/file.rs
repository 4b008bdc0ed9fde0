//! The format of board files: see `boards/*.toml`.

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
    /// Cortex-M only.
    pub(super) revision: Option<Spanned<String>>,
    pub(super) clock_hz: Spanned<u32>,
    /// The highest core clock by the chip's datasheet.
    pub(super) max_clock_hz: Option<Spanned<u32>>,
    /// Cortex-M only.
    pub(super) priority_bits: Option<Spanned<u8>>,
    /// The first instruction's address on an RV32 core; by default, the program's entry point.
    pub(super) reset: Option<Spanned<u32>>,
    /// The regions that an RV32 core's data cache bypasses, by the upper four address bits; by default, those of the core's own package.
    pub(super) uncached: Option<Spanned<Vec<u8>>>,
    #[serde(default)]
    pub(super) mpu_regions: Spanned0,
    #[serde(default)]
    pub(super) bit_band: bool,
    /// Optional on ARMv6-M, always present on ARMv7-M.
    pub(super) vtor: Option<Spanned<bool>>,
    pub(super) systick: Option<Spanned<bool>>,
    pub(super) unprivileged: Option<Spanned<bool>>,
    /// Whether an ARMv6-M core has the 32-cycle multiplier.
    pub(super) slow_multiplier: Option<Spanned<bool>>,
    pub(super) unbuffered_writes: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) systick_reference_divider: u32,
    #[serde(default)]
    pub(super) systick_calibration: u32,
    /// The reset value of VTOR: the address of the first vector table.
    #[serde(default)]
    pub(super) vector_table: u32,
    #[serde(default)]
    pub(super) memory_from_elf: bool,
    #[serde(default)]
    pub(super) block: Vec<BlockEntry>,
    #[serde(default)]
    pub(super) memory: Vec<Spanned<MemoryEntry>>,
    pub(super) flash: Option<Spanned<super::flash::FlashEntry>>,
    /// RV32 only.
    #[serde(default)]
    pub(super) cache: Vec<Spanned<CacheEntry>>,
    /// Parsed separately ([`PeripheralEntry`]), because each kind has its own keys.
    #[serde(default, rename = "peripheral")]
    _peripheral: IgnoredAny,
    /// The keys that the file contains.
    #[serde(skip)]
    pub(super) keys: Vec<Spanned<String>>,
    #[serde(skip)]
    pub(super) peripheral: Vec<Spanned<PeripheralEntry>>,
    #[serde(default)]
    pub(super) reach: Vec<Spanned<ReachEntry>>,
    #[serde(default)]
    pub(super) allow: Vec<Spanned<Allow>>,
    /// Whether a Cortex-M's accesses to undescribed addresses are bus faults, as on the chip.
    #[serde(default)]
    pub(super) reserved_faults: bool,
    /// The SVD file, by its path relative to this file.
    pub(super) svd: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) stub: Vec<Spanned<StubEntry>>,
    /// Required for a Cortex-M, and only there.
    pub(super) interrupts: Option<Interrupts>,
}

/// Parses the TOML of a board file only; files are long and read at each start.
pub(super) fn table<'a>(file: &str, text: &'a str) -> Result<Spanned<DeTable<'a>>, BoardError> {
    DeTable::parse(text).map_err(|error| BoardError::from_toml(file, text, &error))
}

impl BoardFile {
    /// Deserialises the board file from its table; `file` is its name in messages.
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

/// 0 or 8; a type of its own because `Spanned` has no default.
pub(super) type Spanned0 = Option<Spanned<u8>>;

/// A memory, or an alias of one.
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
    /// The name of a ROM's initial contents.
    pub(super) contents: Option<Spanned<String>>,
    /// Whether a flash controller on the board can program a ROM.
    #[serde(default)]
    pub(super) programmable: bool,
    /// Whether it is on a Cortex-M0+'s single-cycle I/O port instead of the bus.
    #[serde(default)]
    pub(super) io_port: bool,
    /// The evidence for `wait` and the flash interface.
    pub(super) evidence: Option<MemoryEvidence>,
}

/// The evidence for a memory's timing, by its mark in the glossary.
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

/// Whether programs can write a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// Read-only: flash or ROM. A write is a bus fault.
    Rom,
    /// Readable and writable.
    Ram,
}

/// Wait states: core cycles beyond the one that every access takes.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    pub(super) fetch: u8,
    pub(super) read: u8,
    pub(super) write: u8,
    /// Arbitration cycles of a Cortex-M's access if the memory was idle in the cycle before.
    #[serde(default)]
    pub(super) grant: u8,
    /// Cycles before each further word of a burst read, by an RV32 core's cache or an L2.
    #[serde(default)]
    pub(super) beat: u8,
    /// Cycles before each further word of a burst write, by which an L2 writes back a line.
    #[serde(default)]
    pub(super) write_beat: u8,
}

/// A block of the chip that is not modelled and only has a name.
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

/// Parses bytes as a number, or as text with a unit: `"128K"`, `"4M"`.
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

/// Parses bytes, with their place in the file.
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
