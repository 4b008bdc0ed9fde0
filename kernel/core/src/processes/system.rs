//! All processes, and what their operations do.

use super::context::{BUSY, CONNECTIONS, Context, FLAGS, GAVE, LENT, LENT_MUT, Region, WORDS};
use super::{Operation, Status, TICKS_FROM};

/// The operations of a core for its processes.
pub trait Machine {
    /// Memory that no process can reach.
    const NOWHERE: Region;

    /// Whether the fast way says what is lent by [`Context::entry`] alone.
    const BY_ENTRY: bool = false;

    /// The piece of memory that words 3 and 4 of a context's message name, if all of it is the context's own and can be granted.
    fn lendable(context: &Context, writes: bool) -> Option<Region>;

    /// Words 3 and 4 of the message with which a frame comes.
    fn described(region: Region) -> [usize; 2];

    /// Gives a process the memory that it had when it was first started, and its context where to start.
    fn begin(&mut self, context: &mut Context, index: usize);

    /// Fills a frame with zeros.
    fn clear(&mut self, frame: Region);

    /// Lets a process's interrupt come again.
    fn listen(&mut self, index: usize);

    /// A process stopped: it failed, or asked for it with the words of its message.
    fn stopped(&mut self, _context: &Context, _index: usize, _asked: bool) {}

    /// A process reaches a piece of memory from now on: what is lent to it, or its frame. For a core that takes what a process reaches
    /// from somewhere else than its context.
    fn open(&mut self, _index: usize, _region: Region, _writes: bool) {}

    /// A process reaches it no longer.
    fn close(&mut self, _index: usize, _region: Region) {}

    /// As above, of what the fast way lent by an entry of a table.
    fn close_entry(&mut self, _entry: usize) {}
}

/// The event that a process waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    /// Nothing: it runs or is ready.
    Not,
    /// A message.
    ForMessage,
    /// That a process receives its message.
    ToSend(usize),
    /// A process's answer.
    ForAnswer(usize),
    /// It stopped for good.
    Stopped,
}

/// The processes, one of which runs.
pub struct System<'a, M> {
    pub(super) contexts: &'a mut [Context],
    /// Those that could run and do not.
    pub(super) ready: &'a mut u32,
    /// The address of the first context.
    base: usize,
    pub(super) machine: M,
}

impl<'a, M: Machine> System<'a, M> {
    /// These processes, at most 32 of them.
    pub fn new(contexts: &'a mut [Context], ready: &'a mut u32, machine: M) -> Self {
        let base = contexts.as_ptr() as usize;
        System {
            contexts,
            ready,
            base,
            machine,
        }
    }

    /// Starts all processes.
    pub fn start(&mut self) {
        for index in 0..self.contexts.len() {
            self.begin(index);
        }
    }

    /// Whether a process could run and does not.
    pub fn is_ready(&self, index: usize) -> bool {
        *self.ready & bit(index) != 0
    }

    /// A process runs: it is not among the ready.
    pub fn run(&mut self, index: usize) {
        *self.ready &= !bit(index);
    }

    /// The next request of a process: its message's registers.
    pub fn set_message(&mut self, index: usize, message: [usize; WORDS]) {
        self.contexts[index].message = message;
    }

    /// How the last operation of a process went, if it goes on from it: a [`Status`].
    pub fn status(&self, index: usize) -> usize {
        self.contexts[index].message[5]
    }

    /// The address of a context.
    pub fn address(&self, index: usize) -> usize {
        self.base + index * Context::SIZE
    }

    /// The number of the context at an address, if there is one.
    pub fn index(&self, address: usize) -> Option<usize> {
        let offset = address.checked_sub(self.base)?;
        let index = offset / Context::SIZE;
        (offset.is_multiple_of(Context::SIZE) && index < self.contexts.len()).then_some(index)
    }

    /// Whose answer is awaited from a process.
    pub(super) fn client(&self, index: usize) -> Option<usize> {
        self.index(self.contexts[index].client & !FLAGS)
    }

