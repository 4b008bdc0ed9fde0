//! An access: the register at an offset, what it stores, and the order in which things happen.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use bus::{DeviceError, Effect, Incoming};

use super::row::{Shows, Then};
use super::{Access, At, Peripheral, Reg, Write};
use crate::devices::atomic::replicated;
use crate::devices::not_modelled;
use crate::devices::registers::Absent;
use crate::devices::words::part;

/// Words, or bytes, that are found in a table; registers further on are searched for.
const REACH: u32 = 1024;
/// The number of registers of a row that is found in a table.
const MOST: u32 = 256;

/// For each word the row of the register there, from 1 on, and which one of it, in the upper byte.
pub(crate) struct Places([u16; REACH as usize]);

impl Places {
    pub(super) const fn of<D>(rows: &[Reg<D>], shift: u32) -> Places {
        let mut places = [0; REACH as usize];
        let mut row = 0;
        while row < rows.len() {
            let mut n = 0;
            while n < rows[row].count && rows[row].count <= MOST {
                let at = (rows[row].offset + n * rows[row].step) >> shift;
                if at < REACH {
                    assert!(places[at as usize] == 0, "two registers at one offset");
                    assert!(row < 255);
                    places[at as usize] = (row as u16 + 1) | (n as u16) << 8;
                }
                n += 1;
            }
            row += 1;
        }
        Places(places)
    }
}

/// The values of a device's registers; `regs[CR]` is the one at the offset `CR`.
#[derive(Clone)]
pub(crate) struct Regs<D> {
    values: Box<[u32]>,
    absent: Absent,
    device: PhantomData<fn() -> D>,
}

impl<D: Peripheral> Default for Regs<D> {
    fn default() -> Self {
        let stored = |reg: &Reg<D>| if reg.is_stored() { reg.count as usize } else { 0 };
        let each = |reg: &Reg<D>| std::iter::repeat_n(reg.reset, stored(reg));
        Regs {
            values: D::REGISTERS.iter().flat_map(each).collect(),
            absent: Absent::default(),
            device: PhantomData,
        }
    }
}

impl<D: Peripheral> Regs<D> {
    /// Gives every register the value that it has after reset.
    pub(crate) fn reset(&mut self) {
        self.values = Regs::<D>::default().values;
    }
}

impl<D: Peripheral> Index<u32> for Regs<D> {
    type Output = u32;

    #[inline]
    fn index(&self, offset: u32) -> &u32 {
        let (reg, n) = found::<D>(offset).expect("a register of the table");
        &self.values[reg.place + n]
    }
}

impl<D: Peripheral> IndexMut<u32> for Regs<D> {
    #[inline]
    fn index_mut(&mut self, offset: u32) -> &mut u32 {
        let (reg, n) = found::<D>(offset).expect("a register of the table");
        &mut self.values[reg.place + n]
    }
}

pub(super) const fn shift(access: Access) -> u32 {
    match access {
        Access::Bytes => 0,
        _ => 2,
    }
}

#[inline]
fn found<D: Peripheral>(offset: u32) -> Option<(&'static Reg<D>, usize)> {
    let place = D::PLACES.0.get((offset >> shift(D::ACCESS)) as usize);
    let place = usize::from(place.copied().unwrap_or(0));
    match place & 0xff {
        0 => searched(offset),
        row => Some((&D::REGISTERS[row - 1], place >> 8)),
    }
}

/// The register at an offset that no table reaches.
#[cold]
fn searched<D: Peripheral>(offset: u32) -> Option<(&'static Reg<D>, usize)> {
    let offset = whole::<D>(offset);
    D::REGISTERS.iter().find_map(|reg| {
        let distance = offset.checked_sub(reg.offset)?;
        let n = distance / reg.step;
        (n < reg.count && distance % reg.step == 0).then_some((reg, n as usize))
    })
}

#[inline]
fn value<D: Peripheral>(device: &D, reg: &Reg<D>, at: At) -> u32 {
    match reg.shows {
        Shows::Stored => device.regs().values[reg.place + at.n],
        Shows::Other(offset) => device.regs()[offset],
        Shows::Does(shows) => shows(device, at),
    }
}

#[inline]
fn checked<D: Peripheral>(offset: u32, size: u32) -> Result<(), DeviceError> {
    if D::ACCESS == Access::Words && (size != 4 || !offset.is_multiple_of(4)) {
        return not_modelled(format!("an access of {size} bytes at offset {offset:#x}"));
    }
    Ok(())
}

pub(crate) fn read<D: Peripheral>(
    device: &mut D,
    offset: u32,
    size: u32,
    now: u64,
) -> Result<u32, DeviceError> {
    checked::<D>(offset, size)?;
    device.advance(now);
    let Some((reg, n)) = found::<D>(device.bank(offset)).filter(|(reg, _)| !reg.hidden) else {
        return unreadable(device, offset);
    };
    let at = At { n, size, now };
    let value = value(device, reg, at);
    if let Some(taken) = reg.taken {
        taken(device, at);
        device.settle(now);
    }
    Ok(match D::ACCESS {
        Access::Merged | Access::Repeated => part(value, offset, size),
        _ => value,
    })
}

#[cold]
fn unreadable<D: Peripheral>(device: &D, offset: u32) -> Result<u32, DeviceError> {
    let reason = found::<D>(device.bank(offset)).filter(|(reg, _)| !reg.why.is_empty());
    not_modelled(match reason {
        Some((reg, n)) => format!("{}, a read{}", reg.called(n), reg.why),
        None => format!("a read of offset {:#x}", whole::<D>(offset)),
    })
}

