//! The table of requests.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Adapter, Answered, Course, Refusal};

type Handler = fn(&mut Adapter, Value) -> Answered;

/// When a request can be answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// At any time.
    Always,
    /// Once a program is launched.
    Launched,
    /// While the program stands.
    Stopped,
}
use When::{Always, Launched, Stopped};

#[rustfmt::skip]
const REQUESTS: [(&str, When, Handler); 35] = [
    ("initialize", Always, Adapter::initialize),
    ("launch", Always, Adapter::launch),
    ("attach", Always, Adapter::attach),
    ("disconnect", Always, Adapter::disconnect),
    ("terminate", Always, Adapter::terminate),
    ("setExceptionBreakpoints", Always, Adapter::set_exception_breakpoints),
    ("configurationDone", Launched, Adapter::configuration_done),
    ("restart", Launched, Adapter::restart),
    ("setBreakpoints", Launched, Adapter::set_breakpoints),
    ("setFunctionBreakpoints", Launched, Adapter::set_function_breakpoints),
    ("setInstructionBreakpoints", Launched, Adapter::set_instruction_breakpoints),
    ("setDataBreakpoints", Launched, Adapter::set_data_breakpoints),
    ("dataBreakpointInfo", Launched, Adapter::data_breakpoint_info),
    ("breakpointLocations", Launched, Adapter::breakpoint_locations),
    ("threads", Launched, Adapter::threads),
    ("pause", Launched, Adapter::pause),
    ("evaluate", Launched, Adapter::evaluate),
    ("readMemory", Launched, Adapter::read_memory),
    ("stackTrace", Stopped, Adapter::stack_trace),
    ("scopes", Stopped, Adapter::scopes),
    ("variables", Stopped, Adapter::variables),
    ("setVariable", Stopped, Adapter::set_variable),
    ("exceptionInfo", Stopped, Adapter::exception_info),
    ("writeMemory", Stopped, Adapter::write_memory),
    ("disassemble", Stopped, Adapter::disassemble),
    ("continue", Stopped, Adapter::go_on),
    ("next", Stopped, Adapter::step_over),
    ("stepIn", Stopped, Adapter::step_in),
    ("stepOut", Stopped, Adapter::step_out),
    ("stepBack", Stopped, Adapter::step_back),
    ("reverseContinue", Stopped, Adapter::reverse_continue),
    ("goto", Stopped, Adapter::not_supported),
    ("loadedSources", Launched, Adapter::no_sources),
    ("modules", Launched, Adapter::no_modules),
    ("cancel", Always, Adapter::cancel),
];

/// Reads the arguments of a request.
pub(super) fn parsed<T: DeserializeOwned>(arguments: Value) -> Answered<T> {
    let arguments = if arguments.is_null() { json!({}) } else { arguments };
    serde_json::from_value(arguments)
        .map_err(|error| Refusal(format!("the arguments cannot be read: {error}")))
}

impl Adapter {
    /// Answers a request.
    pub(super) fn answer(&mut self, message: &Value, command: &str, arguments: Value) -> Answered {
        if message.get("type").and_then(Value::as_str) != Some("request") {
            return Err(Refusal::new(
                "only messages of the type `request` can be answered",
            ));
        }
        let found = REQUESTS.iter().find(|(name, ..)| *name == command);
        let Some(&(_, when, handler)) = found else {
            return Err(Refusal(format!("there is no request `{command}`")));
        };
        if !self.is_initialized && command != "initialize" && command != "disconnect" {
            return Err(Refusal::new("the request `initialize` comes first"));
        }
        if when != Always {
            self.session()?;
        }
        if when == Stopped && !matches!(self.course, Course::Stopped) {
            return Err(Refusal::new("the program runs: `pause` stops it"));
        }
        handler(self, arguments)
    }

    fn not_supported(&mut self, _: Value) -> Answered {
        Err(Refusal::new(
            "the program cannot continue elsewhere: write `pc` instead",
        ))
    }

    fn no_sources(&mut self, _: Value) -> Answered {
        Ok(json!({ "sources": [] }))
    }

    fn no_modules(&mut self, _: Value) -> Answered {
        Ok(json!({ "modules": [] }))
    }

    /// Nothing takes so long that cancelling it would be of use.
    fn cancel(&mut self, _: Value) -> Answered {
        Ok(Value::Null)
    }
}
