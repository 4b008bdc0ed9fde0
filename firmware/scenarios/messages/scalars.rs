// The messages of the price list, the same text on every core: who asks, and who answers.

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

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        for _ in times() {
            mark::<1>();
            let answer = cx.call::<Server>(Message::default());
            mark::<2>();
            check(answer.is_ok());
        }
        let words = [input(), input(), input(), input(), input()].map(|word| word as usize);
        for _ in times() {
            mark::<3>();
            let answer = cx.call::<Server>(Message { id: 1, words });
            mark::<4>();
            check(answer.is_ok_and(|answer| answer == words));
        }
        for _ in times() {
            mark::<5>();
            let answer = cx.lend::<Server, _>(2, [0; 3], &self.buffer);
            mark::<6>();
            check(answer.is_ok_and(|answer| answer[0] == usize::from(self.buffer[0])));
            self.buffer[0] += 1;
        }
        for _ in times() {
            self.buffer[0] = 0;
            mark::<7>();
            let answer = cx.lend_mut::<Server, _>(3, [0; 3], &mut self.buffer);
            mark::<8>();
            check(answer.is_ok() && self.buffer[0] == 7);
        }
        exit()
    }
}

fn check(good: bool) {
    if !good {
        fail();
    }
}

/// Answers.
pub struct Server;

impl Process for Server {
    type Processes = System;

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
