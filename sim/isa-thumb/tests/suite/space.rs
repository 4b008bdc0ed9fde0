//! Checks the table against the whole encoding space without sampling: rows are sets of encodings with some bits fixed, so their
//! intersections and sizes are computed exactly.

use isa_pattern::Cube;
use isa_thumb::table::{Row, rows};
use isa_thumb::{DecodeError, Isa, Op, decode, is_wide};

/// The encodings in both cubes.
fn intersection(a: Cube, b: Cube) -> Option<Cube> {
    let conflict = (a.value ^ b.value) & a.mask & b.mask;
    (conflict == 0).then_some(Cube {
        mask: a.mask | b.mask,
        value: a.value | b.value,
    })
}

/// The encodings of `from` that are not in `hole`, as disjoint cubes.
fn subtract(from: Cube, hole: Cube) -> Vec<Cube> {
    if intersection(from, hole).is_none() {
        return vec![from];
    }
    let mut rest = Vec::new();
    let mut common = from;
    for bit in (0..32)
        .map(|n| 1u32 << n)
        .filter(|bit| hole.mask & !from.mask & bit != 0)
    {
        let differing = common.value | (!hole.value & bit);
        rest.push(Cube {
            mask: common.mask | bit,
            value: differing,
        });
        common = Cube {
            mask: common.mask | bit,
            value: common.value | hole.value & bit,
        };
    }
    rest
}

fn subtract_all(from: Vec<Cube>, holes: impl IntoIterator<Item = Cube>) -> Vec<Cube> {
    holes.into_iter().fold(from, |parts, hole| {
        parts.into_iter().flat_map(|part| subtract(part, hole)).collect()
    })
}

/// The encodings of a row, without its exceptions, as disjoint cubes.
fn cubes(row: &Row) -> Vec<Cube> {
    subtract_all(vec![row.pattern.select], row.exceptions())
}

/// All encodings of this size: a wide one starts with 0b11101 or 0b1111, a narrow one does not.
fn space(size: u8) -> Vec<Cube> {
    let prefixes = [
        Cube {
            mask: 0xf800_0000,
            value: 0xe800_0000,
        },
        Cube {
            mask: 0xf000_0000,
            value: 0xf000_0000,
        },
    ];
    if size == 4 {
        return prefixes.to_vec();
    }
    let narrow = Cube {
        mask: 0xffff_0000,
        value: 0,
    };
    subtract_all(
        vec![narrow],
        prefixes.map(|p| Cube {
            mask: p.mask >> 16,
            value: p.value >> 16,
        }),
    )
}

fn of_size(size: u8) -> impl Iterator<Item = &'static Row> {
    of_core(Isa::ARMV7M, size)
}

fn of_core(isa: Isa, size: u8) -> impl Iterator<Item = &'static Row> {
    rows()
        .iter()
        .filter(move |row| row.pattern.size == size && !row.is_float() && row.is_of(isa))
}

/// A row's cubes within its size: the upper half of a narrow encoding is zero.
fn within(size: u8, row: &Row) -> Vec<Cube> {
    let outside = if size == 2 { 0xffff_0000 } else { 0 };
    cubes(row)
        .into_iter()
        .map(|c| Cube {
            mask: c.mask | outside,
            value: c.value,
        })
        .collect()
}

#[test]
fn the_rows_leave_no_gap() {
    for size in [2, 4] {
        let rest = subtract_all(space(size), of_size(size).flat_map(|row| within(size, row)));
        let rest: Vec<_> = rest
            .iter()
            .map(|c| format!("{:08x}/{:08x}", c.value, c.mask))
            .collect();
        assert!(rest.is_empty(), "in no row: {rest:#?}");
    }
}

#[test]
fn no_two_rows_overlap() {
    for (isa, size) in [(Isa::ARMV7M, 2), (Isa::ARMV7M, 4), (Isa::ARMV7EM, 4)] {
        let rows: Vec<_> = of_core(isa, size).map(|row| (row, within(size, row))).collect();
        for (at, (one, ones)) in rows.iter().enumerate() {
            for (other, others) in &rows[at + 1..] {
                let both = ones
                    .iter()
                    .find_map(|&a| others.iter().find_map(|&b| intersection(a, b)));
                assert!(both.is_none(), "{} and {} share {both:x?}", one.name, other.name);
            }
        }
    }
}

#[test]
fn no_row_leaves_the_space_of_its_size() {
    for row in rows() {
        let outside = subtract_all(within(row.pattern.size, row), space(row.pattern.size));
        assert!(outside.is_empty(), "{} has encodings of another size", row.name);
    }
}

