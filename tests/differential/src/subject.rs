//! Our core in the oracle's environment.

use bus::{Bus, Memory, Region};
use core_cortex_m::{Core, Effect, Fault, Flags, Fpscr, NotModelled};

use crate::oracle::Stored;
use crate::patch::{Fresh, Patch};
use crate::program::Program;
use crate::state::{State, Stopped};
use crate::{CLREX, CODE, CODE_SIZE, DATA, DATA_SIZE, FIRST, Target};

/// Our core with code and RAM.
pub struct Subject {
    core: Core,
}

/// The outcome of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Executed.
    Done,
    /// Its condition failed.
    Skipped,
    /// It stopped execution.
    Stopped(Stopped),
}

impl Subject {
    /// A core with zeroed memories.
    pub fn new(target: Target) -> Self {
        let mut bus = Bus::new();
        bus.add_memory(Memory::rom(Region::new("code", CODE, CODE_SIZE)));
        bus.add_memory(Memory::ram(Region::new("data", DATA, DATA_SIZE)));
        bus.load(CODE, &vec![0; CODE_SIZE as usize]);
        let mut core = Core::new(target.config(), bus);
        if target.isa().is_v7() {
            disable_write_buffer(&mut core);
        }
        if target.core().isa.has_float() {
            set_register(&mut core, CPACR, 0xf << 20);
        }
        // CLREX runs before each start, since nothing else closes the exclusive monitor. (Without a monitor CLREX is undefined and has no
        // effect here.)
        core.bus.load(CODE, &CLREX);
        Subject { core }
    }

    /// Loads a program into memory.
    pub fn load(&mut self, program: &Program) {
        self.core.bus.load(FIRST, &program.bytes());
    }

    /// Moves to a group and loads its fresh state.
    pub fn start(&mut self, program: &Program, group: usize) {
        let group = &program.groups[group];
        self.core.regs.thumb = true;
        self.core.regs.it = 0;
        self.core.regs.r[15] = CODE;
        self.core.execute_alone();
        self.set_special(&group.fresh);
        self.apply(&group.fresh.patch);
        self.core.regs.r[15] = group.start;
    }

    fn set_special(&mut self, fresh: &Fresh) {
        let regs = &mut self.core.regs;
        regs.ipsr = 0;
        regs.unprivileged = fresh.control & 1 != 0;
        regs.process_stack = fresh.control & 2 != 0;
        regs.fp_active = fresh.control & 4 != 0;
        regs.other_sp = fresh.other_sp;
        regs.primask = fresh.primask != 0;
        regs.faultmask = fresh.faultmask != 0;
        regs.basepri = fresh.basepri as u8;
    }

    /// Changes registers, flags and memory.
    pub(crate) fn apply(&mut self, patch: &Patch) {
        for (register, value) in self.core.regs.r.iter_mut().zip(patch.r) {
            *register = value.unwrap_or(*register);
        }
        for (register, value) in self.core.regs.s.iter_mut().zip(patch.s) {
            *register = value.unwrap_or(*register);
        }
        if let Some(fpscr) = patch.fpscr {
            self.core.regs.fpscr = Fpscr::from_bits(fpscr);
        }
        if let Some(flags) = patch.flags {
            self.core.regs.flags = Flags::from_bits(flags);
        }
        for &(address, word) in &patch.memory {
            self.core.bus.load(address, &word.to_le_bytes());
        }
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Outcome {
        if !(CODE..CODE + CODE_SIZE).contains(&self.pc()) {
            return Outcome::Stopped(if self.core.regs.thumb {
                Stopped::Fetch
            } else {
                Stopped::NoThumb
            });
        }
        match self.core.execute_alone() {
            Effect::Done => Outcome::Done,
            Effect::Skipped => Outcome::Skipped,
            other => Outcome::Stopped(stopped(&other)),
        }
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.core.regs.r[15]
    }

    /// State that an instruction may have changed.
    pub fn state(&self) -> State {
        let regs = &self.core.regs;
        let (msp, psp) = regs.stack_pointers();
        let privileged = |value: u32| if regs.privileged() { value } else { 0 };
        let masks = [
            u32::from(regs.primask),
            u32::from(regs.basepri),
            u32::from(regs.faultmask),
        ]
        .map(privileged);
        let [primask, basepri, faultmask] = masks;
        let special = [
            u32::from(regs.ipsr),
            regs.control(),
            privileged(msp),
            privileged(psp),
            primask,
            basepri,
            faultmask,
        ];
        State {
            r: regs.r,
            apsr: regs.flags.bits(),
            special,
            s: regs.s,
            fpscr: regs.fpscr.bits(),
        }
    }

    /// The bytes of memory at the address of a store.
    pub fn memory_at(&self, stored: &Stored) -> Vec<u8> {
        let mut bytes = vec![0; stored.bytes.len()];
        self.core.bus.peek(stored.address, &mut bytes);
        bytes
    }

    /// Content of RAM.
    pub fn ram(&self) -> &[u8] {
        self.core.bus.memory(DATA).bytes()
    }
}

/// Sets ACTLR.DISDEFWBUF, so that a failing store faults at once, as on Unicorn and on an ARMv6-M core.
fn disable_write_buffer(core: &mut Core) {
    set_register(core, 0xe000_e008, 1 << 1);
}

const CPACR: u32 = 0xe000_ed88;

/// Stores to one of the core's own registers.
fn set_register(core: &mut Core, address: u32, value: u32) {
    core.bus.load(CODE, &[0x08, 0x60]); // str r0, [r1]
    core.regs.r[0] = value;
    core.regs.r[1] = address;
    core.regs.r[15] = CODE;
    assert_eq!(core.execute_alone(), Effect::Done);
}

fn stopped(effect: &Effect) -> Stopped {
    match effect {
        Effect::Fault(Fault::UndefInstr) => Stopped::Undefined,
        Effect::Fault(Fault::NoCp) => Stopped::NoCoprocessor,
        Effect::Fault(Fault::InvState) => Stopped::NoThumb,
        Effect::Fault(Fault::Unaligned(_)) => Stopped::Unaligned,
        Effect::Fault(Fault::DataBus(_)) => Stopped::Data,
        Effect::SupervisorCall => Stopped::SupervisorCall,
        Effect::Breakpoint(_) => Stopped::Breakpoint,
        Effect::NotModelled(what) => match **what {
            NotModelled::Unmapped { .. } | NotModelled::Device { .. } => Stopped::Data,
            NotModelled::UnmappedFetch { .. } => Stopped::Fetch,
            NotModelled::Unpredictable { .. } => Stopped::Unpredictable,
        },
        _ => Stopped::Other(u32::MAX),
    }
}
