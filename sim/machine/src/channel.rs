//! The channels of a program's output, and the taps that receive it.

use std::fmt;
use std::str::FromStr;

/// An output channel of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// Semihosting, which goes to standard output.
    Semihosting,
    /// An up channel of RTT, from 0.
    Rtt(u32),
    /// A stimulus port of the ITM, 0 to 31.
    Itm(u8),
    /// A device of the board, by its name.
    Device(String),
}

impl FromStr for Channel {
    type Err = String;

    /// `semihosting`, `rtt:0`, `itm:0`, or the name of a device: `usart1`.
    fn from_str(text: &str) -> Result<Channel, String> {
        let number = |digits: &str, last: u32| {
            let number = digits.parse().ok().filter(|number| *number <= last);
            number.ok_or_else(|| format!("`{text}`: a number from 0 to {last} must follow the colon"))
        };
        match text.split_once(':') {
            Some(("rtt", digits)) => Ok(Channel::Rtt(number(digits, 255)?)),
            Some(("itm", digits)) => Ok(Channel::Itm(number(digits, 31)? as u8)),
            Some((other, _)) => Err(format!("`{other}` has no numbers; `rtt` and `itm` have")),
            None => Ok(match text {
                "semihosting" => Channel::Semihosting,
                "rtt" => Channel::Rtt(0),
                "itm" => Channel::Itm(0),
                "" => {
                    return Err(
                        "a channel is `semihosting`, `rtt:0`, `itm:0`, or a device of the board".into(),
                    );
                }
                name => Channel::Device(name.to_owned()),
            }),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Channel::Semihosting => f.write_str("semihosting"),
            Channel::Rtt(number) => write!(f, "rtt:{number}"),
            Channel::Itm(number) => write!(f, "itm:{number}"),
            Channel::Device(name) => f.write_str(name),
        }
    }
}

/// The time of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Core cycle since reset.
    pub cycle: u64,
    /// Simulated nanoseconds since reset.
    pub nanoseconds: u64,
}

/// Receives a channel's output.
pub trait Tap: Send {
    /// Takes bytes that were output at this time; a device may have sent them shortly before.
    fn take(&mut self, at: Stamp, bytes: &[u8]);
}

/// Writes the bytes unchanged.
impl<W: std::io::Write + Send> Tap for W {
    fn take(&mut self, _: Stamp, bytes: &[u8]) {
        // A full disk or closed pipe does not end the run.
        let _ = self.write_all(bytes).and_then(|()| self.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_read_as_they_are_written() {
        for name in ["semihosting", "rtt:0", "rtt:3", "itm:31", "usart1"] {
            assert_eq!(name.parse::<Channel>().unwrap().to_string(), name);
        }
        assert_eq!("rtt".parse(), Ok(Channel::Rtt(0)));
        for wrong in ["", "itm:32", "rtt:x", "uart:1"] {
            assert!(wrong.parse::<Channel>().is_err(), "{wrong}");
        }
    }
}
