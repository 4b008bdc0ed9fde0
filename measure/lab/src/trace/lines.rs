//! Writes a line for each event: as text, JSON, or comma-separated values.
//!
//! Nearly all lines are about instructions and their accesses, and differ from an earlier line of the same instruction in a few numbers
//! only. So `quick` splits a line of `general` at its numbers once, and then inserts new ones.

mod digits;
mod general;
mod quick;

use events::{Costs, Event, Retire, RuleBook};
use machine::{Board, ExceptionNames, Image, Listing};
use rustc_hash::FxHashMap;

use super::fields::{About, Name, RuleNames, causes, name, ports};
use super::{Format, Writer};

use quick::{Quick, Way};

/// An instruction that has executed before.
struct Known {
    pc: u32,
    raw: u32,
    insn: String,
    place: String,
    /// The ends of its lines, by cost.
    ways: Vec<(Costs, Way)>,
}

/// Most line ends kept per instruction.
const WAYS: usize = 8;

/// The line writer.
pub(super) struct Lines<'a> {
    format: Format,
    image: &'a Image,
    rules: RuleNames,
    called: ExceptionNames,
    ports: Vec<(usize, String)>,
    listing: Listing,
    /// The last executed IT instruction, if the listing has not seen it because it was cached.
    it: Option<(u32, u32)>,
    /// The cached instructions, decoded and formatted once.
    known: Vec<Known>,
    /// Their indices by address.
    places: FxHashMap<u32, usize>,
    /// Index of the last instruction; the next one is often its neighbour.
    last: usize,
    quick: Quick,
}

impl<'a> Lines<'a> {
    pub(super) fn begin(format: Format, image: &'a Image, board: &Board, out: &mut Vec<u8>) -> Lines<'a> {
        let rules: RuleBook = board.core().rule_book();
        if format == Format::Csv {
            let all = ["cycle", "event"].into_iter().chain(Name::ALL);
            out.extend(all.collect::<Vec<_>>().join(",").bytes());
            out.push(b'\n');
        }
        Lines {
            format,
            image,
            rules: RuleNames::of(&rules),
            called: board.exception_names(),
            ports: ports(board),
            listing: Listing::new(image.architecture()),
            it: None,
            known: Vec::new(),
            places: FxHashMap::default(),
            last: 0,
            quick: Quick::new(format),
        }
    }

    /// Index of the cached instruction at `pc`, which is added if needed. An instruction without encoding was only fetched.
    fn meet(&mut self, pc: u32, raw: Option<u32>) -> usize {
        let same = |known: &Known| known.pc == pc && raw.is_none_or(|raw| raw == known.raw);
        let next = self.last + 1;
        let found = if self.known.get(next).is_some_and(same) {
            Some(next)
        } else {
            let place = self.places.get(&pc).copied();
            place.filter(|place| self.known.get(*place).is_some_and(same))
        };
        let Some(place) = found else {
            self.last = self.learn(pc, raw);
            return self.last;
        };
        if let Some(raw) = raw {
            self.pass(pc, raw);
        }
        self.last = place;
        place
    }

    #[cold]
    fn learn(&mut self, pc: u32, raw: Option<u32>) -> usize {
        if let Some((pc, raw)) = self.it.take() {
            let _ = self.listing.line(pc, raw);
        }
        let insn = raw.map(|raw| self.listing.line(pc, raw).unwrap_or_else(|error| error));
        let known = Known {
            pc,
            raw: raw.unwrap_or(0),
            insn: insn.unwrap_or_default(),
            place: self.image.describe(pc).unwrap_or_default(),
            ways: Vec::new(),
        };
        // Changed code replaces its old entry.
        let place = *self.places.entry(pc).or_insert(self.known.len());
        match self.known.get_mut(place) {
            Some(old) => *old = known,
            None => self.known.push(known),
        }
        place
    }

    /// Passes a cached instruction: an IT instruction begins a block that the listing has not seen, any other one ends it.
    fn pass(&mut self, pc: u32, raw: u32) {
        let begins_it = raw <= 0xffff && raw & 0xff00 == 0xbf00 && raw & 0xf != 0;
        self.it = begins_it.then_some((pc, raw));
        self.listing.jump();
    }

    /// Index of the line end for this cost.
    fn account(&mut self, place: usize, retire: &Retire) -> usize {
        let known = &mut self.known[place];
        let same = |(of, _): &(Costs, Way)| of.as_slice() == retire.costs.as_slice();
        if let Some(index) = known.ways.iter().position(same) {
            return index;
        }
        let about = About {
            insn: &known.insn,
            place: &known.place,
            causes: &causes(&retire.costs, &self.rules),
            name: "",
        };
        let way = Way::of(self.format, retire, about);
        if known.ways.len() == WAYS {
            known.ways.clear();
        }
        known.ways.push((retire.costs, way));
        known.ways.len() - 1
    }

    /// Writes an infrequent event.
    fn other(&mut self, event: &Event, out: &mut Vec<u8>) {
        let known = match *event {
            Event::Fetch { pc, .. } => {
                let place = self.meet(pc, None);
                self.known.get(place)
            }
            // An exception leaves the interrupted code's IT block. Its return resumes it, which is not tracked.
            Event::Enter(_) | Event::Exit(_) | Event::Reset { .. } => {
                self.it = None;
                self.listing.jump();
                None
            }
            _ => None,
        };
        let costs = event.window().map(|(_, costs)| causes(costs, &self.rules));
        let about = About {
            insn: "",
            place: known.map_or("", |known| &known.place),
            name: &name(event, &self.called, &self.ports),
            causes: &costs.unwrap_or_default(),
        };
        general::write(self.format, event, about, out);
    }
}

impl Writer for Lines<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        match event {
            Event::Retire(retire) => {
                let place = self.meet(retire.pc, Some(retire.raw));
                let way = self.account(place, retire);
                self.quick.retire(retire, &mut self.known[place].ways[way].1, out);
            }
            Event::Read { .. } | Event::Write { .. } => self.quick.access(event, out),
            _ => self.other(event, out),
        }
    }

    fn end(&mut self, _: u64, _: &mut Vec<u8>) {}
}

#[cfg(test)]
mod tests;
