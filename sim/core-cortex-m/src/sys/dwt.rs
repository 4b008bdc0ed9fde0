//! The data watchpoint and trace unit (ARMv7-M ARM C1.8): the cycle counter, and four comparators.
//!
//! The cycle counter is worked out from the core's cycle when it is read. Comparators set MATCHED; a watchpoint
//! raises DebugMonitor if `DEMCR.MON_EN` asks for it, and otherwise nothing, as on a board without a debugger. Trace
//! packets go nowhere. Comparison with the PC or with a data value is not modelled: who switches it on stops the run.

use super::mpu::Want;

/// The registers of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DwtRegister {
    Control,
    CycleCount,
    /// CPICNT, EXCCNT, SLEEPCNT, LSUCNT, FOLDCNT.
    EventCount,
    Comparator(u8),
    Mask(u8),
    Function(u8),
    /// LAR and LSR: there is no lock, so that LSR reads as 0 and what is written does nothing (ARMv7-M ARM D1.2.14).
    Lock,
}

/// The event counters, in the order of their registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counter {
    /// CPICNT: cycles of instructions beyond the first, and waiting for instructions.
    Instruction,
    /// EXCCNT: entering and leaving exceptions.
    Exception,
    /// SLEEPCNT.
    Sleep,
    /// LSUCNT: cycles of loads and stores beyond the first.
    LoadStore,
    /// FOLDCNT: instructions that took no cycle.
    Fold,
}

/// The first of the bits of CTRL that switch the event counters on, in the order of their registers.
const FIRST_COUNTER: u32 = 17;
const EVENT_COUNTERS: u32 = 0x1f << FIRST_COUNTER;

const COMPARATORS: usize = 4;
const CYCLE_COUNT: u32 = 1 << 0;
/// CTRL bits that start something which is not modelled, by name.
const COUNTERS: [(u32, &str); 2] = [(12, "PCSAMPLENA"), (22, "CYCEVTENA")];
/// CTRL bits that can be written.
const CONTROL: u32 = 0x007f_1fff;
const MATCHED: u32 = 1 << 24;
/// FUNCTION0.CYCMATCH: compare with the cycle counter.
const CYCLE_MATCH: u32 = 1 << 7;
/// FUNCTION1.DATAVMATCH: compare with a data value.
const VALUE_MATCH: u32 = 1 << 8;

/// The match condition in a comparator's FUNCTION.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    Off,
    Pc,
    Read,
    Write,
    Any,
}

/// FUNCTION\[3:0\] (ARMv7-M ARM table C1-14).
const MATCHES: [Match; 16] = {
    use Match::{Any, Off, Pc, Read, Write};
    [
        Off, Any, Any, Any, Pc, Read, Write, Any, Pc, Read, Write, Any, Read, Write, Read, Write,
    ]
};
/// The functions that raise a debug event.
const WATCHPOINTS: std::ops::RangeInclusive<u32> = 5..=7;

#[derive(Clone, Copy, Default, Debug)]
struct Comparator {
    value: u32,
    mask: u32,
    function: u32,
    matched: bool,
    /// The cycle count, of 64 bits, up to which a comparison with it was looked at.
    seen: u64,
}

impl Comparator {
    fn looks_for(&self) -> Match {
        if self.function & CYCLE_MATCH == 0 {
            MATCHES[(self.function & 15) as usize]
        } else {
            Match::Off
        }
    }

    /// Whether an access touches the watched block of 2^mask bytes.
    fn touches(&self, address: u32, size: u32) -> bool {
        let first = u64::from(self.value) >> self.mask << self.mask;
        let (address, size) = (u64::from(address), u64::from(size));
        address < first + (1 << self.mask) && first < address + size
    }
}

