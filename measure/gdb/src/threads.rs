//! Threads of kernels that are known by their symbols, as GDB's threads.
//!
//! What a thread's registers are while it does not run is where its kernel saved them. A kernel whose state does not look like what is
//! known here has no threads: the program is one thread then.

mod cmsis;
mod freertos;
mod mainspring;
mod riot;
mod threadx;
mod zephyr;

use machine::image::{Built, BuiltForArm};
use machine::target::{Memory, Registers};
use machine::{Architecture, Image};

/// What is known of a kernel.
pub(crate) trait Known {
    /// The threads now, the running one first; `None` before there are any, or if its state is none that is known.
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>>;
}

/// The kernels that are known, each by the symbols of a program.
const KERNELS: [Find; 5] = [
    freertos::find,
    mainspring::find,
    zephyr::find,
    threadx::find,
    riot::find,
];
type Find = fn(&Image) -> Option<Box<dyn Known>>;

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

    /// One that was there before the program was moved, as GDB still sees it.
    pub(crate) fn left_behind() -> Thread {
        Thread {
            name: "gone with the last `monitor`, until the program goes on".into(),
            ..Thread::program()
        }
    }

    /// What is between threads: a kernel that has nobody to run, or is about to switch.
    fn nobody() -> Thread {
        Thread {
            name: "no thread, running".into(),
            ..Thread::program()
        }
    }
}

/// The kernel of a program, if it is known.
#[derive(Default)]
pub(crate) struct Kernel(Option<Box<dyn Known>>);

impl Kernel {
    /// By the symbols of a program.
    pub(crate) fn of(image: &Image) -> Kernel {
        Kernel(KERNELS.iter().find_map(|find| find(image)))
    }

    /// Its threads now, the running one first.
    pub(crate) fn threads(&self, memory: &dyn Memory) -> Vec<Thread> {
        let threads = self.0.as_ref().and_then(|kernel| kernel.threads(memory));
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
/// R4 to R11 as they are saved, the lower address first: some kernels have them the other way around on ARMv6-M, which can push the lower
/// ones alone.
fn high(image: &Image) -> [&'static str; 8] {
    if is_armv6m(image) {
        return ["r8", "r9", "r10", "r11", "r4", "r5", "r6", "r7"];
    }
    HIGH
}

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

/// A byte of memory.
fn byte(memory: &dyn Memory, address: u32) -> Option<u8> {
    let mut bytes = [0];
    memory.read(address, &mut bytes).then_some(bytes[0])
}

/// The text at an address, up to its end, what cannot be printed, or so many letters; `None` if there is none.
fn text(memory: &dyn Memory, at: u32, most: u32) -> Option<String> {
    let mut text = String::new();
    for place in 0..most {
        match byte(memory, at.wrapping_add(place))? {
            letter @ b' '..=b'~' => text.push(letter.into()),
            _ => break,
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The text that a pointer at this address leads to.
fn pointed_text(memory: &dyn Memory, at: u32) -> Option<String> {
    text(memory, word(memory, at)?, LONGEST)
}

/// More letters than a name of a thread has.
const LONGEST: u32 = 64;

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

/// Whether a program may use floating point, so that its kernel saves how to return with a thread's registers.
fn has_floats(image: &Image) -> bool {
    built_for_arm(image).is_none_or(BuiltForArm::is_floating)
}

/// Whether a program was built for ARMv6-M, so that its kernel is.
fn is_armv6m(image: &Image) -> bool {
    built_for_arm(image).is_some_and(BuiltForArm::is_armv6m)
}

fn built_for_arm(image: &Image) -> Option<BuiltForArm> {
    image.built().and_then(Built::arm)
}
