//! Unicorn as the reference.

use std::rc::Rc;

use isa_thumb::Reg;
use unicorn_engine::{Arch, Context, HookType, MemType, Mode, Prot, RegisterARM, Unicorn, uc_error};

use crate::patch::{Fresh, Patch};
use crate::program::Program;
use crate::state::{State, Stopped};
use crate::{CLREX, CODE, CODE_SIZE, DATA, DATA_SIZE, FIRST, Target};
use crate::{access, known};

/// The memory that a store wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Lowest address.
    pub address: u32,
    /// The bytes after the store.
    pub bytes: Vec<u8>,
}

/// One executed instruction.
#[derive(Clone, Debug)]
pub struct Record {
    /// State before it, and before its group's patch.
    pub state: State,
    /// The memory that it stored to, if any.
    pub stored: Option<Stored>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It reached the end of the program.
    Finished,
    /// It stopped at an instruction; with the address if an access failed.
    Stopped(Stopped, Option<u32>),
    /// It executed more instructions than the program has, after a wild jump.
    Astray,
}

struct Recorder {
    /// Whether the core has floating-point registers.
    floats: bool,
    program: Option<Rc<Program>>,
    records: Vec<Record>,
    /// Address and length of the current instruction's store.
    storing: Option<(u32, u32)>,
    stopped: Option<Stopped>,
    bad_address: Option<u32>,
    astray: bool,
}

/// Unicorn with one of the cores, code and RAM.
pub struct Oracle {
    target: Target,
    unicorn: Unicorn<'static, Recorder>,
    pristine: Context,
    /// CONTROL of the previous run.
    control: u32,
}

const REGISTERS: [RegisterARM; 15] = {
    use RegisterARM::{LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, SP};
    [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, SP, LR]
};
const SPECIAL: [RegisterARM; 7] = {
    use RegisterARM::{BASEPRI, CONTROL, FAULTMASK, IPSR, MSP, PRIMASK, PSP};
    [IPSR, CONTROL, MSP, PSP, PRIMASK, BASEPRI, FAULTMASK]
};

const FLOATS: [RegisterARM; 32] = {
    use RegisterARM::{
        S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16, S17, S18, S19, S20, S21,
        S22, S23, S24, S25, S26, S27, S28, S29, S30, S31,
    };
    [
        S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16, S17, S18, S19, S20, S21,
        S22, S23, S24, S25, S26, S27, S28, S29, S30, S31,
    ]
};

impl Recorder {
    fn of(target: Target) -> Self {
        Recorder {
            floats: target.core().isa.has_float(),
            program: None,
            records: Vec::new(),
            storing: None,
            stopped: None,
            bad_address: None,
            astray: false,
        }
    }

    /// In an IT block several reasons may arise; the first one counts.
    fn stop(&mut self, stopped: Stopped) {
        self.stopped.get_or_insert(stopped);
    }
}

/// Converts QEMU's exception numbers.
fn exception(number: u32) -> Stopped {
    match number {
        1 => Stopped::Undefined,
        2 => Stopped::SupervisorCall,
        // An exception return in thread mode jumps to where there is no code.
        3 | 8 => Stopped::Fetch,
        4 => Stopped::Unaligned,
        7 => Stopped::Breakpoint,
        17 => Stopped::NoCoprocessor,
        18 => Stopped::NoThumb,
        _ => Stopped::Other(number),
    }
}

impl Oracle {
    /// An oracle with zeroed memories.
    ///
    /// # Errors
    /// Unicorn's own.
    pub fn new(target: Target) -> Result<Self, uc_error> {
        // Mode::MCLASS would select a Cortex-M33, whatever model is requested.
        let mut unicorn = Unicorn::new_with_data(Arch::ARM, Mode::THUMB, Recorder::of(target))?;
        unicorn.ctl_set_cpu_model(target.model() as i32)?;
        unicorn.mem_map(u64::from(CODE), u64::from(CODE_SIZE), Prot::READ | Prot::EXEC)?;
        unicorn.mem_map(u64::from(DATA), u64::from(DATA_SIZE), Prot::READ | Prot::WRITE)?;
        unicorn.add_code_hook(1, 0, |unicorn, address, _| {
            before_instruction(unicorn, address as u32);
        })?;
        unicorn.mem_write(u64::from(CODE), &CLREX)?;
        // Stores have no hook: to call it, Unicorn restores ITSTATE, and inside an IT block never takes that back.
        unicorn.add_mem_hook(HookType::MEM_INVALID, 1, 0, |unicorn, kind, address, _, _| {
            let fetch = matches!(kind, MemType::FETCH_UNMAPPED | MemType::FETCH_PROT);
            let recorder = unicorn.get_data_mut();
            recorder.stop(if fetch { Stopped::Fetch } else { Stopped::Data });
            if !fetch {
                recorder.bad_address.get_or_insert(address as u32);
            }
            false
        })?;
        unicorn.add_intr_hook(|unicorn, number| {
            unicorn.get_data_mut().stop(exception(number));
            let _ = unicorn.emu_stop();
        })?;
        let pristine = unicorn.context_init()?;
        Ok(Oracle {
            target,
            unicorn,
            pristine,
            control: 0,
        })
    }

