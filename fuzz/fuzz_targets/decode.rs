//! Any halfwords as a listing: each one decodes and is written as text, inside an IT block or outside, or the reason why
//! it is no instruction is named with its bits. Any word is an instruction or not, whichever way it is asked. All of this for
//! every architecture.

#![no_main]

use isa_thumb::{DecodeError, Insn, Isa, ItState, Reg, is_wide};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((address, code)) = data.split_first_chunk() else {
        return;
    };
    for isa in Isa::ALL {
        list(isa, u32::from_le_bytes(*address), code);
        let words = code.as_chunks::<4>().0.iter();
        words.for_each(|bytes| word(isa, u32::from_le_bytes(*bytes)));
    }
});

fn list(isa: Isa, mut address: u32, code: &[u8]) {
    let halfwords: Vec<u16> = code
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u16::from_le_bytes(*bytes))
        .collect();
    let (mut at, mut it) = (0, ItState::OUTSIDE);
    while let Some(&first) = halfwords.get(at) {
        let size = match isa.decode_at(first, halfwords.get(at + 1).copied()) {
            Ok(insn) => {
                written(&insn, address, it);
                consistent(&insn);
                it = it.after(&insn);
                insn.size
            }
            Err(error) => {
                assert!(error.to_string().contains(&format!("{first:04x}")), "{error}");
                it = it.advance();
                if is_wide(first) { 4 } else { 2 }
            }
        };
        at += usize::from(size) / 2;
        address = address.wrapping_add(u32::from(size));
    }
}

/// No code of a template is left over.
fn written(insn: &Insn, address: u32, it: ItState) {
    let text = insn.disassemble_in(address, it);
    for text in [text.to_string(), format!("{text:#}")] {
        assert!(
            !text.is_empty() && !text.contains(['%', '$']),
            "{:#x}: {text}",
            insn.raw
        );
    }
}

/// The sets of registers that the timing rules ask for agree with each other.
fn consistent(insn: &Insn) {
    let (reads, writes) = (insn.reads(), insn.writes());
    assert_eq!(
        insn.address_regs().union(reads),
        reads,
        "{:#x}: an address is read",
        insn.raw
    );
    assert_eq!(insn.writes_pc(), writes.contains(Reg::PC), "{:#x}", insn.raw);
    assert!(
        !insn.writeback || writes.contains(insn.rn),
        "{:#x}: a base that moves is written",
        insn.raw
    );
    assert!(!(insn.is_load() && insn.is_store()), "{:#x}", insn.raw);
}

fn word(isa: Isa, raw: u32) {
    let (first, second) = ((raw >> 16) as u16, raw as u16);
    let whole = isa.decode(raw);
    if is_wide(first) {
        assert_eq!(whole, isa.decode_at(first, Some(second)));
    } else if first == 0 && !is_wide(second) {
        assert_eq!(whole, isa.decode_at(second, None));
    } else {
        assert!(matches!(whole, Err(DecodeError::Truncated { .. })), "{raw:#x}");
    }
}
