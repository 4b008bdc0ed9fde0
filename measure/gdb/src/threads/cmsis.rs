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

/// The module that has the control blocks, and the one that had them in older programs.
const MODULES: [&str; 2] = ["mainspring_cmsis::tcb", "mainspring_cmsis::thread"];

impl Blocks {
    pub(super) fn of(image: &Image) -> Option<Blocks> {
        MODULES.iter().find_map(|module| Blocks::in_module(image, module))
    }

    fn in_module(image: &Image, module: &str) -> Option<Blocks> {
        let all = format!("{module}::ALL");
        let all = image.symbols().find(|symbol| symbol.name == all)?.address;
        let (threads, block) = (
            image.structure(&format!("{module}::Threads"))?,
            image.structure(&format!("{module}::Tcb"))?,
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
