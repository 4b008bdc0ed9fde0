//! Random instructions from the encoding table.

use std::sync::LazyLock;

use fastrand::Rng;
use isa_thumb::table::{Form, Row, rows};
use isa_thumb::{Insn, decode};

use crate::{Target, known};

/// The rows that programs for a core may use.
pub fn comparable(target: Target) -> &'static [&'static Row] {
    static CORTEX_M0: LazyLock<Vec<&'static Row>> = LazyLock::new(|| with_samples(Target::CortexM0));
    static CORTEX_M3: LazyLock<Vec<&'static Row>> = LazyLock::new(|| with_samples(Target::CortexM3));
    static CORTEX_M4F: LazyLock<Vec<&'static Row>> = LazyLock::new(|| with_samples(Target::CortexM4F));
    match target {
        Target::CortexM0 => &CORTEX_M0,
        Target::CortexM3 => &CORTEX_M3,
        Target::CortexM4F => &CORTEX_M4F,
    }
}

fn with_samples(target: Target) -> Vec<&'static Row> {
    let mut rng = Rng::with_seed(1);
    let defined = rows().iter().filter(|row| row.op.is_some());
    defined
        .filter(|row| (0..200).any(|_| sample(target, row, &mut rng).is_some()))
        .collect()
}

/// A random instruction of this row; `None` if a few attempts gave none that is predictable and comparable.
pub(crate) fn sample(target: Target, row: &Row, rng: &mut Rng) -> Option<Insn> {
    (0..32).find_map(|_| {
        let fixed = row.pattern.select.mask | row.pattern.should_be.mask;
        let random = if row.pattern.size == 2 {
            u32::from(rng.u16(..))
        } else {
            rng.u32(..)
        };
        let raw = row.pattern.select.value | row.pattern.should_be.value | random & !fixed;
        let insn = row
            .matches(raw)
            .then(|| target.isa().decode(raw).ok())
            .flatten()?;
        let same = std::ptr::eq(&raw const rows()[usize::from(insn.row)], row);
        (same && known::left_out(&insn).is_none()).then_some(insn)
    })
}

/// The same direct branch with another offset from the PC, if the offset fits.
pub(crate) fn with_offset(insn: &Insn, offset: i32) -> Option<Insn> {
    let row = &rows()[usize::from(insn.row)];
    let halfwords = (offset >> 1) as u32;
    let sign = u32::from(offset < 0);
    let (j1, j2) = match row.form {
        Form::BranchFar => (halfwords >> 17, halfwords >> 18),
        _ => (halfwords >> 22 ^ sign ^ 1, halfwords >> 21 ^ sign ^ 1),
    };
    let fields = [(b'i', halfwords), (b'g', sign), (b'p', j1), (b'q', j2)];
    let raw = fields.into_iter().fold(insn.raw, |raw, (letter, value)| {
        let mask = row.pattern.field_mask(letter);
        raw & !mask | scatter(value, mask)
    });
    decode(raw).ok().filter(|moved| moved.imm == offset as u32)
}

/// Spreads the low bits of `value` over the bits of `mask`.
fn scatter(mut value: u32, mask: u32) -> u32 {
    let places = (0..32).filter(|place| mask >> place & 1 != 0);
    places.fold(0, |raw, place| {
        let bit = value & 1;
        value >>= 1;
        raw | bit << place
    })
}
