//! Going along a strand: single instructions whose requests are answered as they were before.

use bus::{Flash, Served};

use super::again::{Executed, Standing};
use crate::core::{Core, Facts, Trap};
use crate::exec::passes;
use crate::microop::Step;
use crate::run::{Ask, Decoded, Gone, Knot, Strand, Tree, Went};
use crate::timing::{Cycle, What};

/// A strand that is being made.
pub(super) struct Recording {
    from: Standing,
    strand: Strand,
    done: bool,
}

impl Recording {
    /// A recording that begins here.
    fn at(tree: &Tree, from: Standing) -> Recording {
        Recording {
            from,
            strand: Strand::new(tree),
            done: false,
        }
    }

    /// Whether nothing more is to be added.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }
}

/// Where execution left a strand: the instruction under way, its outcome if it was executed, and the index of the next request or of the
/// one with a different answer.
struct Parted {
    knot: usize,
    step: Option<Step>,
    place: u32,
    answer: Option<Served>,
}

impl Parted {
    /// At the execution of an instruction.
    fn at(number: usize, knot: &Knot, step: Option<Step>) -> Parted {
        Parted {
            knot: number,
            step,
            place: knot.behind,
            answer: None,
        }
    }

    /// At this request instead.
    fn answered(self, (place, answer): (u32, Served)) -> Parted {
        Parted {
            place,
            answer: Some(answer),
            ..self
        }
    }
}

/// So often an instruction is met by itself before a strand is made that begins with it.
const OFTEN: u8 = 8;

/// Keeps what became of a strand, if it is worth it.
pub(super) fn keep(recording: Option<Box<Recording>>, tree: &mut Tree) {
    if let Some(begun) = recording.filter(|begun| begun.strand.is_of_use()) {
        let Recording { from, strand, .. } = *begun;
        tree.keep_strand(from.stand, strand);
    }
}

impl Core {
    /// Goes along the strand that begins here, if there is one and nothing is due before its end. Gives where execution goes on.
    pub(super) fn strand_at(
        &mut self,
        decoded: &mut Decoded,
        at: Standing,
        horizon: Cycle,
    ) -> Option<Standing> {
        let strand = decoded.tree.strand(at.stand)?;
        let fp = strand.uses_fp && self.fp_to_preserve().is_some();
        if at.base + strand.reach >= horizon || fp || self.preserved.is_some() || !self.goes_along_strands() {
            return None;
        }
        self.leaving = None;
        let went = self.along(strand, at.base);
        decoded.tree.went_along(at.stand, went.is_ok());
        Some(went.unwrap_or_else(|left| left))
    }

