//! The floating-point unit: every process finds in it what it left there, and nothing of another one's. On a core without one, nothing.

#![no_std]
#![no_main]

use mainspring::process::{Cx, Error, Message, Process, stop};
use messages_cortex_m::{Chip, exit, fail};

const CHECK: usize = 0;
const PAINT: usize = 1;
const STOP: usize = 2;

mainspring::processes! {
    /// Two that paint the registers and look whether they stay so, one that does not use them, one that dies of it.
    struct System;
    chip = Chip;
    processes {
        Painter = Painter { tag: 0xaaaa_0000 }, priority 1, memory 1024, calls (Other, Without, Mortal);
        Other = Other(Painter { tag: 0xbbbb_0000 }), priority 2, memory 1024, calls (Without);
        Without = Without, priority 3, memory 512, calls ();
        Mortal = Mortal { asked: 0 }, priority 2, memory 1024, calls ();
    }
}

/// S0 to S31, and FPSCR.
#[cfg(target_abi = "eabihf")]
mod unit {
    use core::arch::asm;

    pub fn fill(words: &[u32; 33]) {
        // SAFETY: the compiler keeps nothing in these registers across this function.
        unsafe {
            asm!("vldmia {0}!, {{s0-s31}}", "ldr {1}, [{0}]", "vmsr fpscr, {1}", inout(reg) words => _, out(reg) _, options(nostack))
        }
    }

    pub fn read(words: &mut [u32; 33]) {
        // SAFETY: as above.
        unsafe {
            asm!("vstmia {0}!, {{s0-s31}}", "vmrs {1}, fpscr", "str {1}, [{0}]", inout(reg) words => _, out(reg) _, options(nostack))
        }
    }
}

#[cfg(not(target_abi = "eabihf"))]
mod unit {
    pub fn fill(_: &[u32; 33]) {}

    pub fn read(_: &mut [u32; 33]) {
        super::exit()
    }
}

fn painted(tag: u32) -> [u32; 33] {
    let mut words = [tag; 33];
    for (word, number) in words.iter_mut().zip(0..) {
        *word += number;
    }
    // Flags alone: the condition's.
    words[32] = tag & 0xf000_0000;
    words
}

include!("../../../check.rs");

struct Painter {
    tag: u32,
}

impl Painter {
    fn paint(&mut self) {
        self.tag += 0x100;
        unit::fill(&painted(self.tag));
    }

    fn look(&self) {
        let mut words = [0; 33];
        unit::read(&mut words);
        check(words == painted(self.tag));
    }
}

fn ask(id: usize) -> Message {
    Message { id, words: [0; 5] }
}

impl Process for Painter {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        // As it begins: zeros.
        let mut words = [1; 33];
        unit::read(&mut words);
        check(words == [0; 33]);
        for turn in 0..12 {
            if turn % 3 != 2 {
                self.paint();
            }
            check(cx.call::<Without>(ask(0)).is_ok());
            self.look();
            check(cx.call::<Other>(ask([PAINT, CHECK][turn % 2])).is_ok());
            self.look();
            check(cx.call::<Mortal>(ask(PAINT)).is_ok());
            check(cx.call::<Mortal>(ask(STOP)) == Err(Error::Died));
            self.look();
            check(cx.call::<Mortal>(ask(CHECK)).is_ok());
        }
        exit()
    }
}

struct Other(Painter);

impl Process for Other {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        self.0.paint();
        cx.serve(|cx, request| {
            self.0.look();
            if request.message.id == PAINT {
                self.0.paint();
            }
            check(cx.call::<Without>(ask(0)).is_ok());
            [0; 5]
        })
    }
}

struct Without;

impl Process for Without {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| request.message.words)
    }
}

/// Begins with zeros, however it ended.
struct Mortal {
    asked: usize,
}

impl Process for Mortal {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| {
            self.asked += 1;
            match request.message.id {
                STOP => stop(),
                id => {
                    if self.asked == 1 {
                        let mut words = [1; 33];
                        unit::read(&mut words);
                        check(words == [0; 33]);
                    }
                    if id == PAINT {
                        unit::fill(&painted(0xdddd_0000));
                    }
                }
            }
            [0; 5]
        })
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
