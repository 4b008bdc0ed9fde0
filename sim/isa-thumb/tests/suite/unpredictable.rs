//! Unpredictable encodings are reported as such, and every rule of the table is needed.

use isa_thumb::table::rows;
use isa_thumb::{DecodeError, Insn, Isa, decode};

use crate::samples::{any_of, core_of};

fn why(isa: Isa, raw: u32) -> Option<&'static str> {
    match isa.decode(raw) {
        Err(DecodeError::Unpredictable { why, .. }) => Some(why),
        _ => None,
    }
}

#[test]
fn every_rule_of_every_row_decides_some_encoding() {
    let mut rng = fastrand::Rng::with_seed(4);
    for row in rows() {
        for rule in row.rules {
            let cores = [core_of(row)].into_iter().chain(Isa::ALL);
            let isa = cores
                .into_iter()
                .find(|&isa| (rule.applies)(isa) && row.is_of(isa))
                .expect("a rule is for some core");
            let found = (0..20_000).any(|_| why(isa, any_of(row, &mut rng)) == Some(rule.why));
            assert!(found, "{}: never {:?}", row.name, rule.why);
        }
    }
}

/// These samples differ from a valid encoding in should-be bits only.
#[test]
fn every_should_be_bit_counts() {
    let mut rng = fastrand::Rng::with_seed(5);
    for row in rows().iter().filter(|row| row.op.is_some()) {
        let valid = crate::samples::sample(row, &mut rng).expect("every row has valid encodings");
        for bit in (0..32)
            .map(|n| 1 << n)
            .filter(|bit| row.pattern.should_be.mask & bit != 0)
        {
            assert!(
                why(core_of(row), valid.raw ^ bit).is_some(),
                "{}: {:08x}, bit {bit:x}",
                row.name,
                valid.raw
            );
        }
    }
}

#[test]
fn the_manuals_cases_by_name() {
    let cases = [
        (0xb400, "the register list is empty"), // push {}
        (0xc100, "the register list is empty"), // stmia r1!, {}
        (0xc30e, "the base is stored, but is not the lowest of the list"), // stmia r3!, {r1, r2, r3}
        (0x4587, "Rn is PC"),                   // cmp pc, r0
        (0x4578, "Rm is PC"),                   // cmp r0, pc
        (0x44ff, "both operands are PC"),       // add pc, pc
        (0x47f8, "Rm is PC"),                   // blx pc
        (0xbff8, "the condition of IT is 0b1111"), // it <15>
        (0xbfec, "an IT block of AL has an E"), // it al, two instructions, E
        (0xb660, "CPS changes nothing"),        // cpsie, neither i nor f
        (
            0x4701,
            "a bit that should be zero is one, or one that should be one is zero",
        ),
        (0xe8b0_0001, "the register list has fewer than two registers"), // ldmia.w r0!, {r0}
        (0xe8b0_0003, "the base is written back and is in the list"),    // ldmia.w r0!, {r0, r1}
        (0xe8bd_c001, "the register list has both LR and PC"),           // pop.w {r0, lr, pc}
        (0xe9d0_1100, "Rt and Rt2 are the same"),                        // ldrd r1, r1, [r0]
        (0xe9f0_0100, "the base is written back and is a data register"), // ldrd r0, r1, [r0, #0]!
        (0xe840_1000, "the status register is also base or data register"), // strex r0, r1, [r0]
        (0xf850_0d04, "the base is written back and is a data register"), // ldr r0, [r0, #-4]!
        (0xf810_d000, "Rt is SP"),                                       // ldrb.w sp, [r0, r0]
        (0xea00_0d00, "Rd is SP or PC"),                                 // and.w sp, r0, r0
        (0xf04f_1000, "a repeated byte of the immediate is zero"),       // mov.w r0, #<00000000>
        (
            0xeb0d_1d00,
            "SP is computed with a shift other than LSL by 0 to 3",
        ), // add.w sp, sp, r0, lsl #4
        (0xeb00_0d00, "Rd is SP, Rn is not"),                            // add.w sp, r0, r0
        (0xf360_0f00, "Rd is SP or PC"),                                 // bfi pc, r0, #0, #1
        (0xf360_40c0, "the bit field's highest bit is below its lowest"), // bfi r0, r0, #19, ending at 0
        (0xf3c0_70df, "the bit field goes past bit 31"),                 // ubfx r0, r0, #31, #32
        (0xfba0_0001, "RdLo and RdHi are the same"),                     // umull r0, r0, r0, r1
        (0xfab0_f081, "the two copies of Rm differ"),                    // clz r0, r0 and r1
        (0xf3ef_80ff, "there is no such special register"),              // mrs r0, 255
        (0xf380_8400, "MSR writes GE bits, which need the DSP extension"), // msr APSR_g, r0
    ];
    for (raw, expected) in cases {
        assert_eq!(why(Isa::ARMV7M, raw), Some(expected), "{raw:x}");
    }
}

