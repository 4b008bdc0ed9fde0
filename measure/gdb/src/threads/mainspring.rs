//! Mainspring's threads: its kernel's state (`kernel/core/src/threads/scheduler.rs`), and the frames of its switch on a Cortex-M
//! (`kernel/mainspring/src/arch/cortex_m/switch.rs`); those on RV32 are `rv32`'s.

mod rv32;

use machine::Image;
use machine::target::Memory;

use super::cmsis::Blocks;
use super::saved::{HIGH, Known, Saved, Thread, has_floats, is_arm, is_armv6m, take_return, word};
use rv32::Ways;

/// The address of the kernel's state, and the stacks by address.
struct Mainspring {
    kernel: u32,
    slots: u32,
    stacks: Vec<(u32, u32, String)>,
    /// The control blocks that name threads, in a program with CMSIS-RTOS2.
    blocks: Option<Blocks>,
    switch: Switch,
}

/// How threads save their registers when they leave the core.
enum Switch {
    Rv32(Ways),
    CortexM(CortexM),
}

/// The switch of a Cortex-M program.
struct CortexM {
    is_armv6m: bool,
    has_floats: bool,
    /// Address and size of the functions by which threads outside the table leave.
    leave: Vec<(u32, u32)>,
}

/// Word offsets in the state, and where its slots begin.
const CONTENDING: u32 = 0;
const RUNNING: u32 = 8;
const SUSPENDED: u32 = 20;
const FINISHED: u32 = 28;
const SLOTS: u32 = 60;
/// Bytes of a slot, and the offset of its stack's lowest address.
const SLOT: u32 = 32;
const GUARD: u32 = 28;
/// The most slots: all threads, the idle loop and none.
const MOST: u32 = 33;

/// Finds Mainspring by a program's symbols.
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

    /// All threads; `None` before the kernel starts them.
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
            // The running thread goes first.
            if rank == running {
                threads.insert(0, thread);
            } else {
                threads.push(thread);
            }
        }
        let runs = threads.first().is_some_and(|thread| thread.saved.is_none());
        runs.then_some(threads)
    }

    /// The bit of a rank in a set (`kernel/core/src/threads/order.rs`). The idle loop has none if threads take all others.
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

    /// The name of the thread of a rank whose stack begins at `guard`, and the rest of its description; `None` if there is none.
    fn named(&self, memory: &dyn Memory, rank: u32, guard: u32) -> Option<(String, String)> {
        let Some(blocks) = &self.blocks else {
            return Some((self.owner_of(guard)?.to_owned(), String::new()));
        };
        let (name, priority) = blocks.find(memory, rank)?;
        Some((name, format!(", priority {priority}")))
    }

    /// The name of the thread whose stack holds an address.
    fn owner_of(&self, address: u32) -> Option<&str> {
        let mut stacks = self.stacks.iter();
        let found = stacks.find(|(base, size, _)| address.wrapping_sub(*base) < *size);
        found.map(|(_, _, owner)| owner.as_str())
    }
}

/// The thread's name from its stack's symbol: `First` for `<app::First as mainspring::model::Threaded>::STACK::STACK`, and the
/// idle loop's.
fn owner(symbol: &str) -> Option<String> {
    if symbol.contains("::IDLE_STACK::") {
        return Some("idle".into());
    }
    let (before, _) = symbol.split_once(" for ").map_or_else(
        || symbol.split_once(" as mainspring::"),
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
    /// The registers of a thread that left by itself. Its frame has an odd number of words; what a leave function keeps lies after it.
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

    /// The registers of a pre-empted thread.
    fn interrupted(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        if !self.has_floats {
            saved.take(memory, stack, &HIGH)?;
            saved.take_frame(memory, stack.wrapping_add(32), false)?;
            return Some(saved);
        }
        // R3 is saved first, and the return state after the others.
        let (more, float) = take_return(&mut saved, memory, stack.wrapping_add(36))?;
        saved.take(memory, stack.wrapping_add(4), &HIGH)?;
        saved.take_frame(memory, stack.wrapping_add(36 + more), float)?;
        Some(saved)
    }
}

/// Registers below the resume address: in a frame, and in what the function keeps after one
/// (`kernel/mainspring/src/arch/cortex_m/dynamic.rs`).
const FRAME: [&str; 2] = ["r6", "r7"];
const KEPT: [&str; 7] = ["r3", "r4", "r5", "r8", "r9", "r10", "r11"];
const V6M_FRAME: [&str; 6] = ["r8", "r9", "r10", "r11", "r6", "r7"];
const V6M_KEPT: [&str; 3] = ["r3", "r4", "r5"];
/// The functions by which threads outside the table leave.
const LEAVE: [&str; 2] = [
    "mainspring::arch::cortex_m::dynamic::leave",
    "mainspring::arch::cortex_m::dynamic::leave_at_last",
];
