//! An RV32 core as the core of a machine.

use std::iter;
use std::sync::Arc;

use bus::Bus;
use core_cortex_m::Debugger;
use core_rv32::{Config, Hart, Line, Snapshot as State};
use events::Sink;
use isa_rv32::Extension;

use super::{NotModelled, Processor, Snapshot, Stop, of_this_core};
use crate::board::Board;
use crate::crash::{Frame, Scene, TrapReport, backtrace_rv32};
use crate::exception::{Exception, ExceptionNames, Input};
use crate::image::Image;
use crate::listing::halfword;
use crate::machine::Outcome;
use crate::start::StartError;
use crate::target::Registers;
use crate::waiting::MOST_PENDING;

pub(crate) fn rv32(config: Config, bus: Bus, pc: u32, debugger: Debugger) -> Box<dyn Processor> {
    let mut hart = Hart::new(config, bus, pc);
    hart.set_debugger(match debugger {
        Debugger::None => core_rv32::Debugger::None,
        Debugger::Attached => core_rv32::Debugger::Attached,
    });
    Box::new(hart)
}

impl Processor for Hart {
    fn reset(&mut self, board: &Board, image: &Image, halts: Vec<u32>) -> Result<(), StartError> {
        if !halts.is_empty() {
            return Err(StartError::NoHalts {
                board: board.name().into(),
            });
        }
        let reset = self.core().pc;
        let compressed = self.core().config.isa.has(Extension::C);
        let align = if compressed { 2 } else { 4 };
        if !reset.is_multiple_of(align) {
            return Err(StartError::MisalignedEntry {
                file: image.file().into(),
                reset,
                align,
                core: board.core().name(),
            });
        }
        if self.bus().peek_word(reset).is_none_or(|word| word == 0) {
            return Err(StartError::NoCode {
                file: image.file().into(),
                board: board.name().into(),
                reset,
            });
        }
        Ok(())
    }

    fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        Hart::run(self, until, sink).map(NotModelled::Rv32)
    }

    fn pause_requested(&self) -> bool {
        Hart::pause_requested(self)
    }

    fn cycle(&self) -> u64 {
        Hart::cycle(self)
    }

    fn instructions(&self) -> u64 {
        self.retired()
    }

    fn pc(&self) -> u32 {
        self.core().pc
    }

    fn stack_pointer(&self) -> u32 {
        self.core().regs[2]
    }

    fn bus(&self) -> &Bus {
        &self.core().bus
    }

    fn bus_mut(&mut self) -> &mut Bus {
        &mut self.core_mut().bus
    }

    fn registers(&mut self) -> Box<dyn Registers + '_> {
        Box::new(Named(self))
    }

    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        Hart::write_memory(self, address, bytes)
    }

    fn look(&self, address: u32, size: u32) -> Option<u32> {
        self.bus().look(address, size, Hart::cycle(self))?.ok()
    }

    fn poke(&mut self, address: u32, size: u32, value: u32) -> bool {
        let now = Hart::cycle(self);
        self.bus_mut().write(address, size, value, now).is_ok()
    }

    fn request(&self) -> (u32, u32) {
        (self.core().regs[10], self.core().regs[11])
    }

    fn answer(&mut self, value: u32) {
        self.core_mut().regs[10] = value;
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        Hart::finish(self, sink);
    }

    fn begin_again(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        Hart::restart(self, sink);
        Ok(())
    }

    fn sleeps(&self) -> bool {
        Hart::sleeps(self)
    }

    fn is_asleep(&self) -> bool {
        Hart::sleeps(self)
    }

    fn asleep(&self, names: &ExceptionNames) -> Option<Vec<String>> {
        let since = self.asleep_since()?;
        let pending = self.core().csrs.pending();
        let disabled = (0..16).filter(|code| pending >> code & 1 != 0).take(MOST_PENDING);
        let disabled = disabled.map(|code| {
            let name = names.name(Exception::Interrupt(code));
            format!("{name} is pending, and not enabled in mie")
        });
        let first = format!("asleep since cycle {since} (WFI)");
        Some(iter::once(first).chain(disabled).collect())
    }

    fn coming(&self, _names: &ExceptionNames) -> Vec<(u64, String)> {
        let input = self.next_input().into_iter();
        input
            .map(|cycle| (cycle, "an input from outside".to_owned()))
            .collect()
    }

    fn spins(&self) -> bool {
        jumps_to_itself(self.core())
    }

    fn can_be_interrupted(&self) -> bool {
        Hart::can_be_interrupted(self)
    }

    fn backtrace(&self, image: &Image, registers: Option<&dyn Registers>) -> Vec<Frame> {
        let processor = self;
        backtrace_rv32(Scene { processor, image }, self.core(), registers)
    }

    fn crash(&self, image: &Image, _locked_up: bool) -> Option<Outcome> {
        let exception = self.exception()?;
        let processor = self;
        let report = TrapReport::new(Scene { processor, image }, self, exception);
        Some(Outcome::Trapped(Box::new(report)))
    }

    fn set_cost_reuse(&mut self, remembers: bool) {
        Hart::set_cost_reuse(self, remembers);
    }

    fn raise(&mut self, exception: Exception, at: u64) {
        match Input::of(exception) {
            Some(Input::Source(number)) => self.pulse_source(at, number),
            Some(input) => {
                if let Some(line) = line(input) {
                    self.pulse(at, line);
                }
            }
            None => {}
        }
    }

    fn set_line(&mut self, exception: Exception, at: u64, level: bool) -> bool {
        let Some(line) = Input::of(exception).and_then(line) else {
            return false;
        };
        Hart::set_line(self, at, line, level);
        true
    }

    fn snapshot(&mut self) -> Snapshot {
        Arc::new(Hart::snapshot(self))
    }

    fn rewind(&mut self, snapshot: &Snapshot) {
        Hart::rewind(self, of_this_core::<State>(snapshot));
    }

    fn rv32(&self) -> Option<&Hart> {
        Some(self)
    }
}

