//! Threads.

mod asked;

pub use asked::*;

use core::ffi::{c_char, c_void};
use core::ptr;

use mainspring_core::threads::Move;

use crate::kernel::{self, in_thread, may_wait, reschedule, wait};
use crate::memory;
use crate::object;
use crate::port::{self, begin_section, in_interrupt, scheduler, section};
use crate::tcb::{ALL, FILL, IDLE, LAST, Tcb, all, at, find, is_own, running};
use crate::types::{ERROR, FOREVER, Function, ISR, Id, OK, PARAMETER, RESOURCE, Status, ThreadAttributes};

/// Priorities, by Arm's numbers.
pub(crate) const NORMAL: i32 = 24;
pub(crate) const HIGH: i32 = 40;
const HIGHEST: i32 = 56;
/// `osThreadJoinable`.
const JOINABLE: u32 = 1;
/// The default size of a stack in bytes, and the least.
const STACK: u32 = 1024;
const LEAST: u32 = 160;
/// Whether `thread` is none of the program's.
fn is_kernels(thread: &'static Tcb) -> bool {
    thread.rank.get() == LAST || crate::timer::is_keeper(thread)
}

/// Gives `thread` the rank `to`, and everybody in between another.
fn renumber(thread: &'static Tcb, to: usize) {
    let change = Move {
        from: thread.rank.get(),
        to,
    };
    for other in all() {
        other.take_rank(change.of(other.rank.get()));
        change.set(&other.joiners);
    }
    for object in object::all() {
        change.set(&object.takers);
        change.set(&object.putters);
        change.mutex(&object.ownership);
    }
    change.set(crate::timer::waits());
    scheduler().renumber(change);
    // Those who are not there have nobody as urgent, and neither has the idle thread: a thread that yields there simply continues.
    scheduler().regroup(|rank| {
        let thread = at(rank);
        if rank < LAST && thread.is_there.get() && !thread.has_ended.get() {
            thread.priority.get() as u32
        } else {
            1000 + rank as u32
        }
    });
}

/// Puts `thread` after all others of its priority.
fn place(thread: &'static Tcb) {
    let before = all()
        .filter(|other| {
            other.is_there.get()
                && !other.has_ended.get()
                && !ptr::eq(*other, thread)
                && other.rank.get() != LAST
                && other.priority.get() >= thread.priority.get()
        })
        .count();
    renumber(thread, before);
}

/// `osThreadNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osThreadNew(
    function: Function,
    argument: *mut c_void,
    attributes: *const ThreadAttributes,
) -> Id {
    if in_interrupt() || function.is_none() {
        return ptr::null_mut();
    }
    // SAFETY: attributes, or null.
    let with = unsafe { attributes.as_ref() };
    // SAFETY: a stack of the caller's, if there is one.
    section(|| unsafe { create(function, argument, with) }).map_or(ptr::null_mut(), Tcb::id)
}