    /// Goes on along strands as long as one follows the other; gives where execution goes on then.
    pub(super) fn next_strands(
        &mut self,
        decoded: &mut Decoded,
        mut at: Standing,
        horizon: Cycle,
    ) -> Standing {
        while at.executed.is_none() && !self.asked.resumes() {
            match self.strand_at(decoded, at, horizon) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// Not where somebody hears of each instruction, or each may be forbidden.
    fn goes_along_strands(&self) -> bool {
        !self.told.all() && !self.sys.checks_fetches()
    }

    /// A strand that is to be made and begins here, if it is worth it, in a flash with wait states.
    pub(super) fn begins_strand(&self, tree: &mut Tree, at: Standing) -> Option<Box<Recording>> {
        if !self.goes_along_strands() {
            return None;
        }
        let stand = &mut tree.stands[at.stand as usize];
        stand.passes += 1;
        if stand.passes < OFTEN {
            return None;
        }
        stand.passes = 0;
        Some(Box::new(Recording::at(tree, at)))
    }

    /// Adds an instruction to the strand that is being made.
    pub(super) fn record(&self, begun: &mut Recording, tree: &Tree, gone: &Gone) {
        let split = tree.stands[gone.stand as usize].split;
        let shape = self.bus.flash().map(Flash::shape);
        let Some(shape) = shape.filter(|_| !split && !gone.way.attends()) else {
            begun.done = true;
            return;
        };
        begun.strand.add(tree, gone, begun.from.base, shape);
        begun.done = begun.strand.is_full();
    }

    /// Follows a strand whose time begins in cycle `base`. Returns the stand after it, or the instruction under way at the first
    /// difference.
    pub(super) fn along(&mut self, strand: &Strand, base: Cycle) -> Result<Standing, Standing> {
        self.forget_carried();
        self.base = base as u64;
        // A load or store that would meet other memory than before, and so perhaps at another time, is not made.
        self.hurries = true;
        let left = self.along_knots(strand, base);
        self.hurries = false;
        if let Some(Parted {
            knot,
            step,
            place,
            answer,
        }) = left
        {
            let executed = step.filter(|_| !self.takes_back());
            return Err(self.leave_strand(strand, (knot, executed), (place, answer), base));
        }
        self.went_through(strand.knots.len(), strand.relied, base + strand.told);
        Ok(Standing::at(strand.next, base + strand.later))
    }

    /// Executes the instructions of a strand as far as all is as before. Says where it is not.
    #[inline]
    fn along_knots(&mut self, strand: &Strand, base: Cycle) -> Option<Parted> {
        let (mut number, mut asked) = (0, 0);
        while let Some(knot) = strand.knots.get(number) {
            if knot.plain != 0 {
                let plain = &strand.knots[number..number + usize::from(knot.plain)];
                for knot in plain {
                    let step = (knot.op.exec)(self, &knot.op);
                    if step != Step::Next {
                        return Some(Parted::at(number, knot, Some(step)));
                    }
                    number += 1;
                }
                continue;
            }
            let [before, behind] = knot.asks.map(|end| end as usize);
            if asked != before
                && let Err(other) = self.same_answers(&strand.asks[asked..before], base)
            {
                return Some(Parted::at(number, knot, None).answered(other));
            }
            asked = behind;
            if knot.checked && !self.is_passed_as_before(knot) {
                return Some(Parted::at(number, knot, None));
            }
            let step = (knot.op.exec)(self, &knot.op);
            let straight = step == Step::Next && knot.way.is_straight();
            let usual = straight || step == Step::Branch && self.jumped_as_before(knot);
            if !usual && !self.went(knot, step) {
                return Some(Parted::at(number, knot, Some(step)));
            }
            if before != behind
                && let Err(other) = self.same_answers(&strand.asks[before..behind], base)
            {
                return Some(Parted::at(number, knot, Some(step)).answered(other));
            }
            if !straight {
                self.strand_settles(step);
            }
            number += 1;
        }
        None
    }

    /// Whether the condition of an instruction decides as it did; of one that was skipped, whether it starts when it did, too.
    fn is_passed_as_before(&self, knot: &Knot) -> bool {
        if knot.key.skipped {
            self.key_of(&knot.op, knot.accesses) == knot.key
        } else {
            passes(knot.op.cond, self.regs.flags)
        }
    }

    /// Whether what was executed last did nothing since it depends on the time: it is then still to be executed.
    fn takes_back(&mut self) -> bool {
        let takes_back = matches!(self.trap, Trap::Expect(_) | Trap::Careful);
        if takes_back {
            (self.trap, self.facts) = (Trap::None, Facts::NONE);
        }
        takes_back
    }

    /// Makes these requests. The place of the first that is answered in another way than before, and its answer, if one is.
    #[inline]
    fn same_answers(&mut self, asks: &[Ask], base: Cycle) -> Result<(), (u32, Served)> {
        for Ask { request, place } in asks {
            let answer = self.answer(request.what, base + request.at);
            if answer != request.served {
                return Err((*place, answer));
            }
        }
        Ok(())
    }

    /// An instruction is done that ended so.
    fn strand_settles(&mut self, step: Step) {
        self.facts = Facts::NONE;
        if step == Step::Branch {
            self.jumped_again();
        }
    }

    /// Whether an instruction jumped as it did before, and can have done nothing else.
    #[inline]
    fn jumped_as_before(&self, knot: &Knot) -> bool {
        knot.jumped == Some(self.regs.r[15]) && self.regs.thumb
    }

    /// Whether an instruction went as it did before.
    fn went(&self, knot: &Knot, step: Step) -> bool {
        let way = Went::new(step, self.regs.r[15], &self.facts, &knot.op);
        way == Some(knot.way) && self.regs.thumb
    }

    #[inline]
    fn answer(&mut self, what: What, at: Cycle) -> Served {
        let Some(flash) = self.bus.flash_mut() else {
            return Served::NOTHING;
        };
        match what {
            What::Fetch(word) => flash.fetch(word << 2, at),
            What::Read(word) => {
                let data = self.facts.flash.map_or(0, |read| read.address & !3);
                flash.read(data + 4 * word, at)
            }
        }
    }

    /// Leaves the strand at a request with a different answer, while this instruction was under way and possibly executed.
    fn leave_strand(
        &mut self,
        strand: &Strand,
        (under_way, executed): (usize, Option<Step>),
        answered: (u32, Option<Served>),
        base: Cycle,
    ) -> Standing {
        let knot = &strand.knots[under_way];
        self.asked.resume(strand.asked(under_way, answered, base));
        if under_way != 0 {
            self.went_through(under_way, knot.relied, base + knot.told);
        }
        Standing {
            // The key for its start follows from the facts that it met.
            executed: executed.map(|step| Executed { step, key: None }),
            ..Standing::at(knot.stand, base + knot.base)
        }
    }
}
