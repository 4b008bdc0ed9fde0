//! Tests properties of instructions that their text does not show.

use isa_thumb::{Index, Insn, Isa, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift, Width};

fn insn(raw: u32) -> Insn {
    Isa::ARMV7EM.decode(raw).unwrap_or_else(|error| panic!("{error}"))
}

fn set(registers: &[u8]) -> RegSet {
    registers
        .iter()
        .fold(RegSet::EMPTY, |set, &number| set.with(Reg(number)))
}

/// An encoding, and the registers that it reads, writes, and forms its address from.
type Registers<'a> = (u32, &'a [u8], &'a [u8], &'a [u8]);

#[test]
fn registers_read_written_and_addressed() {
    let cases: [Registers<'_>; 38] = [
        (0x1888, &[1, 2], &[0], &[]),               // adds r0, r1, r2
        (0x2001, &[], &[0], &[]),                   // movs r0, #1
        (0x2801, &[0], &[], &[]),                   // cmp r0, #1
        (0x4348, &[0, 1], &[0], &[]),               // muls r0, r1
        (0x4248, &[1], &[0], &[]),                  // negs r0, r1
        (0x6848, &[1], &[0], &[1]),                 // ldr r0, [r1, #4]
        (0x6048, &[0, 1], &[], &[1]),               // str r0, [r1, #4]
        (0x5088, &[0, 1, 2], &[], &[1, 2]),         // str r0, [r1, r2]
        (0x4801, &[15], &[0], &[15]),               // ldr r0, [pc, #4]
        (0xa001, &[15], &[0], &[]),                 // add r0, pc, #4
        (0xb510, &[4, 13, 14], &[13], &[13]),       // push {r4, lr}
        (0xbd10, &[13], &[4, 13, 15], &[13]),       // pop {r4, pc}
        (0xc803, &[0], &[0, 1], &[0]),              // ldmia r0, {r0, r1}
        (0x4770, &[14], &[15], &[]),                // bx lr
        (0x4788, &[1], &[14, 15], &[]),             // blx r1
        (0xb108, &[0], &[15], &[]),                 // cbz r0
        (0xf000_f800, &[], &[14, 15], &[]),         // bl
        (0xf851_0b04, &[1], &[0, 1], &[1]),         // ldr.w r0, [r1], #4
        (0xf841_0d04, &[0, 1], &[1], &[1]),         // str.w r0, [r1, #-4]!
        (0xe9d2_0100, &[2], &[0, 1], &[2]),         // ldrd r0, r1, [r2]
        (0xe9c2_0100, &[0, 1, 2], &[], &[2]),       // strd r0, r1, [r2]
        (0xe842_1000, &[1, 2], &[0], &[2]),         // strex r0, r1, [r2]
        (0xe8d0_f001, &[0, 1], &[15], &[0, 1]),     // tbb [r0, r1]
        (0xfba2_0103, &[2, 3], &[0, 1], &[]),       // umull r0, r1, r2, r3
        (0xfbe2_0103, &[0, 1, 2, 3], &[0, 1], &[]), // umlal r0, r1, r2, r3
        (0xfb01_3002, &[1, 2, 3], &[0], &[]),       // mla r0, r1, r2, r3
        (0xf361_0007, &[0, 1], &[0], &[]),          // bfi r0, r1, #0, #8
        (0xf2c1_2034, &[0], &[0], &[]),             // movt r0, #4660
        (0xf891_f004, &[1], &[], &[1]),             // pld [r1, #4]
        (0xfa82_f083, &[2, 3], &[0], &[]),          // qadd r0, r3, r2
        (0xfb12_1003, &[1, 2, 3], &[0], &[]),       // smlabb r0, r2, r3, r1
        (0xfb12_f003, &[2, 3], &[0], &[]),          // smulbb r0, r2, r3
        (0xfbc2_0183, &[0, 1, 2, 3], &[0, 1], &[]), // smlalbb r0, r1, r2, r3
        (0xfbc2_01c3, &[0, 1, 2, 3], &[0, 1], &[]), // smlald r0, r1, r2, r3
        (0xfbd2_01c3, &[0, 1, 2, 3], &[0, 1], &[]), // smlsld r0, r1, r2, r3
        (0xfbe2_0163, &[0, 1, 2, 3], &[0, 1], &[]), // umaal r0, r1, r2, r3
        (0xfb52_1003, &[1, 2, 3], &[0], &[]),       // smmla r0, r2, r3, r1
        (0xfb72_1003, &[1, 2, 3], &[0], &[]),       // usada8 r0, r2, r3, r1
    ];
    for (raw, reads, writes, address) in cases {
        let insn = insn(raw);
        assert_eq!(insn.reads(), set(reads), "{} reads", insn.disassemble(0));
        assert_eq!(insn.writes(), set(writes), "{} writes", insn.disassemble(0));
        assert_eq!(
            insn.address_regs(),
            set(address),
            "{} addresses",
            insn.disassemble(0)
        );
    }
}

