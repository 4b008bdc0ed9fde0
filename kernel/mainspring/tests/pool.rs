//! Boxes on the host: what is dropped, and how often, on every path; and what happens when nothing is left.

use std::cell::Cell;
use std::fmt::{Display, Write};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use mainspring::pool::{self, Array, Box, Dyn, Exhausted, Job, Key, Pool, Refused, Storage, Text, TooLong};

/// A value that counts its end.
#[derive(Debug)]
struct Counted<T = ()>(Rc<Cell<u32>>, #[allow(dead_code)] T);

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

fn counter() -> Rc<Cell<u32>> {
    Rc::default()
}

/// How many boxes of a `T` the pool can give at once; all of them go back.
fn room<T: Copy + Default, P: pool::SharedPool>() -> usize {
    std::iter::from_fn(|| Box::<T, P>::new(T::default()).ok())
        .collect::<Vec<_>>()
        .len()
}

mod basics {
    use super::*;

    mainspring::pool! {
        /// Four blocks of 16.
        struct Heap;
        bytes = 64;
        classes = [16];
    }

    #[test]
    fn a_box_drops_its_value_once_and_gives_its_block_back() {
        let drops = counter();
        assert_eq!(room::<u64, Heap>(), 4);
        let boxed: Box<_, Heap> = Box::new(Counted(drops.clone(), ())).expect("room");
        assert_eq!((room::<u64, Heap>(), drops.get()), (3, 0));
        drop(boxed);
        assert_eq!((room::<u64, Heap>(), drops.get()), (4, 1));

        let boxed: Box<_, Heap> = Box::new(Counted(drops.clone(), ())).expect("room");
        let value = Box::into_inner(boxed);
        assert_eq!(
            (room::<u64, Heap>(), drops.get()),
            (4, 1),
            "the block is back, the value is not dropped"
        );
        drop(value);
        assert_eq!(drops.get(), 2);

        let raw = Box::<_, Heap>::into_raw(Box::new(Counted(drops.clone(), ())).expect("room"));
        assert_eq!((room::<u64, Heap>(), drops.get()), (3, 2));
        // SAFETY: just taken apart.
        #[allow(unsafe_code)]
        drop(unsafe { Box::<_, Heap>::from_raw(raw) });
        assert_eq!((room::<u64, Heap>(), drops.get()), (4, 3));

        let made: Box<Counted, Heap> = Box::with(|| Counted(drops.clone(), ())).expect("room");
        drop(made);
        assert_eq!((room::<u64, Heap>(), drops.get()), (4, 4));

        let boxed: Box<_, Heap> = Box::new(Counted(drops.clone(), ())).expect("room");
        let panicking = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _boxed = boxed;
            std::panic::resume_unwind(std::boxed::Box::new(()));
        }));
        assert!(panicking.is_err());
        assert_eq!(
            (room::<u64, Heap>(), drops.get()),
            (4, 5),
            "dropped while unwinding"
        );
    }
}

mod every_size {
    use super::*;

    mainspring::pool! {
        struct Any;
        bytes = 1024;
        up_to = 126;
        statistics = On;
    }

    #[test]
    fn has_a_class_and_wastes_at_most_three_bytes() {
        assert_eq!(Any::CLASSES.len(), 32);
        assert_eq!((Any::CLASSES[0].size, Any::CLASSES[31].size), (4, 128));
        assert!((1..=128).all(|size| {
            let class = pool::class::<Any>(size, 1).expect("a class");
            Any::CLASSES[class].size - size < 4
        }));
        assert_eq!(pool::class::<Any>(129, 1), None);
        // Aligned to 8, a size is a multiple of 8, and its class is so aligned.
        assert_eq!(
            pool::class::<Any>(24, 8).map(|class| Any::CLASSES[class].size),
            Some(24)
        );
        let (a, b) = (13_u8, [1_u32; 5]);
        let job: Job<Any, u32, u32> = Job::new(move |c| u32::from(a) + b.iter().sum::<u32>() + c)
            .ok()
            .expect("room");
        let block: Box<[u8; 99], Any> = Box::new([7; 99]).expect("room");
        assert_eq!((job.call(2), block[98]), (20, 7));
    }
}

