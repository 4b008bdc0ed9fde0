//! The stacked return address of each fault, with and without escalation (ARMv7-M ARM B1.5.6, `ReturnAddress`).
//!
//! QEMU 7.2 stacks the same for SVC, UDF and BKPT on its boards `microbit` (Cortex-M0), `mps2-an385` (M3) and `mps2-an386` (M4).

use super::armv6m::config_of;
use super::running::load;
use crate::config::Config;
use crate::core::Core;
use crate::cores::CoreKind;
use crate::testing::{BROKEN, RAM, at, config, core_as, handler, put};
use crate::timing::Model;

const CODE: u32 = 0x1000;
const FOREVER: u16 = 0xe7fe;

/// An instruction that faults.
struct Case {
    name: &'static str,
    code: &'static [u16],
    /// The value of R1 before the fault.
    r1: u32,
    /// Its exception on ARMv7-M, if that can be taken; elsewhere it is HardFault.
    own: u16,
    /// The stacked return address.
    stacked: u32,
    /// Whether ARMv6-M has it.
    small: bool,
}

const fn case(name: &'static str, code: &'static [u16], r1: u32, own: u16, stacked: u32) -> Case {
    Case {
        name,
        code,
        r1,
        own,
        stacked,
        small: true,
    }
}

const CASES: [Case; 9] = [
    case("svc 0", &[0xdf00], 0, 11, CODE + 2),
    case("udf #0", &[0xde00], 0, 6, CODE),
    case("bkpt 0", &[0xbe00], 0, 3, CODE),
    case("ldr r0, [r1], unaligned", &[0x6808], RAM + 1, 6, CODE),
    case("ldr r0, [r1], bus error", &[0x6808], BROKEN, 5, CODE),
    case("bx r1, to Arm code", &[0x4708], 0x2000, 6, 0x2000),
    case(
        "bx r1, to where nothing may execute",
        &[0x4708],
        0x4000_0001,
        4,
        0x4000_0000,
    ),
    Case {
        small: false,
        ..case("sdiv r0, r0, r0, by zero", &[0xfb90, 0xf0f0], 0, 6, CODE)
    },
    Case {
        small: false,
        ..case("mcr p0, without a coprocessor", &[0xee00, 0x0010], 0, 6, CODE)
    },
];

fn core_of(kind: CoreKind) -> Core {
    let core = match kind {
        kind if !kind.isa.is_v7() => config_of(kind),
        _ => Config {
            core: kind,
            model: Model::of(kind),
            ..config()
        },
    };
    let mut core = core_as(core);
    for number in 2..16 {
        load(&mut core, handler(number), &[FOREVER]);
    }
    if kind.isa.is_v7() {
        // UNALIGN_TRP and DIV_0_TRP.
        core.sys.scb.ccr |= 3 << 3;
    }
    core
}

/// Each fault in three situations: enabled, not enabled, masked by PRIMASK.
#[test]
fn each_fault_stacks_where_it_goes_on() {
    for kind in CoreKind::ALL {
        let small = !kind.isa.is_v7();
        for case in CASES.iter().filter(|case| case.small || !small) {
            for (enabled, primask) in [(true, false), (false, false), (true, true)] {
                let mut core = core_of(kind);
                if enabled && !small {
                    put(&mut core, at::SHCSR, 7 << 16);
                }
                load(&mut core, CODE, case.code);
                load(&mut core, CODE + 2 * case.code.len() as u32, &[FOREVER]);
                (core.regs.r[15], core.regs.r[0], core.regs.r[1]) = (CODE, 0, case.r1);
                core.regs.primask = primask;
                core.run(200, &mut events::Silent);
                let own = !primask
                    && if small {
                        case.own == 11
                    } else {
                        enabled || case.own == 11
                    };
                let stacked = core.bus.peek_word(core.regs.r[13] + 24);
                assert_eq!(
                    (core.regs.ipsr, stacked),
                    (if own { case.own } else { 3 }, Some(case.stacked)),
                    "{} on {kind:?}, enabled: {enabled}, PRIMASK: {primask}",
                    case.name
                );
            }
        }
    }
}
