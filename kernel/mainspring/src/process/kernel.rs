//! Where the program becomes its processes, and what the kernel does when the fast way cannot.

#![allow(clippy::redundant_closure_for_method_calls)] // The methods are not general enough in the lifetimes of `System`.

use core::marker::PhantomData;
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use mainspring_core::processes::{CONNECTIONS, Context, Machine, Region, System};

use super::arch;
use super::buffer::named;
use super::table::{Chip, Processes, Tick};

/// The target of a connection that a process does not have: it never waits for a message.
static NOBODY: Context = Context::NONE;
/// Those that could run and do not. There is one table in a program.
static READY: AtomicU32 = AtomicU32::new(0);
static STARTED: AtomicBool = AtomicBool::new(false);

/// Starts the processes of a table. Nothing else of the program runs from then on but what they do, and [`Chip::taken`].
///
/// # Panics
///
/// If it was called before.
pub fn start<S: Processes>() -> ! {
    const {
        assert!(
            !S::ROWS.is_empty() && S::ROWS.len() <= 32,
            "there are 1 to 32 processes, each thread of theirs counted"
        );
    }
    arch::hold();
    assert!(!STARTED.load(Relaxed), "the processes are started once");
    STARTED.store(true, Relaxed);
    let first = S::contexts();
    for (index, row) in S::ROWS.iter().enumerate() {
        let mut context = Context::NONE;
        context.priority = row.priority;
        context.restarts = row.restarts;
        (context.process, context.thread) = (row.process as u8, row.thread as u8);
        arch::own::<S>(index, &mut context);
        context.within = arch::within::<S>((row.memory)() as usize, row.size);
        (context.lent, context.lent_mut, context.extra) = (arch::NOWHERE, arch::NOWHERE, arch::NOWHERE);
        if let Some((frame, size)) = row.frame {
            context.extra = arch::frame::<S>(frame() as usize, size);
            context.frame = index as u8 + 1;
            arch::open::<S>(index, context.extra, true);
        }
        if let Some((device, size)) = row.device
            && let Some(region) = arch::device::<S>(device, size)
        {
            context.extra = region;
        }
        context.connections = [core::ptr::from_ref(&NOBODY) as usize; CONNECTIONS];
        for (place, &called) in context.connections.iter_mut().zip(row.calls) {
            *place = first.wrapping_add(called) as usize;
        }
        // SAFETY: the statics of the table are the kernel's, which starts just now.
        unsafe { first.add(index).write(context) };
    }
    // SAFETY: the contexts are there, interrupts are held back, and this is the first time.
    let first = unsafe {
        arch::prepare::<S>();
        with::<S, _>(|system| system.start());
        next::<S>(None)
    };
    for line in S::ROWS.iter().filter_map(|row| row.line) {
        arch::listen::<S>(line);
    }
    if let Tick::Line(line) = S::Chip::TICK {
        arch::listen::<S>(line);
    }
    // SAFETY: this context is that of the process which was chosen.
    unsafe { arch::leave::<S>(first) }
}

/// Runs `f` with all processes.
///
/// # Safety
///
/// The kernel runs, and no other code has them.
pub(super) unsafe fn with<S: Processes, R>(f: impl FnOnce(&mut System<'_, Core<S>>) -> R) -> R {
    let first = S::contexts();
    // SAFETY: they were written when the program started; the rest is the caller's promise.
    let contexts = unsafe { slice::from_raw_parts_mut(first, S::ROWS.len()) };
    let mut ready = READY.load(Relaxed);
    let result = f(&mut System::new(contexts, &mut ready, Core(PhantomData)));
    READY.store(ready, Relaxed);
    result
}

/// Chooses the process that runs next, possibly `running`, and waits for an interrupt while none can. Returns its context's address.
///
/// # Safety
///
/// As for [`with`].
pub(super) unsafe fn next<S: Processes>(mut running: Option<usize>) -> usize {
    loop {
        // SAFETY: the caller's promise.
        let chosen = unsafe {
            with::<S, _>(|system| {
                let chosen = system.choose(running)?;
                Some(system.address(chosen))
            })
        };
        if let Some(address) = chosen {
            return address;
        }
        running = None;
        arch::sleep();
        // SAFETY: as above.
        unsafe { interrupts::<S>() };
    }
}

/// A tick came: whose time is up is told so.
///
/// # Safety
///
/// As for [`with`].
pub(super) unsafe fn tick<S: Processes>() {
    S::Chip::ticked();
    // SAFETY: the caller's promise.
    unsafe { with::<S, _>(|system| system.tick()) };
}

/// Tells processes of the interrupts that came.
///
/// # Safety
///
/// As for [`with`].
pub(super) unsafe fn interrupts<S: Processes>() {
    if arch::take_tick::<S>() {
        // SAFETY: the caller's promise.
        unsafe { tick::<S>() };
    }
    if let Tick::Line(line) = S::Chip::TICK
        && arch::take::<S>(line)
    {
        // SAFETY: as above.
        unsafe { tick::<S>() };
        arch::listen::<S>(line);
    }
    for (index, row) in S::ROWS.iter().enumerate() {
        let Some(line) = row.line else { continue };
        if arch::take::<S>(line) {
            S::Chip::taken(line);
            // SAFETY: the caller's promise.
            unsafe { with::<S, _>(|system| system.notice(index)) };
        }
    }
}

/// The operations of the core for the processes of a table.
pub(super) struct Core<S>(PhantomData<S>);

impl<S: Processes> Machine for Core<S> {
    const NOWHERE: Region = arch::NOWHERE;
    const BY_ENTRY: bool = arch::by_entry::<S>();

    fn lendable(context: &Context, writes: bool) -> Option<Region> {
        arch::lendable::<S>(context, writes)
    }

    fn described(region: Region) -> [usize; 2] {
        arch::described(region)
    }

    fn begin(&mut self, context: &mut Context, index: usize) {
        let row = &S::ROWS[index];
        let memory = (row.memory)();
        let (image, size) = (row.image)();
        // SAFETY: a place in this memory (`state_at`).
        let state = unsafe { memory.add(row.state) };
        if row.thread == 0 {
            // SAFETY: the memory is this process's, of which no thread runs: the others begin after this one. The image is its first
            // state, which fits (`check`).
            unsafe {
                memory.write_bytes(0, row.size);
                state.copy_from_nonoverlapping(image, size);
            }
        }
        arch::forget_floats::<S>(context, index);
        (context.message[0], context.message[1]) = (state as usize, row.thread);
        if context.frame != 0 {
            [context.message[2], context.message[3]] = arch::described(context.extra);
        }
        arch::begin(context, row.entry, row.stack());
    }

    fn clear(&mut self, frame: Region) {
        let protection = <S::Chip as Chip>::PROTECTION;
        let (address, size) = named(protection, arch::described(frame));
        // SAFETY: a frame of the table's, whose holder does not run.
        unsafe { (address as *mut u8).write_bytes(0, size) };
    }

    fn listen(&mut self, index: usize) {
        if let Some(line) = S::ROWS[index].line {
            arch::listen::<S>(line);
        }
    }

    fn stopped(&mut self, context: &Context, index: usize, asked: bool) {
        S::Chip::stopped(index, asked.then_some(context.message[0]));
    }

    fn open(&mut self, index: usize, region: Region, writes: bool) {
        arch::open::<S>(index, region, writes);
    }

    fn close(&mut self, index: usize, region: Region) {
        arch::close::<S>(index, region);
    }

    fn close_entry(&mut self, entry: usize) {
        arch::close_entry::<S>(entry);
    }
}
