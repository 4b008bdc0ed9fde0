//! Every cycle tried: an interrupt's process comes between two others that exchange messages.
//!
//! The receiver sees each number once and in order, and what it lends back is what was asked for; the driver hears of its interrupt
//! once for each time that the line rose. `mark_1` is where it begins.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::process::{Buffer, Cx, Incoming, Message, Process, Protection};
use messages_rv32::{exit, fail, mark};

/// The interrupt whose process was told last, for who drives the line: it lowers it then.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static ACKNOWLEDGED: AtomicU32 = AtomicU32::new(0);

/// As in the other programs, but that the kernel says which interrupt it took.
struct Chip;

// SAFETY: as for the other programs' chip.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = (0, 128 << 10);
    const PROTECTION: Protection = Protection::VexRiscv;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn taken(line: u16) {
        ACKNOWLEDGED.store(line.into(), Relaxed);
    }

    fn failed() -> ! {
        fail()
    }
}

mainspring::processes! {
    /// Two who exchange messages, and two whom interrupts start.
    struct System;
    chip = Chip;
    processes {
        Client = Client { buffer: Buffer::new() }, priority 1, memory 1024, calls (Server);
        Server = Server { last: 0 }, priority 2, memory 512, calls ();
        Below = Below { heard: 0 }, priority 1, memory 512, calls (Server), on 8;
        Above = Above, priority 4, memory 512, calls (Server), on 9;
    }
}

struct Client {
    buffer: Buffer<128>,
}

impl Process for Client {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        mark::<1>();
        for number in 1..4 {
            let words = [number, !number, 0, 0, 0];
            let answer = cx.call::<Server>(Message { id: 1, words });
            if answer != Ok([!number, number, 3, 4, 5]) {
                fail();
            }
            self.buffer[7] = number as u8;
            let answer = cx.lend_mut::<Server, _>(2, [0; 3], &mut self.buffer);
            if answer.is_err() || self.buffer[7] != !number as u8 {
                fail();
            }
        }
        exit()
    }
}

struct Server {
    last: usize,
}

impl Process for Server {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| match request.incoming {
            Incoming::LentMut(memory) => {
                memory[7] = !memory[7];
                [0; 5]
            }
            _ if request.message.id == 1 => {
                let [number, check, ..] = request.message.words;
                if check != !number || number != self.last + 1 || request.from != 0 {
                    fail();
                }
                self.last = number;
                [check, number, 3, 4, 5]
            }
            _ => request.message.words,
        })
    }
}

/// Hears of its interrupt, and asks the server something in between.
struct Below {
    heard: usize,
}

impl Process for Below {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        cx.listen();
        cx.serve(|cx, _| {
            self.heard += 1;
            let words = [self.heard; 5];
            if cx.call::<Server>(Message { id: 3, words }) != Ok(words) {
                fail();
            }
            cx.listen();
            [0; 5]
        })
    }
}

/// As above, and more urgent than all.
struct Above;

impl Process for Above {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        cx.listen();
        cx.serve(|cx, _| {
            if cx.call::<Server>(Message { id: 4, words: [9; 5] }) != Ok([9; 5]) {
                fail();
            }
            cx.listen();
            [0; 5]
        })
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
