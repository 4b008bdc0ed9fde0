//! Our cores against Unicorn (QEMU's translator as a library), instruction by instruction.
//!
//! A [`Program`] is a sequence of groups: one random instruction, or an IT block. Each group brings a patch that is
//! applied on both sides before it: random registers and flags, and whatever makes its instructions meaningful, such as
//! a base register that points into RAM, or a branch's target in a register or in memory. So every instruction meets
//! interesting operands, and an error is found at the instruction that made it, not where it shows.
//!
//! The [`Oracle`] runs first and records the state before each instruction, and its stores; the [`Subject`] follows,
//! and [`compare`] holds the one against the other after every step. Where a fault ends a run, both start anew at the next
//! group.
//!
//! A [`Standalone`] program needs no patches. With it the engine is compared with itself: however a run is cut, and whoever
//! listens, it must come to the same end in the same cycle.
//!
//! Where Unicorn is known to be wrong, or both are right, [`known`] says so: one entry for each case.

mod access;
mod compare;
mod encode;
pub mod known;
mod oracle;
mod patch;
mod program;
mod standalone;
mod state;
mod stimulus;
mod subject;
mod target;

pub use compare::{Mismatch, Statistics, compare, load};
pub use encode::comparable;
pub use oracle::{Ending, Oracle};
pub use program::{Group, Program};
pub use standalone::{CONTROL, CONTROL_SIZE, Length, Standalone};
pub use state::{State, Stopped};
pub use subject::Subject;
pub use target::Target;

/// Where programs lie; [`CODE_SIZE`] bytes.
pub const CODE: u32 = 0x0800_0000;
/// Length of the memory for code.
pub const CODE_SIZE: u32 = 0x1_0000;
/// Where the first group of a program lies: literals may lie before it.
pub const FIRST: u32 = CODE + 0x2000;
/// RAM; [`DATA_SIZE`] bytes.
pub const DATA: u32 = 0x2000_0000;
/// Length of RAM.
pub const DATA_SIZE: u32 = 0x1_0000;
/// The instruction CLREX, which lies at [`CODE`].
const CLREX: [u8; 4] = [0xbf, 0xf3, 0x2f, 0x8f];

/// A row of the tally that `docs/reliability.md` keeps: programs, instructions, and how many of the programs differ. It goes to the
/// folder that `RANDOM_TALLY` names.
///
/// # Panics
/// If there is no such folder.
pub fn tell(oracle: &str, core: &str, seed: u64, [programs, instructions, differing]: [u64; 3]) {
    let row = format!("| {oracle} | `{core}` | {seed} | {programs} | {instructions} | {differing} |\n");
    print!("{row}");
    if let Some(folder) = std::env::var_os("RANDOM_TALLY") {
        let name = format!("{}-{core}-{seed}.txt", oracle.replace(' ', "-"));
        std::fs::write(std::path::Path::new(&folder).join(name), row).expect("the folder is there");
    }
}