mod one_pointer {
    use super::*;

    mainspring::pool! {
        struct Heap;
        bytes = 256;
        classes = [4, 8, 16, 64 align 64];
        statistics = On;
    }

    #[repr(align(64))]
    #[derive(Clone, Copy)]
    struct Wide(u8);

    #[test]
    fn a_box_is_one_pointer_and_its_class_follows_size_and_alignment() {
        assert_eq!(size_of::<Box<[u8; 16], Heap>>(), size_of::<usize>());
        assert_eq!(size_of::<Option<Box<[u8; 16], Heap>>>(), size_of::<usize>());
        assert_eq!(size_of::<Job<Heap>>(), size_of::<usize>());
        assert_eq!(
            (pool::waste::<u8, Heap>(), pool::waste::<[u8; 9], Heap>()),
            (3, 7)
        );
        let (byte, long, wide): (Box<u8, Heap>, Box<u64, Heap>, Box<Wide, Heap>) = (
            Box::new(1).expect("room"),
            Box::new(2).expect("room"),
            Box::new(Wide(3)).ok().expect("room"),
        );
        assert_eq!((&raw const *long).addr() % 8, 0);
        assert_eq!((&raw const *wide).addr() % 64, 0);
        assert_eq!((*byte, *long, wide.0), (1, 2, 3));
        let counts = [0, 1, 2, 3].map(|class| Heap::STORE.statistics().of(class).in_use);
        assert_eq!(counts, [1, 1, 0, 1]);
        assert_eq!(Heap::STORE.statistics().largest(), 64);
        assert!(pool::high_water::<Heap>() >= 4 + 8 + 64);
        drop((byte, long));
        assert_eq!(
            Heap::STORE.statistics().of(0),
            pool::Count {
                in_use: 0,
                most: 1,
                refused: 0
            }
        );
    }
}

mod nothing {
    use super::*;

    mainspring::pool! {
        struct Heap;
        bytes = 8;
        classes = [8];
    }

    #[repr(align(128))]
    struct Aligned;

    #[test]
    fn values_without_size_take_no_block_however_they_are_aligned() {
        thread_local!(static DROPS: Cell<u32> = const { Cell::new(0) });
        struct Unit;
        impl Drop for Unit {
            fn drop(&mut self) {
                DROPS.set(DROPS.get() + 1);
            }
        }
        let boxes: Vec<Box<Unit, Heap>> = (0..100).filter_map(|_| Box::new(Unit).ok()).collect();
        assert_eq!(
            (boxes.len(), DROPS.get(), pool::high_water::<Heap>()),
            (100, 0, 0)
        );
        drop(boxes);
        assert_eq!(DROPS.get(), 100);
        let aligned: Box<Aligned, Heap> = Box::new(Aligned).ok().expect("always");
        assert_eq!((&raw const *aligned).addr() % 128, 0);
        let empty: Dyn<[u64], Heap> = Dyn::copy(&[]).expect("always");
        assert!(empty.is_empty());
        assert_eq!(pool::high_water::<Heap>(), 0);
    }
}

#[path = "pool/objects.rs"]
mod objects;

#[path = "pool/out_of_memory.rs"]
mod out_of_memory;

mod larger {
    use super::*;

    mainspring::pool! {
        struct Stays;
        bytes = 64;
        classes = [8, 16, 32 align 32];
    }

    mainspring::pool! {
        struct Moves;
        bytes = 64;
        classes = [8, 16, 32 align 32];
        when_dry = TakeLarger;
    }

    /// Uses all of the memory up in blocks of 16, gives them back, and asks for smaller ones.
    fn then_small<P: pool::SharedPool>() -> (usize, usize) {
        assert_eq!(room::<[u64; 2], P>(), 4);
        (room::<u64, P>(), room::<[u64; 2], P>())
    }

