//! The board file's keys for peripherals. The board reads the keys common to all; each kind reads its own.

use bus::{Device, Irq};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, Error, ValueDeserializer};

use super::around::{Around, Settings};
use super::block::About;
use super::block::about::Documented;
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
use super::registers::Listing;
use super::riscv::{self, Finisher, Ns16550};
use super::rp2040;
use super::rtl_ports::RtlPorts;
use super::script::ScriptSettings;
use super::sp804::DualTimer;
use super::stellaris_gpio::StellarisGpio;
use super::stm32;

/// A kind of peripheral.
pub(crate) struct Kind {
    /// The name in board files.
    pub(crate) name: &'static str,
    reader: Reader,
    about: About,
    refused: fn() -> Vec<String>,
}

/// A kind of peripheral that a board file can have.
#[derive(Clone, Debug)]
pub struct DeviceKind {
    /// The `kind` in board files.
    pub name: &'static str,
    /// What it models, and where that is from.
    pub about: About,
    /// The bits that may not be written, and the registers that may not be read, each with the reason: they stop the run.
    pub refused: Vec<String>,
}

/// Every kind of peripheral that a board file can have.
pub fn device_kinds() -> impl Iterator<Item = DeviceKind> {
    Kind::ALL.iter().map(|kind| DeviceKind {
        name: kind.name,
        about: kind.about,
        refused: (kind.refused)(),
    })
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
        Kind::plain::<CmsdkGpio>("cmsdk-gpio", |irq| Box::new(CmsdkGpio::new(irq))),
        Kind::plain::<DualTimer>("cmsdk-dual-timer", |irq| Box::new(DualTimer::new(irq))),
        Kind::plain::<CmsdkWatchdog>("cmsdk-watchdog", |irq| Box::new(CmsdkWatchdog::new(irq))),
        Kind::plain::<CmsdkTimer>("cmsdk-timer", |irq| Box::new(CmsdkTimer::new(irq))),
        Kind::own::<Listing>("registers"),
        Kind::own::<ScriptSettings>("script"),
        Kind::plain::<RtlPorts>("rtl-ports", |_| Box::new(RtlPorts::default())),
        Kind::own::<riscv::ClintSettings>("clint"),
        Kind::own::<riscv::PlicSettings>("plic"),
        Kind::plain::<Ns16550>("ns16550", |irq| Box::new(Ns16550::new(irq))),
        Kind::plain::<litex::Controller>("litex-ctrl", |_| Box::new(litex::Controller::default())),
        Kind::plain::<litex::Countdown>("litex-timer", |irq| Box::new(litex::Countdown::new(irq))),
        Kind::own::<litex::UartSettings>("litex-uart"),
        Kind::plain::<Fe310Gpio>("fe310-gpio", |irq| Box::new(Fe310Gpio::new(irq))),
        Kind::own::<fe310::RtcSettings>("fe310-rtc"),
        Kind::plain::<Fe310Uart>("fe310-uart", |irq| Box::new(Fe310Uart::new(irq))),
        Kind::own::<precursor::TicksSettings>("precursor-ticktimer"),
        Kind::plain::<Random>("precursor-trng", |_| Box::new(Random::default())),
        Kind::plain::<Finisher>("test-finisher", |_| Box::new(Finisher::default())),
        Kind::made::<nrf::ClockPower>("nrf-clock-power", nrf::ClockPower::of),
        Kind::made::<nrf::Gpio>("nrf-gpio", nrf::Gpio::of),
        Kind::made::<nrf::Gpiote>("nrf-gpiote", nrf::Gpiote::of),
        Kind::own::<nrf::NvmcSettings>("nrf-nvmc"),
        Kind::made::<nrf::Ppi>("nrf-ppi", nrf::Ppi::of),
        Kind::made::<nrf::Pwm>("nrf-pwm", nrf::Pwm::of),
        Kind::made::<nrf::Random>("nrf-rng", nrf::Random::of),
        Kind::own::<nrf::RtcSettings>("nrf-rtc"),
        Kind::own::<nrf::TimerSettings>("nrf-timer"),
        Kind::own::<nrf::SaadcSettings>("nrf-saadc"),
        Kind::own::<nrf::SerialSettings>("nrf-spim-twim"),
        Kind::made::<nrf::Temperature>("nrf-temp", nrf::Temperature::of),
        Kind::made::<nrf::Uarte>("nrf-uarte", nrf::Uarte::of),
        Kind::made::<nrf::Watchdog>("nrf-wdt", nrf::Watchdog::of),
        Kind::own::<rp2040::AdcSettings>("rp2040-adc"),
        Kind::own::<rp2040::ClocksSettings>("rp2040-clocks"),
        Kind::made::<rp2040::Dma>("rp2040-dma", rp2040::Dma::of),
        Kind::made::<rp2040::Bank>("rp2040-io-bank", rp2040::Bank::of),
        Kind::made::<rp2040::Pads>("rp2040-pads", rp2040::Pads::of),
        Kind::own::<rp2040::PllSettings>("rp2040-pll"),
        Kind::made::<rp2040::Pwm>("rp2040-pwm", rp2040::Pwm::of),
        Kind::own::<rp2040::RtcSettings>("rp2040-rtc"),
        Kind::made::<rp2040::Sio>("rp2040-sio", rp2040::Sio::of),
        Kind::made::<rp2040::Timer>("rp2040-timer", rp2040::Timer::of),
        Kind::made::<rp2040::Watchdog>("rp2040-watchdog", rp2040::Watchdog::of),
        Kind::made::<StellarisGpio>("stellaris-gpio", StellarisGpio::of),
        Kind::own::<stm32::ExtiSettings>("stm32-exti"),
        Kind::own::<stm32::OlderGpioSettings>("stm32f1-gpio"),
        Kind::own::<stm32::GpioSettings>("stm32-gpio"),
        Kind::read_by::<stm32::GpioSettings>("stm32-gpio-brr", |table| {
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
        Kind::read_by::<stm32::UsartSettings>("stm32-usart-isr", |table| usart(table, stm32::Layout::Later)),
        Kind::read_by::<stm32::UsartSettings>("stm32-usart-fifo", |table| {
            usart(table, stm32::Layout::LaterWithFifo)
        }),
    ];

    const fn plain<D: Documented>(name: &'static str, make: Plain) -> Kind {
        Kind::of::<D>(name, Reader::Plain(make))
    }

    const fn made<D: Documented>(name: &'static str, make: Make) -> Kind {
        Kind::of::<D>(name, Reader::Made(make))
    }

    const fn own<S: Settings + Documented + DeserializeOwned + 'static>(name: &'static str) -> Kind {
        Kind::read_by::<S>(name, |table| Ok(Box::new(parsed::<S>(table)?)))
    }

    const fn read_by<S: Documented>(name: &'static str, read: Read) -> Kind {
        Kind::of::<S>(name, Reader::Own(read))
    }

    const fn of<D: Documented>(name: &'static str, reader: Reader) -> Kind {
        Kind {
            name,
            reader,
            about: D::ABOUT,
            refused: D::refused,
        }
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
