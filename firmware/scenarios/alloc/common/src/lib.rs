//! Shared by the scenarios of group `alloc/`, so that only the allocator differs.
//!
//! An allocator is a [`Kernel`]. [`single`] measures its operations one by one, [`churn`] a long mix of them; what a
//! breakpoint or a word is called there, the price list names.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::asm;
use core::mem::MaybeUninit;

pub use rt::{exit, fail};

pub mod churn;
pub mod single;

/// Bytes of memory that each allocator is given. Its own bookkeeping is outside these.
pub const MEMORY: usize = 2048;

/// An allocator, for values of type `T`.
pub trait Kernel<T> {
    /// A place with `value` in it; null if there is none.
    fn take(&mut self, value: T) -> *mut T;

    /// Drops the value and gives the place back.
    ///
    /// # Safety
    ///
    /// The place came from `take`, and is not used again.
    unsafe fn give(&mut self, place: *mut T);
}

/// An allocator, for every type that the scenarios use.
pub trait Allocator:
    Kernel<u8>
    + Kernel<u32>
    + Kernel<u64>
    + Kernel<Block<0>>
    + Kernel<Block<1>>
    + Kernel<Block<2>>
    + Kernel<Block<3>>
    + Kernel<Block<5>>
    + Kernel<Block<7>>
    + Kernel<Block<11>>
    + Kernel<Block<15>>
{
    /// Bytes that it keeps for itself, beside the [`MEMORY`].
    fn bookkeeping(&self) -> usize;
}

/// `1 + N` words, the first of which is written when it is allocated: what allocating costs does not grow with `N`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Block<const N: usize> {
    /// Whose it is.
    pub tag: u32,
    _rest: [MaybeUninit<u32>; N],
}

impl<const N: usize> Block<N> {
    /// With that tag.
    #[inline(always)]
    pub fn new(tag: u32) -> Self {
        let _rest = [const { MaybeUninit::uninit() }; N];
        Block { tag, _rest }
    }
}

/// Takes a place from a `GlobalAlloc`, as `alloc::boxed::Box::new` does.
#[inline(always)]
pub fn take_from<T>(global: &impl GlobalAlloc, value: T) -> *mut T {
    // SAFETY: no type here has size 0.
    let place = unsafe { global.alloc(Layout::new::<T>()) }.cast::<T>();
    if !place.is_null() {
        // SAFETY: large enough, aligned, and unused by other code.
        unsafe { place.write(value) };
    }
    place
}

/// Gives a place back to a `GlobalAlloc`, as dropping an `alloc::boxed::Box` does.
///
/// # Safety
///
/// It came from [`take_from`] the same, and is not used again.
#[inline(always)]
pub unsafe fn give_to<T>(global: &impl GlobalAlloc, place: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { global.dealloc(place.cast(), Layout::new::<T>()) };
}

/// A [`Kernel`] for every type from a static `GlobalAlloc`.
#[macro_export]
macro_rules! global {
    ($kernel:ident, $global:ident) => {
        impl<T> $crate::Kernel<T> for $kernel {
            #[inline(always)]
            fn take(&mut self, value: T) -> *mut T {
                $crate::take_from(&$global, value)
            }

            #[inline(always)]
            unsafe fn give(&mut self, place: *mut T) {
                // SAFETY: the caller's promise.
                unsafe { $crate::give_to(&$global, place) }
            }
        }
    };
}

/// A point that a price list names `bkpt:#N`, wherever it is. No access of memory moves across it. The two numbers are in
/// registers, and no others: the constants that follow are loaded after the point.
#[inline(always)]
pub fn from<const N: u8>(mut first: u32, mut second: u32) -> (u32, u32) {
    // SAFETY: under the simulator a breakpoint only marks a point in time.
    unsafe {
        asm!(
            "bkpt #{}",
            const N,
            inout("r0") first,
            inout("r1") second,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _,
            out("r9") _, out("r10") _, out("r11") _, out("r12") _, out("lr") _,
            options(nostack, preserves_flags)
        );
    }
    (first, second)
}

/// The other end of what begins with [`from`].
#[inline(always)]
pub fn to<const N: u8>() {
    // SAFETY: as above.
    unsafe { asm!("bkpt #{}", const N, options(nostack, preserves_flags)) }
}

/// A value that one or two registers hold.
pub trait Word {
    /// From those.
    fn new(low: u32, high: u32) -> Self;
}

impl Word for u8 {
    #[inline(always)]
    fn new(low: u32, _: u32) -> Self {
        low as u8
    }
}

impl Word for u32 {
    #[inline(always)]
    fn new(low: u32, _: u32) -> Self {
        low
    }
}

impl Word for u64 {
    #[inline(always)]
    fn new(low: u32, high: u32) -> Self {
        u64::from(high) << 32 | u64::from(low)
    }
}

impl<const N: usize> Word for Block<N> {
    #[inline(always)]
    fn new(low: u32, _: u32) -> Self {
        Block::new(low)
    }
}

/// The same number, of which the compiler cannot know what it is.
#[inline(always)]
pub fn unknown(number: u32) -> u32 {
    let mut same = number;
    // SAFETY: nothing happens.
    unsafe { asm!("/* {} */", inout(reg) same, options(nomem, nostack, preserves_flags)) };
    same
}