#[test]
fn a_modified_immediate_carries_only_when_rotated() {
    let cases = [
        (0xf05f_00ff, 0x0000_00ff, None),        // movs.w r0, #255
        (0xf05f_10ff, 0x00ff_00ff, None),        // 0x00ff00ff
        (0xf05f_20ff, 0xff00_ff00, None),        // 0xff00ff00
        (0xf05f_30ff, 0xffff_ffff, None),        // 0xffffffff
        (0xf05f_4000, 0x8000_0000, Some(true)),  // rotated by 8
        (0xf05f_5000, 0x2000_0000, Some(false)), // rotated by 10
        (0xf45f_7080, 0x0000_0100, Some(false)), // rotated by 31
    ];
    for (raw, value, carry) in cases {
        assert_eq!((insn(raw).imm, insn(raw).imm_carry), (value, carry), "{raw:x}");
    }
    assert_eq!(insn(0x2080).imm_carry, None, "movs r0, #128 has no rotation");
}

#[test]
fn shifts_by_zero_mean_what_the_manual_says() {
    let of = |raw| (insn(raw).shift, insn(raw).amount);
    assert_eq!(of(0xeb00_0001), (Shift::Lsl, 0)); // add.w r0, r0, r1
    assert_eq!(of(0xeb00_0011), (Shift::Lsr, 32));
    assert_eq!(of(0xeb00_0021), (Shift::Asr, 32));
    assert_eq!(of(0xeb00_0031), (Shift::Rrx, 1));
    assert_eq!(of(0xeb00_0071), (Shift::Ror, 1));
    assert_eq!((insn(0x0808).op, insn(0x0808).imm), (Op::Lsr, 32)); // lsrs r0, r1, #32
    assert_eq!((insn(0x0008).op, insn(0x0008).operand), (Op::Mov, Operand::Reg)); // movs r0, r1
    assert_eq!(insn(0xea4f_0031).op, Op::Rrx);
}

#[test]
fn what_is_shifted_is_rn_whatever_shifts_it() {
    for raw in [
        0x0048,
        0x0848,
        0x1048,
        0xea4f_0041,
        0xea4f_0031,
        0xea4f_0071,
        0xfa01_f002,
    ] {
        assert_eq!(
            (insn(raw).rd, insn(raw).rn),
            (Reg(0), Reg(1)),
            "{}",
            insn(raw).disassemble(0)
        );
    }
    assert_eq!((insn(0x4088).rn, insn(0x4088).rm), (Reg(0), Reg(1))); // lsls r0, r1
}

#[test]
fn flags_are_set_when_the_encoding_says() {
    let of = |raw| insn(raw).set_flags;
    assert_eq!(of(0x1888), SetFlags::OutsideIt); // adds r0, r1, r2
    assert_eq!(of(0x0008), SetFlags::Always); // movs r0, r1
    assert_eq!(of(0x4608), SetFlags::Never); // mov r0, r1
    assert_eq!(of(0x4288), SetFlags::Always); // cmp r0, r1
    assert_eq!(of(0xeb10_0001), SetFlags::Always); // adds.w r0, r0, r1
    assert_eq!(of(0xeb00_0001), SetFlags::Never); // add.w r0, r0, r1
    assert_eq!(of(0xea10_0f01), SetFlags::Always); // tst.w r0, r1
}

