//! Threads of kernels, found by the program's symbols, as GDB's threads.
//!
//! The registers of a thread that is not running are where its kernel saved them. A kernel with an unrecognised layout has no threads; GDB
//! then sees the program as one thread.

mod cmsis;
mod freertos;
mod mainspring;
mod riot;
mod threadx;
mod zephyr;

use machine::image::{Built, BuiltForArm};
use machine::target::{Memory, Registers};
use machine::{Architecture, Image};

/// A supported kernel.
pub(crate) trait Known {
    /// The current threads, the running one first; `None` before there are any, or if the state is unrecognised.
    fn threads(&self, memory: &dyn Memory) -> Option<Vec<Thread>>;
}

/// The supported kernels, each found by a program's symbols.
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
    /// Identifies the thread as long as it lives; 0 is the whole program, while it has no threads.
    pub(crate) key: u32,
    /// Its kernel's name for it, and its state.
    pub(crate) name: String,
    /// Its registers; `None` while it runs.
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

    /// A thread that GDB still lists although the program was moved in time.
    pub(crate) fn left_behind() -> Thread {
        Thread {
            name: "gone with the last `monitor`, until the program goes on".into(),
            ..Thread::program()
        }
    }

    /// The gap between threads: no thread is ready, or the kernel is about to switch.
    fn nobody() -> Thread {
        Thread {
            name: "no thread, running".into(),
            ..Thread::program()
        }
    }
}

/// The kernel of a program, if it is supported.
#[derive(Default)]
pub(crate) struct Kernel(Option<Box<dyn Known>>);

impl Kernel {
    /// Finds the kernel by the program's symbols.
    pub(crate) fn of(image: &Image) -> Kernel {
        Kernel(KERNELS.iter().find_map(|find| find(image)))
    }

    /// The current threads, the running one first.
    pub(crate) fn threads(&self, memory: &dyn Memory) -> Vec<Thread> {
        let threads = self.0.as_ref().and_then(|kernel| kernel.threads(memory));
        threads.unwrap_or_else(|| vec![Thread::program()])
    }
}

/// Registers that a kernel saved; the others are unknown.
#[derive(Default)]
pub(crate) struct Saved(Vec<(&'static str, u32)>);

impl Saved {
    /// The registers of a core, with another program counter.
    pub(crate) fn at(core: &dyn Registers, pc: u32) -> Saved {
        let value = |name| if name == "pc" { Some(pc) } else { core.get(name) };
        let names = core.names().into_iter();
        Saved(names.filter_map(|name| Some((name, value(name)?))).collect())
    }

    fn set(&mut self, name: &'static str, value: u32) {
        self.0.push((name, value));
    }

    /// Loads registers from consecutive words at an address.
    fn take(&mut self, memory: &dyn Memory, at: u32, names: &[&'static str]) -> Option<()> {
        for (place, name) in (0u32..).zip(names) {
            self.set(name, word(memory, at.wrapping_add(4 * place))?);
        }
        Some(())
    }

    /// Loads the exception frame of a Cortex-M (ARMv7-M ARM B1.5.7), with its floating-point registers if present.
    fn take_frame(&mut self, memory: &dyn Memory, at: u32, float: bool) -> Option<()> {
        self.take(memory, at, &["r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr"])?;
        let mut size = 32;
        if float {
            self.take(memory, at.wrapping_add(size), &SINGLE[..16])?;
            self.take(memory, at.wrapping_add(96), &["fpscr"])?;
            size = 104;
        }
        // Bit 9 of xPSR: four bytes of padding align the frame.
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
/// R4 to R11 in the order in which they are saved, lowest address first. ARMv6-M can push only the low registers, so some kernels swap the
/// two halves.
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

/// Loads `EXC_RETURN` (ARMv7-M ARM B1.5.8), which a port with floating point saves between R4 to R11 and the exception frame. A clear bit
/// 4 means that floating-point registers are saved. Returns the bytes that it all takes, and whether the frame is an extended one.
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

/// Reads a word of memory.
fn word(memory: &dyn Memory, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    memory
        .read(address, &mut bytes)
        .then(|| u32::from_le_bytes(bytes))
}

/// Reads a byte of memory.
fn byte(memory: &dyn Memory, address: u32) -> Option<u8> {
    let mut bytes = [0];
    memory.read(address, &mut bytes).then_some(bytes[0])
}

/// Reads the text at an address, up to its end, the first unprintable byte or `most` bytes; `None` if there is none.
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

/// Reads the text that the pointer at this address points to.
fn pointed_text(memory: &dyn Memory, at: u32) -> Option<String> {
    text(memory, word(memory, at)?, LONGEST)
}

/// An upper bound on a thread name's length.
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

/// Whether a program may use floating point, so that its kernel saves `EXC_RETURN` with a thread's registers.
fn has_floats(image: &Image) -> bool {
    built_for_arm(image).is_none_or(BuiltForArm::is_floating)
}

/// Whether the program, and so its kernel, was built for ARMv6-M.
fn is_armv6m(image: &Image) -> bool {
    built_for_arm(image).is_some_and(BuiltForArm::is_armv6m)
}

fn built_for_arm(image: &Image) -> Option<BuiltForArm> {
    image.built().and_then(Built::arm)
}
