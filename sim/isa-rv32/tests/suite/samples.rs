//! Random encodings of a row of the table.

use isa_rv32::table::Row;

/// A random encoding of `row`. All-zero and all-one fields are more frequent than by chance.
pub(crate) fn sample(row: &Row, rng: &mut fastrand::Rng) -> u32 {
    loop {
        let raw = random_fields(row, rng);
        if row.matches(raw) {
            return raw;
        }
    }
}

fn random_fields(row: &Row, rng: &mut fastrand::Rng) -> u32 {
    let fields = (b'A'..=b'z').map(|letter| row.pattern.field_mask(letter));
    fields.fold(row.pattern.select.value, |raw, field| match rng.u8(0..6) {
        0 => raw,
        1 => raw | field,
        _ => raw | rng.u32(..) & field,
    })
}