    /// Does what `running` asks for. Returns whether it can go on.
    pub fn operate(&mut self, running: usize) -> bool {
        let number = self.contexts[running].message[7];
        match Operation::from_number(number) {
            Some(operation) if operation.sends() => self.send(running, operation),
            Some(operation @ (Operation::Reply | Operation::ReplyMove)) => {
                self.reply(running, operation == Operation::ReplyMove);
                self.receive(running)
            }
            Some(Operation::Receive) => {
                // A sender that is not answered is told so.
                self.answer(running, Status::Died);
                self.receive(running)
            }
            Some(Operation::Stop) => {
                let first = self.first(running);
                self.machine.stopped(&self.contexts[running], first, true);
                self.ends(running)
            }
            Some(Operation::Cancel) => self.cancel(running),
            Some(Operation::Interrupt) => {
                self.machine.listen(running);
                self.returns(running, Status::Done)
            }
            _ => self.returns(running, Status::NoOperation),
        }
    }

    /// The interrupt of a process came.
    pub fn notice(&mut self, index: usize) {
        let context = &mut self.contexts[index];
        if context.stopped {
            return;
        }
        if context.client == 0 {
            self.deliver_notice(index);
            *self.ready |= bit(index);
        } else {
            context.notice = true;
        }
    }

    pub(super) fn move_frame(&mut self, from: usize, to: usize) {
        let giver = &mut self.contexts[from];
        let frame = core::mem::take(&mut giver.frame);
        let extra = core::mem::replace(&mut giver.extra, M::NOWHERE);
        self.machine.close(from, extra);
        self.machine.open(to, extra, true);
        let taker = &mut self.contexts[to];
        (taker.frame, taker.extra) = (frame, extra);
    }

    /// Tells a process how its operation went, and which frame it has, if it has one; it goes on.
    pub(super) fn returns(&mut self, index: usize, status: Status) -> bool {
        let context = &mut self.contexts[index];
        context.left = 0;
        context.message = [0; WORDS];
        context.message[5] = status as usize;
        if context.frame != 0 {
            [context.message[3], context.message[4]] = M::described(context.extra);
            context.message[7] = Operation::Move as usize;
        }
        true
    }

    fn send(&mut self, sender: usize, operation: Operation) -> bool {
        let context = &self.contexts[sender];
        let address = context.connections[context.message[6] / 4 % CONNECTIONS];
        let Some(receiver) = self.index(address) else {
            return self.returns(sender, Status::NoConnection);
        };
        if self.contexts[receiver].stopped {
            return self.returns(sender, Status::Died);
        }
        let kind = operation.at_receiver();
        let lends = matches!(kind, Operation::Lend | Operation::LendMut);
        if lends && M::lendable(context, kind == Operation::LendMut).is_none() {
            return self.returns(sender, Status::BadMemory);
        }
        if operation == Operation::Move && context.frame == 0 {
            return self.returns(sender, Status::BadMemory);
        }
        if operation.is_timed() {
            let context = &mut self.contexts[sender];
            context.left = u32::max((context.message[6] >> TICKS_FROM) as u32, 1);
        }
        let Some(waiting) = self.waiting_thread(receiver) else {
            if matches!(operation, Operation::TryCall | Operation::TrySend) {
                return self.returns(sender, Status::Busy);
            }
            if self.waits_for(self.threads(receiver), sender) {
                return self.returns(sender, Status::Deadlock);
            }
            self.contexts[receiver].senders |= bit(sender);
            return false;
        };
        if !self.deliver(sender, waiting, kind) {
            return true;
        }
        *self.ready |= bit(waiting);
        operation.is_send()
    }

