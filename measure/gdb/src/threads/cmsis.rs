//! Threads that a program creates by CMSIS-RTOS2 (`kernel/cmsis/src/thread.rs`). Their control blocks hold the names; the program's debug
//! information gives the layout.

use machine::Image;
use machine::target::Memory;

use super::saved::{byte, pointed_text, word};

/// The layout of the control blocks.
pub(super) struct Blocks {
    /// Address of the array of pointers to them, by rank; a thread without one is the idle thread.
    by_rank: u32,
    /// Offsets in a block: its in-use marker, its name and its priority.
    is_there: u32,
    name: u32,
    priority: u32,
}

impl Blocks {
    pub(super) fn of(image: &Image) -> Option<Blocks> {
        let all = |name: &str| name == "mainspring_cmsis::thread::ALL";
        let all = image.symbols().find(|symbol| all(&symbol.name))?.address;
        let (threads, block) = (
            image.structure("mainspring_cmsis::thread::Threads")?,
            image.structure("mainspring_cmsis::thread::Tcb")?,
        );
        let of_block = |name: &str| Some(block.member(name)?.offset);
        Some(Blocks {
            by_rank: all.wrapping_add(threads.member("by_rank")?.offset),
            is_there: of_block("is_there")?,
            name: of_block("name")?,
            priority: of_block("priority")?,
        })
    }

    /// The name and priority of the thread of a rank; `None` if there is none.
    pub(super) fn find(&self, memory: &dyn Memory, rank: u32) -> Option<(String, u32)> {
        let block = word(memory, self.by_rank.wrapping_add(4 * rank))?;
        if block == 0 || byte(memory, block.wrapping_add(self.is_there))? != 1 {
            return None;
        }
        let name = pointed_text(memory, block.wrapping_add(self.name));
        let name = name.unwrap_or_else(|| format!("thread {block:#x}"));
        let priority = word(memory, block.wrapping_add(self.priority))?;
        Some((name, priority))
    }
}
