//! Cases that the differential test cannot judge: faults and suppressed effects, exceptions, privilege, special registers, alignment, the
//! exclusive monitor, and unpredictable instructions. That test compares all other semantics with another implementation.

mod armv6m;
mod branch;
mod dsp;
mod fault;
mod float;
mod it;
mod memory;
mod system;

use super::Effect;
use crate::core::Core;
use crate::fault::NotModelled;
use crate::testing::{RAM, core};

/// The address of the tests' code.
const CODE: u32 = 0x1000;
/// A place in RAM that is far from the stack.
const DATA: u32 = RAM + 0x100;

/// A core that stands before these halfwords.
fn at(code: &[u16]) -> Core {
    before(core(), code)
}

/// A core that is about to execute these halfwords.
fn before(mut core: Core, code: &[u16]) -> Core {
    put_code(&mut core, code);
    core.regs.r[13] = RAM + 0x800;
    core.regs.r[15] = CODE;
    core
}

fn put_code(core: &mut Core, code: &[u16]) {
    let bytes: Vec<u8> = code.iter().flat_map(|halfword| halfword.to_le_bytes()).collect();
    assert!(core.bus.load(CODE, &bytes));
}

/// A core in an exception handler before these halfwords.
fn in_handler(code: &[u16]) -> Core {
    let mut core = at(code);
    core.regs.ipsr = 16;
    core
}

/// The core after these instructions, each of which must be executed.
fn executed(mut core: Core, instructions: usize) -> Core {
    for _ in 0..instructions {
        assert_eq!(core.execute_alone(), Effect::Done, "at {:#x}", core.regs.r[15]);
    }
    core
}

fn word(core: &Core, address: u32) -> u32 {
    core.bus.peek_word(address).expect("memory")
}

fn unpredictable(effect: &Effect) -> Option<&'static str> {
    match effect {
        Effect::NotModelled(what) => match **what {
            NotModelled::Unpredictable { why, .. } => Some(why),
            _ => None,
        },
        _ => None,
    }
}
