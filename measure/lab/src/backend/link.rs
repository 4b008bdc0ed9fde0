//! What a measurement asks of whatever holds a chip.

use std::io;

/// How the program stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It can go on.
    Stopped,
    /// It ended with this exit code.
    Exited(u32),
    /// Nothing was told in time.
    TimedOut,
}

/// A breakpoint, or a watchpoint for stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Point {
    /// Before the instruction at an address.
    Code(u32),
    /// Behind a store to so many bytes.
    Stores(u32, u32),
}

/// A Cortex-M whose program goes and stops. Registers have the numbers of DCRSR: 13 is SP, 15 PC.
pub(super) trait Link {
    /// What it is, in messages.
    fn name(&self) -> String;

    /// Resets the chip, whose program stands before its first instruction.
    fn reset(&mut self) -> io::Result<()>;

    fn read(&mut self, address: u32, into: &mut [u8]) -> io::Result<()>;

    fn write_word(&mut self, address: u32, word: u32) -> io::Result<()>;

    fn register(&mut self, number: u32) -> io::Result<u32>;

    fn set_register(&mut self, number: u32, value: u32) -> io::Result<()>;

    fn insert(&mut self, point: Point) -> io::Result<()>;

    fn remove(&mut self, point: Point) -> io::Result<()>;

    /// One instruction.
    fn step(&mut self) -> io::Result<Stop>;

    /// Lets the program go on until it stops, for ten seconds at most.
    fn go_on(&mut self) -> io::Result<Stop>;

    fn word(&mut self, address: u32) -> io::Result<u32> {
        let mut word = [0; 4];
        self.read(address, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }
}
