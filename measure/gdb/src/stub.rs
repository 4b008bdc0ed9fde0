//! GDB's remote protocol.

use std::fmt::Write as _;
use std::net::TcpStream;

use gdbstub::arch::{Arch, RegId, Registers as ArchRegisters};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadRangeStepping, SingleThreadRangeSteppingOps, SingleThreadResume,
    SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::flash::{Flash, FlashOps};
use gdbstub::target::ext::memory_map::{MemoryMap, MemoryMapOps};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use lab::diagnostic::{Diagnostic, Result};
use machine::board::MemoryKind;

use crate::registers::{Description, Row};
use crate::session::{Session, Stopped};
use crate::stops::Watched;

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

/// The most bytes of flash that are erased at once.
const MOST_FLASH: u32 = 64 << 20;

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
        Ok(Served {
            session,
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

    fn reason(&mut self, stopped: Stopped) -> SingleThreadStopReason<u32> {
        if let Some(failure) = self.session.take_failure() {
            (self.tell)(&failure);
        }
        match stopped {
            Stopped::Stepped => SingleThreadStopReason::DoneStep,
            Stopped::Breakpoint => SingleThreadStopReason::HwBreak(()),
            Stopped::Instruction => SingleThreadStopReason::Signal(Signal::SIGTRAP),
            Stopped::Watched(watched, addr) => SingleThreadStopReason::Watch {
                tid: (),
                kind: match (watched.reads, watched.writes) {
                    (true, true) => WatchKind::ReadWrite,
                    (true, false) => WatchKind::Read,
                    _ => WatchKind::Write,
                },
                addr,
            },
            Stopped::AtBeginning => SingleThreadStopReason::ReplayLog {
                tid: Some(()),
                pos: ReplayLogPosition::Begin,
            },
            Stopped::Exited(code) => SingleThreadStopReason::Exited(u8::try_from(code).unwrap_or(u8::MAX)),
            Stopped::Failed => SingleThreadStopReason::Signal(Signal::SIGSEGV),
            Stopped::NotModelled => SingleThreadStopReason::Signal(Signal::SIGILL),
        }
    }
}

enum Loop {}

impl BlockingEventLoop for Loop {
    type Target = Served;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u32>;

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
            Wanted::Back => session.go_back(),
            Wanted::StepBack => session.step_back(),
        };
        let stopped = stopped.map_err(WaitForStopReasonError::Target)?;
        if interrupted && stopped == Stopped::Stepped {
            let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
            return Ok(Event::IncomingData(byte));
        }
        Ok(Event::TargetStopped(target.reason(stopped)))
    }

    fn on_interrupt(_: &mut Served) -> std::result::Result<Option<Self::StopReason>, machine::TargetError> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

/// The memories of a board; everything between them may be looked at, too.
fn memory_map(board: &machine::Board) -> String {
    let mut map = String::from("<?xml version=\"1.0\"?><memory-map>");
    let mut roms: Vec<_> = board
        .memories()
        .iter()
        .filter(|memory| memory.kind == MemoryKind::Rom)
        .collect();
    roms.sort_by_key(|memory| memory.base);
    let mut at = 0u64;
    // Writing to a string cannot fail.
    let between = |map: &mut String, from: u64, to: u64| {
        if to > from {
            let _ = write!(
                map,
                "<memory type=\"ram\" start=\"{from:#x}\" length=\"{:#x}\"/>",
                to - from
            );
        }
    };
    for rom in roms {
        between(&mut map, at, u64::from(rom.base));
        let (base, size) = (rom.base, rom.size);
        let property = "<property name=\"blocksize\">0x400</property>";
        let _ = write!(
            map,
            "<memory type=\"flash\" start=\"{base:#x}\" length=\"{size:#x}\">{property}</memory>"
        );
        at = u64::from(base) + u64::from(size);
    }
    between(&mut map, at, 1 << 32);
    map + "</memory-map>"
}

