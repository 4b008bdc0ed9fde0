//! heapless' box pool: one for each type, each with blocks of its own.

#![no_std]

use core::ptr::null_mut;

use common::{Allocator, Block, Kernel, MEMORY};
use heapless::box_pool;
use heapless::pool::boxed::{Box, BoxBlock, BoxPool};

/// Blocks of each of the eight types of the mix: as many as the memory holds.
const BLOCKS: usize = MEMORY / (4 * (1 + 2 + 3 + 4 + 6 + 8 + 12 + 16));

box_pool!(Bytes: u8);
box_pool!(Words: u32);
box_pool!(Longs: u64);
box_pool!(Words1: Block<0>);
box_pool!(Words2: Block<1>);
box_pool!(Words3: Block<2>);
box_pool!(Words4: Block<3>);
box_pool!(Words6: Block<5>);
box_pool!(Words8: Block<7>);
box_pool!(Words12: Block<11>);
box_pool!(Words16: Block<15>);

/// The pools.
pub struct Heapless(());

/// Which pool is for a type.
trait Pooled: Sized + 'static {
    type Pool: BoxPool<Data = Self>;
}

macro_rules! pooled {
    ($($value:ty => $pool:ident, $blocks:expr;)*) => {
        $(impl Pooled for $value {
            type Pool = $pool;
        })*

        impl Heapless {
            /// With their memory.
            pub fn ready() -> Self {
                $({
                    static mut MEMORY: [BoxBlock<$value>; $blocks] = [const { BoxBlock::new() }; $blocks];
                    // SAFETY: called once, and no other code uses the memory.
                    for block in unsafe { &mut *(&raw mut MEMORY) } {
                        $pool.manage(block);
                    }
                })*
                Heapless(())
            }
        }

        impl Allocator for Heapless {
            fn bookkeeping(&self) -> usize {
                // Each pool is the head of its list.
                $(let _ = $pool;)*
                8 * size_of::<*mut u8>()
            }
        }
    };
}

pooled! {
    u8 => Bytes, 8;
    u32 => Words, 8;
    u64 => Longs, 8;
    Block<0> => Words1, BLOCKS;
    Block<1> => Words2, BLOCKS;
    Block<2> => Words3, BLOCKS;
    Block<3> => Words4, BLOCKS;
    Block<5> => Words6, BLOCKS;
    Block<7> => Words8, BLOCKS;
    Block<11> => Words12, BLOCKS;
    Block<15> => Words16, BLOCKS;
}

impl<T: Pooled> Kernel<T> for Heapless {
    #[inline(always)]
    fn take(&mut self, value: T) -> *mut T {
        match T::Pool::alloc(value) {
            Ok(boxed) => Box::into_raw(boxed),
            Err(_) => null_mut(),
        }
    }

    #[inline(always)]
    unsafe fn give(&mut self, place: *mut T) {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::<T::Pool>::from_raw(place) });
    }
}
