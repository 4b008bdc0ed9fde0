//! A Cortex-M as the core of a machine.

use std::iter;
use std::sync::Arc;

use bus::Bus;
use core_cortex_m::{Config, Core, HeldBack, Snapshot as State};
use events::{RuleSet, Sink};
use isa_thumb::{Cond, Op};

use super::{NotModelled, Processor, Snapshot, Stop, of_this_core};
use crate::board::Board;
use crate::crash::{CortexM, CrashReport, Frame};
use crate::exception::{Exception, ExceptionNames};
use crate::image::Image;
use crate::listing::halfword;
use crate::machine::Outcome;
use crate::start::{self, StartError};
use crate::target::Registers;
use crate::waiting::MOST_PENDING;

pub(crate) fn cortex_m(config: Config, bus: Bus) -> Box<dyn Processor> {
    Box::new(Core::new(config, bus))
}

/// Bytes from the next instruction on that the core may have fetched: an instruction and the prefetch unit's three words.
const PREFETCHED: u64 = 16;

impl Processor for Core {
    fn reset(&mut self, board: &Board, image: &Image, halts: Vec<u32>) -> Result<(), StartError> {
        let begun = Core::reset(self);
        begun.map_err(|what| start::no_reset(board, image, &what))?;
        self.set_halts(halts);
        self.set_variables(start::variables(board, image));
        Ok(())
    }

    fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        Core::run(self, until, sink).map(NotModelled::CortexM)
    }

    fn pause_requested(&self) -> bool {
        Core::pause_requested(self)
    }

    fn cycle(&self) -> u64 {
        Core::cycle(self)
    }

    fn instructions(&self) -> u64 {
        Core::instructions(self)
    }

    fn relied(&self) -> RuleSet {
        Core::rules_used(self)
    }

    fn pc(&self) -> u32 {
        self.regs.r[15]
    }

    fn stack_pointer(&self) -> u32 {
        self.regs.r[13]
    }

    fn bus(&self) -> &Bus {
        &self.bus
    }

    fn bus_mut(&mut self) -> &mut Bus {
        &mut self.bus
    }

    fn registers(&mut self) -> Box<dyn Registers + '_> {
        Box::new(Named(self))
    }

    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        Core::write_memory(self, address, bytes)
    }

    fn program_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        Core::program_memory(self, address, bytes)
    }

    fn refetch(&mut self, address: u32, length: usize) {
        let pc = self.regs.r[15];
        let (from, ahead) = (u64::from(address), u64::from(pc) + PREFETCHED);
        if length > 0 && from < ahead && u64::from(pc) < from + length as u64 {
            self.go_to(pc);
        }
    }

    fn look(&self, address: u32, size: u32) -> Option<u32> {
        Core::look(self, address, size)
    }

    fn poke(&mut self, address: u32, size: u32, value: u32) -> bool {
        Core::poke(self, address, size, value).is_ok()
    }

    fn take_trace(&mut self) -> Vec<(u64, u8, Vec<u8>)> {
        let packets = self.sys.take_trace().into_iter();
        let bytes = |size: u8, value: u32| value.to_le_bytes()[..usize::from(size)].to_vec();
        packets
            .map(|packet| (packet.cycle, packet.port, bytes(packet.size, packet.value)))
            .collect()
    }

    fn request(&self) -> (u32, u32) {
        (self.regs.r[0], self.regs.r[1])
    }

    fn answer(&mut self, value: u32) {
        self.regs.r[0] = value;
    }

    fn begin_again(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        let begun = Core::restart(self, sink);
        begun.map_err(|what| format!("the core cannot begin again behind a reset: {what:?}"))
    }

    fn halt(&mut self) {
        Core::halt(self);
    }

    fn is_asleep(&self) -> bool {
        Core::is_asleep(self)
    }

    fn asleep(&self, names: &ExceptionNames) -> Option<Vec<String>> {
        let asleep = Core::asleep(self)?;
        let what = if asleep.for_event { "WFE" } else { "WFI" };
        let pending = asleep.pending.iter().take(MOST_PENDING);
        let pending = pending.map(|&(exception, why)| held_back(exception, why, names));
        let first = format!("asleep since cycle {} ({what})", asleep.since);
        Some(iter::once(first).chain(pending).collect())
    }

    fn coming(&self, names: &ExceptionNames) -> Vec<(u64, String)> {
        let systick = self.sys.next_event();
        let systick = (systick != u64::MAX).then(|| (systick, "SysTick".to_owned()));
        let input = self.next_input();
        let input = input.map(|(cycle, exception)| (cycle, names.name(exception)));
        systick.into_iter().chain(input).collect()
    }

    fn spins(&self) -> bool {
        let at = |address: u32| halfword(&self.bus, address);
        let Some(first) = at(self.regs.r[15]) else {
            return false;
        };
        self.regs.it == 0 && branches_to_itself(self, first, at(self.regs.r[15].wrapping_add(2)))
    }

    fn can_be_interrupted(&self) -> bool {
        Core::can_be_interrupted(self)
    }

    fn handler(&self) -> Option<Exception> {
        Exception::of_ipsr(self.regs.ipsr)
    }

    fn backtrace(&self, image: &Image, registers: Option<&dyn Registers>) -> Vec<Frame> {
        CortexM { core: self, image }.backtrace(registers)
    }

    fn crash(&self, image: &Image, locked_up: bool) -> Option<Outcome> {
        let after_fault = self.handler().is_some_and(Exception::is_fault) && !self.faults().is_empty();
        let scene = CortexM { core: self, image };
        let crash = || Outcome::Crash(Box::new(CrashReport::new(scene, locked_up)));
        (locked_up || after_fault).then(crash)
    }

    fn set_cost_reuse(&mut self, remembers: bool) {
        Core::set_cost_reuse(self, remembers);
    }

    fn raise(&mut self, exception: Exception, at: u64) {
        if let Some(number) = exception.number() {
            self.raise_at(at, number);
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        Arc::new(Core::snapshot(self))
    }

    fn rewind(&mut self, snapshot: &Snapshot) {
        Core::rewind(self, of_this_core::<State>(snapshot));
    }

    fn cortex_m(&self) -> Option<&Core> {
        Some(self)
    }
}

