//! Random encodings of a row of the table.

use isa_thumb::table::Row;
use isa_thumb::{Insn, Isa};

/// An architecture that has this row.
pub(crate) fn core_of(row: &Row) -> Isa {
    match (row.is_float(), row.without_dsp) {
        (true, _) => Isa::ARMV7EM_FLOAT,
        (_, true) => Isa::ARMV7M,
        _ => Isa::ARMV7EM,
    }
}

/// A random encoding of `row`, which may be unpredictable.
pub(crate) fn any_of(row: &Row, rng: &mut fastrand::Rng) -> u32 {
    loop {
        let raw = random_fields(row, rng);
        if row.matches(raw) {
            return raw;
        }
    }
}

/// A random valid encoding of `row`; `None` if many attempts found none.
pub(crate) fn sample(row: &Row, rng: &mut fastrand::Rng) -> Option<Insn> {
    (0..2000).find_map(|_| {
        let raw = random_fields(row, rng);
        core_of(row).decode(raw).ok().filter(|insn| row.matches(insn.raw))
    })
}

/// A random encoding within the pattern of `row`. All-zero and all-one fields are more frequent than by chance.
fn random_fields(row: &Row, rng: &mut fastrand::Rng) -> u32 {
    let (select, should_be) = (row.pattern.select, row.pattern.should_be);
    let fields = || (b'A'..=b'z').map(|letter| row.pattern.field_mask(letter));
    let named = fields().fold(select.mask | should_be.mask, |all, field| all | field);
    let width = if row.pattern.size == 2 { 0xffff } else { u32::MAX };
    let nameless = rng.u32(..) & width & !named;
    fields().fold(
        select.value | should_be.value | nameless,
        |raw, field| match rng.u8(0..6) {
            0 => raw,
            1 => raw | field,
            _ => raw | rng.u32(..) & field,
        },
    )
}

/// The bytes of an encoding in memory order.
pub(crate) fn bytes(raw: u32, size: u8) -> Vec<u8> {
    let halfwords = if size == 2 {
        vec![raw as u16]
    } else {
        vec![(raw >> 16) as u16, raw as u16]
    };
    halfwords.into_iter().flat_map(u16::to_le_bytes).collect()
}
