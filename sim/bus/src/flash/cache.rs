//! A cache of flash lines.
//!
//! One of its own lines, under one tag, may be several lines of the array (its sectors); each is valid by itself.

/// How a cache is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheShape {
    /// Its lines; a multiple of `ways`, at most 65,536.
    pub lines: u32,
    /// Lines in which a given address can be: all of them in a fully associative cache.
    pub ways: u32,
    /// Bytes of one of its lines: a power of two, and 1 to 32 lines of the array.
    pub line: u32,
    /// Which line makes room for another.
    pub replacement: Replacement,
}

impl CacheShape {
    /// No cache: nothing is ever found in it.
    pub const NONE: CacheShape = CacheShape {
        lines: 0,
        ways: 0,
        line: 0,
        replacement: Replacement::Fifo,
    };
}

/// Which line of a cache makes room for another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replacement {
    /// The one whose last use lies back furthest.
    Lru,
    /// The one that was filled first.
    Fifo,
}

/// No line has this number.
const EMPTY: u32 = u32::MAX;

/// Ways that are compared together.
const GROUP: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Lines of the array in one of the cache, as a power of two.
    sector_bits: u32,
    sets: u32,
    ways: usize,
    lru: bool,
    /// What each line holds: the number of its first sector, in units of its sectors. Sets lie one after the other.
    tags: Vec<u32>,
    /// Which sectors of it are valid.
    valid: Vec<u32>,
    /// The lines of each set in the order in which they make room: used (filled, without LRU) longest ago first. For each the
    /// one that comes next, and the one before; the one that closes a set's ring stands behind all lines.
    next: Vec<u32>,
    before: Vec<u32>,
    /// For each remainder of a tag how many tags are there that have it, and where one of them is.
    found: Vec<(u32, u32)>,
    /// The epoch of [`super::Flash`] in which it was given to another line.
    given: Vec<u64>,
    /// Where something was found last.
    last: usize,
}

/// So many remainders are told apart for each line, so that another tag seldom has the same.
const REMAINDERS: usize = 16;

impl Cache {
    /// An empty cache of lines of the array of so many bytes.
    ///
    /// # Panics
    /// If the shape contradicts itself.
    pub(super) fn new(shape: CacheShape, array_line: u32) -> Self {
        let sectors = (shape.line / array_line).max(1);
        assert!(
            sectors.is_power_of_two() && sectors <= 32 && shape.lines <= 1 << 16,
            "{shape:?}"
        );
        let sets = shape.lines.checked_div(shape.ways).unwrap_or(0);
        assert!(sets * shape.ways == shape.lines, "{shape:?}");
        let lines = shape.lines as usize;
        let places = lines + sets as usize;
        let mut cache = Cache {
            sector_bits: sectors.trailing_zeros(),
            sets,
            ways: shape.ways as usize,
            lru: shape.replacement == Replacement::Lru,
            tags: vec![EMPTY; lines],
            valid: vec![0; lines],
            next: vec![0; places],
            before: vec![0; places],
            found: vec![(0, 0); (lines * REMAINDERS).next_power_of_two()],
            given: vec![0; lines],
            last: 0,
        };
        cache.clear();
        cache
    }

    pub(super) fn clear(&mut self) {
        self.tags.fill(EMPTY);
        self.valid.fill(0);
        self.found.fill((0, 0));
        for set in 0..self.sets as usize {
            let (end, first) = (self.tags.len() + set, set * self.ways);
            let ring = std::iter::once(end).chain(first..first + self.ways);
            for (place, next) in ring.clone().zip(ring.skip(1).chain([end])) {
                self.next[place] = next as u32;
                self.before[next] = place as u32;
            }
        }
    }

    /// Whether a line of the array is there; if so, it is used.
    #[inline]
    pub(super) fn hit(&mut self, line: u32) -> bool {
        let (tag, sector) = self.split(line);
        let place = if self.tags.get(self.last) == Some(&tag) {
            Some(self.last)
        } else {
            self.find(tag)
        };
        let Some(place) = place.filter(|&place| self.valid[place] & sector != 0) else {
            return false;
        };
        self.last = place;
        self.touch(place as u16);
        true
    }