/// A new thread, in the kernel's section.
///
/// # Safety
///
/// The stack that `with` brings, if any, is memory of that size for as long as the thread is there.
pub(crate) unsafe fn create(
    function: Function,
    argument: *mut c_void,
    with: Option<&ThreadAttributes>,
) -> Option<&'static Tcb> {
    if kernel::osKernelGetState() == 0 {
        return None;
    }
    let priority = with.map_or(0, |with| with.priority);
    let priority = if priority == 0 { NORMAL } else { priority };
    if !(IDLE..HIGHEST).contains(&priority) {
        return None;
    }
    let index = all().position(|thread| !thread.is_there.get())?;
    let block = with.map_or(Ok(None), |with| {
        memory::control_block::<Tcb>(with.common.block, with.common.block_size)
    });
    let block = block.ok()?;
    if block.is_some_and(|block| all().any(|thread| ptr::eq(thread, block.cast_const()))) {
        return None;
    }
    let bytes = with.map_or(0, |with| with.stack_size) & !7;
    let bytes = if bytes == 0 { STACK } else { bytes };
    let given = with.map_or(ptr::null_mut(), |with| with.stack);
    // How many bytes a place of the program's has, only the program can say.
    let is_unknown = !given.is_null() && with.is_some_and(|with| with.stack_size == 0);
    if bytes < LEAST || is_unknown || !given.addr().is_multiple_of(8) {
        return None;
    }
    let stack: *mut u32 = if given.is_null() {
        memory::allocate(bytes as usize).cast()
    } else {
        given.cast()
    };
    if stack.is_null() {
        return None;
    }
    // SAFETY: memory of that size and alignment, the program's for as long as the thread is there.
    let thread = unsafe { own_or_given(index, block) };
    thread.name.set(with.map_or(ptr::null(), |with| with.common.name));
    thread.bits.set(with.map_or(0, |with| with.common.bits));
    thread.priority.set(priority);
    thread.stack.set(stack);
    thread.stack_bytes.set(bytes);
    thread.owns_stack.set(given.is_null());
    thread.function.set(function);
    thread.argument.set(argument);
    thread.flags.set(0);
    thread.wanted.set(None);
    thread.within.set(None);
    thread.is_waiting.set(false);
    thread.is_suspended.set(false);
    thread.has_ended.set(false);
    thread.is_there.set(true);
    place(thread);
    let (kernel, rank) = (scheduler(), thread.rank.get());
    let slot = &kernel.slots[rank];
    // SAFETY: memory of that size, which no other code uses.
    unsafe {
        (0..bytes as usize / 4).for_each(|word| stack.add(word).write(FILL));
        slot.stack.set(port::first_frame(
            stack.cast::<u64>().byte_add(bytes as usize),
            enter,
        ));
    }
    slot.guard.set(stack.expose_provenance());
    kernel.restart(rank);
    reschedule();
    Some(thread)
}

/// The free control block with this number, or in its place the one at `block`.
///
/// # Safety
///
/// There is room at `block`, if it is a place, for as long as the thread is there.
unsafe fn own_or_given(index: usize, block: Option<*mut Tcb>) -> &'static Tcb {
    let own = &ALL.own[index];
    let Some(block) = block else { return own };
    // SAFETY: the caller's promise.
    let given: &'static Tcb = unsafe {
        block.write(Tcb::new());
        &*block
    };
    ALL.given[index].set(Some(given));
    given.take_rank(own.rank.get());
    given
}

/// The code that the first switch to a thread enters, in the section of the one before.
extern "C" fn enter() -> ! {
    let own = running();
    let (function, argument) = (own.function.get(), own.argument.get());
    // SAFETY: 0 lets interrupts through: the thread is in no section of its own. The function is the program's.
    unsafe {
        port::release(0);
        if let Some(function) = function {
            function(argument);
        }
    }
    // SAFETY: nothing is on the stack any more but this function.
    unsafe { osThreadExit() }
}

/// The end of `thread`, for good. In the kernel's section.
fn end(thread: &'static Tcb) {
    let (kernel, rank) = (scheduler(), thread.rank.get());
    kernel.resume(rank);
    kernel.withdraw(rank, thread.within.take());
    kernel.finish(rank);
    for mutex in object::all().filter(|object| object.owner.get().is_some_and(|owner| ptr::eq(owner, thread)))
    {
        crate::mutex::give_back(mutex);
    }
    // The threads that wait for its end have joined it now, several of them at once.
    let mut is_joined = false;
    while kernel.release(&thread.joiners).is_some() {
        is_joined = true;
    }
    thread.has_ended.set(true);
    if is_joined || thread.bits.get() & JOINABLE == 0 {
        forget(thread);
    }
    // Its number comes after all others.
    renumber(thread, LAST - 1);
}

/// Another thread may have its place.
fn forget(thread: &'static Tcb) {
    if thread.owns_stack.get() {
        memory::free(thread.stack.get().cast());
    }
    scheduler().slots[thread.rank.get()].guard.set(0);
    thread.is_there.set(false);
    let place = ALL.given.iter().zip(&ALL.own);
    for (given, own) in place.filter(|(given, _)| given.get().is_some_and(|given| ptr::eq(given, thread))) {
        given.set(None);
        own.take_rank(thread.rank.get());
    }
}

/// `osThreadGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetName(id: Id) -> *const c_char {
    find(id).map_or(ptr::null(), |thread| thread.name.get())
}

/// `osThreadGetId`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetId() -> Id {
    section(|| {
        if kernel::is_running() {
            running().id()
        } else {
            ptr::null_mut()
        }
    })
}

