//! The functions that a script can call while one of its own runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bus::{DeviceError, Effect, Incoming};
use rhai::{Array, Dynamic, Engine, EvalAltResult, INT, NativeCallContext};

use super::int;

/// The requests made in one call.
pub(super) struct Desk {
    now: u64,
    core_hz: u32,
    pub(super) irq: Option<bool>,
    pub(super) wake: Option<u64>,
    /// Core cycles for which a target holds the clock of its bus.
    pub(super) stretch: Option<u64>,
    pub(super) sent: Vec<u8>,
    pub(super) effects: Vec<Effect>,
    pub(super) given: Vec<(String, Incoming)>,
    pub(super) given_bytes: usize,
    pub(super) note: Option<String>,
    pub(super) refused: Option<DeviceError>,
}

impl Desk {
    /// An empty list of requests, at this core cycle and core frequency.
    pub(super) fn new(now: u64, core_hz: u32) -> Desk {
        Desk {
            now,
            core_hz,
            irq: None,
            wake: None,
            stretch: None,
            sent: Vec::new(),
            effects: Vec::new(),
            given: Vec::new(),
            given_bytes: 0,
            note: None,
            refused: None,
        }
    }

    /// Never in the present cycle again: a script that wakes itself lets time pass.
    fn wake_at(&mut self, cycle: u64) {
        self.wake = Some(cycle.max(self.now + 1));
    }
}

/// The desk, on its way through a call.
#[derive(Clone)]
pub(super) struct Handle(pub(super) Arc<Mutex<Desk>>);

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// The most bytes that one call sends.
const MOST_BYTES: usize = 1 << 16;
/// The most things that it gives.
const MOST_GIVEN: usize = 1 << 10;

/// Makes all of it known to scripts.
pub(super) fn offer(engine: &mut Engine) {
    type Context<'a> = NativeCallContext<'a>;
    engine
        .register_fn("now", |context: Context<'_>| {
            at(&context, |desk| Ok(int(desk.now)))
        })
        .register_fn("core_hz", |context: Context<'_>| {
            at(&context, |desk| Ok(INT::from(desk.core_hz)))
        })
        .register_fn("irq", |context: Context<'_>, level: bool| {
            at(&context, |desk| {
                desk.irq = Some(level);
                Ok(())
            })
        })
        .register_fn("wake_at", |context: Context<'_>, cycle: INT| {
            at(&context, |desk| {
                desk.wake_at(unsigned(cycle, "a cycle")?);
                Ok(())
            })
        })
        .register_fn("wake_in", |context: Context<'_>, cycles: INT| {
            at(&context, |desk| {
                let cycles = unsigned(cycles, "a number of cycles")?;
                desk.wake_at(desk.now.saturating_add(cycles));
                Ok(())
            })
        })
        .register_fn("wake_never", |context: Context<'_>| {
            at(&context, |desk| {
                desk.wake = Some(u64::MAX);
                Ok(())
            })
        })
        .register_fn("stretch", |context: Context<'_>, cycles: INT| {
            at(&context, |desk| {
                desk.stretch = Some(unsigned(cycles, "a number of cycles")?);
                Ok(())
            })
        })
        .register_fn("send", |context: Context<'_>, what: Dynamic| {
            at(&context, |desk| {
                let mut bytes = bytes(what)?;
                if desk.sent.len() + bytes.len() > MOST_BYTES {
                    return Err(format!("one call sends at most {MOST_BYTES} bytes").into());
                }
                desk.sent.append(&mut bytes);
                Ok(())
            })
        })
        .register_fn("note", |context: Context<'_>, text: &str| {
            at(&context, |desk| {
                desk.note = Some(one_line(text));
                Ok(())
            })
        })
        .register_fn("refuse", |context: Context<'_>, text: &str| {
            refuse(&context, DeviceError::NotModelled(one_line(text)))
        })
        // Replaces the library's, which blocks the host.
        .register_fn("sleep", |_: INT| -> Outcome<()> {
            Err("time is the program's: `wake_in(cycles)`".into())
        })
        .register_fn("bus_error", |context: Context<'_>| {
            refuse(&context, DeviceError::Bus)
        });
    offer_gifts(engine);
}

/// Registers the functions that send inputs to other devices.
fn offer_gifts(engine: &mut Engine) {
    type Context<'a> = NativeCallContext<'a>;
    engine
        .register_fn("give", |context: Context<'_>, to: &str, what: Dynamic| {
            let bytes = bytes(what)?;
            give(&context, to, Incoming::Bytes(bytes))
        })
        .register_fn(
            "drive",
            |context: Context<'_>, to: &str, pin: INT, level: Dynamic| {
                let pin = small(pin, "a pin")?;
                let level = match level.as_bool() {
                    Ok(level) => Some(level),
                    Err(_) if level.is_unit() => None,
                    Err(kind) => return Err(format!("a level is true, false or (), not {kind}").into()),
                };
                give(&context, to, Incoming::Pin { pin, level })
            },
        )
        .register_fn(
            "measure",
            |context: Context<'_>, to: &str, channel: INT, value: INT| {
                let channel = small(channel, "a channel")?;
                let value = u32::try_from(value).map_err(|_| format!("{value} is no value of 32 bits"))?;
                give(&context, to, Incoming::Value { channel, value })
            },
        );
}

fn give(context: &NativeCallContext<'_>, to: &str, input: Incoming) -> Outcome<()> {
    at(context, |desk| {
        if desk.given.len() == MOST_GIVEN {
            return Err(format!("one call gives at most {MOST_GIVEN} things").into());
        }
        if let Incoming::Bytes(bytes) = &input {
            desk.given_bytes += bytes.len();
        }
        desk.given.push((to.to_owned(), input));
        Ok(())
    })
}

fn refuse(context: &NativeCallContext<'_>, error: DeviceError) -> Outcome<()> {
    at(context, |desk| {
        desk.refused.get_or_insert(error);
        // Nothing after it is executed.
        Err("refused".into())
    })
}

/// Does something at the desk of a call.
fn at<T>(context: &NativeCallContext<'_>, what: impl FnOnce(&mut Desk) -> Outcome<T>) -> Outcome<T> {
    let handle = context.tag().and_then(|tag| tag.clone().try_cast::<Handle>());
    let handle = handle.ok_or("only a function that is called can ask for that")?;
    let mut desk: MutexGuard<'_, Desk> = handle.0.lock().unwrap_or_else(PoisonError::into_inner);
    what(&mut desk)
}

/// A script's words in a message: they begin no other one, and tell the terminal nothing.
pub(super) fn one_line(text: &str) -> String {
    let shown = |letter: char| {
        if letter.is_control() {
            letter.escape_default().to_string()
        } else {
            letter.to_string()
        }
    };
    text.chars().map(shown).collect()
}

fn unsigned(number: INT, what: &str) -> Outcome<u64> {
    u64::try_from(number).map_err(|_| format!("{number} is not {what}").into())
}

fn small(number: INT, what: &str) -> Outcome<u8> {
    u8::try_from(number).map_err(|_| format!("{number} is not {what}").into())
}

/// Text, one byte, or a list of them.
fn bytes(what: Dynamic) -> Outcome<Vec<u8>> {
    let byte = |value: &Dynamic| {
        let number = value.as_int().ok().and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| format!("{value} is no byte").into())
    };
    if what.is_string() {
        return Ok(what.into_string()?.into_bytes());
    }
    match what.clone().try_cast::<Array>() {
        Some(list) => list.iter().map(byte).collect(),
        None => Ok(vec![byte(&what)?]),
    }
}
