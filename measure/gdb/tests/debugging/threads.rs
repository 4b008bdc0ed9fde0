//! Threads of kernels in a real GDB.

use machine::Image;

use super::{by_gdb, listing, shows};

/// The threads of `FreeRTOS` and of Mainspring, and the calls of one that waits, from the registers that its kernel saved.
#[test]
fn gdb_shows_the_threads_of_kernels() {
    let Some(freertos) = listing("threads-freertos-apart") else {
        return;
    };
    // Before the scheduler runs there is the program alone; then it stands at a BKPT.
    let typed = [
        "info threads",
        "continue",
        "info threads",
        "thread 5",
        "backtrace 3",
        "info registers msp",
        "stepi",
        "set var $r4 = 1",
    ];
    let text = by_gdb("stm32f100rb", &freertos, &typed);
    shows(
        &text,
        &[
            "(the program)",
            "(first, running, priority 1)",
            "(IDLE, ready, priority 0)",
            "(sleeps, suspended, priority 5)",
            "in sleeps (unused",
            "msp            <unavailable>",
        ],
    );
    let mainspring = listing("threads-mainspring").unwrap();
    let typed = [
        "tbreak PendSV",
        "continue",
        "info threads",
        "thread 4",
        "backtrace 1",
    ];
    let text = by_gdb("stm32f100rb", &mainspring, &typed);
    shows(
        &text,
        &[
            "(idle, running)",
            "(Sleeps, ready)",
            "#0  mainspring::threads::thread::enter<threads_mainspring::Sleeps>",
        ],
    );
}

/// Each frame of Mainspring's on RV32: of a thread that has not begun, was interrupted, left by itself, and left by a function.
#[test]
fn gdb_shows_mainsprings_threads_on_rv32() {
    let Some(path) = listing("riscv32im-unknown-none-elf/threads-rv32-mainspring-interrupt") else {
        return;
    };
    let image = Image::load(&path).unwrap();
    let address = |name: &str| {
        let found = image.symbols().find(|symbol| symbol.name.ends_with(name));
        found.unwrap().address
    };
    let stop = |name: &str| format!("tbreak *{}", address(name));
    let kernel = address("::__KERNEL");
    let of_works = kernel + 60 + 32;
    let typed = [
        "set language c",
        &stop("::idle_thread"),
        "continue",
        "info threads",
        "thread 3",
        "info symbol $pc",
        &stop("::rv32::threads::interrupt::interrupt"),
        "continue",
        "info threads",
        "thread 2",
        "backtrace",
        "thread 3",
        "print/x $sp",
        "thread 4",
        "printf \"then %x %x %x %x %x\\n\", $mepc, $sp, $a0, $s1, $s11",
        // Where the frame of the one that is interrupted is kept: 13 instructions later the other one has taken its own off its stack.
        &format!("watch *(unsigned *){of_works}"),
        "continue",
        "stepi 13",
        "print/x $sp",
        "info threads",
        "thread 4",
        "printf \"now %x %x %x %x %x\\n\", $pc, $sp, $a0, $s1, $s11",
        // What no kernel would write.
        &format!("set var *(unsigned *){of_works} = 0xfffffffe"),
        "info threads",
        &format!("set var *(unsigned *){} = 77", kernel + 8),
        "info threads",
    ];
    let text = by_gdb("vexriscv-standard", &path, &typed);
    shows(
        &text,
        &[
            "(idle, running)",
            "(Works, running)",
            "(Awaits, waits)",
            "mainspring::threads::thread::enter",
            "(idle, ready)",
            "mainspring::start::start<",
            "(Awaits, running)",
            "(Works, ready)",
            "(the program)",
        ],
    );
    // What is shown of a thread is what it had before, and what it has when it goes on.
    let behind = |mark: &str| -> String {
        let found = text.lines().find_map(|line| line.split(mark).nth(1));
        found.unwrap_or_else(|| panic!("no {mark} in {text}")).to_owned()
    };
    assert_eq!(behind("then "), behind("now "), "{text}");
    assert_eq!(behind("$1 = "), behind("$2 = "), "{text}");
}

/// The names that a program in C gave its threads by CMSIS-RTOS2, and the idle thread's.
#[test]
fn gdb_shows_the_threads_of_cmsis_rtos2() {
    let Some(path) = listing("cmsis-study") else {
        return;
    };
    let typed = ["break osThreadYield", "ignore 1 20", "continue", "info threads"];
    let elf = path.with_file_name("thumbv7em-none-eabihf/cmsis-study.elf");
    let text = by_gdb("stm32g491-170mhz", &elf, &typed);
    shows(
        &text,
        &[
            "(worker, running, priority 24)",
            "(worker, ready, priority 24)",
            "(monitor, waits, priority 32)",
            "(idle, ready, priority 1)",
            "in mainspring_cmsis::kernel::sleep",
        ],
    );
}