fn held_back(exception: Exception, why: HeldBack, names: &ExceptionNames) -> String {
    let why = match why {
        HeldBack::Disabled => "not enabled in the NVIC".to_owned(),
        HeldBack::Faultmask => "masked by FAULTMASK".to_owned(),
        HeldBack::Basepri(mask, own) => format!("masked by BASEPRI {mask:#04x}: its priority is {own:#04x}"),
        HeldBack::Handler(other) => format!(
            "no more urgent than the handler of {}, which runs",
            names.name(other)
        ),
    };
    format!("{} is pending, {why}", names.name(exception))
}

/// A branch's offset counts from its own address plus four.
fn branches_to_itself(core: &Core, first: u16, second: Option<u16>) -> bool {
    let decoded = core.config.core.isa.decode_at(first, second);
    decoded.is_ok_and(|insn| insn.op == Op::B && insn.cond == Cond::Al && insn.imm == 4u32.wrapping_neg())
}

/// R0 to R15, and the registers of MRS and MSR.
struct Named<'a>(&'a mut Core);

/// The general registers by number.
const GENERAL: [&str; 16] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc",
];
const SPECIAL: [&str; 7] = ["xpsr", "msp", "psp", "primask", "basepri", "faultmask", "control"];

const SINGLE: [&str; 32] = [
    "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15",
    "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30",
    "s31",
];

/// The number of a single-precision register.
fn single(name: &str) -> Option<usize> {
    SINGLE.iter().position(|known| *known == name)
}

impl Named<'_> {
    fn has_fp(&self) -> bool {
        self.0.config.core.isa.has_float()
    }
}

impl Registers for Named<'_> {
    fn names(&self) -> Vec<&'static str> {
        let float = SINGLE.into_iter().chain(["fpscr"]).filter(|_| self.has_fp());
        GENERAL.into_iter().chain(SPECIAL).chain(float).collect()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let regs = &self.0.regs;
        if let Some(number) = GENERAL.iter().position(|known| *known == name) {
            return Some(regs.r[number]);
        }
        if let Some(number) = single(name).filter(|_| self.has_fp()) {
            return Some(regs.s[number]);
        }
        let (main, process) = regs.stack_pointers();
        Some(match name {
            "xpsr" => regs.xpsr(),
            "msp" => main,
            "psp" => process,
            "primask" => u32::from(regs.primask),
            "basepri" => u32::from(regs.basepri),
            "faultmask" => u32::from(regs.faultmask),
            "fpscr" if self.has_fp() => regs.fpscr.bits(),
            "control" => {
                let bits = [regs.unprivileged, regs.process_stack, regs.fp_active];
                bits.iter()
                    .zip(0..)
                    .map(|(&bit, place)| u32::from(bit) << place)
                    .sum()
            }
            _ => return None,
        })
    }

    fn set(&mut self, name: &str, value: u32) -> bool {
        match GENERAL.iter().position(|known| *known == name) {
            Some(15) => self.0.go_to(value),
            Some(13) => self.0.regs.r[13] = value & !3,
            Some(number) => self.0.regs.r[number] = value,
            None if self.has_fp() && single(name).is_some() => {
                let number = single(name).unwrap_or_default();
                self.0.regs.s[number] = value;
            }
            // The exception logic would have to observe a debugger's write.
            None => return false,
        }
        true
    }
}
