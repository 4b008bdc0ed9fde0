// A process whose wait times out is told, the same text on every core: a server that is busy, one that never answers, one that answers late.

use mainspring::process::{Cx, Error, Incoming, Message, Process};

mainspring::processes! {
    /// One that does not wait for ever, one that does, and one that may let both wait.
    struct System;
    chip = Chip;
    processes {
        Client = Client { buffer: Shared::new() }, priority 3, memory BIG, calls (Slow);
        Other = Other, priority 2, memory SMALL, calls (Slow);
        Slow = Slow, priority 1, memory SMALL, calls (Never);
        Never = Never, priority 0, memory SMALL, calls ();
    }
}

const AT_ONCE: usize = 0;
/// Waits for what never comes, for 20 ticks.
const LATE: usize = 1;

include!("check.rs");

struct Client {
    buffer: Shared,
}

impl Process for Client {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        let ask = |id: usize| Message {
            id,
            words: [7, 0, 0, 0, 0],
        };
        for turn in 0..3 {
            check(cx.call_within::<Slow>(50, ask(AT_ONCE)) == Ok([8, 0, 0, 0, 0]));
            // It has the message, and answers too late.
            check(cx.call_within::<Slow>(5, ask(LATE)) == Err(Error::TimedOut));
            // It is at that still: it does not receive this in time.
            check(cx.call_within::<Slow>(2, ask(AT_ONCE)) == Err(Error::TimedOut));
            check(
                cx.lend_mut_within::<Slow, _>(2, AT_ONCE, [0; 3], &mut self.buffer) == Err(Error::TimedOut),
            );
            // It does now, and its late answer did not come here.
            check(cx.call::<Slow>(ask(AT_ONCE)) == Ok([8, 0, 0, 0, 0]));
            // Memory that it has it keeps, however long it takes.
            check(
                cx.lend_mut_within::<Slow, _>(2, LATE, [0; 3], &mut self.buffer)
                    .is_ok(),
            );
            check(self.buffer[0] == turn + 1);
        }
        exit()
    }
}

/// Is in the way now and then, and runs while the others wait.
struct Other;

impl Process for Other {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        loop {
            let _ = cx.call_within::<Slow>(1, Message::default());
        }
    }
}

struct Slow;

impl Process for Slow {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|cx, request| {
            if request.message.id == LATE
                && cx.call_within::<Never>(20, Message::default()) != Err(Error::TimedOut)
            {
                fail();
            }
            if let Incoming::LentMut(memory) = request.incoming {
                memory[0] += 1;
            }
            [request.message.words[0] + 1, 0, 0, 0, 0]
        })
    }
}

/// Never receives: it works when no other process does.
struct Never;

impl Process for Never {
    type Processes = System;

    fn run(&mut self, _: Cx<Self>) -> ! {
        loop {
            core::hint::spin_loop();
        }
    }
}
