//! The semihosting operations by number, and access to the program's memory.

use super::LONGEST;
use crate::processor::Processor;

/// A supported operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Call {
    Open,
    Close,
    WriteC,
    Write0,
    Write,
    Read,
    ReadC,
    IsError,
    IsTty,
    Seek,
    Flen,
    TmpNam,
    Remove,
    Rename,
    Clock,
    Time,
    Errno,
    GetCmdline,
    HeapInfo,
    Exit,
    ExitExtended,
    Elapsed,
    TickFreq,
}

/// All operations of the specification: number, name, and handler.
const CALLS: [(u32, &str, Option<Call>); 24] = [
    (0x01, "SYS_OPEN", Some(Call::Open)),
    (0x02, "SYS_CLOSE", Some(Call::Close)),
    (0x03, "SYS_WRITEC", Some(Call::WriteC)),
    (0x04, "SYS_WRITE0", Some(Call::Write0)),
    (0x05, "SYS_WRITE", Some(Call::Write)),
    (0x06, "SYS_READ", Some(Call::Read)),
    (0x07, "SYS_READC", Some(Call::ReadC)),
    (0x08, "SYS_ISERROR", Some(Call::IsError)),
    (0x09, "SYS_ISTTY", Some(Call::IsTty)),
    (0x0a, "SYS_SEEK", Some(Call::Seek)),
    (0x0c, "SYS_FLEN", Some(Call::Flen)),
    (0x0d, "SYS_TMPNAM", Some(Call::TmpNam)),
    (0x0e, "SYS_REMOVE", Some(Call::Remove)),
    (0x0f, "SYS_RENAME", Some(Call::Rename)),
    (0x10, "SYS_CLOCK", Some(Call::Clock)),
    (0x11, "SYS_TIME", Some(Call::Time)),
    (0x12, "SYS_SYSTEM", None),
    (0x13, "SYS_ERRNO", Some(Call::Errno)),
    (0x15, "SYS_GET_CMDLINE", Some(Call::GetCmdline)),
    (0x16, "SYS_HEAPINFO", Some(Call::HeapInfo)),
    (0x18, "SYS_EXIT", Some(Call::Exit)),
    (0x20, "SYS_EXIT_EXTENDED", Some(Call::ExitExtended)),
    (0x30, "SYS_ELAPSED", Some(Call::Elapsed)),
    (0x31, "SYS_TICKFREQ", Some(Call::TickFreq)),
];

/// The name of an operation.
pub(super) fn name(number: u32) -> &'static str {
    let known = CALLS.iter().find(|&&(known, _, _)| known == number);
    known.map_or("which the specification does not define", |&(_, name, _)| name)
}

impl Call {
    pub(super) fn from_number(number: u32) -> Option<Call> {
        CALLS
            .iter()
            .find(|&&(known, _, _)| known == number)
            .and_then(|&(_, _, call)| call)
    }
}

/// The host's view of a program's memory.
pub(super) struct Guest<'a>(pub(super) &'a mut dyn Processor);

impl Guest<'_> {
    pub(super) fn word(&self, address: u32) -> Result<u32, String> {
        self.0.bus().peek_word(address).ok_or_else(|| no_memory(address))
    }

    pub(super) fn bytes(&self, address: u32, length: u32) -> Result<Vec<u8>, String> {
        if length > LONGEST {
            return Err(format!("a block of {length} bytes at {address:#010x}"));
        }
        let mut bytes = vec![0; length as usize];
        if self.0.bus().peek(address, &mut bytes) {
            Ok(bytes)
        } else {
            Err(no_memory(address))
        }
    }

    /// Reads bytes up to the next zero.
    pub(super) fn text(&self, address: u32) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        while text.len() < LONGEST as usize {
            match self.bytes(address.wrapping_add(text.len() as u32), 1)?[0] {
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
        Err(format!("a text at {address:#010x} without an end"))
    }

    pub(super) fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), String> {
        if self.0.write_memory(address, bytes) {
            Ok(())
        } else {
            Err(no_memory(address))
        }
    }
}

fn no_memory(address: u32) -> String {
    format!("its argument at {address:#010x} is not in memory that can be used so")
}
