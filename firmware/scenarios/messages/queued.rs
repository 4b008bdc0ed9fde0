// A server dies while one waits for its answer and two wait to be received, the same text on every core: the first one is told, the others
// are served by the server that began anew, with what they lend; or told as well, if it does not begin any more.

use mainspring::process::{Cx, Error, Incoming, Message, Process, stop};

mainspring::processes! {
    /// Three that ask, two that die, and one that makes them queue.
    struct System;
    chip = Chip;
    processes {
        First = First, priority 1, memory SMALL, calls (Dying, Mortal, Lends, Calls);
        Lends = Lends { buffer: Shared::new() }, priority 2, memory BIG, calls (Dying, Mortal);
        Calls = Calls { last: 0 }, priority 3, memory SMALL, calls (Dying, Mortal);
        Dying = Server::<0> { count: 0 }, priority 0, memory SMALL, calls (Bell);
        Mortal = Server::<1> { count: 0 }, priority 0, memory SMALL, calls (Bell), restarts 0;
        Bell = Bell, priority 4, memory SMALL, calls (Lends, Calls);
    }
}

type Dying = Server<0>;
/// The same, and it does not begin anew.
type Mortal = Server<1>;

const STOP: usize = 0;
const RECURSE: usize = 1;
const JUMP: usize = 2;
const WRITE: usize = 3;
const WAYS: usize = 4;
const SERVE: usize = 8;
const RESULT: usize = 9;

include!("asks.rs");

struct First;

impl Process for First {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        for way in 0..WAYS {
            check(cx.call::<Dying>(about(way, 0)) == Err(Error::Died));
            // It began anew; the more urgent was received first.
            check(cx.call::<Calls>(about(RESULT, 0)) == Ok([1, 0, 0, 0, 0]));
            check(cx.call::<Lends>(about(RESULT, 0)) == Ok([2, 0, 0, 0, 0]));
            check(cx.call::<Dying>(about(SERVE, 0)) == Ok([3, 0, 0, 0, 0]));
            check(cx.call::<Dying>(about(STOP + 16, 0)) == Err(Error::Died));
        }
        check(cx.call::<Mortal>(about(RECURSE, 1)) == Err(Error::Died));
        check(cx.call::<Calls>(about(RESULT, 0)) == Ok([DIED, 0, 0, 0, 0]));
        check(cx.call::<Lends>(about(RESULT, 0)) == Ok([DIED, 0, 0, 0, 0]));
        check(cx.call::<Mortal>(about(SERVE, 0)) == Err(Error::Died));
        exit()
    }
}

const DIED: usize = 99;

fn said(answer: Result<[usize; 5], Error>) -> usize {
    match answer {
        Ok([count, ..]) => count,
        Err(Error::Died) => DIED,
        Err(_) => fail(),
    }
}

/// Lends when it is told to.
struct Lends {
    buffer: Shared,
}

impl Process for Lends {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        let mut last = 0;
        cx.serve(|cx, request| {
            if request.message.id == RESULT {
                return [last, 0, 0, 0, 0];
            }
            self.buffer[0] = 7;
            let answer = if request.message.words[0] == 0 {
                cx.lend_mut::<Dying, _>(SERVE, [0; 3], &mut self.buffer)
            } else {
                cx.lend_mut::<Mortal, _>(SERVE, [0; 3], &mut self.buffer)
            };
            last = said(answer);
            // Once, by the process that served it, or not at all.
            check(self.buffer[0] == if last == DIED { 7 } else { 8 });
            [0; 5]
        })
    }
}

/// Calls when it is told to.
struct Calls {
    last: usize,
}

impl Process for Calls {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            if request.message.id == RESULT {
                return [self.last, 0, 0, 0, 0];
            }
            let answer = if request.message.words[0] == 0 {
                cx.call::<Dying>(about(SERVE, 0))
            } else {
                cx.call::<Mortal>(about(SERVE, 0))
            };
            self.last = said(answer);
            [0; 5]
        })
    }
}

struct Server<const WHICH: usize> {
    count: usize,
}

impl Process for Dying {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        let count = &mut self.count;
        cx.serve(|cx, request| {
            if let Incoming::LentMut(memory) = request.incoming {
                memory[0] += 1;
            }
            if request.message.id < WAYS {
                check(cx.call::<Bell>(about(0, 0)).is_ok());
            }
            served(count, request.message.id)
        })
    }
}

impl Process for Mortal {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        let count = &mut self.count;
        cx.serve(|cx, request| {
            if request.message.id < WAYS {
                check(cx.call::<Bell>(about(0, 1)).is_ok());
            }
            served(count, request.message.id)
        })
    }
}

fn served(count: &mut usize, id: usize) -> [usize; 5] {
    match id {
        SERVE => {
            *count += 1;
            [*count, 0, 0, 0, 0]
        }
        RECURSE => [deeper(count, 0), 0, 0, 0, 0],
        // SAFETY: neither of these is: that is what they are for.
        JUMP => {
            let there: extern "C" fn() = unsafe { core::mem::transmute(core::hint::black_box(0xdead_beed_usize)) };
            there();
            [0; 5]
        }
        WRITE => {
            let place = core::hint::black_box(0x10_usize);
            unsafe { core::ptr::write_volatile(place as *mut usize, 0xbad) };
            [0; 5]
        }
        _ => stop(),
    }
}

#[inline(never)]
fn deeper(count: &mut usize, depth: usize) -> usize {
    if core::hint::black_box(false) {
        return *count;
    }
    deeper(core::hint::black_box(count), depth + 1) + core::hint::black_box(depth)
}

/// Makes the other two ask, which come before the one that waits for it.
struct Bell;

impl Process for Bell {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            let which = request.message.words[0];
            check(cx.send::<Lends>(about(0, which)).is_ok());
            check(cx.send::<Calls>(about(0, which)).is_ok());
            [0; 5]
        })
    }
}
