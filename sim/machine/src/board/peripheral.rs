//! From what a board file says of a peripheral to the device.

use bus::{ClockId, Device, Irq};

use super::file::{PeripheralEntry, PeripheralKind};
use crate::devices::{
    Clint, CmsdkUart, Contexts, Controller, Countdown, Fe310Gpio, Fe310Uart, Finisher, Gpio, Layout, Listing,
    Ns16550, Pl011, Plic, Registers, Rtc, RtlPorts, Shape, Ticks, Timer, Uart, Usart,
};
use crate::nearest::{did_you_mean, nearest};

/// The clock that core cycles are counted in, as a board file calls it.
const CORE: &str = "core";

/// The names of a board's clocks; the place of a name is its number, and the core's comes first.
pub(super) struct ClockNames(Vec<String>);

impl ClockNames {
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a PeripheralEntry>) -> ClockNames {
        let mut names = vec![CORE.to_owned()];
        for clock in entries.flat_map(|entry| &entry.clocks) {
            if !names.contains(&clock.name) {
                names.push(clock.name.clone());
            }
        }
        ClockNames(names)
    }

    fn find(&self, name: &str) -> Option<ClockId> {
        let place = self.0.iter().position(|known| known == name)?;
        u8::try_from(place).ok().map(ClockId)
    }

    fn wanted(&self, name: Option<&String>) -> Result<ClockId, String> {
        let name = name.ok_or("it needs a `clock`")?;
        self.find(name).ok_or_else(|| {
            let hint = did_you_mean(&nearest(name, self.0.iter().map(String::as_str), 1));
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            format!("no clock `{name}` on this board{hint}")
        })
    }
}

/// Where the interrupt lines of a board's peripherals end, and how many of them there are.
#[derive(Clone, Copy)]
pub(super) enum Lines {
    /// At the core, from number 0 on.
    Core(u16),
    /// At a PLIC, from source 1 on.
    Plic(u16),
}

impl Lines {
    pub(super) fn of<'a>(core: u16, mut entries: impl Iterator<Item = &'a PeripheralEntry>) -> Lines {
        let plic = entries.find(|entry| entry.kind == PeripheralKind::Plic);
        match plic.and_then(|entry| entry.sources) {
            Some(sources) => Lines::Plic(sources),
            None => Lines::Core(core),
        }
    }

    /// Sources of the PLIC; 0 if there is none.
    pub(super) fn sources(self) -> u16 {
        match self {
            Lines::Core(_) => 0,
            Lines::Plic(sources) => sources,
        }
    }

    pub(super) fn irq(self, number: u16) -> Result<Irq, String> {
        match self {
            Lines::Core(count) if number < count => Ok(Irq(number)),
            Lines::Core(count) => Err(format!("the board has interrupts 0 to {}", count - 1)),
            Lines::Plic(last) if (1..=last).contains(&number) => Ok(Irq::source(number)),
            Lines::Plic(last) => Err(format!("the board's PLIC has sources 1 to {last}")),
        }
    }
}

