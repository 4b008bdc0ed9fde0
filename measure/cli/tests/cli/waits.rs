//! What is told of a program that did not get to its end, or got there over its own variables.

use std::fs;
use std::process::Command;

use skipped::skip;

use crate::Desk;

/// Vectors and what they are for; `main` is each program's own.
const START: &str = r#"#include <stdint.h>
#define R32(a) (*(volatile uint32_t *)(a))
extern uint32_t stack_top;
int main(void);
void handler(void);
void irq(void) __attribute__((weak));
void systick(void) __attribute__((weak));
void handler(void) { for (;;) ; }
void reset(void) { main(); for (;;) ; }
__attribute__((section(".isr_vector"), used)) void *const vectors[17] = {
    &stack_top, reset, handler, handler, handler, handler, handler, 0, 0, 0, 0, handler, 0, 0, handler, systick, irq };
static void finish(void) {
    static const uint32_t block[2] = { 0x20026, 0 };
    register uint32_t r0 __asm__("r0") = 0x20;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" :: "r"(r0), "r"(r1) : "memory");
}
"#;

/// Builds a program for a board of which this is the flash and the RAM; `None` without a compiler.
fn built(desk: &Desk, cpu: &str, [flash, ram]: [u32; 2], main: &str) -> Option<()> {
    let script = format!(
        "MEMORY {{ FLASH (rx) : ORIGIN = {flash:#x}, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = {ram:#x} }}\n\
         SECTIONS {{ .text : {{ KEEP(*(.isr_vector)) *(.text*) *(.rodata*) }} > FLASH .data : {{ *(.data*) }} > RAM\n\
         .bss (NOLOAD) : {{ *(.bss*) *(COMMON) }} > RAM stack_top = ORIGIN(RAM) + LENGTH(RAM); }}\n"
    );
    fs::write(desk.path("app.ld"), script).unwrap();
    fs::write(desk.path("app.c"), format!("{START}{main}")).unwrap();
    let mut compile = Command::new("arm-none-eabi-gcc");
    compile.current_dir(desk.path("."));
    compile.args([
        "-mthumb",
        "-O1",
        "-g",
        "-ffreestanding",
        "-nostdlib",
        "-nostartfiles",
    ]);
    compile.args([
        &format!("-mcpu={cpu}"),
        "-Wl,--no-warn-rwx-segments",
        "-T",
        "app.ld",
    ]);
    let Ok(status) = compile.args(["app.c", "-o", "app.elf"]).status() else {
        skip("arm-none-eabi-gcc");
        return None;
    };
    assert!(status.success());
    Some(())
}

const M4: (&str, [u32; 2]) = ("cortex-m4", [0x0800_0000, 0x1000]);