#[test]
fn whatever_writes_the_pc_ends_an_it_block() {
    for raw in [
        0x4770,
        0x4687,
        0x4487,
        0xe000,
        0xbd00,
        0xf85d_fb04,
        0xe8bd_8001,
        0xf000_f800,
        0xe8df_f000,
    ] {
        assert_eq!(
            insn(raw).it,
            ItRule::OutsideOrLast,
            "{}",
            insn(raw).disassemble(0)
        );
    }
    for raw in [0xd000, 0xb108, 0xbf08, 0xb662, 0x0008, 0xf000_8000] {
        assert_eq!(insn(raw).it, ItRule::Outside, "{}", insn(raw).disassemble(0));
    }
    for raw in [0x1888, 0xbe00, 0xdf00, 0xbf00, 0xf8c0_0000] {
        assert_eq!(insn(raw).it, ItRule::Any, "{}", insn(raw).disassemble(0));
    }
}

#[test]
fn loads_and_stores_have_size_sign_and_mode() {
    let of = |raw| {
        let insn = insn(raw);
        (
            insn.op,
            insn.width,
            insn.signed,
            insn.unprivileged,
            insn.index,
            insn.writeback,
        )
    };
    assert_eq!(
        of(0x5688),
        (Op::Ldr, Width::Byte, true, false, Index::Offset, false)
    ); // ldrsb r0, [r1, r2]
    assert_eq!(
        of(0x8008),
        (Op::Str, Width::Half, false, false, Index::Offset, false)
    ); // strh r0, [r1]
    assert_eq!(
        of(0xf931_0e04),
        (Op::Ldr, Width::Half, true, true, Index::Offset, false)
    ); // ldrsht r0, [r1, #4]
    assert_eq!(
        of(0xf841_0904),
        (Op::Str, Width::Word, false, false, Index::Post, true)
    ); // str.w r0, [r1], #-4
    assert_eq!(
        of(0xe8df_f010),
        (Op::Tbb, Width::Half, false, false, Index::Offset, false)
    ); // tbh [pc, r0, lsl #1]
    assert_eq!(of(0xb401), (Op::Stm, Width::Word, false, false, Index::Pre, true)); // push {r0}
    assert_eq!(
        of(0xbc01),
        (Op::Ldm, Width::Word, false, false, Index::Post, true)
    ); // pop {r0}
    assert_eq!(insn(0xf841_0904).imm as i32, -4);
}

#[test]
fn system_operands() {
    assert_eq!(insn(0xb672).imm, 0x12); // cpsid i
    assert_eq!(insn(0xb661).imm, 0x01); // cpsie f
    let msr = insn(0xf380_8811); // msr BASEPRI, r0
    assert_eq!((msr.op, msr.rn, msr.imm, msr.amount), (Op::Msr, Reg(0), 17, 2));
    let mrs = insn(0xf3ef_8014); // mrs r0, CONTROL
    assert_eq!((mrs.op, mrs.rd, mrs.imm), (Op::Mrs, Reg(0), 20));
    assert_eq!(insn(0xbf0c).imm, 0x0c); // ite eq
    assert_eq!((insn(0xee11_0f10).op, insn(0xee11_0f10).amount), (Op::Coproc, 15));
    assert_eq!((insn(0xeeb0_0a40).op, insn(0xeeb0_0a40).amount), (Op::Coproc, 10)); // vmov.f32 s0, s0
}

#[test]
fn comments_name_the_address_of_a_literal() {
    let text = |raw| format!("{:#}", insn(raw).disassemble(0x102));
    assert_eq!(text(0x4801), "ldr r0, [pc, #4] @ (0x108)");
    assert_eq!(text(0xa001), "add r0, pc, #4 @ (0x108)");
    assert_eq!(text(0x1888), "adds r0, r1, r2");
}
