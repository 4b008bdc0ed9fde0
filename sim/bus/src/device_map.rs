//! Finds the device at an address by binary search, since every device access does this several times.

use crate::{Bus, BusError, Device, DeviceError, Region};

/// A stretch of addresses at which one device answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DeviceRange {
    first: u32,
    last: u32,
    device: usize,
}

/// The address ranges of all devices.
#[derive(Clone)]
pub(crate) struct DeviceMap {
    /// In the order of their addresses; none overlaps another.
    all: Vec<DeviceRange>,
    /// For each part of the address space, of 64 KiB, a bit that says whether there is any device.
    parts: Box<[u64; PARTS / 64]>,
    /// A direct-mapped page cache: for each page number modulo its size, the device that answers in the whole page.
    pages: Box<[(u32, usize); PAGES]>,
}

/// Page size as a power of two: most devices have at least that many bytes.
const PAGE_BITS: u32 = 10;
const PAGES: usize = 256;
/// Bytes of a part, as a power of two.
const PART_BITS: u32 = 16;
const PARTS: usize = 1 << (32 - PART_BITS);
/// No page has this number.
const NO_PAGE: u32 = u32::MAX;

impl Default for DeviceMap {
    fn default() -> Self {
        DeviceMap {
            all: Vec::new(),
            parts: Box::new([0; PARTS / 64]),
            pages: Box::new([(NO_PAGE, 0); PAGES]),
        }
    }
}

impl DeviceMap {
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
            self.add_parts(first, last);
        }
        let places = free
            .into_iter()
            .map(|(first, last)| DeviceRange { first, last, device });
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

    /// Enters the parts of a stretch.
    fn add_parts(&mut self, first: u32, last: u32) {
        let (first, last) = (first >> PART_BITS, last >> PART_BITS);
        for word in first / 64..=last / 64 {
            let (from, to) = (first.max(64 * word), last.min(64 * word + 63));
            self.parts[word as usize] |= u64::MAX >> (63 - (to - from)) << (from - 64 * word);
        }
    }

    /// Whether there is any device in the part of an address.
    #[inline]
    fn has_part(&self, address: u32) -> bool {
        let part = address >> PART_BITS;
        self.parts[(part / 64) as usize] >> (part % 64) & 1 != 0
    }

    /// The device that answers at an address.
    #[inline]
    pub(crate) fn find(&self, address: u32) -> Option<usize> {
        let number = address >> PAGE_BITS;
        match self.pages[number as usize % PAGES] {
            (known, device) if known == number => Some(device),
            _ if !self.has_part(address) => None,
            _ => self.search(address),
        }
    }

    fn search(&self, address: u32) -> Option<usize> {
        let behind = self.all.partition_point(|place| place.first <= address);
        let place = self.all.get(behind.checked_sub(1)?)?;
        (address <= place.last).then_some(place.device)
    }
}

impl Bus {
    /// Asks the devices at `address`, one after the other, until one of them models what is asked: which one, and its answer.
    pub(crate) fn ask<T>(
        &mut self,
        address: u32,
        mut what: impl FnMut(&mut dyn Device, u32) -> Result<T, DeviceError>,
    ) -> Result<(usize, T), BusError> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        // The one that was added first of those there.
        let first = self.find_device(address)?;
        let mut refused = BusError::Unmapped;
        for (index, mapped) in self.devices.iter_mut().enumerate().skip(first) {
            if !mapped.region.contains(address) {
                continue;
            }
            match what(&mut *mapped.device, address - mapped.region.base) {
                Ok(answer) => return Ok((index, answer)),
                Err(error @ DeviceError::Bus) => return Err(mapped.region.device_error(error)),
                // The first one is the one to name.
                Err(error) if refused == BusError::Unmapped => refused = mapped.region.device_error(error),
                Err(_) => {}
            }
        }
        Err(refused)
    }
}

/// The remainders of a range on either side of a taken part.
fn without((first, last): (u32, u32), taken: DeviceRange) -> [Option<(u32, u32)>; 2] {
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
        let mut places = DeviceMap::default();
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

    #[test]
    fn a_device_is_found_in_each_of_its_parts() {
        let mut places = DeviceMap::default();
        places.add(&Region::new("", 0x3f_ff00, 0x41_0200), 0);
        places.add(&Region::new("", 0xe000_0000, 0x2000_0000), 1);
        let found =
            [0x3f_feff, 0x3f_ff00, 0x40_0000, 0x7f_ffff, 0x81_00ff, 0x81_0100].map(|at| places.find(at));
        assert_eq!(found, [None, Some(0), Some(0), Some(0), Some(0), None]);
        let found = [0xdfff_ffff, 0xe000_0000, 0xf123_4567, u32::MAX].map(|at| places.find(at));
        assert_eq!(found, [None, Some(1), Some(1), Some(1)]);
        assert!(!places.has_part(0x82_0000) && !places.has_part(0x3e_0000));
    }
}
