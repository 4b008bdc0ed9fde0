//! Threads, and the operations of a thread on itself.

#![allow(unsafe_code)] // Unsafe traits, stacks, and the first call of a thread.

use core::cell::UnsafeCell;
use core::marker::PhantomData;

use mainspring_core::threads::{Awaited, Scheduler, Thread as Row, behind, bit, top};

use super::awaited::{check_join, check_returned};
use super::kernel::{self, check_time};
use super::mutex::leave_all;
use super::state::{self, Section, slot};
use super::time::{self, Ticks};
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section, switching_section};
use crate::level::Level;
use crate::model::{App, Stacked, Task, Threaded, Threads, Uses, sealed};
use crate::stored::Place;
use crate::uses::{Handles, handles};

/// The body of a thread. You write this.
#[diagnostic::on_unimplemented(
    message = "the thread `{Self}` does not say what it does",
    label = "no `impl Thread for {Self}`"
)]
pub trait Thread: Threaded {
    /// Runs once, from the start of the application. A thread that returns is finished, and may be restarted.
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>);
}

/// Memory for the stack of the thread `T`: `BYTES`, rounded up to 8.
#[repr(C, align(8))]
pub struct Stack<T, const BYTES: usize> {
    memory: UnsafeCell<[u8; BYTES]>,
    owner: Brand<T>,
}

// SAFETY: the kernel alone reaches into it, through raw pointers.
unsafe impl<T, const BYTES: usize> Sync for Stack<T, BYTES> {}

impl<T, const BYTES: usize> Stack<T, BYTES> {
    /// A stack.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                BYTES >= arch::LEAST_STACK,
                "a thread needs a stack of 128 bytes at the least, of 256 on RV32"
            );
            assert!(BYTES.is_multiple_of(8), "a stack is a multiple of 8 bytes");
        }
        Stack {
            memory: UnsafeCell::new([0; BYTES]),
            owner: PhantomData,
        }
    }
}

impl<T, const BYTES: usize> Default for Stack<T, BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const BYTES: usize> sealed::Stacked<T> for Stack<T, BYTES> {}
impl<T, const BYTES: usize> Stacked<T> for Stack<T, BYTES> {
    fn memory(&self) -> (*mut u64, usize) {
        (self.memory.get().cast(), BYTES)
    }
}

/// The row of `T`.
const fn row<T: Threaded>() -> Row {
    Row {
        name: T::NAME,
        priority: T::URGENCY,
        late: <T::Place as Place>::LATE,
        uses: <T::Uses as Uses<T::App>>::ROWS,
    }
}

macro_rules! threads {
    ($($t:ident $i:tt),*) => {
        impl<Application: App, $($t: Thread + Threaded<App = Application>),*> sealed::Threads<Application> for ($($t,)*) {}
        impl<Application: App, $($t: Thread + Threaded<App = Application>),*> Threads<Application> for ($($t,)*) {
            const ROWS: &'static [Row] = &[$(row::<$t>()),*];

            #[inline(always)]
            unsafe fn prepare() {
                // SAFETY: the caller's promise.
                $(unsafe { begin::<$t>() };)*
            }
        }
    };
}

crate::tuples::all!(threads);

/// Puts `T` at its beginning.
///
/// # Safety
///
/// `T` does not run: it never has, or has finished.
unsafe fn begin<T: Thread>() {
    let (lowest, bytes) = T::STACK.memory();
    // SAFETY: the stack is the thread's own, and not in use.
    unsafe {
        let guard = kernel::guarded::<T::App>(lowest, bytes);
        let stack = arch::first_frame(lowest.byte_add(bytes), enter::<T>);
        let slot = slot::<T::App>(T::RANK);
        slot.guard.set(guard);
        slot.stack.set(stack);
    }
}

/// The code that the first switch to `T` enters.
extern "C" fn enter<T: Thread>() -> ! {
    // SAFETY: the thread begins: it is in no section, and holds back nobody.
    unsafe { arch::end_first_section::<T::App>() };
    // SAFETY: a thread runs once at a time, and nothing but a run of it uses its place; see `task::run`.
    let state = unsafe { &mut *T::PLACE.get() };
    // SAFETY: this is the one run of `T`.
    state.run(unsafe { Context::new() }, unsafe { handles::<T>() });
    // SAFETY: this is the thread itself; its context is gone.
    let end = || unsafe { finish::<T>() };
    // SAFETY: the code runs at the thread's own level.
    unsafe { kernel_section::<T, _>(end) }
}

