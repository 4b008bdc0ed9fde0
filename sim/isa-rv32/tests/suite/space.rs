//! Checks that no encoding is in two rows.

use isa_pattern::Cube;
use isa_rv32::table::{Row, rows};
use isa_rv32::{Isa, decode, length};

/// Whether the cubes share an encoding.
fn meet(a: Cube, b: Cube) -> bool {
    (a.value ^ b.value) & a.mask & b.mask == 0
}

/// Whether one of the rows excludes all encodings that they share.
fn kept_apart(a: &Row, b: &Row) -> bool {
    let leaves_out = |hole: Cube, other: Cube| {
        let both = Cube {
            mask: a.pattern.select.mask | b.pattern.select.mask,
            value: a.pattern.select.value | b.pattern.select.value,
        };
        hole.mask & !both.mask == 0 && meet(hole, both) && meet(hole, other)
    };
    a.exceptions().any(|hole| leaves_out(hole, b.pattern.select))
        || b.exceptions().any(|hole| leaves_out(hole, a.pattern.select))
}

#[test]
fn no_two_rows_share_an_encoding() {
    for (at, one) in rows().iter().enumerate() {
        for other in &rows()[at + 1..] {
            let same_size = one.pattern.size == other.pattern.size;
            let shared =
                same_size && meet(one.pattern.select, other.pattern.select) && !kept_apart(one, other);
            assert!(!shared, "`{}` and `{}`", one.text, other.text);
        }
    }
}

#[test]
fn every_narrow_encoding_is_in_one_row_at_the_most() {
    for raw in (0..=0xffff_u32).filter(|&raw| length(raw as u16) == 2) {
        let matching = rows()
            .iter()
            .filter(|row| row.pattern.size == 2 && row.matches(raw));
        let count = matching.count();
        assert!(count <= 1, "{raw:04x}");
        assert_eq!(count == 1, decode(raw, Isa::ALL).is_ok(), "{raw:04x}");
    }
}

#[test]
fn a_row_has_the_length_that_its_lowest_bits_say() {
    for row in rows() {
        assert_eq!(
            length(row.pattern.select.value as u16),
            row.pattern.size,
            "{}",
            row.text
        );
    }
}
