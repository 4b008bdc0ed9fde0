//! Coprocessor space (ARMv7-M ARM A5.3.18). No coprocessor is modelled: every encoding here raises NOCP.

use super::row::{Form, Row, row, undefined};
use crate::Op;

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    row("111 k 110 P U N W 0 bbbb eeee zzzz iiiiiiii", "STC, STC2", Op::Coproc, "stc%2%N%c $z, cr$e, %K")
        .form(Form::Coproc).except(&[('P', 0), ('U', 0), ('W', 0)]),
    row("111 k 110 P U N W 1 bbbb eeee zzzz iiiiiiii", "LDC, LDC2", Op::Coproc, "ldc%2%N%c $z, cr$e, %K")
        .form(Form::Coproc).except(&[('P', 0), ('U', 0), ('W', 0)]),
    row("111 k 1100 0100 bbbb eeee zzzz oooo ffff", "MCRR, MCRR2", Op::Coproc, "mcrr%2%c $z, $o, @e, @b, cr$f")
        .form(Form::Coproc),
    row("111 k 1100 0101 bbbb eeee zzzz oooo ffff", "MRRC, MRRC2", Op::Coproc, "mrrc%2%c $z, $o, @e, @b, cr$f")
        .form(Form::Coproc),
    row("111 k 1110 oooo bbbb eeee zzzz vvv 0 ffff", "CDP, CDP2", Op::Coproc, "cdp%2%c $z, $o, cr$e, cr$b, cr$f, {$v}")
        .form(Form::Coproc),
    row("111 k 1110 ooo 0 bbbb eeee zzzz vvv 1 ffff", "MCR, MCR2", Op::Coproc, "mcr%2%c $z, $o, @e, cr$b, cr$f, {$v}")
        .form(Form::Coproc),
    row("111 k 1110 ooo 1 bbbb eeee zzzz vvv 1 ffff", "MRC, MRC2", Op::Coproc, "mrc%2%c $z, $o, %e, cr$b, cr$f, {$v}")
        .form(Form::Coproc),
    undefined("111 - 1100 000 - ---- ---- ---- ---- ----", "coprocessor space without an operation"),
    undefined("111 - 1111 ---- ---- ---- ---- ---- ----", "Advanced SIMD: not in this profile"),
];
