//! Sessions of an editor by the Debug Adapter Protocol: what Visual Studio Code sends, and what no editor should.

#[path = "adapter/editor.rs"]
mod editor;
#[path = "adapter/hostile.rs"]
mod hostile;

use std::path::{Path, PathBuf};
use std::process::Command;

use editor::Editor;
use serde_json::{Value, json};
use skipped::skip;
use tempfile::TempDir;

const SCRIPT: &str = "
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 8K }
SECTIONS {
  .text : { KEEP(*(.isr_vector)) *(.text*) *(.rodata*) } > FLASH
  .bss : { *(.bss*) *(COMMON) } > RAM
  stack_top = ORIGIN(RAM) + LENGTH(RAM);
}";

/// SysTick comes every 150 cycles, so that it falls into most steps.
const PROGRAM: &str = "typedef void (*handler)(void);
extern unsigned stack_top;
void reset(void);
void spin(void);
void tick(void);
__attribute__((section(\".isr_vector\"), used)) const handler vectors[16] = {
    (handler)&stack_top, reset, spin, spin, spin, spin, spin, [15] = tick };

volatile unsigned ticks, total;

void spin(void) { for (;;); }

void tick(void) {
    ticks++; // tick
}

__attribute__((noinline)) unsigned factorial(unsigned n) {
    if (n < 2) // entry
        return 1;
    return n * factorial(n - 1); // recursion
}

__attribute__((noinline)) unsigned work(unsigned n) {
    unsigned sum = factorial(n); // call
    total += sum; // sum
    return sum;
}

void reset(void) {
    *(volatile unsigned *)0xe000e014 = 149;
    *(volatile unsigned *)0xe000e018 = 0;
    *(volatile unsigned *)0xe000e010 = 7;
    for (unsigned i = 1; i < 6; i++)
        work(i); // loop
    *(volatile unsigned *)0x60000000 = 1; // fault
    for (;;);
}
";

/// The line of the program with this comment.
fn line(comment: &str) -> u64 {
    let comment = format!("// {comment}");
    let found = PROGRAM.lines().position(|line| line.ends_with(&comment));
    found.unwrap_or_else(|| panic!("no {comment}")) as u64 + 1
}

/// The program, compiled; `None` without a compiler.
fn compiled() -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("main.c"), PROGRAM).unwrap();
    std::fs::write(path("link.ld"), SCRIPT).unwrap();
    let mut gcc = Command::new("arm-none-eabi-gcc");
    gcc.args([
        "-mcpu=cortex-m3",
        "-mthumb",
        "-Og",
        "-g",
        "-fno-optimize-sibling-calls",
        "-nostdlib",
    ]);
    gcc.args(["-nostartfiles", "-T"]).arg(path("link.ld"));
    gcc.arg("-o").arg(path("app.elf")).arg(path("main.c"));
    let Ok(built) = gcc.output() else {
        skip("arm-none-eabi-gcc");
        return None;
    };
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let elf = path("app.elf");
    Some((folder, elf))
}

/// The editor at a breakpoint in line `comment`, which it sets as Visual Studio Code does.
fn at_line(elf: &Path, comment: &str) -> Editor {
    let mut editor = Editor::launched(elf);
    let source = elf.with_file_name("main.c");
    let set = editor.ask(
        "setBreakpoints",
        json!({
            "source": { "name": "main.c", "path": source }, "lines": [line(comment)],
            "breakpoints": [{ "line": line(comment) }], "sourceModified": false,
        }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][0]["line"], line(comment), "{set}");
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    editor.ask("setExceptionBreakpoints", json!({ "filters": [] }));
    editor.ask("configurationDone", Value::Null);
    assert_eq!(editor.stopped()["reason"], "breakpoint");
    editor
}

