//! Mainspring's threads: its kernel's state (`kernel/core/src/threads/scheduler.rs`), and the frames of its switch on a Cortex-M
//! (`kernel/mainspring/src/arch/cortex_m/switch.rs`); those on RV32 are `rv32`'s.

mod rv32;

use machine::Image;
use machine::target::Memory;

use super::cmsis::Blocks;
use super::{HIGH, Known, Saved, Thread, has_floats, is_arm, is_armv6m, take_return, word};
use rv32::Ways;

/// Where its state is, and whose stack begins where.
struct Mainspring {
    kernel: u32,
    slots: u32,
    stacks: Vec<(u32, u32, String)>,
    /// Where the threads of a program with CMSIS-RTOS2 have their names.
    blocks: Option<Blocks>,
    switch: Switch,
}

/// How threads leave.
enum Switch {
    Rv32(Ways),
    CortexM(CortexM),
}

/// What is known of a program's switch.
struct CortexM {
    is_armv6m: bool,
    has_floats: bool,
    /// The functions by which threads leave that are no rows of a table, and their bytes.
    leave: Vec<(u32, u32)>,
}

/// Words of the state, and where its slots begin.
const CONTENDING: u32 = 0;
const RUNNING: u32 = 8;
const SUSPENDED: u32 = 20;
const FINISHED: u32 = 28;
const SLOTS: u32 = 60;
/// Of a slot: its bytes, and where it has the lowest address of the thread's stack.
const SLOT: u32 = 32;
const GUARD: u32 = 28;
/// Of the most threads, the idle loop, and nobody.
const MOST: u32 = 33;

/// By the symbols of a program.
pub(super) fn find(image: &Image) -> Option<Box<dyn Known>> {
    Some(Box::new(Mainspring::of(image)?))
}

impl Known for Mainspring {
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        self.all(memory)
    }
}

impl Mainspring {
    fn of(image: &Image) -> Option<Mainspring> {
        let is_kernel = |name: &str| {
            name.ends_with("::__KERNEL") || name == "__KERNEL" || name == "mainspring_cmsis::port::KERNEL"
        };
        let kernel = image.symbols().find(|symbol| is_kernel(&symbol.name))?;
        let slots = kernel.size.checked_sub(SLOTS)?;
        let leave = image.symbols().filter(|symbol| LEAVE.contains(&&*symbol.name));
        let switch = if is_arm(image) {
            Switch::CortexM(CortexM {
                is_armv6m: is_armv6m(image),
                has_floats: has_floats(image),
                leave: leave.map(|symbol| (symbol.address & !1, symbol.size)).collect(),
            })
        } else {
            Switch::Rv32(Ways::of(image))
        };
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
            blocks: Blocks::of(image),
            switch,
        })
    }

    /// `None` before they are started.
    fn all(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        let field = |offset: u32| word(memory, self.kernel.wrapping_add(offset));
        let (contending, running) = (field(CONTENDING)?, field(RUNNING)?);
        let (suspended, finished) = (field(SUSPENDED)?, field(FINISHED)?);
        let mut threads = Vec::new();
        for rank in 0..self.slots {
            let slot = self.kernel.wrapping_add(SLOTS + rank * SLOT);
            let (stack, guard) = (word(memory, slot)?, word(memory, slot.wrapping_add(GUARD))?);
            let Some((name, more)) = self.named(memory, rank, guard) else {
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
                name: format!("{name}, {state}{more}"),
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
        let bit = match self.switch {
            Switch::CortexM(CortexM { is_armv6m: false, .. }) => 0x8000_0000u32.checked_shr(rank),
            Switch::CortexM(_) | Switch::Rv32(_) => 1u32.checked_shl(rank),
        };
        bit.unwrap_or(0)
    }

    /// The registers of a thread that does not run.
    fn saved(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        match &self.switch {
            _ if stack == 0 => None,
            Switch::Rv32(ways) => ways.saved(memory, stack),
            Switch::CortexM(switch) if stack & 4 != 0 => switch.left(memory, stack),
            Switch::CortexM(switch) => switch.interrupted(memory, stack),
        }
    }

    /// What the thread of this rank is called, whose stack begins here, and what is behind that in its description; `None` if there is no
    /// such thread.
    fn named(&self, memory: &dyn Memory, rank: u32, guard: u32) -> Option<(String, String)> {
        let Some(blocks) = &self.blocks else {
            return Some((self.owner_of(guard)?.to_owned(), String::new()));
        };
        let (name, priority) = blocks.find(memory, rank)?;
        Some((name, format!(", priority {priority}")))
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

impl CortexM {
    /// The registers of a thread that left by itself, whose frame has an odd number of words; those of one that left by a function are what it
    /// has behind that.
    fn left(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        let frame: &[&str] = if self.is_armv6m { &V6M_FRAME } else { &FRAME };
        saved.take(memory, stack, frame)?;
        let mut stack = stack.wrapping_add(4 * frame.len() as u32);
        let mut pc = word(memory, stack)? & !1;
        stack = stack.wrapping_add(4);
        if self
            .leave
            .iter()
            .any(|(from, size)| pc.wrapping_sub(*from) < *size)
        {
            let kept: &[&str] = if self.is_armv6m { &V6M_KEPT } else { &KEPT };
            saved.take(memory, stack, kept)?;
            stack = stack.wrapping_add(4 * kept.len() as u32);
            pc = word(memory, stack)? & !1;
            stack = stack.wrapping_add(4);
        }
        saved.set("pc", pc);
        saved.set("xpsr", 1 << 24);
        saved.sp(stack);
        Some(saved)
    }

    /// The registers of a thread that was pre-empted.
    fn interrupted(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        if !self.has_floats {
            saved.take(memory, stack, &HIGH)?;
            saved.take_frame(memory, stack.wrapping_add(32), false)?;
            return Some(saved);
        }
        // R3 is saved before the others, and how to return behind them.
        let (more, float) = take_return(&mut saved, memory, stack.wrapping_add(36))?;
        saved.take(memory, stack.wrapping_add(4), &HIGH)?;
        saved.take_frame(memory, stack.wrapping_add(36 + more), float)?;
        Some(saved)
    }
}

/// What lies below where to go on: in a frame, and in what the function keeps behind one (`kernel/mainspring/src/arch/cortex_m/dynamic.rs`).
const FRAME: [&str; 2] = ["r6", "r7"];
const KEPT: [&str; 7] = ["r3", "r4", "r5", "r8", "r9", "r10", "r11"];
const V6M_FRAME: [&str; 6] = ["r8", "r9", "r10", "r11", "r6", "r7"];
const V6M_KEPT: [&str; 3] = ["r3", "r4", "r5"];
/// By which a thread leaves that is no row of a table.
const LEAVE: [&str; 2] = [
    "mainspring::arch::cortex_m::dynamic::leave",
    "mainspring::arch::cortex_m::dynamic::leave_at_last",
];
