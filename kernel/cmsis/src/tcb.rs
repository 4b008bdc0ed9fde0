//! The control blocks of threads.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};
use core::ptr;

use mainspring_core::threads::Set;

use crate::port::{self, THREADS, scheduler};
use crate::types::{Function, Id, OK, Status};

/// `osPriorityIdle`.
pub(crate) const IDLE: i32 = 1;

/// The pattern that fills a stack; its lowest word is this while it has not overflowed.
pub(crate) const FILL: u32 = 0xcccc_cccc;

/// The state of a thread beside its slot.
pub(crate) struct Tcb {
    /// Its rank just now; threads that are none have one, too.
    pub(crate) rank: Cell<usize>,
    pub(crate) is_there: Cell<bool>,
    pub(crate) name: Cell<*const c_char>,
    pub(crate) priority: Cell<i32>,
    pub(crate) bits: Cell<u32>,
    pub(crate) stack: Cell<*mut u32>,
    pub(crate) stack_bytes: Cell<u32>,
    /// Whether the stack is to be given back.
    pub(crate) owns_stack: Cell<bool>,
    pub(crate) function: Cell<Function>,
    pub(crate) argument: Cell<*mut c_void>,
    pub(crate) is_suspended: Cell<bool>,
    pub(crate) has_ended: Cell<bool>,
    /// The set that it waits in, and how that ended.
    pub(crate) within: Cell<Option<&'static Set>>,
    pub(crate) is_waiting: Cell<bool>,
    pub(crate) result: Cell<Status>,
    /// Its flags, and which it or what it waits for.
    pub(crate) flags: Cell<u32>,
    pub(crate) wanted: Cell<Option<(u32, u32)>>,
    /// Where a message is to go to or comes from, and its priority.
    pub(crate) message: Cell<*mut u8>,
    pub(crate) message_priority: Cell<u8>,
    pub(crate) joiners: Set,
}

impl Tcb {
    /// Free.
    pub(crate) const fn new() -> Self {
        Tcb {
            rank: Cell::new(0),
            is_there: Cell::new(false),
            name: Cell::new(ptr::null()),
            priority: Cell::new(0),
            bits: Cell::new(0),
            stack: Cell::new(ptr::null_mut()),
            stack_bytes: Cell::new(0),
            owns_stack: Cell::new(false),
            function: Cell::new(None),
            argument: Cell::new(ptr::null_mut()),
            is_suspended: Cell::new(false),
            has_ended: Cell::new(false),
            within: Cell::new(None),
            is_waiting: Cell::new(false),
            result: Cell::new(OK),
            flags: Cell::new(0),
            wanted: Cell::new(None),
            message: Cell::new(ptr::null_mut()),
            message_priority: Cell::new(0),
            joiners: Set::new(),
        }
    }
}

/// The size of a thread's control block, as the header states it.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Tcb>() <= 112, "OS2_THREAD_CB_SIZE");

pub(crate) struct Threads {
    pub(crate) own: [Tcb; THREADS],
    /// In place of the own ones, those whose control block is the program's.
    pub(crate) given: [Cell<Option<&'static Tcb>>; THREADS],
    pub(crate) by_rank: [Cell<Option<&'static Tcb>>; THREADS],
}

// SAFETY: used with interrupts held back.
unsafe impl Sync for Threads {}

pub(crate) static ALL: Threads = Threads {
    own: [const { Tcb::new() }; THREADS],
    given: [const { Cell::new(None) }; THREADS],
    by_rank: [const { Cell::new(None) }; THREADS],
};

/// All of them, whether they are threads just now or not.
pub(crate) fn all() -> impl Iterator<Item = &'static Tcb> {
    let given = ALL.given.iter().map(Cell::get);
    ALL.own.iter().zip(given).map(|(own, given)| given.unwrap_or(own))
}

/// The rank of the idle thread.
pub(crate) const LAST: usize = THREADS - 1;

/// Gives everyone a rank. The idle thread is the last.
pub(crate) fn initialize() {
    for (rank, thread) in ALL.own.iter().enumerate() {
        thread.take_rank(rank);
    }
    ALL.own[LAST].is_there.set(true);
    ALL.own[LAST].priority.set(IDLE);
    ALL.own[LAST].name.set(c"idle".as_ptr());
}

/// The thread of this rank.
pub(crate) fn at(rank: usize) -> &'static Tcb {
    let found = ALL.by_rank.get(rank).and_then(Cell::get);
    found.unwrap_or(&ALL.own[LAST])
}

/// The thread that runs.
pub(crate) fn running() -> &'static Tcb {
    at(scheduler().running.get() as usize)
}

/// Whether `thread` is the one that runs.
pub(crate) fn is_own(thread: &'static Tcb) -> bool {
    ptr::eq(thread, running())
}

/// Whether the stack of the thread of this rank, which an exception has stopped, has not overflowed.
pub(crate) fn is_whole(rank: usize) -> bool {
    let lowest = scheduler().slots[rank].guard.get();
    // SAFETY: the lowest word of a stack.
    let is_filled = || unsafe { ptr::with_exposed_provenance::<u32>(lowest).read_volatile() } == FILL;
    lowest == 0 || port::stack_of_thread() >= lowest && is_filled()
}

impl Tcb {
    pub(crate) fn take_rank(&'static self, rank: usize) {
        self.rank.set(rank);
        ALL.by_rank[rank].set(Some(self));
    }

    pub(crate) fn name(&self) -> &'static str {
        let name = self.name.get();
        // SAFETY: a string of the program's, which is there for as long as the thread.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
        name.and_then(|name| name.to_str().ok())
            .unwrap_or("without a name")
    }

    pub(crate) fn id(&'static self) -> Id {
        ptr::from_ref(self).cast_mut().cast()
    }
}

/// The thread with this identity.
pub(crate) fn find(id: Id) -> Option<&'static Tcb> {
    all().find(|thread| thread.id() == id && thread.is_there.get())
}