/// The innermost frame: function and line.
fn place(editor: &mut Editor) -> (String, u64) {
    let stack = editor.ask(
        "stackTrace",
        json!({ "threadId": 1, "startFrame": 0, "levels": 20 }),
    );
    let frame = &stack["stackFrames"][0];
    (
        frame["name"].as_str().unwrap().to_owned(),
        frame["line"].as_u64().unwrap(),
    )
}

/// The value of an expression.
fn value(editor: &mut Editor, expression: &str) -> u64 {
    let told = editor.ask(
        "evaluate",
        json!({ "expression": expression, "context": "watch" }),
    );
    let text = told["result"].as_str().unwrap();
    let digits = text.split_whitespace().next().unwrap().trim_start_matches("0x");
    u64::from_str_radix(digits, 16).unwrap()
}

fn step(editor: &mut Editor, how: &str) -> Value {
    editor.ask(how, json!({ "threadId": 1, "granularity": "statement" }));
    editor.stopped()
}

#[test]
fn a_session_as_visual_studio_code_leads_it() {
    let Some((_folder, elf)) = compiled() else { return };
    let mut editor = at_line(&elf, "call");
    let threads = editor.ask("threads", Value::Null);
    assert_eq!(threads["threads"][0]["id"], 1);
    let stack = editor.ask(
        "stackTrace",
        json!({ "threadId": 1, "startFrame": 0, "levels": 20 }),
    );
    let names = |stack: &Value| -> Vec<String> {
        let frames = stack["stackFrames"].as_array().unwrap();
        frames
            .iter()
            .map(|frame| frame["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&stack), ["work", "reset"], "{stack}");
    assert!(
        stack["stackFrames"][0]["source"]["path"]
            .as_str()
            .unwrap()
            .ends_with("main.c")
    );
    let frame = stack["stackFrames"][0]["id"].clone();
    let scopes = editor.ask("scopes", json!({ "frameId": frame }));
    let registers = scopes["scopes"][0]["variablesReference"].clone();
    let all = editor.ask("variables", json!({ "variablesReference": registers }));
    assert_eq!(all["variables"][0]["name"], "r0");
    assert!(
        all["variables"][0]["value"]
            .as_str()
            .unwrap()
            .starts_with("0x00000001"),
        "{all}"
    );
    let cycles = scopes["scopes"][1]["variablesReference"].clone();
    let spent = editor.ask("variables", json!({ "variablesReference": cycles }));
    let since = spent["variables"][0]["value"]
        .as_str()
        .unwrap()
        .parse::<u64>()
        .unwrap();
    assert!(since > 10, "{spent}");
    let statics = scopes["scopes"][2]["variablesReference"].clone();
    let statics = editor.ask("variables", json!({ "variablesReference": statics }));
    assert!(statics.to_string().contains("\"total\""), "{statics}");
    assert_eq!(
        editor.console().matches("since reset").count(),
        1,
        "one for each stop"
    );

    // The registers of what was shown before are gone once the program ran.
    step(&mut editor, "next");
    editor.refused(
        "variables",
        json!({ "variablesReference": registers }),
        "ran since",
    );
    assert_eq!(place(&mut editor), ("work".into(), line("sum")));
    let sum = value(&mut editor, "r0");
    let written = editor.ask("evaluate", json!({ "expression": "total", "context": "hover" }));
    assert_eq!(written["result"], "0x00000000 (0)");
    step(&mut editor, "next");
    assert_eq!(value(&mut editor, "total"), sum);
    assert_eq!(value(&mut editor, "*&total"), sum);
    editor.ask("disconnect", json!({ "restart": false }));
    editor.ended();
}

#[test]
fn steps_go_over_calls_into_them_out_and_back_whatever_interrupts() {
    let Some((_folder, elf)) = compiled() else { return };
    let mut editor = at_line(&elf, "call");
    // The call with 3: the functions nest, and SysTick comes in between.
    for _ in 0..2 {
        editor.ask("continue", json!({ "threadId": 1 }));
        editor.stopped();
    }
    let ticks = value(&mut editor, "ticks");
    let cycles = |editor: &mut Editor| {
        let text = editor.ask(
            "evaluate",
            json!({ "expression": "monitor cycles", "context": "repl" }),
        );
        text["result"].as_str().unwrap().to_owned()
    };
    let before = cycles(&mut editor);
    step(&mut editor, "stepIn");
    assert_eq!(place(&mut editor), ("factorial".into(), line("entry")));
    // The compiler spreads the last line: some of it is before the call.
    while place(&mut editor).1 != line("recursion") {
        step(&mut editor, "next");
        assert_eq!(place(&mut editor).0, "factorial");
    }
    // The recursive calls pass the same addresses with other stacks.
    let sp = value(&mut editor, "sp");
    step(&mut editor, "next");
    assert_eq!(
        (place(&mut editor).0.as_str(), value(&mut editor, "sp")),
        ("factorial", sp)
    );
    step(&mut editor, "stepOut");
    // What is behind the call belongs to the next line.
    assert_eq!(place(&mut editor), ("work".into(), line("sum")));
    // Back over the call to where it began, and to the same cycle.
    step(&mut editor, "stepBack");
    assert_eq!(place(&mut editor), ("work".into(), line("call")));
    assert_eq!(cycles(&mut editor).split(',').next(), before.split(',').next());
    let mut seen = 0;
    for _ in 0..8 {
        step(&mut editor, "next");
        seen += u32::from(place(&mut editor).0 == "tick");
    }
    assert_eq!(seen, 0, "a step never stops in a handler that interrupted it");
    assert!(value(&mut editor, "ticks") > ticks);
    let back = step(&mut editor, "reverseContinue");
    assert_eq!(back["reason"], "breakpoint");
    assert_eq!(place(&mut editor), ("work".into(), line("call")));
    editor.ask("disconnect", json!({}));
    editor.ended();
}

#[test]
fn functions_addresses_and_data_stop_the_program_too() {
    let Some((_folder, elf)) = compiled() else { return };
    let mut editor = at_line(&elf, "call");
    let source = elf.with_file_name("main.c");
    let source = json!({ "path": source });
    let lines = editor.ask(
        "breakpointLocations",
        json!({ "source": source, "line": line("entry"), "endLine": line("recursion") }),
    );
    assert!(lines["breakpoints"].as_array().unwrap().len() >= 2, "{lines}");
    // A line without code means the next one; a file that is not part of the program is told.
    let set = editor.ask(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": [{ "line": 3 }] }),
    );
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][0]["line"]),
        (&json!(true), &json!(line("tick") - 3)),
        "{set}"
    );
    let other = json!({ "source": { "path": "/nowhere/other.c" }, "breakpoints": [{ "line": 1 }] });
    assert_eq!(
        editor.ask("setBreakpoints", other)["breakpoints"][0]["verified"],
        false
    );
    editor.ask("setBreakpoints", json!({ "source": source, "breakpoints": [] }));
    let set = editor.ask(
        "setFunctionBreakpoints",
        json!({ "breakpoints": [{ "name": "factorial" }, { "name": "factorail" }] }),
    );
    assert!(
        set["breakpoints"][1]["message"]
            .as_str()
            .unwrap()
            .contains("factorial"),
        "{set}"
    );
    editor.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stopped()["reason"], "function breakpoint");
    let stack = editor.ask("stackTrace", json!({ "threadId": 1 }));
    let pc = stack["stackFrames"][0]["instructionPointerReference"].clone();
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    let at = json!({ "breakpoints": [{ "instructionReference": pc, "offset": 2 }] });
    editor.ask("setInstructionBreakpoints", at);
    editor.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stopped()["reason"], "instruction breakpoint");
    editor.ask("setInstructionBreakpoints", json!({ "breakpoints": [] }));
    let info = editor.ask("dataBreakpointInfo", json!({ "name": "total" }));
    let watch = json!({ "breakpoints": [{ "dataId": info["dataId"], "accessType": "write" }] });
    assert_eq!(
        editor.ask("setDataBreakpoints", watch)["breakpoints"][0]["verified"],
        true
    );
    editor.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(editor.stopped()["reason"], "data breakpoint");
    assert_eq!(place(&mut editor).0, "work");
    editor.ask("disconnect", json!({}));
    editor.ended();
}

