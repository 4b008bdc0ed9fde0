//! Tracks how deep stacks go.
//!
//! A stack is known by the bounds of its used part. Each thread resumes with the stack that it was suspended with. Another stack comes
//! into use in three cases: a new thread runs; a handler's stack pointer is not where a frame on the same stack would leave it; an
//! instruction loads the stack pointer with anything but a sum of its old value.

use events::Step;
use machine::Architecture;

/// A stack pointer step in bytes too large for a function: another stack is in use.
const FAR: u32 = 1 << 15;

/// A stack pointer at least this many bytes below a stack belongs to another one. Nearer, an array of that length may begin.
const NEAR: u32 = 512;

/// Maximum number of bytes restored after a change of stacks: the new stack may begin this far above.
const RESTORED: u32 = 256;

/// Sizes in bytes of exception frames on the current stack: none, basic or extended, aligned or not.
const FRAMES: [u32; 5] = [0, 32, 36, 104, 108];

/// The used part of one stack.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) context: u32,
    pub(super) top: u32,
    pub(super) lowest: u32,
    /// The nodes that ran at its lowest point, one per active context, outermost first.
    pub(super) path: Vec<u32>,
}

/// A context's place on its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) region: Option<usize>,
    pub(super) sp: u32,
}

impl Place {
    /// An unknown place.
    pub(super) const NEW: Place = Place { region: None, sp: 0 };

    /// The same stack with this stack pointer.
    pub(super) fn at(self, sp: u32) -> Place {
        Place { sp, ..self }
    }
}

/// All stacks. Methods that process a move return whether the stack is deeper than ever, so that its path must be [kept](Stacks::keep).
#[derive(Clone, Debug)]
pub(super) struct Stacks {
    architecture: Architecture,
    pub(super) all: Vec<Region>,
    here: Place,
    /// The lowest address of the current stack's used part.
    lowest: u32,
    span: u32,
    /// Whether the stack pointer holds a partial address.
    is_partial: bool,
}

impl Stacks {
    pub(super) fn new(architecture: Architecture) -> Stacks {
        Stacks {
            architecture,
            all: Vec::new(),
            here: Place::NEW,
            lowest: u32::MAX,
            span: 0,
            is_partial: false,
        }
    }

    /// Whether a stack pointer is outside the current stack's used part.
    #[inline(always)]
    pub(super) fn leaves(&self, sp: u32) -> bool {
        sp.wrapping_sub(self.lowest) > self.span
    }

    /// An instruction ended with this stack pointer inside the used part.
    #[inline(always)]
    pub(super) fn goes_on(&mut self, sp: u32) {
        self.here.sp = sp;
    }

    /// The current place.
    pub(super) fn place(&self) -> Place {
        self.here
    }

    /// Distance in bytes from the top of the current stack.
    pub(super) fn depth(&self, sp: u32) -> u32 {
        let region = self.here.region.and_then(|region| self.all.get(region));
        region.map_or(0, |region| region.top.saturating_sub(sp))
    }

    /// Processes an instruction that left the current stack's used part.
    pub(super) fn moved(&mut self, context: u32, step: &Step<'_>) -> bool {
        let written = Written::by(self.architecture, step.raw, step.size);
        let was_partial = std::mem::replace(&mut self.is_partial, written == Written::Part);
        if step.sp == 0 || self.is_partial {
            return false;
        }
        let is_set = was_partial || written == Written::Whole;
        let is_elsewhere = step.sp_before != self.here.sp || step.sp.abs_diff(step.sp_before) >= FAR;
        let is_other = |region: &Region| match step.sp.checked_sub(region.top) {
            Some(above) => is_set || above > RESTORED,
            None => is_set && (region.lowest.saturating_sub(step.sp) > NEAR || self.is_used(step.sp)),
        };
        let known = self.here.region.map(|region| &self.all[region]);
        if known.is_none_or(|region| is_elsewhere || is_other(region)) {
            self.here.region = Some(self.find(context, step.sp));
        }
        self.look(step.sp)
    }

