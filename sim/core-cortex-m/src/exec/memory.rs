//! Loads and stores of one register or two (ARMv7-M ARM A5.3.6 to A5.3.10).
//!
//! The base register moves only after the access has succeeded, so that a faulting instruction can be repeated.

use isa_thumb::{Index, Insn, Op, Operand, Reg, Width};

use super::branch::{interwork, loaded};
use super::operand::{read, write};
use super::system::unpredictable;
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};

/// How the address comes about.
trait Addressing {
    fn address(core: &Core, op: &MicroOp) -> u32;

    /// Updates the base after the access has succeeded.
    #[inline(always)]
    fn write_back(_: &mut Core, _: &MicroOp, _address: u32) {}
}

/// A constant, relative to the PC.
struct Literal;
/// `[rn, #imm]`.
struct Offset;
/// `[rn, #imm]!`.
struct PreIndexed;
/// `[rn], #imm`.
struct PostIndexed;
/// `[rn, rm, lsl #amount]`.
struct Indexed;

impl Addressing for Literal {
    #[inline(always)]
    fn address(_: &Core, op: &MicroOp) -> u32 {
        op.imm
    }
}

impl Addressing for Offset {
    #[inline(always)]
    fn address(core: &Core, op: &MicroOp) -> u32 {
        read(core, op.rn).wrapping_add(op.imm)
    }
}

impl Addressing for PreIndexed {
    #[inline(always)]
    fn address(core: &Core, op: &MicroOp) -> u32 {
        Offset::address(core, op)
    }

    #[inline(always)]
    fn write_back(core: &mut Core, op: &MicroOp, address: u32) {
        write(core, op.rn, address);
    }
}

impl Addressing for PostIndexed {
    #[inline(always)]
    fn address(core: &Core, op: &MicroOp) -> u32 {
        read(core, op.rn)
    }

    #[inline(always)]
    fn write_back(core: &mut Core, op: &MicroOp, address: u32) {
        write(core, op.rn, address.wrapping_add(op.imm));
    }
}

impl Addressing for Indexed {
    #[inline(always)]
    fn address(core: &Core, op: &MicroOp) -> u32 {
        read(core, op.rn).wrapping_add(read(core, op.rm) << (op.amount & 31))
    }
}

/// A type of data that moves between a register and memory.
trait Data {
    /// Loads on the fast path; `None` if that does not suffice.
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32>;

    /// Loads from a flash with a predicted answer on the fast path; `None` if that does not suffice.
    #[inline(always)]
    fn from_flash(_: &mut Core, _: &MicroOp, _address: u32) -> Option<(u32, Step)> {
        None
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step);
}

/// Data that can be stored: a store has no sign to extend.
trait Storable: Data {
    /// Whether it is stored, and that is all there is to it.
    fn quick_store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> bool;

    fn store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> Step;
}

/// `SIZE` bytes, zero-extended.
struct Plain<const SIZE: usize>;
struct SignedByte;
struct SignedHalf;
/// `SIZE` bytes with the rights of unprivileged code.
struct Unprivileged<const SIZE: usize>;
struct UnprivilegedSignedByte;
struct UnprivilegedSignedHalf;

impl<const SIZE: usize> Data for Plain<SIZE> {
    #[inline(always)]
    fn from_flash(core: &mut Core, op: &MicroOp, address: u32) -> Option<(u32, Step)> {
        core.load_from_flash::<SIZE>(op, address)
    }

    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<SIZE>(op, address)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        core.other_load::<SIZE>(op, address)
    }
}

impl<const SIZE: usize> Storable for Plain<SIZE> {
    #[inline(always)]
    fn quick_store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> bool {
        core.quick_store::<SIZE>(op, address, value)
    }

    fn store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> Step {
        core.store::<SIZE>(op, address, value)
    }
}

impl Data for SignedByte {
    #[inline(always)]
    fn from_flash(core: &mut Core, op: &MicroOp, address: u32) -> Option<(u32, Step)> {
        let (value, step) = core.load_from_flash::<1>(op, address)?;
        Some((sign_extend_byte(value), step))
    }

    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<1>(op, address).map(sign_extend_byte)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        let (value, step) = core.other_load::<1>(op, address);
        (sign_extend_byte(value), step)
    }
}

