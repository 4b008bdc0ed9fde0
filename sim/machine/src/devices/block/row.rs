//! A row of the table: what a register stores, clears, refuses and shows, and what it does.

use bus::DeviceError;

/// A read of a register: of which one, if there are several alike, and in which core cycle.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) n: usize,
    /// The size of the access, in bytes.
    pub(crate) size: u32,
    pub(crate) now: u64,
}

/// A write of a register, after it was stored.
#[derive(Clone, Copy)]
pub(crate) struct Write {
    /// The value before the write.
    pub(crate) old: u32,
    /// The value written.
    pub(crate) value: u32,
    pub(crate) n: usize,
    /// The size of the access, in bytes.
    pub(crate) size: u32,
    /// The first byte of the register that the access reaches.
    pub(crate) byte: u32,
    pub(crate) now: u64,
}

/// The properties of a register's bits, from a device's table or a board file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits {
    /// Bits that a write changes.
    pub(crate) write: u32,
    /// Bits that writing a one clears.
    pub(crate) clear: u32,
    /// Bits that do something which is not modelled when they are written as one.
    pub(crate) refuse: u32,
    /// Bits that do something when they are written as one, or that hardware shows: a write of them is no mistake.
    pub(crate) strobe: u32,
}

impl Bits {
    /// The value stored after a write of `value` to the bits `written`.
    #[inline]
    pub(crate) fn stored(&self, old: u32, value: u32, written: u32) -> u32 {
        let write = self.write & written;
        (old & !write | value & write) & !(value & written & self.clear)
    }

    /// The ones of a write that the register does not have. A register that holds nothing (a key, a trigger) drops none, a write of all ones neither.
    #[inline]
    pub(crate) fn dropped(&self, old: u32, value: u32, written: u32) -> u32 {
        let has = self.write | self.clear;
        if has == 0 || value & written == written {
            return 0;
        }
        value & written & !(has | self.refuse | self.strobe) & !old
    }
}

pub(super) enum Shows<D> {
    Stored,
    /// The value of the register at this offset.
    Other(u32),
    Does(fn(&D, At) -> u32),
}

pub(super) enum Then<D> {
    Refused,
    Stored,
    /// Ones set, clear or flip those bits of the register at this offset.
    Sets(u32, u32),
    Clears(u32, u32),
    Flips(u32, u32),
    Does(fn(&mut D, Write)),
    Tries(fn(&mut D, Write) -> Result<(), DeviceError>),
}

/// A register, or several alike, of a device `D`.
pub(crate) struct Reg<D: 'static> {
    pub(super) name: &'static str,
    pub(super) offset: u32,
    /// How many, and bytes from one to the next.
    pub(super) count: u32,
    pub(super) step: u32,
    /// The number of the first.
    pub(super) first: u32,
    /// Index of the first value.
    pub(super) place: usize,
    pub(super) reset: u32,
    pub(super) bits: Bits,
    pub(super) why: &'static str,
    pub(super) hidden: bool,
    /// It has a value that functions show and take.
    pub(super) held: bool,
    /// Only whole words are written.
    pub(super) whole: bool,
    pub(super) shows: Shows<D>,
    pub(super) taken: Option<fn(&mut D, At)>,
    pub(super) then: Then<D>,
}

impl<D> Clone for Shows<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Shows<D> {}

impl<D> Clone for Then<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Then<D> {}

impl<D> Clone for Reg<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Reg<D> {}

/// How a row is made: from a register that reads as 0, and whose writing is refused.
impl<D> Reg<D> {
    pub(crate) const fn new(name: &'static str, offset: u32) -> Self {
        Reg {
            name,
            offset,
            count: 1,
            first: 0,
            step: 4,
            place: 0,
            reset: 0,
            bits: Bits {
                write: 0,
                clear: 0,
                refuse: 0,
                strobe: 0,
            },
            why: "",
            hidden: false,
            held: false,
            whole: false,
            shows: Shows::Stored,
            taken: None,
            then: Then::Refused,
        }
    }

    /// Sets the reset value.
    pub(crate) const fn reset(mut self, reset: u32) -> Self {
        self.reset = reset;
        self
    }