/// Special registers and masks that ARMv6-M lacks.
#[test]
fn masks_that_armv6m_lacks() {
    let cases = [
        (0xb671, "FAULTMASK is not in ARMv6-M"),                   // cpsid f
        (0xb663, "FAULTMASK is not in ARMv6-M"),                   // cpsie if
        (0xf3ef_8011, "BASEPRI and FAULTMASK are not in ARMv6-M"), // mrs r0, BASEPRI
        (0xf380_8812, "BASEPRI and FAULTMASK are not in ARMv6-M"), // msr BASEPRI_MAX, r0
        (0xf380_8813, "BASEPRI and FAULTMASK are not in ARMv6-M"), // msr FAULTMASK, r0
    ];
    for (raw, expected) in cases {
        assert_eq!(why(Isa::ARMV6M, raw), Some(expected), "{raw:x}");
        assert!(decode(raw).is_ok(), "{raw:x}");
    }
    for raw in [0xb672, 0xf3ef_8010, 0xf380_8814, 0xf380_8808] {
        assert_eq!(Isa::ARMV6M.decode(raw), decode(raw), "{raw:x}");
    }
}

/// LLVM emits this encoding for a compare-and-swap at `-O0`, although the manual asks for the other one: both mean the same.
#[test]
fn comparing_two_low_registers_may_be_written_in_either_encoding() {
    for (rn, rm) in (0..8).flat_map(|rn| (0..8).map(move |rm| (rn, rm))) {
        let [long, short] = [0x4500, 0x4280].map(|encoding| encoding | rm << 3 | rn);
        for isa in Isa::ALL {
            let [long, short] = [long, short].map(|raw| isa.decode(raw).expect("it compares"));
            let same = Insn {
                raw: short.raw,
                row: short.row,
                ..long
            };
            assert_eq!(same, short);
            assert_eq!(long.disassemble(0).to_string(), short.disassemble(0).to_string());
        }
    }
}

/// Encodings that look suspicious but are valid.
#[test]
fn compilers_rely_on_these() {
    let valid = [
        0x4685,      // mov sp, r0
        0x44ad,      // add sp, r5
        0x4485,      // add sp, r0
        0x4468,      // add r0, sp
        0x4545,      // cmp r5, r8
        0x45ad,      // cmp sp, r5
        0x4487,      // add pc, r0
        0x4697,      // mov pc, r2
        0x4770,      // bx lr
        0xebad_0d00, // sub.w sp, sp, r0
        0xebad_0d80, // sub.w sp, sp, r0, lsl #2
        0xf1ad_0d08, // sub.w sp, sp, #8
        0xf5ad_7d00, // sub.w sp, sp, #512
        0xf20d_0d04, // addw sp, sp, #4
        0xea4f_0d00, // mov.w sp, r0
        0xea4f_000d, // mov.w r0, sp
        0xf1bd_0f00, // cmp.w sp, #0
        0xebbd_0f00, // cmp.w sp, r0
        0xf85d_fb04, // ldr.w pc, [sp], #4
        0xf8df_f000, // ldr.w pc, [pc]
        0xf850_f021, // ldr.w pc, [r0, r1, lsl #2]
        0xf8d0_d000, // ldr.w sp, [r0]
        0xf84d_ed04, // str.w lr, [sp, #-4]!
        0xe8df_f000, // tbb [pc, r0]
        0xe92d_4ff0, // stmdb sp!, {r4-fp, lr}
        0xe8bd_8ff0, // ldmia.w sp!, {r4-fp, pc}
        0xf3bf_8f4f, // dsb sy
        0xf3af_8000, // nop.w
        0xc803,      // ldmia r0, {r0, r1}
        0xc003,      // stmia r0!, {r0, r1}
    ];
    for raw in valid {
        assert!(decode(raw).is_ok(), "{raw:x}: {:?}", decode(raw));
    }
}
