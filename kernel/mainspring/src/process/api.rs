//! The operations of a process.

use core::hint::cold_path;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::slice;

use mainspring_core::processes::{Context, Operation, Status, time_limit};

use super::arch;
use super::buffer::{Lent, name, named};
use super::protection::Protection;
use super::table::{Calls, Chip, Process, Processes, Tick};

/// The registers of a message.
pub(super) type Registers = [usize; 8];

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The receiver stopped before it answered. How far it got is not known.
    Died,
    /// The receiver was not waiting.
    Busy,
    /// The memory cannot be granted.
    BadMemory,
    /// The receiver has a frame, or a device, already.
    Full,
    /// The receiver waits, by itself or over others, for this process.
    Deadlock,
    /// There was no answer in time. How far the receiver got is not known.
    TimedOut,
    /// Another thread of this process ended the wait ([`Cx::cancel`]). How far the receiver got is not known.
    Cancelled,
    /// The kernel does not know the connection or the operation: the program was put together wrong.
    Refused,
}

/// An answer or an error, and the frame that came with it.
pub type WithFrame<T> = (T, Option<Frame>);

/// Words for a receiver: what it is about, and five more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Message {
    /// The kind of message: receiver and senders agree on the numbers.
    pub id: usize,
    /// The rest.
    pub words: [usize; 5],
}

/// How a message came.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// Words, and a sender that waits for the answer.
    Call,
    /// Memory that may be read until it is answered; words 3 and 4 are taken by it.
    Lent(&'a [u8]),
    /// Memory that may be read and written until it is answered.
    LentMut(&'a mut [u8]),
    /// A frame, for good.
    Given(Frame),
    /// Words; no sender waits.
    Send,
    /// The process's interrupt came. It does so again after [`Cx::listen`].
    Interrupt,
}

/// A message at its receiver.
#[derive(Debug)]
pub struct Request<'a> {
    /// The words.
    pub message: Message,
    /// The number of the sender's row.
    pub from: usize,
    /// The memory that came with it.
    pub incoming: Incoming<'a>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Words.
    pub words: [usize; 5],
    /// A frame, which becomes the asker's if it gave one and has none; words 3 and 4 say where it is. Otherwise it stays with
    /// the process that answers, out of its reach until that process restarts.
    pub frame: Option<Frame>,
}

impl From<[usize; 5]> for Answer {
    #[inline(always)]
    fn from(words: [usize; 5]) -> Self {
        Answer { words, frame: None }
    }
}

/// Memory that goes from process to process. In one with several threads it is one thread's: the kernel knows a frame by the thread that
/// has it.
#[derive(Debug)]
pub struct Frame {
    address: usize,
    size: usize,
    /// Neither `Send` nor `Sync`: another thread does not reach it, and what that one gives away is its own.
    here: PhantomData<*mut ()>,
}

impl Deref for Frame {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the kernel says that this process has this memory, and nobody else; the value is given away with it.
        unsafe { slice::from_raw_parts(self.address as *const u8, self.size) }
    }
}

impl DerefMut for Frame {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.address as *mut u8, self.size) }
    }
}

/// The interface of a process to the kernel, which it gets when it starts.
pub struct Cx<P> {
    frame: Option<Frame>,
    process: PhantomData<fn(P) -> P>,
    /// Neither `Send` nor `Sync`: it is this thread's, which answers what it has received before it receives again.
    here: PhantomData<*mut ()>,
}

impl<P: Process> Cx<P> {
    const PROTECTION: Protection = <<P::Processes as Processes>::Chip as Chip>::PROTECTION;

    /// # Safety
    ///
    /// The process begins, and `frame` is what the kernel said.
    pub(super) unsafe fn new(frame: [usize; 2]) -> Self {
        Cx {
            frame: (frame != [0; 2]).then(|| Self::frame(frame)),
            process: PhantomData,
            here: PhantomData,
        }
    }

