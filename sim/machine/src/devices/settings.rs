//! The board file's keys for peripherals. The board reads the keys common to all; each kind reads its own.

use std::cell::RefCell;
use std::path::Path;

use bus::{ClockId, Device, Irq};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, Error, ValueDeserializer};

use super::cmsdk_gpio::CmsdkGpio;
use super::cmsdk_timer::CmsdkTimer;
use super::cmsdk_uart::CmsdkUartSettings;
use super::cmsdk_watchdog::CmsdkWatchdog;
use super::dw_i2c::DwI2cSettings;
use super::fe310::{self, Fe310Gpio, Fe310Uart};
use super::litex;
use super::nrf;
use super::pl011::Pl011Settings;
use super::pl022::Pl022Settings;
use super::precursor::{self, Random};
use super::registers::Gate;
use super::registers::{Listing, Register};
use super::riscv::{self, Finisher, Ns16550};
use super::rp2040;
use super::rtl_ports::RtlPorts;
use super::script::ScriptSettings;
use super::sp804::DualTimer;
use super::stellaris_gpio::StellarisGpio;
use super::stm32;
use crate::host::Files;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// The board file's keys for a peripheral of one kind.
pub(crate) trait Settings {
    /// The device as it leaves reset.
    ///
    /// # Errors
    /// A message to the user.
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

    /// The peripherals that work as long as it lets them.
    fn gates(&self) -> Vec<Gate<'_>> {
        Vec::new()
    }

    /// The registers that it lists.
    fn registers(&mut self) -> &mut [Register] {
        &mut []
    }
}

/// A device's surroundings on its board.
pub(crate) struct Around<'a> {
    /// The device's name on the board.
    pub(crate) name: &'a str,
    /// Where the files that the board file names are read from.
    pub(crate) files: &'a dyn Files,
    /// The folder of the board file, for relative paths.
    pub(crate) folder: &'a Path,
    /// The destination of its interrupt.
    pub(crate) irq: Option<Irq>,
    /// Its first address.
    pub(crate) base: u32,
    /// Bytes from there on.
    pub(crate) size: u32,
    /// The board's clocks.
    pub(crate) clocks: &'a ClockNames,
    /// The lines between its peripherals.
    pub(crate) wires: &'a Wires,
}

impl Around<'_> {
    /// The line between peripherals that is called as this one with `what` behind: `TX` of `USART1` is `USART1_TX`.
    pub(crate) fn wire(&self, what: &str) -> u16 {
        self.wires.number(&format!("{}_{what}", self.name))
    }
}

/// The lines between a board's peripherals, numbered as they are asked for.
#[derive(Default)]
pub(crate) struct Wires(RefCell<Vec<String>>);

impl Wires {
    /// The number of the line of this name; 0 is no line, whose name is empty.
    pub(crate) fn number(&self, name: &str) -> u16 {
        if name.is_empty() {
            return 0;
        }
        let mut names = self.0.borrow_mut();
        let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        u16::try_from(place + 1).unwrap_or(0)
    }

    /// The numbers of several.
    pub(crate) fn numbers(&self, names: &[String]) -> Vec<u16> {
        names.iter().map(|name| self.number(name)).collect()
    }
}

/// A kind of peripheral.
pub(crate) struct Kind {
    /// The name in board files.
    pub(crate) name: &'static str,
    reader: Reader,
}

enum Reader {
    /// A kind without keys of its own.
    Plain(Plain),
    Made(Make),
    Own(Read),
}