/// The value of a read, without its side effects.
pub(crate) fn peek<D: Peripheral>(device: &mut D, offset: u32, now: u64) -> Option<u32> {
    device.advance(now);
    let (reg, n) = found::<D>(device.bank(offset)).filter(|(reg, _)| !reg.hidden)?;
    Some(value(device, reg, At { n, size: 4, now }))
}

pub(crate) fn write<D: Peripheral>(
    device: &mut D,
    offset: u32,
    size: u32,
    value: u32,
    now: u64,
) -> Result<(), DeviceError> {
    checked::<D>(offset, size)?;
    device.advance(now);
    let Some((reg, n)) = found::<D>(device.bank(offset)) else {
        return refused::<D>(offset, value);
    };
    let value = match D::ACCESS {
        Access::Merged if size < 4 => merged(device, reg, At { n, size, now }, offset, value)?,
        Access::Repeated => replicated(value, size),
        Access::Bytes => value & 0xff,
        _ => value,
    };
    if device.ignores(reg.offset, n) {
        device.settle(now);
        return Ok(());
    }
    let bits = reg.bits;
    if value & bits.refuse != 0 {
        return not_modelled(format!("{}, a write of {value:#x}{}", reg.called(n), reg.why));
    }
    if value & !(bits.write | bits.clear) != 0 && matches!(reg.shows, Shows::Stored) {
        tell_dropped(device, reg, n, value);
    }
    let mut old = 0;
    if reg.is_stored() {
        let stored = &mut device.regs_mut().values[reg.place + n];
        old = *stored;
        *stored = bits.stored(old, value, u32::MAX);
    }
    let written = Write {
        old,
        value,
        n,
        size,
        byte: offset & 3,
        now,
    };
    match reg.then {
        Then::Refused => return refused::<D>(offset, value),
        Then::Stored => {}
        Then::Sets(other, bits) => device.regs_mut()[other] |= value & bits,
        Then::Clears(other, bits) => device.regs_mut()[other] &= !(value & bits),
        Then::Flips(other, bits) => device.regs_mut()[other] ^= value & bits,
        Then::Does(then) => then(device, written),
        Then::Tries(then) => {
            if let Err(error) = then(device, written) {
                if reg.is_stored() {
                    device.regs_mut().values[reg.place + n] = old;
                }
                return Err(error);
            }
        }
    }
    device.settle(now);
    Ok(())
}

#[cold]
fn refused<D: Peripheral>(offset: u32, value: u32) -> Result<(), DeviceError> {
    let offset = whole::<D>(offset);
    not_modelled(format!("a write of {value:#x} to offset {offset:#x}"))
}

#[cold]
fn tell_dropped<D: Peripheral>(device: &mut D, reg: &Reg<D>, n: usize, value: u32) {
    let place = reg.place + n;
    let regs = device.regs_mut();
    let dropped = reg.bits.dropped(regs.values[place], value, u32::MAX);
    if dropped != 0 {
        regs.absent.tell(&reg.called(n), place, dropped, value);
    }
}

/// The word that a write of a part makes: the register's other bytes are as they read.
fn merged<D: Peripheral>(
    device: &D,
    reg: &Reg<D>,
    at: At,
    offset: u32,
    part: u32,
) -> Result<u32, DeviceError> {
    if reg.whole {
        return not_modelled(format!("{}, a write of {} bytes", reg.called(at.n), at.size));
    }
    let shift = 8 * (offset & 3);
    let written = (u32::MAX >> (32 - 8 * at.size)) << shift;
    let old = value(device, reg, At { size: 4, ..at });
    Ok(old & !written | part << shift & written)
}

/// The offset of a whole register.
fn whole<D: Peripheral>(offset: u32) -> u32 {
    offset >> shift(D::ACCESS) << shift(D::ACCESS)
}

pub(crate) fn stimulate<D: Peripheral>(
    device: &mut D,
    input: &Incoming,
    now: u64,
) -> Result<(), DeviceError> {
    device.advance(now);
    device.given(input, now)?;
    device.settle(now);
    Ok(())
}

pub(crate) fn hear<D: Peripheral>(device: &mut D, effect: Effect, now: u64) -> Result<(), DeviceError> {
    if device.counted_clock().is_some_and(|ticks| ticks.concerns(effect)) {
        device.advance(now);
        if let Some(ticks) = device.counted_clock() {
            ticks.hear(effect);
            if D::RESTARTS {
                ticks.restart(now);
            }
        }
    }
    device.heard(effect, now)?;
    if let Some(task) = device.task_of(effect) {
        device.advance(now);
        device.start(task, now)?;
    }
    match device.half_mut() {
        Some(half) => half.hear(effect, now),
        None => Ok(()),
    }
}

pub(crate) fn register_name<D: Peripheral>(device: &D, offset: u32) -> Option<String> {
    found::<D>(device.bank(offset)).map(|(reg, n)| reg.called(n))
}

pub(crate) fn note<D: Peripheral>(device: &mut D) -> Option<String> {
    let absent = device.regs_mut().absent.note();
    let own = absent.or_else(|| device.remark());
    own.or_else(|| device.half_mut()?.note())
}

impl<D> Regs<D> {
    /// Sets the device's name on the board.
    pub(crate) fn set_name(&mut self, name: &str) {
        self.absent.call(name);
    }
}