/// Floating-point rows replace two coprocessors, but need not fill their space.
#[test]
fn floating_point_is_disjoint_and_keeps_to_its_space() {
    let rows: Vec<_> = rows().iter().filter(|row| row.is_float()).collect();
    for (at, one) in rows.iter().enumerate() {
        let ten_or_eleven = Cube {
            mask: 0xec00_0e00,
            value: 0xec00_0a00,
        };
        assert!(
            cubes(one)
                .iter()
                .all(|cube| subtract(*cube, ten_or_eleven).is_empty()),
            "{}",
            one.name
        );
        for other in &rows[at + 1..] {
            let both = cubes(one)
                .iter()
                .any(|&a| cubes(other).iter().any(|&b| intersection(a, b).is_some()));
            assert!(!both, "{} and {}", one.name, other.name);
        }
    }
}

/// Instructions missing from ARMv6-M are undefined there, and the others mean the same.
#[test]
fn armv6m_is_a_part_of_armv7m() {
    for raw in 0..=0xffff_u32 {
        match (Isa::ARMV6M.decode(raw), decode(raw)) {
            (
                Err(DecodeError::Undefined {
                    why: "IT, CBZ and CBNZ are not in ARMv6-M",
                    ..
                }),
                Ok(insn),
            ) => {
                assert!(matches!(insn.op, Op::It | Op::Cbz | Op::Cbnz), "{raw:04x}");
            }
            (Err(DecodeError::Undefined { .. }), Err(DecodeError::Unpredictable { .. })) => {}
            (Err(DecodeError::Unpredictable { .. }), Ok(insn)) => {
                assert!(insn.op == Op::Cps && insn.imm & 1 != 0, "{raw:04x}");
            }
            (small, large) => assert_eq!(small, large, "{raw:04x}"),
        }
    }
    for (raw, kept) in [
        (0xf000_f800, true),
        (0xf3bf_8f4f, true),
        (0xf3ef_8010, true),
        (0xea40_0001, false),
        (0xf7f0_a000, true),
    ] {
        assert_eq!(Isa::ARMV6M.decode(raw).is_ok(), kept, "{raw:08x}");
    }
}

#[test]
fn every_narrow_encoding_has_one_outcome() {
    for raw in 0..=0xffff_u32 {
        let matching = of_size(2).filter(|row| row.matches(raw)).count();
        if is_wide(raw as u16) {
            assert_eq!(matching, 0, "{raw:04x}");
            assert_eq!(decode(raw), Err(DecodeError::Truncated { first: raw as u16 }));
        } else {
            assert_eq!(matching, 1, "{raw:04x}");
            agrees_with_its_row(raw, 2);
        }
    }
}

/// Checks every first halfword with second halfwords that cover all upper and all lower bytes.
#[test]
fn wide_encodings_have_one_outcome_each() {
    let halves = (0..=0xff_u32)
        .map(|n| n * 0x0100 + 0x3b)
        .chain((0..=0xff).map(|n| 0x0f00 | n));
    let seconds: Vec<u32> = halves.collect();
    for first in 0xe800..=0xffff_u32 {
        for &second in &seconds {
            agrees_with_its_row(first << 16 | second, 4);
        }
    }
}

/// Checks that the outcome is that of the row: its operation, its reason for being undefined, or one of its unpredictable cases.
fn agrees_with_its_row(raw: u32, size: u8) {
    match decode(raw) {
        Ok(insn) => {
            let row = &rows()[usize::from(insn.row)];
            assert!(row.matches(raw) && row.op == Some(insn.op), "{raw:08x}");
            assert_eq!((insn.raw, insn.size, row.pattern.size), (raw, size, size));
        }
        Err(DecodeError::Undefined {
            raw: given,
            size: length,
            why,
        }) => {
            assert_eq!((given, length), (raw, size));
            assert!(
                rows().iter().any(|row| row.name == why && row.op.is_none()),
                "{raw:08x}: {why}"
            );
        }
        Err(DecodeError::Unpredictable {
            raw: given,
            size: length,
            why,
        }) => {
            assert_eq!((given, length), (raw, size));
            let row = of_size(size)
                .find(|row| row.matches(raw))
                .expect("the rows fill the space");
            assert!(row.op.is_some() && !why.is_empty(), "{raw:08x}: {why}");
        }
        Err(DecodeError::Truncated { .. }) => panic!("{raw:08x} is whole"),
    }
}