    fn frame(words: [usize; 2]) -> Frame {
        let (address, size) = named(Self::PROTECTION, words);
        let here = PhantomData;
        Frame { address, size, here }
    }

    /// The frame that the process begins with, once.
    pub fn take_frame(&mut self) -> Option<Frame> {
        self.frame.take()
    }

    /// Sends words, and waits for the answer.
    ///
    /// # Errors
    /// When there is no answer: [`Error`].
    #[inline(always)]
    pub fn call<S>(&mut self, message: Message) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        answered(arch::trap(sent(message, P::CONNECTION, Operation::Call)))
    }

    /// As [`call`](Self::call), if the receiver is waiting.
    ///
    /// # Errors
    /// As there, and [`Error::Busy`].
    pub fn try_call<S>(&mut self, message: Message) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        answered(arch::trap(sent(message, P::CONNECTION, Operation::TryCall)))
    }

    /// Sends words, and goes on as soon as the receiver has them; no answer comes.
    ///
    /// # Errors
    /// When they could not be sent.
    pub fn send<S>(&mut self, message: Message) -> Result<(), Error>
    where
        P: Calls<S>,
    {
        answered(arch::trap(sent(message, P::CONNECTION, Operation::Send))).map(drop)
    }

    /// As [`send`](Self::send), if the receiver is waiting.
    ///
    /// # Errors
    /// As there, and [`Error::Busy`].
    pub fn try_send<S>(&mut self, message: Message) -> Result<(), Error>
    where
        P: Calls<S>,
    {
        answered(arch::trap(sent(message, P::CONNECTION, Operation::TrySend))).map(drop)
    }

    /// Sends what it is about and three words, and lets the receiver read `buffer` until it answers.
    ///
    /// # Errors
    /// As for [`call`](Self::call).
    #[inline(always)]
    pub fn lend<S, B: Lent>(&mut self, id: usize, words: [usize; 3], buffer: &B) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        let message = with_memory(id, words, Self::read(buffer));
        answered(arch::trap(sent(message, P::CONNECTION, Operation::Lend)))
    }

    /// As [`lend`](Self::lend), and the receiver may write to it.
    ///
    /// # Errors
    /// As for [`call`](Self::call). Whatever a receiver wrote before it died stays.
    #[inline(always)]
    pub fn lend_mut<S, B: Lent>(
        &mut self,
        id: usize,
        words: [usize; 3],
        buffer: &mut B,
    ) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        let message = with_memory(id, words, Self::written(buffer));
        answered(arch::trap(sent(message, P::CONNECTION, Operation::LendMut)))
    }

    /// As [`call`](Self::call), for so many ticks at the most, from 1 to 2²⁷ − 1; the first of them may come at once.
    ///
    /// # Errors
    /// As there, and [`Error::TimedOut`]: the receiver may have the message, and its answer is dropped.
    ///
    /// # Panics
    /// If there are more ticks than that.
    pub fn call_within<S>(&mut self, ticks: u32, message: Message) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        Self::within(ticks, sent(message, P::CONNECTION, Operation::CallWithin))
    }

    /// As [`lend`](Self::lend), unless the receiver has not received it within so many ticks. If it has, its answer is waited for: what it
    /// has is not taken from it.
    ///
    /// # Errors
    /// As there, and [`Error::TimedOut`]: the receiver has seen nothing.
    pub fn lend_within<S, B: Lent>(
        &mut self,
        ticks: u32,
        id: usize,
        words: [usize; 3],
        buffer: &B,
    ) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        let message = with_memory(id, words, Self::read(buffer));
        Self::within(ticks, sent(message, P::CONNECTION, Operation::LendWithin))
    }

    /// As [`lend_mut`](Self::lend_mut), with the time limit of [`lend_within`](Self::lend_within).
    ///
    /// # Errors
    /// As there.
    pub fn lend_mut_within<S, B: Lent>(
        &mut self,
        ticks: u32,
        id: usize,
        words: [usize; 3],
        buffer: &mut B,
    ) -> Result<[usize; 5], Error>
    where
        P: Calls<S>,
    {
        let message = with_memory(id, words, Self::written(buffer));
        Self::within(ticks, sent(message, P::CONNECTION, Operation::LendMutWithin))
    }

    fn within(ticks: u32, mut message: Registers) -> Result<[usize; 5], Error> {
        const {
            assert!(
                !matches!(<<P::Processes as Processes>::Chip as Chip>::TICK, Tick::None),
                "timeouts are counted in ticks: the chip has to say where they come from (`TICK`)"
            );
        }
        message[6] |= time_limit(ticks);
        answered(arch::trap(message))
    }

    /// The name of what is lent to be read.
    #[inline(always)]
    fn read<B: Lent>(buffer: &B) -> [usize; 2] {
        Self::name::<B>(core::ptr::from_ref(buffer).expose_provenance())
    }

    /// The name of what is lent to be written.
    #[inline(always)]
    fn written<B: Lent>(buffer: &mut B) -> [usize; 2] {
        Self::name::<B>(core::ptr::from_mut(buffer).expose_provenance())
    }

    #[inline(always)]
    fn name<B: Lent>(address: usize) -> [usize; 2] {
        const {
            assert!(
                B::PAGED == Self::PROTECTION.is_paged(),
                "with Sv32 `Pages` are lent, with a protection unit a `Buffer`"
            );
        }
        name(Self::PROTECTION, address, B::SIZE)
    }

    /// Sends a frame, which is the receiver's then, and waits for the answer, with which a frame may come.
    ///
    /// # Errors
    /// When there is no answer; with the frame, if that is still or again this process's.
    pub fn give<S>(
        &mut self,
        id: usize,
        words: [usize; 3],
        _frame: Frame,
    ) -> Result<WithFrame<[usize; 5]>, WithFrame<Error>>
    where
        P: Calls<S>,
    {
        let message = with_memory(id, words, [0; 2]);
        let answer = arch::trap(sent(message, P::CONNECTION, Operation::Move));
        let frame = (answer[7] == Operation::Move as usize).then(|| Self::frame([answer[3], answer[4]]));
        match answered(answer) {
            Ok(words) => Ok((words, frame)),
            Err(error) => Err((error, frame)),
        }
    }

    /// Ends the wait of another thread of this process, by its number: to be received, or for an answer, which is then dropped. That
    /// one's operation ends with [`Error::Cancelled`]. Returns whether it did: not if it did not wait, nor if another process has memory that it
    /// lends, whose answer is waited for.
    pub fn cancel(&mut self, thread: usize) -> bool {
        answered(arch::trap([thread, 0, 0, 0, 0, 0, 0, Operation::Cancel as usize])).is_ok()
    }

    /// Lets the process's interrupt come again.
    pub fn listen(&mut self) {
        arch::trap([0, 0, 0, 0, 0, 0, 0, Operation::Interrupt as usize]);
    }

    /// Receives messages and answers them, for ever: `answer` is called with each. What was lent is gone when it returns; what was
    /// given can be kept.
    /// The answer is five words, or an [`Answer`].
    #[inline(always)]
    pub fn serve<A: Into<Answer>>(mut self, mut answer: impl FnMut(&mut Self, Request<'_>) -> A) -> ! {
        let mut incoming = arch::trap([0, 0, 0, 0, 0, 0, 0, Operation::Receive as usize]);
        loop {
            let Answer { words, frame } = {
                // SAFETY: the kernel delivered this, and nothing was asked of it since.
                let request = unsafe { Self::request(&incoming) };
                answer(&mut self, request).into()
            };
            incoming = if frame.is_some() {
                let [a, b, c, d, e] = words;
                arch::trap([a, b, c, d, e, 0, 0, Operation::ReplyMove as usize])
            } else {
                arch::answer(words)
            };
        }
    }

    /// # Safety
    ///
    /// The kernel delivered this message last, and it is not answered while the request is there.
    #[inline(always)]
    unsafe fn request(incoming: &Registers) -> Request<'_> {
        let memory = [incoming[3], incoming[4]];
        let number = incoming[7];
        let kind = if number == Operation::Call as usize {
            Incoming::Call
        } else if Self::is_other(number, Operation::LendMut) {
            // SAFETY: the kernel opened this memory to this process until the answer, and the sender waits; its bytes may have any
            // value.
            Incoming::LentMut(unsafe { Self::slice_mut(memory) })
        } else if number == Operation::Lend as usize {
            // SAFETY: as above, to be read.
            Incoming::Lent(unsafe { Self::slice(memory) })
        } else if number == Operation::Move as usize {
            Incoming::Given(Self::frame(memory))
        } else if number == Operation::Interrupt as usize {
            Incoming::Interrupt
        } else {
            Incoming::Send
        };
        Request {
            message: Message {
                id: incoming[5],
                words: [incoming[0], incoming[1], incoming[2], incoming[3], incoming[4]],
            },
            from: Self::sender(incoming[6]),
            incoming: kind,
        }
    }

    /// The number of a sender's row, by the address of its context.
    #[inline(always)]
    fn sender(context: usize) -> usize {
        let rows = P::Processes::ROWS;
        let number = context.wrapping_sub(P::Processes::contexts() as usize) / Context::SIZE;
        // The rows of further threads are the last ones.
        if rows.last().is_none_or(|last| last.thread == 0) {
            return number;
        }
        rows.get(number).map_or(number, |row| row.process)
    }

    /// A call without memory is the most frequent.
    #[inline(always)]
    fn is_other(number: usize, operation: Operation) -> bool {
        cold_path();
        number == operation as usize
    }

    #[inline(always)]
    unsafe fn slice<'a>(words: [usize; 2]) -> &'a [u8] {
        let (address, size) = Self::granted(words);
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(address as *const u8, size) }
    }

    #[inline(always)]
    unsafe fn slice_mut<'a>(words: [usize; 2]) -> &'a mut [u8] {
        let (address, size) = Self::granted(words);
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts_mut(address as *mut u8, size) }
    }

    /// Address and size of what the kernel grants, which is never nothing.
    #[inline(always)]
    fn granted(words: [usize; 2]) -> (usize, usize) {
        let (address, size) = named(Self::PROTECTION, words);
        // SAFETY: a name of nothing is within nobody's memory, and the kernel grants none that is not.
        unsafe { core::hint::assert_unchecked(size >= 2) };
        (address, size)
    }
}

