//! What a board file says of a peripheral: the keys that every one has are the board's, the others those of its kind, which
//! each kind reads itself.

use bus::{ClockId, Device, Irq};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, Error, ValueDeserializer};

use super::cmsdk_timer::CmsdkTimer;
use super::cmsdk_uart::CmsdkUartSettings;
use super::fe310::{self, Fe310Gpio, Fe310Uart};
use super::litex;
use super::pl011::Pl011;
use super::precursor::{self, Random};
use super::registers::{Listing, Register};
use super::riscv::{self, Finisher, Ns16550};
use super::rtl_ports::RtlPorts;
use super::stm32;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// What the board file says of a peripheral of one kind.
pub(crate) trait Settings {
    /// The device as it leaves reset.
    ///
    /// # Errors
    /// What is wrong with the settings, in words.
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String>;

    /// The names of the clocks that it makes.
    fn clocks(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How many sources it has, from 1 on, if the interrupt lines of the board's other peripherals end there.
    fn sources(&self) -> Option<u16> {
        None
    }

    /// The architecture whose cores alone can have it.
    fn architecture(&self) -> Option<Architecture> {
        None
    }

    /// The registers that it lists.
    fn registers(&mut self) -> &mut [Register] {
        &mut []
    }
}

/// What a device has to do with on its board.
pub(crate) struct Around<'a> {
    /// As the board calls it.
    pub(crate) name: &'a str,
    /// Where its interrupt goes to.
    pub(crate) irq: Option<Irq>,
    /// The board's clocks.
    pub(crate) clocks: &'a ClockNames,
}

/// A kind of peripheral.
pub(crate) struct Kind {
    /// As a board file calls it.
    pub(crate) name: &'static str,
    reader: Reader,
}

enum Reader {
    /// It has no keys of its own.
    Plain(Plain),
    Own(Read),
}

type Read = fn(Spanned<DeValue<'_>>) -> Result<Box<dyn Settings>, Error>;
type Plain = fn(Option<Irq>) -> Box<dyn Device>;

impl Kind {
    /// Every kind.
    pub(crate) const ALL: &[Kind] = &[
        Kind::plain("pl011", |irq| Box::new(Pl011::new(irq))),
        Kind::own::<CmsdkUartSettings>("cmsdk-uart"),
        Kind::plain("cmsdk-timer", |irq| Box::new(CmsdkTimer::new(irq))),
        Kind::own::<Listing>("registers"),
        Kind::plain("rtl-ports", |_| Box::new(RtlPorts::default())),
        Kind::own::<riscv::ClintSettings>("clint"),
        Kind::own::<riscv::PlicSettings>("plic"),
        Kind::plain("ns16550", |irq| Box::new(Ns16550::new(irq))),
        Kind::plain("litex-ctrl", |_| Box::new(litex::Controller::new())),
        Kind::plain("litex-timer", |irq| Box::new(litex::Countdown::new(irq))),
        Kind::own::<litex::UartSettings>("litex-uart"),
        Kind::plain("fe310-gpio", |irq| Box::new(Fe310Gpio::new(irq))),
        Kind::own::<fe310::RtcSettings>("fe310-rtc"),
        Kind::plain("fe310-uart", |irq| Box::new(Fe310Uart::new(irq))),
        Kind::own::<precursor::TicksSettings>("precursor-ticktimer"),
        Kind::plain("precursor-trng", |_| Box::new(Random::default())),
        Kind::plain("test-finisher", |_| Box::new(Finisher::default())),
        Kind::own::<stm32::ExtiSettings>("stm32-exti"),
        Kind::own::<stm32::OlderGpioSettings>("stm32f1-gpio"),
        Kind::own::<stm32::GpioSettings>("stm32-gpio"),
        Kind::read_by("stm32-gpio-brr", |table| {
            Ok(Box::new(parsed::<stm32::GpioSettings>(table)?.with_brr()))
        }),
        Kind::own::<stm32::TimerSettings>("stm32-timer"),
        Kind::own::<stm32::UsartSettings>("stm32-usart"),
        Kind::read_by("stm32-usart-isr", |table| usart(table, stm32::Layout::Later)),
        Kind::read_by("stm32-usart-fifo", |table| {
            usart(table, stm32::Layout::LaterWithFifo)
        }),
    ];

    const fn plain(name: &'static str, make: Plain) -> Kind {
        let reader = Reader::Plain(make);
        Kind { name, reader }
    }

    const fn own<S: Settings + DeserializeOwned + 'static>(name: &'static str) -> Kind {
        Kind::read_by(name, |table| Ok(Box::new(parsed::<S>(table)?)))
    }

    const fn read_by(name: &'static str, read: Read) -> Kind {
        let reader = Reader::Own(read);
        Kind { name, reader }
    }

    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Kind> {
        Kind::ALL.iter().find(|kind| kind.name == name)
    }

    /// Reads the keys that are this kind's own.
    ///
    /// # Errors
    /// As the parser tells them, with their place.
    pub(crate) fn read(&self, table: Spanned<DeValue<'_>>) -> Result<Box<dyn Settings>, Error> {
        match self.reader {
            Reader::Plain(make) => {
                parsed::<NoKeys>(table)?;
                Ok(Box::new(make))
            }
            Reader::Own(read) => read(table),
        }
    }
}

fn parsed<S: DeserializeOwned>(table: Spanned<DeValue<'_>>) -> Result<S, Error> {
    S::deserialize(ValueDeserializer::from(table))
}

fn usart(table: Spanned<DeValue<'_>>, layout: stm32::Layout) -> Result<Box<dyn Settings>, Error> {
    Ok(Box::new(parsed::<stm32::UsartSettings>(table)?.laid_out(layout)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoKeys {}

impl Settings for Plain {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(self(around.irq))
    }
}

/// The clock that core cycles are counted in, as a board file calls it.
const CORE: &str = "core";

/// The names of a board's clocks; the place of a name is its number, and the core's comes first.
pub(crate) struct ClockNames(Vec<String>);

impl Default for ClockNames {
    fn default() -> ClockNames {
        ClockNames(vec![CORE.to_owned()])
    }
}

impl ClockNames {
    /// One more, unless it is there.
    ///
    /// # Errors
    /// When there are more than can be numbered.
    pub(crate) fn add(&mut self, clock: &str) -> Result<(), String> {
        if self.find(clock).is_none() {
            self.0.push(clock.to_owned());
        }
        if self.0.len() > usize::from(u8::MAX) {
            return Err("a board has at most 255 clocks".into());
        }
        Ok(())
    }

    /// The clock of this name.
    pub(crate) fn find(&self, name: &str) -> Option<ClockId> {
        let place = self.0.iter().position(|known| known == name)?;
        u8::try_from(place).ok().map(ClockId)
    }

    /// The clock of a peripheral that must have one.
    ///
    /// # Errors
    /// When it names none, or one that there is not.
    pub(crate) fn wanted(&self, name: Option<&str>) -> Result<ClockId, String> {
        let name = name.ok_or("it needs a `clock`")?;
        self.find(name).ok_or_else(|| {
            let hint = did_you_mean(&nearest(name, self.0.iter().map(String::as_str), 1));
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            format!("no clock `{name}` on this board{hint}")
        })
    }
}