    /// Whether an instruction loads a new value into the stack pointer. MSR does not count: it is used to start a program or thread.
    pub(super) fn sets(&self, step: &Step<'_>) -> bool {
        let is_msr =
            self.architecture == Architecture::Arm && step.size == 4 && step.raw & 0xfff0_0000 == 0xf380_0000;
        !is_msr && Written::by(self.architecture, step.raw, step.size) == Written::Whole
    }

    /// The current stack.
    pub(super) fn region(&self) -> Option<Region> {
        self.here.region.map(|region| self.all[region].clone())
    }

    /// The current stack had seemed to grow into another context's stack: restores it to `before` and changes to that stack.
    pub(super) fn part(&mut self, before: Region, context: u32) {
        if let Some(region) = self.here.region {
            let lowest = before.lowest;
            self.all[region] = before;
            self.here.region = (self.here.sp < lowest).then(|| self.find(context, self.here.sp));
            self.look(self.here.sp);
        }
    }

    /// Whether a stack has not been used beyond its initial place.
    pub(super) fn is_new(&self, region: usize) -> bool {
        let region = &self.all[region];
        region.top == region.lowest
    }

    /// Whether a stack pointer is in any stack's used part.
    fn is_used(&self, sp: u32) -> bool {
        (0..self.all.len()).any(|region| self.holds(region, sp))
    }

    /// Whether a stack pointer is in a stack's used part.
    pub(super) fn holds(&self, region: usize, sp: u32) -> bool {
        (self.all[region].lowest..=self.all[region].top).contains(&sp)
    }

    /// The stack whose used part contains a stack pointer.
    pub(super) fn containing(&self, sp: u32) -> Option<usize> {
        let all = self.all.iter().enumerate();
        let near = all.filter(|(_, region)| {
            (region.lowest.saturating_sub(NEAR)..=region.top.saturating_add(RESTORED)).contains(&sp)
        });
        let distance = |region: &Region| region.lowest.saturating_sub(sp) + sp.saturating_sub(region.top);
        near.min_by_key(|(_, region)| distance(region))
            .map(|(index, _)| index)
    }

    /// Assigns the stack at a place to a context.
    pub(super) fn belongs(&mut self, place: Place, context: u32) {
        if let Some(region) = place.region {
            self.all[region].context = context;
        }
    }

    /// Counts an exception frame on the current stack if the handler's stack pointer belongs to another one.
    pub(super) fn leaves_frame(&mut self, sp: u32) -> bool {
        let is_here = FRAMES.contains(&self.here.sp.wrapping_sub(sp));
        if is_here || self.architecture != Architecture::Arm || self.here.sp < FRAMES[1] {
            return false;
        }
        self.look((self.here.sp - FRAMES[1]) & !7)
    }

    /// Processes a handler's entry.
    pub(super) fn entered(&mut self, context: u32, sp: u32) -> bool {
        if self.here.region.is_none() || !FRAMES.contains(&self.here.sp.wrapping_sub(sp)) {
            self.here.region = Some(self.find(context, sp));
        }
        self.here.sp = sp;
        self.look(sp)
    }

    /// Processes an exception return to a context suspended at a place.
    pub(super) fn returned(&mut self, context: u32, to: Place, sp: u32) -> bool {
        if to.region.is_some() && !FRAMES.contains(&to.sp.abs_diff(sp)) {
            // Another thread continues; its switch is reported next.
            self.here = to;
            self.look(to.sp);
            return false;
        }
        self.resumed(context, to, sp)
    }

    /// Processes the resumption of a thread.
    pub(super) fn resumed(&mut self, context: u32, to: Place, sp: u32) -> bool {
        if sp == 0 {
            return false;
        }
        let region = to.region.unwrap_or_else(|| self.find(context, sp));
        self.here = Place {
            region: Some(region),
            sp,
        };
        self.look(sp)
    }

    /// Records the path at a new lowest point.
    pub(super) fn keep(&mut self, path: Vec<u32>) {
        if let Some(region) = self.here.region {
            self.all[region].path = path;
        }
    }

