//! A board's caches that the ports of its core share: see `docs/rv32.md`.

use bus::{L2Shape, L2Wait, Replacement, WritePolicy};
use serde::Deserialize;
use toml::Spanned;

use super::check::Checker;
use super::flash::{Interface, ReplacementEntry};
use super::{BoardError, Memory};
use crate::nearest::{did_you_mean, nearest};

/// `[[cache]]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CacheEntry {
    name: String,
    /// The memories behind it.
    memories: Spanned<Vec<Spanned<String>>>,
    #[serde(deserialize_with = "super::file::spanned_size")]
    size: Spanned<u32>,
    ways: Spanned<u32>,
    /// Line size in bytes.
    line: Spanned<u32>,
    /// Bytes per transfer between cache and memory; by default, a word.
    width: Option<Spanned<u32>>,
    /// Required if there are several ways.
    replacement: Option<ReplacementEntry>,
    write: WriteEntry,
    allocate: AllocateEntry,
    wait: WaitEntry,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WriteEntry {
    Back,
    Through,
}

/// Which accesses allocate a line.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AllocateEntry {
    Read,
    ReadWrite,
}

/// Wait times in core cycles: see [`L2Wait`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitEntry {
    hit: u8,
    beat: u8,
    miss: u8,
    #[serde(default)]
    switch: u8,
}

/// A cache of a board.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Its name on the board.
    pub name: String,
    /// Its size and organisation.
    pub shape: L2Shape,
    /// The addresses of the memories behind it.
    pub bases: Vec<u32>,
}

/// The largest cache in bytes: more than any modelled core has.
const LARGEST: u32 = 16 << 20;

/// The longest line in bytes.
const LONGEST_LINE: u32 = 128;

