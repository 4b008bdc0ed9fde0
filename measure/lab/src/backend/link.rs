//! The interface to whatever controls a chip.

use std::io;

/// How the program stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It stopped and can continue.
    Stopped,
    /// It exited with this code.
    Exited(u32),
    /// It did not stop in time.
    TimedOut,
}

/// A breakpoint, or a watchpoint for stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Point {
    /// Before the instruction at an address.
    Code(u32),
    /// After a store to this address, of this many bytes.
    Stores(u32, u32),
}

/// A halting debug connection to a Cortex-M. Register numbers are those of DCRSR: 13 is SP, 15 PC.
pub(super) trait Link {
    /// The connection's name in messages.
    fn name(&self) -> String;

    /// Resets the chip and halts it before the first instruction.
    fn reset(&mut self) -> io::Result<()>;

    fn read(&mut self, address: u32, into: &mut [u8]) -> io::Result<()>;

    fn write_word(&mut self, address: u32, word: u32) -> io::Result<()>;

    fn register(&mut self, number: u32) -> io::Result<u32>;

    fn set_register(&mut self, number: u32, value: u32) -> io::Result<()>;

    fn insert(&mut self, point: Point) -> io::Result<()>;

    fn remove(&mut self, point: Point) -> io::Result<()>;

    /// Executes one instruction.
    fn step(&mut self) -> io::Result<Stop>;

    /// Resumes the program until it stops, for ten seconds at most.
    fn go_on(&mut self) -> io::Result<Stop>;

    fn word(&mut self, address: u32) -> io::Result<u32> {
        let mut word = [0; 4];
        self.read(address, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }
}
