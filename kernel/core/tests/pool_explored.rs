//! The pool's lists under every way in which interrupts can come: before each access of memory that an operation
//! makes, an interrupt may run, which itself uses the pool, and may be interrupted.
//!
//! The machine here has the monitor of a Cortex-M: a store-conditional fails if an interrupt came since the load. The
//! exploration is complete: each run follows a list of choices, and the last choice that has an alternative left is
//! changed for the next run, until none has.

#![allow(unsafe_code)] // The lists' functions are `unsafe`, because no type says who owns a block.

use std::cell::{Cell, RefCell};

use mainspring_core::pool::{Class, Links, NONE, Shape, Taken, WhenDry, Word, pop, push, take, used};

/// Blocks, numbered from 1.
const BLOCKS: usize = 3;
/// The value that an owner writes over the link.
const OWN_DATA: u32 = 2;

/// One class, of as many blocks as there are.
const SHAPE: Shape<'_> = Shape {
    classes: &[Class { size: 4, align: 4 }],
    when_dry: WhenDry::Fail,
    granules: BLOCKS as u32,
    base: 0,
};

/// The operation of an interrupt.
const HANDLERS: &[&[Step]] = &[
    &[Step::Take],
    &[Step::GiveOldest],
    &[Step::Take, Step::GiveOldest],
    // The block that was first is first again, with another one after it: the ABA problem of a compare-and-swap.
    &[Step::Take, Step::Take, Step::GiveOldest],
];

#[derive(Clone, Copy)]
enum Step {
    Take,
    /// Gives back what this context took first; nothing if it has nothing.
    GiveOldest,
}

/// The choices of a run.
#[derive(Default)]
struct Choices {
    made: RefCell<Vec<(usize, usize)>>,
    next: Cell<usize>,
}

impl Choices {
    /// One of `0..options`.
    fn choose(&self, options: usize) -> usize {
        let mut made = self.made.borrow_mut();
        let at = self.next.replace(self.next.get() + 1);
        if at == made.len() {
            made.push((0, options));
        }
        made[at].0
    }

    /// Prepares the next run; `false` after the last.
    fn advance(&self) -> bool {
        self.next.set(0);
        let mut made = self.made.borrow_mut();
        while let Some((choice, options)) = made.pop() {
            if choice + 1 < options {
                made.push((choice + 1, options));
                return true;
            }
        }
        false
    }
}

struct Machine {
    choices: Choices,
    head: Cell<u32>,
    fresh: Cell<u32>,
    links: RefCell<[u32; BLOCKS + 1]>,
    owned: RefCell<[bool; BLOCKS + 1]>,
    monitor: Cell<bool>,
    /// Interrupts that may still come.
    left: Cell<u32>,
    depth: Cell<u32>,
    /// Interrupts that came at each depth.
    came: RefCell<Vec<u32>>,
    /// The planted fault of the machine, which has to be found.
    plant: Plant,
}

#[derive(Clone, Copy, PartialEq)]
enum Plant {
    Nothing,
    /// Interrupts leave the monitor alone, and the store compares values, as a compare-and-swap would.
    ComparesValues,
    /// The store always succeeds.
    NeverFails,
}

impl Machine {
    fn new(interrupts: u32, plant: Plant) -> Self {
        Machine {
            choices: Choices::default(),
            head: Cell::new(NONE),
            fresh: Cell::new(0),
            links: RefCell::new([NONE; BLOCKS + 1]),
            owned: RefCell::new([false; BLOCKS + 1]),
            monitor: Cell::new(false),
            left: Cell::new(interrupts),
            depth: Cell::new(0),
            came: RefCell::new(vec![0; interrupts as usize + 1]),
            plant,
        }
    }

    fn reset(&self, interrupts: u32) {
        self.head.set(NONE);
        self.fresh.set(0);
        *self.owned.borrow_mut() = [false; BLOCKS + 1];
        *self.came.borrow_mut() = vec![0; interrupts as usize + 1];
        self.monitor.set(false);
        self.left.set(interrupts);
        self.depth.set(0);
    }

    /// An interrupt may come here.
    fn point(&self) {
        while self.left.get() > 0 {
            let choice = self.choices.choose(HANDLERS.len() + 1);
            let Some(handler) = choice.checked_sub(1) else {
                return;
            };
            self.left.set(self.left.get() - 1);
            let depth = self.depth.get();
            self.came.borrow_mut()[depth as usize] += 1;
            self.depth.set(depth + 1);
            self.monitor.set(false);
            self.run(HANDLERS[handler]);
            self.monitor.set(false);
            self.depth.set(depth);
        }
    }

    /// Runs a context to its end, and returns what it keeps.
    fn run(&self, steps: &[Step]) -> Vec<u32> {
        let mut mine = Vec::new();
        for step in steps {
            match step {
                Step::Take => mine.extend(self.take()),
                Step::GiveOldest if !mine.is_empty() => self.give(mine.remove(0)),
                Step::GiveOldest => {}
            }
        }
        mine
    }

    fn take(&self) -> Option<u32> {
        let word = |which| MachineWord::new(self, which);
        let before = self.came.borrow()[self.depth.get() as usize];
        let (head, fresh) = (word(Which::Head), word(Which::Fresh));
        // SAFETY: the machine's blocks.
        let taken = unsafe { take(&SHAPE, 0, &&head, || &fresh, |_| &head, self) };
        self.bound(before, &[&head, &fresh]);
        let block = match taken? {
            Taken::Again(block) => block,
            Taken::First(place) => place + 1,
        };
        let was_owned = std::mem::replace(&mut self.owned.borrow_mut()[block as usize], true);
        assert!(!was_owned, "block {block} was handed out twice");
        self.links.borrow_mut()[block as usize] = OWN_DATA;
        Some(block)
    }

