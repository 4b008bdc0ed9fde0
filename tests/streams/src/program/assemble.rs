//! Pieces of code, and where they lie.

use isa_thumb::{Insn, Reg, decode, is_wide};

/// A part of a program that nothing jumps into the middle of.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Halfwords.
    Code(Vec<u16>),
    /// A branch over so many pieces, perhaps with a condition.
    Skip { cond: Option<u16>, pieces: usize },
    /// CBZ or CBNZ over so many pieces.
    CompareSkip {
        nonzero: bool,
        register: u16,
        pieces: usize,
    },
    /// A branch back to a piece.
    Back { to: usize },
    /// BL to a label.
    Call { label: usize },
    /// TBB or TBH by R3, which is 0, 4 or 8: to one of three places behind its table.
    TableBranch { wide: bool },
    /// R0 becomes the address of the table behind the code. It stands at a multiple of four.
    TableAddress,
    /// A place with a name: labels are numbered in the order in which they stand.
    Label,
}

impl Piece {
    pub(super) fn code(halves: &[u16]) -> Piece {
        Piece::Code(halves.to_vec())
    }

    /// Whether it moves SP, or stores where SP points to.
    pub(super) fn touches_stack(&self) -> bool {
        let Piece::Code(halves) = self else { return false };
        let touches = |insn: &Insn| insn.writes().contains(Reg::SP) || insn.is_store() && insn.rn == Reg::SP;
        instructions(halves).iter().any(touches)
    }

    /// Its length in halfwords.
    fn length(&self) -> u32 {
        match self {
            Piece::Code(halves) => halves.len() as u32,
            Piece::Skip { .. } | Piece::CompareSkip { .. } => 1,
            Piece::Back { .. } | Piece::Call { .. } => 2,
            Piece::TableBranch { wide } => table_branch(*wide).len() as u32,
            Piece::TableAddress => 4,
            Piece::Label => 0,
        }
    }
}

fn instructions(halves: &[u16]) -> Vec<Insn> {
    let mut rest = halves;
    let mut insns = Vec::new();
    while let [first, behind @ ..] = rest {
        let (raw, size) = match behind {
            [second, ..] if is_wide(*first) => (u32::from(*first) << 16 | u32::from(*second), 2),
            _ => (u32::from(*first), 1),
        };
        insns.extend(decode(raw));
        rest = &rest[size..];
    }
    insns
}

/// The halfwords of instructions.
pub(super) fn halves(insns: &[Insn]) -> Vec<u16> {
    let halves = |insn: &Insn| match insn.size {
        4 => vec![(insn.raw >> 16) as u16, insn.raw as u16],
        _ => vec![insn.raw as u16],
    };
    insns.iter().flat_map(halves).collect()
}

/// The bytes of code that begins at `base`, with a table behind it; and the addresses of the labels.
pub(super) fn assemble(pieces: &[Piece], base: u32, table: &[u32]) -> (Vec<u8>, Vec<u32>) {
    let mut starts = vec![base];
    for piece in pieces {
        starts.push(starts[starts.len() - 1] + 2 * piece.length());
    }
    let behind = starts[pieces.len()].next_multiple_of(4);
    let labelled = (0..pieces.len()).filter(|at| matches!(pieces[*at], Piece::Label));
    let labels: Vec<u32> = labelled.map(|at| starts[at]).collect();
    let mut code = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        code.extend(place(piece, at, &starts, &labels, behind));
    }
    code.resize((behind - base) as usize / 2, 0xbf00);
    let bytes = code.into_iter().flat_map(u16::to_le_bytes);
    let table = table.iter().flat_map(|word| word.to_le_bytes());
    (bytes.chain(table).collect(), labels)
}

fn place(piece: &Piece, at: usize, starts: &[u32], labels: &[u32], table: u32) -> Vec<u16> {
    // From PC, which is four bytes on, in halfwords.
    let offset = |target: u32| (target.wrapping_sub(starts[at] + 4) >> 1) as u16;
    let over = |pieces: usize| offset(starts[at + 1 + pieces]);
    match piece {
        Piece::Code(halves) => halves.clone(),
        Piece::Skip { cond: None, pieces } => vec![0xe000 | over(*pieces) & 0x7ff],
        Piece::Skip {
            cond: Some(cond),
            pieces,
        } => vec![0xd000 | cond << 8 | over(*pieces) & 0xff],
        Piece::CompareSkip {
            nonzero,
            register,
            pieces,
        } => {
            let (offset, nonzero) = (over(*pieces), u16::from(*nonzero));
            vec![0xb100 | nonzero << 11 | (offset >> 5 & 1) << 9 | (offset & 0x1f) << 3 | register]
        }
        // A NOP behind the branch: its length stands before its reach does.
        Piece::Back { to } => vec![0xe000 | offset(starts[*to]) & 0x7ff, 0xbf00],
        Piece::Call { label } => vec![0xf000, 0xf800 | offset(labels[*label]) & 0x7ff],
        Piece::TableBranch { wide } => table_branch(*wide),
        // ldr r0, [pc, #0]; a branch over the word
        Piece::TableAddress => vec![0x4800, 0xe001, table as u16, (table >> 16) as u16],
        Piece::Label => Vec::new(),
    }
}

/// TBB or TBH [pc, r3], its table, of which entries 0, 4 and 8 matter, and three NOPs that these lead to.
fn table_branch(wide: bool) -> Vec<u16> {
    let length = if wide { 9 } else { 5 };
    let mut table = vec![0; length];
    for target in 0..3u16 {
        let entry = 4 * usize::from(target);
        table[if wide { entry } else { entry / 2 }] = length as u16 + target;
    }
    let branch = [0xe8df, 0xf003 | u16::from(wide) << 4];
    [&branch[..], &table, &[0xbf00; 3]].concat()
}