    /// Loads a program into memory.
    ///
    /// # Errors
    /// Unicorn's own.
    pub fn load(&mut self, program: &Program) -> Result<(), uc_error> {
        self.unicorn.mem_write(u64::from(FIRST), &program.bytes())?;
        self.unicorn.ctl_flush_tb()
    }

    /// Runs the program from one of its groups, with that group's fresh state and this content of RAM.
    ///
    /// # Errors
    /// Unicorn's own, except errors that the program causes.
    pub fn run(
        &mut self,
        program: &Rc<Program>,
        group: usize,
        ram: &[u8],
    ) -> Result<(Vec<Record>, Ending), uc_error> {
        self.unicorn.mem_write(u64::from(DATA), ram)?;
        // A changed CONTROL does not flush Unicorn's translations, which it would reuse for the other privilege level.
        let control = program.groups[group].fresh.control;
        if std::mem::replace(&mut self.control, control) != control {
            self.unicorn.ctl_flush_tb()?;
        }
        self.start_from(&program.groups[group].fresh)?;
        self.prepare(Some(Rc::clone(program)));
        let (begin, end) = (program.groups[group].start, program.end());
        let result = self.unicorn.emu_start(u64::from(begin | 1), u64::from(end), 0, 0);
        let pc = self.unicorn.reg_read(RegisterARM::PC)? as u32;
        align_sp(&mut self.unicorn);
        read_stored(&mut self.unicorn);
        let ending = self.ending(result)?;
        let last = Record {
            state: read_state(&self.unicorn, pc),
            stored: None,
        };
        let mut records = std::mem::take(&mut self.unicorn.get_data_mut().records);
        if ending == Ending::Finished {
            records.push(last);
        }
        Ok((records, ending))
    }

    /// Describes the first word of RAM that differs from `ours`.
    pub fn difference_in_ram(&self, ours: &[u8]) -> Option<String> {
        let mut theirs = vec![0; DATA_SIZE as usize];
        self.unicorn.mem_read(u64::from(DATA), &mut theirs).ok()?;
        if theirs == ours {
            return None;
        }
        let words = ours.chunks(4).zip(theirs.chunks(4));
        let (word, (ours, theirs)) = words.enumerate().find(|(_, (ours, theirs))| ours != theirs)?;
        let address = DATA as usize + 4 * word;
        Some(format!(
            "RAM at {address:08x}: ours {ours:02x?}, theirs {theirs:02x?}"
        ))
    }

    /// Runs one encoding by itself.
    ///
    /// # Errors
    /// Unicorn's own.
    pub fn try_encoding(&mut self, raw: u32) -> Result<Ending, uc_error> {
        let (high, low) = ((raw >> 16) as u16, raw as u16);
        let halfwords = if high == 0 { [low, 0xbf00] } else { [high, low] };
        let bytes: Vec<u8> = halfwords.into_iter().flat_map(u16::to_le_bytes).collect();
        let size = if high == 0 { 2 } else { 4 };
        self.unicorn.context_restore(&self.pristine)?;
        self.unicorn.mem_write(u64::from(FIRST), &bytes)?;
        self.unicorn
            .ctl_remove_cache(u64::from(FIRST), u64::from(FIRST) + 4)?;
        self.prepare(None);
        for register in REGISTERS {
            self.unicorn
                .reg_write(register, u64::from(DATA + DATA_SIZE / 2))?;
        }
        let result = self
            .unicorn
            .emu_start(u64::from(FIRST | 1), u64::from(FIRST + size), 0, 0);
        self.ending(result)
    }

    fn prepare(&mut self, program: Option<Rc<Program>>) {
        *self.unicorn.get_data_mut() = Recorder {
            program,
            ..Recorder::of(self.target)
        };
    }

    fn ending(&self, result: Result<(), uc_error>) -> Result<Ending, uc_error> {
        let recorder = self.unicorn.get_data();
        let stopped = match (recorder.stopped, result) {
            (Some(stopped), _) => stopped,
            (None, Err(uc_error::INSN_INVALID)) => Stopped::Undefined,
            (None, Ok(())) if recorder.astray => return Ok(Ending::Astray),
            (None, Ok(())) => return Ok(Ending::Finished),
            (None, Err(error)) => return Err(error),
        };
        Ok(Ending::Stopped(stopped, recorder.bad_address))
    }

