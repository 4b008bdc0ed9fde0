//! A long mix of allocations, of eight sizes and of all lifetimes, by a lot that is the same for every allocator.

use core::ptr::with_exposed_provenance_mut;

use crate::{Allocator, Block, Kernel, Word, exit, fail, from, to};

/// Allocations and frees.
const OPERATIONS: u32 = 100_000;
/// Places for values: half of them are full on average.
const SLOTS: usize = 24;

/// The lot: a linear congruential generator, whose upper bits are drawn.
pub struct Lot(u32);

impl Lot {
    /// From its seed.
    pub fn new() -> Self {
        Lot(2_463_534_242)
    }

    /// A slot out of `slots`, a kind, and one of eight.
    pub fn draw(&mut self, slots: usize) -> (usize, u8, u8) {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let high = self.0 >> 10;
        let kind = (high & 7) as u8;
        let extra = (high >> 3 & 7) as u8;
        ((high >> 6) as usize % slots, kind, extra)
    }
}

impl Default for Lot {
    fn default() -> Self {
        Self::new()
    }
}

/// A place for a value.
pub struct Slot {
    place: *mut u8,
    kind: u8,
}

/// Calls a function for the type of a kind.
macro_rules! by_kind {
    ($kind:expr, $block:ident => $call:expr) => {
        match $kind {
            0 => {
                type $block = Block<0>;
                $call
            }
            1 => {
                type $block = Block<1>;
                $call
            }
            2 => {
                type $block = Block<2>;
                $call
            }
            3 => {
                type $block = Block<3>;
                $call
            }
            4 => {
                type $block = Block<5>;
                $call
            }
            5 => {
                type $block = Block<7>;
                $call
            }
            6 => {
                type $block = Block<11>;
                $call
            }
            _ => {
                type $block = Block<15>;
                $call
            }
        }
    };
}

impl Slot {
    /// Nothing there.
    pub const EMPTY: Slot = Slot {
        place: core::ptr::null_mut(),
        kind: 0,
    };

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.place.is_null()
    }

    /// Bytes of the value.
    pub fn bytes(&self) -> u32 {
        by_kind!(self.kind, B => size_of::<B>() as u32)
    }

    /// Allocates a value; `false` if there is no room.
    pub fn fill<K: Allocator>(&mut self, kernel: &mut K, kind: u8, tag: u32) -> bool {
        self.kind = kind;
        self.place = by_kind!(kind, B => take::<B, K>(kernel, tag).cast());
        !self.place.is_null()
    }

    /// Frees the value, after a look whether it is still what it was.
    pub fn clear<K: Allocator>(&mut self, kernel: &mut K, tag: u32) {
        // SAFETY: every block begins with its tag.
        if unsafe { self.place.cast::<u32>().read() } != tag {
            fail();
        }
        by_kind!(self.kind, B => give::<B, K>(kernel, self.place.cast()));
        self.place = core::ptr::null_mut();
    }
}

/// The block is made between the points, where the compiler sees that all but its tag is unwritten.
#[inline(never)]
fn take<T: Word, K: Kernel<T>>(kernel: &mut K, tag: u32) -> *mut T {
    let (tag, _) = from::<1>(tag, 0);
    let place = kernel.take(T::new(tag, 0));
    to::<2>();
    place
}

#[inline(never)]
fn give<T, K: Kernel<T>>(kernel: &mut K, place: *mut T) {
    let (address, _) = from::<1>(place.expose_provenance() as u32, 0);
    // SAFETY: a slot gives back once what it took.
    unsafe { kernel.give(with_exposed_provenance_mut(address as usize)) };
    to::<2>();
}

/// Each operation by itself, the first [`ALONE`] of all: allocate, free, allocate again, free again, for each kind.
fn each_alone<K: Allocator>(kernel: &mut K) {
    for kind in 0..KINDS {
        for tag in 0..2 {
            let mut slot = Slot::EMPTY;
            if !slot.fill(kernel, kind, tag) {
                fail();
            }
            slot.clear(kernel, tag);
        }
    }
}

/// Operations before the mix; the price list counts them.
const ALONE: u32 = 32;
const KINDS: u8 = 8;
const _: () = assert!(ALONE == 4 * KINDS as u32);

/// Runs the mix, and ends the program.
pub fn run<K: Allocator>(kernel: &mut K) -> ! {
    each_alone(kernel);
    let mut slots = [const { Slot::EMPTY }; SLOTS];
    let mut lot = Lot::new();
    for _ in 0..OPERATIONS {
        let (index, kind, _) = lot.draw(SLOTS);
        let slot = &mut slots[index];
        let tag = 0xa110_c000 | index as u32;
        if !slot.is_empty() {
            slot.clear(kernel, tag);
        } else if !slot.fill(kernel, kind, tag) {
            fail();
        }
    }
    exit()
}
