//! The flash interface of a board: see `docs/flash.md`.

use bus::{CacheShape, FlashSettings, FlashShape, Replacement, SharedCacheShape};
use serde::Deserialize;
use toml::Spanned;

use super::check::Checker;
use super::{BoardError, Memory, MemoryKind};
use crate::nearest::{did_you_mean, nearest};

/// `[flash]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlashEntry {
    /// The memory behind the interface.
    memory: Spanned<String>,
    /// Bits that the array returns per access.
    line_bits: Spanned<u32>,
    #[serde(default)]
    prefetch: bool,
    instruction_cache: Option<Spanned<CacheEntry>>,
    data_cache: Option<Spanned<CacheEntry>>,
    /// Whether the last data line read is buffered, even without a cache.
    #[serde(default)]
    data_buffer: bool,
    /// Whether fetches and data reads share one bus and one line buffer.
    #[serde(default)]
    shared: bool,
    /// A cache for both fetches and data.
    cache: Option<Spanned<SharedCacheEntry>>,
    /// The settings before the program changes them, on a board that does not begin at the chip's reset.
    settings: Option<Spanned<SettingsEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheEntry {
    lines: u32,
    line_bits: u32,
    ways: u32,
    replacement: ReplacementEntry,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedCacheEntry {
    lines: u32,
    line_bits: u32,
    ways: u32,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ReplacementEntry {
    Lru,
    Fifo,
}

impl ReplacementEntry {
    pub(super) fn replacement(self) -> Replacement {
        match self {
            ReplacementEntry::Lru => Replacement::Lru,
            ReplacementEntry::Fifo => Replacement::Fifo,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // as bus::FlashSettings
struct SettingsEntry {
    latency: u8,
    #[serde(default)]
    prefetch: bool,
    #[serde(default)]
    instruction_cache: bool,
    #[serde(default)]
    data_cache: bool,
}

/// The flash interface of a board.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) shape: FlashShape,
    pub(super) settings: Option<FlashSettings>,
}

/// The most wait states: the limit of any chip's register field.
const MOST_LATENCY: u8 = 15;

impl Checker<'_> {
    pub(super) fn flash(
        &self,
        entry: &Spanned<FlashEntry>,
        memories: &[Memory],
    ) -> Result<Interface, BoardError> {
        let flash = entry.get_ref();
        let ranges = self.flash_ranges(&flash.memory, memories)?;
        let bits = *flash.line_bits.get_ref();
        if !bits.is_power_of_two() || !(32..=1024).contains(&bits) {
            return self.wrong(
                &flash.line_bits,
                "a line of the flash has 32, 64, 128, … 1024 bits",
            );
        }
        if ranges
            .iter()
            .any(|(base, size)| !(base | size).is_multiple_of(bits / 8))
        {
            return self.wrong(&flash.line_bits, "the memory does not consist of whole lines");
        }
        let cache = |cache: &Option<Spanned<CacheEntry>>| {
            let cache = cache.as_ref().map(|cache| self.cache(cache, bits));
            cache.transpose()
        };
        let hides = flash.prefetch || flash.data_buffer || flash.instruction_cache.is_some();
        if flash.shared && (hides || flash.data_cache.is_some()) {
            return self.wrong(
                entry,
                "a flash that is `shared` has one line for fetches and data, and no prefetch, data buffer, or cache of one of them",
            );
        }
        let shape = FlashShape {
            line: bits / 8,
            prefetches: flash.prefetch,
            instruction_cache: cache(&flash.instruction_cache)?,
            data_cache: cache(&flash.data_cache)?,
            data_buffer: flash.data_buffer,
            shared: flash.shared,
            shared_cache: self.shared_cache(flash)?,
        };
        let settings = flash
            .settings
            .as_ref()
            .map(|settings| self.settings(settings, &shape));
        Ok(Interface {
            ranges,
            settings: settings.transpose()?,
            shape,
        })
    }

    /// The address ranges of the memory, aliases included.
    fn flash_ranges(
        &self,
        name: &Spanned<String>,
        memories: &[Memory],
    ) -> Result<Vec<(u32, u32)>, BoardError> {
        let Some(memory) = memories.iter().find(|memory| memory.name == *name.get_ref()) else {
            let names = memories.iter().map(|memory| memory.name.as_str());
            let hint = did_you_mean(&nearest(name.get_ref(), names, 1));
            return Err(self.error(name, format!("there is no memory `{}`", name.get_ref()), hint));
        };
        if memory.kind != MemoryKind::Rom || memory.alias_of.is_some() {
            return self.wrong(name, "the memory behind a flash interface is a rom, and no alias");
        }
        if memory.wait.fetch != 0 || memory.wait.read != 0 {
            return self.wrong(
                name,
                "this memory has wait states of its own, but a flash interface decides those of the memory behind it",
            );
        }
        let shown = |other: &&Memory| other.base == memory.base || other.alias_of == Some(memory.base);
        let shown = memories.iter().filter(shown);
        Ok(shown.map(|memory| (memory.base, memory.size)).collect())
    }

    fn cache(&self, entry: &Spanned<CacheEntry>, array_bits: u32) -> Result<CacheShape, BoardError> {
        let cache = entry.get_ref();
        let sectors = cache.line_bits / array_bits;
        if !sectors.is_power_of_two() || sectors > 32 || !cache.line_bits.is_multiple_of(array_bits) {
            return self.wrong(entry, "a line of a cache holds 1, 2, 4, … 32 lines of the flash");
        }
        if cache.ways == 0 || !cache.lines.is_multiple_of(cache.ways) || !(1..=1 << 16).contains(&cache.lines)
        {
            return self.wrong(
                entry,
                "a cache has 1 to 65536 lines, a whole number for each of its ways",
            );
        }
        Ok(CacheShape {
            lines: cache.lines,
            ways: cache.ways,
            line: cache.line_bits / 8,
            replacement: cache.replacement.replacement(),
        })
    }

    fn shared_cache(&self, flash: &FlashEntry) -> Result<Option<SharedCacheShape>, BoardError> {
        let Some(entry) = &flash.cache else {
            return Ok(None);
        };
        let cache = *entry.get_ref();
        if !flash.shared {
            return self.wrong(
                entry,
                "a `cache` of both stands before a flash that is `shared`; others have an `instruction_cache` and a `data_cache`",
            );
        }
        let sets = cache.lines.checked_div(cache.ways).unwrap_or(0);
        let whole = sets.is_power_of_two() && sets * cache.ways == cache.lines && sets <= 1 << 14;
        let line = cache.line_bits.is_power_of_two() && (32..=1024).contains(&cache.line_bits);
        if !whole || !line || !matches!(cache.ways, 2 | 4) {
            return self.wrong(
                entry,
                "a cache of both has 2 or 4 ways, a power of two of lines in each, and 32, 64, … 1024 bits in a line",
            );
        }
        Ok(Some(SharedCacheShape {
            lines: cache.lines,
            ways: cache.ways,
            line: cache.line_bits / 8,
        }))
    }

    fn settings(
        &self,
        entry: &Spanned<SettingsEntry>,
        shape: &FlashShape,
    ) -> Result<FlashSettings, BoardError> {
        let settings = entry.get_ref();
        if settings.latency > MOST_LATENCY {
            return self.wrong(entry, "a flash has 0 to 15 wait states");
        }
        let lacks = [
            (settings.prefetch && !shape.prefetches, "prefetch buffer"),
            (
                settings.instruction_cache && shape.instruction_cache.is_none(),
                "instruction cache",
            ),
            (settings.data_cache && shape.data_cache.is_none(), "data cache"),
        ];
        if let Some((_, what)) = lacks.iter().find(|(lacks, _)| *lacks) {
            return self.wrong(entry, &format!("this flash interface has no {what} to switch on"));
        }
        Ok(FlashSettings {
            latency: settings.latency,
            prefetch: settings.prefetch,
            instruction_cache: settings.instruction_cache,
            data_cache: settings.data_cache,
            ..FlashSettings::default()
        })
    }
}