type Read = fn(Spanned<DeValue<'_>>) -> Result<Box<dyn Settings>, Error>;
type Plain = fn(Option<Irq>) -> Box<dyn Device>;
type Make = fn(&Around<'_>) -> Box<dyn Device>;

/// A kind without keys of its own, which knows where it is.
struct Made(Make);

impl Settings for Made {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(self.0(around))
    }
}

impl Kind {
    /// Every kind.
    pub(crate) const ALL: &[Kind] = &[
        Kind::own::<Pl011Settings>("pl011"),
        Kind::own::<Pl022Settings>("pl022"),
        Kind::own::<DwI2cSettings>("dw-i2c"),
        Kind::own::<CmsdkUartSettings>("cmsdk-uart"),
        Kind::plain("cmsdk-gpio", |irq| Box::new(CmsdkGpio::new(irq))),
        Kind::plain("cmsdk-dual-timer", |irq| Box::new(DualTimer::new(irq))),
        Kind::plain("cmsdk-watchdog", |irq| Box::new(CmsdkWatchdog::new(irq))),
        Kind::plain("cmsdk-timer", |irq| Box::new(CmsdkTimer::new(irq))),
        Kind::own::<Listing>("registers"),
        Kind::own::<ScriptSettings>("script"),
        Kind::plain("rtl-ports", |_| Box::new(RtlPorts::default())),
        Kind::own::<riscv::ClintSettings>("clint"),
        Kind::own::<riscv::PlicSettings>("plic"),
        Kind::plain("ns16550", |irq| Box::new(Ns16550::new(irq))),
        Kind::plain("litex-ctrl", |_| Box::new(litex::Controller::default())),
        Kind::plain("litex-timer", |irq| Box::new(litex::Countdown::new(irq))),
        Kind::own::<litex::UartSettings>("litex-uart"),
        Kind::plain("fe310-gpio", |irq| Box::new(Fe310Gpio::new(irq))),
        Kind::own::<fe310::RtcSettings>("fe310-rtc"),
        Kind::plain("fe310-uart", |irq| Box::new(Fe310Uart::new(irq))),
        Kind::own::<precursor::TicksSettings>("precursor-ticktimer"),
        Kind::plain("precursor-trng", |_| Box::new(Random::default())),
        Kind::plain("test-finisher", |_| Box::new(Finisher::default())),
        Kind::made("nrf-clock-power", nrf::ClockPower::of),
        Kind::made("nrf-gpio", nrf::Gpio::of),
        Kind::made("nrf-gpiote", nrf::Gpiote::of),
        Kind::own::<nrf::NvmcSettings>("nrf-nvmc"),
        Kind::made("nrf-ppi", nrf::Ppi::of),
        Kind::made("nrf-pwm", nrf::Pwm::of),
        Kind::made("nrf-rng", nrf::Random::of),
        Kind::own::<nrf::RtcSettings>("nrf-rtc"),
        Kind::own::<nrf::TimerSettings>("nrf-timer"),
        Kind::own::<nrf::SaadcSettings>("nrf-saadc"),
        Kind::own::<nrf::SerialSettings>("nrf-spim-twim"),
        Kind::made("nrf-temp", nrf::Temperature::of),
        Kind::made("nrf-uarte", nrf::Uarte::of),
        Kind::made("nrf-wdt", nrf::Watchdog::of),
        Kind::own::<rp2040::AdcSettings>("rp2040-adc"),
        Kind::own::<rp2040::ClocksSettings>("rp2040-clocks"),
        Kind::made("rp2040-dma", rp2040::Dma::of),
        Kind::made("rp2040-io-bank", rp2040::Bank::of),
        Kind::made("rp2040-pads", rp2040::Pads::of),
        Kind::own::<rp2040::PllSettings>("rp2040-pll"),
        Kind::made("rp2040-pwm", rp2040::Pwm::of),
        Kind::own::<rp2040::RtcSettings>("rp2040-rtc"),
        Kind::made("rp2040-sio", rp2040::Sio::of),
        Kind::made("rp2040-timer", rp2040::Timer::of),
        Kind::made("rp2040-watchdog", rp2040::Watchdog::of),
        Kind::made("stellaris-gpio", StellarisGpio::of),
        Kind::own::<stm32::ExtiSettings>("stm32-exti"),
        Kind::own::<stm32::OlderGpioSettings>("stm32f1-gpio"),
        Kind::own::<stm32::GpioSettings>("stm32-gpio"),
        Kind::read_by("stm32-gpio-brr", |table| {
            Ok(Box::new(parsed::<stm32::GpioSettings>(table)?.with_brr()))
        }),
        Kind::own::<stm32::OlderAdcSettings>("stm32-adc"),
        Kind::own::<stm32::AdcCommonSettings>("stm32-adc-common"),
        Kind::own::<stm32::LaterAdcSettings>("stm32-adc-isr"),
        Kind::own::<stm32::OlderI2cSettings>("stm32-i2c"),
        Kind::own::<stm32::LaterI2cSettings>("stm32-i2c-isr"),
        Kind::own::<stm32::RtcSettings>("stm32-rtc"),
        Kind::own::<stm32::SpiSettings>("stm32-spi"),
        Kind::own::<stm32::CrcSettings>("stm32-crc"),
        Kind::own::<stm32::DacSettings>("stm32-dac"),
        Kind::own::<stm32::DmaSettings>("stm32-dma"),
        Kind::own::<stm32::StreamsSettings>("stm32-dma-streams"),
        Kind::own::<stm32::MuxSettings>("stm32-dmamux"),
        Kind::own::<stm32::IwdgSettings>("stm32-iwdg"),
        Kind::own::<stm32::RngSettings>("stm32-rng"),
        Kind::own::<stm32::WwdgSettings>("stm32-wwdg"),
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

    const fn made(name: &'static str, make: Make) -> Kind {
        let reader = Reader::Made(make);
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
    /// The parser's errors, with their place.
    pub(crate) fn read(&self, table: Spanned<DeValue<'_>>) -> Result<Box<dyn Settings>, Error> {
        match self.reader {
            Reader::Plain(make) => {
                parsed::<NoKeys>(table)?;
                Ok(Box::new(make))
            }
            Reader::Made(make) => {
                parsed::<NoKeys>(table)?;
                Ok(Box::new(Made(make)))
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
