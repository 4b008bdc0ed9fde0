//! How deep stacks went.

use events::Step;

/// A step of the stack pointer that is none of a function: another stack is in use.
const FAR: u32 = 1 << 15;

/// One stack, as far as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) context: u32,
    pub(super) top: u32,
    pub(super) lowest: u32,
    /// The nodes that ran when it was lowest, one for each context that was under way, the outermost first.
    pub(super) path: Vec<u32>,
}

/// All stacks.
#[derive(Clone, Default, Debug)]
pub(super) struct Regions {
    pub(super) all: Vec<Region>,
}

impl Regions {
    /// The stack that a stack pointer of a context is in: the one of which it is least below the top.
    pub(super) fn find(&mut self, context: u32, sp: u32) -> usize {
        let near = |region: &Region| {
            let below = region.top.checked_sub(sp)?;
            (below < FAR + (region.top - region.lowest)).then_some(below)
        };
        let all = self
            .all
            .iter()
            .enumerate()
            .filter_map(|(index, region)| Some((near(region)?, index)));
        if let Some((_, index)) = all.min() {
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

    /// Whether an instruction moved to another stack.
    pub(super) fn switches(step: &Step<'_>) -> bool {
        step.sp.abs_diff(step.sp_before) >= FAR
    }
}
