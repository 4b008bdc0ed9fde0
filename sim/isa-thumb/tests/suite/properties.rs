//! Properties that hold for arbitrary bits.

use isa_thumb::{DecodeError, Insn, Op, Reg, decode, decode_at, is_wide};
use proptest::prelude::*;

/// Checks that an instruction's operands agree with the register sets that a pipeline asks for.
fn sets_are_consistent(insn: &Insn) {
    assert!(!insn.is_load() || !insn.is_store());
    if insn.is_load() || insn.is_store() {
        assert!(
            insn.address_regs().contains(insn.rn),
            "a base is part of the address"
        );
    }
    let address = insn.address_regs();
    assert_eq!(address.union(insn.reads()), insn.reads(), "an address is read");
    assert_eq!(insn.writes_pc(), insn.writes().contains(Reg::PC));
    if insn.writeback {
        assert!(insn.writes().contains(insn.rn));
    }
    if insn.is_store() && insn.op != Op::Strex && !insn.writeback {
        assert!(insn.writes().is_empty());
    }
    if insn.op == Op::Ldm {
        assert_eq!(insn.writes().union(insn.list), insn.writes());
    }
}

/// A random halfword. Wide instructions, an eighth of the space, make up half of the samples.
fn halfword() -> impl Strategy<Value = u16> {
    prop_oneof![any::<u16>(), 0xe800..=u16::MAX]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200_000))]

    #[test]
    fn any_bits_decode_or_say_why_not(first in halfword(), second: u16, address: u32) {
        match decode_at(first, Some(second)) {
            Ok(insn) => {
                sets_are_consistent(&insn);
                let text = insn.disassemble(address).to_string();
                prop_assert!(!text.is_empty() && !text.contains(['%', '$']), "{}", text);
            }
            Err(error) => {
                let names_it = error.to_string().contains(&format!("{first:04x}"));
                prop_assert!(names_it, "{}", error);
            }
        }
    }

    #[test]
    fn any_word_is_decoded_without_panic(raw: u32) {
        let wide = is_wide((raw >> 16) as u16);
        let truncated = matches!(decode(raw), Err(DecodeError::Truncated { .. }));
        prop_assert_eq!(truncated, !wide && (raw >> 16 != 0 || is_wide(raw as u16)));
    }

    #[test]
    fn halfwords_decode_as_the_word_they_make(first in halfword(), second: u16) {
        let whole = if is_wide(first) {
            u32::from(first) << 16 | u32::from(second)
        } else {
            u32::from(first)
        };
        prop_assert_eq!(decode_at(first, Some(second)), decode(whole));
        if is_wide(first) {
            prop_assert_eq!(decode_at(first, None), Err(DecodeError::Truncated { first }));
        } else {
            prop_assert_eq!(decode_at(first, None), decode(whole));
        }
    }
}
