//! The table of processes, and what is said of the chip.

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, align_of, size_of};

use mainspring_core::processes::{CONNECTIONS, Context};

use super::arch::{DeviceTables, Table};
use super::protection::Protection;
use super::{Buffer, Bytes, Cx, Granule, Pages};

/// The periodic tick that counts timeouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tick {
    /// Nothing: there are no timeouts.
    None,
    /// SysTick on ARMv7-M, on RV32 the machine timer.
    Core,
    /// An interrupt of the chip's.
    Line(u16),
}

/// A chip with user mode and protection.
///
/// # Safety
///
/// The constants are those of the chip: what is said to be protected is. `CODE` holds the program's code and constants and nothing
/// that is written to.
pub unsafe trait Chip: 'static {
    /// Where the code and the constants are: an address, and a size that is a power of two. All processes read this.
    const CODE: (usize, usize);
    /// The protection of memory.
    const PROTECTION: Protection;
    /// Which register holds back interrupts.
    const LINES: crate::Lines;

    /// What the kernel does for an interrupt before its process hears of it; the interrupt is held back by then until the process
    /// asks for it again. Runs in the kernel, and may reach everything.
    fn taken(_line: u16) {}

    /// The timer that counts timeouts. The program starts it.
    const TICK: Tick = Tick::None;

    /// What the kernel does at a tick: makes the timer ask for the next one. Runs in the kernel.
    fn ticked() {}

    /// A process stopped, by its number: it failed, or said why by [`stop_with`](super::stop_with). Runs in the kernel, before anybody
    /// is told and before it begins anew.
    fn stopped(_process: usize, _said: Option<usize>) {}

    /// The kernel itself met an exception: a bug of the kernel's, or of `taken`.
    fn failed() -> !;
}

/// A program in its own memory. Its value is its state: where it begins, and what it begins with again after a fault.
pub trait Process: Sized + 'static {
    /// The table in which it is.
    type Processes: Processes;

    /// Its body, which never ends; it calls [`stop`](super::stop) if it cannot continue.
    fn run(&mut self, cx: Cx<Self>) -> !;
}

/// A process of several threads. They share its state: what they change of it has interior mutability that other threads may use too.
///
/// A message of another process goes to any thread that waits for one.
pub trait Team: Sized + Sync + 'static {
    /// The table in which it is.
    type Processes: Processes;

    /// The body of a thread, by its number. It never ends.
    fn run(&self, cx: Cx<Self>, thread: usize) -> !;
}

impl<T: Team> Process for T {
    type Processes = T::Processes;

    /// Never called: the row begins with [`Team::run`].
    fn run(&mut self, _: Cx<Self>) -> ! {
        super::stop()
    }
}

/// A table of processes: what [`processes!`](crate::processes) makes.
///
/// # Safety
///
/// The rows are of different processes, with memories that nothing else uses.
pub unsafe trait Processes: 'static {
    /// The chip that they run on.
    type Chip: Chip;
    /// The rows; their order is their numbers.
    const ROWS: &'static [Row];
    /// Whether some row has a frame or a device.
    const EXTRA: bool;

    /// Where the kernel keeps its contexts, one for each row.
    fn contexts() -> *mut Context;

    /// Where it keeps page tables, one for each row, if memory is granted by pages, or the registers of a floating-point unit.
    fn tables() -> *mut Table;

    /// Where it keeps those of devices, one for each row, if some row has one.
    fn device_tables() -> *mut DeviceTables;
}

/// Says where memory is.
pub type Where = fn() -> *mut u8;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The process's name.
    pub name: &'static str,
    /// The higher, the more urgent.
    pub priority: u8,
    /// Its memory.
    pub memory: fn() -> *mut u8,
    /// Bytes of it.
    pub size: usize,
    /// Its state when it begins.
    pub image: fn() -> (*const u8, usize),
    /// Where its memory has the state: at its end.
    pub state: usize,
    /// Its first instruction.
    pub entry: *const (),
    /// The numbers of those it may call.
    pub calls: &'static [usize],
    /// A device that it reaches: address and size.
    pub device: Option<(usize, usize)>,
    /// Memory that it can give away.
    pub frame: Option<(Where, usize)>,
    /// The interrupt that it is told about.
    pub line: Option<u16>,
    /// How often it is started again at the most; `u32::MAX` is for ever.
    pub restarts: u32,
    /// Its threads, and the bytes of the stack of each but the last, which has what is left.
    pub threads: (usize, usize),
    /// The number of the row whose thread this is: its own, but for the rows of further threads, which follow all others.
    pub process: usize,
    /// Which of its process's threads it is.
    pub thread: usize,
}

