//! The NVIC's state of every exception: pending, enabled, active, and priority (ARMv7-M ARM B1.5).

use crate::config::Config;
use crate::regs::Registers;

pub(crate) use crate::cores::number;
use number::{EXTERNAL, HARD_FAULT, NMI, PEND_SV, RESET, SV_CALL, SYS_TICK};

/// Exceptions that a number can name here: 16 of the system and 240 interrupts.
const COUNT: usize = 256;
/// Priority of code that no exception runs and no mask protects: below every exception.
pub(crate) const THREAD_PRIORITY: i16 = 256;

/// A set of exception numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ExceptionSet([u64; COUNT / 64]);

impl ExceptionSet {
    fn of(numbers: impl IntoIterator<Item = u16>) -> Self {
        let mut set = ExceptionSet::default();
        numbers.into_iter().for_each(|number| set.put(number, true));
        set
    }

    pub(crate) fn has(&self, number: u16) -> bool {
        self.0[usize::from(number) / 64] >> (number % 64) & 1 != 0
    }

    fn put(&mut self, number: u16, member: bool) {
        let bit = 1 << (number % 64);
        let word = &mut self.0[usize::from(number) / 64];
        *word = if member { *word | bit } else { *word & !bit };
    }

    fn and(&self, other: &ExceptionSet) -> ExceptionSet {
        ExceptionSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; COUNT / 64]
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Its members, ascending.
    pub(crate) fn members(self) -> impl Iterator<Item = u16> {
        (0u16..).zip(self.0).flat_map(|(index, word)| {
            std::iter::successors(Some(word), |&left| Some(left & left.wrapping_sub(1)))
                .take_while(|&left| left != 0)
                .map(move |left| index * 64 + left.trailing_zeros() as u16)
        })
    }
}

/// State of all exceptions.
#[derive(Clone, Debug)]
pub(crate) struct Exceptions {
    pending: ExceptionSet,
    enabled: ExceptionSet,
    active: ExceptionSet,
    /// External inputs that are high.
    high: ExceptionSet,
    implemented: ExceptionSet,
    priority: [u8; COUNT],
    /// Implemented bits of a priority.
    priority_mask: u8,
    /// AIRCR.PRIGROUP: this bit and those below are the subpriority.
    group_bits: u8,
    /// SCR.SEVONPEND: an interrupt that becomes pending is an event.
    event_on_pend: bool,
    /// Such an event happened.
    event: bool,
    /// Whether any exception is both pending and enabled.
    waiting: bool,
}

impl Exceptions {
    pub(crate) fn new(config: &Config) -> Self {
        let architecture = config.core.architecture;
        let end = EXTERNAL + config.irqs.min(architecture.most_irqs);
        assert!(
            usize::from(end) <= COUNT,
            "there is no room for so many interrupts"
        );
        let system = architecture.exceptions.iter().copied();
        let system = system.filter(|&number| number != SYS_TICK || config.options.systick);
        Exceptions {
            pending: ExceptionSet::default(),
            enabled: ExceptionSet::of([NMI, HARD_FAULT, SV_CALL, PEND_SV, SYS_TICK]),
            active: ExceptionSet::default(),
            high: ExceptionSet::default(),
            implemented: ExceptionSet::of(system.chain(EXTERNAL..end)),
            priority: [0; COUNT],
            priority_mask: !(0xff_u32 >> config.priority_bits.min(8)) as u8,
            group_bits: 0,
            event_on_pend: false,
            event: false,
            waiting: false,
        }
    }

    pub(crate) fn is_pending(&self, number: u16) -> bool {
        self.pending.has(number)
    }

    /// The pending exceptions, enabled or not, by number.
    pub(crate) fn pending(&self) -> impl Iterator<Item = u16> {
        self.pending.members()
    }

    pub(crate) fn is_enabled(&self, number: u16) -> bool {
        self.enabled.has(number)
    }

    pub(crate) fn is_active(&self, number: u16) -> bool {
        self.active.has(number)
    }

    /// Whether the core has this exception. Fixed-number holes and interrupts beyond the last line do not exist.
    pub(crate) fn exists(&self, number: u16) -> bool {
        usize::from(number) < COUNT && self.implemented.has(number)
    }

    /// How many exceptions are active: entered, and not yet returned from.
    pub(crate) fn active_count(&self) -> u32 {
        self.active.len()
    }

    /// Whether an external interrupt is pending, enabled or not.
    pub(crate) fn interrupt_pending(&self) -> bool {
        self.pending.members().any(|number| number >= EXTERNAL)
    }

    /// Whether anything is pending and enabled; whether it pre-empts is another question.
    #[inline(always)]
    pub(crate) fn waiting(&self) -> bool {
        self.waiting
    }

    pub(crate) fn set_enabled(&mut self, number: u16, enabled: bool) {
        if self.exists(number) {
            self.enabled.put(number, enabled);
            self.refresh();
        }
    }

    /// Makes an exception pending; one that does not exist stays as it is.
    pub(crate) fn pend(&mut self, number: u16) {
        if !self.exists(number) {
            return;
        }
        self.event |= self.event_on_pend && !self.pending.has(number);
        self.pending.put(number, true);
        self.refresh();
    }