/// The data watchpoint and trace unit.
#[derive(Clone, Debug)]
pub(crate) struct Dwt {
    /// DEMCR.TRCENA: without it the unit ignores writes and reads as 0.
    pub(crate) on: bool,
    control: u32,
    /// Cycle count at core cycle `since`, extended to 64 bits.
    count: u64,
    since: u64,
    event_counts: [u32; 5],
    /// Amounts that the instruction under way adds to counters before it reads one.
    expected: [(Counter, i64); 2],
    /// The counter for cycles in which no instruction starts, and the first cycle that it has not counted yet.
    pub(crate) idle: Option<(Counter, i64)>,
    comparators: [Comparator; COMPARATORS],
    /// Some comparator watches data accesses.
    watching: bool,
}

impl Dwt {
    /// As a reset of the chip leaves it: it counts on.
    pub(crate) fn of_next_life(self) -> Dwt {
        Dwt {
            expected: [(Counter::Instruction, 0); 2],
            idle: None,
            ..self
        }
    }

    pub(crate) fn new() -> Self {
        Dwt {
            on: false,
            control: 0,
            count: 0,
            since: 0,
            event_counts: [0; 5],
            expected: [(Counter::Instruction, 0); 2],
            idle: None,
            comparators: [Comparator::default(); COMPARATORS],
            watching: false,
        }
    }

    /// Whether [`Dwt::access`] wants to see each data access.
    pub(crate) fn watching(&self) -> bool {
        self.on && self.watching
    }

    /// Whether an event counter is on.
    pub(crate) fn counts(&self) -> bool {
        self.on && self.control & EVENT_COUNTERS != 0
    }

    /// Counts cycles or instructions, if that counter is on; it has 8 bits.
    pub(crate) fn count(&mut self, counter: Counter, cycles: i64) {
        if self.on && self.control >> (FIRST_COUNTER + counter as u32) & 1 != 0 {
            let count = &mut self.event_counts[counter as usize];
            *count = count.wrapping_add(cycles as u32) & 0xff;
        }
    }

    /// Announces cycles that are still to be counted: a read of the counter already includes them.
    pub(crate) fn expect(&mut self, counter: Counter, cycles: i64) {
        self.expected = [(counter, cycles), (counter, 0)];
    }

    /// Announces cycles of two counters.
    pub(crate) fn expect_both(&mut self, cycles: [(Counter, i64); 2]) {
        self.expected = cycles;
    }

    fn event_count(&self, index: usize) -> u32 {
        let counts = self.control >> (FIRST_COUNTER + index as u32) & 1 != 0;
        let expected = self
            .expected
            .iter()
            .filter(|(counter, _)| counts && *counter as usize == index);
        let cycles: i64 = expected.map(|(_, cycles)| cycles).sum();
        self.event_counts[index].wrapping_add(cycles as u32) & 0xff
    }

    /// Switches the unit on or off at a core cycle; the counter keeps its value.
    pub(crate) fn switch(&mut self, on: bool, cycle: u64) {
        self.settle(cycle);
        self.on = on;
    }

    /// A data access; says whether a watchpoint hit.
    pub(crate) fn access(&mut self, address: u32, size: u32, want: Want) -> bool {
        let mut hit = false;
        for comparator in &mut self.comparators {
            let wanted = match comparator.looks_for() {
                Match::Any => true,
                Match::Read => want == Want::Read,
                Match::Write => want == Want::Write,
                Match::Off | Match::Pc => false,
            };
            if wanted && comparator.touches(address, size) {
                comparator.matched = true;
                hit |= WATCHPOINTS.contains(&(comparator.function & 15));
            }
        }
        hit
    }

    /// Reads a register at a core cycle.
    pub(crate) fn read(&mut self, register: DwtRegister, index: u32, cycle: u64) -> u32 {
        if !self.on {
            return 0;
        }
        match register {
            DwtRegister::Control => self.control | (COMPARATORS as u32) << 28,
            DwtRegister::CycleCount => self.counted(cycle) as u32,
            DwtRegister::EventCount => self.event_count(index as usize),
            DwtRegister::Comparator(n) => self.comparators[usize::from(n)].value,
            DwtRegister::Mask(n) => self.comparators[usize::from(n)].mask,
            DwtRegister::Function(n) => self.read_function(usize::from(n), cycle),
            DwtRegister::Lock => 0,
        }
    }

