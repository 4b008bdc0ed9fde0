//! Memory that can be granted: of a size and at an address that the protection unit can tell from all other memory.

use core::fmt;
use core::ops::{Deref, DerefMut};

use super::protection::Protection;

/// So many bytes, as a type.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<const N: usize>;

/// Sizes that can be granted: powers of two.
///
/// # Safety
///
/// `Align` is aligned so that the `N` bytes from it are one region: to `N`, on RISC-V to four times `N`, which a `VexRiscv` needs.
pub unsafe trait Granule {
    /// Has no size, only an alignment.
    type Align: Copy;
}

macro_rules! granules {
    ($($bytes:literal $arm:literal $riscv:literal)*) => { $(
        const _: () = {
            #[cfg_attr(target_arch = "arm", repr(align($arm)))]
            #[cfg_attr(not(target_arch = "arm"), repr(align($riscv)))]
            #[derive(Clone, Copy)]
            pub struct Align;
            // SAFETY: the alignment is what the trait says.
            unsafe impl Granule for Bytes<$bytes> {
                type Align = Align;
            }
        };
    )* };
}

granules! {
    128 128 512
    256 256 1024
    512 512 2048
    1024 1024 4096
    2048 2048 8192
    4096 4096 16384
    8192 8192 32768
    16384 16384 65536
}

/// Bytes that a process can lend: in its state, or on its stack.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Buffer<const N: usize>
where
    Bytes<N>: Granule,
{
    align: [<Bytes<N> as Granule>::Align; 0],
    bytes: [u8; N],
}

impl<const N: usize> Buffer<N>
where
    Bytes<N>: Granule,
{
    /// Zeros.
    pub const fn new() -> Self {
        Buffer {
            align: [],
            bytes: [0; N],
        }
    }

    /// The first `len` bytes as text: what a receiver may have written. None if they are no UTF-8, or not so many.
    pub fn text(&self, len: usize) -> Option<&str> {
        core::str::from_utf8(self.bytes.get(..len)?).ok()
    }
}

impl<const N: usize> Default for Buffer<N>
where
    Bytes<N>: Granule,
{
    fn default() -> Self {
        Buffer::new()
    }
}

impl<const N: usize> Deref for Buffer<N>
where
    Bytes<N>: Granule,
{
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<const N: usize> DerefMut for Buffer<N>
where
    Bytes<N>: Granule,
{
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

/// Pages that a process can lend where memory is granted by pages: a multiple of 4096 bytes.
#[repr(C, align(4096))]
#[derive(Clone, Copy)]
pub struct Pages<const N: usize> {
    bytes: [u8; N],
}

impl<const N: usize> Pages<N> {
    /// Zeros.
    pub const fn new() -> Self {
        const { assert!(N != 0 && N.is_multiple_of(4096), "pages are 4096 bytes each") };
        Pages { bytes: [0; N] }
    }

    /// The first `len` bytes as text: what a receiver may have written. None if they are no UTF-8, or not so many.
    pub fn text(&self, len: usize) -> Option<&str> {
        core::str::from_utf8(self.bytes.get(..len)?).ok()
    }
}

impl<const N: usize> Default for Pages<N> {
    fn default() -> Self {
        Pages::new()
    }
}

impl<const N: usize> Deref for Pages<N> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<const N: usize> DerefMut for Pages<N> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

/// Memory that can be lent: a [`Buffer`], or [`Pages`] where memory is granted by them.
///
/// # Safety
///
/// `SIZE` bytes from its beginning on are its own, all of them, and any value of them is good; it is aligned so that they can be granted
/// alone.
pub unsafe trait Lent {
    /// Bytes.
    const SIZE: usize;
    /// Whether they are pages.
    const PAGED: bool;
}

// SAFETY: `Granule`.
unsafe impl<const N: usize> Lent for Buffer<N>
where
    Bytes<N>: Granule,
{
    const SIZE: usize = N;
    const PAGED: bool = false;
}

// SAFETY: pages, by their alignment; the size is a multiple of it.
unsafe impl<const N: usize> Lent for Pages<N> {
    const SIZE: usize = N;
    const PAGED: bool = true;
}

/// Text that grows in given bytes: a receiver writes it into memory that is lent to it, without a heap.
#[derive(Debug)]
pub struct Text<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl<'a> Text<'a> {
    /// No text yet, and room for as many bytes as there are.
    pub const fn new(bytes: &'a mut [u8]) -> Self {
        Text { bytes, len: 0 }
    }

    /// Bytes of the text: what [`Buffer::text`] wants to know.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a text.
    ///
    /// # Errors
    /// When there is no room for all of it; then nothing is appended.
    #[inline]
    pub fn push_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len.checked_add(text.len()).ok_or(fmt::Error)?;
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text)
    }
}

/// Two words that name a piece of memory to the kernel: what the protection unit takes; by Sv32 how many pages follow the first one is in
/// the address's low bits.
#[inline(always)]
pub(super) const fn name(protection: Protection, address: usize, size: usize) -> [usize; 2] {
    match protection {
        Protection::Pmp => [address >> 2 | (size / 8 - 1), 0],
        Protection::VexRiscv => [address >> 2 | (size / 2 - 1), 0],
        Protection::Mpu => [address, size.trailing_zeros() as usize],
        Protection::Sv32 | Protection::VexRiscvSv32 | Protection::FencedVexRiscvSv32 => {
            [address | (size / 4096 - 1), 0]
        }
    }
}

/// The address and the size of what the kernel names: by the same words, by Sv32 these two.
#[inline(always)]
pub(super) const fn named(protection: Protection, words: [usize; 2]) -> (usize, usize) {
    let next = words[0].wrapping_add(1);
    let (address, ones) = ((words[0] & next) << 2, (words[0] ^ next) + 1);
    match protection {
        Protection::Pmp => (address, ones * 4),
        Protection::VexRiscv => (address, ones),
        Protection::Mpu => (words[0], 1 << (words[1] & 31)),
        Protection::Sv32 | Protection::VexRiscvSv32 | Protection::FencedVexRiscvSv32 => (words[0], words[1]),
    }
}
