//! The debug registers of a Cortex-M3 or M4 (ARMv7-M ARM C1.6, C1.11), on top of a session.

use machine::TargetError;

use crate::session::{Session, Stopped};
use crate::stops::Watched;

const AIRCR: u32 = 0xe000_ed0c;
const DFSR: u32 = 0xe000_ed30;
const DHCSR: u32 = 0xe000_edf0;
const DCRSR: u32 = 0xe000_edf4;
const DCRDR: u32 = 0xe000_edf8;
const FP_CTRL: u32 = 0xe000_2000;
const FP_COMP: u32 = 0xe000_2008;
/// The comparators of the DWT, four words each.
const DWT_COMP: u32 = 0xe000_1020;
/// FPB instruction comparators of a Cortex-M3 and M4.
const COMPARATORS: u32 = 6;

const HALT: u32 = 1 << 1;
const STEP: u32 = 1 << 2;
/// Status bits of DHCSR: `S_REGRDY`, `S_HALT`, `S_RESET_ST`.
const READY: u32 = 1 << 16;
const HALTED: u32 = 1 << 17;
const WAS_RESET: u32 = 1 << 25;
/// DFSR: why the core halted.
const STEPPED: u32 = 1 << 0;
const BREAKPOINT: u32 = 1 << 1;
const WATCHED: u32 = 1 << 2;
/// DCRSR: the transfer is a write.
const WRITES: u32 = 1 << 16;
/// AIRCR: SYSRESETREQ.
const RESET: u32 = 1 << 2;

/// Register names by their number in DCRSR.
const NAMES: [&str; 19] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc",
    "xpsr", "msp", "psp",
];

/// A halted or running chip. The write that resumes it runs about a million cycles, and so does each poll for a halt. So a debugger can
/// halt a program that never stops by itself, and what it sees does not depend on the host.
pub(crate) struct Chip {
    session: Session,
    /// The cycle reached, while the chip runs.
    running: Option<u64>,
    /// The low half of DHCSR.
    control: u32,
    was_reset: bool,
    reasons: u32,
    data: u32,
    /// FPB's breakpoint addresses, and whether FPB is enabled.
    places: [u32; COMPARATORS as usize],
    on: bool,
    /// DWT's comparators: address, mask, function.
    watches: [[u32; 3]; 4],
}

impl Chip {
    pub(crate) fn new(session: Session) -> Chip {
        Chip {
            session,
            running: None,
            control: 0,
            was_reset: false,
            reasons: 0,
            data: 0,
            places: [0; COMPARATORS as usize],
            on: false,
            watches: [[0; 3]; 4],
        }
    }

    fn place(address: u32) -> Option<usize> {
        let index = address.checked_sub(FP_COMP)? / 4;
        (index < COMPARATORS).then_some(index as usize)
    }

    fn watch(address: u32) -> Option<(usize, usize)> {
        let index = address.checked_sub(DWT_COMP)? / 4;
        (index < 16 && index % 4 < 3).then_some((index as usize / 4, index as usize % 4))
    }

    /// Reads 1, 2 or 4 bytes; `None` if nothing is mapped there.
    pub(crate) fn read(&mut self, address: u32, size: u32) -> Option<u32> {
        match address {
            DHCSR => {
                self.advance();
                let halted = if self.control & HALT == 0 { 0 } else { HALTED };
                let reset = if std::mem::take(&mut self.was_reset) {
                    WAS_RESET
                } else {
                    0
                };
                return Some(self.control | READY | halted | reset);
            }
            DFSR => return Some(self.reasons),
            DCRDR => return Some(self.data),
            FP_CTRL => return Some(COMPARATORS << 4 | u32::from(self.on)),
            _ => {}
        }
        if let Some(place) = Chip::place(address) {
            return Some(self.places[place]);
        }
        if let Some((index, word)) = Chip::watch(address) {
            return Some(self.watches[index][word]);
        }
        let mut bytes = [0; 4];
        let memory = self.session.target().memory().ok()?;
        let there = memory.read(address, &mut bytes[..size as usize]);
        there.then(|| u32::from_le_bytes(bytes))
    }

