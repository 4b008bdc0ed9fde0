//! Compares our cores with Unicorn (QEMU's translator as a library), instruction by instruction.
//!
//! A [`Program`] is a sequence of groups: one random instruction, or an IT block. Before each group, both sides apply its patch: random
//! registers and flags, and whatever makes its instructions meaningful, such as a base register that points into RAM, or a branch target
//! in a register or in memory. So every instruction has interesting operands, and an error is found at the instruction that caused it.
//!
//! The [`Oracle`] runs first and records the state before each instruction, and its stores. The [`Subject`] follows, and [`compare`]
//! checks it against the record after every step. After a fault, both sides restart at the next group.
//!
//! A [`Standalone`] program needs no patches. It compares the engine with itself: it must end in the same state and cycle however a run
//! is cut, and whoever listens.
//!
//! [`known`] lists the cases in which Unicorn is wrong or both sides are right.

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

/// Start of the code memory, which has [`CODE_SIZE`] bytes.
pub const CODE: u32 = 0x0800_0000;
/// Length of the code memory in bytes.
pub const CODE_SIZE: u32 = 0x1_0000;
/// Address of a program's first group; literals may be before it.
pub const FIRST: u32 = CODE + 0x2000;
/// Start of RAM, which has [`DATA_SIZE`] bytes.
pub const DATA: u32 = 0x2000_0000;
/// Length of RAM in bytes.
pub const DATA_SIZE: u32 = 0x1_0000;
/// The instruction CLREX, stored at [`CODE`].
const CLREX: [u8; 4] = [0xbf, 0xf3, 0x2f, 0x8f];

/// Prints a row of the tally that `docs/reliability.md` keeps: programs, instructions, and differing programs. If `RANDOM_TALLY` names a
/// folder, the row is also written to a file there.
///
/// # Panics
/// If the folder does not exist.
pub fn tell(oracle: &str, core: &str, seed: u64, [programs, instructions, differing]: [u64; 3]) {
    let row = format!("| {oracle} | `{core}` | {seed} | {programs} | {instructions} | {differing} |\n");
    print!("{row}");
    if let Some(folder) = std::env::var_os("RANDOM_TALLY") {
        let name = format!("{}-{core}-{seed}.txt", oracle.replace(' ', "-"));
        std::fs::write(std::path::Path::new(&folder).join(name), row).expect("the folder is there");
    }
}
