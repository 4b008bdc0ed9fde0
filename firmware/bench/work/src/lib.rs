//! How a program of `./x speed --count` begins and ends.

#![no_std]

/// Makes a program of a function and what it must come to.
#[macro_export]
macro_rules! program {
    ($work:path, $expected:expr) => {
        #[cfg(target_arch = "arm")]
        #[cortex_m_rt::entry]
        fn main() -> ! {
            if $work() == $expected {
                rt::exit()
            } else {
                rt::fail()
            }
        }

        // SAFETY: the start calls it by this name, and nothing else has it.
        #[cfg(target_arch = "riscv32")]
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            speed_rv32::end($work() == $expected)
        }
    };
}
