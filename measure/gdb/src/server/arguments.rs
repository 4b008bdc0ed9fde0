//! The arguments of a request: hexadecimal numbers with separators between them.

use machine::TargetError;

use super::packet::digit;

/// Why a request is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Unknown request; the reply is empty.
    Unknown,
    /// The arguments are malformed, too few or too many.
    Malformed,
    /// No memory is there, or it cannot be written.
    NoMemory,
    /// No such thread.
    NoThread,
    /// No such register, or it is read-only.
    NoRegister,
    /// The target failed.
    Target(TargetError),
}

impl From<TargetError> for Refusal {
    fn from(error: TargetError) -> Refusal {
        Refusal::Target(error)
    }
}

impl Refusal {
    /// The reply to GDB: an error number of GDB's file I/O (appendix E.13.8); they are Linux's.
    pub(super) fn reply(&self) -> &'static [u8] {
        match self {
            Refusal::Unknown => b"",
            Refusal::Malformed => b"E16",
            Refusal::NoMemory => b"E0e",
            Refusal::NoThread => b"E03",
            Refusal::NoRegister => b"E06",
            Refusal::Target(_) => b"E05",
        }
    }
}

pub(super) type Answered<T> = std::result::Result<T, Refusal>;

/// The thread that a request addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadId {
    /// All threads, or any.
    Any,
    /// The thread with this number.
    Number(u32),
}

/// The arguments not yet parsed.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a [u8]);

impl<'a> Arguments<'a> {
    /// Whether nothing is left.
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Checks that nothing is left.
    pub(super) fn end(self) -> Answered<()> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(Refusal::Malformed)
        }
    }

    /// Takes this byte, if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let rest = self.0.strip_prefix(&[byte]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes this byte, which must be next.
    pub(super) fn expect(&mut self, byte: u8) -> Answered<()> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(Refusal::Malformed)
        }
    }

    /// Takes the next byte.
    pub(super) fn byte(&mut self) -> Answered<u8> {
        let (&byte, rest) = self.0.split_first().ok_or(Refusal::Malformed)?;
        self.0 = rest;
        Ok(byte)
    }

    /// Takes a number of one digit or more, below 2³².
    pub(super) fn number(&mut self) -> Answered<u32> {
        let length = self.0.iter().take_while(|byte| digit(**byte).is_some()).count();
        let (digits, rest) = self.0.split_at(length);
        let text = std::str::from_utf8(digits).map_err(|_| Refusal::Malformed)?;
        self.0 = rest;
        u32::from_str_radix(text, 16).map_err(|_| Refusal::Malformed)
    }

    /// Takes two numbers with a comma between them: an address and a length.
    pub(super) fn range(&mut self) -> Answered<(u32, u32)> {
        let first = self.number()?;
        self.expect(b',')?;
        Ok((first, self.number()?))
    }

    /// Takes a thread: a number, -1 for all, 0 for any, and `pPROCESS.` in front if GDB counts processes.
    pub(super) fn thread(&mut self) -> Answered<ThreadId> {
        if self.take(b'p') {
            self.id()?;
            if !self.take(b'.') {
                return Ok(ThreadId::Any);
            }
        }
        self.id()
    }

    /// Takes a number, or -1 for all.
    fn id(&mut self) -> Answered<ThreadId> {
        let is_negative = self.take(b'-');
        match (is_negative, self.number()?) {
            (true, 1) | (false, 0) => Ok(ThreadId::Any),
            (true, _) => Err(Refusal::Malformed),
            (false, number) => Ok(ThreadId::Number(number)),
        }
    }

    /// Takes the bytes up to `end`, and `end` itself.
    pub(super) fn word(&mut self, end: u8) -> Answered<&'a [u8]> {
        let at = self
            .0
            .iter()
            .position(|byte| *byte == end)
            .ok_or(Refusal::Malformed)?;
        let word = &self.0[..at];
        self.0 = &self.0[at + 1..];
        Ok(word)
    }

    /// Takes the rest as hexadecimal bytes, two digits each.
    pub(super) fn bytes(self) -> Answered<Vec<u8>> {
        let known = self.known_bytes()?;
        known.into_iter().collect::<Option<_>>().ok_or(Refusal::Malformed)
    }

    /// Takes the rest as hexadecimal bytes; `xx` is an unknown byte.
    pub(super) fn known_bytes(self) -> Answered<Vec<Option<u8>>> {
        let (pairs, rest) = self.0.as_chunks::<2>();
        let byte = |pair: &[u8; 2]| match (pair, digit(pair[0]), digit(pair[1])) {
            (b"xx", ..) => Ok(None),
            (_, Some(high), Some(low)) => Ok(Some(high << 4 | low)),
            _ => Err(Refusal::Malformed),
        };
        Arguments(rest).end()?;
        pairs.iter().map(byte).collect()
    }

    /// Takes the rest as binary data, in which `}` escapes the next byte.
    pub(super) fn binary(self) -> Answered<Vec<u8>> {
        let mut data = Vec::with_capacity(self.0.len());
        let mut rest = self.0.iter();
        while let Some(&byte) = rest.next() {
            data.push(match byte {
                b'}' => rest.next().ok_or(Refusal::Malformed)? ^ 0x20,
                byte => byte,
            });
        }
        Ok(data)
    }
}

/// Encodes bytes as hexadecimal digits.
pub(super) fn digits(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|byte| format!("{byte:02x}").into_bytes())
        .collect()
}

/// Encodes bytes as escaped binary data.
pub(super) fn escaped(data: &[u8]) -> Vec<u8> {
    let escape = |&byte: &u8| match byte {
        b'#' | b'$' | b'}' | b'*' => vec![b'}', byte ^ 0x20],
        byte => vec![byte],
    };
    data.iter().flat_map(escape).collect()
}
