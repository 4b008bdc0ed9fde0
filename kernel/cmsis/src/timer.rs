//! Timers, whose callbacks run in a thread of their own.

use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::ptr;

use mainspring_core::threads::Set;

use crate::kernel::{in_thread, reschedule, wait};
use crate::object::{self, Kind, Object};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb::Tcb;
use crate::thread::{self, HIGH};
use crate::types::{Attributes, FOREVER, Function, Id, OK, PARAMETER, RESOURCE, Status, ThreadAttributes};

/// `osTimerPeriodic`.
const PERIODIC: u32 = 1;

/// The thread of the timers, and where it waits.
struct Keeper {
    waits: Set,
    thread: Cell<Option<&'static Tcb>>,
}

// SAFETY: used with interrupts held back.
unsafe impl Sync for Keeper {}

static KEEPER: Keeper = Keeper {
    waits: Set::new(),
    thread: Cell::new(None),
};

/// The set that the timers' thread waits in, for code that renumbers threads.
pub(crate) fn waits() -> &'static Set {
    &KEEPER.waits
}

/// Whether this is the timers' thread: who ends or stops all threads that he finds would stop every timer.
pub(crate) fn is_keeper(thread: &'static Tcb) -> bool {
    KEEPER.thread.get().is_some_and(|keeper| ptr::eq(keeper, thread))
}

/// `osTimerNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osTimerNew(
    function: Function,
    kind: u32,
    argument: *mut c_void,
    attributes: *const Attributes,
) -> Id {
    if in_interrupt() || function.is_none() || kind > PERIODIC {
        return ptr::null_mut();
    }
    section(|| {
        if KEEPER.thread.get().is_none() {
            let with = ThreadAttributes {
                common: Attributes {
                    name: c"timers".as_ptr(),
                    bits: 0,
                    block: ptr::null_mut(),
                    block_size: 0,
                },
                stack: ptr::null_mut(),
                stack_size: 0,
                priority: HIGH,
                module: 0,
                affinity: 0,
            };
            // SAFETY: no stack.
            let Some(thread) = (unsafe { thread::create(Some(keep), ptr::null_mut(), Some(&with)) }) else {
                return ptr::null_mut();
            };
            KEEPER.thread.set(Some(thread));
        }
        // SAFETY: attributes, or null.
        let Some(object) = (unsafe { object::create(Kind::Timer, attributes) }) else {
            return ptr::null_mut();
        };
        object.function.set(function);
        object.argument.set(argument);
        object.bits.set(kind);
        object.id()
    })
}

/// Ticks until `timer` is due.
fn left(timer: &Object) -> u32 {
    let passed = scheduler().now.get().wrapping_sub(timer.size.get());
    timer.most.get().saturating_sub(passed)
}

/// The body of the timers' thread.
unsafe extern "C" fn keep(_: *mut c_void) {
    loop {
        let due = section(|| {
            let running =
                || object::all().filter(|object| object.kind.get() == Kind::Timer && object.is_running.get());
            let Some(first) = running().min_by_key(|timer| left(timer)) else {
                wait(Some(&KEEPER.waits), FOREVER);
                return None;
            };
            let ticks = left(first);
            if ticks > 0 {
                wait(Some(&KEEPER.waits), ticks.min(FOREVER - 1));
                return None;
            }
            first.is_running.set(first.bits.get() == PERIODIC);
            first.size.set(first.size.get().wrapping_add(first.most.get()));
            first
                .function
                .get()
                .map(|function| (function, first.argument.get()))
        });
        if let Some((function, argument)) = due {
            // SAFETY: the program's function.
            unsafe { function(argument) };
        }
    }
}

/// `osTimerGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osTimerGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Timer)
}

/// `osTimerStart`
#[unsafe(no_mangle)]
pub extern "C" fn osTimerStart(id: Id, ticks: u32) -> Status {
    in_thread(|| {
        let Some(timer) = object::find(id, Kind::Timer).filter(|_| ticks > 0) else {
            return PARAMETER;
        };
        timer.most.set(ticks);
        timer.size.set(scheduler().now.get());
        timer.is_running.set(true);
        scheduler().release(&KEEPER.waits);
        reschedule();
        OK
    })
}

/// `osTimerStop`
#[unsafe(no_mangle)]
pub extern "C" fn osTimerStop(id: Id) -> Status {
    in_thread(|| match object::find(id, Kind::Timer) {
        None => PARAMETER,
        Some(timer) if timer.is_running.replace(false) => OK,
        Some(_) => RESOURCE,
    })
}

/// `osTimerIsRunning`
#[unsafe(no_mangle)]
pub extern "C" fn osTimerIsRunning(id: Id) -> u32 {
    section(|| object::find(id, Kind::Timer).map_or(0, |timer| u32::from(timer.is_running.get())))
}

/// `osTimerDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osTimerDelete(id: Id) -> Status {
    object::delete(id, Kind::Timer)
}