    /// Hands a message over to a receiver that waits, and which can run then. Returns whether it could be.
    fn deliver(&mut self, sender: usize, receiver: usize, operation: Operation) -> bool {
        let from = self.contexts[sender];
        let mut message = from.message;
        message[6] = self.address(sender);
        message[7] = operation as usize;
        let mut client = self.address(sender);
        match operation {
            Operation::Lend | Operation::LendMut => {
                let Some(region) = M::lendable(&from, operation == Operation::LendMut) else {
                    self.returns(sender, Status::BadMemory);
                    return false;
                };
                [message[3], message[4]] = M::described(region);
                let to = &mut self.contexts[receiver];
                to.entry = 0;
                if operation == Operation::Lend {
                    to.lent = region;
                    client |= LENT;
                } else {
                    to.lent_mut = region;
                    client |= LENT_MUT;
                }
                self.machine
                    .open(receiver, region, operation == Operation::LendMut);
            }
            Operation::Move => {
                let to = &self.contexts[receiver];
                if to.frame != 0 || to.extra != M::NOWHERE {
                    self.returns(sender, Status::Full);
                    return false;
                }
                [message[3], message[4]] = M::described(from.extra);
                self.move_frame(sender, receiver);
                client |= GAVE;
            }
            _ => {}
        }
        if operation.is_send() {
            client = BUSY;
            self.returns(sender, Status::Done);
        }
        let to = &mut self.contexts[receiver];
        to.message = message;
        to.client = client;
        true
    }

    fn deliver_notice(&mut self, index: usize) {
        let context = &mut self.contexts[index];
        context.message = [0; WORDS];
        context.message[7] = Operation::Interrupt as usize;
        context.client = BUSY;
        context.notice = false;
    }

    /// Answers the processes that wait for `server` with the contents of its message, which is the server's own.
    fn reply(&mut self, server: usize, with_frame: bool) {
        let Some(client) = self.client(server) else {
            return;
        };
        let mut answer = self.contexts[server].message;
        answer[6] = 0;
        answer[7] = 0;
        let gave = self.contexts[server].client & GAVE != 0;
        let room = gave && self.contexts[client].frame == 0 && self.contexts[client].extra == M::NOWHERE;
        if with_frame && room && self.contexts[server].frame != 0 {
            [answer[3], answer[4]] = M::described(self.contexts[server].extra);
            self.move_frame(server, client);
            answer[7] = Operation::Move as usize;
        }
        self.contexts[client].message = answer;
        self.contexts[client].left = 0;
        self.ends_service(server, client);
    }

    /// Tells the process that waits for `server`, if any, how it went.
    pub(super) fn answer(&mut self, server: usize, status: Status) {
        if let Some(client) = self.client(server) {
            self.returns(client, status);
            self.ends_service(server, client);
        }
    }

    fn ends_service(&mut self, server: usize, client: usize) {
        let context = &mut self.contexts[server];
        if context.client & (LENT | LENT_MUT) != 0 && context.entry != 0 {
            self.machine.close_entry(context.entry);
        } else if context.client & LENT != 0 {
            self.machine.close(server, context.lent);
        } else if context.client & LENT_MUT != 0 {
            self.machine.close(server, context.lent_mut);
        }
        (context.lent, context.lent_mut) = (M::NOWHERE, M::NOWHERE);
        context.client = BUSY;
        if !self.lets_end(client) {
            *self.ready |= bit(client);
        }
    }

    /// Takes the next message for a process: its interrupt's first, then the most urgent sender's. Returns whether there was one.
    fn receive(&mut self, index: usize) -> bool {
        if self.contexts[index].notice {
            self.deliver_notice(index);
            return true;
        }
        loop {
            let first = self.first(index);
            let senders = self.contexts[first].senders;
            let by_urgency = |&sender: &usize| (self.urgency(sender), core::cmp::Reverse(sender));
            let Some(sender) = numbers(senders).max_by_key(by_urgency) else {
                self.contexts[index].client = 0;
                return false;
            };
            self.contexts[first].senders &= !bit(sender);
            let number = self.contexts[sender].message[7];
            let operation = Operation::from_number(number).map_or(Operation::Send, Operation::at_receiver);
            let delivered = self.deliver(sender, index, operation);
            if !delivered || operation.is_send() {
                *self.ready |= bit(sender);
            }
            if delivered {
                return true;
            }
        }
    }
}

pub(super) const fn bit(index: usize) -> u32 {
    1 << index
}

/// The numbers in a set, the lowest first.
pub(super) fn numbers(mut set: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        (set != 0).then(|| {
            set &= set - 1;
            lowest as usize
        })
    })
}
