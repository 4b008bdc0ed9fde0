//! `ThreadX`: the list of all its threads (`common/inc/tx_api.h`), and the frames of its ports for the Cortex-M (`tx_thread_schedule.S`).

use machine::Image;
use machine::target::Memory;

use super::saved::{Known, Saved, Thread, high, is_arm, pointed_text, take_return, variable, word};

/// The addresses of the kernel's variables.
struct ThreadX {
    high: Option<[&'static str; 8]>,
    current: u32,
    first: u32,
    count: u32,
    block: Block,
}

/// Offsets in a control block.
struct Block {
    stack: u32,
    name: u32,
    priority: u32,
    state: u32,
    next: u32,
}

/// `tx_thread_id` of a valid thread: THRD.
const ID: u32 = 0x5448_5244;
/// An upper bound on threads; a longer list is circular.
const MOST: u32 = 1000;

pub(super) fn find(image: &Image) -> Option<Box<dyn Known>> {
    let place = |name| variable(image, name).map(|(address, _)| address);
    // The kernel is often a library without debug information, but its users' debug information describes a thread. Without either, the
    // default configuration's layout applies.
    let block = image.structure("TX_THREAD_STRUCT");
    let of_block = |name: &str, usual: u32| {
        let known = block.as_ref().and_then(|block| block.member(name));
        known.map_or(usual, |member| member.offset)
    };
    Some(Box::new(ThreadX {
        high: is_arm(image).then(|| high(image)),
        current: place("_tx_thread_current_ptr")?,
        first: place("_tx_thread_created_ptr")?,
        count: place("_tx_thread_created_count")?,
        block: Block {
            stack: of_block("tx_thread_stack_ptr", 8),
            name: of_block("tx_thread_name", 40),
            priority: of_block("tx_thread_priority", 44),
            state: of_block("tx_thread_state", 48),
            next: of_block("tx_thread_created_next", 136),
        },
    }))
}

impl Known for ThreadX {
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        let current = word(memory, self.current)?;
        let count = word(memory, self.count)?.min(MOST);
        let mut thread = word(memory, self.first)?;
        let mut threads = Vec::new();
        for _ in 0..count {
            let told = self.thread(memory, thread, thread == current)?;
            if thread == current {
                threads.insert(0, told);
            } else {
                threads.push(told);
            }
            thread = word(memory, thread.wrapping_add(self.block.next))?;
        }
        // No thread runs while all wait, nor in the middle of a switch.
        if !threads.is_empty() && threads[0].saved.is_some() {
            threads.insert(0, Thread::nobody());
        }
        (!threads.is_empty()).then_some(threads)
    }
}

impl ThreadX {
    fn thread(&self, memory: &dyn Memory, thread: u32, runs: bool) -> Option<Thread> {
        let of = |offset: u32| word(memory, thread.wrapping_add(offset));
        if of(0)? != ID {
            return None;
        }
        let state = match of(self.block.state)? {
            _ if runs => "running",
            0 => "ready",
            1 | 2 => "finished",
            3 => "suspended",
            _ => "waits",
        };
        let name = pointed_text(memory, thread.wrapping_add(self.block.name));
        let name = name.unwrap_or_else(|| format!("thread {thread:#x}"));
        let saved = || self.saved(memory, of(self.block.stack)?);
        Some(Thread {
            key: thread,
            name: format!("{name}, {state}, priority {}", of(self.block.priority)?),
            saved: (!runs).then(|| saved().unwrap_or_default()),
        })
    }

    fn saved(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        let (more, float) = take_return(&mut saved, memory, stack)?;
        let at = stack.wrapping_add(more);
        // `EXC_RETURN` is always saved.
        (more > 0).then_some(())?;
        saved.take(memory, at, self.high.as_ref()?)?;
        saved.take_frame(memory, at.wrapping_add(32), float)?;
        Some(saved)
    }
}