impl Data for SignedHalf {
    #[inline(always)]
    fn from_flash(core: &mut Core, op: &MicroOp, address: u32) -> Option<(u32, Step)> {
        let (value, step) = core.load_from_flash::<2>(op, address)?;
        Some((sign_extend_half(value), step))
    }

    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<2>(op, address).map(sign_extend_half)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        let (value, step) = core.other_load::<2>(op, address);
        (sign_extend_half(value), step)
    }
}

impl<const SIZE: usize> Data for Unprivileged<SIZE> {
    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<SIZE>(op, address)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        core.load_unprivileged::<SIZE>(op, address)
    }
}

impl<const SIZE: usize> Storable for Unprivileged<SIZE> {
    #[inline(always)]
    fn quick_store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> bool {
        core.quick_store::<SIZE>(op, address, value)
    }

    fn store(core: &mut Core, op: &MicroOp, address: u32, value: u32) -> Step {
        core.store_unprivileged::<SIZE>(op, address, value)
    }
}

impl Data for UnprivilegedSignedByte {
    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<1>(op, address).map(sign_extend_byte)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        let (value, step) = core.load_unprivileged::<1>(op, address);
        (sign_extend_byte(value), step)
    }
}

impl Data for UnprivilegedSignedHalf {
    #[inline(always)]
    fn quick(core: &Core, op: &MicroOp, address: u32) -> Option<u32> {
        core.quick_load::<2>(op, address).map(sign_extend_half)
    }

    fn load(core: &mut Core, op: &MicroOp, address: u32) -> (u32, Step) {
        let (value, step) = core.load_unprivileged::<2>(op, address);
        (sign_extend_half(value), step)
    }
}

#[inline(always)]
fn sign_extend_byte(value: u32) -> u32 {
    i32::from(value as i8) as u32
}

#[inline(always)]
fn sign_extend_half(value: u32) -> u32 {
    i32::from(value as i16) as u32
}

/// It only forwards accesses that are not quick, so that it saves no host register for them.
fn load<A: Addressing, D: Data>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let Some(value) = D::quick(core, op, address) else {
        return load_otherwise::<A, D>(core, op);
    };
    A::write_back(core, op, address);
    write(core, op.rd, value);
    Step::Next
}

/// A load that is expected to read a flash with wait states.
fn load_from_flash<A: Addressing, D: Data>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let Some((value, step)) = D::from_flash(core, op, address) else {
        return load_otherwise::<A, D>(core, op);
    };
    A::write_back(core, op, address);
    write(core, op.rd, value);
    step
}

#[inline(never)]
fn load_otherwise<A: Addressing, D: Data>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let (value, step) = D::load(core, op, address);
    if step == Step::Trap {
        return step;
    }
    A::write_back(core, op, address);
    write(core, op.rd, value);
    step
}

/// As [`load`].
fn store<A: Addressing, D: Storable>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    if !D::quick_store(core, op, address, read(core, op.rd)) {
        return store_otherwise::<A, D>(core, op);
    }
    A::write_back(core, op, address);
    Step::Next
}

#[inline(never)]
fn store_otherwise<A: Addressing, D: Storable>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let step = D::store(core, op, address, read(core, op.rd));
    if step != Step::Trap {
        A::write_back(core, op, address);
    }
    step
}

/// A load to the PC: a branch that may change state or return from an exception.
fn load_pc<A: Addressing>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    if !address.is_multiple_of(4) {
        return unpredictable(core, op.raw, "it loads the PC from an unaligned address");
    }
    let (target, step) = core.load_aligned(op, address);
    if step == Step::Trap {
        return step;
    }
    A::write_back(core, op, address);
    let jump = interwork(core, target);
    loaded(core, step, jump)
}

fn load_two<A: Addressing>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let (first, first_step) = core.load_aligned(op, address);
    if first_step == Step::Trap {
        return first_step;
    }
    let (second, second_step) = core.load_aligned(op, address.wrapping_add(4));
    if second_step == Step::Trap {
        return second_step;
    }
    A::write_back(core, op, address);
    write(core, op.rd, first);
    write(core, op.ra, second);
    first_step.and(second_step)
}

