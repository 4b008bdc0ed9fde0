//! GDB's remote protocol.

mod points;
mod texts;

use std::net::TcpStream;

use gdbstub::arch::{Arch, RegId, Registers as ArchRegisters};
use gdbstub::common::{Signal, Tid};
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume,
    MultiThreadResumeOps, MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps, MultiThreadSingleStep,
    MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::{BreakpointsOps, WatchKind};
use gdbstub::target::ext::flash::FlashOps;
use gdbstub::target::ext::memory_map::MemoryMapOps;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::TargetDescriptionXmlOverrideOps;
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use lab::diagnostic::{Diagnostic, Result};

use crate::registers::{Description, Row};
use crate::session::{Session, Stopped};
use crate::threads::{Kernel, Thread};
use texts::{memory_map, part};

/// Speaks with one GDB until it goes, or the program ends. Says why a program failed by `tell`.
///
/// # Errors
/// If the target shows no registers, or the connection breaks.
pub fn serve(
    session: Session,
    connection: TcpStream,
    tell: impl FnMut(&str) + 'static,
) -> Result<Option<u8>> {
    let broken =
        |error: &dyn std::fmt::Display| Diagnostic::mistake(format!("the connection to GDB: {error}"));
    connection.set_nodelay(true).map_err(|error| broken(&error))?;
    let mut served = Served::new(session, Box::new(tell))?;
    served.attach();
    let reason = GdbStub::new(connection).run_blocking::<Loop>(&mut served);
    match reason {
        Ok(DisconnectReason::TargetExited(code)) => Ok(Some(code)),
        Ok(_) => Ok(None),
        // Whoever goes without a word, as a killed GDB does, is gone.
        Err(error) if error.is_connection_error() => Ok(None),
        Err(error) => Err(broken(&error)),
    }
}

/// What is to be done next.
#[derive(Clone, Copy)]
enum Wanted {
    On,
    Step,
    StepIn(u32, u32),
    Back,
    StepBack,
}

struct Served {
    session: Session,
    description: Description,
    kernel: Kernel,
    /// The keys of all threads that there ever were: the place of one, from 1, is its number for GDB.
    numbered: Vec<u32>,
    /// What they were called when GDB asked for them last, by their places.
    names: Vec<String>,
    xml: String,
    map: String,
    wanted: Wanted,
    tell: Box<dyn FnMut(&str)>,
}

impl Served {
    fn new(mut session: Session, tell: Box<dyn FnMut(&str)>) -> Result<Served> {
        let board = session.target().board().clone();
        let refused =
            |error: machine::TargetError| Diagnostic::mistake(error.to_string()).maybe_help(error.help);
        let registers = session.target().registers().map_err(refused)?;
        let description = Description::of(&board, &*registers);
        drop(registers);
        let board = board.for_image(session.target().image()).unwrap_or(board);
        let kernel = Kernel::of(session.target().image());
        Ok(Served {
            session,
            kernel,
            numbered: Vec::new(),
            names: Vec::new(),
            xml: description.xml(),
            description,
            map: memory_map(&board),
            wanted: Wanted::On,
            tell,
        })
    }

    /// Switches the cycle counter of an ARMv7-M core on, if the program is at reset: whoever comes to read it need not wait for the
    /// program to do that.
    fn attach(&mut self) {
        const DEMCR: u32 = 0xe000_edfc;
        const DWT_CTRL: u32 = 0xe000_1000;
        let arm = self.session.target().board().core().architecture() == machine::Architecture::Arm;
        if !arm || self.session.cycle() != 0 && self.session.target().instructions() != 0 {
            return;
        }
        if let Ok(mut memory) = self.session.target().memory() {
            // On ARMv6-M there is no such counter.
            let _ = memory.write(DEMCR, &(1u32 << 24).to_le_bytes())
                && memory.write(DWT_CTRL, &1u32.to_le_bytes());
        }
    }

    /// A register's bytes.
    fn register(&mut self, number: usize) -> Option<Vec<u8>> {
        let row = self.description.rows().nth(number)?;
        let mut bytes = row.get(&*self.session.target().registers().ok()?)?;
        // The program stands at the BKPT that it has passed.
        let is_pc = self.description.rows().nth(number).is_some_and(Row::is_pc);
        if let (true, Some(pc)) = (is_pc, self.session.at_instruction) {
            bytes = pc.to_le_bytes().to_vec();
        }
        Some(bytes)
    }

    fn set_register(&mut self, number: usize, bytes: &[u8]) -> bool {
        if self.register(number).as_deref() == Some(bytes) {
            return true;
        }
        let Some(row) = self.description.rows().nth(number) else {
            return false;
        };
        if row.is_pc() {
            self.session.at_instruction = None;
        }
        let registers = self.session.target().registers();
        registers.is_ok_and(|mut registers| row.set(&mut *registers, bytes))
    }

