//! RAM and ROM: plain bytes with a region around them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::{BusError, ProfileId, Region, WaitStates};

/// Index of a memory on its bus. The one at 0 is empty and stands for "look elsewhere".
#[derive(Clone, Copy)]
pub(crate) struct MemoryId(u8);

impl MemoryId {
    pub(crate) const EMPTY: MemoryId = MemoryId(0);

    /// # Panics
    /// If a board has more than 255 memories.
    pub(crate) fn new(index: usize) -> Self {
        MemoryId(u8::try_from(index).expect("a board has at most 255 memories"))
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of the cache in front of a memory.
#[derive(Clone, Copy)]
pub(crate) struct CacheId(u8);

impl CacheId {
    const NONE: CacheId = CacheId(u8::MAX);

    /// # Panics
    /// If a board has more than 255 caches.
    pub(crate) fn new(index: usize) -> Self {
        let index = u8::try_from(index).ok().filter(|&index| index != u8::MAX);
        CacheId(index.expect("a board has at most 255 caches"))
    }
}

/// Size of the pages that a snapshot copies, as a power of two: 4 KiB.
const PAGE_BITS: u32 = 12;

/// Bytes of the widest store, which may cross from the end of a page into the next.
const WIDEST: usize = 8;

/// The bytes of a page, and those of the next that a store from its end may touch.
pub(crate) type SavedPage = Arc<[u8]>;

/// The pages that differ from a fresh memory, by their places.
pub(crate) type SavedPages = Arc<BTreeMap<usize, SavedPage>>;

/// A memory: little-endian bytes, readable always, writable if it is RAM.
#[derive(Clone)]
pub struct Memory {
    region: Region,
    bytes: Box<[u8]>,
    writable: bool,
    /// A controller lets the program change it: see [`crate::Effect::Programming`].
    programmable: bool,
    /// Writable, and nothing was decoded from it: [`Memory::get_mut`] may hand out its bytes.
    quick: bool,
    profile: ProfileId,
    /// Profile that the fast path uses; no profile while the fast path does not apply.
    fast: ProfileId,
    cache: CacheId,
    /// Initial value of every byte.
    fill: u8,
    /// Whether a write began in each page since the last snapshot.
    written: Box<[bool]>,
    /// The pages as the last snapshot has them, which snapshots share.
    saved: SavedPages,
}

impl Memory {
    /// RAM filled with zeros.
    pub fn ram(region: Region) -> Self {
        Self::filled(region, 0, true)
    }

    /// Flash or ROM, erased (all ones); only [`crate::Bus::load`] changes it.
    pub fn rom(region: Region) -> Self {
        Self::filled(region, 0xff, false)
    }

    fn filled(region: Region, value: u8, writable: bool) -> Self {
        let bytes = vec![value; region.size as usize].into_boxed_slice();
        let pages = bytes.len().div_ceil(1 << PAGE_BITS);
        Memory {
            region,
            bytes,
            writable,
            programmable: false,
            quick: writable,
            profile: ProfileId::PRIVATE,
            fast: ProfileId::PRIVATE,
            cache: CacheId::NONE,
            fill: value,
            written: vec![false; pages].into_boxed_slice(),
            saved: SavedPages::default(),
        }
    }

    /// Makes it a memory that a program changes through a controller.
    #[must_use]
    pub fn programmable(self) -> Self {
        Memory {
            programmable: true,
            ..self
        }
    }

    pub(crate) fn is_programmable(&self) -> bool {
        self.programmable
    }

    /// Whether a run can change it in any way.
    pub(crate) fn can_change(&self) -> bool {
        self.writable || self.programmable
    }

    pub(crate) fn empty() -> Self {
        let wait = WaitStates::default();
        Self::ram(Region {
            wait,
            ..Region::new("", 0, 0)
        })
    }

    /// Its place and costs.
    #[inline(always)]
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Whether a program may write to it.
    #[inline(always)]
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// The timing profile of an access, as an index on its bus.
    #[inline(always)]
    pub fn profile(&self) -> ProfileId {
        self.profile
    }

    /// As [`Memory::profile`], where an access costs just that; [`ProfileId::NONE`] where its cost has to be asked for
    /// each time.
    #[inline(always)]
    pub fn fast_profile(&self) -> ProfileId {
        self.fast
    }

    pub(crate) fn set_profile(&mut self, profile: ProfileId) {
        self.profile = profile;
        self.fast = profile;
    }

    pub(crate) fn set_cache(&mut self, cache: CacheId) {
        self.cache = cache;
    }

    /// The index of the cache in front, if any.
    #[inline]
    pub(crate) fn cache(&self) -> Option<usize> {
        (self.cache.0 != CacheId::NONE.0).then_some(self.cache.0.into())
    }

    pub(crate) fn guard(&mut self, guarded: bool) {
        self.fast = if guarded { ProfileId::NONE } else { self.profile };
    }

    /// Says that instructions were decoded from here: from now on a write must go through [`crate::Bus::write`],
    /// whose caller discards what it decoded.
    pub fn mark_code(&mut self) {
        self.quick = false;
    }

    /// Whether [`Memory::mark_code`] was called.
    pub fn holds_code(&self) -> bool {
        self.can_change() && !self.quick
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether all of `size` bytes at `address` lie inside.
    #[inline(always)]
    pub fn contains(&self, address: u32, size: u32) -> bool {
        let offset = address.wrapping_sub(self.region.base) as usize;
        offset < self.bytes.len() && self.bytes.len() - offset >= size as usize
    }

    /// The `N` bytes at `address`, or `None` when they do not all lie inside: the fast path of a load.
    #[inline(always)]
    pub fn get<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        let offset = address.wrapping_sub(self.region.base) as usize;
        self.bytes.get(offset..)?.first_chunk().copied()
    }

    /// `length` bytes at `address`, or `None` if they do not all lie inside.
    #[inline(always)]
    pub fn get_all(&self, address: u32, length: usize) -> Option<&[u8]> {
        let offset = address.wrapping_sub(self.region.base) as usize;
        self.bytes.get(offset..)?.get(..length)
    }

    /// A mutable slice of `length` bytes, at most a page, at `address`, as [`Memory::get_mut`].
    #[inline(always)]
    pub fn get_all_mut(&mut self, address: u32, length: usize) -> Option<&mut [u8]> {
        if !self.quick || length == 0 {
            return None;
        }
        let offset = address.wrapping_sub(self.region.base) as usize;
        let bytes = self.bytes.get_mut(offset..)?.get_mut(..length)?;
        self.written[offset >> PAGE_BITS] = true;
        self.written[(offset + length - 1) >> PAGE_BITS] = true;
        Some(bytes)
    }

    /// Mutable access to `N` bytes at `address`: the fast path of a store. `None` if they do not all lie inside, the memory is read-only,
    /// or code was decoded from it.
    #[inline(always)]
    pub fn get_mut<const N: usize>(&mut self, address: u32) -> Option<&mut [u8; N]> {
        if !self.quick {
            return None;
        }
        let offset = address.wrapping_sub(self.region.base) as usize;
        let bytes = self.bytes.get_mut(offset..)?.first_chunk_mut()?;
        self.written[offset >> PAGE_BITS] = true;
        Some(bytes)
    }

    /// `size` bytes at `address`, which must lie inside.
    pub(crate) fn read(&self, address: u32, size: u32) -> u32 {
        let offset = (address - self.region.base) as usize;
        let bytes = &self.bytes[offset..offset + size as usize];
        bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u32::from(byte))
    }

    pub(crate) fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusError> {
        if !self.writable {
            return Err(BusError::ReadOnly);
        }
        let offset = (address - self.region.base) as usize;
        self.bytes[offset..offset + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        self.written[offset >> PAGE_BITS] = true;
        Ok(())
    }

    /// Clears the bits of a word that are not in `value`; the word lies inside.
    pub(crate) fn program(&mut self, address: u32, value: u32) {
        let value = self.read(address, 4) & value;
        self.load(address, &value.to_le_bytes());
    }

    /// Sets all bits of `size` bytes, as far as they lie inside.
    pub(crate) fn erase(&mut self, address: u32, size: u32) {
        let (first, end) = (u64::from(address), u64::from(address) + u64::from(size));
        let base = u64::from(self.region.base);
        let inside = |at: u64| at.clamp(base, base + self.bytes.len() as u64) - base;
        let (first, end) = (inside(first) as usize, inside(end) as usize);
        if first < end {
            self.bytes[first..end].fill(0xff);
            let pages = first >> PAGE_BITS..end.div_ceil(1 << PAGE_BITS);
            self.written[pages].fill(true);
        }
    }

    /// Bytes from `address`, which lies inside, to its end.
    pub(crate) fn left(&self, address: u32) -> usize {
        self.bytes.len() - (address - self.region.base) as usize
    }

    /// `length` bytes at `address`, which must lie inside.
    pub(crate) fn slice(&self, address: u32, length: usize) -> &[u8] {
        let offset = (address - self.region.base) as usize;
        &self.bytes[offset..offset + length]
    }

    /// Puts bytes at `address`, which must lie inside, whether it is read-only or not.
    pub(crate) fn load(&mut self, address: u32, bytes: &[u8]) {
        let offset = (address - self.region.base) as usize;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        let pages = offset >> PAGE_BITS..(offset + bytes.len()).div_ceil(1 << PAGE_BITS);
        self.written[pages].fill(true);
    }

    /// Saves the pages that a run changed, and those that were saved before. A page that nothing was written to since the last snapshot is shared
    /// with it, and if there is no other, all of them are.
    pub(crate) fn save(&mut self) -> SavedPages {
        let changed = self.changed();
        if !changed.is_empty() {
            let pages = Arc::make_mut(&mut self.saved);
            for index in changed {
                let place = range(index, self.bytes.len());
                pages.insert(index, self.bytes[place].into());
                self.written[index] = false;
            }
        }
        Arc::clone(&self.saved)
    }

    /// The pages that are not as the last snapshot has them: a write began in them, or one in the page before ran over into them.
    fn changed(&self) -> Vec<usize> {
        let mut changed = Vec::new();
        for index in (0..self.written.len()).filter(|&index| self.written[index]) {
            changed.push(index);
            if self.was_run_over(index + 1) {
                changed.push(index + 1);
            }
        }
        changed
    }

    /// Whether the first bytes of a saved page, to which nothing was written, were changed by a write in the page before.
    fn was_run_over(&self, index: usize) -> bool {
        let Some(saved) = self.saved.get(&index).filter(|_| !self.written[index]) else {
            return false;
        };
        let start = &self.bytes[index << PAGE_BITS..];
        let length = WIDEST.min(start.len());
        start[..length] != saved[..length]
    }

    /// Restores the pages that [`Memory::save`] saved. Returns whether code changed.
    ///
    /// A page's last store may run over into the next page. If that one was saved too, it has those bytes, and as they were later; if
    /// not, nobody else has them, so the page is put back with them.
    pub(crate) fn put_back(&mut self, wanted: &SavedPages) -> bool {
        let stale = self.stale(wanted);
        let holds_code = self.holds_code();
        let mut changed = false;
        // Pages without a saved copy are filled first: a saved page's overrun goes over them.
        for pass in [false, true] {
            for &index in stale.iter().filter(|&index| wanted.contains_key(index) == pass) {
                let mut place = range(index, self.bytes.len());
                if wanted.contains_key(&(index + 1)) {
                    place.end = (index + 1) << PAGE_BITS;
                }
                let bytes = &mut self.bytes[place];
                if let Some(page) = wanted.get(&index) {
                    let page = &page[..bytes.len()];
                    changed |= holds_code && *bytes != *page;
                    bytes.copy_from_slice(page);
                } else {
                    changed |= holds_code && bytes.iter().any(|&byte| byte != self.fill);
                    bytes.fill(self.fill);
                }
            }
        }
        for index in stale {
            self.written[index] = false;
        }
        self.saved = Arc::clone(wanted);
        changed
    }

    /// The pages that may be others than those wanted.
    fn stale(&self, wanted: &SavedPages) -> BTreeSet<usize> {
        let mut stale = BTreeSet::from_iter(self.changed());
        if !Arc::ptr_eq(&self.saved, wanted) {
            let is_wanted =
                |index: &usize, page| wanted.get(index).is_some_and(|wanted| Arc::ptr_eq(page, wanted));
            let other = self.saved.iter().filter(|&(index, page)| !is_wanted(index, page));
            let missing = wanted.keys().filter(|index| !self.saved.contains_key(index));
            stale.extend(other.map(|(index, _)| index).chain(missing));
        }
        // A page before one that is filled has bytes of its own there.
        let filled = stale.iter().filter(|index| !wanted.contains_key(index));
        let before: Vec<usize> = filled.filter_map(|index| index.checked_sub(1)).collect();
        stale.extend(before.into_iter().filter(|index| wanted.contains_key(index)));
        stale
    }
}

/// The bytes of a page, and those of the next that a store from its end may touch.
fn range(index: usize, length: usize) -> Range<usize> {
    let start = index << PAGE_BITS;
    start..length.min(start + (1 << PAGE_BITS) + WIDEST)
}
