//! A table that finds the memory at an address.

use std::sync::{Arc, LazyLock};

use crate::Region;
use crate::memory::MemoryId;

/// Size of one slot: 16 KiB, so that two memories of a chip seldom share one.
pub(crate) const SLOT_BITS: u32 = 14;
const SLOTS: usize = 1 << (32 - SLOT_BITS);

/// For each part of the address space the memory that answers there.
pub(crate) type Slots = [MemoryId; SLOTS];

/// The slots of a bus without memories, which replaces a bus while that is taken out of its core.
pub(crate) static NO_SLOTS: LazyLock<Arc<Slots>> = LazyLock::new(|| of([]));

/// The slots in which these memories answer; of several in one, the last.
pub(crate) fn of<'a>(memories: impl IntoIterator<Item = (usize, &'a Region)>) -> Arc<Slots> {
    let mut slots = vec![MemoryId::EMPTY; SLOTS];
    for (index, region) in memories {
        let Some(size) = region.size.checked_sub(1) else {
            continue;
        };
        let last = region.base.saturating_add(size);
        let places = (region.base >> SLOT_BITS) as usize..=(last >> SLOT_BITS) as usize;
        slots[places].fill(MemoryId::new(index));
    }
    let slots: Arc<[MemoryId]> = slots.into();
    slots
        .try_into()
        .unwrap_or_else(|_| unreachable!("the length is SLOTS"))
}
