//! Formats the most frequent lines, for instructions and accesses, from fixed pieces and numbers.

use events::{Event, Retire, Window};

use super::digits::{Decimals, Room, address};
use super::general;
use crate::trace::Format;
use crate::trace::fields::About;

/// Placeholder numbers that no real line contains: no program runs that many cycles, and no instruction has an odd address.
const CYCLES: [u64; 3] = [u64::MAX, u64::MAX - 1, u64::MAX - 2];
const ADDRESSES: [u32; 3] = [0xffff_fff1, 0xffff_fff3, 0xffff_fff5];
const SIZE: u8 = 251;

/// A piece of a line between two numbers.
#[derive(Clone, Copy)]
struct Piece {
    text: [u8; 32],
    len: usize,
}

impl Piece {
    fn of(text: &str) -> Piece {
        let mut piece = Piece {
            text: [0; 32],
            len: text.len(),
        };
        piece.text[..text.len()].copy_from_slice(text.as_bytes());
        piece
    }

    #[inline(always)]
    fn put(&self, room: &mut Room) {
        room.put(&self.text, self.len);
    }
}

/// The part of an instruction's line after its issue cycle.
pub(super) struct Way {
    text: Box<[u8]>,
    /// Offset of the stack pointer, if it is there, and the value written last, which rarely changes.
    sp: Option<(usize, u32)>,
}

impl Way {
    /// The line end of an instruction with this cost.
    pub(super) fn of(format: Format, retire: &Retire, about: About<'_>) -> Way {
        let (_, rest) = instruction(format, retire, about);
        let sp = shown(ADDRESSES[0]);
        // In a table the instruction's text precedes the stack pointer, so search backwards there.
        let place = match format {
            Format::Csv => rest.rfind(&sp),
            _ => rest.find(&sp),
        };
        Way {
            text: rest.into_bytes().into(),
            sp: place.map(|place| (place, ADDRESSES[0])),
        }
    }

    /// The text with this stack pointer.
    #[inline(always)]
    fn text(&mut self, sp: u32) -> &[u8] {
        if let Some((place, written)) = &mut self.sp
            && *written != sp
        {
            let digits = address(sp);
            self.text[*place..][..digits.len()].copy_from_slice(&digits);
            *written = sp;
        }
        &self.text
    }
}

/// An instruction's line: the pieces around its first two cycles, and the rest after the third.
fn instruction(format: Format, retire: &Retire, about: About<'_>) -> ([String; 3], String) {
    let [from, to, issued] = CYCLES;
    let marked = Retire {
        at: Window { from, to },
        issued,
        sp: ADDRESSES[0],
        ..*retire
    };
    let line = line(format, &Event::Retire(marked), about);
    let marks = CYCLES.map(|cycle| cycle.to_string());
    let ([before, between, last], rest) = cut(&line, &marks);
    ([before, between, last], rest)
}

/// An access's line: the pieces around its numbers.
fn access(format: Format, writes: bool) -> ([String; 5], String) {
    let [pc, address, value] = ADDRESSES;
    let access = events::Access {
        cycle: CYCLES[0],
        pc,
        address,
        size: SIZE,
        value,
        sp: 0,
        since: events::RuleSet::EMPTY,
    };
    let line = line(format, &access.event(writes), About::default());
    let marks = [
        CYCLES[0].to_string(),
        shown(pc),
        shown(address),
        SIZE.to_string(),
        shown(value),
    ];
    cut(&line, &marks)
}

fn line(format: Format, event: &Event, about: About<'_>) -> String {
    let mut line = Vec::new();
    general::write(format, event, about, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

fn shown(value: u32) -> String {
    format!("{value:#010x}")
}

/// Splits a line at these marks.
fn cut<const MARKS: usize>(line: &str, marks: &[String; MARKS]) -> ([String; MARKS], String) {
    let mut rest = line;
    let pieces = marks.each_ref().map(|mark| {
        let (piece, behind) = rest.split_once(mark.as_str()).unwrap_or((rest, ""));
        rest = behind;
        piece.to_owned()
    });
    (pieces, rest.to_owned())
}

/// The fast line writer.
pub(super) struct Quick {
    /// Minimum width of a line's first cycle.
    width: usize,
    instruction: [Piece; 3],
    /// The pieces for loads and for stores.
    accesses: [([Piece; 5], Piece); 2],
    decimals: Decimals,
    room: Room,
}

impl Quick {
    pub(super) fn new(format: Format) -> Quick {
        let any = Retire {
            at: Window::default(),
            issued: 0,
            pc: 0,
            raw: 0,
            size: 2,
            sp_before: 0,
            sp: 0,
            link: 0,
            alternate_link: 0,
            since: events::RuleSet::EMPTY,
            rules: events::RuleSet::EMPTY,
            costs: events::Costs::NONE,
        };
        let (pieces, _) = instruction(format, &any, About::default());
        let accesses = [false, true].map(|writes| {
            let (pieces, rest) = access(format, writes);
            (pieces.map(|piece| Piece::of(&piece)), Piece::of(&rest))
        });
        Quick {
            width: if format == Format::Text { general::CYCLE } else { 0 },
            instruction: pieces.map(|piece| Piece::of(&piece)),
            accesses,
            decimals: Decimals::new(),
            room: Room::new(),
        }
    }

    /// Writes an executed instruction.
    pub(super) fn retire(&mut self, retire: &Retire, way: &mut Way, out: &mut Vec<u8>) {
        let (room, decimals) = (&mut self.room, &mut self.decimals);
        room.clear();
        let [before, between, last] = &self.instruction;
        before.put(room);
        decimals.put(retire.at.from, self.width, room);
        between.put(room);
        decimals.put(retire.at.to, 0, room);
        last.put(room);
        decimals.put(retire.issued, 0, room);
        out.extend_from_slice(room.text());
        out.extend_from_slice(way.text(retire.sp));
    }

    /// Writes a memory access.
    pub(super) fn access(&mut self, event: &Event, out: &mut Vec<u8>) {
        let (Event::Read {
            cycle,
            pc,
            address: at,
            size,
            value,
            ..
        }
        | Event::Write {
            cycle,
            pc,
            address: at,
            size,
            value,
            ..
        }) = *event
        else {
            return;
        };
        let room = &mut self.room;
        room.clear();
        let writes = matches!(event, Event::Write { .. });
        let ([first, second, third, fourth, fifth], last) = &self.accesses[usize::from(writes)];
        first.put(room);
        self.decimals.put(cycle, self.width, room);
        second.put(room);
        room.all(&address(pc));
        third.put(room);
        room.all(&address(at));
        fourth.put(room);
        // One digit: an access has 1, 2 or 4 bytes.
        room.all(&[b'0' + size]);
        fifth.put(room);
        room.all(&address(value));
        last.put(room);
        out.extend_from_slice(room.text());
    }
}