fn told(desk: &Desk, words: &str, code: i32) -> String {
    let run = desk.run(words).code(code);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

/// As `threadx#279`: WFI heeds BASEPRI.
const MASKED: &str = r#"
volatile uint32_t woken;
void systick(void) { woken++; }
int main(void) {
    *(volatile uint8_t *)0xE000ED23 = 0x80;
    R32(0xE000E014) = 15999; R32(0xE000E018) = 0; R32(0xE000E010) = 7;
    __asm__ volatile("msr basepri, %0\n dsb\n wfi" :: "r"(0x40) : "memory");
    finish();
}
"#;

#[test]
fn a_sleep_that_nothing_ends_says_what_is_masked() {
    let desk = Desk::new();
    let Some(()) = built(&desk, M4.0, M4.1, MASKED) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407", 3);
    assert!(
        text.contains("error: the program sleeps, and nothing can ever happen again"),
        "{text}"
    );
    assert!(text.contains("asleep since cycle "), "{text}");
    assert!(
        text.contains("SysTick is pending, masked by BASEPRI 0x40: its priority is 0x80"),
        "{text}"
    );
}

/// An alarm of an RP2040 for a moment that has passed.
const ALARM: &str = r#"
#define TIMER 0x40054000u
int main(void) {
    R32(0x4000f000) = 1u << 21;
    while (!(R32(0x4000c008) & 1u << 21)) ;
    R32(TIMER + 0x38) = 1;
    R32(0xE000E100) = 1;
    R32(TIMER + 0x10) = R32(TIMER + 0x28) - 1;
    __asm__ volatile("wfi");
    finish();
}
"#;

#[test]
fn a_sleep_says_what_is_next_and_when() {
    let desk = Desk::new();
    let Some(()) = built(&desk, "cortex-m0plus", [0x1000_0100, 0x1000], ALARM) else {
        return;
    };
    let text = told(&desk, "run app.elf --board rp2040 --limit 100000", 3);
    assert!(
        text.starts_with("error: the limit of 100000 cycles is reached\n"),
        "{text}"
    );
    assert!(text.contains("asleep since cycle "), "{text}");
    assert!(text.contains("next event: TIMER in 4294 s, in cycle "), "{text}");
    assert!(!text.contains("loops forever"), "{text}");
}

#[test]
fn a_loop_says_which_bit_it_polls() {
    let desk = Desk::new();
    // DCMI, which the board does not model.
    let polls = "int main(void) { while (!(R32(0x50050004) & 1u << 2)) ; finish(); }";
    let Some(()) = built(&desk, M4.0, M4.1, polls) else {
        return;
    };
    let allow = "--allow 0x50050000..0x50050400";
    let text = told(
        &desk,
        &format!("run app.elf --board stm32f407 --limit 100000 {allow}"),
        3,
    );
    assert!(
        text.contains("it polls allowed range+0x4 (0x50050004), and bit 2 stays 0"),
        "{text}"
    );
    assert!(text.contains("app.c:"), "{text}");
    assert!(
        text.contains("`--allow 0x50050004..0x50050008=toggles`"),
        "{text}"
    );
    // HSERDY: the crystal's oscillator is not switched on. The registers of RCC have names.
    let polls = "int main(void) { while (!(R32(0x40023800) & 1u << 17)) ; finish(); }";
    let Some(()) = built(&desk, M4.0, M4.1, polls) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407 --limit 100000", 3);
    assert!(
        text.contains("it polls RCC.CR (0x40023800), and bit 17 stays 0"),
        "{text}"
    );
}

#[test]
fn a_loop_says_which_variable_it_waits_for() {
    let desk = Desk::new();
    let waits = "volatile uint32_t done; int main(void) { R32(0xE000E010) = 0; while (!done) ; finish(); }";
    let Some(()) = built(&desk, M4.0, M4.1, waits) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407 --limit 100000", 3);
    assert!(text.contains("it polls done (0x2000"), "{text}");
    assert!(text.contains("it stays 0x0"), "{text}");
}

#[test]
fn a_loop_that_counts_polls_nothing() {
    let desk = Desk::new();
    let counts = "volatile uint32_t n; int main(void) { for (;;) n++; }";
    let Some(()) = built(&desk, M4.0, M4.1, counts) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407 --limit 100000", 3);
    assert!(
        text.contains("the program loops forever, or needs a higher limit"),
        "{text}"
    );
    assert!(!text.contains("polls"), "{text}");
}

/// A parser that recurses over its program's variables.
const DEEP: &str = r"
volatile uint32_t guard[8], calls;
__attribute__((noinline)) int parse(int depth, int x) {
    volatile int local[12]; for (int i = 0; i < 12; i++) local[i] = depth + i;
    calls++;
    if (depth == 0) return x;
    return parse(depth - 1, x + local[3]) + local[5];
}
uint8_t heap[1024];
int main(void) { heap[0] = 1; parse(DEPTH, 1); finish(); }
";

#[test]
fn a_stack_that_runs_into_variables_is_told() {
    let desk = Desk::new();
    let deep = DEEP.replace("DEPTH", "60");
    let Some(()) = built(&desk, M4.0, M4.1, &deep) else {
        return;
    };
    for command in ["run", "profile"] {
        let text = told(&desk, &format!("{command} app.elf --board stm32f407"), 0);
        assert!(text.contains("warning: a stack ran into `"), "{text}");
        assert!(text.contains("it first went below 0x2000"), "{text}");
        assert!(text.contains("parse"), "{text}");
    }
    let Some(()) = built(&desk, M4.0, M4.1, &DEEP.replace("DEPTH", "20")) else {
        return;
    };
    assert_eq!(told(&desk, "run app.elf --board stm32f407", 0), "");
}

/// A thread whose stack is one of two arrays.
const THREAD: &str = r#"
uint32_t other[64], stack[64];
__attribute__((noinline)) int deep(int n) { volatile int a[8]; a[0] = a[7] = n; return n ? deep(n - 1) + a[0] : 0; }
int main(void) {
    stack[0] = other[0] = 1;
    __asm__ volatile("msr psp, %0\n mov r0, #2\n msr control, r0\n isb" :: "r"(stack + 64) : "r0", "memory");
    R32(0xE000E014) = 500; R32(0xE000E018) = 0; R32(0xE000E010) = 7;
    deep(DEPTH);
    finish();
}
void systick(void) { R32(0xE000E010) = 0; }
"#;

#[test]
fn a_stack_inside_a_variable_may_not_leave_it() {
    let desk = Desk::new();
    let Some(()) = built(&desk, M4.0, M4.1, &THREAD.replace("DEPTH", "2")) else {
        return;
    };
    assert_eq!(told(&desk, "run app.elf --board stm32f407", 0), "");
    let Some(()) = built(&desk, M4.0, M4.1, &THREAD.replace("DEPTH", "6")) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407", 0);
    assert!(text.contains("warning: a stack ran into `other`"), "{text}");
}

#[test]
fn an_unaligned_access_says_where() {
    let desk = Desk::new();
    let faults =
        "int main(void) { R32(0xE000ED14) = 8; R32(0x20000801) = 1; __asm__ volatile(\"dsb\"); finish(); }";
    let Some(()) = built(&desk, M4.0, M4.1, faults) else {
        return;
    };
    let text = told(&desk, "run app.elf --board stm32f407", 3);
    assert!(text.contains("unaligned access to 0x20000801"), "{text}");
}