    /// The stack whose used part contains the context's stack pointer, or a new stack.
    fn find(&mut self, context: u32, sp: u32) -> usize {
        let all = self.all.iter().enumerate();
        let holds = all.filter(|(_, region)| (region.lowest..=region.top).contains(&sp));
        if let Some((index, _)) = holds.min_by_key(|(_, region)| region.top - sp) {
            let region = &mut self.all[index];
            if region.top == region.lowest {
                region.context = context;
            }
            return index;
        }
        self.all.push(Region {
            context,
            top: sp,
            lowest: sp,
            path: Vec::new(),
        });
        self.all.len() - 1
    }

    /// Extends the current stack's used part to this stack pointer.
    fn look(&mut self, sp: u32) -> bool {
        let Some(region) = self.here.region.and_then(|region| self.all.get_mut(region)) else {
            return false;
        };
        let is_deeper = sp < region.lowest || region.path.is_empty();
        region.lowest = region.lowest.min(sp);
        region.top = region.top.max(sp);
        (self.lowest, self.span) = (region.lowest, region.top - region.lowest);
        is_deeper
    }
}

/// What an instruction writes to the stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    /// A sum with its old value, or nothing.
    Sum,
    /// A complete new value.
    Whole,
    /// The upper part of a new value.
    Part,
}

impl Written {
    fn by(architecture: Architecture, raw: u32, size: u8) -> Written {
        let is_whole = match (architecture, size) {
            // MOV.
            (Architecture::Arm, 2) => raw & 0xff87 == 0x4685,
            // MSR of MSP, PSP and CONTROL; LDR.
            (Architecture::Arm, _) => {
                raw & 0xfff0_0000 == 0xf380_0000 && matches!(raw & 0xff, 8 | 9 | 20)
                    || raw & 0xff70_f000 == 0xf850_d000
            }
            _ if raw >> 7 & 31 != 2 => false,
            // C.MV and C.LWSP.
            (Architecture::RiscV, 2) => raw & 0xf003 == 0x8002 && raw & 0x7c != 0 || raw & 0xe003 == 0x4002,
            // LUI and AUIPC.
            (Architecture::RiscV, _) if matches!(raw & 0x7f, 0x37 | 0x17) => return Written::Part,
            // ADDI of another register, and LW.
            (Architecture::RiscV, _) => raw & 0x707f == 0x13 && raw >> 15 & 31 != 2 || raw & 0x707f == 0x2003,
        };
        if is_whole { Written::Whole } else { Written::Sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sets_a_stack_pointer_is_known() {
        use Architecture::{Arm, RiscV};
        for (architecture, raw, size, written) in [
            (Arm, 0x468d, 2, Written::Whole),        // mov sp, r1
            (Arm, 0x4685, 2, Written::Whole),        // mov sp, r0
            (Arm, 0x466b, 2, Written::Sum),          // mov r3, sp
            (Arm, 0xb082, 2, Written::Sum),          // sub sp, #8
            (Arm, 0xb5f0, 2, Written::Sum),          // push
            (Arm, 0xf380_8808, 4, Written::Whole),   // msr MSP, r0
            (Arm, 0xf381_8814, 4, Written::Whole),   // msr CONTROL, r1
            (Arm, 0xf380_8811, 4, Written::Sum),     // msr BASEPRI, r0
            (Arm, 0xf8d0_d004, 4, Written::Whole),   // ldr.w sp, [r0, #4]
            (Arm, 0xf8d0_1004, 4, Written::Sum),     // ldr.w r1, [r0, #4]
            (Arm, 0xf5ad_7d00, 4, Written::Sum),     // sub.w sp, sp, #512
            (RiscV, 0x812a, 2, Written::Whole),      // c.mv sp, a0
            (RiscV, 0x4112, 2, Written::Whole),      // c.lwsp sp, 4(sp)
            (RiscV, 0x1141, 2, Written::Sum),        // c.addi sp, -16
            (RiscV, 0x0004_0113, 4, Written::Whole), // mv sp, s0
            (RiscV, 0xff01_0113, 4, Written::Sum),   // addi sp, sp, -16
            (RiscV, 0x0005_a103, 4, Written::Whole), // lw sp, 0(a1)
            (RiscV, 0x1000_8137, 4, Written::Part),  // lui sp, 0x10008
            (RiscV, 0x0000_0117, 4, Written::Part),  // auipc sp, 0
        ] {
            assert_eq!(Written::by(architecture, raw, size), written, "{raw:#x}");
        }
    }
}