    /// Writes a register at a core cycle.
    ///
    /// # Errors
    /// If the write requests an unmodelled feature.
    pub(crate) fn write(
        &mut self,
        register: DwtRegister,
        index: u32,
        value: u32,
        cycle: u64,
    ) -> Result<(), String> {
        if !self.on {
            return Ok(());
        }
        match register {
            DwtRegister::Control => self.set_control(value, cycle)?,
            DwtRegister::CycleCount => {
                self.count = u64::from(value);
                self.since = cycle;
                self.comparators
                    .iter_mut()
                    .for_each(|comparator| comparator.seen = u64::from(value));
            }
            DwtRegister::EventCount => self.event_counts[index as usize] = value & 0xff,
            DwtRegister::Comparator(n) => self.comparators[usize::from(n)].value = value,
            DwtRegister::Mask(n) => self.comparators[usize::from(n)].mask = value & 15,
            DwtRegister::Function(n) => self.set_function(usize::from(n), value, cycle)?,
            DwtRegister::Lock => {}
        }
        Ok(())
    }

    /// The cycle count at a core cycle, as if the counter had 64 bits.
    fn counted(&self, cycle: u64) -> u64 {
        let running = self.on && self.control & CYCLE_COUNT != 0;
        self.count
            + if running {
                cycle.saturating_sub(self.since)
            } else {
                0
            }
    }

    fn settle(&mut self, cycle: u64) {
        self.count = self.counted(cycle);
        self.since = cycle;
    }

    fn set_control(&mut self, value: u32, cycle: u64) -> Result<(), String> {
        if let Some((_, name)) = COUNTERS.iter().find(|(bit, _)| value >> bit & 1 != 0) {
            return Err(format!("DWT_CTRL.{name}"));
        }
        self.settle(cycle);
        let started = value & !self.control;
        for (counter, count) in self.event_counts.iter_mut().enumerate() {
            if started >> (FIRST_COUNTER + counter as u32) & 1 != 0 {
                *count = 0;
            }
        }
        self.control = value & CONTROL;
        Ok(())
    }

    fn set_function(&mut self, n: usize, value: u32, cycle: u64) -> Result<(), String> {
        let cycle_match = if n == 0 { CYCLE_MATCH } else { 0 };
        let function = value & (0x2f | cycle_match);
        if n == 1 && value & VALUE_MATCH != 0 {
            return Err("DWT_FUNCTION1.DATAVMATCH".into());
        }
        if function & CYCLE_MATCH == 0 && MATCHES[(function & 15) as usize] == Match::Pc {
            return Err(format!("DWT_FUNCTION{n}: comparison with the PC"));
        }
        let seen = self.counted(cycle);
        self.comparators[n] = Comparator {
            function,
            seen,
            ..self.comparators[n]
        };
        self.watching = self
            .comparators
            .iter()
            .any(|comparator| comparator.looks_for() != Match::Off);
        Ok(())
    }

    /// FUNCTION with MATCHED, which the read clears.
    fn read_function(&mut self, n: usize, cycle: u64) -> u32 {
        let now = self.counted(cycle);
        let comparator = &mut self.comparators[n];
        if comparator.function & CYCLE_MATCH != 0 && comparator.function & 15 != 0 {
            // Cycles from the last look until the counter's low 32 bits next equal the comparator.
            let ahead = u64::from(
                comparator
                    .value
                    .wrapping_sub(comparator.seen as u32)
                    .wrapping_sub(1),
            ) + 1;
            comparator.matched |= comparator.seen + ahead <= now;
        }
        comparator.seen = now;
        let matched = std::mem::take(&mut comparator.matched);
        comparator.function | if matched { MATCHED } else { 0 }
    }
}

#[cfg(test)]
mod tests;
