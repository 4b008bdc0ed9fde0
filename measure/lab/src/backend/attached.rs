//! A chip behind a debug probe, driven by the library probe-rs without a server. This is a feature, since it is large and few need it.

/// The source of its figures, in words.
pub(super) fn name(selector: Option<&str>) -> String {
    match selector {
        Some(selector) => format!("the probe {selector}"),
        None => "the probe".into(),
    }
}

#[cfg(feature = "probe-rs")]
pub(super) use with_probes::{attach, open};
#[cfg(not(feature = "probe-rs"))]
pub(super) use without_probes::open;

#[cfg(not(feature = "probe-rs"))]
mod without_probes {
    use machine::TargetError;
    use machine::board::Core;

    use crate::backend::link::Link;

    pub(crate) fn open(_: Option<&str>, _: Core) -> Result<Box<dyn Link>, TargetError> {
        let error = TargetError::new("this program was built without debug probes");
        Err(error.help(
            "build it with `--features probe-rs`, or measure through `probe-rs gdb` (`--backend gdb:localhost:1337`)",
        ))
    }
}

#[cfg(feature = "probe-rs")]
mod with_probes {
    use std::fmt::Write as _;
    use std::io;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use machine::TargetError;
    use machine::board::Core;
    use probe_rs::probe::list::Lister;
    use probe_rs::probe::{DebugProbeSelector, Probe};
    use probe_rs::{MemoryInterface, Permissions, RegisterId, Session};

    use crate::backend::attached::name;
    use crate::backend::link::{Link, Point, Stop};

    /// Time limit for the program to stop.
    const ANSWER: Duration = Duration::from_secs(10);
    /// Time limit of a reset.
    const RESET: Duration = Duration::from_secs(1);
    /// Interval between checks whether it has stopped.
    const PAUSE: Duration = Duration::from_micros(100);

    /// DHCSR, and the key for writing it (ARMv7-M ARM C1.6.2).
    const DHCSR: u64 = 0xe000_edf0;
    const KEY: u32 = 0xa05f_0000;
    const DEBUG: u32 = 1 << 0;
    const HALT: u32 = 1 << 1;
    const STEP: u32 = 1 << 2;
    const NO_INTERRUPTS: u32 = 1 << 3;
    const HALTED: u32 = 1 << 17;
    /// The last comparator of a Cortex-M3 or M4; the first one can also count cycles.
    const COMPARATOR: u64 = 0xe000_1050;
    /// Comparator function: watch stores.
    const STORES: u32 = 6;

    /// Opens the selected probe, or the only one.
    pub(crate) fn open(selector: Option<&str>, core: Core) -> Result<Box<dyn Link>, TargetError> {
        let lister = Lister::new();
        let probe = match selector {
            Some(text) => {
                let selector = text.parse::<DebugProbeSelector>();
                let selector = selector.map_err(|error| {
                    TargetError::new(format!("`{text}` selects no probe: {error}"))
                        .help("VENDOR:PRODUCT or VENDOR:PRODUCT:SERIAL, as `probe-rs list` shows them")
                })?;
                lister.open(selector)
            }
            None => match &lister.list_all()[..] {
                [] => {
                    return Err(TargetError::new("no debug probe is connected").help(
                        "is it plugged in, and may you use it? probe.rs/docs/getting-started/probe-setup",
                    ));
                }
                [only] => only.open(),
                several => {
                    let all = several.iter().map(ToString::to_string).collect::<Vec<_>>();
                    return Err(
                        TargetError::new("several debug probes are connected").help(format!(
                            "choose one by `probe:VENDOR:PRODUCT[:SERIAL]`: {}",
                            all.join(", ")
                        )),
                    );
                }
            },
        };
        let probe = probe.map_err(|error| TargetError::new(format!("{}: {error}", name(selector))))?;
        attach(probe, &name(selector), core)
    }

    /// Attaches to the chip behind a probe.
    pub(crate) fn attach(probe: Probe, name: &str, core: Core) -> Result<Box<dyn Link>, TargetError> {
        // Any chip with this core will do, since its flash is not written.
        let chip = if core.name().contains("m4") {
            "Cortex-M4"
        } else {
            "Cortex-M3"
        };
        let session = probe.attach(chip, Permissions::default());
        let session =
            session.map_err(|error| TargetError::new(format!("{name}: no chip: {}", told(&error))))?;
        let name = name.to_owned();
        Ok(Box::new(Attached { session, name }))
    }

    struct Attached {
        session: Session,
        name: String,
    }

    /// An error with its causes.
    fn told(error: &dyn std::error::Error) -> String {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let _ = write!(text, ": {error}");
            source = error.source();
        }
        text
    }

    impl Attached {
        fn core<T>(
            &mut self,
            what: impl FnOnce(&mut probe_rs::Core<'_>) -> Result<T, probe_rs::Error>,
        ) -> io::Result<T> {
            let done = self.session.core(0).and_then(|mut core| what(&mut core));
            done.map_err(|error| io::Error::other(told(&error)))
        }

        /// Resumes the core and waits until it stops. probe-rs's own resume steps first, which would cost another stop.
        fn go(&mut self, how: u32) -> io::Result<Stop> {
            self.write_word(DHCSR as u32, KEY | DEBUG | how)?;
            let began = Instant::now();
            while self.word(DHCSR as u32)? & HALTED == 0 {
                if began.elapsed() > ANSWER {
                    self.write_word(DHCSR as u32, KEY | DEBUG | HALT)?;
                    return Ok(Stop::TimedOut);
                }
                sleep(PAUSE);
            }
            Ok(Stop::Stopped)
        }
    }

    fn register(number: u32) -> RegisterId {
        RegisterId(number as u16)
    }

    impl Link for Attached {
        fn name(&self) -> String {
            self.name.clone()
        }

        fn reset(&mut self) -> io::Result<()> {
            self.core(|core| core.reset_and_halt(RESET).map(drop))
        }

        fn read(&mut self, address: u32, into: &mut [u8]) -> io::Result<()> {
            self.core(|core| core.read(address.into(), into))
        }

        fn write_word(&mut self, address: u32, word: u32) -> io::Result<()> {
            self.core(|core| core.write_word_32(address.into(), word))
        }

        fn register(&mut self, number: u32) -> io::Result<u32> {
            self.core(|core| core.read_core_reg(register(number)))
        }

        fn set_register(&mut self, number: u32, value: u32) -> io::Result<()> {
            self.core(|core| core.write_core_reg(register(number), value))
        }

        fn insert(&mut self, point: Point) -> io::Result<()> {
            self.core(|core| match point {
                Point::Code(address) => core.set_hw_breakpoint(address.into()),
                Point::Stores(address, size) => {
                    core.write_word_32(COMPARATOR, address)?;
                    core.write_word_32(COMPARATOR + 4, size.next_power_of_two().trailing_zeros())?;
                    core.write_word_32(COMPARATOR + 8, STORES)
                }
            })
        }

        fn remove(&mut self, point: Point) -> io::Result<()> {
            self.core(|core| match point {
                Point::Code(address) => core.clear_hw_breakpoint(address.into()),
                Point::Stores(..) => core.write_word_32(COMPARATOR + 8, 0),
            })
        }

        fn step(&mut self) -> io::Result<Stop> {
            self.go(STEP | NO_INTERRUPTS)
        }

        fn go_on(&mut self) -> io::Result<Stop> {
            self.go(0)
        }
    }
}
