//! Effects of a device's write on other parts: the chip's clocks, its voltage, its flash settings.

/// A clock of the chip, by its number on the board; [`ClockId::CORE`] is the core's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockId(pub u8);

impl ClockId {
    /// The clock that core cycles are counted in.
    pub const CORE: ClockId = ClockId(0);
}

/// How the program has set the flash interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct FlashSettings {
    /// Wait states of an access to the array, in core cycles.
    pub latency: u8,
    /// Prefetch of the line after the current one is on.
    pub prefetch: bool,
    /// The instruction cache is on.
    pub instruction_cache: bool,
    /// The data cache is on.
    pub data_cache: bool,
    /// The line that was given last serves nothing, where fetches and data share one.
    pub unbuffered: bool,
    /// The cache of both is on, where fetches and data come over one bus.
    pub shared_cache: bool,
}

/// A change by a device that concerns others. The bus sends it to every device and keeps the current values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// A clock now has this frequency in Hz; 0 is off.
    Clock(ClockId, u32),
    /// The core's voltage range, as the chip's manual numbers it.
    Voltage(u8),
    /// The flash is accessed in this way.
    Flash(FlashSettings),
    /// The flash's caches are empty.
    FlashReset {
        /// The instruction cache.
        instructions: bool,
        /// The data cache is on.
        data: bool,
    },
    /// Stores to memory that can be programmed, a flash, do program it from now on, or no more.
    Programming(bool),
    /// A store has programmed such memory.
    Programmed,
    /// Erases bytes of such memory.
    Erase {
        /// The first address.
        address: u32,
        /// Length in bytes.
        size: u32,
    },
    /// A pin of a port has this level now.
    Pin {
        /// 0 for port A.
        port: u8,
        /// 0 to 15.
        pin: u8,
        /// The new level.
        level: bool,
    },
    /// A line between peripherals has this level now: a request for DMA, an internal line of an interrupt controller. The board numbers
    /// them.
    Wire {
        /// The line's number.
        number: u16,
        /// The new level.
        level: bool,
    },
    /// A hardware event between peripherals: a trigger, by its line's number, or an event or task, by its register's address.
    Pulse(u32),
    /// A device ends the run, or this life of the program.
    End(End),
}

/// How a device ends the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With this exit code.
    Exit(u32),
    /// The chip is reset.
    Reset(ResetCause),
}

/// The cause of a chip reset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResetCause {
    /// The program, by the core (AIRCR.SYSRESETREQ) or by a device for that.
    Software,
    /// A watchdog that was not fed in time.
    Watchdog,
    /// A window watchdog, which was fed too late or too early.
    WindowWatchdog,
}

/// The present values of everything that an [`Effect`] can change.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Conditions {
    /// Frequencies in Hz, by clock number; a clock that was never set is absent or 0.
    clocks: Vec<u32>,
    /// The highest frequency in Hz that the core's clock has had.
    fastest: u32,
    voltage: Option<u8>,
    flash: FlashSettings,
    programming: bool,
    end: Option<End>,
    /// The core cycle from which its clock has its present frequency, and the nanoseconds until then.
    since: (u64, u64),
}

impl Conditions {
    pub(crate) fn clock(&self, id: ClockId) -> u32 {
        self.clocks.get(usize::from(id.0)).copied().unwrap_or(0)
    }

    pub(crate) fn fastest(&self) -> u32 {
        self.fastest
    }

    /// Nanoseconds from reset to core cycle `now`.
    pub(crate) fn nanoseconds(&self, now: u64) -> u64 {
        let (cycle, before) = self.since;
        let hz = u128::from(self.clock(ClockId::CORE).max(1));
        let more = u128::from(now.saturating_sub(cycle)) * 1_000_000_000 / hz;
        before.saturating_add(u64::try_from(more).unwrap_or(u64::MAX))
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Whether stores program a flash.
    pub(crate) fn programming(&self) -> bool {
        self.programming
    }

    pub(crate) fn flash(&self) -> FlashSettings {
        self.flash
    }

    /// Takes note of an effect in core cycle `now`.
    pub(crate) fn apply(&mut self, effect: Effect, now: u64) {
        match effect {
            Effect::Clock(ClockId(id), hz) => {
                if ClockId(id) == ClockId::CORE {
                    self.since = (now, self.nanoseconds(now));
                    self.fastest = self.fastest.max(hz);
                }
                let index = usize::from(id);
                if self.clocks.len() <= index {
                    self.clocks.resize(index + 1, 0);
                }
                self.clocks[index] = hz;
            }
            Effect::Voltage(range) => self.voltage = Some(range),
            Effect::Flash(settings) => self.flash = settings,
            Effect::Programming(on) => self.programming = on,
            Effect::FlashReset { .. }
            | Effect::Programmed
            | Effect::Erase { .. }
            | Effect::Pin { .. }
            | Effect::Wire { .. }
            | Effect::Pulse(_) => {}
            Effect::End(end) => self.end = Some(end),
        }
    }

    /// The chip is reset in core cycle `now`: everything is as it was `first`, and time goes on.
    pub(crate) fn reset(&mut self, first: &Conditions, now: u64) {
        let since = (now, self.nanoseconds(now));
        *self = Conditions {
            since,
            // The history of a clock is no state of the chip.
            fastest: self.fastest,
            ..first.clone()
        };
    }

    /// All present values, for a device that is new on the bus.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        let clocks = (0..).zip(&self.clocks);
        let clocks = clocks.map(|(id, &hz)| Effect::Clock(ClockId(id), hz));
        let voltage = self.voltage.map(Effect::Voltage);
        clocks.chain(voltage).chain([Effect::Flash(self.flash)]).collect()
    }
}
