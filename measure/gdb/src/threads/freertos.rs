//! `FreeRTOS`: its lists of tasks, and the frames of its ports (`portable/GCC/ARM_CM*`, `portable/GCC/RISC-V`).

use machine::Image;
use machine::target::Memory;

use super::saved::{HIGH, Known, Saved, Thread, has_floats, is_arm, take_return, text, variable, word};

/// The addresses of the kernel's variables.
struct FreeRtos {
    arm: bool,
    has_floats: bool,
    current: u32,
    running: Option<u32>,
    lists: Vec<List>,
}

/// A list of tasks and the state that it stands for.
struct List {
    address: u32,
    /// Whether the address holds a pointer to the list.
    pointed: bool,
    state: &'static str,
}

/// Bytes of a `List_t`, with a `MiniListItem_t` or a full `ListItem_t` as end marker.
const SIZES: [u32; 2] = [20, 28];
/// The lists by variable name. The ready lists are an array; the lists reached by pointers swap places.
const LISTS: [(&str, bool, &str); 5] = [
    ("pxDelayedTaskList", true, "waits"),
    ("pxOverflowDelayedTaskList", true, "waits"),
    ("xPendingReadyList", false, "ready"),
    ("xSuspendedTaskList", false, "suspended"),
    ("xTasksWaitingTermination", false, "deleted"),
];
/// An upper bound on priorities.
const MOST_PRIORITIES: u32 = 256;
/// An upper bound on the tasks of a list; a longer one is circular.
const MOST: usize = 1000;
/// Words that the RISC-V port saves.
const WORDS: u32 = 31;

/// Finds `FreeRTOS` by a program's symbols.
pub(super) fn find(image: &Image) -> Option<Box<dyn Known>> {
    Some(Box::new(FreeRtos::of(image)?))
}

impl Known for FreeRtos {
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        self.tasks(memory)
    }
}

impl FreeRtos {
    fn of(image: &Image) -> Option<FreeRtos> {
        let (current, _) = variable(image, "pxCurrentTCB").or_else(|| variable(image, "pxCurrentTCBs"))?;
        let (ready, bytes) = variable(image, "pxReadyTasksLists")?;
        let single =
            |&(name, pointed, _): &(&str, bool, &str)| (!pointed).then(|| variable(image, name)).flatten();
        let size = LISTS.iter().find_map(single).map_or(SIZES[0], |(_, size)| size);
        if !SIZES.contains(&size) || !bytes.is_multiple_of(size) || bytes / size > MOST_PRIORITIES {
            return None;
        }
        let mut lists: Vec<List> = (0..bytes / size)
            .map(|priority| List {
                address: ready.wrapping_add(priority * size),
                pointed: false,
                state: "ready",
            })
            .collect();
        for (name, pointed, state) in LISTS {
            if let Some((address, _)) = variable(image, name) {
                lists.push(List {
                    address,
                    pointed,
                    state,
                });
            }
        }
        Some(FreeRtos {
            arm: is_arm(image),
            has_floats: has_floats(image),
            current,
            running: variable(image, "xSchedulerRunning").map(|(address, _)| address),
            lists,
        })
    }

    fn tasks(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        if let Some(running) = self.running
            && word(memory, running)? == 0
        {
            return None;
        }
        let current = word(memory, self.current)?;
        let mut tasks = vec![(current, "running")];
        for list in &self.lists {
            for task in list.tasks(memory)? {
                if tasks.iter().all(|&(known, _)| known != task) {
                    tasks.push((task, list.state));
                }
            }
        }
        let all = tasks
            .into_iter()
            .map(|(task, state)| self.thread(memory, task, state));
        all.collect()
    }

    fn thread(&self, memory: &dyn Memory, task: u32, state: &str) -> Option<Thread> {
        // The owner field of a task's state list item points to the task itself.
        if word(memory, task.wrapping_add(16))? != task {
            return None;
        }
        let priority = word(memory, task.wrapping_add(44))?;
        let runs = state == "running";
        Some(Thread {
            key: task,
            name: format!(
                "{}, {state}, priority {priority}",
                text(memory, task.wrapping_add(52), 16).unwrap_or_else(|| "a task".into())
            ),
            saved: if runs {
                None
            } else {
                Some(self.saved(memory, word(memory, task)?)?)
            },
        })
    }

    fn saved(&self, memory: &dyn Memory, top: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        if self.arm {
            saved.take(memory, top, &HIGH)?;
            let (more, float) = if self.has_floats {
                take_return(&mut saved, memory, top.wrapping_add(32))?
            } else {
                (0, false)
            };
            saved.take_frame(memory, top.wrapping_add(32 + more), float)?;
            return Some(saved);
        }
        saved.take(memory, top, &RISCV)?;
        saved.sp(top.wrapping_add(4 * WORDS));
        Some(saved)
    }
}

/// The register order of the RISC-V port: `mepc`, x1, and x5 to x31.
const RISCV: [&str; 29] = [
    "pc", "ra", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",
    "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl List {
    fn tasks(&self, memory: &dyn Memory) -> Option<Vec<u32>> {
        let list = if self.pointed {
            word(memory, self.address)?
        } else {
            self.address
        };
        // `uxNumberOfItems`, then `pxIndex`, then the end marker.
        let (items, end) = (word(memory, list)? as usize, list.wrapping_add(8));
        let mut item = word(memory, end.wrapping_add(4))?;
        let mut tasks = Vec::new();
        while item != end && item != 0 && tasks.len() < items.min(MOST) {
            tasks.push(word(memory, item.wrapping_add(12))?);
            item = word(memory, item.wrapping_add(4))?;
        }
        Some(tasks)
    }
}
