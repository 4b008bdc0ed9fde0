//! Events of traps and masks. They are emitted with the next retired instruction, since their duration is unknown before.

use events::RuleSet as Told;
use events::{Costs, Enter, EntryKind, Event, Exception, Exit, Mask, Window};

use super::Program;
use crate::core::Core;
use crate::engine::emit::Listener;
use crate::timing::rules::RuleSet;
use crate::trap::Privilege;

/// A trap or trap return, emitted with the next instruction, when its duration is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingSwitch {
    pub(super) cycle: u64,
    pub(super) exception: Exception,
    pub(super) to: u32,
    /// The address to return to, of an entry.
    pub(super) entry: Option<u32>,
    pub(super) sp: u32,
    /// The trap return that installed another stack pointer than its trap found.
    pub(super) switches: Option<(u32, u32)>,
}

/// Whether the program masks interrupts. Masking by a trap while it is handled does not count, nor does masking at reset.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Masking {
    /// The program let interrupts in before.
    began: bool,
    masks: bool,
    /// A change not emitted yet: its cycle, and the address of its instruction.
    change: Option<(u64, u32)>,
}

impl Masking {
    /// An instruction at `pc` accessed control and status registers, or returned from a trap. Interrupts `were` let in before
    /// it, and `are` now.
    pub(super) fn changed(&mut self, cycle: u64, pc: u32, [were, are]: [bool; 2], returned: bool) {
        self.began |= are;
        let masks = !are && (self.masks || were || returned && self.began);
        if masks != self.masks {
            self.masks = masks;
            // Masking that is undone before an instruction retires is not emitted.
            self.change = if self.change.is_some() {
                None
            } else {
                Some((cycle, pc))
            };
        }
    }

    pub(super) fn is_emitted(&self) -> bool {
        self.change.is_none()
    }
}

impl Core {
    /// Whether the status register lets the interrupts in that are handled in the mode that executes.
    pub(super) fn lets_interrupts_in(&self) -> bool {
        match self.privilege {
            Privilege::Machine => self.csrs.status.mie,
            Privilege::Supervisor => self.csrs.status.sie,
            Privilege::User => true,
        }
    }
}

impl Program {
    /// Notes a trap entry or return, to be emitted with the next retired instruction.
    pub(super) fn switched(&mut self, switched: PendingSwitch) {
        let before = self.under.switched.replace(switched);
        if self.under.switched_before.len() < MOST {
            self.under.switched_before.extend(before);
        }
    }

    /// Emits the pending trap entry or return, and the pending mask change.
    pub(super) fn emit_pending(&mut self, end: u64, waits: RuleSet, listener: &mut Listener<'_>) {
        if let Some(switched) = self.under.switched.take() {
            for before in self.under.switched_before.drain(..) {
                // No cycle is known to be its own: they are those of the last.
                let at = listener.nothing();
                emit_switch(before, (at, Costs::NONE), RuleSet::NONE, listener);
            }
            let window = listener.gap(end);
            emit_switch(switched, window, waits, listener);
        }
        if let Some((cycle, pc)) = self.under.masking.change.take() {
            let masks = self.under.masking.masks;
            listener.emit_control(&Event::MaskChange {
                cycle,
                pc,
                mask: Mask::Mie,
                old: u8::from(!masks),
                new: u8::from(masks),
                lifts: NO_PRIORITY,
            });
        }
    }
}

/// Most traps in a row without a retirement in between; later ones are not emitted.
const MOST: usize = 64;

/// There are no priorities that a mask could lift.
const NO_PRIORITY: i16 = 256;

fn emit_switch(
    switched: PendingSwitch,
    (at, costs): (Window, Costs),
    waits: RuleSet,
    listener: &mut Listener<'_>,
) {
    let PendingSwitch {
        cycle,
        exception,
        to,
        entry,
        sp,
        switches,
    } = switched;
    let rules = waits.to_events();
    let since = Told::EMPTY;
    listener.emit_control(&match entry {
        Some(return_address) => Event::Enter(Enter {
            at,
            recognised: cycle,
            exception,
            kind: EntryKind::Preempt,
            return_address,
            handler: to,
            priority: None,
            sp,
            since,
            rules,
            costs,
        }),
        None => Event::Exit(Exit {
            at,
            began: cycle,
            exception,
            to,
            sp,
            since,
            rules,
            costs,
        }),
    });
    if let Some((pc, left)) = switches {
        listener.emit_control(&Event::Switch { cycle, pc, left, sp });
    }
}