    fn start_from(&mut self, fresh: &Fresh) -> Result<(), uc_error> {
        self.unicorn.context_restore(&self.pristine)?;
        let [main, process] = if fresh.control & 2 == 0 {
            [fresh.patch.r[13], Some(fresh.other_sp)]
        } else {
            [Some(fresh.other_sp), fresh.patch.r[13]]
        };
        let specials = [
            (RegisterARM::MSP, main.unwrap_or(0)),
            (RegisterARM::PSP, process.unwrap_or(0)),
            (RegisterARM::PRIMASK, fresh.primask),
            (RegisterARM::BASEPRI, fresh.basepri),
            (RegisterARM::FAULTMASK, fresh.faultmask),
            (RegisterARM::CONTROL, fresh.control),
        ];
        for (register, value) in specials {
            self.unicorn.reg_write(register, u64::from(value))?;
        }
        apply(&mut self.unicorn, &fresh.patch)
    }
}

fn before_instruction(unicorn: &mut Unicorn<Recorder>, address: u32) {
    align_sp(unicorn);
    read_stored(unicorn);
    let state = read_state(unicorn, address);
    let recorder = unicorn.get_data_mut();
    recorder.records.push(Record { state, stored: None });
    let Some(program) = recorder.program.clone() else {
        return;
    };
    if recorder.records.len() > 8 * program.groups.len() {
        recorder.astray = true;
        let _ = unicorn.emu_stop();
    }
    if let Some(group) = program.group_at(address) {
        // A patch fails only for an address outside RAM, which the comparison then shows.
        let _ = apply(unicorn, &program.groups[group].patch);
    }
    let insn = program.insn_at(address).filter(|insn| insn.is_store());
    let register = |register: Reg| {
        unicorn
            .reg_read(*REGISTERS.get(register.index())?)
            .ok()
            .map(|value| value as u32)
    };
    let place = insn.and_then(|insn| Some((access::address(insn, address, register)?, access::length(insn))));
    unicorn.get_data_mut().storing = place;
}

/// Reads what the previous instruction stored.
fn read_stored(unicorn: &mut Unicorn<Recorder>) {
    let Some((address, length)) = unicorn.get_data_mut().storing.take() else {
        return;
    };
    let mut bytes = vec![0; length as usize];
    let read = unicorn.mem_read(u64::from(address), &mut bytes).is_ok();
    if let Some(record) = unicorn.get_data_mut().records.last_mut() {
        record.stored = read.then_some(Stored { address, bytes });
    }
}

/// Clears the bits described at [`known::SP_BITS`].
fn align_sp(unicorn: &mut Unicorn<Recorder>) {
    let sp = unicorn.reg_read(RegisterARM::SP).map_or(0, |sp| sp as u32);
    if sp & !known::SP_BITS != 0 {
        let _ = unicorn.reg_write(RegisterARM::SP, u64::from(sp & known::SP_BITS));
    }
}

fn apply(unicorn: &mut Unicorn<Recorder>, patch: &Patch) -> Result<(), uc_error> {
    for (register, value) in REGISTERS.into_iter().zip(patch.r) {
        if let Some(value) = value {
            unicorn.reg_write(register, u64::from(value))?;
        }
    }
    for (register, value) in FLOATS.into_iter().zip(patch.s) {
        if let Some(value) = value {
            unicorn.reg_write(register, u64::from(value))?;
        }
    }
    if let Some(fpscr) = patch.fpscr {
        unicorn.reg_write(RegisterARM::FPSCR, u64::from(fpscr))?;
    }
    if let Some(flags) = patch.flags {
        unicorn.reg_write(RegisterARM::APSR_NZCVQG, u64::from(flags))?;
    }
    for &(address, word) in &patch.memory {
        unicorn.mem_write(u64::from(address), &word.to_le_bytes())?;
    }
    Ok(())
}

fn read_state(unicorn: &Unicorn<Recorder>, pc: u32) -> State {
    let read = |register| unicorn.reg_read(register).map_or(0, |value| value as u32);
    let mut r = [pc; 16];
    for (value, register) in r.iter_mut().zip(REGISTERS) {
        *value = read(register);
    }
    let floats = unicorn.get_data().floats;
    State {
        r,
        apsr: read(RegisterARM::APSR),
        special: SPECIAL.map(read),
        s: if floats { FLOATS.map(read) } else { [0; 32] },
        fpscr: if floats { read(RegisterARM::FPSCR) } else { 0 },
    }
}
