//! Inputs to a program from outside: bytes, pin levels and converter values, each at a cycle.

use std::fmt;
use std::str::FromStr;

use bus::{Bus, Incoming, NotTaken};

use crate::channel::Channel;
use crate::hosted::Hosted;
use crate::nearest::{did_you_mean, nearest};

/// An input to a program from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stimulus {
    /// The core cycle since reset. The input arrives before the first instruction that would start then or later.
    pub at: u64,
    /// The receiver.
    pub to: Receiver,
    /// The input.
    pub input: Incoming,
}

/// The receiver of a stimulus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Receiver {
    /// A device of the board, by its name.
    Device(String),
    /// A down channel of RTT, from 0.
    Rtt(u32),
}

impl Stimulus {
    /// Schedules the stimulus.
    ///
    /// # Errors
    /// Why there is no receiver, as a message, and the suggested remedy.
    pub(crate) fn schedule(
        &self,
        bus: &mut Bus,
        hosted: &mut Hosted,
    ) -> Result<(), (String, Option<String>)> {
        let refused = |what: &str| Err((format!("{self}: {what}"), None));
        match (&self.to, &self.input) {
            (Receiver::Rtt(_), _) if self.at != 0 => {
                refused("RTT takes its input from the start, as it has room")
            }
            // The host fills a ring when it has room: all bytes wait.
            (Receiver::Rtt(channel), Incoming::Bytes(bytes) | Incoming::Waiting(bytes)) => {
                if hosted.give(*channel, bytes) {
                    Ok(())
                } else {
                    refused("the program has no symbol `_SEGGER_RTT`")
                }
            }
            (Receiver::Rtt(_), _) => refused("RTT takes only bytes"),
            (Receiver::Device(name), input) => match bus.schedule(name, self.at, input.clone()) {
                Ok(()) => Ok(()),
                Err(NotTaken::Refused(what)) => refused(&what),
                Err(NotTaken::NoDevice) => {
                    let hint = did_you_mean(&nearest(name, bus.device_names(), 2));
                    Err((format!("{self}: the board has no peripheral `{name}`"), hint))
                }
            },
        }
    }
}

/// The help text on the form of a stimulus.
const FORM: &str = "write the receiver, a cycle and what comes: `UART0@1000=text\\n` (`UART0@1000,when-read=text` if the sender waits), `GPIOA.5@1000=high` (`low`, `open`), `ADC1.3@1000=2048`";

/// Option after the cycle, or instead of it: the sender starts a byte when the receiver has room for it.
const WHEN_READ: &str = "when-read";

impl FromStr for Stimulus {
    type Err = String;

    fn from_str(text: &str) -> Result<Stimulus, String> {
        let form = || FORM.to_owned();
        let (head, what) = text.split_once('=').ok_or_else(form)?;
        let (name, when) = head.rsplit_once('@').ok_or_else(form)?;
        let (cycle, waits) = match when.split_once(',') {
            Some((cycle, WHEN_READ)) => (cycle, true),
            None if when == WHEN_READ => ("0", true),
            _ => (when, false),
        };
        let at = cycle.replace('_', "").parse().map_err(|_| form())?;
        let (name, number) = match name.rsplit_once('.') {
            Some((name, number)) => (name, Some(byte(number).ok_or_else(form)?)),
            None => (name, None),
        };
        let to = Receiver::from_str(name)?;
        let input = match number {
            None if waits => Incoming::Waiting(unescape(what)?),
            None => Incoming::Bytes(unescape(what)?),
            Some(number) => numbered(number, what).filter(|_| !waits).ok_or_else(form)?,
        };
        Ok(Stimulus { at, to, input })
    }
}

impl FromStr for Receiver {
    type Err = String;

    /// `rtt:0`, or the name of a device: `usart1`.
    fn from_str(text: &str) -> Result<Receiver, String> {
        match text.parse()? {
            Channel::Device(name) => Ok(Receiver::Device(name)),
            Channel::Rtt(channel) => Ok(Receiver::Rtt(channel)),
            other => Err(format!(
                "`{other}` takes no input; RTT and devices of the board do"
            )),
        }
    }
}

