//! Requests that resume the program, and events about why it stopped.

use std::collections::VecDeque;

use dap::requests::{NextArguments, StepBackArguments, StepInArguments};
use dap::types::SteppingGranularity;
use machine::TargetError;
use serde_json::{Value, json};

use super::requests::parsed;
use super::wire::Received;
use super::{Adapter, Answered, Backward, Course, Refusal};
use crate::session::Stopped;
use crate::session::lines::Motion;

fn by_instruction(granularity: Option<&SteppingGranularity>) -> bool {
    matches!(granularity, Some(SteppingGranularity::Instruction))
}

/// Whether a message asks a program to stop.
fn asks_to_stop(received: &Received) -> bool {
    let Received::Message(message) = received else {
        return false;
    };
    let command = message.get("command").and_then(Value::as_str);
    matches!(command, Some("pause" | "disconnect" | "terminate" | "restart"))
}

impl Adapter {
    pub(super) fn go_on(&mut self, _: Value) -> Answered {
        self.run()?;
        Ok(json!({ "allThreadsContinued": true }))
    }

    /// Runs until something stops the program.
    pub(super) fn run(&mut self) -> Answered<()> {
        self.may_continue()?;
        let until = self.session()?.set_off()?;
        self.resume(Course::Forward(Motion::Run(until)))
    }

    pub(super) fn step_over(&mut self, arguments: Value) -> Answered {
        let arguments: NextArguments = parsed(arguments)?;
        self.step(false, by_instruction(arguments.granularity.as_ref()))
    }

    pub(super) fn step_in(&mut self, arguments: Value) -> Answered {
        let arguments: StepInArguments = parsed(arguments)?;
        self.step(true, by_instruction(arguments.granularity.as_ref()))
    }

    fn step(&mut self, into: bool, instruction: bool) -> Answered {
        self.may_continue()?;
        let motion = self.session()?.step_line(into, instruction)?;
        self.resume(Course::Forward(motion))?;
        Ok(Value::Null)
    }

    pub(super) fn step_out(&mut self, _: Value) -> Answered {
        self.may_continue()?;
        let motion = self.session()?.step_out()?;
        let motion = motion.ok_or_else(|| Refusal::new("the caller of this function is unknown"))?;
        self.resume(Course::Forward(motion))?;
        Ok(Value::Null)
    }

    pub(super) fn step_back(&mut self, arguments: Value) -> Answered {
        let arguments: StepBackArguments = parsed(arguments)?;
        let backward = if by_instruction(arguments.granularity.as_ref()) {
            Backward::Instruction
        } else {
            Backward::Line
        };
        self.resume(Course::Back(backward))?;
        Ok(Value::Null)
    }

    pub(super) fn reverse_continue(&mut self, _: Value) -> Answered {
        self.resume(Course::Back(Backward::Run))?;
        Ok(Value::Null)
    }

    /// A program that crashed can only go back.
    fn may_continue(&mut self) -> Answered<()> {
        match &self.failure {
            Some((what, _)) => Err(Refusal(format!(
                "the program cannot continue ({what}): go back, or restart it"
            ))),
            None => Ok(()),
        }
    }

    fn resume(&mut self, course: Course) -> Answered<()> {
        let session = self.session()?;
        self.resumed_at = (session.cycle(), session.target().instructions());
        self.levels.clear();
        self.containers.clear();
        self.course = course;
        Ok(())
    }

    pub(super) fn pause(&mut self, _: Value) -> Answered {
        if let Course::Forward(_) = std::mem::replace(&mut self.course, Course::Stopped) {
            self.session()?.halted(Stopped::Stepped)?;
            self.stopped_as("pause", None, None);
        }
        Ok(Value::Null)
    }

    /// Runs a part of the way.
    pub(super) fn advance(&mut self) {
        let (Course::Forward(motion), Some(session)) = (&mut self.course, &mut self.session) else {
            return;
        };
        match session.advance_by(motion) {
            Ok(None) => {}
            Ok(Some(stopped)) => self.stop(Ok(stopped)),
            Err(error) => self.stop(Err(error)),
        }
    }