/// Says that the process cannot go on: it stops as by a fault, and begins anew. A program's panic handler calls this.
pub fn stop() -> ! {
    stop_with(0)
}

/// The same, with a number for [`Chip::stopped`].
pub fn stop_with(said: usize) -> ! {
    loop {
        arch::trap([said, 0, 0, 0, 0, 0, 0, Operation::Stop as usize]);
    }
}

#[inline(always)]
fn sent(message: Message, connection: usize, operation: Operation) -> Registers {
    let [a, b, c, d, e] = message.words;
    [a, b, c, d, e, message.id, connection * 4, operation as usize]
}

#[inline(always)]
fn with_memory(id: usize, words: [usize; 3], memory: [usize; 2]) -> Message {
    Message {
        id,
        words: [words[0], words[1], words[2], memory[0], memory[1]],
    }
}

#[inline(always)]
fn answered(answer: Registers) -> Result<[usize; 5], Error> {
    if answer[5] == Status::Done as usize {
        return Ok([answer[0], answer[1], answer[2], answer[3], answer[4]]);
    }
    cold_path();
    Err(match Status::from_number(answer[5]) {
        Status::Busy => Error::Busy,
        Status::BadMemory => Error::BadMemory,
        Status::Full => Error::Full,
        Status::Deadlock => Error::Deadlock,
        Status::TimedOut => Error::TimedOut,
        Status::Cancelled => Error::Cancelled,
        Status::NoConnection | Status::NoOperation => Error::Refused,
        Status::Done | Status::Died => Error::Died,
    })
}
