//! The whole application in one constant: what runs, at which priority, and what it uses.

use crate::priority::{IDLE, SWITCH, levels};
use crate::threads::{Order, Thread};

/// How a task uses something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Shares a resource without changing it.
    Read,
    /// Shares a resource and may change it.
    Write,
    /// Puts messages into the inbox of a task.
    Post,
}

/// One thing that a task uses.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Name of the resource, or of the task that receives the messages.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
    /// Its value comes from `init`.
    pub late: bool,
    /// The ceiling that its declaration states, if it does.
    pub declared: Option<u8>,
}

/// The vector that makes a task run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    /// An interrupt of the chip, by its number (exception number minus 16).
    Interrupt(u16),
    /// The system timer.
    SysTick,
    /// The exception that only software asks for.
    PendSv,
}

impl Vector {
    /// `self == other`, in a constant.
    #[must_use]
    pub const fn is(self, other: Vector) -> bool {
        match (self, other) {
            (Vector::Interrupt(a), Vector::Interrupt(b)) => a == b,
            (Vector::SysTick, Vector::SysTick) | (Vector::PendSv, Vector::PendSv) => true,
            _ => false,
        }
    }
}

/// Something that runs: a task, or the idle loop.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// Its name.
    pub name: &'static str,
    /// 0 for the idle loop, 1 for the least urgent task, and so on.
    pub priority: u8,
    /// Its vector; the idle loop has none.
    pub vector: Option<Vector>,
    /// It runs after another task, on the same interrupt and at the same priority.
    pub behind: bool,
    /// Whether it may run as soon as `init` is done.
    pub enabled: bool,
    /// Its state comes from `init`.
    pub late: bool,
    /// The resources and tasks that it uses.
    pub uses: &'static [Use],
}

/// Whose highest priority makes a ceiling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ceiling {
    /// Of all that read or write the resource: a writer must keep them out.
    Users,
    /// Of those that write the resource: a reader must keep them out.
    Writers,
    /// Of those that post to the task.
    Senders,
}

impl Ceiling {
    const fn counts(self, access: Access) -> bool {
        matches!(
            (self, access),
            (Ceiling::Users, Access::Read | Access::Write)
                | (Ceiling::Writers, Access::Write)
                | (Ceiling::Senders, Access::Post)
        )
    }

    const fn counts_any(self, uses: &[Use], name: &str) -> bool {
        let mut i = 0;
        while i < uses.len() {
            if self.counts(uses[i].access) && same(uses[i].name, name) {
                return true;
            }
            i += 1;
        }
        false
    }
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Priority bits that the chip implements.
    pub bits: u8,
    /// Only the application writes BASEPRI, so it holds what the plan says.
    pub owns_basepri: bool,
    /// The idle loop.
    pub idle: Actor,
    /// The tasks.
    pub tasks: &'static [Actor],
    /// The threads, which run where no task does.
    pub threads: &'static [Thread],
    /// The priority of the most urgent task that may use what threads wait for; [`SWITCH`] if none does.
    pub waking: u8,
    /// Names of what `init` hands over, in one list or several.
    pub late: &'static [&'static [&'static str]],
}

impl Plan {
    /// The highest priority among the users of `name` that count for `of`; [`IDLE`] if no task does.
    #[must_use]
    pub const fn ceiling(&self, name: &str, of: Ceiling) -> u8 {
        let mut highest = IDLE;
        let mut i = 0;
        while i < self.tasks.len() {
            let task = &self.tasks[i];
            if task.priority > highest && task.uses_for(name, of) {
                highest = task.priority;
            }
            i += 1;
        }
        if highest == IDLE && self.is_shared_by_threads(name, of) {
            return SWITCH;
        }
        highest
    }

    /// Whether threads (the idle loop is one of them here) must keep each other out: one of them counts, and is not alone.
    const fn is_shared_by_threads(&self, name: &str, of: Ceiling) -> bool {
        if self.threads.is_empty() {
            return false;
        }
        let (mut counting, mut users) = (
            of.counts_any(self.idle.uses, name),
            is_user(self.idle.uses, name) as u8,
        );
        let mut i = 0;
        while i < self.threads.len() {
            counting |= of.counts_any(self.threads[i].uses, name);
            users += is_user(self.threads[i].uses, name) as u8;
            i += 1;
        }
        counting && users > 1
    }

    /// The priority that the kernel's own sections hold back: the switch between threads, and all that may wake them.
    #[must_use]
    pub const fn kernel_ceiling(&self) -> u8 {
        if self.waking > SWITCH { self.waking } else { SWITCH }
    }

    /// The threads by rank.
    #[must_use]
    pub const fn order(&self) -> Order<'static> {
        Order::new(self.threads)
    }