    /// There are so many of it, so many bytes apart; their number follows the name.
    pub(crate) const fn times(mut self, count: u32, step: u32) -> Self {
        self.count = count;
        self.step = step;
        self
    }

    /// The number of the first of them.
    pub(crate) const fn from(mut self, first: u32) -> Self {
        self.first = first;
        self
    }

    /// Bits that a write changes.
    pub(crate) const fn write(mut self, write: u32) -> Self {
        self.bits.write = write;
        self.drops()
    }

    /// Bits that writing a one clears.
    pub(crate) const fn clear(mut self, clear: u32) -> Self {
        self.bits.clear = clear;
        self.drops()
    }

    /// Bits that do something beside being stored, when they are written as one.
    pub(crate) const fn strobe(mut self, strobe: u32) -> Self {
        self.bits.strobe = strobe;
        self
    }

    /// Bits that are not modelled as ones, and what they would do.
    pub(crate) const fn refuse(mut self, refuse: u32, why: &'static str) -> Self {
        self.bits.refuse = refuse;
        self.why = why;
        self
    }

    /// A write is allowed, whatever comes of it.
    pub(crate) const fn drops(mut self) -> Self {
        if let Then::Refused = self.then {
            self.then = Then::Stored;
        }
        self
    }

    /// Reading it is refused.
    pub(crate) const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Reading it is refused, for this reason.
    pub(crate) const fn unread(mut self, why: &'static str) -> Self {
        self.why = why;
        self.hidden()
    }

    /// It has a value, though only functions show and take it.
    pub(crate) const fn held(mut self) -> Self {
        self.held = true;
        self
    }

    /// A write of a part of it is refused.
    pub(crate) const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// It reads as this, which looking at it does not change.
    pub(crate) const fn shows(mut self, shows: fn(&D, At) -> u32) -> Self {
        self.shows = Shows::Does(shows);
        self
    }

    /// Ones that are written set these bits of another register, which it shows.
    pub(crate) const fn sets(mut self, other: u32, bits: u32) -> Self {
        self.shows = Shows::Other(other);
        self.then = Then::Sets(other, bits);
        self
    }

    /// Ones that are written clear bits of another register, which it shows.
    pub(crate) const fn clears(mut self, other: u32, bits: u32) -> Self {
        self.shows = Shows::Other(other);
        self.then = Then::Clears(other, bits);
        self
    }

    /// Ones that are written flip bits of another register, which it shows.
    pub(crate) const fn flips(mut self, other: u32, bits: u32) -> Self {
        self.shows = Shows::Other(other);
        self.then = Then::Flips(other, bits);
        self
    }

    /// Adds the action of a read, after its value was taken.
    pub(crate) const fn taken(mut self, taken: fn(&mut D, At)) -> Self {
        self.taken = Some(taken);
        self
    }

    /// Adds the action of a write, after it was stored.
    pub(crate) const fn then(mut self, then: fn(&mut D, Write)) -> Self {
        self.then = Then::Does(then);
        self
    }

    /// Adds the action of a write that may be refused; nothing is stored then.
    pub(crate) const fn tries(mut self, then: fn(&mut D, Write) -> Result<(), DeviceError>) -> Self {
        self.then = Then::Tries(then);
        self
    }

    /// Whether it has a value in [`Regs`](super::Regs): one that only functions show and take has none.
    pub(super) const fn is_stored(&self) -> bool {
        let takes = self.reset | self.bits.write | self.bits.clear != 0;
        takes || self.held || !matches!(self.shows, Shows::Does(_))
    }

    /// Its name, with its number if there are several.
    pub(super) fn called(&self, n: usize) -> String {
        if self.count == 1 {
            self.name.to_owned()
        } else {
            format!("{}{}", self.name, self.first as usize + n)
        }
    }
}

/// The place of a row without values: an index that no table has.
const NOWHERE: usize = usize::MAX / 2;

/// Gives every row the place of its value.
pub(crate) const fn placed<D, const N: usize>(mut rows: [Reg<D>; N]) -> [Reg<D>; N] {
    let (mut row, mut place) = (0, 0);
    while row < N {
        rows[row].place = place;
        if rows[row].is_stored() {
            place += rows[row].count as usize;
        } else {
            rows[row].place = NOWHERE;
        }
        row += 1;
    }
    rows
}