impl Checker<'_> {
    /// A Cortex-M cannot have such a cache: its bus protocol differs.
    pub(super) fn not_of_a_cortex_m(&self, cache: &Spanned<CacheEntry>) -> BoardError {
        let hint = "the caches in front of a Cortex-M's flash are keys of `[flash]`";
        let message = "`cache` is an option of RV32 cores only".into();
        self.error(cache, message, Some(hint.into()))
    }

    /// Builds a board's caches in front of these memories.
    pub(super) fn caches(
        &self,
        entries: &[Spanned<CacheEntry>],
        memories: &[Memory],
    ) -> Result<Vec<Cache>, BoardError> {
        let mut caches: Vec<Cache> = Vec::new();
        for entry in entries {
            let cache = self.cache_in_front(entry, memories, &caches)?;
            caches.push(cache);
        }
        Ok(caches)
    }

    /// Refuses a cache in front of a flash interface.
    pub(super) fn not_behind_both(
        &self,
        entries: &[Spanned<CacheEntry>],
        caches: &[Cache],
        flash: Option<&Interface>,
    ) -> Result<(), BoardError> {
        let ranges = flash.map_or(&[][..], |flash| &flash.ranges);
        let behind = |cache: &Cache| ranges.iter().any(|(base, _)| cache.bases.contains(base));
        match entries.iter().zip(caches).find(|(_, cache)| behind(cache)) {
            Some((entry, _)) => self.wrong(
                entry,
                "a memory behind a flash interface is behind no cache: the interface has its own",
            ),
            None => Ok(()),
        }
    }

    fn cache_in_front(
        &self,
        entry: &Spanned<CacheEntry>,
        memories: &[Memory],
        others: &[Cache],
    ) -> Result<Cache, BoardError> {
        let cache = entry.get_ref();
        let shape = self.l2(entry)?;
        if cache.memories.get_ref().is_empty() {
            let message = format!("cache `{}` stands in front of no memory", cache.name);
            let hint = "list the names of memories of the board: memories = [\"main RAM\"]";
            return Err(self.error(&cache.memories, message, Some(hint.into())));
        }
        let names = cache.memories.get_ref().iter();
        let bases = names.map(|name| self.behind(cache, name, shape.line, memories, others));
        Ok(Cache {
            name: cache.name.clone(),
            shape,
            bases: bases.collect::<Result<_, _>>()?,
        })
    }

    /// The address of a memory that a cache can front.
    fn behind(
        &self,
        cache: &CacheEntry,
        name: &Spanned<String>,
        line: u32,
        memories: &[Memory],
        others: &[Cache],
    ) -> Result<u32, BoardError> {
        let Some(memory) = memories.iter().find(|memory| memory.name == *name.get_ref()) else {
            let names = memories.iter().map(|memory| memory.name.as_str());
            let hint = did_you_mean(&nearest(name.get_ref(), names, 1));
            return Err(self.error(name, format!("there is no memory `{}`", name.get_ref()), hint));
        };
        if let Some(other) = others.iter().find(|other| other.bases.contains(&memory.base)) {
            let message = format!(
                "memory `{}` is behind cache `{}` already",
                memory.name, other.name
            );
            return Err(self.error(
                name,
                message,
                Some("a memory is behind one cache at the most".into()),
            ));
        }
        if memory.alias_of.is_some() {
            return self.wrong(name, "an alias is behind no cache of its own");
        }
        if !(memory.base | memory.size).is_multiple_of(line) {
            let message = format!(
                "memory `{}` does not consist of whole lines of cache `{}`",
                memory.name, cache.name
            );
            let hint = format!("its `base` and `size` have to be multiples of {line} bytes");
            return Err(self.error(name, message, Some(hint)));
        }
        Ok(memory.base)
    }

    fn l2(&self, entry: &Spanned<CacheEntry>) -> Result<L2Shape, BoardError> {
        let cache = entry.get_ref();
        let (size, ways, line) = (
            *cache.size.get_ref(),
            *cache.ways.get_ref(),
            *cache.line.get_ref(),
        );
        if !line.is_power_of_two() || !(4..=LONGEST_LINE).contains(&line) {
            let message = format!("a line of a cache has 4, 8, 16, … {LONGEST_LINE} bytes, not {line}");
            return Err(self.error(&cache.line, message, None));
        }
        if ways == 0 || !ways.is_power_of_two() {
            let hint = "a cache with one way is direct-mapped: `ways = 1`";
            return Err(self.error(
                &cache.ways,
                "a cache has 1, 2, 4, … ways".into(),
                Some(hint.into()),
            ));
        }
        if size > LARGEST {
            let message = format!("cache `{}`: {size} bytes are more than 16 MiB", cache.name);
            return Err(self.error(&cache.size, message, None));
        }
        let sets = u64::from(size) / (u64::from(ways) * u64::from(line));
        if sets * u64::from(ways) * u64::from(line) != u64::from(size) || !sets.is_power_of_two() {
            let message = format!(
                "cache `{}`: {size} bytes are not 1, 2, 4, … lines of {line} bytes in each of {ways} ways",
                cache.name
            );
            let below = (u64::from(ways) * u64::from(line)) << sets.max(1).ilog2();
            let hint = format!("{below} bytes, or twice that, would be");
            return Err(self.error(&cache.size, message, Some(hint)));
        }
        let width = cache.width.as_ref().map_or(4, |width| *width.get_ref());
        if let Some(place) = &cache.width
            && (!width.is_power_of_two() || !(4..=line).contains(&width))
        {
            let message = format!("`width` is 4, 8, … {line} bytes: a part of a line");
            return Err(self.error(place, message, None));
        }
        if cache.replacement.is_none() && ways > 1 {
            let message = format!("a cache of {ways} ways needs `replacement`");
            return Err(self.error(&cache.ways, message, Some("`lru` or `fifo`".into())));
        }
        Ok(cache.shape(width))
    }
}

impl CacheEntry {
    fn shape(&self, width: u32) -> L2Shape {
        let wait = self.wait;
        L2Shape {
            size: *self.size.get_ref(),
            ways: *self.ways.get_ref(),
            line: *self.line.get_ref(),
            width,
            replacement: self
                .replacement
                .map_or(Replacement::Fifo, ReplacementEntry::replacement),
            write: match self.write {
                WriteEntry::Back => WritePolicy::Back,
                WriteEntry::Through => WritePolicy::Through,
            },
            allocates: self.allocate == AllocateEntry::ReadWrite,
            wait: L2Wait {
                hit: wait.hit,
                beat: wait.beat,
                miss: wait.miss,
                switch: wait.switch,
            },
        }
    }
}
