//! Semihosting: the program asks its host for a service by `BKPT 0xAB` (Arm, "Semihosting for `AArch32` and `AArch64`"), on
//! RV32 by an EBREAK between `slli x0, x0, 0x1f` and `srai x0, x0, 7` ("RISC-V Semihosting").
//!
//! R0 (a0) holds the operation and R1 (a1) its parameter, mostly the address of a block of words; the answer goes to R0 (a0). Time is
//! simulated, so that every run gives the same answers: clocks start at 0 with the core, and the date at 1970-01-01 or the caller's date.
//! For the same reason the console always is a terminal. An unknown operation stops the run.

mod call;
mod files;

use crate::channel::{Channel, Stamp};
use crate::console::{Console, Stream};
use crate::host::FileAccess;
use crate::processor::Processor;
use files::{FEATURES, Files, Handle, NotOpened, Opened};

use call::{Call, Guest};

/// The result of a request.
pub(crate) enum Reply {
    /// The program continues with this in R0.
    Value(u32),
    /// The program exited with this code.
    Exit(u32),
}

/// The parts of semihosting that a run does not change.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) command_line: String,
    /// The date at reset, in seconds since 1970-01-01.
    pub(crate) date: u64,
    pub(crate) heap: HeapInfo,
}

/// The answer of `SYS_HEAPINFO`: one region, heap upwards and stack downwards.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HeapInfo {
    pub(crate) heap_base: u32,
    pub(crate) heap_limit: u32,
    pub(crate) stack_base: u32,
    pub(crate) stack_limit: u32,
}

/// The semihosting state of a program.
#[derive(Clone, Debug)]
pub(crate) struct Semihosting {
    files: Files,
    errno: u32,
}

/// The answer that reports a failure.
const FAILED: u32 = u32::MAX;

/// Reason of `SYS_EXIT` for a normal exit: `ADP_Stopped_ApplicationExit`.
const APPLICATION_EXIT: u32 = 0x2_0026;

/// The longest text or block of one request, in bytes: more than any of these chips holds.
const LONGEST: u32 = 16 << 20;

impl Semihosting {
    pub(crate) fn new(access: FileAccess) -> Self {
        Semihosting {
            files: Files::new(access),
            errno: 0,
        }
    }

    /// Serves the request in R0 and R1.
    ///
    /// # Errors
    /// A message for a request that cannot be answered.
    pub(crate) fn serve(
        &mut self,
        processor: &mut dyn Processor,
        console: &mut Console,
        environment: &Environment,
    ) -> Result<Reply, String> {
        let (operation, parameter) = processor.request();
        let call = Call::from_number(operation).ok_or_else(|| {
            format!(
                "semihosting operation {operation:#04x}, {}",
                call::name(operation)
            )
        })?;
        let cycle = processor.cycle();
        let mut request = Request {
            state: self,
            guest: Guest(processor),
            console,
            environment,
            parameter,
            cycle,
        };
        let reply = request.serve(call);
        reply.map_err(|what| format!("{}: {what}", call::name(operation)))
    }
}

/// A request being served.
struct Request<'a> {
    state: &'a mut Semihosting,
    guest: Guest<'a>,
    console: &'a mut Console,
    environment: &'a Environment,
    parameter: u32,
    cycle: u64,
}