fn store_two<A: Addressing>(core: &mut Core, op: &MicroOp) -> Step {
    let address = A::address(core, op);
    let first = core.store_aligned(op, address, read(core, op.rd));
    if first == Step::Trap {
        return first;
    }
    let second = core.store_aligned(op, address.wrapping_add(4), read(core, op.ra));
    if second != Step::Trap {
        A::write_back(core, op, address);
    }
    first.and(second)
}

/// The handler of a load or store of one or two registers, or `None` if it is not one.
pub(super) fn handler(insn: &Insn) -> Option<Handler> {
    Some(match insn.op {
        Op::Ldr if insn.unprivileged => load_unprivileged_handler(insn.width, insn.signed),
        Op::Str if insn.unprivileged => store_unprivileged_handler(insn.width),
        Op::Ldr | Op::Str | Op::Ldrd | Op::Strd => at_its_address(insn, &OfAny),
        _ => return None,
    })
}

/// The handler of a load of one register that is expected to read from a flash with wait states, or `None` if it is not one.
pub(super) fn handler_from_flash(insn: &Insn) -> Option<Handler> {
    let plain = insn.op == Op::Ldr && !insn.unprivileged && insn.rd != Reg::PC;
    plain.then(|| at_its_address(insn, &FromFlash))
}

/// Handlers for each way in which an address comes about.
trait Handlers {
    fn with<A: Addressing>(&self, insn: &Insn) -> Handler;
}

struct OfAny;
struct FromFlash;

fn at_its_address(insn: &Insn, handlers: &impl Handlers) -> Handler {
    match (insn.rn, insn.operand, insn.index) {
        (Reg::PC, ..) => handlers.with::<Literal>(insn),
        (_, Operand::Reg, _) => handlers.with::<Indexed>(insn),
        (_, _, Index::Offset) => handlers.with::<Offset>(insn),
        (_, _, Index::Pre) => handlers.with::<PreIndexed>(insn),
        (_, _, Index::Post) => handlers.with::<PostIndexed>(insn),
    }
}

impl Handlers for OfAny {
    fn with<A: Addressing>(&self, insn: &Insn) -> Handler {
        match (insn.op, insn.width, insn.signed) {
            (Op::Ldrd, ..) => load_two::<A>,
            (Op::Strd, ..) => store_two::<A>,
            (Op::Str, Width::Byte, _) => store::<A, Plain<1>>,
            (Op::Str, Width::Half, _) => store::<A, Plain<2>>,
            (Op::Str, Width::Word, _) => store::<A, Plain<4>>,
            (_, Width::Byte, false) => load::<A, Plain<1>>,
            (_, Width::Byte, true) => load::<A, SignedByte>,
            (_, Width::Half, false) => load::<A, Plain<2>>,
            (_, Width::Half, true) => load::<A, SignedHalf>,
            (_, Width::Word, _) if insn.rd == Reg::PC => load_pc::<A>,
            (_, Width::Word, _) => load::<A, Plain<4>>,
        }
    }
}

impl Handlers for FromFlash {
    fn with<A: Addressing>(&self, insn: &Insn) -> Handler {
        match (insn.width, insn.signed) {
            (Width::Byte, false) => load_from_flash::<A, Plain<1>>,
            (Width::Byte, true) => load_from_flash::<A, SignedByte>,
            (Width::Half, false) => load_from_flash::<A, Plain<2>>,
            (Width::Half, true) => load_from_flash::<A, SignedHalf>,
            (Width::Word, _) => load_from_flash::<A, Plain<4>>,
        }
    }
}

fn load_unprivileged_handler(width: Width, signed: bool) -> Handler {
    match (width, signed) {
        (Width::Byte, false) => load::<Offset, Unprivileged<1>>,
        (Width::Byte, true) => load::<Offset, UnprivilegedSignedByte>,
        (Width::Half, false) => load::<Offset, Unprivileged<2>>,
        (Width::Half, true) => load::<Offset, UnprivilegedSignedHalf>,
        (Width::Word, _) => load::<Offset, Unprivileged<4>>,
    }
}

fn store_unprivileged_handler(width: Width) -> Handler {
    match width {
        Width::Byte => store::<Offset, Unprivileged<1>>,
        Width::Half => store::<Offset, Unprivileged<2>>,
        Width::Word => store::<Offset, Unprivileged<4>>,
    }
}