    /// The row of the thread `name`.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub const fn row_of(&self, name: &str) -> usize {
        let mut i = 0;
        while i < self.threads.len() {
            if same(self.threads[i].name, name) {
                return i;
            }
            i += 1;
        }
        panic!("no thread of that name is in the table")
    }

    /// The priority of the task `name`; that of a thread and of the idle loop is [`IDLE`].
    #[must_use]
    pub const fn priority_of(&self, name: &str) -> u8 {
        let mut i = 0;
        while i < self.tasks.len() {
            if same(self.tasks[i].name, name) {
                return self.tasks[i].priority;
            }
            i += 1;
        }
        IDLE
    }

    /// Whether a task at `priority` always starts with nothing held back, so that a section of its own can end by
    /// writing the constant 0.
    ///
    /// It pre-empts only what is less urgent, and that may be inside a section. Handlers do not stack BASEPRI: whoever
    /// pre-empts a section must leave its threshold as it was. Only where no less urgent actor has a section that this
    /// task could pre-empt, one with a ceiling below `priority`, is the threshold known.
    #[must_use]
    pub const fn starts_unmasked(&self, priority: u8) -> bool {
        let mut i = 0;
        while i < self.tasks.len() {
            if self.may_be_preempted_in_section(&self.tasks[i], priority) {
                return false;
            }
            i += 1;
        }
        if !self.threads.is_empty() && self.kernel_ceiling() < priority {
            return false;
        }
        let mut i = 0;
        while i < self.threads.len() {
            if self.has_section_below(self.threads[i].uses, IDLE, priority) {
                return false;
            }
            i += 1;
        }
        !self.may_be_preempted_in_section(&self.idle, priority)
    }

    const fn may_be_preempted_in_section(&self, actor: &Actor, priority: u8) -> bool {
        self.has_section_below(actor.uses, actor.priority, priority)
    }

    const fn has_section_below(&self, uses: &[Use], own: u8, priority: u8) -> bool {
        let mut i = 0;
        while i < uses.len() {
            let used = &uses[i];
            let ceilings = match used.access {
                Access::Post => [self.ceiling(used.name, Ceiling::Senders), IDLE],
                Access::Read => [self.ceiling(used.name, Ceiling::Writers), IDLE],
                // A writer that only looks needs to keep out no more than the other writers.
                Access::Write => [
                    self.ceiling(used.name, Ceiling::Users),
                    self.ceiling(used.name, Ceiling::Writers),
                ],
            };
            if is_between(ceilings[0], own, priority) || is_between(ceilings[1], own, priority) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// The interrupts of word `word` (32 each) that belong to tasks above `above` and up to `to`: those that a section
    /// from level `above` to level `to` must hold back.
    #[must_use]
    pub const fn mask(&self, above: u8, to: u8, word: u16) -> u32 {
        let mut mask = 0;
        let mut i = 0;
        while i < self.tasks.len() {
            let task = &self.tasks[i];
            if task.priority > above && task.priority <= to {
                mask |= bit(task.vector, word);
            }
            i += 1;
        }
        mask
    }

    /// The interrupts of word `word` whose tasks may run as soon as `init` is done.
    #[must_use]
    pub const fn enabled(&self, word: u16) -> u32 {
        let mut mask = 0;
        let mut i = 0;
        while i < self.tasks.len() {
            if self.tasks[i].enabled {
                mask |= bit(self.tasks[i].vector, word);
            }
            i += 1;
        }
        mask
    }

    /// How many tasks start before the task at `index` when all are asked for: those that are more urgent, and of those that are as
    /// urgent the ones with a lower interrupt number, as an NVIC has it.
    #[must_use]
    pub const fn rank(&self, index: usize) -> usize {
        let (task, mut before, mut i) = (&self.tasks[index], 0, 0);
        while i < self.tasks.len() {
            let other = &self.tasks[i];
            let is_first = number(other.vector) < number(task.vector);
            if other.priority > task.priority || other.priority == task.priority && is_first {
                before += 1;
            }
            i += 1;
        }
        before
    }

    /// Whether no other task of the same priority starts after the task at `index`.
    #[must_use]
    pub const fn is_last_of_level(&self, index: usize) -> bool {
        let mut i = 0;
        while i < self.tasks.len() {
            let (task, other) = (&self.tasks[index], &self.tasks[i]);
            if other.priority == task.priority && !other.behind && self.rank(i) > self.rank(index) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether a task above `above` and up to `to` is one that a system exception starts.
    #[must_use]
    pub const fn has_system(&self, above: u8, to: u8) -> bool {
        let mut i = 0;
        while i < self.tasks.len() {
            let task = &self.tasks[i];
            let is_between = task.priority > above && task.priority <= to;
            if is_between && matches!(task.vector, Some(Vector::SysTick | Vector::PendSv)) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether the tasks of more than one interrupt have this priority.
    #[must_use]
    pub const fn is_shared(&self, priority: u8) -> bool {
        let (mut tasks, mut i) = (0, 0);
        while i < self.tasks.len() {
            if self.tasks[i].priority == priority && !self.tasks[i].behind {
                tasks += 1;
            }
            i += 1;
        }
        tasks > 1
    }

    /// Whether the actor `name` is a task that a system exception starts. On a core that holds tasks back by their enable
    /// bits, no section holds that one back.
    #[must_use]
    pub const fn is_started_by_system(&self, name: &str) -> bool {
        let mut i = 0;
        while i < self.tasks.len() {
            let task = &self.tasks[i];
            if same(task.name, name) && matches!(task.vector, Some(Vector::SysTick | Vector::PendSv)) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Levels for tasks on this chip.
    #[must_use]
    pub const fn levels(&self) -> u8 {
        levels(self.bits)
    }
}

impl Actor {
    pub(crate) const fn uses_for(&self, name: &str, of: Ceiling) -> bool {
        of.counts_any(self.uses, name)
    }
}

const fn is_user(uses: &[Use], name: &str) -> bool {
    let mut i = 0;
    while i < uses.len() {
        if same(uses[i].name, name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn is_between(ceiling: u8, low: u8, high: u8) -> bool {
    ceiling > low && ceiling < high
}

/// The exception numbers' order.
const fn number(vector: Option<Vector>) -> u32 {
    match vector {
        Some(Vector::Interrupt(number)) => 2 + number as u32,
        Some(Vector::SysTick) => 1,
        Some(Vector::PendSv) | None => 0,
    }
}

const fn bit(vector: Option<Vector>, word: u16) -> u32 {
    match vector {
        Some(Vector::Interrupt(number)) if number / 32 == word => 1 << (number % 32),
        _ => 0,
    }
}

/// `a == b`, which a constant cannot say of texts.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
