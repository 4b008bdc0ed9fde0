//! Zephyr's threads and the registers that its switch saves in them (`kernel/include/kernel_structs.h`,
//! `include/zephyr/arch/{arm,riscv}/thread.h`). The program's debug information gives the layout.

use machine::target::{Memory, Registers as _};
use machine::{Image, image::Structure};

use super::saved::{HIGH, Known, SINGLE, Saved, Thread, byte, is_arm, text, variable, word};

/// The addresses of the kernel's variables and the layout of a thread.
struct Zephyr {
    current: u32,
    /// The list's head and the offset of the next pointer, if the kernel keeps a list (`CONFIG_THREAD_MONITOR`).
    list: Option<(u32, u32)>,
    /// Statically allocated threads, with their names.
    variables: Vec<(u32, String)>,
    state: u32,
    priority: u32,
    timeout: Option<u32>,
    /// Offset of the thread's name (`CONFIG_THREAD_NAME`).
    name: Option<u32>,
    saves: Saves,
}

/// Offsets of a thread's saved registers.
enum Saves {
    /// R4 to R11, the stack pointer, and with floating point `EXC_RETURN` and S16.
    Arm(u32, u32, Option<(u32, u32)>),
    Riscv(Vec<(&'static str, u32)>),
}

/// Bits of a thread's state.
const DUMMY: u8 = 1;
const PENDING: u8 = 1 << 1;
const SLEEPS: u8 = 1 << 2;
const DEAD: u8 = 1 << 3;
const SUSPENDED: u8 = 1 << 4;
/// An upper bound on threads; a longer list is circular.
const MOST: usize = 1000;
/// Registers that `z_riscv_switch` saves; the thread resumes at its return address.
const RISCV: [&str; 14] = [
    "sp", "ra", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
];

pub(super) fn find(image: &Image) -> Option<Box<dyn Known>> {
    let (kernel, _) = variable(image, "_kernel")?;
    let state = image.structure("z_kernel")?;
    let thread = image.structure("k_thread")?;
    let place = |name: &str| Some(kernel.wrapping_add(state.member(name)?.offset));
    let of_thread = |name: &str| Some(thread.member(name)?.offset);
    let list = place("threads").zip(of_thread("next_thread"));
    Some(Box::new(Zephyr {
        current: place("cpus.current")?,
        list,
        variables: image
            .symbols()
            .filter_map(|symbol| Some((symbol.address, named(&symbol.name)?)))
            .collect(),
        state: of_thread("base.thread_state")?,
        priority: of_thread("base.prio")?,
        timeout: of_thread("base.timeout.node"),
        name: of_thread("name"),
        saves: if is_arm(image) {
            arm(&thread)?
        } else {
            riscv(&thread)
        },
    }))
}

/// The name of a thread from its variable's symbol.
fn named(symbol: &str) -> Option<String> {
    let name = match symbol {
        "z_main_thread" => "main",
        "z_idle_threads" | "z_idle_thread" => "idle",
        other => other.strip_prefix("_k_thread_obj_")?,
    };
    Some(name.to_owned())
}

fn arm(thread: &Structure<'_>) -> Option<Saves> {
    let of_thread = |name: &str| Some(thread.member(name)?.offset);
    Some(Saves::Arm(
        of_thread("callee_saved.v1")?,
        of_thread("callee_saved.psp")?,
        of_thread("arch.mode_exc_return").zip(of_thread("arch.preempt_float.s16")),
    ))
}

fn riscv(thread: &Structure<'_>) -> Saves {
    let place = |&name: &&'static str| Some((name, thread.member(&format!("callee_saved.{name}"))?.offset));
    Saves::Riscv(RISCV.iter().filter_map(place).collect())
}

impl Known for Zephyr {
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>> {
        let current = word(memory, self.current)?;
        // Before the kernel starts threads, a dummy thread runs.
        if current == 0 || byte(memory, current.wrapping_add(self.state))? & DUMMY != 0 {
            return None;
        }
        let mut all = vec![current];
        if let Some((first, next)) = self.list {
            let mut listed = Vec::new();
            let mut thread = word(memory, first)?;
            while thread != 0 && !listed.contains(&thread) && listed.len() < MOST {
                listed.push(thread);
                thread = word(memory, thread.wrapping_add(next))?;
            }
            all.extend(listed.into_iter().filter(|&thread| thread != current));
        } else {
            let variables = self.variables.iter().map(|&(address, _)| address);
            all.extend(variables.filter(|&thread| thread != current));
        }
        let threads = all
            .into_iter()
            .filter_map(|thread| self.thread(memory, thread, thread == current));
        Some(threads.collect())
    }
}

impl Zephyr {
    /// Reads a thread; `None` if the variable is not a thread yet.
    fn thread(&self, memory: &dyn Memory, thread: u32, runs: bool) -> Option<Thread> {
        let at = |offset: u32| thread.wrapping_add(offset);
        let bits = byte(memory, at(self.state))?;
        let has = |state: u8| bits & state != 0;
        let is_timed = || {
            self.timeout
                .and_then(|node| word(memory, at(node)))
                .is_some_and(|next| next != 0)
        };
        let state = match () {
            () if runs => "running",
            () if has(DEAD) => "finished",
            () if has(PENDING | SLEEPS) || is_timed() => "waits",
            () if has(SUSPENDED) => "suspended",
            () => "ready",
        };
        let own = self
            .name
            .and_then(|name| text(memory, at(name), super::saved::LONGEST));
        let variable = || self.variables.iter().find(|(address, _)| *address == thread);
        let name = own.or_else(|| variable().map(|(_, name)| name.clone()));
        let saved = if runs {
            None
        } else {
            Some(self.saved(memory, thread)?)
        };
        Some(Thread {
            key: thread,
            name: format!(
                "{}, {state}, priority {}",
                name.unwrap_or_else(|| format!("thread {thread:#x}")),
                byte(memory, at(self.priority))?.cast_signed()
            ),
            saved,
        })
    }

    fn saved(&self, memory: &dyn Memory, thread: u32) -> Option<Saved> {
        let at = |offset: u32| thread.wrapping_add(offset);
        let mut saved = Saved::default();
        match &self.saves {
            &Saves::Arm(high, stack, floating) => {
                saved.take(memory, at(high), &HIGH)?;
                let stack = word(memory, at(stack)).filter(|&stack| stack != 0)?;
                // A clear bit 4 of `EXC_RETURN` (ARMv7-M ARM B1.5.8): floating-point registers are saved.
                let float = match floating {
                    Some((how, first)) if byte(memory, at(how))? & 1 << 4 == 0 => {
                        saved.take(memory, at(first), &SINGLE[16..])?;
                        true
                    }
                    _ => false,
                };
                saved.take_frame(memory, stack, float)?;
            }
            Saves::Riscv(places) => {
                for &(name, offset) in places {
                    let value = word(memory, at(offset))?;
                    saved.set(name, value);
                    if name == "ra" {
                        saved.set("pc", value);
                    }
                }
                saved.get("sp").filter(|&stack| stack != 0)?;
            }
        }
        Some(saved)
    }
}
