// The messages of the price list, the same text on every core: one process asks, one answers.
//
// On RV32 the processes' code follows the kernel's fast way: a cache of one way has room for both only if they do not share places.

use mainspring::process::{Cx, Incoming, Message, Process};

/// Asks, time and again.
pub struct Client {
    buffer: Shared,
}

impl Client {
    pub const NEW: Client = Client { buffer: Shared::new() };
}

impl Process for Client {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        self.calls(&mut cx);
        self.calls_with_words(&mut cx);
        self.lends(&mut cx);
        self.lends_mut(&mut cx);
        exit()
    }
}

/// A function for each, so that the locals of one do not disturb another.
impl Client {
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: as above.
    fn calls(&mut self, cx: &mut Cx<Self>) {
        for _ in times() {
            mark::<1>();
            let answer = cx.call::<Server>(Message::default());
            mark::<2>();
            check(answer.is_ok());
        }
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: as above.
    fn calls_with_words(&mut self, cx: &mut Cx<Self>) {
        let words = [input(), input(), input(), input(), input()].map(|word| word as usize);
        for _ in times() {
            mark::<3>();
            let answer = cx.call::<Server>(Message { id: 1, words });
            mark::<4>();
            check(answer.is_ok_and(|answer| is_same(answer, words)));
        }
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: as above.
    fn lends(&mut self, cx: &mut Cx<Self>) {
        for _ in times() {
            mark::<5>();
            let answer = cx.lend::<Server, _>(2, [0; 3], &self.buffer);
            mark::<6>();
            apart();
            check(answer.is_ok_and(|answer| answer[0] == usize::from(self.buffer[0])));
            self.buffer[0] += 1;
        }
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: as above.
    fn lends_mut(&mut self, cx: &mut Cx<Self>) {
        for _ in times() {
            self.buffer[0] = 0;
            mark::<7>();
            let answer = cx.lend_mut::<Server, _>(3, [0; 3], &mut self.buffer);
            mark::<8>();
            apart();
            check(answer.is_ok() && self.buffer[0] == 7);
        }
    }
}

/// Keeps the access of memory that follows, which is no part of a message, out of the instruction at the mark.
#[inline(always)]
fn apart() {
    // SAFETY: nothing.
    unsafe { core::arch::asm!("nop", options(nostack, preserves_flags)) };
}

/// Not by a function of the compiler's own, which lies anywhere.
fn is_same(one: [usize; 5], other: [usize; 5]) -> bool {
    one.iter().zip(other).fold(0, |odd, (a, b)| odd | (a ^ b)) == 0
}

include!("check.rs");

/// Answers.
pub struct Server;

impl Process for Server {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
    fn run(&mut self, cx: Cx<Self>) -> ! {
        // An answer is the words that came, and what there is to say in the first.
        cx.serve(|_, request| {
            let words = request.message.words;
            match request.incoming {
                Incoming::Call => words,
                Incoming::Lent(memory) => [usize::from(memory[0]), words[1], words[2], words[3], words[4]],
                Incoming::LentMut(memory) => {
                    memory[0] = 7;
                    words
                }
                _ => [0; 5],
            }
        })
    }
}
