//! A server in the process that asks it: messages between two flows of control in one domain, without the kernel.
//!
//! The two are coroutines: one waits while the other runs. A message is in registers; passing it is a change of the stack pointer and a
//! jump. Nothing is between the two but the compiler: a server that fails takes its process with it.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::api::{Message, stop};
use super::arch;

/// The state of the one that waits: where it continues, its stack, and what else the core's switch saves.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Kept(pub(super) [usize; 4]);

/// A server inside of a process.
pub trait Serve: Sized {
    /// Its body, which never ends.
    fn run(&mut self, port: Port<'_>) -> !;
}

/// A server and its stack: a piece of a process's state.
///
/// A stack that is too small overwrites what is before it in the same process: unlike the process's own, it has other memory of the
/// process below it.
pub struct Local<T, const STACK: usize> {
    kept: Kept,
    stack: Stack<STACK>,
    server: T,
}

#[repr(C, align(16))]
struct Stack<const N: usize>([MaybeUninit<u8>; N]);

impl<T: Serve, const STACK: usize> Local<T, STACK> {
    /// A server that has not begun.
    pub const fn new(server: T) -> Self {
        const {
            assert!(
                STACK >= 128 && STACK.is_multiple_of(16),
                "a stack has 128 bytes or more, in steps of 16"
            );
        }
        Local {
            kept: Kept([0; 4]),
            stack: Stack([MaybeUninit::uninit(); STACK]),
            server,
        }
    }

    /// Starts the server, and goes on with `f`, which has the way to ask it. If that returns, the process stops: this never gives back what
    /// the two have.
    pub fn start<R>(&mut self, f: impl FnOnce(Caller<'_>) -> R) -> ! {
        let kept = &raw mut self.kept;
        let top = (&raw mut self.stack).expose_provenance() + STACK;
        self.kept = Kept([entry::<T> as *const () as usize, top, 0, 0]);
        let server = (&raw mut self.server).expose_provenance();
        // SAFETY: the server begins, on a stack that nobody else uses, and says so by waiting for a message. `self` is borrowed for ever.
        unsafe { arch::switch(kept, [server, kept.expose_provenance(), 0, 0, 0, 0]) };
        f(Caller {
            kept,
            server: PhantomData,
        });
        stop()
    }
}

/// Where a server begins.
///
/// # Safety
///
/// For [`Local::start`] alone.
unsafe extern "C" fn entry<T: Serve>(server: &mut T, kept: *mut Kept) -> ! {
    server.run(Port {
        kept,
        asker: PhantomData,
    })
}

/// The way to ask a server in one's own process.
#[derive(Debug)]
pub struct Caller<'a> {
    kept: *mut Kept,
    server: PhantomData<&'a mut ()>,
}

impl Caller<'_> {
    /// Sends words, and waits for the answer, which always comes.
    #[inline(always)]
    pub fn call(&mut self, message: Message) -> [usize; 5] {
        let [a, b, c, d, e] = message.words;
        // SAFETY: the server waits for a message: it does so before this value is made, and whenever it answers.
        let [a, b, c, d, e, _] = unsafe { arch::switch(self.kept, [a, b, c, d, e, message.id]) };
        [a, b, c, d, e]
    }
}

/// The way to be asked.
#[derive(Debug)]
pub struct Port<'a> {
    kept: *mut Kept,
    asker: PhantomData<&'a mut ()>,
}

impl Port<'_> {
    /// Receives messages and answers them, for ever.
    #[inline(always)]
    pub fn serve(self, mut answer: impl FnMut(Message) -> [usize; 5]) -> ! {
        let mut words = [0; 5];
        loop {
            let [a, b, c, d, e] = words;
            // SAFETY: who asked waits for this, the one who started it at first.
            let [a, b, c, d, e, id] = unsafe { arch::switch(self.kept, [a, b, c, d, e, 0]) };
            words = answer(Message {
                id,
                words: [a, b, c, d, e],
            });
        }
    }
}
