//! Mainspring's threads: its kernel's state (`kernel/core/src/threads/scheduler.rs`), and the frames of its switch on a Cortex-M
//! (`kernel/mainspring/src/arch/cortex_m/switch.rs`); those on RV32 are `rv32`'s.

mod rv32;

use machine::Image;
use machine::target::Memory;

use super::{HIGH, Saved, Thread, is_arm, take_return, word};
use rv32::Ways;

/// Where its state is, and whose stack begins where.
pub(crate) struct Mainspring {
    kernel: u32,
    slots: u32,
    stacks: Vec<(u32, u32, String)>,
    /// How threads leave on RV32; none on a Cortex-M.
    ways: Option<Ways>,
}

/// Words of the state, and where its slots begin.
const CONTENDING: u32 = 0;
const RUNNING: u32 = 8;
const SUSPENDED: u32 = 20;
const FINISHED: u32 = 28;
const SLOTS: u32 = 56;
/// Of a slot: its bytes, and where it has the lowest address of the thread's stack.
const SLOT: u32 = 32;
const GUARD: u32 = 28;
/// Of the most threads, the idle loop, and nobody.
const MOST: u32 = 33;

impl Mainspring {
    pub(super) fn of(image: &Image) -> Option<Mainspring> {
        let is_kernel = |name: &str| name.ends_with("::__KERNEL") || name == "__KERNEL";
        let kernel = image.symbols().find(|symbol| is_kernel(&symbol.name))?;
        let slots = kernel.size.checked_sub(SLOTS)?;
        let ways = (!is_arm(image)).then(|| Ways::of(image));
        if !slots.is_multiple_of(SLOT) || !(1..=MOST).contains(&(slots / SLOT)) {
            return None;
        }
        let stacks = image.symbols().filter_map(|symbol| {
            let owner = owner(&symbol.name)?;
            Some((symbol.address, symbol.size, owner))
        });
        Some(Mainspring {
            kernel: kernel.address,
            slots: slots / SLOT,
            stacks: stacks.collect(),
            ways,
        })
    }

    /// `None` before they are started.
    pub(super) fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        let field = |offset: u32| word(memory, self.kernel.wrapping_add(offset));
        let (contending, running) = (field(CONTENDING)?, field(RUNNING)?);
        let (suspended, finished) = (field(SUSPENDED)?, field(FINISHED)?);
        let mut threads = Vec::new();
        for rank in 0..self.slots {
            let slot = self.kernel.wrapping_add(SLOTS + rank * SLOT);
            let (stack, guard) = (word(memory, slot)?, word(memory, slot.wrapping_add(GUARD))?);
            let Some(name) = self.owner_of(guard) else {
                continue;
            };
            let bit = self.bit(rank);
            let has = |set: u32| set & bit != 0;
            let state = match () {
                () if rank == running => "running",
                () if has(finished) => "finished",
                () if has(suspended) => "suspended",
                () if has(contending) => "ready",
                () => "waits",
            };
            let thread = Thread {
                key: rank + 1,
                name: format!("{name}, {state}"),
                saved: if rank == running {
                    None
                } else {
                    Some(self.saved(memory, stack).unwrap_or_default())
                },
            };
            // The running one is the first.
            if rank == running {
                threads.insert(0, thread);
            } else {
                threads.push(thread);
            }
        }
        let runs = threads.first().is_some_and(|thread| thread.saved.is_none());
        runs.then_some(threads)
    }

    /// The bit of a rank in a set (`kernel/core/src/threads/order.rs`); the idle loop has none, if all others are taken.
    fn bit(&self, rank: u32) -> u32 {
        let bit = match self.ways {
            Some(_) => 1u32.checked_shl(rank),
            None => 0x8000_0000u32.checked_shr(rank),
        };
        bit.unwrap_or(0)
    }

    /// The registers of a thread that does not run.
    fn saved(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        match &self.ways {
            _ if stack == 0 => None,
            Some(ways) => ways.saved(memory, stack),
            None => saved(memory, stack),
        }
    }

    /// Whose stack an address is in.
    fn owner_of(&self, address: u32) -> Option<&str> {
        let mut stacks = self.stacks.iter();
        let found = stacks.find(|(base, size, _)| address.wrapping_sub(*base) < *size);
        found.map(|(_, _, owner)| owner.as_str())
    }
}

/// `First` of `<app::First as mainspring::threads::thread::Threaded>::STACK::STACK`, and the idle loop's stack.
fn owner(symbol: &str) -> Option<String> {
    if symbol.contains("::IDLE_STACK::") {
        return Some("idle".into());
    }
    let (before, _) = symbol.split_once(" for ").map_or_else(
        || symbol.split_once(" as mainspring::threads::"),
        |(_, owner)| owner.split_once('>'),
    )?;
    let owned = symbol.contains("::STACK::");
    let name = before
        .rsplit("::")
        .next()
        .unwrap_or(before)
        .trim_start_matches('<');
    owned.then(|| name.to_owned())
}

/// The registers of a thread that left by itself, whose frame has an odd number of words, or of one that was pre-empted.
fn saved(memory: &dyn Memory, stack: u32) -> Option<Saved> {
    let mut saved = Saved::default();
    if stack & 4 != 0 {
        saved.take(memory, stack, &["r6", "r7"])?;
        saved.set("pc", word(memory, stack.wrapping_add(8))? & !1);
        saved.set("xpsr", 1 << 24);
        saved.sp(stack.wrapping_add(12));
        return Some(saved);
    }
    // With floating point, R3 is saved before the others, and how to return behind them.
    let mut floating = Saved::default();
    let (more, float) = take_return(&mut floating, memory, stack.wrapping_add(36))?;
    if more == 0 {
        saved.take(memory, stack, &HIGH)?;
        saved.take_frame(memory, stack.wrapping_add(32), false)?;
        return Some(saved);
    }
    floating.take(memory, stack.wrapping_add(4), &HIGH)?;
    floating.take_frame(memory, stack.wrapping_add(36 + more), float)?;
    Some(floating)
}
