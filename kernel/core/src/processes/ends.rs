//! How processes begin and end, and how a wait is given up.

use super::Status;
use super::context::{BUSY, LENT, LENT_MUT, WORDS};
use super::system::{Machine, System, Waits, bit, numbers};

impl<M: Machine> System<'_, M> {
    /// A process fails: it stops alone, with all of its threads. Senders that wait for its answer are told, and it restarts. Returns
    /// whether the one that ran can.
    pub fn fault(&mut self, index: usize) -> bool {
        let first = self.first(index);
        self.machine.stopped(&self.contexts[index], first, false);
        self.ends(index)
    }

    /// A process ends because of its running thread, and restarts: at once, unless a thread of it lends memory to another process. That
    /// memory stays with the process that has it.
    pub(super) fn ends(&mut self, running: usize) -> bool {
        let first = self.first(running);
        let threads = self.threads(first);
        // Whose frame it was hears of that in the answer.
        for thread in numbers(threads) {
            self.give_frame_back(thread);
        }
        for thread in numbers(threads) {
            self.answer(thread, Status::Died);
        }
        for thread in numbers(threads) {
            self.gives_up(thread);
            *self.ready &= !bit(thread);
            let context = &mut self.contexts[thread];
            context.client = BUSY;
            context.notice = false;
            context.left = 0;
        }
        self.contexts[first].ending = true;
        self.lets_end(first);
        let begins = !self.contexts[first].ending && !self.contexts[first].stopped;
        if begins {
            *self.ready &= !bit(running);
        }
        begins
    }

    /// Whether a thread's process is ending, and waits for memory that is lent.
    pub fn is_ending(&self, index: usize) -> bool {
        self.contexts[self.first(index)].ending
    }

    /// If a thread's process is ending, it begins anew as soon as nothing of it is lent any more. Returns whether it was ending.
    pub(super) fn lets_end(&mut self, index: usize) -> bool {
        let first = self.first(index);
        if !self.contexts[first].ending {
            return false;
        }
        let threads = self.threads(first);
        if !numbers(threads).any(|thread| self.lends(thread)) {
            self.contexts[first].ending = false;
            self.begins_anew(first, threads);
        }
        true
    }

    fn begins_anew(&mut self, first: usize, threads: u32) {
        let context = &mut self.contexts[first];
        if let Some(left) = context.restarts.checked_sub(1) {
            if context.restarts != u32::MAX {
                context.restarts = left;
            }
            for thread in numbers(threads) {
                self.begin(thread);
            }
            return;
        }
        let senders = core::mem::take(&mut context.senders);
        for thread in numbers(threads) {
            self.contexts[thread].stopped = true;
        }
        for sender in numbers(senders) {
            self.returns(sender, Status::Died);
            *self.ready |= bit(sender);
        }
    }

    /// Whether another process has memory of a thread's.
    fn lends(&self, index: usize) -> bool {
        let has = |other| self.client(other) == Some(index) && self.has_memory(other);
        (0..self.contexts.len()).any(has)
    }

    /// Whether a server has memory of the process that it serves.
    fn has_memory(&self, server: usize) -> bool {
        self.contexts[server].client & (LENT | LENT_MUT) != 0
    }

    /// What a thread waits for is not waited for any more, unless memory of its is lent for that. Returns whether it waited and does not
    /// now; its server learns nothing, and the answer is dropped.
    fn gives_up(&mut self, index: usize) -> bool {
        match self.waits(index, None) {
            Waits::ToSend(receiver) => self.contexts[receiver].senders &= !bit(index),
            Waits::ForAnswer(server) if !self.has_memory(server) => self.contexts[server].client = BUSY,
            _ => return false,
        }
        true
    }

    /// So much time has passed as timeouts are counted in. A process whose time is up continues with a timeout. Lent memory is not
    /// taken away from its receiver: such a process waits for the answer.
    pub fn tick(&mut self) {
        for index in 0..self.contexts.len() {
            let left = self.contexts[index].left;
            self.contexts[index].left = left.saturating_sub(1);
            if left == 1 && self.gives_up(index) {
                self.goes_on(index, Status::TimedOut);
            }
        }
    }

    /// A thread has another one of its process go on that waits.
    pub(super) fn cancel(&mut self, running: usize) -> bool {
        let wanted = self.contexts[running].message[0];
        let others = self.threads(self.first(running)) & !bit(running);
        let found = numbers(others).find(|&other| usize::from(self.contexts[other].thread) == wanted);
        let status = match found {
            Some(other) if self.gives_up(other) => {
                self.goes_on(other, Status::Cancelled);
                Status::Done
            }
            _ => Status::Busy,
        };
        self.returns(running, status)
    }

    fn goes_on(&mut self, index: usize, status: Status) {
        self.returns(index, status);
        *self.ready |= bit(index);
    }

    pub(super) fn begin(&mut self, index: usize) {
        let nowhere = M::NOWHERE;
        let context = &mut self.contexts[index];
        context.client = BUSY;
        (context.lent, context.lent_mut) = (nowhere, nowhere);
        context.whole = false;
        context.left = 0;
        context.kept = [0; 2];
        context.message = [0; WORDS];
        self.machine.begin(context, index);
        *self.ready |= bit(index);
    }

    /// A frame that was another's goes back, if there is room; the process keeps its own. Nothing in it stays.
    fn give_frame_back(&mut self, index: usize) {
        let context = &self.contexts[index];
        let (frame, extra) = (context.frame, context.extra);
        let Some(owner) = usize::from(frame).checked_sub(1) else {
            return;
        };
        self.machine.clear(extra);
        if owner != index && self.contexts[owner].frame == 0 && !self.contexts[owner].stopped {
            self.move_frame(index, owner);
        }
    }
}
