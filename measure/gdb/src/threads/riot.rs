//! RIOT's thread table (`core/include/thread.h`) and the frames of its switch (`cpu/cortexm_common`, `cpu/riscv_common`). The program's
//! debug information gives the layout.

use machine::Image;
use machine::target::Memory;

use super::saved::{Known, Saved, Thread, byte, high, is_arm, pointed_text, take_return, variable, word};

/// The addresses of the kernel's variables and the layout of a thread.
struct Riot {
    active: u32,
    table: u32,
    count: u32,
    stack: u32,
    status: u32,
    priority: u32,
    /// Offset of the name; present only if the program is configured with thread names.
    name: Option<u32>,
    frame: Frame,
}

/// How the switch saves registers.
enum Frame {
    Arm([&'static str; 8]),
    Riscv(Vec<(&'static str, u32)>),
}

/// Thread states (`core/include/sched.h`).
const SLEEPING: u8 = 2;
const RUNNING: u8 = 11;
/// An upper bound on threads.
const MOST: u32 = 256;
/// Registers in the order of the frame's members.
const RISCV: [&str; 29] = [
    "pc", "ra", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",
    "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];
/// Bytes of the frame, including padding.
const RISCV_FRAME: u32 = 128;

pub(super) fn find(image: &Image) -> Option<Box<dyn Known>> {
    let (active, _) = variable(image, "sched_active_thread")?;
    let (table, bytes) = variable(image, "sched_threads")?;
    let thread = image.structure("_thread")?;
    let of_thread = |name: &str| Some(thread.member(name)?.offset);
    let frame = if is_arm(image) {
        Frame::Arm(high(image))
    } else {
        let frame = image.structure("context_switch_frame")?;
        let place = |&name: &&'static str| Some((name, frame.member(name)?.offset));
        Frame::Riscv(RISCV.iter().map(place).collect::<Option<_>>()?)
    };
    Some(Box::new(Riot {
        active,
        table,
        count: (bytes / 4).min(MOST),
        stack: of_thread("sp")?,
        status: of_thread("status")?,
        priority: of_thread("priority")?,
        name: of_thread("name"),
        frame,
    }))
}

impl Known for Riot {
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        let active = word(memory, self.active)?;
        let mut threads = Vec::new();
        for number in 0..self.count {
            let thread = word(memory, self.table.wrapping_add(4 * number))?;
            if thread == 0 {
                continue;
            }
            let told = self.thread(memory, number, thread, thread == active)?;
            if thread == active {
                threads.insert(0, told);
            } else {
                threads.push(told);
            }
        }
        // No thread runs while all wait, nor in the middle of a switch.
        if !threads.is_empty() && threads[0].saved.is_some() {
            threads.insert(0, Thread::nobody());
        }
        (!threads.is_empty()).then_some(threads)
    }
}

impl Riot {
    fn thread(&self, memory: &dyn Memory, number: u32, thread: u32, runs: bool) -> Option<Thread> {
        let state = match byte(memory, thread.wrapping_add(self.status))? {
            // While all wait, the last thread that ran is still the active one.
            RUNNING.. if runs => "running",
            0 | 1 => "finished",
            SLEEPING => "sleeps",
            RUNNING.. => "ready",
            _ => "waits",
        };
        let name = self
            .name
            .and_then(|name| pointed_text(memory, thread.wrapping_add(name)));
        let name = name.unwrap_or_else(|| format!("thread {number}"));
        let priority = byte(memory, thread.wrapping_add(self.priority))?;
        let saved = || self.saved(memory, word(memory, thread.wrapping_add(self.stack))?);
        Some(Thread {
            key: thread,
            name: format!("{name}, {state}, priority {priority}"),
            saved: (!runs).then(|| saved().unwrap_or_default()),
        })
    }

    fn saved(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        match &self.frame {
            Frame::Arm(high) => {
                saved.take(memory, stack, high)?;
                let (more, float) = take_return(&mut saved, memory, stack.wrapping_add(32))?;
                saved.take_frame(memory, stack.wrapping_add(32 + more), float)?;
            }
            Frame::Riscv(places) => {
                for &(name, offset) in places {
                    saved.set(name, word(memory, stack.wrapping_add(offset))?);
                }
                saved.sp(stack.wrapping_add(RISCV_FRAME));
            }
        }
        Some(saved)
    }
}