/// The number of a pin or channel; an address is written `0x48`.
fn byte(number: &str) -> Option<u8> {
    match number.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

/// A pin's level or a channel's value.
fn numbered(number: u8, what: &str) -> Option<Incoming> {
    let level = match what {
        "high" => Some(true),
        "low" => Some(false),
        "open" => None,
        _ => {
            let value = what.parse().ok()?;
            return Some(Incoming::Value {
                channel: number,
                value,
            });
        }
    };
    Some(Incoming::Pin { pin: number, level })
}

/// Expands `
/// `, `\r`, `\t`, `\\` and `\x1b` in a text.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let wrong = |rest: &str| {
        format!("`\\{rest}`: the escapes are \\n, \\r, \\t, \\\\ and a byte in hexadecimal, as \\x1b")
    };
    let mut bytes = Vec::new();
    let mut parts = text.split('\\');
    bytes.extend(parts.next().unwrap_or_default().as_bytes());
    while let Some(part) = parts.next() {
        let rest = match part.as_bytes().first() {
            // Two backslashes: text follows them.
            None => {
                bytes.push(b'\\');
                bytes.extend(parts.next().ok_or_else(|| wrong(part))?.as_bytes());
                continue;
            }
            Some(b'x') => {
                let digits = part.get(1..3).filter(|digits| !digits.starts_with('+'));
                let digits = digits.ok_or_else(|| wrong(part))?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong(part))?);
                &part[3..]
            }
            Some(letter) => {
                let known = [(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t')];
                let (_, byte) = known
                    .iter()
                    .find(|(known, _)| known == letter)
                    .ok_or_else(|| wrong(part))?;
                bytes.push(*byte);
                &part[1..]
            }
        };
        bytes.extend(rest.as_bytes());
    }
    Ok(bytes)
}

impl fmt::Display for Stimulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.to {
            Receiver::Device(name) => name.clone(),
            Receiver::Rtt(channel) => format!("rtt:{channel}"),
        };
        match &self.input {
            Incoming::Bytes(_) | Incoming::Waiting(_) => write!(f, "bytes for {name}"),
            Incoming::Pin { pin, .. } => write!(f, "a level on pin {pin} of {name}"),
            Incoming::Value { channel, .. } => write!(f, "a value for channel {channel} of {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stimulus(text: &str) -> Result<Stimulus, String> {
        text.parse()
    }

    #[test]
    fn stimuli_are_bytes_levels_and_values() {
        let bytes = stimulus(r"UART0@1_000=a=\x41\\n\n").unwrap();
        assert_eq!((bytes.at, bytes.to), (1000, Receiver::Device("UART0".into())));
        assert_eq!(bytes.input, Incoming::Bytes(b"a=A\\n\n".to_vec()));
        for (text, at) in [("U@when-read=x", 0), ("U@1_000,when-read=x", 1000)] {
            let waits = stimulus(text).unwrap();
            assert_eq!((waits.at, waits.input), (at, Incoming::Waiting(b"x".to_vec())));
        }
        let input = |text: &str| stimulus(text).unwrap().input;
        let level = Some(true);
        assert_eq!(input("GPIOA.5@7=high"), Incoming::Pin { pin: 5, level });
        assert_eq!(input("GPIOA.5@7=open"), Incoming::Pin { pin: 5, level: None });
        let value = Incoming::Value {
            channel: 3,
            value: 2048,
        };
        assert_eq!(input("ADC1.3@7=2048"), value);
        assert_eq!(input("ADC1.0x3@7=2048"), value);
        assert_eq!(stimulus("rtt:0@0=x").unwrap().to, Receiver::Rtt(0));
    }

    #[test]
    fn what_is_none_says_how_they_are_written() {
        for wrong in [
            "UART0=x",
            "UART0@x=y",
            "UART0@1,later=x",
            "GPIOA.5@1,when-read=high",
            "GPIOA.5@1=up",
            "GPIOA.300@1=high",
            r"U@1=\q",
            r"U@1=\x4",
            r"U@1=\x+4",
            r"U@1=a\",
            "itm:0@1=x",
        ] {
            assert!(stimulus(wrong).is_err(), "{wrong}");
        }
    }
}
