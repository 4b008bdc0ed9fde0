//! A process that asks the kernel for anything: random operations with random arguments, memory that is not its own, jumps to
//! anywhere. The others go on with their work, and look whether their memory is as they left it.
//!
//! It ends well after `CALLS` operations, not counting those of a batch in which the process died. The host sets that, as it sets
//! `SEED`.

#![no_std]
#![no_main]

use core::arch::asm;
use core::ptr::{addr_of, read_volatile, write_volatile};

use mainspring::process::{Answer, Buffer, Cx, Frame, Incoming, Message, Process};
use messages_rv32::{Chip, exit, fail};

#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static CALLS: u32 = 10_000;
#[unsafe(no_mangle)] // SAFETY: as above.
static SEED: u32 = 1;

/// Operations between two reports.
const BATCH: usize = 16;

mainspring::processes! {
    /// One that does anything, and three that must not notice.
    struct System;
    chip = Chip;
    processes {
        Attacker = Attacker { random: 0, buffer: Buffer::new() }, priority 1, memory 2048, calls (Judge, Server), frame 128;
        Poker = Poker { own: Canary::NEW, buffer: Buffer::new() }, priority 1, memory 2048, calls (Attacker, Server);
        Server = Server { own: Canary::NEW, frame: None }, priority 2, memory 1024, calls (Judge);
        Judge = Judge { own: Canary::NEW, calls: 0, random: 0 }, priority 3, memory 1024, calls ();
    }
}

/// What nobody else may change.
struct Canary([u32; 8]);

impl Canary {
    const NEW: Canary = Canary([0x600d_600d; 8]);

    fn look(&mut self) {
        for word in &mut self.0 {
            // SAFETY: a word of its own; the compiler is not to know what is in it.
            if unsafe { read_volatile(word) } != 0x600d_600d {
                fail();
            }
        }
    }
}

/// Counts, and says with which random numbers to go on.
struct Judge {
    own: Canary,
    calls: u32,
    random: u32,
}

impl Process for Judge {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        // SAFETY: constants of the program, which the host may have changed.
        let (limit, seed) = unsafe { (read_volatile(addr_of!(CALLS)), read_volatile(addr_of!(SEED))) };
        self.random = seed | 1;
        cx.serve(|_, request| {
            self.own.look();
            if request.message.id == 0x1e9 {
                self.calls += BATCH as u32;
                if self.calls >= limit {
                    exit();
                }
            }
            self.random = next(self.random);
            [self.random as usize, 0, 0, 0, 0]
        })
    }
}

/// Answers whatever comes.
struct Server {
    own: Canary,
    frame: Option<Frame>,
}

impl Process for Server {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            self.own.look();
            let message = request.message;
            match request.incoming {
                Incoming::LentMut(memory) => {
                    let last = memory.len() - 1;
                    (memory[0], memory[last]) = (1, 2);
                }
                Incoming::Lent(memory) => {
                    return [usize::from(memory[memory.len() - 1]), 0, 0, 0, 0].into();
                }
                Incoming::Given(mut frame) => {
                    frame[0] = 3;
                    self.frame = Some(frame);
                }
                _ => {
                    let _ = cx.try_call::<Judge>(Message::default());
                }
            }
            Answer {
                words: message.words,
                frame: if message.id & 1 == 0 {
                    self.frame.take()
                } else {
                    None
                },
            }
        })
    }
}

/// Wakes the attacker if that waits, and calls it.
struct Poker {
    own: Canary,
    buffer: Buffer<128>,
}

impl Process for Poker {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        let mut number = 0;
        loop {
            number += 1;
            self.own.look();
            let message = Message {
                id: number,
                words: [number; 5],
            };
            let _ = match number % 4 {
                0 => cx.call::<Attacker>(message).map(drop),
                1 => cx.lend::<Attacker, _>(number, [0; 3], &self.buffer).map(drop),
                2 => cx
                    .lend_mut::<Attacker, _>(number, [0; 3], &mut self.buffer)
                    .map(drop),
                _ => cx.try_send::<Attacker>(message),
            };
            if cx.call::<Server>(message) != Ok(message.words) {
                fail();
            }
        }
    }
}

/// Does anything.
struct Attacker {
    random: u32,
    buffer: Buffer<128>,
}

impl Process for Attacker {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        loop {
            if let Ok([random, ..]) = cx.call::<Judge>(Message::default()) {
                self.random = random as u32 | 1;
            }
            for _ in 0..BATCH {
                self.anything();
            }
            // It lives: these count.
            let _ = cx.call::<Judge>(Message {
                id: 0x1e9,
                words: [0; 5],
            });
        }
    }
}

impl Attacker {
    fn word(&mut self) -> usize {
        self.random = next(self.random);
        self.random as usize
    }

    /// A place in memory, or the name of a piece of it: its own, or near it, somebody else's, the kernel's, or nobody's. Not where
    /// devices are, which this core does not protect.
    fn place(&mut self) -> usize {
        let random = self.word();
        let own = addr_of!(self.buffer).addr();
        match random >> 28 {
            0..4 => own,
            4..6 => own + (random & 0xfff),
            6..12 => 0x1000_0000 + (random & 0xffff),
            12..14 => random & 0x1_ffff,
            _ => random & 0x7fff_ffff,
        }
    }

    fn anything(&mut self) {
        let kind = self.word() >> 23;
        let place = self.place();
        match kind {
            // SAFETY: none: this is what must do nobody any harm.
            0 => drop(unsafe { read_volatile((place & !3) as *const u32) }),
            // SAFETY: as above.
            1 => unsafe { write_volatile((place & !3) as *mut u32, 0xbad0_bad0) },
            // SAFETY: as above. Not to code, where it would find the way out: this core does not protect the port.
            2 => unsafe { asm!("jr {}", in(reg) place & !3 | 1 << 28) },
            // SAFETY: as above.
            3 => unsafe { asm!("csrw mstatus, {}", in(reg) place) },
            // SAFETY: as above.
            4 => unsafe { asm!("mret") },
            _ => self.ask(place),
        }
    }

    fn ask(&mut self, place: usize) {
        let mut words = [0; 8];
        for word in &mut words {
            *word = self.word();
        }
        let [mut a, mut b, mut c, mut d, e, mut f, mut g, mut h] = words;
        let size = 1 << (e & 15);
        match e >> 24 {
            0..160 => d = place >> 2 | (size - 1),
            160..200 => d = place >> 2,
            _ => {}
        }
        if e >> 16 & 7 != 0 {
            g &= 0x1c;
        }
        if e >> 19 & 15 != 0 {
            h = ((h >> 8) % 13).wrapping_sub(1);
            // Seldom, for it ends the batch.
            if h == 10 && e & 0xf0 != 0 {
                h = 0;
            }
        }
        let mut e = e;
        // SAFETY: the kernel changes no more than an operation of its own does, whatever is asked for.
        unsafe {
            asm!(
                "lla ra, 2f", "ecall", "2:",
                inlateout("a0") a, inlateout("a1") b, inlateout("a2") c, inlateout("a3") d, inlateout("a4") e,
                inlateout("a5") f, inlateout("a6") g, inlateout("a7") h,
                out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _,
                out("t6") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _, out("s7") _,
                out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            );
        }
        self.random ^= (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) as u32 & 1;
        self.random |= 2;
    }
}

/// Marsaglia's xorshift.
fn next(mut random: u32) -> u32 {
    random ^= random << 13;
    random ^= random >> 17;
    random ^ random << 5
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