    /// The threads that there are, with their numbers, the running one first.
    fn threads(&mut self) -> Vec<(Tid, Thread)> {
        let threads = match self.session.target().memory() {
            Ok(memory) => self.kernel.threads(&*memory),
            Err(_) => Kernel::default().threads(&Nothing),
        };
        let number = |thread: Thread| {
            let place = self.numbered.iter().position(|&key| key == thread.key);
            let place = place.unwrap_or_else(|| {
                self.numbered.push(thread.key);
                self.names.push(String::new());
                self.numbered.len() - 1
            });
            self.names[place].clone_from(&thread.name);
            (Tid::MIN.saturating_add(place), thread)
        };
        threads.into_iter().map(number).collect()
    }

    /// The one that runs.
    fn running(&mut self) -> Tid {
        self.threads().first().map_or(Tid::MIN, |&(number, _)| number)
    }

    /// A thread that does not run; `None` if it does, or there is none of this number any more, so that the core's registers are meant.
    fn waiting(&mut self, number: Tid) -> Option<Thread> {
        let mut threads = self.threads().into_iter();
        let (_, thread) = threads.find(|&(known, _)| known == number)?;
        thread.saved.is_some().then_some(thread)
    }

    /// A register's bytes, of a thread.
    fn register_of(&mut self, number: usize, thread: Option<&Thread>) -> Option<Vec<u8>> {
        match thread.and_then(|thread| thread.saved.as_ref()) {
            Some(saved) => self.description.rows().nth(number)?.get(saved),
            None => self.register(number),
        }
    }

    fn reason(&mut self, stopped: Stopped) -> MultiThreadStopReason<u32> {
        if let Some(failure) = self.session.take_failure() {
            (self.tell)(&failure);
        }
        let tid = self.running();
        let told = |signal| MultiThreadStopReason::SignalWithThread { tid, signal };
        match stopped {
            Stopped::Stepped | Stopped::Instruction => told(Signal::SIGTRAP),
            Stopped::Breakpoint => MultiThreadStopReason::HwBreak(tid),
            Stopped::Watched(watched, addr) => MultiThreadStopReason::Watch {
                tid,
                kind: match (watched.reads, watched.writes) {
                    (true, true) => WatchKind::ReadWrite,
                    (true, false) => WatchKind::Read,
                    _ => WatchKind::Write,
                },
                addr,
            },
            Stopped::AtBeginning => MultiThreadStopReason::ReplayLog {
                tid: Some(tid),
                pos: ReplayLogPosition::Begin,
            },
            Stopped::Exited(code) => MultiThreadStopReason::Exited(u8::try_from(code).unwrap_or(u8::MAX)),
            Stopped::Failed => told(Signal::SIGSEGV),
            Stopped::NotModelled => told(Signal::SIGILL),
        }
    }
}

/// Memory of a target that shows none.
struct Nothing;

impl machine::target::Memory for Nothing {
    fn read(&self, _: u32, _: &mut [u8]) -> bool {
        false
    }

    fn write(&mut self, _: u32, _: &[u8]) -> bool {
        false
    }
}

enum Loop {}

impl BlockingEventLoop for Loop {
    type Target = Served;
    type Connection = TcpStream;
    type StopReason = MultiThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Served,
        connection: &mut TcpStream,
    ) -> std::result::Result<
        Event<Self::StopReason>,
        WaitForStopReasonError<machine::TargetError, std::io::Error>,
    > {
        let mut interrupted = false;
        let mut asked = || {
            interrupted |= matches!(connection.peek(), Ok(Some(_)) | Err(_));
            interrupted
        };
        let session = &mut target.session;
        let stopped = match target.wanted {
            Wanted::On => session.go_on(&mut asked),
            Wanted::Step => session.step(),
            Wanted::StepIn(from, to) => session.step_in(from..to, &mut asked),
            Wanted::Back => session.go_back(&mut asked),
            Wanted::StepBack => session.step_back(),
        };
        let stopped = stopped.map_err(WaitForStopReasonError::Target)?;
        if interrupted && stopped == Stopped::Stepped {
            let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
            return Ok(Event::IncomingData(byte));
        }
        Ok(Event::TargetStopped(target.reason(stopped)))
    }

    fn on_interrupt(
        target: &mut Served,
    ) -> std::result::Result<Option<Self::StopReason>, machine::TargetError> {
        let (tid, signal) = (target.running(), Signal::SIGINT);
        Ok(Some(MultiThreadStopReason::SignalWithThread { tid, signal }))
    }
}

/// Words of 32 bits; which registers there are says the target.
enum Arch32 {}

impl Arch for Arch32 {
    type Usize = u32;
    type Registers = Bytes;
    type BreakpointKind = usize;
    type RegId = Number;
}

/// The registers of a packet; `None` is a byte that is not known.
#[derive(Clone, PartialEq, Default, Debug)]
struct Bytes(Vec<Option<u8>>);

