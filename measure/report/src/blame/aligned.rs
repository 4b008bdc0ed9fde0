//! Aligns the code that two builds executed.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::stable;
use crate::timeline::{Code, Timeline};

/// A piece of code found on one side, or matched on both.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pair<'a> {
    Both(&'a Code, &'a Code),
    Gone(&'a Code),
    New(&'a Code),
}

/// A function's name; `None` for cycles that belong to no instruction.
type Name<'a> = Option<&'a str>;

/// All pairs, function by function.
pub(super) fn aligned<'a>(old: &'a Timeline, new: &'a Timeline) -> Vec<Pair<'a>> {
    let (before, now) = (functions(old), functions(new));
    let mut pairs = Vec::new();
    for (name, code) in &now {
        match before.iter().find(|(other, _)| other == name) {
            Some((_, other)) => align(other, code, &mut pairs),
            None => pairs.extend(code.iter().map(|code| Pair::New(code))),
        }
    }
    for (name, code) in &before {
        if !now.iter().any(|(other, _)| other == name) {
            pairs.extend(code.iter().map(|code| Pair::Gone(code)));
        }
    }
    pairs
}

/// The executed code of each function, by address; functions in the order in which they first ran.
fn functions(timeline: &Timeline) -> Vec<(Name<'_>, Vec<&Code>)> {
    let mut all: Vec<(Name<'_>, Vec<&Code>)> = Vec::new();
    for code in &timeline.code {
        let name = code
            .pc
            .map(|_| stable(timeline.name(code.function).unwrap_or("")));
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, codes)) => codes.push(code),
            None => all.push((name, vec![code])),
        }
    }
    for (_, codes) in &mut all {
        codes.sort_by_key(|code| (code.pc, code.text.clone()));
    }
    all
}

fn align<'a>(old: &[&'a Code], new: &[&'a Code], pairs: &mut Vec<Pair<'a>>) {
    let keys = |codes: &[&Code]| codes.iter().map(|code| key(&code.text)).collect::<Vec<_>>();
    for op in capture_diff_slices(Algorithm::Myers, &keys(old), &keys(new)) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => pairs.extend((0..len).map(|i| Pair::Both(old[old_index + i], new[new_index + i]))),
            DiffOp::Delete {
                old_index, old_len, ..
            } => pairs.extend(old[old_index..][..old_len].iter().map(|code| Pair::Gone(code))),
            DiffOp::Insert {
                new_index, new_len, ..
            } => pairs.extend(new[new_index..][..new_len].iter().map(|code| Pair::New(code))),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => {
                pairs.extend(old[old_index..][..old_len].iter().map(|code| Pair::Gone(code)));
                pairs.extend(new[new_index..][..new_len].iter().map(|code| Pair::New(code)));
            }
        }
    }
}

/// An instruction's text without the parts that move when other code grows: addresses, literal pool offsets, address halves.
fn key(text: &str) -> String {
    let mnemonic = text.split(' ').next().unwrap_or("");
    if ["movw", "movt", "adr", "adr.w", "lui", "auipc"].contains(&mnemonic) {
        return text.rsplit_once(',').map_or(text, |(front, _)| front).to_owned();
    }
    let text = match text.find("[pc") {
        Some(at) => &text[..at + 3],
        None => text,
    };
    text.find("0x").map_or(text, |at| &text[..at]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn what_moves_with_the_code_is_no_part_of_an_instruction() {
        assert_eq!(key("bl 0x80012fc"), key("bl 0x80012fe"));
        assert_eq!(key("ldr r0, [pc, #12]"), key("ldr r0, [pc, #16]"));
        assert_eq!(key("movw r0, #4"), key("movw r0, #8"));
        assert_ne!(key("movs r0, #4"), key("movs r0, #8"));
        assert_ne!(key("movw r0, #4"), key("movw r1, #4"));
    }
}
