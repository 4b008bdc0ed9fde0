//! The host: an interrupt controller in software, one per thread, so that an application's logic can be tested with
//! plain `cargo test`. See [`crate::host`].

#![allow(unsafe_code)] // Calls the handlers, as the hardware would.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_core::{Restore, Text, Vector};

use crate::level::{By, Level, Transition};
use crate::model::App;
use crate::model::{Task, Tasks};

pub(crate) use crate::pool::word::Plain as Shared;

/// Interrupts, then the two system exceptions.
const VECTORS: usize = 242;
/// The priority of code outside of handlers: every task's is below.
const THREAD: u16 = 256;

/// The way to start a task.
pub(crate) type Handler = unsafe fn();

#[derive(Clone, Copy, Default)]
struct Line {
    handler: Option<Handler>,
    priority: u8,
    enabled: bool,
    pending: bool,
}

struct Core {
    basepri: Cell<u8>,
    primask: Cell<bool>,
    active: Cell<u16>,
    lines: RefCell<Vec<Line>>,
}

thread_local! {
    static CORE: Core = Core {
        basepri: Cell::new(0),
        primask: Cell::new(false),
        active: Cell::new(THREAD),
        lines: RefCell::new(vec![Line::default(); VECTORS]),
    };
}

/// As after a reset, with interrupts off and the handlers of `A` in the vectors.
///
/// # Safety
///
/// This thread is in no section, and no task of its runs.
pub(crate) unsafe fn reset<A: App>() {
    disarm();
    CORE.with(|core| {
        let mut lines = core.lines.borrow_mut();
        A::Tasks::handlers(&mut |vector, handler| {
            let line = &mut lines[index(vector)];
            line.handler = Some(handler);
            line.enabled = !matches!(vector, Vector::Interrupt(_));
        });
    });
}

/// No handler is in the vectors any more, and nothing is asked for.
pub(crate) fn disarm() {
    CORE.with(|core| {
        core.basepri.set(0);
        core.primask.set(true);
        core.active.set(THREAD);
        core.lines.replace(vec![Line::default(); VECTORS]);
    });
}

/// Any number will do: priorities are bytes here.
pub(crate) const LEAST_PRIORITY_BITS: u8 = 7;

pub(crate) fn has_priority_bits(bits: u8) -> bool {
    bits <= LEAST_PRIORITY_BITS
}

pub(crate) fn hold_all() {
    CORE.with(|core| core.primask.set(true));
}

/// # Safety
///
/// Every task may run.
#[allow(clippy::extra_unused_type_parameters)] // One signature for all cores.
pub(crate) unsafe fn release_all<A: App>() {
    CORE.with(|core| core.primask.set(false));
    dispatch();
}

/// Puts back what a section changed when it is dropped: at the section's end, also if that is a panic.
struct Section<F: FnMut(&Core)> {
    restore: F,
}

impl<F: FnMut(&Core)> Drop for Section<F> {
    fn drop(&mut self) {
        CORE.with(&mut self.restore);
        // Pending tasks start now, except while a panic unwinds: a second panic would abort.
        if !std::thread::panicking() {
            dispatch();
        }
    }
}

/// Runs `f` while everything is held back.
///
/// # Safety
///
/// None is needed here.
pub(crate) unsafe fn global_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    let before = CORE.with(|core| core.primask.replace(true));
    let _section = Section {
        restore: |core: &Core| core.primask.set(before),
    };
    f()
}

/// Runs `f` with BASEPRI at `raised`, or at what it held if that holds more back, as a write of `BASEPRI_MAX` does.
///
/// # Safety
///
/// Where `restore` names a value, BASEPRI holds it now: looked at here.
pub(crate) unsafe fn threshold_section<W: Transition, O>(
    raised: u8,
    restore: Restore,
    f: impl FnOnce() -> O,
) -> O {
    let before = CORE.with(|core| core.basepri.get());
    if let Restore::Known(value) = restore {
        assert_eq!(value, before, "BASEPRI does not hold what the level's type says");
    }
    masked(raised, f)
}

/// Runs `f` with BASEPRI at `threshold`, or at what it held if that holds more back.
pub(crate) fn masked<O>(threshold: u8, f: impl FnOnce() -> O) -> O {
    let before = CORE.with(|core| {
        let raises = core.basepri.get() == 0 || threshold < core.basepri.get();
        core.basepri
            .replace(if raises { threshold } else { core.basepri.get() })
    });
    let _section = Section {
        restore: |core: &Core| core.basepri.set(before),
    };
    f()
}

/// # Safety
///
/// None is needed here: tasks start by their priorities.
pub(crate) unsafe fn pend<L: Level, T: Task<App = L::App>>() {
    pend_first::<T>();
}

/// The preparation for asking for a task: there is nothing to prepare.
pub(crate) struct Asking;

