//! Programs that must not compile for ARMv6-M or RV32, whose sections clear interrupt bits. (`kernel/mainspring/tests/must-not-compile`
//! has those that compile for no core.) Also checks that the kernel's crates can be packaged.

use std::fs;
use std::process::Stdio;

use xtask::cross::Cross;
use xtask::{root, target_dir};

const ARMV6M: &str = "thumbv6m-none-eabi";
const RV32: &str = "riscv32im-unknown-none-elf";

/// A table with a section that holds `High` back, and a SysTick task with the given body, which can come in between.
fn program(bits: u8, tick: &str) -> String {
    format!(
        r"#![no_std]
use mainspring::*;
struct Chip;
enum Interrupt {{ IRQ0 = 0, IRQ1 = 1 }}
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {{
    const PRIORITY_BITS: u8 = {bits};
    type Interrupt = Interrupt;
}}
app! {{
    struct Demo;
    device = Chip;
    resources {{ Shared: u32 = 0; }}
    tasks {{
        Low = Low, on IRQ0, priority 1, uses Write<Shared>;
        High = High, on IRQ1, priority 3, uses Write<Shared>, enabled false;
        Tick = Tick, on SysTick, priority 2;
    }}
}}
struct Low;
struct High;
struct Tick;
impl Run for Low {{
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {{
        cx.lock(&mut shared, |shared, _| *shared += 1);
        cx.enable::<High>();
    }}
}}
impl Run for High {{
    fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {{
        *cx.get(&mut shared) += 1;
    }}
}}
impl Run for Tick {{
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {{
        {tick}
    }}
}}
impl Main for Demo {{
    fn init(_: Init<Self>) {{}}
}}
"
    )
}

/// Compiles `text` for ARMv6-M; the error is the compiler's output.
fn compile(name: &str, text: &str) -> Result<(), String> {
    compile_for(ARMV6M, name, text)
}