/// `osThreadGetState`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetState(id: Id) -> i32 {
    section(|| {
        let Some(thread) = find(id) else { return ERROR };
        let rank = thread.rank.get();
        let ready = mainspring_core::threads::bit(rank) & scheduler().contending.get() != 0;
        match () {
            () if thread.has_ended.get() => 4,
            () if scheduler().running.get() as usize == rank => 2,
            () if ready && !thread.is_waiting.get() => 1,
            () => 3,
        }
    })
}

/// `osThreadSetPriority`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadSetPriority(id: Id, priority: i32) -> Status {
    in_thread(|| match find(id) {
        _ if !(IDLE..HIGHEST).contains(&priority) => PARAMETER,
        None => PARAMETER,
        Some(thread) if thread.has_ended.get() || thread.rank.get() == LAST => RESOURCE,
        Some(thread) => {
            thread.priority.set(priority);
            place(thread);
            reschedule();
            OK
        }
    })
}

/// `osThreadGetPriority`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetPriority(id: Id) -> i32 {
    find(id).map_or(ERROR, |thread| thread.priority.get())
}

/// `osThreadYield`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadYield() -> Status {
    if !begin_section() {
        return ISR;
    }
    // SAFETY: a thread, in the section that has begun.
    unsafe { kernel::pass() }
}

/// `osThreadSuspend`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadSuspend(id: Id) -> Status {
    in_thread(|| match find(id) {
        None => PARAMETER,
        Some(thread) if thread.has_ended.get() || is_kernels(thread) => RESOURCE,
        Some(thread) if is_own(thread) && !kernel::may_pass() => RESOURCE,
        Some(thread) => {
            thread.is_suspended.set(true);
            scheduler().suspend(thread.rank.get());
            reschedule();
            OK
        }
    })
}

/// `osThreadResume`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadResume(id: Id) -> Status {
    in_thread(|| match find(id) {
        None => PARAMETER,
        Some(thread) if !thread.is_suspended.get() => RESOURCE,
        Some(thread) => {
            thread.is_suspended.set(false);
            scheduler().resume(thread.rank.get());
            reschedule();
            OK
        }
    })
}

/// `osThreadDetach`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadDetach(id: Id) -> Status {
    in_thread(|| match find(id) {
        None => PARAMETER,
        Some(thread) if thread.bits.get() & JOINABLE == 0 => RESOURCE,
        Some(thread) => {
            thread.bits.set(thread.bits.get() & !JOINABLE);
            if thread.has_ended.get() {
                forget(thread);
            }
            OK
        }
    })
}

/// `osThreadJoin`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadJoin(id: Id) -> Status {
    in_thread(|| match find(id) {
        None => PARAMETER,
        Some(thread) if thread.bits.get() & JOINABLE == 0 => RESOURCE,
        Some(thread) if thread.has_ended.get() => {
            forget(thread);
            OK
        }
        // It would wait for ever.
        Some(thread) if is_own(thread) => RESOURCE,
        // The end forgets it: when this goes on, another thread may be in its place.
        Some(thread) => {
            may_wait(FOREVER).map_or_else(|status| status, |()| wait(Some(&thread.joiners), FOREVER))
        }
    })
}

/// `osThreadExit`
///
/// ```compile_fail,E0133
/// mainspring_cmsis::osThreadExit()
/// ```
///
/// # Safety
/// What is on the thread's stack is not dropped, and the stack can be another thread's soon: nobody has a reference to anything on it, nor
/// counts on the end of a value that is pinned there.
///
/// # Panics
/// Where no other thread can continue instead.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osThreadExit() -> ! {
    in_thread(|| {
        if kernel::may_pass() {
            end(running());
            reschedule();
        }
        ERROR
    });
    panic!("a thread ends in an interrupt, with interrupts held back, or with the kernel locked")
}

/// `osThreadTerminate`
///
/// ```compile_fail,E0133
/// mainspring_cmsis::osThreadTerminate(core::ptr::null_mut());
/// ```
///
/// # Safety
/// As for [`osThreadExit`], of that thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osThreadTerminate(id: Id) -> Status {
    in_thread(|| match find(id) {
        None => PARAMETER,
        Some(thread) if thread.has_ended.get() || is_kernels(thread) => RESOURCE,
        Some(thread) if is_own(thread) && !kernel::may_pass() => RESOURCE,
        Some(thread) => {
            end(thread);
            reschedule();
            OK
        }
    })
}