impl Row {
    /// Where its stack ends: the first thread's at the state, the others' below. The last one's begins where the memory does, so one
    /// that is too small for it faults before anything is overwritten.
    pub(super) fn stack(&self) -> usize {
        (self.memory)() as usize + self.state - self.thread * self.threads.1
    }
}

/// Where a memory of `size` bytes has its state, aligned as the state and the stack below it have to be.
#[doc(hidden)]
pub const fn state_at<P>(size: usize) -> usize {
    let align = if align_of::<P>() < STACK_ALIGN {
        STACK_ALIGN
    } else {
        align_of::<P>()
    };
    assert!(
        size_of::<P>() <= size,
        "the memory of a process holds its state and a stack of at least 256 bytes for each thread"
    );
    (size - size_of::<P>()) / align * align
}

/// The alignment of a stack pointer, in bytes: RV32's calling convention asks for it; 8 would do for Arm's.
const STACK_ALIGN: usize = 16;

/// So many threads do these rows have.
#[doc(hidden)]
pub const fn threads(rows: &[Row]) -> usize {
    let (mut sum, mut at) = (0, 0);
    while at < rows.len() {
        sum += rows[at].threads.0;
        at += 1;
    }
    sum
}

/// The rows, and then one for each further thread: it has its process's memory and device, and may call the same processes.
#[doc(hidden)]
pub const fn with_threads<const N: usize>(rows: &[Row]) -> [Row; N] {
    let mut all = [rows[0]; N];
    let (mut process, mut next) = (0, rows.len());
    while process < rows.len() {
        all[process] = rows[process];
        all[process].process = process;
        let mut thread = 1;
        while thread < rows[process].threads.0 {
            all[next] = rows[process];
            (all[next].process, all[next].thread) = (process, thread);
            (all[next].frame, all[next].line) = (None, None);
            thread += 1;
            next += 1;
        }
        process += 1;
    }
    all
}

/// The right to call a process: what a row's `calls` gives.
///
/// # Safety
///
/// `CONNECTION` is where the row's list has it.
pub unsafe trait Calls<P>: Process {
    /// The number by which the kernel knows it, among this process's.
    const CONNECTION: usize;
}

/// The place of a process's memory or frame: pages, or what a region of a protection unit can be.
pub struct Place<const PAGED: bool, const N: usize>;

/// The contents of a [`Place`].
pub trait Placed {
    /// Aligned as it must be.
    type Type;
}

impl<const N: usize> Placed for Place<true, N> {
    type Type = Pages<N>;
}

impl<const N: usize> Placed for Place<false, N>
where
    Bytes<N>: Granule,
{
    type Type = Buffer<N>;
}

/// Memory that only the kernel and the one it belongs to use.
#[repr(transparent)]
pub struct Stored<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: it is accessed through pointers only, each with a safety comment of its own.
unsafe impl<T> Sync for Stored<T> {}

