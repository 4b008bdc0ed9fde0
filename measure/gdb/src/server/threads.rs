//! GDB's thread numbers, and requests about threads.

use super::arguments::{Answered, Arguments, Refusal, ThreadId, digits};
use super::{Answer, Server};
use crate::session::Session;
use crate::threads::Thread;

impl Server {
    /// The current threads with their numbers, the running one first.
    ///
    /// GDB takes its selected thread for alive until the next stop, and does not say which one that is. So threads from before `monitor`
    /// moved the program stay listed until then, with the core's registers.
    pub(super) fn threads(&mut self) -> Answered<Vec<(u32, Thread)>> {
        let mut threads = self.session.threads()?;
        for &number in &self.left_behind {
            if threads.iter().all(|(known, _)| *known != number) {
                threads.push((number, Thread::left_behind()));
            }
        }
        Ok(threads)
    }

    /// Does something that may move the program without a stop.
    pub(super) fn moving<T>(&mut self, what: impl FnOnce(&mut Session) -> T) -> Answered<T> {
        let (cycle, threads) = (self.session.cycle(), self.threads()?);
        let done = what(&mut self.session);
        if self.session.cycle() != cycle {
            self.left_behind = threads.into_iter().map(|(number, _)| number).collect();
        }
        Ok(done)
    }

    /// The running thread's number, which a stop reply reports and GDB then selects.
    pub(super) fn tell_thread(&mut self) -> u32 {
        self.selected = ThreadId::Any;
        self.left_behind.clear();
        let threads = self.threads().unwrap_or_default();
        threads.first().map_or(1, |(number, _)| *number)
    }

    /// The selected thread, if it is not running. `None` if it runs or is gone: the core's registers apply then.
    pub(super) fn waiting(&mut self) -> Answered<Option<Thread>> {
        let ThreadId::Number(selected) = self.selected else {
            return Ok(None);
        };
        let mut threads = self.threads()?.into_iter();
        let found = threads.find(|(number, _)| *number == selected);
        Ok(found
            .map(|(_, thread)| thread)
            .filter(|thread| thread.saved.is_some()))
    }

    /// The thread with this number.
    fn thread(&mut self, number: u32) -> Answered<Thread> {
        let mut threads = self.threads()?.into_iter();
        let found = threads.find(|(known, _)| *known == number);
        found.map(|(_, thread)| thread).ok_or(Refusal::NoThread)
    }

    /// Parses a thread that must exist, or any.
    fn known_thread(&mut self, mut arguments: Arguments<'_>) -> Answered<ThreadId> {
        let id = arguments.thread()?;
        arguments.end()?;
        if let ThreadId::Number(number) = id {
            self.thread(number)?;
        }
        Ok(id)
    }

    /// `Hg` selects the thread whose registers GDB reads; the whole program resumes in any case.
    pub(super) fn select_thread(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let what = arguments.byte()?;
        let id = self.known_thread(arguments)?;
        match what {
            b'g' => self.selected = id,
            b'c' => {}
            _ => return Err(Refusal::Malformed),
        }
        Ok(Answer::ok())
    }

    pub(super) fn is_alive(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        self.known_thread(arguments)?;
        Ok(Answer::ok())
    }

    pub(super) fn current_thread(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        let running = self.threads()?.first().map_or(1, |(number, _)| *number);
        Ok(Answer::text(&format!("QC{running:x}")))
    }

    pub(super) fn first_threads(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        let threads = self.threads()?;
        let numbers: Vec<String> = threads.iter().map(|(number, _)| format!("{number:x}")).collect();
        Ok(Answer::text(&format!("m{}", numbers.join(","))))
    }

    pub(super) fn further_threads(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::text("l"))
    }

    pub(super) fn thread_text(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b',')?;
        let ThreadId::Number(number) = self.known_thread(arguments)? else {
            return Err(Refusal::Malformed);
        };
        Ok(Answer::Reply(digits(self.thread(number)?.name.as_bytes())))
    }
}