impl Request<'_> {
    fn serve(&mut self, call: Call) -> Result<Reply, String> {
        let value = match call {
            Call::Open => self.open()?,
            Call::Close => self.close()?,
            Call::WriteC => self.write_c()?,
            Call::Write0 => self.write_0()?,
            Call::Write => self.write()?,
            Call::Read => self.read()?,
            Call::ReadC => self
                .console
                .read(1)
                .first()
                .map_or(FAILED, |&byte| u32::from(byte)),
            Call::IsError => u32::from((self.argument(0)? as i32) < 0),
            Call::IsTty => self.is_tty()?,
            Call::Seek => self.seek()?,
            Call::Flen => self.length()?,
            Call::Remove | Call::Rename | Call::TmpNam => self.fail(files::EPERM),
            Call::Clock => self.ticks(100) as u32,
            Call::Time => self.environment.date.wrapping_add(self.ticks(1)) as u32,
            Call::Errno => self.state.errno,
            Call::GetCmdline => self.command_line()?,
            Call::HeapInfo => self.heap_info()?,
            Call::Elapsed => self.elapsed()?,
            Call::TickFreq => self.guest.0.bus().core_clock(),
            Call::Exit => return Ok(Reply::Exit(u32::from(self.parameter != APPLICATION_EXIT))),
            Call::ExitExtended => return self.exit_extended(),
        };
        Ok(Reply::Value(value))
    }

    fn argument(&self, index: u32) -> Result<u32, String> {
        self.guest.word(self.parameter.wrapping_add(4 * index))
    }

    fn fail(&mut self, errno: u32) -> u32 {
        self.state.errno = errno;
        FAILED
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            cycle: self.cycle,
            nanoseconds: self.guest.0.bus().nanoseconds(self.cycle),
        }
    }

    /// Simulated time in units of `1 / per_second` seconds.
    fn ticks(&self, per_second: u64) -> u64 {
        let nanoseconds = self.guest.0.bus().nanoseconds(self.cycle);
        (u128::from(nanoseconds) * u128::from(per_second) / 1_000_000_000) as u64
    }

    fn open(&mut self) -> Result<u32, String> {
        let (address, mode, length) = (self.argument(0)?, self.argument(1)?, self.argument(2)?);
        let name = self.guest.bytes(address, length)?;
        match self.state.files.open(&String::from_utf8_lossy(&name), mode) {
            Ok(handle) => Ok(handle),
            Err(NotOpened::Errno(errno)) => Ok(self.fail(errno)),
            Err(NotOpened::Unfit(what)) => Err(what),
        }
    }

    fn close(&mut self) -> Result<u32, String> {
        let handle = self.argument(0)?;
        match self.state.files.close(Handle(handle)) {
            Ok(()) => Ok(0),
            Err(errno) => Ok(self.fail(errno)),
        }
    }

    /// Writes to the debugger's console, which is the error output, as in QEMU: standard output is for files that the program opens as
    /// such, and may be binary.
    fn write_c(&mut self) -> Result<u32, String> {
        let byte = self.guest.bytes(self.parameter, 1)?;
        self.console.write(Stream::Error, &byte);
        Ok(self.parameter)
    }

    /// Writes to the same output as [`Request::write_c`].
    fn write_0(&mut self) -> Result<u32, String> {
        let text = self.guest.text(self.parameter)?;
        self.console.write(Stream::Error, &text);
        Ok(self.parameter)
    }

    /// Returns how many bytes were *not* written.
    fn write(&mut self) -> Result<u32, String> {
        let (handle, address, length) = (self.argument(0)?, self.argument(1)?, self.argument(2)?);
        let bytes = self.guest.bytes(address, length)?;
        let at = self.stamp();
        let (written, errno) = match self.state.files.get(Handle(handle)) {
            Some(Opened::Output) => (self.console.put(&Channel::Semihosting, at, &bytes), 0),
            Some(Opened::Error) => (self.console.write(Stream::Error, &bytes), 0),
            Some(Opened::File(file)) => file.write(&bytes),
            Some(Opened::Input | Opened::Features(_)) | None => (0, files::EBADF),
        };
        if errno != 0 {
            self.state.errno = errno;
        }
        Ok(length - written as u32)
    }

    /// Returns how many bytes were *not* read; all of them means the end of the file.
    fn read(&mut self) -> Result<u32, String> {
        let (handle, address, length) = (self.argument(0)?, self.argument(1)?, self.argument(2)?);
        let wanted = length.min(LONGEST) as usize;
        let bytes = match self.state.files.get(Handle(handle)) {
            Some(Opened::Input) => Ok(self.console.read(wanted)),
            Some(Opened::File(file)) => file.read(wanted),
            Some(Opened::Features(position)) => {
                let rest = FEATURES.get(*position..).unwrap_or_default();
                let bytes = rest[..wanted.min(rest.len())].to_vec();
                *position += bytes.len();
                Ok(bytes)
            }
            Some(Opened::Output | Opened::Error) | None => Err(files::EBADF),
        };
        let bytes = bytes.unwrap_or_else(|errno| {
            self.state.errno = errno;
            Vec::new()
        });
        self.guest.write(address, &bytes)?;
        Ok(length - bytes.len() as u32)
    }

    fn is_tty(&mut self) -> Result<u32, String> {
        let handle = self.argument(0)?;
        let answer = self
            .state
            .files
            .get(Handle(handle))
            .map(|opened| u32::from(opened.is_console()));
        Ok(answer.unwrap_or_else(|| self.fail(files::EBADF)))
    }

    fn seek(&mut self) -> Result<u32, String> {
        let (handle, position) = (self.argument(0)?, self.argument(1)?);
        match self.state.files.get(Handle(handle)) {
            Some(Opened::File(file)) => file.position = position.into(),
            Some(Opened::Features(at)) => *at = position as usize,
            _ => return Ok(self.fail(files::EBADF)),
        }
        Ok(0)
    }

    fn length(&mut self) -> Result<u32, String> {
        let handle = self.argument(0)?;
        let length = match self.state.files.get(Handle(handle)) {
            Some(Opened::File(file)) => file.length(),
            Some(Opened::Features(_)) => Ok(FEATURES.len() as u32),
            Some(_) => Ok(0),
            None => Err(files::EBADF),
        };
        Ok(length.unwrap_or_else(|errno| self.fail(errno)))
    }

    /// Fills the program's buffer and returns the text's length.
    fn command_line(&mut self) -> Result<u32, String> {
        let (address, room) = (self.argument(0)?, self.argument(1)?);
        let text = self.environment.command_line.as_bytes();
        if text.len() as u64 + 1 > u64::from(room) {
            return Ok(self.fail(files::ENOMEM));
        }
        let terminated: Vec<u8> = text.iter().copied().chain([0]).collect();
        self.guest.write(address, &terminated)?;
        self.guest
            .write(self.parameter.wrapping_add(4), &(text.len() as u32).to_le_bytes())?;
        Ok(0)
    }

    fn heap_info(&mut self) -> Result<u32, String> {
        let block = self.argument(0)?;
        let heap = self.environment.heap;
        let words = [heap.heap_base, heap.heap_limit, heap.stack_base, heap.stack_limit];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.guest.write(block, &bytes)?;
        Ok(0)
    }

    /// Core clocks since reset, 64 bits; `SYS_TICKFREQ` is the current core clock.
    fn elapsed(&mut self) -> Result<u32, String> {
        self.guest.write(self.parameter, &self.cycle.to_le_bytes())?;
        Ok(0)
    }

    fn exit_extended(&self) -> Result<Reply, String> {
        let (reason, code) = (self.argument(0)?, self.argument(1)?);
        Ok(Reply::Exit(if reason == APPLICATION_EXIT { code } else { 1 }))
    }
}