/// Builds the device that `entry` describes.
///
/// # Errors
/// What is wrong with the entry, in words.
pub(super) fn device(
    entry: &PeripheralEntry,
    clocks: &ClockNames,
    lines: Lines,
) -> Result<Box<dyn Device>, String> {
    let irq = entry.irq.map(|number| lines.irq(number)).transpose()?;
    if (entry.kind == PeripheralKind::Registers) == entry.registers.is_empty() {
        return Err("a peripheral of kind `registers`, and no other, lists `registers`".into());
    }
    if entry.kind != PeripheralKind::Registers && entry.access.is_some() {
        return Err("only a peripheral of kind `registers` says its sizes of `access`".into());
    }
    let usart = |layout| {
        let clock = clocks.wanted(entry.clock.as_ref())?;
        Ok::<_, String>(Usart::new(layout, irq, clock))
    };
    Ok(match entry.kind {
        PeripheralKind::Pl011 => Box::new(Pl011::new(irq)),
        PeripheralKind::CmsdkUart => Box::new(CmsdkUart::new(irq)),
        PeripheralKind::RtlPorts => Box::new(RtlPorts::default()),
        PeripheralKind::Clint => Box::new(Clint::new(ticks(entry, clocks)?)),
        PeripheralKind::Plic => Box::new(plic(entry)?),
        PeripheralKind::Ns16550 => Box::new(Ns16550::new(irq)),
        PeripheralKind::LitexCtrl => Box::new(Controller::new()),
        PeripheralKind::LitexTimer => Box::new(Countdown::new(irq)),
        PeripheralKind::LitexUart => {
            let baud = entry.baud.filter(|&baud| baud > 0);
            Box::new(Uart::new(irq, baud.ok_or("it needs a `baud`")?))
        }
        PeripheralKind::Fe310Gpio => Box::new(Fe310Gpio::new(irq)),
        PeripheralKind::Fe310Rtc => Box::new(Rtc::new(ticks(entry, clocks)?, irq)),
        PeripheralKind::Fe310Uart => Box::new(Fe310Uart::new(irq)),
        PeripheralKind::TestFinisher => Box::new(Finisher::default()),
        PeripheralKind::Registers => Box::new(registers(entry, clocks)?),
        PeripheralKind::Stm32Gpio => Box::new(Gpio::new(entry.reset, false)),
        PeripheralKind::Stm32GpioBrr => Box::new(Gpio::new(entry.reset, true)),
        PeripheralKind::Stm32Timer => Box::new(timer(entry, irq, clocks)?),
        PeripheralKind::Stm32Usart => Box::new(usart(Layout::Older)?),
        PeripheralKind::Stm32UsartIsr => Box::new(usart(Layout::Later)?),
        PeripheralKind::Stm32UsartFifo => Box::new(usart(Layout::LaterWithFifo)?),
    })
}

fn registers(entry: &PeripheralEntry, clocks: &ClockNames) -> Result<Registers, String> {
    let listing = Listing {
        registers: entry.registers.clone(),
        access: entry.access.clone(),
        shows: entry.shows.clone(),
        clocks: entry.clocks.clone(),
        flash: entry.flash.clone(),
        voltage: entry.voltage.clone(),
    };
    if clocks.0.len() > usize::from(u8::MAX) {
        return Err("a board has at most 255 clocks".into());
    }
    Registers::new(listing, |name| clocks.find(name).unwrap_or(ClockId::CORE))
}

fn timer(entry: &PeripheralEntry, irq: Option<Irq>, clocks: &ClockNames) -> Result<Timer, String> {
    let bits = entry.bits.unwrap_or(16);
    if ![16, 32].contains(&bits) || entry.channels > 4 {
        return Err("a timer has `bits` 16 or 32, and at most 4 `channels`".into());
    }
    Ok(Timer::new(Shape {
        irq,
        clock: clocks.wanted(entry.clock.as_ref())?,
        bits,
        channels: entry.channels,
    }))
}

fn ticks(entry: &PeripheralEntry, clocks: &ClockNames) -> Result<Ticks, String> {
    match (entry.hz, &entry.clock) {
        (Some(1..), Some(_)) | (Some(0), _) => Err("it needs a `clock`, or a frequency `hz`".into()),
        (Some(hz), None) => Ok(Ticks::fixed(hz)),
        (None, clock) => clocks.wanted(clock.as_ref()).map(Ticks::of),
    }
}

fn plic(entry: &PeripheralEntry) -> Result<Plic, String> {
    let sources = entry
        .sources
        .filter(|sources| (1..Irq::SOURCES).contains(sources));
    let sources =
        sources.ok_or_else(|| format!("it needs its number of `sources`, 1 to {}", Irq::SOURCES - 1))?;
    let contexts = if entry.supervisor {
        Contexts::MachineAndSupervisor
    } else {
        Contexts::Machine
    };
    Ok(Plic::new(sources, contexts))
}
