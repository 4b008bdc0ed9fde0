//! Traces of single instructions that were executed in a row.
//!
//! Code that does not fit into the cache of a flash fetches each of its lines anew each time, with the same answers, and follows the same
//! path in [`Tree`] again and again. A strand is one such path: the requests in order with their answers, and between them the instructions
//! with their outcomes. At the first difference, the tree continues from the instruction under way.

use bus::{FlashShape, Served};
use events::RuleSet;

use crate::microop::MicroOp;
use crate::timing::{Cycle, Request, What};

use super::stands::{Key, Leaf, NOWHERE, Tree, Went};

/// Instructions of a strand at the most, and at least.
const LONGEST: usize = 32;
const SHORTEST: usize = 2;
/// More cycles than a transfer of a word takes.
const TRANSFER: Cycle = 1 << 8;
/// A strand is given up when it was left so much more often than gone through.
const GIVEN_UP: i8 = -8;
const PROVEN: i8 = 8;

/// A request that is made, and where among all of them it is.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    pub request: Request,
    pub place: u32,
}

/// An instruction of a strand.
#[derive(Clone)]
pub(crate) struct Knot {
    /// Its times are those of the strand.
    pub op: MicroOp,
    pub stand: u32,
    /// When the time of its stand begins.
    pub base: Cycle,
    pub key: Key,
    /// Whether it may be skipped: that decides when it starts, and is asked before it executes.
    pub checked: bool,
    pub accesses: bool,
    /// Number of instructions, from this one on, that only have to be executed: they make no request and continue straight.
    pub plain: u8,
    pub way: Went,
    /// The target of its jump, if it did, and can do, nothing else.
    pub jumped: Option<u32>,
    /// The first of its requests, and the first of those after its execution.
    pub first: u32,
    pub behind: u32,
    /// The ends, in [`Strand::asks`], of its requests before and after its execution.
    pub asks: [u32; 2],
    /// The rules of all earlier instructions, and the end of the previous instruction's window.
    pub relied: RuleSet,
    pub told: Cycle,
}

/// A way through several instructions.
#[derive(Clone, Default)]
pub(crate) struct Strand {
    /// All requests. The answer to one that is not in [`Strand::asks`] follows from the previous one and has no side effect: it is for a
    /// word of the same line.
    requests: Vec<Request>,
    pub asks: Vec<Ask>,
    pub knots: Vec<Knot>,
    /// The rules of all instructions, and the end of the last one's window.
    pub relied: RuleSet,
    pub told: Cycle,
    /// The next stand, and the number of cycles until its time.
    pub next: u32,
    pub later: Cycle,
    /// The cycle by which it is surely complete, whatever its loads and stores of several registers meet.
    pub reach: Cycle,
    pub uses_fp: bool,
    /// [`Tree::corrected`] when it was made.
    corrected: u32,
    score: i8,
    /// The line of the last request of an instruction.
    line: Option<u32>,
}

/// How an instruction went that is to become a part of a strand.
pub(crate) struct Gone<'a> {
    pub stand: u32,
    /// When its time began, absolute.
    pub base: Cycle,
    pub access: Cycle,
    pub key: Key,
    pub way: Went,
    /// All of its requests, in absolute time, and the number of those before its execution.
    pub requests: &'a [Request],
    pub prepared: usize,
    pub leaf: &'a Leaf,
}

impl Strand {
    /// An empty trace.
    pub(crate) fn new(tree: &Tree) -> Strand {
        Strand {
            corrected: tree.corrected,
            next: NOWHERE,
            ..Strand::default()
        }
    }