    /// Goes back; messages that come meanwhile wait, and one that asks to stop ends it.
    pub(super) fn go_back(&mut self, backward: &Backward) {
        let Some(session) = &mut self.session else {
            return;
        };
        let (input, waiting): (_, &mut VecDeque<Received>) = (&self.input, &mut self.waiting);
        let interrupted = || {
            waiting.extend(input.try_iter());
            waiting.iter().any(asks_to_stop)
        };
        let stopped = match backward {
            Backward::Run => session.go_back(interrupted),
            Backward::Instruction => session.step_back(),
            Backward::Line => session.step_line_back(false),
        };
        self.failure = None;
        self.stop(stopped);
    }

    /// Says why the program stopped.
    fn stop(&mut self, stopped: Result<Stopped, TargetError>) {
        self.course = Course::Stopped;
        match stopped {
            Err(error) => {
                self.show(&format!("error: {error}\n"));
                self.events.push(("terminated", json!({})));
            }
            Ok(Stopped::Exited(code)) => {
                self.show_spent();
                self.events.push(("exited", json!({ "exitCode": code })));
                self.events.push(("terminated", json!({})));
                self.failure = Some(("exited", format!("the program exited with the code {code}")));
            }
            Ok(stopped) => self.stopped_at(stopped),
        }
        for (event, body) in std::mem::take(&mut self.events) {
            self.client.event(event, &body);
        }
    }

    fn stopped_at(&mut self, stopped: Stopped) {
        let pc = self.session.as_mut().map_or(0, crate::Session::pc);
        match stopped {
            Stopped::Breakpoint => {
                let (reason, ids) = self.breakpoints.at(pc);
                self.stopped_as(reason, None, Some(json!(ids)));
            }
            Stopped::Instruction => {
                self.stopped_as(
                    "breakpoint",
                    Some("the program's own BKPT or EBREAK".into()),
                    None,
                );
            }
            Stopped::Watched(watched, address) => {
                let ids = self.breakpoints.watching(watched);
                let text = format!("an access to {address:#010x}");
                self.stopped_as("data breakpoint", Some(text), Some(json!(ids)));
            }
            Stopped::AtBeginning => {
                self.stopped_as("entry", Some("the beginning of what was recorded".into()), None);
            }
            Stopped::Failed | Stopped::NotModelled => {
                let failure = self.session.as_mut().and_then(crate::Session::take_failure);
                let text = failure.unwrap_or_default();
                let what = match stopped {
                    Stopped::Failed => "crash",
                    _ => "not modelled",
                };
                self.show(&text);
                let first = text.lines().next().unwrap_or(what).to_owned();
                self.failure = Some((what, text));
                self.stopped_as("exception", Some(first), None);
            }
            Stopped::Stepped | Stopped::Exited(_) => self.stopped_as("step", None, None),
        }
    }

    /// Queues the event of a stop, and what the program spent since the last one.
    pub(super) fn stopped_as(&mut self, reason: &str, text: Option<String>, ids: Option<Value>) {
        self.levels.clear();
        self.containers.clear();
        self.show_spent();
        let thread = self.running_thread();
        let mut body = json!({ "reason": reason, "threadId": thread, "allThreadsStopped": true });
        if let Some(text) = text {
            body["description"] = text.clone().into();
            body["text"] = text.into();
        }
        if let Some(ids) = ids {
            body["hitBreakpointIds"] = ids;
        }
        self.events.push(("stopped", body));
    }

    fn running_thread(&mut self) -> u32 {
        let threads = self.session.as_mut().and_then(|session| session.threads().ok());
        threads.and_then(|threads| Some(threads.first()?.0)).unwrap_or(1)
    }

    /// Shows the cycles since the program last stood.
    fn show_spent(&mut self) {
        let (cycles, instructions) = self.resumed_at;
        let Some(session) = &mut self.session else {
            return;
        };
        let (now, executed) = (session.cycle(), session.target().instructions());
        if (now, executed) == (cycles, instructions) {
            return;
        }
        let back = if now < cycles { " back" } else { "" };
        let text = format!(
            "{} cycles and {} instructions{back}; cycle {now} since reset\n",
            now.abs_diff(cycles),
            executed.abs_diff(instructions)
        );
        self.show(&text);
    }

    pub(super) fn exception_info(&mut self, _: Value) -> Answered {
        match &self.failure {
            Some((what, text)) => {
                Ok(json!({ "exceptionId": what, "description": text, "breakMode": "always" }))
            }
            None => Err(Refusal::new("the program did not crash")),
        }
    }

    pub(super) fn set_exception_breakpoints(&mut self, _: Value) -> Answered {
        // The program always stops where it cannot continue.
        Ok(json!({ "breakpoints": [] }))
    }
}
