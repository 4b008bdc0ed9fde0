//! Threads of kernels that are known by their symbols, as GDB's threads.
//!
//! What a thread's registers are while it does not run is where its kernel saved them: of `FreeRTOS`'s ports for Cortex-M and RISC-V, and
//! of Mainspring on both. A kernel whose state does not look like what is known here has no threads: the program is one thread then.

mod freertos;
mod mainspring;

use machine::target::{Memory, Registers};
use machine::{Architecture, Image};

use freertos::FreeRtos;
use mainspring::Mainspring;

/// A thread of the program.
pub(crate) struct Thread {
    /// What tells it from others as long as it lives; 0 is the program where it has no threads (yet).
    pub(crate) key: u32,
    /// As its kernel calls it, and what it does.
    pub(crate) name: String,
    /// Its registers, unless it runs.
    pub(crate) saved: Option<Saved>,
}

impl Thread {
    /// The program as one thread.
    fn program() -> Thread {
        Thread {
            key: 0,
            name: "the program".into(),
            saved: None,
        }
    }
}

/// The kernel of a program.
pub(crate) enum Kernel {
    /// None that is known.
    None,
    FreeRtos(FreeRtos),
    Mainspring(Mainspring),
}

impl Kernel {
    /// By the symbols of a program.
    pub(crate) fn of(image: &Image) -> Kernel {
        if let Some(kernel) = FreeRtos::of(image) {
            return Kernel::FreeRtos(kernel);
        }
        Mainspring::of(image).map_or(Kernel::None, Kernel::Mainspring)
    }

    /// Its threads now, the running one first.
    pub(crate) fn threads(&self, memory: &dyn Memory) -> Vec<Thread> {
        let threads = match self {
            Kernel::None => None,
            Kernel::FreeRtos(kernel) => kernel.threads(memory),
            Kernel::Mainspring(kernel) => kernel.threads(memory),
        };
        threads.unwrap_or_else(|| vec![Thread::program()])
    }
}

/// Registers that a kernel saved; the others are not known.
#[derive(Default)]
pub(crate) struct Saved(Vec<(&'static str, u32)>);

impl Saved {
    fn set(&mut self, name: &'static str, value: u32) {
        self.0.push((name, value));
    }

    /// Words at an address, one register after the other.
    fn take(&mut self, memory: &dyn Memory, at: u32, names: &[&'static str]) -> Option<()> {
        for (place, name) in (0u32..).zip(names) {
            self.set(name, word(memory, at.wrapping_add(4 * place))?);
        }
        Some(())
    }

    /// What a Cortex-M saves at the entry of an exception (ARMv7-M ARM B1.5.7), with its floating-point registers if they are there.
    fn take_frame(&mut self, memory: &dyn Memory, at: u32, float: bool) -> Option<()> {
        self.take(memory, at, &["r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr"])?;
        let mut size = 32;
        if float {
            self.take(memory, at.wrapping_add(size), &SINGLE[..16])?;
            self.take(memory, at.wrapping_add(96), &["fpscr"])?;
            size = 104;
        }
        // Bit 9 of xPSR: four bytes more, so that the frame is aligned.
        let padding = self.get("xpsr")? >> 9 & 1;
        self.sp(at.wrapping_add(size + 4 * padding));
        Some(())
    }

    fn sp(&mut self, value: u32) {
        self.set("sp", value);
        self.set("psp", value);
    }
}

impl Registers for Saved {
    fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|&(name, _)| name).collect()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|&(_, value)| value)
    }

    fn set(&mut self, _: &str, _: u32) -> bool {
        false
    }
}

const HIGH: [&str; 8] = ["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"];
const SINGLE: [&str; 32] = [
    "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15",
    "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30",
    "s31",
];

/// What a port with floating point saves between R4 to R11 and the frame of the exception: how to return (ARMv7-M ARM B1.5.8), of which a
/// clear bit 4 says that floating-point registers are saved. The bytes that it all takes, and whether the frame is a long one.
fn take_return(saved: &mut Saved, memory: &dyn Memory, at: u32) -> Option<(u32, bool)> {
    const EXC_RETURN: u32 = 0xffff_ffe0;
    let value = word(memory, at)?;
    if value & EXC_RETURN != EXC_RETURN {
        return Some((0, false));
    }
    if value & 1 << 4 != 0 {
        return Some((4, false));
    }
    saved.take(memory, at.wrapping_add(4), &SINGLE[16..])?;
    Some((4 + 64, true))
}

/// A word of memory.
fn word(memory: &dyn Memory, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    memory
        .read(address, &mut bytes)
        .then(|| u32::from_le_bytes(bytes))
}

/// Address and bytes of a variable by its name in the source.
fn variable(image: &Image, name: &str) -> Option<(u32, u32)> {
    let found = image
        .symbols()
        .find(|symbol| symbol.name == name && symbol.size > 0);
    found.map(|symbol| (symbol.address, symbol.size))
}

fn is_arm(image: &Image) -> bool {
    image.architecture() == Architecture::Arm
}