    /// Adds an instruction; its strand began in cycle `base`, and executes from this flash.
    pub(crate) fn add(&mut self, tree: &Tree, gone: &Gone, base: Cycle, flash: &FlashShape) {
        let stand = &tree.stands[gone.stand as usize];
        let since = gone.base - base;
        let start = since + gone.access;
        let first = self.requests.len() as u32;
        let (before, behind) = gone.requests.split_at(gone.prepared);
        self.ask(before, base, flash);
        let (executes, before) = (self.requests.len() as u32, self.asks.len() as u32);
        self.ask(behind, base, flash);
        let end = self.asks.len() as u32;
        let checked = stand.op.is_conditional();
        let asks = self.knots.last().map_or(0, |knot| knot.asks[1]) != end;
        let plain = !checked && !asks && gone.way.is_straight();
        for known in self.knots.iter_mut().rev() {
            match known.plain {
                1.. if plain => known.plain += 1,
                _ => break,
            }
        }
        self.knots.push(Knot {
            op: MicroOp {
                start: start as i32,
                access: 0,
                ..stand.op
            },
            stand: gone.stand,
            base: since,
            key: gone.key,
            checked,
            accesses: stand.shape.words != 0,
            plain: plain.into(),
            way: gone.way,
            jumped: gone.way.jumped().filter(|_| stand.shape.words == 0),
            first,
            behind: executes,
            asks: [before, end],
            relied: self.relied,
            told: self.told,
        });
        self.uses_fp |= stand.op.uses_fp;
        self.relied = self.relied.union(gone.leaf.told.rules);
        self.told = since + gone.leaf.told.end;
        (self.next, self.later) = (gone.leaf.next, since + gone.leaf.later);
        let words = Cycle::from(stand.shape.words);
        let transfers = if words > 1 { (words + 1) * TRANSFER } else { 0 };
        self.reach = self.reach.max(self.told.max(start + transfers)).max(self.later);
    }

    fn ask(&mut self, requests: &[Request], base: Cycle, flash: &FlashShape) {
        for request in requests {
            let at = request.at - base;
            let request = Request { at, ..*request };
            let implied = if let What::Fetch(word) = request.what {
                let number = (word << 2) / flash.line;
                let again = self.line.replace(number) == Some(number);
                // A bus that data shares is taken for a cycle by each word, whatever line it is of.
                again && !flash.shared && request.served == served_again(request.served)
            } else {
                false
            };
            if !implied {
                let place = self.requests.len() as u32;
                self.asks.push(Ask { request, place });
            }
            self.requests.push(request);
        }
    }

    /// Whether nothing more is to be added.
    pub(crate) fn is_full(&self) -> bool {
        self.knots.len() >= LONGEST
    }

    /// Whether it is worth being kept.
    pub(crate) fn is_of_use(&self) -> bool {
        self.knots.len() >= SHORTEST
    }

    /// The requests of an instruction, as far as they come before this one, which was answered so; in the time that begins in
    /// cycle `base`.
    pub(crate) fn asked(
        &self,
        knot: usize,
        (place, answer): (u32, Option<Served>),
        base: Cycle,
    ) -> impl Iterator<Item = Request> {
        let known = &self.requests[self.knots[knot].first as usize..place as usize];
        let last = answer.zip(self.requests.get(place as usize));
        let last = last.map(|(served, request)| Request { served, ..*request });
        known.iter().copied().chain(last).map(move |request| Request {
            at: request.at + base,
            ..request
        })
    }
}

/// How a word is served whose line was served at once just before.
fn served_again(served: Served) -> Served {
    Served {
        wait: 0,
        queued: 0,
        ..served
    }
}

impl Tree {
    /// The strand that begins at a stand, if there is one.
    #[inline]
    pub(crate) fn strand(&self, stand: u32) -> Option<&Strand> {
        let strand = self.strands.get(self.stands[stand as usize].strand as usize)?;
        (strand.corrected == self.corrected && strand.score > GIVEN_UP).then_some(strand)
    }

    /// Keeps a strand that begins at this stand.
    pub(crate) fn keep_strand(&mut self, stand: u32, strand: Strand) {
        let known = self.stands[stand as usize].strand as usize;
        if let Some(old) = self.strands.get_mut(known) {
            *old = strand;
        } else {
            self.stands[stand as usize].strand = self.strands.len() as u32;
            self.strands.push(strand);
        }
    }

    /// A strand was gone through to its end, or left before.
    #[inline]
    pub(crate) fn went_along(&mut self, stand: u32, to_its_end: bool) {
        let place = self.stands[stand as usize].strand as usize;
        if let Some(strand) = self.strands.get_mut(place) {
            strand.score = if to_its_end {
                (strand.score + 1).min(PROVEN)
            } else {
                strand.score - 1
            };
        }
    }
}
