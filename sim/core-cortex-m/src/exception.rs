//! Exceptions: priority, entry, return, and the handling of faults (ARMv7-M ARM B1.5).
//!
//! This is architecture without timing. The engine, which owns the clock, calls the steps one by one, so that a more urgent exception can
//! still come in between:
//! - entry: [`Core::stack`], then, when the vector is fetched, [`Core::pending_exception`] once more (late arrival)
//!   and [`Core::take`];
//! - return: [`Core::begin_return`], then [`Core::pending_exception`] (tail-chaining: [`Core::take`] without
//!   stacking), and once more when the frame was read (pop pre-emption) before [`Core::unstack`] makes it good.
//!
//! A synchronous exception (a fault, SVC) takes the same path as an interrupt: [`Core::raise`] makes it, or HardFault, pending, and the
//! next [`Core::pending_exception`] finds it.

mod entry;
mod exit;
mod extended;
mod fault;
mod multiple;
mod register_list;

pub(crate) use multiple::resume;
pub(crate) use register_list::{continuation, words_from};

use crate::access::Refused;
use crate::block::{Code, REQUEST};
use crate::config::Config;
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::regs::Registers;
use crate::state::Deviation;
use crate::state::{Emitter, Flow, InputSchedule, LateClear, StackFloors};
use crate::sys::System;
use crate::timing::{Cycle, Jump, PipelineState, RequestLog, Rule, RuleSet};
use bus::Bus;

/// Why the core cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// A fault at a priority where not even HardFault can be taken (ARMv7-M ARM B1.5.15).
    Lockup(Fault),
    /// The model's limit.
    NotModelled(Box<NotModelled>),
}

impl Core {
    /// A core with everything in its reset state, that [`Core::reset`] must start.
    ///
    /// # Panics
    /// If the pipeline that is configured is not the core's.
    pub fn new(config: Config, bus: Bus) -> Self {
        let own = std::ptr::addr_eq(config.model.pipeline(), config.core.pipeline);
        assert!(own, "{:?} has another pipeline", config.core);
        Core {
            regs: Registers::default(),
            bus,
            sys: System::new(&config),
            config,
            deviation: Deviation::default(),
            trap: Trap::None,
            faults: Vec::new(),
            base: 0,
            cycle: 0,
            exclusive: None,
            event: false,
            code: Code::default(),
            flow: Flow::Jumped(Jump::at(REQUEST)),
            refilled_from: 0,
            floors: StackFloors::default(),
            schedule: InputSchedule::default(),
            recognise_from: u64::MAX,
            void_until: 0,
            late_clear: LateClear::default(),
            in_fast_path: false,
            predicted_read: None,
            emitter: Emitter::new(0, 0, Rule::FetchFifo),
            preserved: None,
            sleeping: None,
            masks_seen: [0; 3],
            basepri_written: 0,
            fetched_by: RuleSet::EMPTY,
            earlier_rules: RuleSet::EMPTY,
            request_log: RequestLog::default(),
            step_record: None,
            pending_link: None,
            reuses_costs: true,
            halts: Vec::new(),
            stops: (Vec::new(), None),
            block_starts: Vec::new(),
            halted_at: None,
        }
    }

    /// Resets the core: SP and PC come from the vector table at VTOR's reset value. Memory and devices stay.
    ///
    /// # Errors
    /// The board describes no memory there.
    pub fn reset(&mut self) -> Result<(), NotModelled> {
        self.sys = System::new(&self.config);
        (self.exclusive, self.event) = (None, false);
        let fetches = self.start()?;
        let begins = self.cycle as Cycle;
        self.emitter = Emitter::new(begins, begins + PipelineState::FILL, fetches);
        Ok(())
    }

    /// Begins at the reset vector; the rule by which the first instruction takes [`PipelineState::FILL`] cycles to come.
    pub(crate) fn start(&mut self) -> Result<Rule, NotModelled> {
        let table = self.sys.vector_table();
        let [sp, pc] = [self.reset_word(table)?, self.reset_word(table + 4)?];
        self.regs = Registers {
            thumb: pc & 1 != 0,
            ..Registers::default()
        };
        self.regs.r[13] = sp & !3;
        self.regs.r[14] = u32::MAX;
        self.regs.r[15] = pc & !1;
        self.flow = Flow::Jumped(Jump::at(self.cycle as Cycle + REQUEST));
        self.refilled_from = self.regs.r[15];
        self.recognise_from = u64::MAX;
        self.void_until = 0;
        Ok(self.config.model.pipeline().refill())
    }

    fn reset_word(&mut self, address: u32) -> Result<u32, NotModelled> {
        self.hardware_read(address, None)
            .map_err(|refused| match refused {
                Refused::NotModelled(what) => *what,
                Refused::Fault(_) => {
                    let (region, what) = (
                        "vector table".into(),
                        "a bus error at reset, which locks the core up".into(),
                    );
                    NotModelled::Device {
                        region,
                        what,
                        address: Some(address),
                        instead: None,
                    }
                }
            })
    }

    /// Priority of the code that executes: lower is more urgent (ARMv7-M ARM B1.5.4).
    pub(crate) fn execution_priority(&self) -> i16 {
        self.sys.exceptions.execution_priority(&self.regs)
    }

    /// The exception that would be taken now.
    #[inline]
    pub(crate) fn pending_exception(&self) -> Option<u16> {
        if self.sys.exceptions.waiting() {
            self.preempting_exception()
        } else {
            None
        }
    }

    #[cold]
    fn preempting_exception(&self) -> Option<u16> {
        self.sys.exceptions.preempting(self.execution_priority())
    }

    /// Whether something pending ends WFI: it would pre-empt if PRIMASK were 0 (ARMv7-M ARM B1.5.19).
    pub(crate) fn would_wake(&self) -> bool {
        let limit = self.sys.exceptions.priority_without_primask(&self.regs);
        self.sys.exceptions.preempting(limit).is_some()
    }

    /// Whether WFE ends: by anything that ends WFI, or by an event (ARMv7-M ARM B1.5.18).
    pub(crate) fn would_wake_event(&self) -> bool {
        self.event || self.sys.exceptions.has_event() || self.would_wake()
    }

    /// Clears the event register, and says whether it was set: by SEV, an exception entry or return, or an
    /// interrupt that became pending under SEVONPEND.
    pub(crate) fn take_event(&mut self) -> bool {
        let pended = self.sys.exceptions.take_event();
        std::mem::take(&mut self.event) || pended
    }
}

#[cfg(test)]
mod tests;