impl<T> Stored<T> {
    /// Nothing yet.
    #[doc(hidden)]
    pub const fn new() -> Self {
        Stored(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Its address.
    #[doc(hidden)]
    pub const fn get(&self) -> *mut T {
        self.0.get().cast()
    }
}

/// The state of a process when it begins.
#[repr(transparent)]
pub struct Image<P>(MaybeUninit<P>);

// SAFETY: it is never used as what it is, only copied, byte for byte, into the memory of one process.
unsafe impl<P> Sync for Image<P> {}

impl<P> Image<P> {
    /// This state.
    #[doc(hidden)]
    pub const fn new(state: P) -> Self {
        Image(MaybeUninit::new(state))
    }

    /// Where it is.
    #[doc(hidden)]
    pub const fn address(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}

/// Where a process begins.
///
/// # Safety
///
/// For the kernel alone: `state` is where its memory has it, with its first image.
#[doc(hidden)]
pub unsafe extern "C" fn entry<P: Process>(state: &mut P, _: usize, frame: usize, more: usize) -> ! {
    // SAFETY: the kernel begins each process once at a time, and says what frame it has.
    state.run(unsafe { Cx::new([frame, more]) })
}

/// The same of a process with several threads, which all begin here.
///
/// # Safety
///
/// As for [`entry`].
#[doc(hidden)]
pub unsafe extern "C" fn team<P: Team>(state: &P, thread: usize, frame: usize, more: usize) -> ! {
    // SAFETY: as above; all threads have the state to share, and it says that they can.
    state.run(unsafe { Cx::new([frame, more]) }, thread)
}

/// What must be true of a row of `T`: its process says so, too, by which it reads what the kernel tells it.
#[doc(hidden)]
pub const fn check<P: Process<Processes = T>, T: Processes>(
    size: usize,
    calls: usize,
    (threads, stack): (usize, usize),
) {
    assert!(
        threads != 0 && stack.is_multiple_of(16) && (threads == 1 || stack >= 256),
        "a process has one thread or more, whose stacks are 256 bytes or more in steps of 16"
    );
    let paged = <T::Chip as Chip>::PROTECTION.is_paged();
    assert!(
        paged || size.is_power_of_two(),
        "the memory of a process is a power of two"
    );
    assert!(
        !paged || (size.is_multiple_of(4096) && align_of::<P>() <= 4096),
        "with Sv32, the memory of a process is pages of 4096 bytes"
    );
    assert!(
        256 + (threads - 1) * stack <= state_at::<P>(size),
        "the memory of a process holds its state and a stack of at least 256 bytes for each thread"
    );
    assert!(
        align_of::<P>() <= size,
        "a process's state is not more aligned than its memory"
    );
    assert!(calls <= CONNECTIONS, "a process calls at most eight others");
}

/// A table of processes: its rows become types, memories and connections.
///
/// ```text
/// mainspring::processes! {
///     /// What it is.
///     struct Clock;
///     chip = Chip;
///     processes {
///         // name   = first image,  priority, memory in bytes, whom it calls, and, each if it has one:
///         Client    = Client::NEW,    priority 1, memory 1024, calls (Ticktimer), frame 512, restarts 3;
///         Ticktimer = Ticktimer::NEW, priority 2, memory 512,  calls (), device (0xf000_1000, 0x800), on 1;
///     }
/// }
/// ```
///
/// The first image is a constant. A process has a frame or a device, not both.
#[macro_export]
macro_rules! processes {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident;
        chip = $chip:ty;
        processes {
            $(
                $(#[doc = $doc:literal])*
                $process:ident = $image:expr, priority $priority:literal, memory $memory:expr, calls ($($called:ident),* $(,)?)
                $(, device ($device:expr, $device_size:expr))?
                $(, frame $frame:expr)?
                $(, on $line:expr)?
                $(, restarts $restarts:literal)?
                $(, threads $threads:literal stack $stack:literal)?
                ;
            )+
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name;

        $crate::__process_vectors!($name);

        const _: () = {
            use $crate::__core as core;
            use $crate::process as __process;

            #[allow(dead_code)]
            enum __Number { $($process),+ }

            const __PAGED: bool = <$chip as __process::Chip>::PROTECTION.is_paged();
            type __Memory<const N: usize> = <__process::Place<__PAGED, N> as __process::Placed>::Type;

            const __PROCESSES: &[__process::Row] = &[$( {
                const {
                    __process::check::<$process, $name>(
                        $memory,
                        <[&str]>::len(&[$(stringify!($called)),*]),
                        $crate::__threads!($($threads $stack)?),
                    )
                };
                fn memory() -> *mut u8 {
                    static __MEMORY: __process::Stored<__Memory<{ $memory }>> = __process::Stored::new();
                    __MEMORY.get().cast()
                }
                fn image() -> (*const u8, usize) {
                    static __IMAGE: __process::Image<$process> = __process::Image::new($image);
                    (__IMAGE.address(), core::mem::size_of::<$process>())
                }
                __process::Row {
                    name: stringify!($process),
                    priority: $priority,
                    memory,
                    size: $memory,
                    image,
                    state: __process::state_at::<$process>($memory),
                    entry: $crate::__entry!($process $($threads)?),
                    calls: &[$(__Number::$called as usize),*],
                    device: $crate::__optional!($(($device, $device_size))?),
                    frame: $crate::__optional!($({
                        fn frame() -> *mut u8 {
                            static __FRAME: __process::Stored<__Memory<{ $frame }>> = __process::Stored::new();
                            __FRAME.get().cast()
                        }
                        (frame as fn() -> *mut u8, $frame)
                    })?),
                    line: $crate::__optional!($($line as u16)?),
                    restarts: $crate::__restarts!($($restarts)?),
                    threads: $crate::__threads!($($threads $stack)?),
                    process: 0,
                    thread: 0,
                }
                } ),+];

            // SAFETY: each row's memory is a static that nothing else can name.
            unsafe impl __process::Processes for $name {
                type Chip = $chip;
                const ROWS: &'static [__process::Row] = &__process::with_threads::<{ __process::threads(__PROCESSES) }>(__PROCESSES);
                const EXTRA: bool = {
                    let mut any = false;
                    let mut at = 0;
                    while at < Self::ROWS.len() {
                        any |= Self::ROWS[at].device.is_some() || Self::ROWS[at].frame.is_some();
                        at += 1;
                    }
                    any
                };
                fn contexts() -> *mut __process::Context {
                    const __ROWS: usize = <$name as __process::Processes>::ROWS.len();
                    static __CONTEXTS: __process::Stored<[__process::Context; __ROWS]> = __process::Stored::new();
                    __CONTEXTS.get().cast()
                }

                fn tables() -> *mut __process::Table {
                    const __ROWS: usize =
                        if __PAGED || __process::HAS_FLOATS { <$name as __process::Processes>::ROWS.len() } else { 0 };
                    static __TABLES: __process::Stored<[__process::Table; __ROWS]> = __process::Stored::new();
                    __TABLES.get().cast()
                }

                fn device_tables() -> *mut __process::DeviceTables {
                    const __ROWS: usize = {
                        let rows = <$name as __process::Processes>::ROWS;
                        let (mut any, mut at) = (false, 0);
                        while at < rows.len() {
                            any |= rows[at].device.is_some();
                            at += 1;
                        }
                        if __PAGED && any { rows.len() } else { 0 }
                    };
                    static __TABLES: __process::Stored<[__process::DeviceTables; __ROWS]> = __process::Stored::new();
                    __TABLES.get().cast()
                }
            }

            $( const _: () = {
                #[allow(dead_code, clippy::items_after_statements)]
                enum __Connection { $($called),* }
                $(
                    // SAFETY: this is its place in the row's list.
                    unsafe impl __process::Calls<$called> for $process {
                        const CONNECTION: usize = __Connection::$called as usize;
                    }
                )*
            }; )+
        };
    };
}

/// The contents, if there are any.
#[doc(hidden)]
#[macro_export]
macro_rules! __optional {
    () => {
        $crate::__core::option::Option::None
    };
    ($value:expr) => {
        $crate::__core::option::Option::Some($value)
    };
}

/// For ever, unless it says otherwise.
#[doc(hidden)]
#[macro_export]
macro_rules! __restarts {
    () => {
        u32::MAX
    };
    ($value:expr) => {
        $value
    };
}

/// One thread, which has all of the stack, unless the row says otherwise.
#[doc(hidden)]
#[macro_export]
macro_rules! __threads {
    () => {
        (1, 0)
    };
    ($threads:literal $stack:literal) => {
        ($threads, $stack)
    };
}

/// Where the threads of a process begin.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    ($process:ident) => {
        $crate::process::entry::<$process> as *const ()
    };
    ($process:ident $threads:literal) => {
        $crate::process::team::<$process> as *const ()
    };
}

/// The vectors that the program's runtime has names for: those of cortex-m-rt.
#[cfg(target_arch = "arm")]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_vectors {
    ($name:ident) => {
        $crate::__process_vectors! { $name
            SVCall supervisor_call, PendSV first_process, MemoryManagement other_exception, BusFault other_exception,
            UsageFault other_exception, HardFault other_exception, DefaultHandler other_exception
        }
    };
    ($name:ident $($vector:ident $to:ident),+) => { $(
        // SAFETY: the vector's own name, which one application can have.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $vector() {
            $crate::__core::arch::naked_asm!("b {to}", to = sym $crate::process::$to::<$name>)
        }
    )+ };
}

/// On RV32 `mtvec` says where traps go.
#[cfg(not(target_arch = "arm"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_vectors {
    ($name:ident) => {};
}
