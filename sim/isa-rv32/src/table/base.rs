//! RV32I (unprivileged ISA manual, chapter 2), with the control registers, FENCE.I and the privileged instructions.

use super::row::{Row, row};
use crate::Extension::{I, Supervisor, Zicsr, Zifencei};
use crate::Op;

const IMMEDIATE: &[(char, u8)] = &[('i', 0)];
const BRANCH: &[(char, u8)] = &[('g', 12), ('p', 11), ('i', 1)];
const JUMP: &[(char, u8)] = &[('g', 20), ('j', 12), ('p', 11), ('i', 1)];
const UPPER: &[(char, u8)] = &[('i', 12)];

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    row(I, "iiiiiiiiiiiiiiiiiiii ddddd 0110111", Op::Lui, "lui %d,%u").unsigned(UPPER),
    row(I, "iiiiiiiiiiiiiiiiiiii ddddd 0010111", Op::Auipc, "auipc %d,%u").unsigned(UPPER),
    row(I, "g iiiiiiiiii p jjjjjjjj ddddd 1101111", Op::Jal, "jal %d,%b").signed(20, JUMP),
    row(I, "iiiiiiiiiiii sssss 000 ddddd 1100111", Op::Jalr, "jalr %d,%i(%s)").signed(11, IMMEDIATE),
    // Branches.
    row(I, "g iiiiii ttttt sssss 000 iiii p 1100011", Op::Beq, "beq %s,%t,%b").signed(12, BRANCH),
    row(I, "g iiiiii ttttt sssss 001 iiii p 1100011", Op::Bne, "bne %s,%t,%b").signed(12, BRANCH),
    row(I, "g iiiiii ttttt sssss 100 iiii p 1100011", Op::Blt, "blt %s,%t,%b").signed(12, BRANCH),
    row(I, "g iiiiii ttttt sssss 101 iiii p 1100011", Op::Bge, "bge %s,%t,%b").signed(12, BRANCH),
    row(I, "g iiiiii ttttt sssss 110 iiii p 1100011", Op::Bltu, "bltu %s,%t,%b").signed(12, BRANCH),
    row(I, "g iiiiii ttttt sssss 111 iiii p 1100011", Op::Bgeu, "bgeu %s,%t,%b").signed(12, BRANCH),
    // Loads and stores.
    row(I, "iiiiiiiiiiii sssss 000 ddddd 0000011", Op::Lb, "lb %d,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 001 ddddd 0000011", Op::Lh, "lh %d,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 010 ddddd 0000011", Op::Lw, "lw %d,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 100 ddddd 0000011", Op::Lbu, "lbu %d,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 101 ddddd 0000011", Op::Lhu, "lhu %d,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiii ttttt sssss 000 iiiii 0100011", Op::Sb, "sb %t,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiii ttttt sssss 001 iiiii 0100011", Op::Sh, "sh %t,%i(%s)").signed(11, IMMEDIATE),
    row(I, "iiiiiii ttttt sssss 010 iiiii 0100011", Op::Sw, "sw %t,%i(%s)").signed(11, IMMEDIATE),
    // Register and immediate.
    row(I, "iiiiiiiiiiii sssss 000 ddddd 0010011", Op::Addi, "addi %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 010 ddddd 0010011", Op::Slti, "slti %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 011 ddddd 0010011", Op::Sltiu, "sltiu %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 100 ddddd 0010011", Op::Xori, "xori %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 110 ddddd 0010011", Op::Ori, "ori %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "iiiiiiiiiiii sssss 111 ddddd 0010011", Op::Andi, "andi %d,%s,%i").signed(11, IMMEDIATE),
    row(I, "0000000 iiiii sssss 001 ddddd 0010011", Op::Slli, "slli %d,%s,%x").unsigned(IMMEDIATE),
    row(I, "0000000 iiiii sssss 101 ddddd 0010011", Op::Srli, "srli %d,%s,%x").unsigned(IMMEDIATE),
    row(I, "0100000 iiiii sssss 101 ddddd 0010011", Op::Srai, "srai %d,%s,%x").unsigned(IMMEDIATE),
    // Register and register.
    row(I, "0000000 ttttt sssss 000 ddddd 0110011", Op::Add, "add %d,%s,%t"),
    row(I, "0100000 ttttt sssss 000 ddddd 0110011", Op::Sub, "sub %d,%s,%t"),
    row(I, "0000000 ttttt sssss 001 ddddd 0110011", Op::Sll, "sll %d,%s,%t"),
    row(I, "0000000 ttttt sssss 010 ddddd 0110011", Op::Slt, "slt %d,%s,%t"),
    row(I, "0000000 ttttt sssss 011 ddddd 0110011", Op::Sltu, "sltu %d,%s,%t"),
    row(I, "0000000 ttttt sssss 100 ddddd 0110011", Op::Xor, "xor %d,%s,%t"),
    row(I, "0000000 ttttt sssss 101 ddddd 0110011", Op::Srl, "srl %d,%s,%t"),
    row(I, "0100000 ttttt sssss 101 ddddd 0110011", Op::Sra, "sra %d,%s,%t"),
    row(I, "0000000 ttttt sssss 110 ddddd 0110011", Op::Or, "or %d,%s,%t"),
    row(I, "0000000 ttttt sssss 111 ddddd 0110011", Op::And, "and %d,%s,%t"),
    // Fences. Fields other than predecessors and successors are reserved and ignored (2.7).
    row(I, "mmmm pppp nnnn ----- 000 ----- 0001111", Op::Fence, "fence %f"),
    row(Zifencei, "------------ ----- 001 ----- 0001111", Op::FenceI, "fence.i"),
    // Environment calls and privileged instructions.
    row(I, "000000000000 00000 000 00000 1110011", Op::Ecall, "ecall"),
    row(I, "000000000001 00000 000 00000 1110011", Op::Ebreak, "ebreak"),
    row(I, "001100000010 00000 000 00000 1110011", Op::Mret, "mret"),
    row(I, "000100000101 00000 000 00000 1110011", Op::Wfi, "wfi"),
    row(Supervisor, "000100000010 00000 000 00000 1110011", Op::Sret, "sret"),
    row(Supervisor, "0001001 ttttt sssss 000 00000 1110011", Op::SfenceVma, "sfence.vma %s,%t"),
    // Control and status registers.
    row(Zicsr, "cccccccccccc sssss 001 ddddd 1110011", Op::Csrrw, "csrrw %d,%c,%s"),
    row(Zicsr, "cccccccccccc sssss 010 ddddd 1110011", Op::Csrrs, "csrrs %d,%c,%s"),
    row(Zicsr, "cccccccccccc sssss 011 ddddd 1110011", Op::Csrrc, "csrrc %d,%c,%s"),
    row(Zicsr, "cccccccccccc iiiii 101 ddddd 1110011", Op::Csrrwi, "csrrwi %d,%c,%i").unsigned(IMMEDIATE),
    row(Zicsr, "cccccccccccc iiiii 110 ddddd 1110011", Op::Csrrsi, "csrrsi %d,%c,%i").unsigned(IMMEDIATE),
    row(Zicsr, "cccccccccccc iiiii 111 ddddd 1110011", Op::Csrrci, "csrrci %d,%c,%i").unsigned(IMMEDIATE),
];