/// Compiles `text` for `target`; the error is the compiler's output.
fn compile_for(target: &str, name: &str, text: &str) -> Result<(), String> {
    let folder = target_dir().join("every-cycle/refused").join(name);
    let kernel = root().join("kernel/mainspring");
    let manifest = format!(
        "[package]\nname = \"refused-{name}\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nmainspring = {{ path = '{}' }}\n",
        kernel.display()
    );
    fs::create_dir_all(folder.join("src")).expect("the folder can be written");
    fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written");
    fs::write(folder.join("src/lib.rs"), text).expect("the folder can be written");
    let cross = Cross::choose().expect("a compiler for the target");
    let mut cargo = cross.cargo_build();
    cargo
        .args(["--offline", "--target", target, "--target-dir"])
        .arg(target_dir().join("every-cycle/build/refused"))
        .current_dir(&folder)
        .stdin(Stdio::null());
    let output = cargo.output().expect("cargo starts");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn a_task_of_a_system_exception_that_uses_an_enable_bit() {
    compile("nothing", &program(2, "cx.pend::<Low>();")).expect("this one is right");
    let said = compile("system", &program(2, "cx.enable::<High>();")).expect_err("it must not compile");
    assert!(
        said.contains("task `High` cannot be enabled or disabled here"),
        "{said}"
    );
    assert!(said.contains("is bound to an interrupt"), "{said}");
}

#[test]
fn more_priority_bits_than_the_architecture_has() {
    let said = compile("bits", &program(3, "cx.pend::<Low>();")).expect_err("it must not compile");
    assert!(said.contains("this core has 2 priority bits, not 3"), "{said}");
}

/// A table of three tasks, with the given body for the middle one.
fn table(number: u16, mid: &str) -> String {
    format!(
        r"#![no_std]
use mainspring::*;
struct Chip;
enum Interrupt {{ IRQ0 = 0, IRQ1 = 1, IRQ2 = {number} }}
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {{
    const PRIORITY_BITS: u8 = 5;
    type Interrupt = Interrupt;
}}
app! {{
    struct Demo;
    device = Chip;
    tasks {{
        Low = Low, on IRQ0, priority 1;
        Mid = Mid, on IRQ1, priority 2;
        High = High, on IRQ2, priority 3;
    }}
}}
struct Low;
struct Mid;
struct High;
impl Run for Low {{ fn run(&mut self, _: Context<Self>, _: Handles<Self>) {{}} }}
impl Run for High {{ fn run(&mut self, _: Context<Self>, _: Handles<Self>) {{}} }}
impl Run for Mid {{ fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {{ {mid} }} }}
impl Main for Demo {{ fn init(_: Init<Self>) {{}} }}
"
    )
}

/// A section clears the bits of tasks up to the level of the running code and restores what it found. A bit changed in between would be
/// lost, and one that is set would let a task of the same level in.
#[test]
fn on_rv32_the_bit_of_a_task_that_is_not_more_urgent() {
    compile_for(
        RV32,
        "above",
        &table(2, "cx.disable::<High>(); cx.enable::<High>();"),
    )
    .expect("this one is right");
    for (name, act) in [
        ("itself", "cx.enable::<Mid>();"),
        ("below", "cx.disable::<Low>();"),
    ] {
        let said = compile_for(RV32, name, &table(2, act)).expect_err("it must not compile");
        assert!(
            said.contains("cannot be enabled or disabled here: on RV32"),
            "{said}"
        );
    }
}

#[test]
fn on_rv32_an_interrupt_that_has_no_bit() {
    let said = compile_for(RV32, "no-bit", &table(32, "cx.pend::<Low>();")).expect_err("it must not compile");
    assert!(said.contains("interrupt 32, but this core has 0 to 31"), "{said}");
}

/// A table behind a PLIC, on a core without atomic memory instructions.
fn behind_a_plic(number: u16, priorities: u8) -> String {
    let lines = format!(
        "const LINES: Lines = Lines::Plic(Plic {{ base: 0xc00_0000, context: 0, priorities: {priorities} }});"
    );
    table(number, "cx.pend::<Low>();").replace(
        "type Interrupt = Interrupt;",
        &format!("type Interrupt = Interrupt;\n    {lines}"),
    )
}

#[test]
fn on_rv32_what_is_no_source_of_the_plic() {
    compile_for(RV32, "source", &behind_a_plic(32 + 1023, 7)).expect("this one is right");
    for (name, number, priorities, expected) in [
        ("external", 11, 7, "interrupt 11, which is the controller's"),
        ("source-0", 32, 7, "source 0 of a PLIC is none"),
        ("too-many", 32 + 1024, 7, "at most 1056 (0 to 1055)"),
        ("no-priority", 33, 0, "1 priority at the least, not 0"),
    ] {
        let said =
            compile_for(RV32, name, &behind_a_plic(number, priorities)).expect_err("it must not compile");
        assert!(said.contains(expected), "{name}: {said}");
    }
}

/// A table with a thread, and the given settings in the parentheses.
fn with_thread(settings: &str) -> String {
    let program = table(2, "").replace(
        "priority 3;\n    }",
        &format!("priority 3;\n    }}\n    threads ({settings}) {{ Only = Only, priority 1, stack 256; }}"),
    );
    let program = program.replace("IRQ2 = 2", "IRQ2 = 2, IRQ3 = 3");
    format!(
        "{program}struct Only;\nimpl threads::Thread for Only {{ fn run(&mut self, _: Context<Self>, _: Handles<Self>) {{}} }}\n"
    )
}

#[test]
fn on_rv32_threads_behind_a_plic() {
    let lines = "const LINES: Lines = Lines::Plic(Plic { base: 0xc00_0000, context: 0, priorities: 7 });";
    let program = with_thread("switch IRQ3, ticked Mid").replace(
        "type Interrupt = Interrupt;",
        &format!("type Interrupt = Interrupt;\n    {lines}"),
    );
    compile_for(RV32, "plic-threads", &program).expect("this one is right");
    let source = program.replace("IRQ3 = 3", "IRQ3 = 35");
    let said = compile_for(RV32, "plic-threads-source", &source).expect_err("it must not compile");
    assert!(said.contains("this core has interrupts 0 to 31"), "{said}");
}

/// No other thread can end such a wait.
#[test]
fn a_thread_that_waits_for_itself() {
    for (name, wait, expected) in [
        (
            "asks-itself",
            "PORT.call(&mut cx, ());",
            "a thread that asks itself would wait for ever",
        ),
        (
            "joins-itself",
            "cx.join::<Only>();",
            "a thread that waits for its own end would wait for ever",
        ),
    ] {
        let program = with_thread("waking 1").replace("PRIORITY_BITS: u8 = 5", "PRIORITY_BITS: u8 = 2").replace(
            "impl threads::Thread for Only { fn run(&mut self, _: Context<Self>, _: Handles<Self>) {} }",
            &format!(
                "impl threads::Thread for Only {{ fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {{ {wait} }} }}\n\
                 static PORT: threads::Port<Only, (), ()> = threads::Port::new();"
            ),
        );
        let said = compile(name, &program).expect_err("it must not compile");
        assert!(said.contains(expected), "{said}");
    }
}

/// The switch needs a mask bit of its own, and SysTick does not exist on RV32.
#[test]
fn on_rv32_threads_without_a_bit_for_the_switch() {
    compile_for(RV32, "switch", &with_thread("switch IRQ3, ticked Mid")).expect("this one is right");
    for (name, settings, expected) in [
        ("no-switch", "waking 1", "say `threads (switch NAME)`"),
        (
            "switch-used",
            "switch IRQ1",
            "task `Mid` is bound to the interrupt",
        ),
        (
            "systick",
            "switch IRQ3, tick 1000",
            "is SysTick's, which is Cortex-M's",
        ),
        (
            "ticked",
            "switch IRQ3, ticked Nobody",
            "`Nobody`)` names no task of the table",
        ),
    ] {
        let said = compile_for(RV32, name, &with_thread(settings)).expect_err("it must not compile");
        assert!(said.contains(expected), "{name}: {said}");
    }
}

/// A table of one process, with the given interrupt code of the chip and further items.
fn processes(taken: &str, more: &str) -> String {
    format!(
        r"#![no_std]
use mainspring::process::*;
pub struct Board;
// SAFETY: this is compiled, and never run.
unsafe impl Chip for Board {{
    const CODE: (usize, usize) = (0, 1 << 20);
    const PROTECTION: Protection = Protection::Mpu;
    const LINES: mainspring::Lines = mainspring::Lines::Standard;
    fn taken(_: u16) {{ {taken} }}
    fn failed() -> ! {{ loop {{}} }}
}}
mainspring::processes! {{
    pub struct System;
    chip = Board;
    processes {{ Only = Only, priority 1, memory 1024, calls (); }}
}}
pub struct Only;
impl Process for Only {{
    type Processes = System;
    fn run(&mut self, _cx: Cx<Self>) -> ! {{ loop {{}} }}
}}
{more}
"
    )
}

/// Only the hardware may call the kernel's entry into a process.
#[test]
fn a_vector_of_processes() {
    const V7: &str = "thumbv7m-none-eabi";
    compile_for(V7, "processes", &processes("", "")).expect("this one is right");
    let said = compile_for(V7, "vector", &processes("HardFault()", "")).expect_err("it must not compile");
    assert!(said.contains("call to unsafe function `HardFault`"), "{said}");
    let named = "mainspring::process::supervisor_call::<System>()";
    let said = compile_for(V7, "trap", &processes(named, "")).expect_err("it must not compile");
    assert!(said.contains("call to unsafe function"), "{said}");
}

/// With two handles a process could receive again while it still holds what came with an unanswered message.
#[test]
fn the_way_to_the_kernel_of_another_thread() {
    let more = "fn other<T: Send>() {} pub fn f() { other::<Cx<Only>>(); }";
    let said =
        compile_for("thumbv7m-none-eabi", "way", &processes("", more)).expect_err("it must not compile");
    assert!(said.contains("cannot be sent between threads safely"), "{said}");
}

/// Two threads that exchanged frames would each give away the other's frame, and could then be given one whose name somebody has.
#[test]
fn the_frame_of_another_thread() {
    for (name, bound) in [("frame-send", "Send"), ("frame-sync", "Sync")] {
        let more = format!("fn other<T: {bound}>() {{}} pub fn f() {{ other::<Frame>(); }}");
        let said =
            compile_for("thumbv7m-none-eabi", name, &processes("", &more)).expect_err("it must not compile");
        assert!(said.contains("between threads safely"), "{said}");
    }
}

/// The kernel would read by the other chip's rules where the memory lent to the process is.
#[test]
fn a_process_that_says_it_is_in_another_table() {
    let more = "pub enum Elsewhere {}
// SAFETY: this is compiled, and never run.
unsafe impl Processes for Elsewhere {
    type Chip = Board;
    const ROWS: &'static [Row] = &[];
    const EXTRA: bool = false;
    fn contexts() -> *mut Context { core::ptr::null_mut() }
    fn tables() -> *mut Table { core::ptr::null_mut() }
    fn device_tables() -> *mut DeviceTables { core::ptr::null_mut() }
}";
    let program = processes("", more);
    compile_for("thumbv7m-none-eabi", "table", &program).expect("this one is right");
    let elsewhere = program.replace("type Processes = System", "type Processes = Elsewhere");
    let said = compile_for("thumbv7m-none-eabi", "elsewhere", &elsewhere).expect_err("it must not compile");
    assert!(said.contains("type mismatch resolving"), "{said}");
}

/// Packages them as a registry requires: complete, with versions, and without foreign files.
#[test]
fn the_kernels_crates_can_be_packaged() {
    let mut cargo = xtask::shell::cargo();
    cargo
        .args([
            "package",
            "-p",
            "mainspring-core",
            "-p",
            "mainspring",
            "-p",
            "mainspring-cmsis",
        ])
        .args(["--no-verify", "--offline", "--allow-dirty", "--target-dir"])
        .arg(target_dir().join("every-cycle/package"))
        .current_dir(root())
        .stdin(Stdio::null());
    let output = cargo.output().expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Packaged"), "{said}");
}
