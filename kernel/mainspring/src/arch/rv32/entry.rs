//! Entries of traps.

/// The ways from a trap to the handler `interrupt` of the module, of which a program has one: all traps at the entry `$any`, whose text
/// follows, and the table `$vectors`.
macro_rules! ways_to_the_interrupt {
    ($vectors:ident $any:ident [$($text:literal)*] $($operand:tt)*) => {
        /// Where a table of jumps is, one for each cause, aligned as Ibex asks for, which takes interrupts to the table's entry
        /// of their cause. Other cores take all traps to its first one.
        #[unsafe(naked)]
        pub(in crate::arch::rv32) extern "C" fn $vectors<A: App>() -> usize {
            naked_asm!(
                "   lla a0, 1f",
                "   ret",
                "   .balign 256",
                "   .option push",
                "   .option norvc",
                "1: j {any}",
                "   .rept 31",
                "   j {interrupt}",
                "   .endr",
                "   .option pop",
                any = sym $any::<A>,
                interrupt = sym interrupt::<A>,
            )
        }

        /// All traps.
        #[unsafe(naked)]
        pub(in crate::arch::rv32) extern "C" fn $any<A: App>() {
            naked_asm!("   .balign 4", $($text,)* interrupt = sym interrupt::<A>, $($operand)*)
        }
    };
    // `t0` is all that it needs, for a moment; below the stack pointer nothing is anybody's.
    () => {
        $crate::arch::rv32::entry::ways_to_the_interrupt! {
            vectors interrupt_or_exception
            ["sw t0, -4(sp)" "csrr t0, mcause" "bgez t0, 1f" "lw t0, -4(sp)" "j {interrupt}" "1: lw t0, -4(sp)" "j _start_trap"]
        }
    };
}

pub(in crate::arch::rv32) use ways_to_the_interrupt;