#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam.
pub(crate) fn asking<T: Task>(_first: *const ()) -> Asking {
    Asking
}

/// Asks for `T`.
///
/// # Safety
///
/// As for [`pend`].
#[inline(always)]
pub(crate) unsafe fn ask<L: Level, T: Task<App = L::App>>(_: Asking) {
    // SAFETY: the caller's promise.
    unsafe { pend::<L, T>() };
}

pub(crate) fn wake<T: Task>() {
    pend_first::<T>();
}

pub(crate) fn pend_first<T: Task>() {
    change(T::VECTOR, |line| line.pending = true);
}

/// # Safety
///
/// None is needed here: sections do not use these bits.
pub(crate) unsafe fn enable<L: Level, T: Task<App = L::App>>() {
    change(T::VECTOR, |line| line.enabled = true);
}

pub(crate) fn disable<T: Task>() {
    change(T::VECTOR, |line| line.enabled = false);
}

/// # Safety
///
/// It is that of a task of the application that is being started, before any task runs.
pub(crate) unsafe fn set_priority(vector: Vector, value: u8) {
    change(vector, |line| line.priority = value);
}

/// # Safety
///
/// `A` is being started, and its tasks have their states and their priorities.
pub(crate) unsafe fn enable_all<A: App>() {
    for task in A::Tasks::ROWS.iter().filter(|task| task.enabled) {
        if let Some(vector) = task.vector {
            change(vector, |line| line.enabled = true);
        }
    }
}

/// Lets other threads run: on the host there is nothing to wait for.
pub fn wait() {
    std::thread::yield_now();
}

pub(crate) const fn check_enable(_by: &By, name: &str, vector: Vector, _task: u8) {
    if !matches!(vector, Vector::Interrupt(_)) {
        let text = Text::of("task ")
            .name(name)
            .and(" is bound to a system exception, which has no enable bit");
        panic!("{}", text.as_str());
    }
}

/// Every stack is the host's.
///
/// # Safety
///
/// None is needed: nothing is done.
pub(crate) unsafe fn put_guard(_number: usize, _place: usize) -> bool {
    true
}

/// As above.
///
/// # Safety
///
/// None is needed: nothing is done.
#[allow(clippy::extra_unused_type_parameters)] // The same signature as on a chip.
pub(crate) unsafe fn begin_guards<A: App>() {}

#[allow(clippy::extra_unused_type_parameters)] // The same signature as on a chip.
pub(crate) const fn problem<A: App>() -> Option<Text> {
    None
}

fn change(vector: Vector, f: impl FnOnce(&mut Line)) {
    CORE.with(|core| f(&mut core.lines.borrow_mut()[index(vector)]));
    dispatch();
}

fn index(vector: Vector) -> usize {
    match vector {
        Vector::Interrupt(number) => usize::from(number),
        Vector::SysTick => 240,
        Vector::PendSv => 241,
    }
}

/// Puts the active priority back when a handler ends, also if that is a panic.
struct Active<'core> {
    core: &'core Core,
    before: u16,
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.core.active.set(self.before);
    }
}

/// Runs every task that may start, the most urgent first, as the hardware does (ARMv7-M ARM B1.5.4).
fn dispatch() {
    CORE.with(|core| {
        while let Some((handler, priority)) = next(core) {
            let basepri = core.basepri.get();
            let active = Active {
                core,
                before: core.active.replace(u16::from(priority)),
            };
            // SAFETY: the handler belongs to this vector (`Tasks::handlers`), and is not running: while it does, the
            // active priority is its own.
            unsafe { handler() };
            drop(active);
            assert_eq!(
                core.basepri.get(),
                basepri,
                "a task left another threshold behind than it found"
            );
        }
    });
}

fn next(core: &Core) -> Option<(Handler, u8)> {
    let basepri = core.basepri.get();
    let may_start = |line: &&mut Line| {
        line.pending
            && line.enabled
            && !core.primask.get()
            && u16::from(line.priority) < core.active.get()
            && (basepri == 0 || line.priority < basepri)
    };
    let mut lines = core.lines.borrow_mut();
    let line = lines
        .iter_mut()
        .filter(may_start)
        .min_by_key(|line| line.priority)?;
    line.pending = false;
    Some((line.handler.expect("only tasks are enabled"), line.priority))
}

/// Keeps other threads out of such sections until it is dropped: the host's threads are not one core's contexts.
pub(crate) struct SharedSection {
    _alone: MutexGuard<'static, ()>,
}

impl SharedSection {
    pub(crate) fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        SharedSection {
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

pub(crate) fn opaque<T>(reference: &'static T) -> &'static T {
    reference
}

pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { place.write(value) }
}

/// The link in a block.
///
/// # Safety
///
/// A link lies there, and no other code writes it meanwhile: the callers are inside a [`SharedSection`] or have the key.
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { place.read() }
}