    /// Writes; false if nothing is mapped there.
    pub(crate) fn write(&mut self, address: u32, size: u32, value: u32) -> bool {
        match address {
            DHCSR => self.control(value),
            DFSR => self.reasons &= !value,
            DCRSR => self.transfer(value),
            DCRDR => self.data = value,
            AIRCR if value & RESET != 0 => self.reset(),
            FP_CTRL => self.on = value & 1 != 0,
            _ => {
                if let Some(place) = Chip::place(address) {
                    self.places[place] = value;
                } else if let Some((index, word)) = Chip::watch(address) {
                    self.watches[index][word] = value;
                } else {
                    let memory = self.session.target().memory();
                    return memory.is_ok_and(|mut memory| {
                        memory.write(address, &value.to_le_bytes()[..size as usize])
                    });
                }
            }
        }
        true
    }

    fn reset(&mut self) {
        self.was_reset = true;
        self.running = None;
        let done = self.session.reset();
        self.control |= HALT;
        if done.is_err() {
            self.reasons = 0;
        }
    }

    fn transfer(&mut self, value: u32) {
        let Some(name) = NAMES.get((value & 0x7f) as usize) else {
            self.data = 0;
            return;
        };
        // A chip halted at its own BKPT shows that address.
        if *name == "pc" && value & WRITES == 0 {
            self.data = self.session.pc();
            return;
        }
        if *name == "pc" {
            self.session.at_instruction = None;
        }
        let Ok(mut registers) = self.session.target().registers() else {
            return;
        };
        if value & WRITES == 0 {
            self.data = registers.get(name).unwrap_or(0);
        } else {
            registers.set(name, self.data);
        }
    }

    fn control(&mut self, value: u32) {
        let was_halted = self.control & HALT != 0;
        self.control = value & 0xf;
        match (was_halted, value & HALT != 0) {
            (false, true) if self.running.take().is_some() => {
                let stopped = self.session.halted(Stopped::Stepped);
                self.halted(&stopped);
            }
            (true, false) if value & STEP != 0 => {
                let stopped = self.session.step();
                self.halted(&stopped);
            }
            (true, false) => {
                self.points();
                self.running = self.session.set_off().ok();
                self.advance();
            }
            _ => {}
        }
    }

    /// Runs on, if the chip is running.
    fn advance(&mut self) {
        let Some(until) = &mut self.running else {
            return;
        };
        let stopped = self.session.advance(until).transpose();
        if let Some(stopped) = stopped {
            self.running = None;
            self.halted(&stopped);
        }
    }

    /// Marks the chip halted: something stopped it or the debugger asked for it.
    fn halted(&mut self, stopped: &Result<Stopped, TargetError>) {
        self.control |= HALT;
        self.reasons |= match stopped {
            Ok(Stopped::Breakpoint | Stopped::Instruction) => BREAKPOINT,
            Ok(Stopped::Watched(..)) => WATCHED,
            Ok(Stopped::Stepped) => STEPPED,
            _ => 0,
        };
    }

    /// Sets the session's breakpoints and watchpoints from the comparators (FPB revision 1: the upper two bits select the halfword).
    fn points(&mut self) {
        self.session.points.breakpoints.clear();
        self.session.points.watched.clear();
        for &place in self.places.iter().filter(|&&place| self.on && place & 1 != 0) {
            let word = place & 0x1fff_fffc;
            for (half, bit) in [(0, 1 << 30), (2, 1 << 31)] {
                if place & bit != 0 {
                    self.session.add_breakpoint(word + half);
                }
            }
        }
        for [address, mask, function] in self.watches {
            // Functions 5 to 7: reads, writes, both.
            if (5..=7).contains(&function) {
                self.session.add_watched(Watched {
                    address,
                    size: 1 << (mask & 31),
                    reads: function != 6,
                    writes: function != 5,
                });
            }
        }
    }
}
