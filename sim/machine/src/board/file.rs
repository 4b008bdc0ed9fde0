//! A board file as it is written: see `boards/*.toml`.

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::Allow;
use super::cache::CacheEntry;
use crate::devices::{ClockEntry, FlashEntry, Register, ShowEntry, VoltageEntry};

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
    #[serde(default)]
    pub(super) peripheral: Vec<Spanned<PeripheralEntry>>,
    #[serde(default)]
    pub(super) allow: Vec<Spanned<Allow>>,
    /// Of a Cortex-M, which must have it.
    pub(super) interrupts: Option<Interrupts>,
}

/// 0 or 8; its own type only because `Spanned` has no default.
pub(super) type Spanned0 = Option<Spanned<u8>>;

/// A memory, or another address of one.
#[derive(Deserialize)]
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
    /// Behind the single-cycle I/O port of a Cortex-M0+, in place of a slave of the bus.
    #[serde(default)]
    pub(super) io_port: bool,
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
    /// Cycles behind a write in which nothing else is taken.
    #[serde(default)]
    pub(super) turn_around: u8,
    /// Cycles before each further word of a burst that is read, for an RV32 core's cache or an L2.
    #[serde(default)]
    pub(super) beat: u8,
    /// The same of a burst that is written, as an L2 writes a line back.
    #[serde(default)]
    pub(super) write_beat: u8,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeripheralEntry {
    pub(super) name: String,
    pub(super) kind: PeripheralKind,
    pub(super) base: u32,
    #[serde(default, deserialize_with = "optional_size")]
    pub(super) size: Option<u32>,
    pub(super) irq: Option<u16>,
    #[serde(default)]
    pub(super) wait: Wait,
    #[serde(default)]
    pub(super) slave: u8,
    /// The clock that it counts in, for a timer or UART of the chip.
    pub(super) clock: Option<String>,
    /// The frequency that it counts at, in place of a clock.
    pub(super) hz: Option<u32>,
    /// Bits per second of a UART whose rate no program can set.
    pub(super) baud: Option<u32>,
    /// A PLIC's sources, from 1 on.
    pub(super) sources: Option<u16>,
    /// A PLIC interrupts supervisor mode too.
    #[serde(default)]
    pub(super) supervisor: bool,
    /// A timer's counter.
    pub(super) bits: Option<u8>,
    /// A timer's compare channels.
    #[serde(default)]
    pub(super) io_port: bool,
    #[serde(default)]
    pub(super) channels: u8,
    /// A GPIO port's MODER, OSPEEDR and PUPDR after reset.
    #[serde(default)]
    pub(super) reset: [u32; 3],
    #[serde(default)]
    pub(super) registers: Vec<Register>,
    /// In which sizes these may be accessed, in bytes; only as words, if the manual says no more.
    pub(super) access: Option<Vec<u8>>,
    #[serde(default)]
    pub(super) shows: Vec<ShowEntry>,
    #[serde(default)]
    pub(super) clocks: Vec<ClockEntry>,
    pub(super) flash: Option<FlashEntry>,
    pub(super) voltage: Option<VoltageEntry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PeripheralKind {
    Pl011,
    CmsdkUart,
    Registers,
    RtlPorts,
    /// `SiFive`'s core-local interrupter.
    Clint,
    /// The platform-level interrupt controller, where the lines of the board's other peripherals then end.
    Plic,
    Ns16550,
    LitexCtrl,
    LitexTimer,
    LitexUart,
    /// Of 32 pins; its `irq` is that of the first.
    Fe310Gpio,
    Fe310Rtc,
    Fe310Uart,
    /// The test finisher of QEMU's `virt`.
    TestFinisher,
    /// A port without BRR: STM32F4.
    Stm32Gpio,
    /// A port with BRR: STM32L4, G4.
    Stm32GpioBrr,
    Stm32Timer,
    /// SR and DR: STM32F4.
    Stm32Usart,
    /// ISR and TDR: STM32L4.
    Stm32UsartIsr,
    /// The same with FIFO and prescaler: STM32G4.
    Stm32UsartFifo,
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

fn parse_size(text: &str) -> Option<u32> {
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