/// The part of a text that was asked for.
fn part(text: &str, offset: u64, length: usize, into: &mut [u8]) -> usize {
    let rest = text.as_bytes().get(offset as usize..).unwrap_or_default();
    let length = rest.len().min(length).min(into.len());
    into[..length].copy_from_slice(&rest[..length]);
    length
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
        BaseOps::SingleThread(self)
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

impl SingleThreadBase for Served {
    fn read_registers(&mut self, registers: &mut Bytes) -> TargetResult<(), Self> {
        let sizes: Vec<usize> = self.description.rows().map(Row::size).collect();
        registers.0.clear();
        for (number, size) in sizes.into_iter().enumerate() {
            match self.register(number) {
                Some(bytes) => registers.0.extend(bytes.into_iter().map(Some)),
                None => registers.0.extend(vec![None; size]),
            }
        }
        Ok(())
    }

    fn write_registers(&mut self, registers: &Bytes) -> TargetResult<(), Self> {
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

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
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

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        let mut memory = self.session.target().memory().map_err(TargetError::Fatal)?;
        if memory.write(start, data) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for Served {
    fn read_register(&mut self, (): (), id: Number, into: &mut [u8]) -> TargetResult<usize, Self> {
        let bytes = self.register(id.0).ok_or(TargetError::NonFatal)?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(&mut self, (): (), id: Number, value: &[u8]) -> TargetResult<(), Self> {
        if self.set_register(id.0, value) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }
}

impl SingleThreadResume for Served {
    fn resume(&mut self, _: Option<Signal>) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::On;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Served {
    fn step(&mut self, _: Option<Signal>) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::Step;
        Ok(())
    }
}

impl SingleThreadRangeStepping for Served {
    fn resume_range_step(&mut self, start: u32, end: u32) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::StepIn(start, end);
        Ok(())
    }
}

impl ReverseStep<()> for Served {
    fn reverse_step(&mut self, (): ()) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::StepBack;
        Ok(())
    }
}

impl ReverseCont<()> for Served {
    fn reverse_cont(&mut self) -> std::result::Result<(), Self::Error> {
        self.wanted = Wanted::Back;
        Ok(())
    }
}

impl Breakpoints for Served {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Served {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.session.add_breakpoint(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.session.remove_breakpoint(address))
    }
}

impl HwBreakpoint for Served {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.session.add_breakpoint(address);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.session.remove_breakpoint(address))
    }
}

fn watched(address: u32, size: u32, kind: WatchKind) -> Watched {
    Watched {
        address,
        size,
        writes: kind != WatchKind::Read,
        reads: kind != WatchKind::Write,
    }
}

impl HwWatchpoint for Served {
    fn add_hw_watchpoint(&mut self, address: u32, size: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.session.add_watched(watched(address, size, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: u32, size: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        Ok(self.session.remove_watched(watched(address, size, kind)))
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

impl TargetDescriptionXmlOverride for Served {
    fn target_description_xml(
        &self,
        _: &[u8],
        offset: u64,
        length: usize,
        into: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(part(&self.xml, offset, length, into))
    }
}

impl MemoryMap for Served {
    fn memory_map_xml(&self, offset: u64, length: usize, into: &mut [u8]) -> TargetResult<usize, Self> {
        Ok(part(&self.map, offset, length, into))
    }
}

impl Flash for Served {
    fn flash_erase(&mut self, start: u32, length: u32) -> TargetResult<(), Self> {
        // More than any of these chips has would only take memory.
        if length > MOST_FLASH {
            return Err(TargetError::NonFatal);
        }
        self.program(start, &vec![0xff; length as usize])
    }

    fn flash_write(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        self.program(start, data)
    }

    fn flash_done(&mut self) -> TargetResult<(), Self> {
        Ok(())
    }
}

impl Served {
    fn program(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        let mut memory = self.session.target().memory().map_err(TargetError::Fatal)?;
        if memory.program(start, data) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }
}