/// The end of `T`. It does not come back: whoever restarts the thread lets it begin anew.
///
/// # Safety
///
/// In the kernel's section, by the thread itself.
unsafe fn finish<T: Thread>() -> ! {
    let kernel = state::of::<T::App>();
    kernel.finish(T::RANK);
    // SAFETY: the caller's promise.
    unsafe { leave_all(kernel, T::RANK) };
    while kernel.release(&T::JOINERS.0).is_some() {}
    check_returned::<T::App>(T::RANK);
    loop {
        // SAFETY: the caller's promise.
        let section = unsafe { kernel::switch_to::<T>(kernel.select()) };
        arch::begin_section_again::<T::App>(section);
    }
}

impl<T: Threaded> Context<'_, T> {
    /// Lets an equal run, if one is ready. Comes back when it is this thread's turn again.
    #[inline(always)]
    pub fn yield_now(&mut self) {
        // A thread without equals has nobody to yield to: whoever is more urgent runs already.
        if const { T::GROUP.count_ones() > 1 } {
            let kernel = arch::here(state::of::<T::App>());
            // SAFETY: a thread outside of every section, as its context says.
            unsafe { switching_section::<T, _>(|| ((), pass::<T>(kernel))) };
        }
    }

    /// Waits for `ticks` to pass. The present tick counts as one, so it is up to one less.
    #[inline(always)]
    pub fn sleep(&mut self, ticks: Ticks) {
        const { check_time::<T::App>() };
        // SAFETY: as in `yield_now`. That nobody wakes it, but time, is what is wanted.
        let _ = unsafe { switching_section::<T, _>(|| kernel::wait::<T>(None, Some(ticks))) };
    }

    /// Ticks since the start, wrapping; since the clock's count was 0, if the threads have a clock.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        // SAFETY: a word of the kernel's, which SysTick changes at any time; no section, so it has to be read each time.
        Ticks(time::now::<T::App>(unsafe {
            state::of::<T::App>().now.as_ptr().read_volatile()
        }))
    }

    /// Waits until `other` has returned from its `run`; not at all if it has already. A thread that waits for its own end does not compile.
    ///
    /// # Panics
    ///
    /// If `other` never returns: it serves a [`Port`](super::Port), or waits for this thread, itself or by way of others.
    pub fn join<O: Threaded<App = T::App>>(&mut self) {
        const {
            assert!(
                T::RANK != O::RANK,
                "a thread that waits for its own end would wait for ever"
            );
        };
        let wait = || {
            let kernel = state::of::<T::App>();
            if kernel.is_finished(O::RANK) {
                return ((), Section::Held);
            }
            check_join::<T::App>(T::RANK, O::RANK);
            kernel.awaits(T::RANK, Awaited::End(O::RANK as u8));
            // SAFETY: in the kernel's section of a thread outside of every section. The end of `O` alone ends the wait: it may have begun
            // anew by the time that this thread goes on.
            let (_, section) = unsafe { kernel::wait::<T>(Some(&O::JOINERS.0), None) };
            kernel.awaits(T::RANK, Awaited::Nothing);
            ((), section)
        };
        // SAFETY: as in `yield_now`.
        unsafe { switching_section::<T, _>(wait) };
    }

    /// Lets `other`, which has returned, run again from its beginning. Whether it had returned.
    pub fn restart<O: Thread<App = T::App>>(&mut self) -> bool {
        let restart = || {
            let kernel = state::of::<T::App>();
            if !kernel.is_finished(O::RANK) {
                return (false, Section::Held);
            }
            // SAFETY: it has finished, so nothing of its stack is in use.
            unsafe { begin::<O>() };
            kernel.restart(O::RANK);
            // SAFETY: in the kernel's section of a thread outside of every section.
            (true, unsafe { kernel::give_way::<T>() })
        };
        // SAFETY: as in `yield_now`.
        unsafe { switching_section::<T, _>(restart) }
    }

    /// `other` (it may be this thread) does not run until it is resumed.
    #[inline(always)]
    pub fn suspend<O: Threaded<App = T::App>>(&mut self) {
        let suspend = || {
            let kernel = state::of::<T::App>();
            kernel.suspend(O::RANK);
            if const { O::RANK == T::RANK } {
                if const { T::GROUP.count_ones() > 1 } {
                    kernel.give_turn(T::RANK);
                }
                // SAFETY: in the kernel's section of a thread outside of every section. It does not run now.
                return ((), unsafe { kernel::switch_to::<T>(kernel.select()) });
            }
            // SAFETY: in the kernel's section of a thread outside of every section.
            ((), unsafe { kernel::give_way::<T>() })
        };
        // SAFETY: as in `yield_now`.
        unsafe { switching_section::<T, _>(suspend) };
    }

    /// Bytes of the thread's stack that have never been used, its guard not among them.
    pub fn unused_stack(&self) -> usize {
        let (lowest, bytes) = T::STACK.memory();
        let first = kernel::guard_bytes::<T::App>(lowest);
        let mut unused = first;
        // SAFETY: inside of the stack, whose words are initialised; they are looked at and no more.
        while unused < bytes && unsafe { lowest.cast::<u8>().add(unused).read_volatile() } == 0 {
            unused += 1;
        }
        unused - first
    }
}

