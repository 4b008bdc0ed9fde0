// Every cycle tried, the same text on every core: a client ends its own call when its interrupt comes, a tick ends one that waits too long, and
// somebody more urgent asks the server meanwhile, whose second thread is free for that.
//
// Each answer is to what was asked, whatever was given up before it; memory is changed by an answer, and not at all if there is none.

use mainspring::process::{Cx, Error, Incoming, Message, Process, Team};

const WORDS: usize = 1;
const OVER_DISK: usize = 2;
const MEMORY: usize = 3;

include!("check.rs");

/// Its first thread hears of the interrupt, the second one asks.
struct Client;

impl Team for Client {
    type Processes = System;

    fn run(&self, mut cx: Cx<Self>, thread: usize) -> ! {
        if thread == 0 {
            cx.listen();
            cx.serve(|cx, _| {
                cx.cancel(1);
                cx.listen();
                [0; 5]
            })
        }
        begins();
        let mut buffer = Shared::new();
        for number in 1..3 {
            let words = [number, !number, 0, 0, 0];
            let answer = again(|| cx.call::<Server>(Message { id: WORDS, words }));
            check(answer == [!number, number, 3, 4, 5]);
            let words = [number + 8, !number, 0, 0, 0];
            let answer = again(|| cx.call_within::<Server>(1, Message { id: OVER_DISK, words }));
            check(answer == [number + 9, 0, 0, 0, 0]);
            buffer[7] = number as u8;
            let answer = again(|| {
                let answer = cx.lend_mut_within::<Server, _>(1, MEMORY, [number, 0, 0], &mut buffer);
                check(answer.is_ok() || buffer[7] == number as u8);
                answer
            });
            check(answer[0] == number && buffer[7] == !number as u8);
        }
        exit()
    }
}

/// Asks until no other thread ends it.
fn again(mut ask: impl FnMut() -> Result<[usize; 5], Error>) -> [usize; 5] {
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(Error::Cancelled | Error::TimedOut) => {}
            Err(_) => fail(),
        }
    }
}

/// Whichever of its threads waits answers.
struct Server;

impl Team for Server {
    type Processes = System;

    fn run(&self, cx: Cx<Self>, _: usize) -> ! {
        cx.serve(|cx, request| {
            let [number, other, ..] = request.message.words;
            match (request.message.id, request.incoming) {
                (WORDS, Incoming::Call) => [other, number, 3, 4, 5],
                (OVER_DISK, Incoming::Call) => cx.call::<Disk>(request.message).unwrap_or([0; 5]),
                (MEMORY, Incoming::LentMut(memory)) => {
                    check(cx.call::<Disk>(Message::default()).is_ok());
                    memory[7] = !memory[7];
                    [number, 0, 0, 0, 0]
                }
                _ => request.message.words,
            }
        })
    }
}

struct Disk;

impl Process for Disk {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| [request.message.words[0] + 1, 0, 0, 0, 0])
    }
}

/// More urgent than all.
struct Above;

impl Process for Above {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        cx.listen();
        cx.serve(|cx, _| {
            let words = [9; 5];
            check(cx.call::<Server>(Message { id: 4, words }) == Ok(words));
            cx.listen();
            [0; 5]
        })
    }
}

mainspring::processes! {
    /// Two with threads, and the one that comes in between.
    struct System;
    chip = Chip;
    processes {
        Client = Client, priority 1, memory CLIENT, calls (Server), on CANCELS, threads 2 stack 512;
        Server = Server, priority 2, memory TEAM, calls (Disk), threads 2 stack 512;
        Disk = Disk, priority 1, memory SMALL, calls ();
        Above = Above, priority 4, memory SMALL, calls (Server), on ABOVE;
    }
}