    fn give(&self, block: u32) {
        let was_owned = std::mem::replace(&mut self.owned.borrow_mut()[block as usize], false);
        assert!(was_owned);
        let before = self.came.borrow()[self.depth.get() as usize];
        let head = MachineWord::new(self, Which::Head);
        // SAFETY: the block was taken, and is not used again.
        unsafe { push(&&head, self, block) };
        self.bound(before, &[&head]);
    }

    /// Each attempt that failed was interrupted: there are no more of them than interrupts.
    fn bound(&self, before: u32, words: &[&MachineWord<'_>]) {
        let interrupts = self.came.borrow()[self.depth.get() as usize] - before;
        let failed: u32 = words.iter().map(|word| word.failed.get()).sum();
        assert!(
            failed <= interrupts,
            "{failed} attempts failed, with {interrupts} interrupts"
        );
    }

    /// Every block is in the list once, or owned, or was never used.
    fn check(&self) {
        let mut seen = [false; BLOCKS + 1];
        let mut block = self.head.get();
        while block != NONE {
            assert!(
                !self.owned.borrow()[block as usize],
                "block {block} is free and owned"
            );
            assert!(
                !std::mem::replace(&mut seen[block as usize], true),
                "block {block} is twice in the list"
            );
            block = self.links.borrow()[block as usize];
        }
        for (block, in_list) in seen.into_iter().enumerate().skip(1) {
            let used = block <= used(self.fresh.get()) as usize;
            assert_eq!(
                in_list || self.owned.borrow()[block],
                used,
                "block {block} is lost"
            );
        }
    }
}

impl Links for Machine {
    unsafe fn next(&self, block: u32) -> u32 {
        self.point();
        self.links.borrow()[block as usize]
    }

    unsafe fn set_next(&self, block: u32, next: u32) {
        self.point();
        self.links.borrow_mut()[block as usize] = next;
    }
}

#[derive(Clone, Copy)]
enum Which {
    Head,
    Fresh,
}

struct MachineWord<'m> {
    machine: &'m Machine,
    which: Which,
    loaded: Cell<u32>,
    failed: Cell<u32>,
}

impl<'m> MachineWord<'m> {
    fn new(machine: &'m Machine, which: Which) -> Self {
        MachineWord {
            machine,
            which,
            loaded: Cell::new(0),
            failed: Cell::new(0),
        }
    }

    fn cell(&self) -> &Cell<u32> {
        match self.which {
            Which::Head => &self.machine.head,
            Which::Fresh => &self.machine.fresh,
        }
    }
}

impl Word for &MachineWord<'_> {
    fn load_linked(&self) -> u32 {
        self.machine.point();
        self.machine.monitor.set(true);
        self.loaded.set(self.cell().get());
        self.loaded.get()
    }

    fn store_conditional(&self, value: u32) -> bool {
        self.machine.point();
        let succeeds = match self.machine.plant {
            Plant::Nothing => self.machine.monitor.replace(false),
            Plant::ComparesValues => self.cell().get() == self.loaded.get(),
            Plant::NeverFails => true,
        };
        if succeeds {
            self.cell().set(value);
        } else {
            self.failed.set(self.failed.get() + 1);
        }
        succeeds
    }
}

/// What the least urgent context does; the interrupts come within it. It starts with `ready` blocks in the list.
fn explore(ready: usize, steps: &[Step], interrupts: u32, plant: Plant) -> u64 {
    let machine = Machine::new(0, plant);
    let mut runs = 0;
    loop {
        machine.reset(0);
        let blocks: Vec<_> = (0..ready).filter_map(|_| machine.take()).collect();
        for block in blocks {
            machine.give(block);
        }
        machine.reset_budget(interrupts);
        machine.run(steps);
        machine.check();
        runs += 1;
        if !machine.choices.advance() {
            return runs;
        }
    }
}

impl Machine {
    fn reset_budget(&self, interrupts: u32) {
        self.left.set(interrupts);
        *self.came.borrow_mut() = vec![0; interrupts as usize + 1];
    }
}

const PROGRAMS: &[&[Step]] = &[
    &[Step::Take],
    &[Step::Take, Step::GiveOldest],
    &[Step::Take, Step::Take, Step::GiveOldest, Step::GiveOldest],
];

#[test]
fn no_block_is_lost_or_handed_out_twice_however_interrupts_nest() {
    let mut runs = 0;
    for ready in 0..=BLOCKS {
        for program in PROGRAMS {
            runs += explore(ready, program, 2, Plant::Nothing);
        }
    }
    assert!(runs > 10_000, "only {runs} ways");
}

#[test]
fn three_interrupts_in_one_operation() {
    for ready in 0..=BLOCKS {
        explore(ready, &[Step::Take], 3, Plant::Nothing);
    }
}

/// Runs in which something was found wrong show that the exploration would find it.
fn is_found(plant: Plant) {
    let explored = std::panic::catch_unwind(|| {
        for ready in 0..=BLOCKS {
            for program in PROGRAMS {
                explore(ready, program, 2, plant);
            }
        }
    });
    assert!(explored.is_err(), "nothing was found");
}

#[test]
fn a_compare_and_swap_would_be_found() {
    is_found(Plant::ComparesValues);
}

#[test]
fn a_plain_store_would_be_found() {
    is_found(Plant::NeverFails);
}

/// `pop` alone, without unused memory after the blocks.
#[test]
fn an_empty_list_stays_empty() {
    let machine = Machine::new(0, Plant::Nothing);
    let head = MachineWord::new(&machine, Which::Head);
    // SAFETY: the list is empty.
    assert_eq!(unsafe { pop(&&head, &machine) }, NONE);
    assert_eq!(machine.head.get(), NONE);
}