    /// Withdraws a pending exception. An interrupt whose line is still high, and that is not being served, stays
    /// pending (ARMv7-M ARM B3.4.1).
    pub(crate) fn unpend(&mut self, number: u16) {
        if self.exists(number) && (self.active.has(number) || !self.high.has(number)) {
            self.pending.put(number, false);
            self.refresh();
        }
    }

    /// Sets the level of an input; says whether it is another one. Its rising edge makes the interrupt pending, also while it is
    /// being served.
    pub(crate) fn set_line(&mut self, number: u16, level: bool) -> bool {
        if !self.exists(number) || self.high.has(number) == level {
            return false;
        }
        self.high.put(number, level);
        if level {
            self.pend(number);
        }
        true
    }

    /// Whether the line of an interrupt is high.
    pub(crate) fn is_high(&self, number: u16) -> bool {
        self.high.has(number)
    }

    /// An exception's handler begins.
    pub(crate) fn activate(&mut self, number: u16) {
        self.pending.put(number, false);
        self.active.put(number, true);
        self.refresh();
    }

    /// An exception's handler ended. If its line is still high, it is pending again.
    pub(crate) fn deactivate(&mut self, number: u16) {
        self.active.put(number, false);
        if self.high.has(number) {
            self.pend(number);
        }
    }

    /// Marks an exception active or not, as a write to SHCSR can.
    pub(crate) fn set_active(&mut self, number: u16, active: bool) {
        self.active.put(number, active);
    }

    /// The priority field of an exception that has one.
    pub(crate) fn priority_field(&self, number: u16) -> u8 {
        self.priority[usize::from(number)]
    }

    /// Sets the priority; unimplemented bits stay 0, and so does a fixed priority.
    pub(crate) fn set_priority_field(&mut self, number: u16, priority: u8) {
        if self.exists(number) && number > HARD_FAULT {
            self.priority[usize::from(number)] = priority & self.priority_mask;
        }
    }

    /// The bits of a priority that the core has.
    pub(crate) fn priority_mask(&self) -> u8 {
        self.priority_mask
    }

    pub(crate) fn group_bits(&self) -> u8 {
        self.group_bits
    }

    pub(crate) fn set_group_bits(&mut self, bits: u8) {
        self.group_bits = bits;
    }

    pub(crate) fn set_event_on_pend(&mut self, on: bool) {
        self.event_on_pend = on;
    }

    /// Whether an interrupt became pending under SEVONPEND since the last call.
    pub(crate) fn take_event(&mut self) -> bool {
        std::mem::take(&mut self.event)
    }

    /// As [`Exceptions::take_event`], and it stays.
    pub(crate) fn has_event(&self) -> bool {
        self.event
    }

    /// An exception's priority: lower is more urgent; three are fixed below 0.
    pub(crate) fn priority(&self, number: u16) -> i16 {
        match number {
            RESET => -3,
            NMI => -2,
            HARD_FAULT => -1,
            _ => i16::from(self.priority[usize::from(number)]),
        }
    }

    /// The part of a priority that decides about pre-emption (ARMv7-M ARM B1.5.4).
    pub(crate) fn group(&self, priority: i16) -> i16 {
        let subpriority = (2 << self.group_bits) - 1;
        if priority < 0 {
            priority
        } else {
            priority & !subpriority
        }
    }

    /// The pending and enabled exception that goes first: the most urgent, of equals the lowest number.
    pub(crate) fn first(&self) -> Option<u16> {
        let candidates = self.pending.and(&self.enabled).members();
        candidates.min_by_key(|&number| (self.priority(number), number))
    }

    /// Priority of the code that executes, from active exceptions and masks (ARMv7-M ARM B1.5.4).
    pub(crate) fn execution_priority(&self, regs: &Registers) -> i16 {
        let primask = if regs.primask { 0 } else { THREAD_PRIORITY };
        primask.min(self.priority_without_primask(regs))
    }

    /// Like [`Exceptions::execution_priority`] with PRIMASK 0, for wake-up.
    pub(crate) fn priority_without_primask(&self, regs: &Registers) -> i16 {
        let active = self
            .active
            .members()
            .map(|number| self.group(self.priority(number)));
        active
            .min()
            .unwrap_or(THREAD_PRIORITY)
            .min(self.mask_priority(regs))
    }

    /// The priority that the masks lift the core to.
    pub(crate) fn lifted(&self, regs: &Registers) -> i16 {
        let primask = if regs.primask { 0 } else { THREAD_PRIORITY };
        primask.min(self.mask_priority(regs))
    }

    /// The priority that BASEPRI and FAULTMASK lift the core to.
    pub(crate) fn mask_priority(&self, regs: &Registers) -> i16 {
        match regs.basepri {
            _ if regs.faultmask => -1,
            0 => THREAD_PRIORITY,
            base => self.group(i16::from(base)),
        }
    }

    /// The exception that would pre-empt code of this priority.
    pub(crate) fn preempting(&self, priority: i16) -> Option<u16> {
        if !self.waiting {
            return None;
        }
        self.first()
            .filter(|&number| self.group(self.priority(number)) < priority)
    }

    fn refresh(&mut self) {
        self.waiting = !self.pending.and(&self.enabled).is_empty();
    }
}