impl<T: Task> Context<'_, T> {
    /// A tick of the threads' time has passed, or their clock's interrupt came: for the task that `threads (ticked TASK)` names.
    ///
    /// # Panics
    ///
    /// If the stack of the thread that runs has overflowed.
    #[inline(always)]
    pub fn tick(&mut self) {
        const { check_time::<T::App>() };
        // SAFETY: the context's level; in the kernel's section.
        unsafe { kernel_section::<T, _>(|| kernel::time_passes::<T::App>()) };
        kernel::check_guard::<T::App>();
    }

    /// Ends the turn of the running thread: its equals are next, as after each tick where there are ticks. With a clock, nothing
    /// else ends a turn.
    #[inline(always)]
    pub fn end_turn(&mut self) {
        let end = || {
            if state::of::<T::App>().end_turn() {
                arch::pend_switch::<T::App>();
            }
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<T, _>(end) };
    }
}

impl<L: Level> Context<'_, L> {
    /// Lets the thread `other` run again. An event that came meanwhile is not lost. Also from a task.
    #[inline(always)]
    pub fn resume<O: Threaded<App = L::App>>(&mut self) {
        let resume = || {
            let section = match state::of::<L::App>().resume(O::RANK) {
                // SAFETY: in the kernel's section, begun at the context's level.
                Some(woken) => unsafe { kernel::woke::<L>(woken) },
                None => Section::Held,
            };
            ((), section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(resume) };
    }
}

/// Passes the turn of `T` to the next of its equals that is ready.
///
/// # Safety
///
/// As for [`kernel::give_way`].
#[inline(always)]
unsafe fn pass<T: Threaded>(kernel: &'static Scheduler) -> Section {
    // SAFETY: words of the kernel's, in its section. Loaded one right after the other, which costs less.
    let (contending, only_stack) = unsafe {
        let contending = kernel.contending.as_ptr().read_volatile();
        let stack = |rank: usize| kernel.slots.get_unchecked(rank).stack.as_ptr();
        let only = const { only_other::<T>() }.map(|rank| (rank, stack(rank)));
        (
            contending,
            only.map(|(rank, stack)| (rank, stack.read_volatile())),
        )
    };
    // SAFETY: the caller's promise. Who is as urgent as the thread that runs may run, if nobody lends.
    unsafe {
        if let Some((next, stack)) = only_stack {
            if let Some(leave) = arch::may_hand_over::<T::App>(stack, contending, next) {
                arch::switch::<T>(kernel, next, stack, leave);
                return arch::BEHIND_SWITCH;
            }
            return pass_otherwise::<T>();
        }
        let others = contending & const { others::<T>() };
        if others == 0 {
            return Section::Held;
        }
        // First those after it in the circle, then those before it.
        let behind = others & const { behind(bit(T::RANK)) };
        let next = top(if behind != 0 { behind } else { others });
        let stack = slot::<T::App>(next).stack.get();
        if let Some(leave) = arch::may_hand_over::<T::App>(stack, contending, next) {
            arch::switch::<T>(kernel, next, stack, leave);
            return arch::BEHIND_SWITCH;
        }
        pass_otherwise::<T>()
    }
}

/// As [`pass`], where the next one lends, or was pre-empted, or where no thread is ready.
///
/// # Safety
///
/// As for [`kernel::give_way`].
#[inline(always)]
unsafe fn pass_otherwise<T: Threaded>() -> Section {
    // SAFETY: the caller's promise.
    unsafe {
        if const { arch::GOES_TO_PREEMPTED } {
            kernel::pass_by_exception::<T::App>()
        } else {
            pass_to_preempted::<T>()
        }
    }
}

/// As above, where no thread goes to a pre-empted one by itself.
///
/// # Safety
///
/// As above.
#[cold]
#[inline(never)]
unsafe fn pass_to_preempted<T: Threaded>() -> Section {
    let next = state::of::<T::App>().pass_turn(T::RANK);
    if next == T::RANK {
        return Section::Held;
    }
    // SAFETY: the caller's promise.
    unsafe { kernel::pass_to::<T>(next) }
}

/// Those as urgent as `T`.
const fn others<T: Threaded>() -> u32 {
    T::GROUP & !bit(T::RANK)
}

/// The one other thread that is as urgent as `T`, if there is one and no more.
const fn only_other<T: Threaded>() -> Option<usize> {
    let others = others::<T>();
    if others.is_power_of_two() {
        Some(top(others))
    } else {
        None
    }
}