    #[test]
    fn memory_stays_with_its_class_unless_the_pool_says_otherwise() {
        assert_eq!(then_small::<Stays>(), (0, 4));
        assert_eq!(
            then_small::<Moves>(),
            (4, 0),
            "what went to the smaller class stays there"
        );
    }
}

#[path = "pool/dynamic.rs"]
mod dynamic;

#[path = "pool/bounded.rs"]
mod bounded;

#[path = "pool/exclusive.rs"]
mod exclusive;

mod ported_programs {
    use mainspring::pool::ported::{Box, BoxPool};

    mainspring::box_pool!(
        /// As in the documentation of `heapless::pool::boxed`.
        Numbers: u64, 2
    );

    #[test]
    fn run() {
        let first: Box<Numbers> = Numbers.alloc(1).expect("a block");
        let second = Numbers.alloc(2).expect("a block");
        assert_eq!((*first, *second, Numbers.alloc(3)), (1, 2, Err(3)));
        drop(first);
        assert_eq!(Numbers.alloc(4).as_deref(), Ok(&4));
    }
}

mod from_everywhere {
    use super::*;

    mainspring::pool! {
        struct Heap;
        bytes = 512;
        classes = [16];
        statistics = On;
    }

    #[test]
    fn boxes_are_made_and_dropped_by_many_threads() {
        let rounds = if cfg!(miri) { 20 } else { 2000 };
        std::thread::scope(|scope| {
            let (give, got) = std::sync::mpsc::sync_channel::<Box<[usize; 2], Heap>>(4);
            let sums: Vec<_> = (0..3)
                .map(|thread| {
                    let give = give.clone();
                    scope.spawn(move || {
                        for round in 0..rounds {
                            let own: Box<_, Heap> = Box::new([thread, round]).expect("room");
                            give.send(Box::new([thread, round]).expect("room"))
                                .expect("a receiver");
                            assert_eq!(*own, [thread, round]);
                        }
                    })
                })
                .collect();
            drop(give);
            assert_eq!(got.iter().filter(|boxed| boxed[0] < 3).count(), 3 * rounds);
            for thread in sums {
                thread.join().expect("no panic");
            }
        });
        assert_eq!(Heap::STORE.statistics().of(0).in_use, 0);
    }
}

mod global {
    use super::*;
    use std::alloc::{GlobalAlloc, Layout};

    mainspring::pool! {
        struct Heap;
        bytes = 512;
        classes = [16, 64];
        statistics = On;
    }

    #[test]
    #[allow(unsafe_code, clippy::cast_ptr_alignment)] // An allocator's functions are; its layouts are aligned to 8.
    fn a_pool_serves_as_the_global_allocator() {
        let global = pool::Global::<Heap>::new();
        let layout = |size| Layout::from_size_align(size, 8).expect("sensible");
        // SAFETY: what is given back was taken, with the same layout.
        unsafe {
            let place = global.alloc(layout(5));
            place.cast::<u32>().write(42);
            let same = global.realloc(place, layout(5), 16);
            assert_eq!(same, place, "grows within its block");
            let moved = global.realloc(same, layout(16), 17);
            assert_eq!(moved.cast::<u32>().read(), 42);
            assert!(global.alloc(layout(65)).is_null(), "no class is that large");
            assert!(global.realloc(moved, layout(17), 65).is_null());
            global.dealloc(moved, layout(17));
        }
        assert_eq!(
            [0, 1].map(|class| Heap::STORE.statistics().of(class).in_use),
            [0, 0]
        );
    }
}

/// Sums whatever is shown.
fn shown(values: &[&dyn Display]) -> String {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn boxes_look_like_their_values() {
    mainspring::pool! {
        struct Heap;
        bytes = 64;
        classes = [16];
    }
    let (one, two): (Box<u32, Heap>, Box<u32, Heap>) =
        (Box::new(1).expect("room"), Box::new(2).expect("room"));
    assert_eq!(shown(&[&one, &two]), "12");
    assert!(one != two && format!("{one:?}") == "1");
    let borrow: &u32 = std::borrow::Borrow::borrow(&one);
    assert_eq!(borrow, one.as_ref());
}
