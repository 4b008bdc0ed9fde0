//! Tests the meaning of single encodings.

use isa_rv32::{Insn, Isa, Op, Reason, Reg, decode};

fn of(raw: u32) -> Insn {
    decode(raw, Isa::ALL).expect("a legal encoding")
}

#[test]
fn a_compressed_encoding_is_what_it_stands_for() {
    // c.addi16sp sp,-64; c.lwsp ra,60(sp); c.jr ra; c.mv a0,a1; c.beqz a0,-2
    let frame = of(0x7139);
    assert_eq!(
        (frame.op, frame.rd, frame.rs1, frame.imm),
        (Op::Addi, Reg::SP, Reg::SP, -64)
    );
    let load = of(0x50f2);
    assert_eq!(
        (load.op, load.rd, load.rs1, load.imm),
        (Op::Lw, Reg::RA, Reg::SP, 60)
    );
    let back = of(0x8082);
    assert_eq!(
        (back.op, back.rd, back.rs1, back.imm),
        (Op::Jalr, Reg::ZERO, Reg::RA, 0)
    );
    let copy = of(0x852e);
    assert_eq!(
        (copy.op, copy.rd, copy.rs1, copy.rs2),
        (Op::Add, Reg(10), Reg::ZERO, Reg(11))
    );
    let branch = of(0xdd7d);
    assert_eq!(
        (branch.op, branch.rs1, branch.rs2, branch.imm),
        (Op::Beq, Reg(10), Reg::ZERO, -2)
    );
}

#[test]
fn a_control_register_has_its_operand_in_a_register_or_not() {
    // csrrw t0,mscratch,t1; csrrwi zero,mstatus,8
    let swap = of(0x3403_12f3);
    assert_eq!(
        (swap.op, swap.rd, swap.rs1, swap.csr),
        (Op::Csrrw, Reg(5), Reg(6), 0x340)
    );
    let set = of(0x3004_5073);
    assert_eq!(
        (set.op, set.rs1, set.imm, set.csr),
        (Op::Csrrwi, Reg::ZERO, 8, 0x300)
    );
}

#[test]
fn rv32e_has_sixteen_registers() {
    // add a6,a0,a0
    let error = decode(0x00a5_0833, Isa::RV32E).unwrap_err();
    assert_eq!(error.reason, Reason::Register(Reg(16)));
    assert!(decode(0x00a5_0833, Isa::RV32I).is_ok());
    assert!(decode(0x00a5_07b3, Isa::RV32E).is_ok());
}

#[test]
fn all_zeros_and_all_ones_are_illegal() {
    for raw in [0, 0xffff_ffff] {
        assert_eq!(decode(raw, Isa::ALL).unwrap_err().reason, Reason::Reserved);
    }
}

#[test]
fn accesses_have_their_kind_and_size() {
    // lhu a0,2(a1); sb a0,3(a1); amoadd.w a0,a1,(a2); sc.w a0,a1,(a2); add a0,a0,a0
    let facts = |raw| {
        let insn = of(raw);
        (insn.is_load(), insn.is_store(), insn.access_size())
    };
    assert_eq!(facts(0x0025_d503), (true, false, 2));
    assert_eq!(facts(0x00a5_81a3), (false, true, 1));
    assert_eq!(facts(0x00b6_252f), (true, true, 4));
    assert_eq!(facts(0x18b6_252f), (false, true, 4));
    assert_eq!(facts(0x00a5_0533), (false, false, 0));
}
