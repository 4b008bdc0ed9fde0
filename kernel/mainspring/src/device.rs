//! The chip, as far as the kernel depends on what is said of it.

#![allow(unsafe_code)] // An unsafe trait: what it says of the chip, no compiler can check.

/// A chip, by a type that stands for it: how many priority bits it has, and its interrupts.
///
/// A crate for the chip made by svd2rust has both. `unsafe`, because an application is as safe as these are right:
///
/// ```
/// # mod stm32f1xx { pub const NVIC_PRIO_BITS: u8 = 4; pub enum Interrupt { TIM2 = 28 } }
/// /// The chip of this board.
/// struct Chip;
///
/// // SAFETY: the vendor's description of the chip, and nothing else in this program writes BASEPRI.
/// unsafe impl mainspring::Device for Chip {
///     const PRIORITY_BITS: u8 = stm32f1xx::NVIC_PRIO_BITS;
///     type Interrupt = stm32f1xx::Interrupt;
///     const OWNS_BASEPRI: bool = true;
/// }
/// ```
///
/// # Safety
///
/// - [`Interrupt`](Device::Interrupt) is an enumeration without fields. Each variant's value is the number of an interrupt
///   of the chip (exception number minus 16), and the vector table has the symbol of the variant's name there. So a
///   function of that name is called by that interrupt and by nothing else.
/// - On RV32 each variant's value is the number of a bit in the registers that [`LINES`](Device::LINES) names, and the core has that
///   bit in the one that masks; nothing else in the program writes that register, nor `mtvec`, while the application runs. The
///   program is in machine mode, and `_start_trap` is what exceptions are to go to (riscv-rt's). With a [`Plic`], it is where that says, and
///   nothing else in the program uses its context, nor the priorities of the table's sources.
/// - One core runs the application. Other cores of the chip call nothing of this crate.
/// - Where there are threads, nothing else clears what asks for `PendSV` (`SCB::clear_pendsv` of the crate `cortex-m` does, and is safe to
///   call): a thread that waits would go on without what it waits for.
/// - [`OWNS_BASEPRI`](Device::OWNS_BASEPRI) is true only if what it says is.
pub unsafe trait Device: 'static {
    /// Priority bits that the chip implements, 2 to 7 (a device crate calls it `NVIC_PRIO_BITS`). Fewer than there are
    /// do no harm. More are found out: every core has the number that its architecture demands, and where the table
    /// says more than that, the application looks when it starts, in every build, and panics.
    const PRIORITY_BITS: u8;

    /// The interrupts.
    type Interrupt;

    /// On RV32, which registers say what interrupts may come and which want to. Elsewhere of no meaning.
    const LINES: Lines = Lines::Standard;

    /// Whether nothing else in the program writes BASEPRI, while the application runs: no other kernel, no driver with
    /// a critical section of its own kind. (PRIMASK, which `critical-section` and `cortex_m::interrupt::free` use, is
    /// another register, and always left as it was found.)
    ///
    /// A section then ends by writing what the table says that BASEPRI held. Without this promise it reads what it held,
    /// a cycle more on a Cortex-M3.
    const OWNS_BASEPRI: bool = false;

    /// How many stacks the chip's protection unit can guard: regions of the MPU (of most chips 8), or entries of the PMP. A table with
    /// `guard` that has more of them does not compile. 16 are the most that any of these units has. If fewer are there than this says,
    /// the application finds out when it starts, in every build, and panics.
    const GUARDS: usize = 16;
}

/// Where an RV32 core has the bits of its interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// In `mie` and `mip`, as the Privileged ISA has them: 3 for the software interrupt, 7 for the timer, 11 for the external
    /// one, and whatever the core has from 16 on (Ibex: its fast interrupts, 16 to 30).
    Standard,
    /// In the registers `0xbc0` and `0xfc0`, where a `VexRiscv` as `LiteX` packages it has its 32 external interrupts.
    VexRiscv,
    /// Behind a platform-level interrupt controller, and in `mie` and `mip`. Numbers up to 31 are those of [`Standard`](Lines::Standard)
    /// but 11, which is the controller's, and any of them will do for a task that software alone asks for; `32 + n` is source *n* of the
    /// controller.
    Plic(Plic),
}

/// A platform-level interrupt controller ("RISC-V Platform-Level Interrupt Controller Specification" 1.0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plic {
    /// The address of its first register.
    pub base: usize,
    /// The context that is the core's machine mode: 0 on chips with one core.
    pub context: u16,
    /// The highest priority that its sources can have, 1 or more. The application looks when it starts, and panics if there are fewer. With
    /// more levels in the table the most urgent ones share it: what holds then is the kernel's own mask.
    pub priorities: u8,
}