    /// Where a line of the array is, if it is there.
    pub(super) fn place(&self, line: u32) -> Option<u16> {
        let (tag, sector) = self.split(line);
        let place = self.find(tag)?;
        (self.valid[place] & sector != 0).then_some(place as u16)
    }

    #[inline]
    pub(super) fn touch(&mut self, place: u16) {
        if self.lru {
            self.renew(usize::from(place));
        }
    }

    /// A line was used: of its set, it is the last to make room.
    #[inline]
    fn renew(&mut self, place: usize) {
        let end = self.tags.len() + if self.sets == 1 { 0 } else { place / self.ways };
        self.renew_in(place, end);
    }

    /// The same in the set whose ring is closed by `end`.
    #[inline]
    fn renew_in(&mut self, place: usize, end: usize) {
        let (before, next) = (self.before[place], self.next[place]);
        if next as usize == end {
            return;
        }
        (self.next[before as usize], self.before[next as usize]) = (next, before);
        let last = self.before[end];
        (self.next[last as usize], self.before[end]) = (place as u32, place as u32);
        (self.before[place], self.next[place]) = (last, end as u32);
    }

    /// Puts a line of the array there, which is not there yet, in this epoch.
    pub(super) fn fill(&mut self, line: u32, epoch: u64) {
        let (tag, sector) = self.split(line);
        let among_others = if self.sector_bits == 0 {
            None
        } else {
            self.find(tag)
        };
        if let Some(place) = among_others {
            self.valid[place] |= sector;
            self.touch(place as u16);
            return;
        }
        let set = match self.sets {
            0 => return,
            1 => 0,
            sets => (tag % sets) as usize,
        };
        let end = self.tags.len() + set;
        let victim = self.next[end] as usize;
        let old = self.tags[victim];
        if old != EMPTY {
            let left = self.remainder(old);
            self.found[left].0 -= 1;
        }
        let found = self.remainder(tag);
        self.found[found] = (self.found[found].0 + 1, victim as u32);
        (self.tags[victim], self.valid[victim]) = (tag, sector);
        self.given[victim] = epoch;
        self.last = victim;
        self.renew_in(victim, end);
    }

    #[inline]
    fn remainder(&self, tag: u32) -> usize {
        tag as usize & (self.found.len() - 1)
    }

    /// Whether these places still hold what they held in this epoch.
    #[inline]
    pub(super) fn hold_since(&self, epoch: u64, places: &[u16]) -> bool {
        places
            .iter()
            .all(|&place| self.given[usize::from(place)] <= epoch)
    }

    fn split(&self, line: u32) -> (u32, u32) {
        let sector = line & ((1 << self.sector_bits) - 1);
        (line >> self.sector_bits, 1 << sector)
    }

    #[inline]
    fn find(&self, tag: u32) -> Option<usize> {
        let (tags, place) = self.found[self.remainder(tag)];
        if tags == 0 {
            return None;
        }
        if self.tags.get(place as usize) == Some(&tag) {
            return Some(place as usize);
        }
        self.search(tag)
    }

    #[cold]
    fn search(&self, tag: u32) -> Option<usize> {
        let set = self.set(tag);
        let first = set.start;
        // In groups, which are compared at once.
        let mut groups = self.tags[set].chunks(GROUP).zip((first..).step_by(GROUP));
        let (group, first) =
            groups.find(|(group, _)| group.iter().filter(|&&other| other == tag).count() != 0)?;
        group.iter().position(|&other| other == tag).map(|at| first + at)
    }

    fn set(&self, tag: u32) -> std::ops::Range<usize> {
        let set = tag.checked_rem(self.sets).unwrap_or(0) as usize;
        set * self.ways..(set + 1) * self.ways
    }
}
