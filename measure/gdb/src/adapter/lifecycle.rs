//! Requests that begin and end a session.

use dap::requests::{InitializeArguments, LaunchRequestArguments};
use dap::types::Capabilities;
use serde_json::{Value, json};

use super::requests::parsed;
use super::{Adapter, Answered, Course, Refusal};

impl Adapter {
    pub(super) fn initialize(&mut self, arguments: Value) -> Answered {
        let arguments: InitializeArguments = parsed(arguments)?;
        self.first = i64::from(arguments.lines_start_at1.unwrap_or(true));
        self.is_initialized = true;
        let yes = Some(true);
        let capabilities = Capabilities {
            supports_configuration_done_request: yes,
            supports_function_breakpoints: yes,
            supports_instruction_breakpoints: yes,
            supports_data_breakpoints: yes,
            supports_breakpoint_locations_request: yes,
            supports_evaluate_for_hovers: yes,
            supports_step_back: yes,
            supports_stepping_granularity: yes,
            supports_set_variable: yes,
            supports_restart_request: yes,
            supports_terminate_request: yes,
            supports_exception_info_request: yes,
            supports_read_memory_request: yes,
            supports_write_memory_request: yes,
            supports_disassemble_request: yes,
            ..Capabilities::default()
        };
        serde_json::to_value(capabilities).map_err(|error| Refusal(error.to_string()))
    }

    pub(super) fn launch(&mut self, arguments: Value) -> Answered {
        if self.session.is_some() {
            return Err(Refusal::new(
                "the program is launched already: `restart` begins it again",
            ));
        }
        parsed::<LaunchRequestArguments>(arguments.clone())?;
        let Value::Object(arguments) = arguments else {
            return Err(Refusal::new("the configuration names no `program`"));
        };
        let is = |name: &str| arguments.get(name).and_then(Value::as_bool).unwrap_or(false);
        self.stops_on_entry = is("stopOnEntry");
        self.breakpoints.are_off = is("noDebug");
        let mut session = (self.launch)(&arguments).map_err(|error| Refusal(error.render(false)))?;
        session.enable_cycle_counter();
        self.resumed_at = (session.cycle(), session.target().instructions());
        self.session = Some(session);
        // From here on the editor sets breakpoints.
        self.events.push(("initialized", json!({})));
        Ok(Value::Null)
    }

    pub(super) fn attach(&mut self, _: Value) -> Answered {
        Err(Refusal::new(
            "there is nothing to attach to: the configuration's `request` must be `launch`",
        ))
    }

    pub(super) fn configuration_done(&mut self, _: Value) -> Answered {
        self.begin()?;
        Ok(Value::Null)
    }

    pub(super) fn restart(&mut self, _: Value) -> Answered {
        self.session()?.reset()?;
        self.session()?.enable_cycle_counter();
        self.begin()?;
        Ok(Value::Null)
    }

    /// Runs from reset, or stops there.
    fn begin(&mut self) -> Answered<()> {
        (self.failure, self.course) = (None, Course::Stopped);
        let session = self.session()?;
        self.resumed_at = (session.cycle(), session.target().instructions());
        if self.stops_on_entry {
            self.stopped_as("entry", None, None);
            return Ok(());
        }
        self.run()
    }

    pub(super) fn terminate(&mut self, _: Value) -> Answered {
        self.course = Course::Stopped;
        self.events.push(("terminated", json!({})));
        Ok(Value::Null)
    }

    pub(super) fn disconnect(&mut self, _: Value) -> Answered {
        self.has_left = true;
        Ok(Value::Null)
    }
}
