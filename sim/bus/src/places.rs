//! Where which device answers: found by halves, since every access to a device asks for it several times.

use crate::Region;

/// A stretch of addresses at which one device answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    first: u32,
    last: u32,
    device: usize,
}

/// All of them.
#[derive(Clone)]
pub(crate) struct Places {
    /// In the order of their addresses; none overlaps another.
    all: Vec<Place>,
    /// One page for each remainder of its number, and the device that answers in all of it.
    pages: Box<[(u32, usize); PAGES]>,
}

/// Bytes of a page, as a power of two: most devices have at least so many.
const PAGE_BITS: u32 = 10;
const PAGES: usize = 256;
/// No page has this number.
const NO_PAGE: u32 = u32::MAX;

impl Default for Places {
    fn default() -> Self {
        Places {
            all: Vec::new(),
            pages: Box::new([(NO_PAGE, 0); PAGES]),
        }
    }
}

impl Places {
    /// A device answers in this region, but for where one does that was added before.
    pub(crate) fn add(&mut self, region: &Region, device: usize) {
        let Some(length) = region.size.checked_sub(1) else {
            return;
        };
        let mut free = vec![(region.base, region.base.saturating_add(length))];
        for taken in &self.all {
            free = free
                .into_iter()
                .flat_map(|place| without(place, *taken))
                .flatten()
                .collect();
        }
        for &(first, last) in &free {
            self.add_pages(first, last, device);
        }
        let places = free
            .into_iter()
            .map(|(first, last)| Place { first, last, device });
        self.all.extend(places);
        self.all.sort_unstable_by_key(|place| place.first);
    }

    /// Enters the whole pages of a stretch, as many as can be, where none is yet.
    fn add_pages(&mut self, first: u32, last: u32, device: usize) {
        let size = 1 << PAGE_BITS;
        let whole = u64::from(first).div_ceil(size)..(u64::from(last) + 1) / size;
        for number in whole.take(PAGES) {
            let page = &mut self.pages[number as usize % PAGES];
            if page.0 == NO_PAGE {
                *page = (number as u32, device);
            }
        }
    }

    /// The device that answers at an address.
    #[inline]
    pub(crate) fn find(&self, address: u32) -> Option<usize> {
        let number = address >> PAGE_BITS;
        match self.pages[number as usize % PAGES] {
            (known, device) if known == number => Some(device),
            _ => self.search(address),
        }
    }

    fn search(&self, address: u32) -> Option<usize> {
        let behind = self.all.partition_point(|place| place.first <= address);
        let place = self.all.get(behind.checked_sub(1)?)?;
        (address <= place.last).then_some(place.device)
    }
}

/// What is left of a stretch on either side of what is taken.
fn without((first, last): (u32, u32), taken: Place) -> [Option<(u32, u32)>; 2] {
    if taken.last < first || last < taken.first {
        return [Some((first, last)), None];
    }
    let before = (first < taken.first).then(|| (first, taken.first - 1));
    let behind = (taken.last < last).then(|| (taken.last + 1, last));
    [before, behind]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_that_was_added_first_answers() {
        let mut places = Places::default();
        let regions = [
            (0x100, 0x10),
            (0x110, 0x10),
            (0x80, 0x200),
            (0x108, 4),
            (0xffff_fff0, 0x10),
            (0x90, 0),
        ];
        for (device, (base, size)) in regions.into_iter().enumerate() {
            places.add(&Region::new("", base, size), device);
        }
        let found =
            [0x7f, 0x80, 0xff, 0x100, 0x108, 0x10f, 0x110, 0x120, 0x27f, 0x280].map(|at| places.find(at));
        let expected = [
            None,
            Some(2),
            Some(2),
            Some(0),
            Some(0),
            Some(0),
            Some(1),
            Some(2),
            Some(2),
            None,
        ];
        assert_eq!(found, expected);
        assert_eq!(places.find(u32::MAX), Some(4));
        assert_eq!(places.find(0), None);
    }
}
