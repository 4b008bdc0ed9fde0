//! Which process waits for which, and which runs.

use super::context::{LENT, LENT_MUT, SLOW};
use super::system::{Machine, System, Waits, bit, numbers};

impl<M: Machine> System<'_, M> {
    /// The event that a process waits for. `running` is the running process.
    pub fn waits(&self, index: usize, running: Option<usize>) -> Waits {
        if self.contexts[index].stopped {
            return Waits::Stopped;
        }
        if running == Some(index) || *self.ready & bit(index) != 0 {
            return Waits::Not;
        }
        if self.contexts[index].client == 0 {
            return Waits::ForMessage;
        }
        let others = 0..self.contexts.len();
        let takes = |&other: &usize| self.contexts[other].senders & bit(index) != 0;
        if let Some(receiver) = others.clone().find(takes) {
            return Waits::ToSend(receiver);
        }
        let serves = |&other: &usize| self.client(other) == Some(index);
        others.clone().find(serves).map_or(Waits::Not, Waits::ForAnswer)
    }

    /// The priority of a process: that of the processes that wait for it, if that is higher.
    pub fn urgency(&self, index: usize) -> u8 {
        let (mut seen, mut most) = (0_u32, 0);
        let mut look_at = bit(index);
        while look_at != 0 {
            seen |= look_at;
            let mut next = 0;
            for at in numbers(look_at) {
                let context = &self.contexts[at];
                most = most.max(context.priority);
                next |= self.senders(at) | self.client(at).map_or(0, bit);
            }
            look_at = next & !seen;
        }
        most
    }

    /// The process to run: the most urgent ready one, `running` among equals, then the one with the lowest number. None if none is ready.
    /// That one is not among the ready any more.
    pub fn choose(&mut self, running: Option<usize>) -> Option<usize> {
        let mut best = running.map(|running| (running, self.urgency(running)));
        for index in numbers(*self.ready) {
            let urgency = self.urgency(index);
            if best.is_none_or(|(_, most)| urgency > most) {
                best = Some((index, urgency));
            }
        }
        let (chosen, _) = best?;
        if let Some(running) = running.filter(|&running| running != chosen) {
            *self.ready |= bit(running);
        }
        *self.ready &= !bit(chosen);
        self.close(chosen);
        self.mark_slow();
        Some(chosen)
    }

    /// The memory lent to a process, according to its client. The fast path closes it without calling this.
    fn close(&mut self, index: usize) {
        let context = &mut self.contexts[index];
        if context.client & LENT == 0 {
            context.lent = M::NOWHERE;
        }
        if context.client & LENT_MUT == 0 {
            context.lent_mut = M::NOWHERE;
        }
    }

    /// Says of each process whether the fast way may answer for it.
    fn mark_slow(&mut self) {
        for index in 0..self.contexts.len() {
            let Some(client) = self.client(index) else {
                continue;
            };
            let mut slow = self.senders(index) != 0
                || self.contexts[index].notice
                || self.has_no_entry(index)
                || self.is_to_reach_again(client)
                || self.contexts[client].left != 0
                || self.is_ending(client);
            if !slow && *self.ready != 0 {
                // The client's urgency without this process's other senders, of which there are none.
                let urgency = self.urgency(client);
                slow = numbers(*self.ready).any(|ready| self.urgency(ready) > urgency);
            }
            let context = &mut self.contexts[index];
            context.client = context.client & !SLOW | if slow { SLOW } else { 0 };
        }
    }

    /// Whether something is lent to a process in a way that the fast way cannot close.
    fn has_no_entry(&self, index: usize) -> bool {
        let context = &self.contexts[index];
        M::BY_ENTRY && context.client & (LENT | LENT_MUT) != 0 && context.entry == 0
    }

    /// Whether memory is lent to a process that waits for an answer, which the fast way does not let it reach again.
    fn is_to_reach_again(&self, client: usize) -> bool {
        !M::BY_ENTRY && self.contexts[client].client & (LENT | LENT_MUT) != 0
    }

    /// The first thread of a thread's process: the one that is called.
    pub(super) fn first(&self, index: usize) -> usize {
        usize::from(self.contexts[index].process)
    }

    /// All threads of a process, by its first.
    pub(super) fn threads(&self, first: usize) -> u32 {
        let is_one = |&index: &usize| self.first(index) == first;
        (0..self.contexts.len()).filter(is_one).map(bit).sum()
    }

    /// The processes that wait to send to a thread's process.
    fn senders(&self, index: usize) -> u32 {
        self.contexts[self.first(index)].senders
    }

    /// A thread of a process that waits for a message, the first of them if that does.
    pub(super) fn waiting_thread(&self, first: usize) -> Option<usize> {
        numbers(self.threads(first)).find(|&thread| self.contexts[thread].client == 0)
    }

    /// Whether all of a set wait for `last`, directly or not: then it must not wait for them.
    pub(super) fn waits_for(&self, mut set: u32, last: usize) -> bool {
        let mut seen = 0;
        while set & !seen != 0 {
            for at in numbers(set & !seen) {
                seen |= bit(at);
                if at == last {
                    continue;
                }
                match self.waits(at, Some(last)) {
                    Waits::ToSend(next) => set |= self.threads(next),
                    Waits::ForAnswer(next) => set |= bit(next),
                    _ => return false,
                }
            }
        }
        true
    }
}
