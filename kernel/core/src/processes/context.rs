//! The state of a process.

use core::mem::size_of;

/// Connections of a process.
pub const CONNECTIONS: usize = 8;

/// Registers of a message: five words, what it is about (or how it went), who it is for (or from), and the
/// [`Operation`](super::Operation).
pub const WORDS: usize = 8;

/// In [`Context::client`]: it runs or is ready, and no process waits for its answer.
pub const BUSY: usize = 1;
/// A bit of [`Context::client`]: the answer is not the fast way's. Another process waits for this one, or for the processor.
pub const SLOW: usize = 1;
/// A bit of [`Context::client`]: memory of the client's is lent, to be read.
pub const LENT: usize = 2;
/// A bit of [`Context::client`]: memory of the client's is lent, to be read and written.
pub const LENT_MUT: usize = 4;
/// A bit of [`Context::client`]: the client gave its frame away, and may be given one.
pub const GAVE: usize = 8;
/// All of these.
pub const FLAGS: usize = SLOW | LENT | LENT_MUT | GAVE;

/// A piece of memory, as the core's protection unit takes it: the words of its registers.
pub type Region = [usize; 2];

/// A piece of memory that no process can reach. The [`Machine`](super::Machine) replaces it by what its registers need for that.
pub const NOWHERE: Region = [usize::MAX; 2];

/// A process, as the kernel keeps it: one of its threads, if it has several.
/// The fast way's words come first, so that they are in two lines of a cache, and not in the first ones of a page, where that begins.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Where it goes on. Fast.
    pub pc: usize,
    /// Its stack pointer. Fast.
    pub sp: usize,
    /// Other state that its calls keep. Used by the fast path.
    pub kept: [usize; 2],
    /// The process that waits for its answer: 0 if it waits for a message itself, [`BUSY`], or the address of a context, with [`SLOW`],
    /// [`LENT`], [`LENT_MUT`] and [`GAVE`]. Fast.
    pub client: usize,
    /// Its memory. Fast.
    pub data: Region,
    /// Where page tables lead to its memory, and where its table of pages would have the entry of address 0, on a core that has them.
    /// Fast.
    pub place: [usize; 2],
    /// Its frame, or its device. Fast.
    pub extra: Region,
    /// What is lent to it, to be read, if `client` has [`LENT`]; where `entry` says that, it is of no meaning. Fast.
    pub lent: Region,
    /// What is lent to it, to be read and written, if `client` has [`LENT_MUT`]; as above. Fast.
    pub lent_mut: Region,
    /// Where the page table has the one page that the fast way lent to it last; 0 if something was lent otherwise since. Fast.
    pub entry: usize,
    /// What the fast way checks lent memory by: what its name is but for some bits, and these bits. Fast.
    pub within: [usize; 2],
    /// The contexts it may send to, by their addresses; one that no process may send to where there is no connection. Fast.
    pub connections: [usize; CONNECTIONS],
    /// A message that it sent, or that it goes on with.
    pub message: [usize; WORDS],
    /// All other registers, if `whole`.
    pub others: [usize; 24],
    /// Whether it was stopped anywhere, not in an operation of its own.
    pub whole: bool,
    /// Its own priority, the higher the more urgent.
    pub priority: u8,
    /// Whose frame it has, by its number and 1 more; 0 for none.
    pub frame: u8,
    /// The interrupt that it is told about came.
    pub notice: bool,
    /// It stopped for good.
    pub stopped: bool,
    /// Of a process's first thread: the process ends as soon as nothing of it is lent any more.
    pub ending: bool,
    /// Its process: the number of the context of the process's first thread, which is its own if it has but one.
    pub process: u8,
    /// Which of its process's threads it is; 0 is the first.
    pub thread: u8,
    /// Ticks until it waits no longer; 0 is for ever.
    pub left: u32,
    /// How often it may still be started again.
    pub restarts: u32,
    /// For a process's first thread: the processes that wait to send to it, by their numbers.
    pub senders: u32,
}

impl Context {
    /// Of no process: nothing may be sent to it, and it may reach nothing.
    pub const NONE: Context = Context {
        pc: 0,
        sp: 0,
        kept: [0; 2],
        client: BUSY,
        data: NOWHERE,
        place: [0; 2],
        extra: NOWHERE,
        lent: NOWHERE,
        lent_mut: NOWHERE,
        entry: 0,
        within: [0; 2],
        connections: [0; CONNECTIONS],
        message: [0; WORDS],
        others: [0; 24],
        whole: false,
        priority: 0,
        frame: 0,
        notice: false,
        stopped: false,
        ending: false,
        process: 0,
        thread: 0,
        left: 0,
        restarts: u32::MAX,
        senders: 0,
    };

    /// Bytes from one to the next.
    pub const SIZE: usize = size_of::<Context>();
}
