//! Parts of ARMv7-M's instruction set that ARMv6-M lacks or changes.

use super::*;
use crate::cores::CoreKind;
use crate::fault::Fault;
use crate::regs::Flags;
use crate::testing::{config, core_as};
use crate::timing::Model;

fn m0(code: &[u16]) -> Core {
    let core = core_as(crate::Config {
        core: CoreKind::CORTEX_M0PLUS,
        model: Model::of(CoreKind::CORTEX_M0PLUS),
        priority_bits: 2,
        irqs: 32,
        bit_band: false,
        ..config()
    });
    before(core, code)
}

#[test]
fn every_unaligned_access_faults() {
    let codes = [
        (0x681a, 1), // ldr r2, [r3]
        (0x601a, 2), // str r2, [r3]
        (0x881a, 1), // ldrh r2, [r3]
        (0x801a, 1), // strh r2, [r3]
        (0x5f1a, 1), // ldrsh r2, [r3, r4]
        (0xcb04, 2), // ldmia r3!, {r2}
        (0xc304, 2), // stmia r3!, {r2}
    ];
    for (code, offset) in codes {
        let mut core = m0(&[code]);
        core.regs.r[3] = DATA + offset;
        let before = core.regs.r;
        let fault = Effect::Fault(Fault::Unaligned(DATA + offset));
        assert_eq!(core.execute_alone(), fault, "{code:x}");
        assert_eq!(core.regs.r, before, "{code:x}");
    }
}

#[test]
fn what_came_with_armv7m_is_undefined() {
    let codes: [&[u16]; 9] = [
        &[0xb100],         // cbz r0
        &[0xbf08],         // it eq
        &[0xf240, 0x0000], // movw r0, #0
        &[0xf8d3, 0x2000], // ldr.w r2, [r3]
        &[0xfbb1, 0xf0f2], // udiv r0, r1, r2
        &[0xe853, 0x2f00], // ldrex r2, [r3]
        &[0xf3bf, 0x8f2f], // clrex
        &[0xf3af, 0x8000], // nop.w
        &[0xee30, 0x0a20], // vadd.f32: there is no NOCP either
    ];
    for code in codes {
        assert_eq!(
            m0(code).execute_alone(),
            Effect::Fault(Fault::UndefInstr),
            "{code:x?}"
        );
    }
}

#[test]
fn masks_that_it_lacks_are_unpredictable() {
    for code in [&[0xb671][..], &[0xf3ef, 0x8011], &[0xf380, 0x8813]] {
        assert!(unpredictable(&m0(code).execute_alone()).is_some(), "{code:x?}");
    }
}

#[test]
fn apsr_has_no_q() {
    let mut core = m0(&[0xf381, 0x8800, 0xf3ef, 0x8000]); // msr APSR, r1; mrs r0, APSR
    core.regs.flags = Flags::from_bits(0);
    core.regs.r[1] = u32::MAX;
    assert_eq!(executed(core, 2).regs.r[0], 0xf000_0000);
}
