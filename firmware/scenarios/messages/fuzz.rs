// A process whose two threads ask the kernel for anything, the same text on every core: random operations with random arguments, memory that
// is not its own, jumps to anywhere; one may end what the other one waits for. The others go on with their work, and look whether their memory is as they left it.
//
// It ends well after `CALLS` operations, not counting those of a batch in which the process died. The host sets that, as it sets `SEED`.

use core::ptr::{addr_of, read_volatile, write_volatile};

use mainspring::process::{Answer, Cx, Frame, Incoming, Message, Process, Team};

#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static CALLS: u32 = 10_000;
#[unsafe(no_mangle)] // SAFETY: as above.
static SEED: u32 = 1;

/// Operations between two reports.
const BATCH: usize = 16;

/// Memory that no other process may change.
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
    buffer: Shared,
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

/// Does anything, in both of its threads.
struct Attacker {
    buffer: Shared,
}

impl Team for Attacker {
    type Processes = System;

    fn run(&self, mut cx: Cx<Self>, thread: usize) -> ! {
        let mut one = One {
            random: 1 + thread as u32,
            own: addr_of!(self.buffer).addr(),
        };
        loop {
            if let Ok([random, ..]) = cx.call::<Judge>(Message::default()) {
                one.random = random as u32 | 1;
            }
            for _ in 0..BATCH {
                one.anything();
            }
            // It lives: these count.
            let _ = cx.call::<Judge>(Message {
                id: 0x1e9,
                words: [0; 5],
            });
        }
    }
}

/// A thread of the attacker's.
struct One {
    random: u32,
    /// Where its process's own buffer is.
    own: usize,
}

impl One {
    fn word(&mut self) -> usize {
        self.random = next(self.random);
        self.random as usize
    }

    /// A place in memory, or the name of a piece of it: its own, or near it, somebody else's, the kernel's, or nobody's. Not where
    /// devices are, which this core does not protect.
    fn place(&mut self) -> usize {
        let random = self.word();
        let own = self.own;
        match random >> 28 {
            0..4 => own,
            4..6 => own + (random & 0xfff),
            6..12 => RAM + (random & 0xffff),
            12..14 => random & 0x1_ffff,
            _ => random & 0x7fff_ffff,
        }
    }

    fn anything(&mut self) {
        let kind = self.word() >> 23;
        let place = self.place();
        match kind {
            // SAFETY: none: this must not harm any other process.
            0 => drop(unsafe { read_volatile((place & !3) as *const u32) }),
            // SAFETY: as above.
            1 => unsafe { write_volatile((place & !3) as *mut u32, 0xbad0_bad0) },
            2..5 => meddle(kind, place),
            _ => self.ask(place),
        }
    }

    fn ask(&mut self, place: usize) {
        let mut words = [0; 8];
        for word in &mut words {
            *word = self.word();
        }
        let how = words[4];
        if how >> 24 < 200 {
            [words[3], words[4]] = named(place, how);
        }
        if how >> 16 & 7 != 0 {
            // A connection that there could be, for a few ticks, where the operation has any.
            words[6] &= 0x7c;
        }
        if how >> 19 & 15 != 0 {
            words[7] = ((words[7] >> 8) % 17).wrapping_sub(1);
            // Seldom, for it ends the batch.
            if words[7] == 10 && how & 0xf0 != 0 {
                words[7] = 0;
            }
            // Mostly of a thread that there is.
            if words[7] == 15 && how & 0xf != 0 {
                words[0] &= 1;
            }
        }
        let answer = ask(words);
        self.random ^= answer.iter().fold(0, |all, word| all ^ word) as u32 & 1;
        self.random |= 2;
    }
}

mainspring::processes! {
    /// One that does anything, and three that must not notice.
    struct System;
    chip = Chip;
    processes {
        Attacker = Attacker { buffer: Shared::new() }, priority 1, memory TEAM, calls (Judge, Server), frame FRAME, threads 2 stack 512;
        Poker = Poker { own: Canary::NEW, buffer: Shared::new() }, priority 1, memory BIG, calls (Attacker, Server);
        Server = Server { own: Canary::NEW, frame: None }, priority 2, memory SMALL, calls (Judge);
        Judge = Judge { own: Canary::NEW, calls: 0, random: 0 }, priority 3, memory SMALL, calls ();
    }
}

/// Marsaglia's xorshift.
fn next(mut random: u32) -> u32 {
    random ^= random << 13;
    random ^= random >> 17;
    random ^ random << 5
}
