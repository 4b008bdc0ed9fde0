//! Coprocessor space (ARMv7-M ARM A5.3.18). No coprocessor is modelled: whatever is here raises NOCP.

use super::row::{Form, Row, row, undefined};
use crate::Op;

pub(super) const ROWS: &[Row] = &[
    row(
        "STC, STC2",
        "111 k 110 P U N W 0 bbbb eeee zzzz iiiiiiii",
        Op::Coproc,
        "stc%2%N%c $z, cr$e, %K",
    )
    .form(Form::Coproc)
    .except(&[('P', 0), ('U', 0), ('W', 0)]),
    row(
        "LDC, LDC2",
        "111 k 110 P U N W 1 bbbb eeee zzzz iiiiiiii",
        Op::Coproc,
        "ldc%2%N%c $z, cr$e, %K",
    )
    .form(Form::Coproc)
    .except(&[('P', 0), ('U', 0), ('W', 0)]),
    row(
        "MCRR, MCRR2",
        "111 k 1100 0100 bbbb eeee zzzz oooo ffff",
        Op::Coproc,
        "mcrr%2%c $z, $o, @e, @b, cr$f",
    )
    .form(Form::Coproc),
    row(
        "MRRC, MRRC2",
        "111 k 1100 0101 bbbb eeee zzzz oooo ffff",
        Op::Coproc,
        "mrrc%2%c $z, $o, @e, @b, cr$f",
    )
    .form(Form::Coproc),
    row(
        "CDP, CDP2",
        "111 k 1110 oooo bbbb eeee zzzz vvv 0 ffff",
        Op::Coproc,
        "cdp%2%c $z, $o, cr$e, cr$b, cr$f, {$v}",
    )
    .form(Form::Coproc),
    row(
        "MCR, MCR2",
        "111 k 1110 ooo 0 bbbb eeee zzzz vvv 1 ffff",
        Op::Coproc,
        "mcr%2%c $z, $o, @e, cr$b, cr$f, {$v}",
    )
    .form(Form::Coproc),
    row(
        "MRC, MRC2",
        "111 k 1110 ooo 1 bbbb eeee zzzz vvv 1 ffff",
        Op::Coproc,
        "mrc%2%c $z, $o, %e, cr$b, cr$f, {$v}",
    )
    .form(Form::Coproc),
    undefined(
        "coprocessor space without an operation",
        "111 - 1100 000 - ---- ---- ---- ---- ----",
    ),
    undefined(
        "Advanced SIMD: not in this profile",
        "111 - 1111 ---- ---- ---- ---- ---- ----",
    ),
];