/// The core's own input line; `None` for a PLIC source.
fn line(input: Input) -> Option<Line> {
    match input {
        Input::Timer => Some(Line::Timer),
        Input::Software => Some(Line::Software),
        Input::External(number) => Some(Line::External(number)),
        Input::Source(_) => None,
    }
}

/// Whether the next instruction jumps to itself; a WFI before the jump belongs to the spin.
fn jumps_to_itself(core: &core_rv32::Core) -> bool {
    let at = |pc: u32| {
        let first = halfword(&core.bus, pc)?;
        let second = halfword(&core.bus, pc.wrapping_add(2)).unwrap_or(0);
        isa_rv32::decode(u32::from(first) | u32::from(second) << 16, core.config.isa).ok()
    };
    let jumps = |pc: u32, offset: i32| {
        at(pc).is_some_and(|insn| insn.op == isa_rv32::Op::Jal && insn.rd.0 == 0 && insn.imm == offset)
    };
    let waits_in_vain =
        |pc: u32| !core.config.waits && at(pc).is_some_and(|insn| insn.op == isa_rv32::Op::Wfi);
    let pc = core.pc;
    jumps(pc, 0)
        || waits_in_vain(pc) && jumps(pc.wrapping_add(4), -4)
        || jumps(pc, -4) && waits_in_vain(pc.wrapping_sub(4))
}

/// The integer registers and PC. Up to three more instructions may still have to retire.
struct Named<'a>(&'a mut Hart);

const INTEGER: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl Registers for Named<'_> {
    fn names(&self) -> Vec<&'static str> {
        INTEGER.into_iter().chain(["pc"]).collect()
    }

    fn system(&self) -> Vec<&'static str> {
        let all = isa_rv32::csr::all();
        all.filter(|name| self.get(name).is_some()).collect()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let core = self.0.core();
        if name == "pc" {
            return Some(core.pc);
        }
        match INTEGER.iter().position(|known| *known == name) {
            Some(number) => Some(core.regs[number]),
            None => core.look_csr(isa_rv32::csr::number(name)?, self.0.cycle()),
        }
    }

    fn set(&mut self, name: &str, value: u32) -> bool {
        // PC is the fetch address, which is ahead of a debugger's PC.
        match INTEGER.iter().position(|known| *known == name) {
            Some(0) => false,
            None => {
                let now = self.0.cycle();
                let number = isa_rv32::csr::number(name);
                number.is_some_and(|number| self.0.core_mut().set_csr(number, value, now))
            }
            Some(number) => {
                self.0.core_mut().regs[number] = value;
                true
            }
        }
    }
}