#[test]
fn memory_is_read_and_written_and_disassembly_has_the_cycles() {
    let Some((_folder, elf)) = compiled() else { return };
    let mut editor = at_line(&elf, "sum");
    let total = editor.ask("evaluate", json!({ "expression": "total" }))["memoryReference"].clone();
    let written = json!({ "memoryReference": total, "data": "KgAAAA==", "offset": 0 });
    assert_eq!(editor.ask("writeMemory", written)["bytesWritten"], 4);
    assert_eq!(value(&mut editor, "total"), 42);
    let read = editor.ask(
        "readMemory",
        json!({ "memoryReference": total, "offset": -4, "count": 8 }),
    );
    assert!(read["data"].as_str().unwrap().len() <= 12, "{read}");
    let none = editor.ask(
        "readMemory",
        json!({ "memoryReference": "0x60000000", "count": 16 }),
    );
    assert_eq!(none["unreadableBytes"], 16);

    let pc =
        editor.ask("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0]["instructionPointerReference"]
            .clone();
    // What the editor's view asks for: lines before and after.
    let wanted = json!({ "memoryReference": pc, "offset": 0, "instructionOffset": -50, "instructionCount": 100, "resolveSymbols": true });
    let listing = editor.ask("disassemble", wanted);
    let lines = listing["instructions"].as_array().unwrap();
    assert_eq!((lines.len(), &lines[50]["address"]), (100, &pc), "{listing}");
    let with_cycles = lines
        .iter()
        .filter(|line| line["instruction"].as_str().unwrap().contains("cycle"));
    assert!(with_cycles.count() >= 5, "{listing}");
    // Registers are variables that can be written.
    let frame = editor.ask("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0]["id"].clone();
    let registers =
        editor.ask("scopes", json!({ "frameId": frame }))["scopes"][0]["variablesReference"].clone();
    editor.ask(
        "setVariable",
        json!({ "variablesReference": registers, "name": "r0", "value": "5+2" }),
    );
    assert_eq!(value(&mut editor, "$r0"), 7);
    editor.refused(
        "setVariable",
        json!({ "variablesReference": registers, "name": "nonsense", "value": "1" }),
        "cannot be written",
    );
    editor.ask("disconnect", json!({}));
    editor.ended();
}

#[test]
fn a_crash_says_why_and_the_program_can_go_back_from_it() {
    let Some((_folder, elf)) = compiled() else { return };
    let mut editor = Editor::launched(&elf);
    editor.ask("configurationDone", Value::Null);
    let stopped = editor.stopped();
    assert_eq!(stopped["reason"], "exception");
    let info = editor.ask("exceptionInfo", json!({ "threadId": 1 }));
    let text = info["description"].as_str().unwrap();
    assert!(
        text.contains("the program crashed") && text.contains("BusFault"),
        "{text}"
    );
    editor.refused("continue", json!({ "threadId": 1 }), "cannot continue");
    let source = json!({ "path": elf.with_file_name("main.c") });
    editor.ask(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": [{ "line": line("fault") }] }),
    );
    assert_eq!(step(&mut editor, "reverseContinue")["reason"], "breakpoint");
    assert_eq!(place(&mut editor), ("reset".into(), line("fault")));
    editor.refused("exceptionInfo", json!({ "threadId": 1 }), "did not crash");
    editor.ask("restart", json!({}));
    assert_eq!(editor.stopped()["reason"], "breakpoint");
    editor.ask("terminate", json!({}));
    editor.event("terminated");
    editor.ask("disconnect", json!({}));
    editor.ended();
}
