//! Requests that resume the program, and replies about why it stopped.

use std::ops::Range;

use super::arguments::{Answered, Arguments, Refusal};
use super::connection::Connection;
use super::{Answer, Ended, Server};
use crate::session::Stopped;

/// How to resume the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Resume {
    /// Run until something stops it.
    On,
    /// Execute one instruction.
    Step,
    /// Step until the program leaves this address range.
    StepIn(Range<u32>),
    /// Run backwards to the last stop.
    Back,
    /// Step backwards by one instruction.
    StepBack,
}

/// Signal numbers in GDB's own numbering.
const SIGINT: u8 = 2;
const SIGILL: u8 = 4;
const SIGTRAP: u8 = 5;
const SIGSEGV: u8 = 11;

impl Server {
    /// Runs the program and reports why it stopped; returns the exit code if it ended.
    pub(super) fn resume(
        &mut self,
        resume: &Resume,
        connection: &mut Connection,
    ) -> Result<Option<u8>, Ended> {
        let mut interrupted = false;
        let asked = || {
            interrupted |= connection.asks_to_stop();
            interrupted
        };
        let session = &mut self.session;
        let stopped = match resume {
            Resume::On => session.go_on(asked),
            Resume::Step => session.step(),
            Resume::StepIn(range) => session.step_in(range.clone(), asked),
            Resume::Back => session.go_back(asked),
            Resume::StepBack => session.step_back(),
        }?;
        if connection.is_closed() {
            return Err(Ended::Gone);
        }
        if let Stopped::Exited(code) = stopped {
            let code = u8::try_from(code).unwrap_or(u8::MAX);
            connection.reply(format!("W{code:02x}").as_bytes())?;
            return Ok(Some(code));
        }
        if let Some(failure) = self.session.take_failure() {
            (self.tell)(&failure);
        }
        let by_user = interrupted && stopped == Stopped::Stepped;
        let reply = self.stop_reply(&stopped, by_user);
        connection.reply(reply.as_bytes())?;
        Ok(None)
    }

    /// The stop reply: why the program stopped.
    fn stop_reply(&mut self, stopped: &Stopped, by_user: bool) -> String {
        let thread = self.tell_thread();
        let (signal, reason) = match stopped {
            Stopped::Stepped if by_user => (SIGINT, String::new()),
            Stopped::Breakpoint if self.tells_breakpoints => (SIGTRAP, "hwbreak:;".to_owned()),
            Stopped::Watched(watched, address) => {
                let kind = match (watched.reads, watched.writes) {
                    (true, true) => "awatch",
                    (true, false) => "rwatch",
                    _ => "watch",
                };
                (SIGTRAP, format!("{kind}:{address:x};"))
            }
            Stopped::AtBeginning => (SIGTRAP, "replaylog:begin;".to_owned()),
            Stopped::Failed => (SIGSEGV, String::new()),
            Stopped::NotModelled => (SIGILL, String::new()),
            Stopped::Stepped | Stopped::Breakpoint | Stopped::Instruction | Stopped::Exited(_) => {
                (SIGTRAP, String::new())
            }
        };
        format!("T{signal:02x}thread:{thread:x};{reason}")
    }

    pub(super) fn why(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::text(&self.stop_reply(&Stopped::Stepped, false)))
    }

    pub(super) fn go_on(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        self.resume_at(arguments, Resume::On)
    }

    pub(super) fn step(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        self.resume_at(arguments, Resume::Step)
    }

    pub(super) fn go_on_with_signal(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        self.resume_with_signal(arguments, Resume::On)
    }

    pub(super) fn step_with_signal(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        self.resume_with_signal(arguments, Resume::Step)
    }

    /// Handles `c` and `s`, with or without an address to resume at. Programs here take no signals.
    fn resume_at(&mut self, mut arguments: Arguments<'_>, resume: Resume) -> Answered<Answer> {
        if !arguments.is_empty() {
            let address = arguments.number()?;
            arguments.end()?;
            self.go_to(address)?;
        }
        Ok(Answer::Resume(resume))
    }

    fn resume_with_signal(&mut self, mut arguments: Arguments<'_>, resume: Resume) -> Answered<Answer> {
        signal(&mut arguments)?;
        if !arguments.is_empty() {
            arguments.expect(b';')?;
            if arguments.is_empty() {
                return Err(Refusal::Malformed);
            }
        }
        self.resume_at(arguments, resume)
    }

    pub(super) fn ways_to_continue(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::text("vCont;c;C;s;S;r"))
    }

    /// Handles `vCont`. There is one core, so the program resumes whichever threads GDB names; it steps if any of them should step.
    pub(super) fn continue_as(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let mut resume = Resume::On;
        arguments.expect(b';')?;
        loop {
            let action = action(&mut arguments)?;
            if arguments.take(b':') {
                arguments.thread()?;
            }
            if resume == Resume::On {
                resume = action;
            }
            if arguments.is_empty() {
                return Ok(Answer::Resume(resume));
            }
            arguments.expect(b';')?;
        }
    }
}

/// Takes a signal: two digits.
fn signal(arguments: &mut Arguments<'_>) -> Answered<()> {
    match arguments.number()? {
        0..=0xff => Ok(()),
        _ => Err(Refusal::Malformed),
    }
}

/// Takes an action of `vCont`. Stop (`t`) needs non-stop mode, which the server lacks.
fn action(arguments: &mut Arguments<'_>) -> Answered<Resume> {
    match arguments.byte()? {
        b'c' => Ok(Resume::On),
        b's' => Ok(Resume::Step),
        b'C' => signal(arguments).map(|()| Resume::On),
        b'S' => signal(arguments).map(|()| Resume::Step),
        b'r' => {
            let (from, to) = arguments.range()?;
            Ok(Resume::StepIn(from..to))
        }
        _ => Err(Refusal::Malformed),
    }
}