impl ArchRegisters for Bytes {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        0
    }

    fn gdb_serialize(&self, write: impl FnMut(Option<u8>)) {
        self.0.iter().copied().for_each(write);
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> std::result::Result<(), ()> {
        self.0 = bytes.iter().copied().map(Some).collect();
        Ok(())
    }
}

/// The number of a register.
#[derive(Debug)]
struct Number(usize);

impl RegId for Number {
    fn from_raw_id(id: usize) -> Option<(Self, Option<std::num::NonZeroUsize>)> {
        Some((Number(id), None))
    }
}

impl Target for Served {
    type Arch = Arch32;
    type Error = machine::TargetError;

    fn base_ops(&mut self) -> BaseOps<'_, Arch32, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_flash_operations(&mut self) -> Option<FlashOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Served {
    fn read_registers(&mut self, registers: &mut Bytes, tid: Tid) -> TargetResult<(), Self> {
        let thread = self.waiting(tid);
        let sizes: Vec<usize> = self.description.rows().map(Row::size).collect();
        registers.0.clear();
        for (number, size) in sizes.into_iter().enumerate() {
            match self.register_of(number, thread.as_ref()) {
                Some(bytes) => registers.0.extend(bytes.into_iter().map(Some)),
                None => registers.0.extend(vec![None; size]),
            }
        }
        Ok(())
    }

    fn write_registers(&mut self, registers: &Bytes, tid: Tid) -> TargetResult<(), Self> {
        if self.waiting(tid).is_some() {
            return Err(TargetError::NonFatal);
        }
        let sizes: Vec<usize> = self.description.rows().map(Row::size).collect();
        let mut bytes = registers.0.iter().copied().flatten();
        for (number, size) in sizes.into_iter().enumerate() {
            let value: Vec<u8> = bytes.by_ref().take(size).collect();
            if value.len() == size && !self.set_register(number, &value) {
                return Err(TargetError::NonFatal);
            }
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        let memory = self.session.target().memory().map_err(TargetError::Fatal)?;
        if memory.read(start, data) {
            return Ok(data.len());
        }
        // As far as there is something.
        let mut done = 0;
        while done < data.len() && memory.read(start.wrapping_add(done as u32), &mut data[done..=done]) {
            done += 1;
        }
        if done == 0 {
            Err(TargetError::NonFatal)
        } else {
            Ok(done)
        }
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        let mut memory = self.session.target().memory().map_err(TargetError::Fatal)?;
        if memory.write(start, data) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }

    fn list_active_threads(
        &mut self,
        thread_is_active: &mut dyn FnMut(Tid),
    ) -> std::result::Result<(), Self::Error> {
        let threads = self.threads();
        for &(number, _) in &threads {
            thread_is_active(number);
        }
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl ThreadExtraInfo for Served {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> std::result::Result<usize, Self::Error> {
        let name = self.names.get(tid.get() - 1).map_or("", String::as_str);
        Ok(part(name, 0, name.len(), buf))
    }
}

impl SingleRegisterAccess<Tid> for Served {
    fn read_register(&mut self, tid: Tid, id: Number, into: &mut [u8]) -> TargetResult<usize, Self> {
        let thread = self.waiting(tid);
        let bytes = self.register_of(id.0, thread.as_ref());
        let bytes = bytes.ok_or(TargetError::NonFatal)?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(&mut self, tid: Tid, id: Number, value: &[u8]) -> TargetResult<(), Self> {
        if self.waiting(tid).is_none() && self.set_register(id.0, value) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }
}

/// There is one core: whichever thread GDB names, the program goes on.
impl MultiThreadResume for Served {
    fn resume(&mut self) -> std::result::Result<(), Self::Error> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::On;
        Ok(())
    }

    fn set_resume_action_continue(
        &mut self,
        _: Tid,
        _: Option<Signal>,
    ) -> std::result::Result<(), Self::Error> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }
}

/// Who asks for one thread alone gets the program all the same: it is not the debugger that schedules.
impl MultiThreadSchedulerLocking for Served {
    fn set_resume_action_scheduler_lock(&mut self) -> std::result::Result<(), Self::Error> {
        Ok(())
    }
}

impl MultiThreadSingleStep for Served {
    fn set_resume_action_step(&mut self, _: Tid, _: Option<Signal>) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::Step;
        Ok(())
    }
}

impl MultiThreadRangeStepping for Served {
    fn set_resume_action_range_step(
        &mut self,
        _: Tid,
        start: u32,
        end: u32,
    ) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::StepIn(start, end);
        Ok(())
    }
}

impl ReverseStep<Tid> for Served {
    fn reverse_step(&mut self, _: Tid) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::StepBack;
        Ok(())
    }
}

impl ReverseCont<Tid> for Served {
    fn reverse_cont(&mut self) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::Back;
        Ok(())
    }
}

impl MonitorCmd for Served {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> std::result::Result<(), Self::Error> {
        let answer = self.session.monitor(&String::from_utf8_lossy(command))?;
        out.write_raw(answer.as_bytes());
        Ok(())
    }
}
