//! Shared by the programs that allocate and free while interrupts come.

use mainspring::pool::{Box, SharedPool};

use crate::sweep::broken;

/// Looks whether a box still holds what was put into it.
pub fn intact(boxed: &[u32; 2], value: [u32; 2]) {
    // SAFETY: a reference; volatile, because a box that two have is just what is looked for.
    if unsafe { core::ptr::read_volatile(boxed) } != value {
        broken();
    }
}

/// Takes three boxes and gives them back in another order. `must` says that there is always room.
#[inline(never)]
pub fn shuffle<P: SharedPool>(tag: u32, must: bool) {
    let take = |number| {
        let boxed = Box::<_, P>::new([tag, number]).ok();
        if must && boxed.is_none() {
            broken();
        }
        boxed
    };
    let give = |boxed: Option<Box<[u32; 2], P>>, number| {
        if let Some(boxed) = boxed {
            intact(&boxed, [tag, number]);
        }
    };
    let first = take(1);
    let second = take(2);
    give(first, 1);
    let third = take(3);
    give(second, 2);
    give(third, 3);
}

/// Whether the pool has exactly that many blocks for a pair of words, all of them different.
pub fn is_whole<P: SharedPool>(blocks: u32) -> bool {
    let mut count = 0;
    // A block that is in the list twice is handed out twice, and its first owner's number is then gone.
    let mut all: [Option<&'static mut [u32; 2]>; 16] = [const { None }; 16];
    while let Ok(boxed) = Box::<_, P>::new([count, !count]) {
        let Some(place) = all.get_mut(count as usize) else {
            return false;
        };
        *place = Some(Box::leak(boxed));
        count += 1;
    }
    let mut expected = 0..count;
    let own = |place: &&mut [u32; 2]| Some(place[0]) == expected.next();
    count == blocks && all.iter().flatten().all(own)
}
