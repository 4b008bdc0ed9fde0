//! The mistakes that a plan can have, and how the compiler reports them.

use crate::plan::{Access, Actor, Ceiling, Plan, Use, Vector, same};
use crate::priority::{IDLE, levels};
use crate::text::Text;
use crate::threads::{MOST, Thread};

/// Interrupts that a chip may have: an NVIC 240; an RV32 core 32, and its PLIC 1023 from number 33 on.
const INTERRUPTS: u16 = if cfg!(target_arch = "riscv32") { 1056 } else { 240 };
/// Priority bits that a chip may have. ARMv6-M has 2, ARMv7-M 3 to 8; no chip is known to have all 8.
const BITS: core::ops::RangeInclusive<u8> = 2..=7;

/// A mistake in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// No such number of priority bits.
    Bits(u8),
    /// A task at the priority of the idle loop.
    PriorityOfIdle(&'static str, u8),
    /// A task (name, priority) above the highest level of the chip.
    PriorityTooHigh(&'static str, u8, u8),
    /// Two tasks of the same name.
    SameName(&'static str),
    /// Two tasks on one interrupt.
    SameVector(&'static str, &'static str),
    /// A task `behind` one that is not in the table.
    BehindNobody(&'static str),
    /// A task that has not the priority of the one it is `behind`, or is not enabled with it.
    NotAsTheFirst(&'static str, &'static str),
    /// An interrupt number that no vector table has.
    NoSuchInterrupt(&'static str, u16),
    /// A task that starts disabled, on an exception that has no enable bit.
    NoEnableBit(&'static str),
    /// A task names the same thing twice.
    UsedTwice(&'static str, &'static str),
    /// A stated ceiling (resource, stated, computed, the task that makes it) that is too low.
    CeilingTooLow(&'static str, u8, u8, &'static str),
    /// A stated ceiling (resource, stated, computed) that is higher than any user needs.
    CeilingTooHigh(&'static str, u8, u8),
    /// Something that should come from `init` does not.
    NotInitialised(&'static str),
    /// A thread (name, priority) with a priority that there is not.
    ThreadPriority(&'static str, u8),
    /// More threads than there are bits for.
    TooManyThreads(usize),
    /// A task on the exception that switches between threads.
    TakenBySwitch(&'static str),
    /// `waking` (stated, levels) above the highest level of the chip.
    WakingTooHigh(u8, u8),
}

impl Problem {
    /// The mistake, and the remedy.
    #[must_use]
    pub const fn text(self) -> Text {
        match self {
            Problem::Bits(bits) => Text::of("a chip has 2 to 7 priority bits, not ").number(bits as u16),
            Problem::PriorityOfIdle(task, levels) => Text::of("task ")
                .name(task)
                .and(" has priority 0, which is that of the idle loop: give it 1 (least urgent) to ")
                .number(levels as u16),
            Problem::PriorityTooHigh(task, priority, levels) => Text::of("task ")
                .name(task)
                .and(" has priority ")
                .number(priority as u16)
                .and(", but this chip has the priorities 1 to ")
                .number(levels as u16),
            Problem::SameName(task) => Text::of("two tasks are called ").name(task),
            Problem::SameVector(a, b) => text_of_same_vector(a, b),
            Problem::BehindNobody(task) => Text::of("task ")
                .name(task)
                .and(" is behind one that is not in this table"),
            Problem::NotAsTheFirst(first, task) => Text::of("task ")
                .name(task)
                .and(" is behind ")
                .name(first)
                .and(", so it has the same priority, and starts enabled if that one does"),
            Problem::NoSuchInterrupt(task, number) => no_such_interrupt(task, number),
            Problem::NoEnableBit(task) => Text::of("task ")
                .name(task)
                .and(" is bound to a system exception, which has no enable bit: `enabled false` cannot hold it back"),
            Problem::UsedTwice(task, what) => Text::of("task ")
                .name(task)
                .and(" lists ")
                .name(what)
                .and(" twice in its `uses`: once is enough (`Write` includes `Read`)"),
            Problem::CeilingTooLow(resource, stated, needed, task) => ceiling_too_low(resource, stated, needed, task),
            Problem::CeilingTooHigh(resource, stated, needed) => ceiling_too_high(resource, stated, needed),
            Problem::ThreadPriority(thread, priority) => Text::of("thread ")
                .name(thread)
                .and(" has priority ")
                .number(priority as u16)
                .and(", but threads have the priorities 1 (least urgent) to 31"),
            Problem::TooManyThreads(count) => Text::of("there are at most 30 threads, not ").number(count as u16),
            Problem::TakenBySwitch(task) => Text::of("task ")
                .name(task)
                .and(" is bound to PendSV, which switches between threads: bind it to an interrupt"),
            Problem::WakingTooHigh(waking, levels) => Text::of("`waking ")
                .number(waking as u16)
                .and("`, but this chip has the priorities 1 to ")
                .number(levels as u16),
            Problem::NotInitialised(what) => Text::of("nothing gives ")
                .name(what)
                .and(" its first value: write one in the table, or list it in `App::Late` and return it from `init`"),
        }
    }
}

const fn text_of_same_vector(a: &str, b: &str) -> Text {
    Text::of("tasks ")
        .name(a)
        .and(" and ")
        .name(b)
        .and(" are bound to the same interrupt: say `")
        .and(b)
        .and(", behind ")
        .and(a)
        .and("`, and the second runs when the first has")
}

const fn no_such_interrupt(task: &str, number: u16) -> Text {
    Text::of("task ")
        .name(task)
        .and(" is bound to interrupt ")
        .number(number)
        .and(", but there are at most ")
        .number(INTERRUPTS)
        .and(" (0 to ")
        .number(INTERRUPTS - 1)
        .and(")")
}

const fn ceiling_too_low(resource: &str, stated: u8, needed: u8, task: &str) -> Text {
    Text::of("resource ")
        .name(resource)
        .and(" states ceiling ")
        .number(stated as u16)
        .and(", but task ")
        .name(task)
        .and(" uses it at priority ")
        .number(needed as u16)
        .and(": state that, or leave the ceiling out")
}

const fn ceiling_too_high(resource: &str, stated: u8, needed: u8) -> Text {
    Text::of("resource ")
        .name(resource)
        .and(" states ceiling ")
        .number(stated as u16)
        .and(", but no user of it is above ")
        .number(needed as u16)
        .and(": its locks would hold back tasks for nothing")
}

impl Plan {
    /// The first thing that is wrong, if anything is.
    #[must_use]
    pub const fn problem(&self) -> Option<Problem> {
        if self.bits < *BITS.start() || self.bits > *BITS.end() {
            return Some(Problem::Bits(self.bits));
        }
        let mut i = 0;
        while i < self.tasks.len() {
            if let Some(problem) = self.problem_of(&self.tasks[i]) {
                return Some(problem);
            }
            if let Some(problem) = self.clash(i) {
                return Some(problem);
            }
            i += 1;
        }
        if let Some(problem) = self.problem_of_threads() {
            return Some(problem);
        }
        self.problem_of_uses(self.idle.name, self.idle.uses)
    }

    const fn problem_of_threads(&self) -> Option<Problem> {
        if self.threads.len() > MOST {
            return Some(Problem::TooManyThreads(self.threads.len()));
        }
        if self.waking > levels(self.bits) {
            return Some(Problem::WakingTooHigh(self.waking, levels(self.bits)));
        }
        let mut i = 0;
        while i < self.threads.len() {
            if let Some(problem) = self.problem_of_thread(i) {
                return Some(problem);
            }
            i += 1;
        }
        None
    }

    const fn problem_of_thread(&self, index: usize) -> Option<Problem> {
        let thread: &Thread = &self.threads[index];
        if thread.priority == 0 || thread.priority > 31 {
            return Some(Problem::ThreadPriority(thread.name, thread.priority));
        }
        if thread.late && !self.hands_over(thread.name) {
            return Some(Problem::NotInitialised(thread.name));
        }
        let mut i = 0;
        while i < index {
            if same(thread.name, self.threads[i].name) {
                return Some(Problem::SameName(thread.name));
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.tasks.len() {
            if same(thread.name, self.tasks[i].name) {
                return Some(Problem::SameName(thread.name));
            }
            if matches!(self.tasks[i].vector, Some(Vector::PendSv)) {
                return Some(Problem::TakenBySwitch(self.tasks[i].name));
            }
            i += 1;
        }
        self.problem_of_uses(thread.name, thread.uses)
    }

    const fn problem_of(&self, task: &Actor) -> Option<Problem> {
        if task.priority == IDLE {
            return Some(Problem::PriorityOfIdle(task.name, levels(self.bits)));
        }
        if task.priority > levels(self.bits) {
            return Some(Problem::PriorityTooHigh(
                task.name,
                task.priority,
                levels(self.bits),
            ));
        }
        if let Some(Vector::Interrupt(number)) = task.vector
            && number >= INTERRUPTS
        {
            return Some(Problem::NoSuchInterrupt(task.name, number));
        }
        if !task.enabled && !matches!(task.vector, Some(Vector::Interrupt(_))) {
            return Some(Problem::NoEnableBit(task.name));
        }
        if task.late && !self.hands_over(task.name) {
            return Some(Problem::NotInitialised(task.name));
        }
        self.problem_of_uses(task.name, task.uses)
    }

    /// The task at `index` against those before it.
    const fn clash(&self, index: usize) -> Option<Problem> {
        let task = &self.tasks[index];
        let mut i = 0;
        while i < index {
            let other = &self.tasks[i];
            if same(task.name, other.name) {
                return Some(Problem::SameName(task.name));
            }
            if same_vector(task.vector, other.vector) {
                if !task.behind && !other.behind {
                    return Some(Problem::SameVector(other.name, task.name));
                }
                if task.priority != other.priority || task.enabled != other.enabled {
                    return Some(Problem::NotAsTheFirst(other.name, task.name));
                }
            }
            i += 1;
        }
        if task.behind && !self.has_first(task.vector) {
            return Some(Problem::BehindNobody(task.name));
        }
        None
    }

    /// Whether a task of the table has that interrupt for its own.
    const fn has_first(&self, vector: Option<Vector>) -> bool {
        let mut i = 0;
        while i < self.tasks.len() {
            if !self.tasks[i].behind && same_vector(self.tasks[i].vector, vector) {
                return true;
            }
            i += 1;
        }
        false
    }

    const fn problem_of_uses(&self, actor: &'static str, uses: &[Use]) -> Option<Problem> {
        let mut i = 0;
        while i < uses.len() {
            let used = &uses[i];
            let mut k = 0;
            while k < i {
                if same(used.name, uses[k].name) && is_post(used) == is_post(&uses[k]) {
                    return Some(Problem::UsedTwice(actor, used.name));
                }
                k += 1;
            }
            if used.late && !self.hands_over(used.name) {
                return Some(Problem::NotInitialised(used.name));
            }
            if let Some(problem) = self.problem_of_ceiling(used) {
                return Some(problem);
            }
            i += 1;
        }
        None
    }

    const fn problem_of_ceiling(&self, used: &Use) -> Option<Problem> {
        let Some(stated) = used.declared else { return None };
        let needed = self.ceiling(used.name, Ceiling::Users);
        if stated < needed {
            Some(Problem::CeilingTooLow(
                used.name,
                stated,
                needed,
                self.highest_user(used.name, needed),
            ))
        } else if stated > needed {
            Some(Problem::CeilingTooHigh(used.name, stated, needed))
        } else {
            None
        }
    }

    const fn highest_user(&self, resource: &str, priority: u8) -> &'static str {
        let mut i = 0;
        while i < self.tasks.len() {
            if self.tasks[i].priority == priority && self.tasks[i].uses_for(resource, Ceiling::Users) {
                return self.tasks[i].name;
            }
            i += 1;
        }
        self.idle.name
    }

    const fn hands_over(&self, name: &str) -> bool {
        let mut list = 0;
        while list < self.late.len() {
            let names = self.late[list];
            let mut i = 0;
            while i < names.len() {
                if same(names[i], name) {
                    return true;
                }
                i += 1;
            }
            list += 1;
        }
        false
    }
}

const fn is_post(used: &Use) -> bool {
    matches!(used.access, Access::Post)
}

const fn same_vector(a: Option<Vector>, b: Option<Vector>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is(b),
        _ => false,
    }
}
