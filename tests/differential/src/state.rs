//! The compared state.

use std::fmt;

/// Core state that an instruction may change.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct State {
    /// R0 to R15; R15 is the address of the next instruction.
    pub r: [u32; 16],
    /// N, Z, C, V, Q and GE at their xPSR positions.
    pub apsr: u32,
    /// IPSR, CONTROL, MSP, PSP, PRIMASK, BASEPRI, FAULTMASK; all but the first two are zero in unprivileged code.
    pub special: [u32; 7],
    /// S0 to S31.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
}

const SPECIAL: [&str; 7] = ["ipsr", "control", "msp", "psp", "primask", "basepri", "faultmask"];

impl State {
    /// The differences: name, value here, value there.
    pub fn differences(&self, other: &State) -> Vec<(String, u32, u32)> {
        let registers = (0..16).map(|n| (format!("r{n}"), self.r[n], other.r[n]));
        let apsr = ("apsr".to_owned(), self.apsr, other.apsr);
        let special = (0..7).map(|n| (SPECIAL[n].to_owned(), self.special[n], other.special[n]));
        let floats = (0..32).map(|n| (format!("s{n}"), self.s[n], other.s[n]));
        let fpscr = ("fpscr".to_owned(), self.fpscr, other.fpscr);
        registers
            .chain([apsr])
            .chain(special)
            .chain(floats)
            .chain([fpscr])
            .filter(|(_, ours, theirs)| ours != theirs)
            .collect()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, value) in self.r.iter().enumerate() {
            write!(f, "r{n}={value:08x}{}", if n % 8 == 7 { "\n" } else { " " })?;
        }
        write!(f, "apsr={:08x}", self.apsr)?;
        SPECIAL
            .iter()
            .zip(self.special)
            .try_for_each(|(name, value)| write!(f, " {name}={value:x}"))?;
        for (n, value) in self.s.iter().enumerate() {
            write!(f, "{}s{n}={value:08x}", if n % 8 == 0 { "\n" } else { " " })?;
        }
        write!(f, "\nfpscr={:08x}", self.fpscr)
    }
}

/// The reason why execution stopped, as far as both sides can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Undefined instruction.
    Undefined,
    /// A missing coprocessor.
    NoCoprocessor,
    /// SVC.
    SupervisorCall,
    /// BKPT.
    Breakpoint,
    /// EPSR.T is zero.
    NoThumb,
    /// An unaligned access by an instruction that does not allow it.
    Unaligned,
    /// A data access to unmapped memory.
    Data,
    /// A fetch from unmapped memory.
    Fetch,
    /// An unpredictable encoding, reached by a wild jump; both sides may do anything.
    Unpredictable,
    /// Any other exception, with Unicorn's number.
    Other(u32),
}
